package main

import (
	"math"
	"sync"
	"time"

	"github.com/oneclock/ids"
)

// A naive process mints Snowflakes by another implementation of the rule, as simple as can be, in
// which single things can be wrong. All else is of package ids.
type naive struct {
	process
	boot
	wrong   string
	began   time.Time
	lanes   []naiveLane
	mu      sync.Mutex
	lifted  *sync.Cond
	limited time.Time
	bound   bool      // there is a limit
	ended   bool      // for good
	highest time.Time // of Snowflakes
}

// A naiveLane is the state of a stream.
type naiveLane struct {
	last, used, paid int64
	shown            int64 // the latest reading
}

func newNaive(wrong string) func(b boot) *flawed {
	return func(b boot) *flawed {
		f := &naive{process: newLibrary(b), boot: b, wrong: wrong, began: time.Now()}
		f.lifted = sync.NewCond(&f.mu)
		for i := range b.schemes {
			f.lanes = append(f.lanes, f.newLane(&b.schemes[i]))
		}
		return &flawed{process: f}
	}
}

// at returns the tick of a reading: negative before the epoch, above end after the last.
func (s *scheme) at(ns int64) int64 {
	switch {
	case ns == future:
		return s.end + 1
	case ns < s.epoch:
		return -1
	}
	return int64(uint64(ns-s.epoch) / uint64(s.layout.Tick)) // the span may exceed an int64
}

// ticks returns how many whole ticks a span has, and places how many ids a tick.
func (s *scheme) ticks(d int64) int64 { return d / s.length() }
func (s *scheme) places() int64       { return 1 << s.layout.SequenceBits }

// newLane returns a lane that begins after the time given.
func (f *naive) newLane(s *scheme) naiveLane {
	l := naiveLane{last: -1, used: s.places()}
	if s.kind == snowflake && !f.after.IsZero() {
		l.last = min(max(s.at(nanos(f.after)), -1), s.end)
	}
	return l
}

// take gives the next id of a lane, or says why there is none.
func (f *naive) take(s *scheme, l *naiveLane) (wait int64, err error) {
	maxAhead := orDefault(f.maxAhead, 10*time.Millisecond)
	shown, passed := nanos(f.now()), int64(time.Since(f.began))
	t := max(s.at(shown), 0)
	told := t <= s.end
	step := shown - l.shown
	l.shown = shown
	if !told {
		if l.last < 0 {
			return 0, ids.ErrRange
		}
		t = l.last
	}
	debt := max(l.paid-passed, 0)
	if f.wrong == "a clock that is set back by MaxAhead grants it" && step <= -maxAhead ||
		f.wrong == "a step of a coarse clock grants it" && step >= 4e7 && step < 1e8 {
		debt = 0
	}
	last, used := l.last, l.used+1
	if t > last {
		last, used = t, 1
	}
	if used > s.places() {
		last, used = last+1, 1
		cost := min(s.length(), longest+maxAhead)
		if last-t > s.ticks(maxAhead) && f.wrong != "ticks far ahead cost no more" {
			cost *= 2
		}
		debt = min(debt+cost, longest+maxAhead)
	}
	if last > s.end {
		return 0, ids.ErrRange
	}
	f.mu.Lock()
	suspended := f.bound && s.start(last) > nanos(f.limited)
	if f.wrong == "a limit within a tick withholds it" {
		suspended = f.bound && s.start(last+1) > nanos(f.limited)
	}
	f.mu.Unlock()
	if suspended {
		if f.wrong == "a suspended call takes an id" {
			l.used++
		}
		if f.ended {
			return 0, ids.ErrEnded
		}
		return 0, ids.ErrSuspended
	}
	l.last, l.used, l.paid = last, used, passed+debt
	if t := toTime(s.start(last), time.UTC); t.After(f.highest) {
		f.highest = t
	}
	wait = debt - maxAhead
	over := last - t - s.ticks(maxAhead)
	if f.wrong == "a step back of more than 292 years is waited for" && times(last-t, s.length()) == math.MaxInt64 {
		return longest, nil
	}
	switch {
	case wait <= 0, told && over <= 0, !told && f.wrong == "a reading past the end ends all waits":
		return 0, nil
	case told:
		wait = min(wait, times(over, s.length()))
	}
	wait = max(wait, rounding)
	if f.wrong == "a wait grants more than its length" {
		l.paid = 0
	}
	return wait, nil
}

