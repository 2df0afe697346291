package clockfile_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// A bench is one process in a bubble, with its disk and its wall clock.
type bench struct {
	*testing.T
	*process // nil on the system's disk
	wall     *wallClock
	file     *clockfile.File
	gen      *ids.Generator
	node     *ids.SnowflakeNode
}

// inBubble calls f for a process that has opened its file, and closes that afterwards. If held is not zero, the file is there and
// holds a horizon so far ahead of the wall clock.
func inBubble(t *testing.T, opts clockfile.Options, held time.Duration, f func(b *bench)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		p := &process{memory: newMemory()}
		b := &bench{T: t, process: p, wall: newWallClock()}
		if held == 0 {
			must(t, clockfile.CreateOn(p, path, nil))
		} else {
			must(t, p.put(path, b.wall.now().Add(held)))
		}
		b.start(p, path, opts)
		f(b)
		if b.file != nil { // else it was closed, with an error
			must(t, b.file.Close())
		}
	})
}

// start opens the file.
func (b *bench) start(d clockfile.Disk, path string, opts clockfile.Options) {
	b.Helper()
	opts.ClockOptions = &ids.ClockOptions{Now: b.wall.now}
	var err error
	b.file, err = clockfile.OpenOn(d, path, &opts)
	must(b.T, err)
	b.gen = ids.NewGenerator(&ids.GeneratorOptions{Clock: b.file.Clock()})
	b.node = mustNode(b.T, b.file.Clock())
}

// timeOf returns the time of an id of mustNode's.
func timeOf(s ids.Snowflake) time.Time { return ids.TwitterLayout().Split(s).Time }

func mustNode(t *testing.T, c *ids.Clock) *ids.SnowflakeNode {
	t.Helper()
	return mustNodeOf(t, c, ids.TwitterLayout())
}

func mustNodeOf(t *testing.T, c *ids.Clock, layout ids.SnowflakeLayout) *ids.SnowflakeNode {
	t.Helper()
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c, Layout: layout})
	must(t, err)
	return n
}

// held returns the horizon in the file.
func (b *bench) held() time.Time {
	b.Helper()
	at, err := b.horizon()
	must(b.T, err)
	return at
}

// setPlan changes what happens to the operations that follow.
func (b *bench) setPlan(o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plan = func(int) outcome { return o }
}

// TestFileCoversEveryID moves the clock about, and checks after each id that what is on the disk
// would keep a successor from repeating it, and that the horizon there never goes back.
func TestFileCoversEveryID(t *testing.T) {
	inBubble(t, clockfile.Options{Window: time.Second}, 0, func(b *bench) {
		rnd := rand.New(rand.NewPCG(1, 2))
		var last time.Time
		check := func(name string, at time.Time) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.issuedTo = at
			if err := b.covers(); err != nil {
				b.Fatalf("%s: %v", name, err)
			}
			horizon, _ := b.names[path].worst()
			if horizon.Before(last) {
				b.Fatalf("the file goes back from %v to %v", last, horizon)
			}
			last = horizon
		}
		b.wall.step(-time.Hour) // far behind the horizon, before any id
		for range 3000 {
			switch rnd.IntN(8) {
			case 0:
				b.wall.step(time.Duration(rnd.Int64N(int64(4 * time.Second))))
			case 1:
				b.wall.step(-time.Duration(rnd.Int64N(int64(time.Minute))))
			case 2, 3, 4:
				time.Sleep(time.Duration(rnd.Int64N(int64(100 * time.Millisecond))))
			}
			v1, _ := b.gen.NewV1().Time()
			v6, _ := b.gen.NewV6().Time()
			check("V1", v1)
			check("V6", v6)
			check("Snowflake", timeOf(b.node.Next()))
		}
	})
}

