package main

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress checks when the progress line is written, with the clock of a bubble.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		idgen := &tool{errs: &screen, live: true}
		p := idgen.newProgress(4000)
		for n := 0; n <= 900; n += 100 {
			p.at(n)
			time.Sleep(100 * time.Millisecond)
		}
		p.clear()
		if screen.Len() > 0 {
			t.Fatalf("%q within the first second", &screen)
		}
		p.at(1000)
		if want := "\r1,000 of 4,000, 25%, 1,000 a second, 3s left"; screen.String() != want {
			t.Fatalf("%q, want %q", &screen, want)
		}
		screen.Reset()
		time.Sleep(199 * time.Millisecond)
		p.at(1199)
		if screen.Len() > 0 {
			t.Fatalf("%q after 199 ms", &screen)
		}
		time.Sleep(2801 * time.Millisecond)
		p.at(4000)
		const last = "4,000 of 4,000, 100%, 1,000 a second, 0s left"
		if screen.String() != "\r"+last {
			t.Fatalf("%q, want %q", &screen, last)
		}
		screen.Reset()
		p.clear()
		if want := "\r" + strings.Repeat(" ", len(last)) + "\r"; screen.String() != want {
			t.Fatalf("%q, want %q", &screen, want)
		}

		screen.Reset()
		p = idgen.newProgress(math.MaxInt)
		time.Sleep(2 * time.Second)
		p.at(2)
		if want := "0%, 1 a second, 1281023h53m38s left"; !strings.HasSuffix(screen.String(), want) && math.MaxInt > 1<<32 {
			t.Fatalf("%q, want %q", &screen, want)
		}

		screen.Reset()
		p = idgen.newProgress(0)
		time.Sleep(2 * time.Second)
		p.at(5_000_000)
		if want := "\r5,000,000 done, 2,500,000 a second"; screen.String() != want {
			t.Fatalf("%q, want %q", &screen, want)
		}

		screen.Reset()
		time.Sleep(98 * time.Second)
		p.at(5_000_000)
		if want := "\r5,000,000 done, 50,000 a second   "; screen.String() != want {
			t.Fatalf("%q, want %q over the longer line", &screen, want)
		}

		screen.Reset()
		p = (&tool{errs: &screen}).newProgress(10)
		time.Sleep(time.Hour)
		p.at(5)
		p.clear()
		if screen.Len() > 0 {
			t.Fatalf("%q where nobody looks", &screen)
		}
	})
}

// TestRunWithProgress checks that a run of the program as a whole writes the line and takes it
// away.
func TestRunWithProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, screen bytes.Buffer
		idgen := &tool{in: &slowReader{lines: 30}, out: bufio.NewWriter(&out), errs: &screen, live: true}
		if err := idgen.command([]string{"convert"}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(screen.String(), " done, "); got != 11 {
			t.Errorf("%d progress lines in 3 s: %q", got, &screen)
		}
		if !strings.HasSuffix(screen.String(), "  \r") {
			t.Errorf("the line stays: %q", &screen)
		}
	})
}

// A slowReader gives an id every 100 ms.
type slowReader struct{ lines int }

func (r *slowReader) Read(b []byte) (int, error) {
	if r.lines == 0 {
		return 0, io.EOF
	}
	r.lines--
	time.Sleep(100 * time.Millisecond)
	return copy(b, "01ARZ3NDEKTSV4RRFFQ69G5FAV\n"), nil
}
