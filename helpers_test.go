package ids_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// A fakeClock is a wall clock that a test sets.
type fakeClock struct {
	mu    sync.Mutex
	t     time.Time
	reads int
}

func (f *fakeClock) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	return f.t
}

func (f *fakeClock) step(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.t = f.t.Add(d)
}

// newNode returns a node.
func newNode(t *testing.T, number int64, opts *ids.SnowflakeOptions) *ids.SnowflakeNode {
	t.Helper()
	n, err := ids.NewSnowflakeNode(number, opts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newFake returns a fake clock, and a generator and a node on a clock that reads it.
func newFake(t *testing.T) (*fakeClock, *ids.Clock, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	return newFakeAt(t, start, time.Time{})
}

// newFakeAt is newFake at a given time, after another.
func newFakeAt(t *testing.T, at, after time.Time) (*fakeClock, *ids.Clock, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f := &fakeClock{t: at}
	c := ids.NewClock(&ids.ClockOptions{Now: f.now, After: after})
	g, n := usersOf(t, c)
	return f, c, g, n
}

// usersOf returns a generator and a node on a clock.
func usersOf(t *testing.T, c *ids.Clock) (*ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, NodeID: [6]byte{1, 2, 3, 4, 5, 6}})
	return g, newNode(t, 7, &ids.SnowflakeOptions{Clock: c})
}

// newUnbounded returns a clock that has a limit, which withholds nothing.
func newUnbounded(opts *ids.ClockOptions) (*ids.Clock, *ids.ClockLimit) {
	c, limit := ids.NewLimitedClock(opts)
	limit.Set(unbounded, nil)
	return c, limit
}

// newLimited is newFake on a clock that has a limit, which withholds nothing.
func newLimited(t *testing.T) (*fakeClock, *ids.Clock, *ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	return newLimitedAt(t, start, time.Time{})
}

// newLimitedAt is newLimited at a given time, after another.
func newLimitedAt(t *testing.T, at, after time.Time) (*fakeClock, *ids.Clock, *ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f, c, limit, g, n := newWithheldAt(t, at, after)
	limit.Set(unbounded, nil)
	return f, c, limit, g, n
}

// newWithheldAt is newFakeAt on a clock that has no first limit yet, and so withholds what has one.
func newWithheldAt(t *testing.T, at, after time.Time) (*fakeClock, *ids.Clock, *ids.ClockLimit, *ids.Generator, *ids.SnowflakeNode) {
	t.Helper()
	f := &fakeClock{t: at}
	c, limit := ids.NewLimitedClock(&ids.ClockOptions{Now: f.now, After: after})
	g, n := usersOf(t, c)
	return f, c, limit, g, n
}

// partsOf returns the fields of a Snowflake of Twitter's layout.
func partsOf(s ids.Snowflake) ids.SnowflakeParts { return ids.TwitterLayout().Split(s) }

// start is where fake clocks begin: a whole second.
var start = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// stopped returns a clock that stands still at t.
func stopped(t time.Time) *ids.Clock {
	return ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return t }})
}

// repeated is a source of one byte.
func repeated(b byte) readerFunc {
	return func(p []byte) (int, error) {
		for i := range p {
			p[i] = b
		}
		return len(p), nil
	}
}

// panicOf returns the error that f panics with.
func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// checkPanic checks that f panics with a message that contains the given text.
func checkPanic(t *testing.T, what, message string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got == nil || !strings.Contains(fmt.Sprint(got), message) {
			t.Errorf("%s panics with %v, want %q", what, got, message)
		}
	}()
	f()
}

// pointer returns a pointer to a copy of v.
func pointer[T any](v T) *T { return &v }

func timeOf(u ids.UUID) time.Time {
	at, _ := u.Time()
	return at
}

// unbounded is a limit that withholds nothing: all formats end before it.
var unbounded = time.Unix(1<<40, 0).UTC()