// TestClockSetForward steps past the horizon: ids are withheld until the next look, and no longer.
func TestClockSetForward(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		for range 20 {
			time.Sleep(33 * time.Millisecond)
			b.wall.step(time.Hour)
			if _, err := b.node.TryNext(); !errors.Is(err, ids.ErrWithheld) {
				b.Fatalf("past the horizon: %v", err)
			}
			called := time.Now()
			b.node.Next()
			if took := time.Since(called); took > 100*time.Millisecond {
				b.Errorf("Next takes %v", took)
			}
		}
	})
}

// TestWrongReading has calls of all kinds read a clock that is wrong for each of them once, an hour ahead: they return soon after,
// however far the clock is behind the latest id, and whether horizons can be saved or not.
func TestWrongReading(t *testing.T) {
	for _, window := range []time.Duration{10 * time.Second, 24 * time.Hour} {
		for _, behind := range []time.Duration{0, time.Second, time.Hour, 25 * time.Hour} {
			for _, o := range []outcome{works, fails} {
				inBubble(t, clockfile.Options{Window: window}, 0, func(b *bench) {
					calls := []func(){
						func() { b.node.Next() },
						func() { b.gen.NewV1() },
						func() { b.gen.NewV6() },
						func() { b.node.NextContext(b.Context()) },
					}
					for _, call := range calls {
						call()
					}
					b.wall.step(-behind)
					time.Sleep(250 * time.Millisecond) // a later horizon is saved, as far as need be
					b.setPlan(o)
					time.Sleep(33 * time.Millisecond)
					synctest.Wait()
					b.wall.wrong.Store(int64(len(calls)))
					called := time.Now()
					var wg sync.WaitGroup
					for _, call := range calls {
						wg.Go(call)
					}
					wg.Wait()
					if took := time.Since(called); took > 300*time.Millisecond {
						b.Errorf("Window %v, %v behind, outcome %d: they take %v", window, behind, o, took)
					}
					b.setPlan(works)
				})
			}
		}
	}
}

// TestFullDiskWakesNobody counts how often the clock is read while no horizon can be saved: no more with calls that wait than
// without.
func TestFullDiskWakesNobody(t *testing.T) {
	var reads [2]int64
	for i, waiters := range []int{0, 300} {
		inBubble(t, clockfile.Options{}, 0, func(b *bench) {
			b.setPlan(fails)
			time.Sleep(11 * time.Second)
			var wg sync.WaitGroup
			for range waiters / 2 {
				wg.Go(func() { b.node.Next() })
				wg.Go(func() { b.node.NextContext(b.Context()) })
			}
			synctest.Wait()
			before := b.wall.reads.Load()
			time.Sleep(10 * time.Second)
			reads[i] = b.wall.reads.Load() - before
			b.setPlan(works)
			wg.Wait()
		})
	}
	if reads[0] == 0 || reads[1]-reads[0] > 30 { // where the ten seconds begin and end may differ
		t.Errorf("the clock is read %d times with calls that wait, and %d times without", reads[1], reads[0])
	}
}

