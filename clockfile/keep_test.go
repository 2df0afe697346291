package clockfile_test

// Saves, their timing, Close and Report.

import (
	"context"
	"errors"
	"io/fs"
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

// inBubble calls f for a process that has opened its file, and closes the file afterwards. If held
// is not zero, the file already exists, with a horizon that is ahead of the wall clock by held.
func inBubble(t *testing.T, opts clockfile.Options, held time.Duration, f func(b *bench)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		p := &process{memory: newMemory()}
		b := &bench{T: t, process: p, wall: newWallClock()}
		if held == 0 {
			must(t, clockfile.CreateOn(p, path, nil))
		} else {
			p.put(t, path, b.wall.now().Add(held))
		}
		b.start(p, path, opts)
		f(b)
		if b.file != nil { // otherwise, it was closed, with an error
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

// timeOf returns the time in an ID of mustNode's node.
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

// setPlan sets the outcome of all following operations.
func (b *bench) setPlan(o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plan = func(int) outcome { return o }
}

// TestWrongReading makes one call of each kind at the same time, and makes as many readings of the
// clock wrong by an hour. The calls return soon, however far the clock is behind the latest ID, and
// whether horizons can be saved or not.
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
					// Meanwhile, a later horizon is saved, as far ahead as needed.
					time.Sleep(250 * time.Millisecond)
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

// TestFullDiskWakesNobody counts the readings of the clock while no horizon can be saved. Waiting
// calls must not increase their number.
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
	// The ten seconds may begin and end at different moments.
	if reads[0] == 0 || reads[1]-reads[0] > 30 {
		t.Errorf("the clock is read %d times with calls that wait, and %d times without", reads[1], reads[0])
	}
}

// TestFewSaves counts saves. While the clock runs normally, there is one every half of Window.
// While IDs are ahead of the clock, or while saves fail, there is one every hundredth of Window,
// although the keeper checks more often, and none if no IDs are requested. While IDs are withheld,
// a save follows soon.
func TestFewSaves(t *testing.T) {
	const window = 1000 * time.Second
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		_, before := b.counts()
		for range 6000 { // a minute
			b.node.Next()
			time.Sleep(10 * time.Millisecond)
		}
		if _, after := b.counts(); after-before != 22 && after-before != 24 {
			b.Errorf("%d copies are synced in a minute, want 2 every 5 s", after-before)
		}
	})
	inBubble(t, clockfile.Options{Window: window}, time.Hour, func(b *bench) {
		_, before := b.counts()
		time.Sleep(time.Minute)
		_, idle := b.counts()
		for range 1000 {
			for range 4 { // the IDs of a tick
				b.gen.NewV6()
			}
			time.Sleep(100 * time.Millisecond)
		}
		if _, after := b.counts(); idle != before || after-idle < 18 || after-idle > 22 {
			b.Errorf("%d copies are synced in a minute without ids, and %d in 100 s, want 2 every %v", idle-before, after-idle, window/100)
		}
	})
	inBubble(t, clockfile.Options{Window: window}, 0, func(b *bench) {
		b.setPlan(fails)
		before, _ := b.counts()
		time.Sleep(window - time.Second)
		// Each save reads both copies and then fails.
		if after, _ := b.counts(); after-before < 98 || after-before > 102 {
			b.Errorf("%d copies are read in %v, want 2 every %v", after-before, window/2, window/100)
		}
		time.Sleep(2 * time.Second) // IDs are withheld
		b.setPlan(works)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if _, err := b.node.TryNext(); err != nil {
			b.Errorf("100 ms after the disk works again: %v", err)
		}
	})
}

// TestSavesSoonWhileAhead makes one reading of the clock just before the horizon. Afterwards, IDs
// use up the saved time while the wall clock is far behind it, and then the disk fails. IDs are
// withheld for no longer than if the wall clock were at the horizon.
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

// TestLongTicks generates IDs in layouts with long ticks. The IDs run ahead of the wall clock by
// ten ticks. With a Window that is long enough for these ticks, no call waits longer than the 20 ms
// that the clock itself promises.
func TestLongTicks(t *testing.T) {
	for _, tick := range []time.Duration{10 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, time.Minute} {
		inBubble(t, clockfile.Options{Window: 24 * time.Hour}, 0, func(b *bench) {
			layout := ids.SnowflakeLayout{Epoch: oneInATick.Epoch, Tick: tick, NodeBits: 10, SequenceBits: 2}
			n := mustNodeOf(b.T, b.file.Clock(), layout)
			time.Sleep(1050 * time.Millisecond)
			for i := range 40 { // ten ticks
				called := time.Now()
				n.Next()
				if took := time.Since(called); took > 20*time.Millisecond {
					b.Errorf("tick %v: call %d takes %v", tick, i, took)
				}
			}
		})
	}
}

