//go:build linux && (amd64 || arm64)

package realclock_test

// The test with a wall clock that is moved under a running process.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/lab/realclock"
)

// A busy machine may stop any thread between any two instructions, for seconds. So nothing is
// judged by its duration. Instead, an ID's time must lie between two readings, and the length of a
// call is counted in naps of another goroutine.
const (
	tolerance = 10 * time.Second      // the library's default
	maxAhead  = 10 * time.Millisecond // the library's default
	maxWait   = 20 * time.Millisecond // the longest wait that the library promises
	blur      = 2 * time.Millisecond  // a tick, plus the age of a reading that the library reuses

	// mostNaps is the maximum number of naps of maxWait that another goroutine can take during a
	// call that waits at most maxWait. That number is one or two, except that a busy machine
	// resumes the two in any order: with eight busy loops, it was 11.
	mostNaps = 50

	variable = "IDS_REALCLOCK_CHILD"
)

// TestMovedClock mints IDs in a process whose wall clock is moved while it runs. The checks also
// detect code that breaks each promise.
func TestMovedClock(t *testing.T) {
	for child, says := range map[string][]string{"library": nil, "naive": {"not unique: ", "not ordered: ", "not live: ", "not true: "}} {
		t.Run(child, func(t *testing.T) {
			t.Parallel()
			output, err := os.Create(filepath.Join(t.TempDir(), "output"))
			if err != nil {
				t.Fatal(err)
			}
			defer output.Close()
			code, err := realclock.Run([]string{os.Args[0], "-test.run=^TestChild$", "-test.v"}, append(os.Environ(), variable+"="+child), output)
			if errors.Is(err, os.ErrPermission) {
				t.Skip("no child can be traced here: ", err)
			}
			// If there is no output, the check of its contents fails.
			text, _ := os.ReadFile(output.Name())
			if want := min(len(says), 1); err != nil || code != want {
				t.Errorf("the child ended with %d, want %d, error %v:\n%.3000s", code, want, err, text)
			}
			for _, want := range append(says, "--- ") {
				if !bytes.Contains(text, []byte(want)) {
					t.Errorf("the child does not say %q:\n%.3000s", want, text)
				}
			}
		})
	}
}

// order is the condition under which the IDs of a scheme ascend.
type order int

const (
	never    order = iota // no order promised; the scheme follows each step back
	tolerant              // ordered unless the clock steps back by more than the tolerance
	always                // ordered whatever the clock does
)

// An id is an ID and the time in it.
type id struct {
	key [16]byte
	at  time.Time
}

// A scheme mints IDs with a call.
type scheme struct {
	name  string
	order order
	mint  func() []id
}

// A child is the process whose clock is moved.
type child struct {
	*testing.T
	schemes []scheme
	began   time.Time
	wall    time.Time    // the wall clock's time, read after began
	naps    atomic.Int64 // number of naps of maxWait by a goroutine that does nothing else
	ended   atomic.Bool

	moves  atomic.Int64    // odd while IDs may still have the time of the previous clock
	turns  atomic.Int64    // number of steps back by more than the tolerance
	highs  [3]atomic.Int64 // by order: highest offset that IDs may have
	rounds [3]atomic.Int64 // by worker
	starts [3]atomic.Int64 // start of its latest call, in ns since began

	mu      sync.Mutex          // guards the fields below
	seen    []map[[16]byte]bool // by scheme
	longest time.Duration       // longest call
}

func TestChild(t *testing.T) {
	c := &child{T: t, began: time.Now()}
	c.wall = time.Now().Round(0)
	switch os.Getenv(variable) {
	case "library":
		c.schemes = ofLibrary()
	case "naive":
		c.schemes = c.naive()
	default:
		return // this test is for a process that TestMovedClock starts
	}
	for range c.schemes {
		c.seen = append(c.seen, map[[16]byte]bool{})
	}
	var all sync.WaitGroup
	for i := range c.rounds {
		all.Go(func() { c.work(i) })
	}
	all.Go(func() {
		for ; !c.ended.Load(); c.naps.Add(1) {
			time.Sleep(maxWait)
		}
	})
	for _, off := range []time.Duration{0, -100 * time.Millisecond, 0, -5 * time.Second, 0, -time.Hour, 2 * time.Hour} {
		c.move(off)
	}
	c.move(-time.Hour - time.Since(c.began)) // the same times again
	c.move(30 * 365 * 24 * time.Hour)
	c.move(-time.Hour - time.Since(c.began))
	c.ended.Store(true)
	all.Wait()
}

// move sets the clock. Then each worker mints some IDs that are judged only by their order, because
// the library may still use an older reading, and then more IDs.
func (c *child) move(off time.Duration) {
	c.moves.Add(1)
	for o := range c.highs {
		high := time.Duration(c.highs[o].Load())
		if order(o) == tolerant && off < high-tolerance {
			c.turns.Add(1)
			high = off
		}
		if order(o) == never {
			high = off
		}
		c.highs[o].Store(int64(max(high, off)))
	}
	realclock.Move(off)
	c.await(2)
	time.Sleep(blur)
	c.moves.Add(1)
	c.await(4)
}