// TestFewSaves counts what is saved: every half of the way ahead while the clock runs as it should; every hundredth of Window while
// ids are ahead of it, or while saves fail, although the keeper looks more often, and nothing if no ids are asked for; and soon
// where ids are withheld.
func TestFewSaves(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		before := b.countSyncs()
		for range 6000 { // a minute
			b.node.Next()
			time.Sleep(10 * time.Millisecond)
		}
		if n := b.countSyncs() - before; n != 22 && n != 24 {
			b.Errorf("%d copies are synced in a minute, want 2 every 5 s", n)
		}
	})
	const window = 1000 * time.Second
	inBubble(t, clockfile.Options{Window: window}, time.Hour, func(b *bench) {
		before, held := b.countSyncs(), b.held()
		time.Sleep(time.Minute)
		if b.countSyncs() != before || !b.held().Equal(held) {
			b.Errorf("%d copies are synced in a minute without ids", b.countSyncs()-before)
		}
		for range 1000 {
			for range 4 { // ids of a tick
				b.gen.NewV6()
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := (b.countSyncs() - before) / 2; n < 9 || n > 10 {
			b.Errorf("saved %d times in 100 s, want every %v", n, window/100)
		}
	})
	inBubble(t, clockfile.Options{Window: window}, 0, func(b *bench) {
		b.setPlan(fails)
		before := b.countOps()
		time.Sleep(window - time.Second)
		if n := b.countOps() - before; n < 49 || n > 51 { // each fails at its first operation
			b.Errorf("%d saves are tried in %v, want one every %v", n, window/2, window/100)
		}
		time.Sleep(2 * time.Second)
		if _, err := b.node.TryNext(); !errors.Is(err, ids.ErrWithheld) {
			b.Errorf("past the horizon: %v", err)
		}
		b.setPlan(works)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if _, err := b.node.TryNext(); err != nil {
			b.Errorf("100 ms after the disk works again: %v", err)
		}
	})
}

// TestSavesSoonWhileAhead has a reading just below the horizon, after which ids use up what is saved while the wall clock is
// far before it, and then has the disk fail. Ids are withheld for no longer than if the wall clock were at the horizon.
func TestSavesSoonWhileAhead(t *testing.T) {
	inBubble(t, clockfile.Options{Window: leap + time.Second}, 0, func(b *bench) {
		n := mustNodeOf(b.T, b.file.Clock(), oneInATick)
		b.wall.wrong.Store(1)
		for i := range 3000 {
			if i == 2000 {
				b.setPlan(fails)
				ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
				for err := error(nil); err == nil; {
					_, err = n.NextContext(ctx)
				}
				cancel()
				b.setPlan(works)
			}
			called := time.Now()
			n.Next()
			if took := time.Since(called); took > 120*time.Millisecond {
				b.Errorf("call %d takes %v", i, took)
			}
		}
	})
}

// TestClose checks that ids go on until the end that Close saves, that calls for later ones then fail with words that name the
// package, and that a process which is started meanwhile goes on within 100 ms, however far ahead the horizon was, and repeats
// none, although goroutines of the one before still mint as fast as can be.
func TestClose(t *testing.T) {
	for _, window := range []time.Duration{100 * time.Millisecond, 10 * time.Second, 24 * time.Hour} {
		for load := range 2 {
			inBubble(t, clockfile.Options{Window: window}, 0, func(b *bench) {
				var last ids.Snowflake
				old, node := b.file, b.node
				var minting sync.WaitGroup
				if load > 0 {
					minting.Go(func() {
						ended(func() {
							for {
								last = node.Next()
							}
						})
					})
				}
				time.Sleep(60 * time.Millisecond)
				end := b.wall.now().Add(100 * time.Millisecond)
				if limit := b.file.Status().Horizon; limit.Before(end) {
					end = limit
				}
				must(b.T, old.Close())
				if got := b.held(); load == 0 && !got.Equal(end) || got.Before(end) || got.Sub(end) > 20*time.Millisecond {
					b.Errorf("the file has %v, want %v", got, end)
				}
				for load == 0 && b.wall.now().Before(end) {
					if _, err := b.node.TryNext(); err != nil {
						b.Fatalf("%v before the end: %v", end.Sub(b.wall.now()), err)
					}
					time.Sleep(time.Millisecond)
				}
				b.start(&process{memory: b.memory}, path, clockfile.Options{})
				opened := time.Now()
				first, err := b.node.TryNext()
				for ; err != nil && time.Since(opened) < 100*time.Millisecond; first, err = b.node.TryNext() {
					time.Sleep(time.Millisecond)
				}
				minting.Wait()
				if err != nil || first <= last {
					b.Errorf("Window %v, after %d: %d, %v", window, last, first, err)
				}
				checkEnds(b.T, "closed", old, fs.ErrClosed)
			})
		}
	}
}

// TestTakenAway has somebody rename, link, remove, replace or overwrite the file of a process at each of its operations, and
// another process open what it finds at once. No id is issued twice, and the first process is told, unless nothing changed for
// it.
func TestTakenAway(t *testing.T) {
	const other = path + ".other"
	moved := func(m *memory) { m.names[other] = m.names[path]; delete(m.names, path) }
	for name, test := range map[string]struct {
		act    func(m *memory)
		opens  string // what the second process opens
		create bool
		lost   bool
		locked bool // for as long as the first process lives
	}{
		"renamed": {moved, other, false, true, true},
		"linked":  {func(m *memory) { m.names[other] = m.names[path] }, other, false, false, true},
		"removed": {func(m *memory) { delete(m.names, path) }, path, true, true, false},
		"copied":  {func(m *memory) { c := m.names[path].clone(); m.made++; c.number = m.made; m.names[path] = c }, path, false, true, false},
		"restored": {func(m *memory) {
			moved(m)
			must(t, m.put(path, march.AddDate(3, 0, 0)))
			m.names[path].number += 1 << 32
		}, path, false, true, false},
		"overwritten": {func(m *memory) { m.names[path].write(make([]byte, block), 0) }, path, false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := 2; at < 25; at++ {
				for _, slow := range []time.Duration{0, time.Millisecond, 40 * time.Millisecond} {
					bubble(t, func(t *testing.T) {
						m, wall := newMemory(), newWallClock()
						must(t, m.put(path, wall.now()))
						taken, reported := make(chan struct{}), make(chan error, 10)
						opts := &clockfile.Options{Window: time.Second, ClockOptions: &ids.ClockOptions{Now: wall.now}, Report: func(s clockfile.Status) { reported <- s.Err }}
						first, second := &process{memory: m, slow: slow}, &process{memory: m}
						issued := map[ids.Snowflake]string{}
						live := func(who string, f *clockfile.File) error {
							n := mustNodeOf(t, f.Clock(), oneInATick)
							for range 4000 {
								if s, err := n.TryNext(); err == nil {
									m.mu.Lock()
									if by, twice := issued[s]; twice {
										t.Errorf("at operation %d, slow %v: %s issues %d, as %s did", at, slow, who, s, by)
									}
									issued[s] = who
									m.mu.Unlock()
								}
								time.Sleep(time.Millisecond / 2)
							}
							return f.Close()
						}
						first.plan = func(op int) outcome {
							if op == at {
								test.act(m)
								m.issuedTo = time.Time{} // what is at the name now covers nothing
								close(taken)
							}
							return works
						}
						var wg sync.WaitGroup
						wg.Go(func() {
							f, err := clockfile.OpenOn(first, path, opts)
							if err == nil {
								err = live("the first process", f)
							}
							if err == nil && name == "overwritten" {
								return // a copy that the process was about to write
							}
							if errors.Is(err, clockfile.ErrLost) != test.lost || err != nil && !test.lost {
								t.Errorf("at operation %d, slow %v: the first process has %v", at, slow, err)
							}
						})
						wg.Go(func() {
							<-taken
							if test.create {
								must(t, clockfile.CreateOn(second, test.opens, nil))
							}
							f, err := clockfile.OpenOn(second, test.opens, opts)
							if at > 11 && errors.Is(err, clockfile.ErrLocked) != test.locked {
								t.Errorf("at operation %d: the second process has %v", at, err)
							}
							for ; errors.Is(err, clockfile.ErrLocked); f, err = clockfile.OpenOn(second, test.opens, opts) {
								time.Sleep(time.Millisecond)
							}
							if err == nil {
								err = live("the second process", f)
							}
							if err != nil && !errors.Is(err, clockfile.ErrCorrupt) {
								t.Errorf("at operation %d: the second process has %v", at, err)
							}
						})
						wg.Wait()
					})
					if t.Failed() {
						return
					}
				}
			}
		})
	}
}

