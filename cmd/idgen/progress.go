package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	progressAfter = time.Second            // a shorter run shows nothing
	progressEvery = 200 * time.Millisecond // often enough to look alive
)

// A progress shows how far a long run is, in a line that it overwrites.
type progress struct {
	out   io.Writer // nil: nobody looks
	total int       // 0 if not known
	began time.Time
	next  time.Time // when to write next
	width int       // of the line that is on the screen
}

// newProgress begins a run of total steps. 0 means that the number is not known.
func (t *tool) newProgress(total int) *progress {
	p := &progress{total: total}
	if t.live {
		p.out = t.errs
		p.began = time.Now()
		p.next = p.began.Add(progressAfter)
	}
	return p
}

// at shows that n steps are done.
func (p *progress) at(n int) {
	if p.out == nil {
		return
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	took := now.Sub(p.began)
	line := fmt.Sprintf("%s done, %s a second", grouped(n), grouped(int(float64(n)/took.Seconds())))
	if p.total > 0 {
		left := time.Duration(min(float64(took)/float64(n)*float64(p.total-n), 1<<62)) // 1<<62 ns are 146 years
		line = fmt.Sprintf("%s of %s, %d%%, %s a second, %v left", grouped(n), grouped(p.total),
			int(100*float64(n)/float64(p.total)), grouped(int(float64(n)/took.Seconds())), left.Round(time.Second))
	}
	fmt.Fprintf(p.out, "\r%-*s", p.width, line)
	p.width = len(line)
}

// clear takes the line off the screen.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// grouped returns n in decimal, in groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, digit := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}