func (f *naive) lane(stream int) (*scheme, *naiveLane) {
	s := &f.schemes[stream]
	if f.wrong == "layouts that pack alike have lanes of their own" {
		return s, &f.lanes[stream]
	}
	return s, &f.lanes[s.lane]
}

func (s *scheme) compose(l *naiveLane, number int64) key {
	n := number & (1<<s.layout.NodeBits - 1)
	if s.layout.NodeLast {
		n |= (l.used - 1) << s.layout.NodeBits
	} else {
		n = n<<s.layout.SequenceBits | (l.used - 1)
	}
	return key{lo: uint64(l.last<<(s.layout.NodeBits+s.layout.SequenceBits) | n)}
}

func (f *naive) next(stream int) key {
	s, l := f.lane(stream)
	if s.kind != snowflake {
		return f.process.next(stream)
	}
	for {
		wait, err := f.take(s, l)
		switch err {
		case nil:
			x := s.compose(l, f.number)
			time.Sleep(time.Duration(wait))
			return x
		case ids.ErrSuspended:
			f.mu.Lock()
			f.lifted.Wait()
			f.mu.Unlock()
		default:
			panic(err)
		}
	}
}

func (f *naive) run(stream int, dst []key, n int) []key {
	if f.schemes[stream].kind != snowflake {
		return f.process.run(stream, dst, n)
	}
	s, l := f.lane(stream)
	for i := range n {
		if f.wrong == "a run waits only once" && i > 0 {
			if wait, err := f.take(s, l); err == nil {
				dst = append(dst, s.compose(l, f.number))
				if i == n-1 {
					time.Sleep(time.Duration(wait))
				}
				continue
			}
		}
		dst = append(dst, f.next(stream))
	}
	return dst
}

func (f *naive) try(stream int) (key, error) {
	s, l := f.lane(stream)
	before, highest := *l, f.highest
	wait, err := f.take(s, l)
	t := s.at(l.shown)
	if f.wrong == "an attempt before the epoch is one of a clock set back" && t < 0 && before.last > 0 {
		*l, f.highest = before, highest
		return key{}, ids.ErrClockBackward
	}
	lead := l.last - max(t, 0) - s.ticks(orDefault(f.maxAhead, 10*time.Millisecond))
	switch {
	case err != nil:
		return key{}, err
	case wait == 0 && (lead <= 0 || t > s.end):
		return s.compose(l, f.number), nil
	}
	debt := before.paid - int64(time.Since(f.began))
	lag := before.last - max(t, 0) - max(debt, 0)/s.length() - s.ticks(orDefault(f.maxAhead, 10*time.Millisecond))
	*l, f.highest = before, highest
	if t <= s.end && (wait == 0 || lag > 0) && f.wrong != "an attempt says exhausted where the clock was set back" {
		return key{}, ids.ErrClockBackward
	}
	return key{}, ids.ErrExhausted
}

func (f *naive) latest() time.Time {
	if t := f.process.latest(); t.After(f.highest) {
		return t
	}
	return f.highest
}

func (f *naive) horizon(d time.Duration) time.Time {
	t := f.now().Add(d)
	if u := f.latest(); !u.IsZero() && u.Add(d/100).After(t) {
		t = u.Add(d / 100)
	}
	if f.bound && f.limited.After(t) {
		t = f.limited
	}
	return t
}

func (f *naive) limit(t time.Time) {
	f.mu.Lock()
	if !f.ended {
		f.limited, f.bound = t, true
	}
	f.mu.Unlock()
	f.process.limit(t)
	f.lifted.Broadcast()
}

// end is for the last attempts of a process.
func (f *naive) end(t time.Time) {
	if f.bound && f.limited.Before(t) {
		t = f.limited
	}
	f.limited, f.bound, f.ended = t, true, true
	f.process.end(t)
}

func (f *naive) renumber(node [6]byte, number int64) {
	f.process.renumber(node, number)
	f.number = number
	for i := range f.lanes {
		if s := &f.schemes[i]; s.kind == snowflake && s.layout.NodeBits > 0 {
			f.lanes[i] = f.newLane(s)
		}
	}
}