// TestReportOnce has saving fail, work, fail and be lost: Report is called once for each, however often a save is tried,
// with the error that refusals have as their cause.
func TestReportOnce(t *testing.T) {
	var told []clockfile.Status
	report := func(s clockfile.Status) { told = append(told, s) }
	inBubble(t, clockfile.Options{Report: report}, 0, func(b *bench) {
		check := func(n int, match, cause error) {
			b.Helper()
			synctest.Wait()
			if len(told) != n || !errors.Is(told[n-1].Err, cause) || !errors.Is(b.file.Status().Err, cause) {
				b.Fatalf("told %v, want %d; the status is %v", told, n, b.file.Status())
			}
			_, err := b.node.TryNext()
			if !errors.Is(err, match) || cause != nil && !errors.Is(err, told[n-1].Err) {
				b.Errorf("told %v, and TryNext returns %v", told[n-1], err)
			}
			if h := b.file.Status().Horizon; cause != clockfile.ErrLost && !h.Equal(b.held()) {
				b.Errorf("the status has the horizon %v, the file %v", h, b.held())
			}
		}
		b.setPlan(fails)
		time.Sleep(time.Minute)
		check(1, ids.ErrWithheld, errFault)
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		if _, err := b.node.NextContext(ctx); !errors.Is(err, ids.ErrWithheld) || !errors.Is(err, errFault) || !errors.Is(err, context.DeadlineExceeded) {
			b.Errorf("NextContext returns %v", err)
		}
		b.setPlan(works)
		time.Sleep(time.Minute)
		check(2, nil, nil)
		b.setPlan(fails)
		time.Sleep(time.Minute)
		check(3, ids.ErrWithheld, errFault)
		b.mu.Lock()
		b.names[path+".moved"] = b.names[path]
		delete(b.names, path)
		b.mu.Unlock()
		b.setPlan(works)
		time.Sleep(time.Hour)
		check(4, ids.ErrEnded, clockfile.ErrLost)
		if err := b.file.Close(); !errors.Is(err, clockfile.ErrLost) || len(told) != 4 {
			b.Errorf("Close: %v, and told %v", err, told)
		}
		if s := b.file.Status(); !errors.Is(s.Err, clockfile.ErrLost) || !errors.Is(s.Err, fs.ErrClosed) || strings.Count(s.Err.Error(), "clockfile: ") != 1 {
			b.Errorf("once closed: %v", s)
		}
		b.file = nil
	})
}