// await waits until each worker has completed the given number of rounds.
func (c *child) await(rounds int64) {
	for i := range c.rounds {
		for until := c.rounds[i].Load() + rounds; c.rounds[i].Load() < until; {
			time.Sleep(time.Millisecond)
		}
	}
}

// work mints IDs of all schemes in turn and judges them.
func (c *child) work(worker int) {
	prev, turns := make([]id, len(c.schemes)), make([]int64, len(c.schemes))
	for ; !c.ended.Load(); c.rounds[worker].Add(1) {
		for i, s := range c.schemes {
			turned, moves, napped := c.turns.Load(), c.moves.Load(), c.naps.Load()
			if moves%2 == 0 {
				turns[i] = turned // the scheme has followed them
			}
			// A pause between two readings makes low earlier and high later.
			now := time.Now().Round(0)
			began := time.Since(c.began)
			c.starts[worker].Store(int64(began))
			low := now.Add(-blur - began)
			oldest := min(c.starts[0].Load(), c.starts[1].Load(), c.starts[2].Load())
			all := s.mint()
			took := time.Since(c.began) - began
			high := c.wall.Add(began + took + time.Duration(c.highs[s.order].Load()) + maxAhead + blur)
			if n := c.naps.Load() - napped; n > mostNaps {
				c.Errorf("not live: %s, in which another goroutine slept %d times for %v", s.name, n, maxWait)
			}
			c.mu.Lock()
			c.longest = max(c.longest, took)
			// Other calls can use a call's reading, even shortly after that call has returned.
			low = low.Add(time.Duration(oldest) - c.longest)
			for k, x := range all {
				if c.seen[i][x.key] {
					c.Errorf("not unique: %s %x", s.name, x.key)
				}
				c.seen[i][x.key] = true
				if s.order != never && bytes.Compare(prev[i].key[:], x.key[:]) >= 0 {
					if k > 0 || s.order == always || turns[i] == c.turns.Load() {
						c.Errorf("not ordered: %s %x, then %x, number %d of its call", s.name, prev[i].key, x.key, k)
					}
					turns[i] = c.turns.Load()
				}
				if moves%2 == 0 && moves == c.moves.Load() && (x.at.Before(low) || x.at.After(high)) {
					c.Errorf("not true: %s has the time %v, between %v and %v", s.name, x.at, low, high)
				}
				prev[i] = x
			}
			c.mu.Unlock()
		}
	}
}

// ofLibrary returns every scheme that contains a time, on the default clock, and runs.
func ofLibrary() []scheme {
	uuids := func(all ...ids.UUID) (list []id) {
		for _, u := range all {
			at, _ := u.Time()
			list = append(list, id{u, at})
		}
		return list
	}
	snowflakes := func(l ids.SnowflakeLayout, all ...ids.Snowflake) (list []id) {
		for _, s := range all {
			list = append(list, id{number(int64(s)), l.Split(s).Time})
		}
		return list
	}
	// A layout whose ticks are soon full, so that calls wait.
	few := ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Millisecond, NodeBits: 4, SequenceBits: 4}
	node, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: few})
	if err != nil {
		panic(err) // cannot happen: the number fits, and the clock is not before 1970
	}
	return []scheme{
		{"V1", never, func() []id { return uuids(ids.NewV1()) }},
		{"V6", tolerant, func() []id { return uuids(ids.NewV6()) }},
		{"V7", tolerant, func() []id { return uuids(ids.NewV7()) }},
		{"run of V7", tolerant, func() []id { return uuids(ids.AppendV7(nil, 500)...) }},
		{"ULID", tolerant, func() []id { u := ids.NewULID(); return []id{{u, u.Time()}} }},
		{"Snowflake", always, func() []id { return snowflakes(ids.TwitterLayout(), ids.NextSnowflake()) }},
		{"run of Snowflake", always, func() []id { return snowflakes(few, node.Append(nil, 40)...) }},
	}
}

func number(v int64) (key [16]byte) {
	binary.BigEndian.PutUint64(key[:], uint64(v))
	return key
}

// naive returns, for each promise, a scheme that breaks it when the clock is moved.
func (c *child) naive() []scheme {
	var serial, waited atomic.Int64
	return []scheme{
		{"by 10 ms", never, func() []id { now := time.Now(); return []id{{number(now.UnixMilli() / 10), now.Round(0)}} }},
		{"by ns", tolerant, func() []id { now := time.Now(); return []id{{number(now.UnixNano()), now.Round(0)}} }},
		{"monotonic", never, func() []id { return []id{{number(serial.Add(1)), c.began.Add(time.Since(c.began))}} }},
		{"waiting", never, func() []id {
			for napped := c.naps.Load(); time.Now().UnixNano() < waited.Load() && c.naps.Load()-napped <= mostNaps; {
				time.Sleep(time.Millisecond)
			}
			waited.Store(time.Now().UnixNano())
			return []id{{number(serial.Add(1)), time.Now().Round(0)}}
		}},
	}
}