// TestClose checks that IDs are generated until the end that Close saves, and that later calls fail
// with an error that names the package. A process that is started in the meantime continues within
// 100 ms, however far ahead the horizon was. It repeats no ID, although goroutines of the previous
// process still generate IDs as fast as they can.
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
				got := b.horizon(b.T)
				if load == 0 && !got.Equal(end) || got.Before(end) || got.Sub(end) > 20*time.Millisecond {
					b.Errorf("the file has %v, want %v", got, end)
				}
				if status := old.Status(); !status.Horizon.Equal(got) {
					b.Errorf("the file has %v, the status %v", got, status.Horizon)
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

// TestCloseEndsSoon closes a file while the wall clock is wrong, either in Close's reading or from
// then on. ID generation ends anyway.
func TestCloseEndsSoon(t *testing.T) {
	for name, set := range map[string]func(w *wallClock){
		"is an hour ahead for one reading": func(w *wallClock) { w.wrong.Store(1) },
		"is set back afterwards":           func(w *wallClock) { time.AfterFunc(time.Millisecond, func() { w.step(-time.Hour) }) },
	} {
		inBubble(t, clockfile.Options{}, 0, func(b *bench) {
			b.node.Next()
			time.Sleep(time.Millisecond)
			set(b.wall)
			must(b.T, b.file.Close())
			checkEnds(b.T, name, b.file, fs.ErrClosed)
		})
	}
}

// TestReportOnce lets saving fail, work, fail and lose the file. Report is called once for each of
// these changes, however often a save is retried. Its error is the cause in the errors for withheld
// IDs.
func TestReportOnce(t *testing.T) {
	var told []clockfile.Status
	report := func(s clockfile.Status) { told = append(told, s) }
	inBubble(t, clockfile.Options{Report: report}, 0, func(b *bench) {
		for i, want := range []struct {
			o            outcome
			match, cause error
		}{{fails, ids.ErrWithheld, errFault}, {works, nil, nil}, {fails, ids.ErrWithheld, errFault}, {works, ids.ErrEnded, clockfile.ErrLost}} {
			synctest.Wait() // nothing is saved between the plan and the loss
			b.setPlan(want.o)
			if want.cause == clockfile.ErrLost {
				b.mu.Lock()
				b.names[path+".moved"] = b.names[path]
				delete(b.names, path)
				b.mu.Unlock()
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			says := path + ": saving works, up to 2"
			if want.cause == errFault {
				says = " until a save succeeds"
			}
			if len(told) != i+1 || !errors.Is(told[i].Err, want.cause) || want.cause != clockfile.ErrLost && !strings.Contains(told[i].String(), says) || b.file.Status().String() != told[i].String() && want.cause != nil {
				b.Fatalf("told %v, want %d; the status is %v", told, i+1, b.file.Status())
			}
			ctx, cancel := context.WithTimeout(b.Context(), time.Second)
			defer cancel()
			_, tried := b.node.TryNext()
			_, waited := b.node.NextContext(ctx)
			for _, err := range []error{tried, waited} {
				if !errors.Is(err, want.match) || want.cause != nil && !errors.Is(err, told[i].Err) {
					b.Errorf("told %v, and an id is refused with %v", told[i], err)
				}
			}
			if want.cause != clockfile.ErrLost && !b.file.Status().Horizon.Equal(b.horizon(b.T)) {
				b.Errorf("the status has the horizon %v, the file %v", b.file.Status().Horizon, b.horizon(b.T))
			}
		}
		if err := b.file.Close(); !errors.Is(err, clockfile.ErrLost) || len(told) != 4 {
			b.Errorf("Close: %v, and told %v", err, told)
		}
		b.file = nil
	})
}

// TestFailedSaveIsTriedAgain lets a save fail and sets the wall clock back, so that no horizon is
// needed for an hour. The save is retried anyway, and the status shows when it works.
func TestFailedSaveIsTriedAgain(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		b.setPlan(fails)
		// This is not a multiple of the keeper's step. At a step, the keeper could still find that
		// a save is due.
		time.Sleep(6050 * time.Millisecond)
		if err := b.file.Status().Err; !errors.Is(err, errFault) {
			b.Errorf("the status has %v", err)
		}
		b.wall.step(-time.Hour)
		b.setPlan(works)
		time.Sleep(110 * time.Millisecond)
		synctest.Wait()
		if err := b.file.Status().Err; err != nil {
			b.Errorf("110 ms after the disk works again: %v", err)
		}
	})
}

// TestCloseReports makes each operation of Close fail, including the unlock. Close returns the
// error, which contains the file's name once. A copy that cannot be read causes no error, because
// Close rewrites it.
func TestCloseReports(t *testing.T) {
	for at, failed := 0, true; failed; at++ {
		inBubble(t, clockfile.Options{}, 0, func(b *bench) {
			b.failAt(at, fails, nil)
			err := b.file.Close()
			if b.file, failed = nil, b.hit || b.seen; b.hit != errors.Is(err, errFault) || b.hit && strings.Count(err.Error(), "clockfile: ") != 1 {
				b.Errorf("Close whose operation %d fails returns %v", at, err)
			}
		})
	}
}