// TestCloseReports has each operation of Close fail, that which unlocks too: Close returns the error, with one name of the
// file.
func TestCloseReports(t *testing.T) {
	for at, failed := 0, true; failed; at++ {
		inBubble(t, clockfile.Options{}, 0, func(b *bench) {
			b.failAt(at, fails, nil)
			err := b.file.Close()
			if b.file, failed = nil, b.hit || b.seen; failed != errors.Is(err, errFault) || failed && strings.Count(err.Error(), "clockfile: ") != 1 {
				b.Errorf("Close whose operation %d fails returns %v", at, err)
			}
			if !failed && at < 7 {
				b.Errorf("Close has %d operations", at)
			}
		})
	}
}

// TestAfter checks that of the After in the options and the time in the file the later one counts,
// and that the options are not changed.
func TestAfter(t *testing.T) {
	held := march.Add(time.Hour)
	for after, want := range map[time.Time]time.Time{{}: held, held.Add(-time.Minute): held, held.Add(time.Minute): held.Add(time.Minute)} {
		bubble(t, func(t *testing.T) {
			m := newMemory()
			must(t, m.put(path, held))
			opts := &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return march }, After: after}}
			f, err := clockfile.OpenOn(&process{memory: m}, path, opts)
			must(t, err)
			if got := f.Clock().Latest(); !got.Equal(want) || opts.ClockOptions.After != after {
				t.Errorf("After is %v, the file holds %v: ids begin after %v; After is now %v", after, held, got, opts.ClockOptions.After)
			}
			must(t, f.Close())
		})
	}
}
