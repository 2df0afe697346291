package clockfile_test

// Files that are replaced, put back or cannot be checked.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// twice lets the process of f generate an ID every ms and calls act after the given time. Then
// another process opens the file at the name and also generates IDs, for 1.5 s. twice returns the
// number of IDs that both processes have generated, and the number that each of them has generated.
// twice does not close f, but act can.
func twice(t *testing.T, f *clockfile.File, after time.Duration, act func(), open func() (*clockfile.File, error)) (both, first, second int) {
	t.Helper()
	var made [2]map[ids.Snowflake]bool
	var minting sync.WaitGroup
	mint := func(i int, f *clockfile.File, d time.Duration) {
		made[i] = map[ids.Snowflake]bool{}
		n := mustNodeOf(t, f.Clock(), oneInATick)
		minting.Go(func() {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if s, err := n.TryNext(); err == nil {
					made[i][s] = true
				}
			}
		})
	}
	mint(0, f, after+3*time.Second)
	time.Sleep(after)
	act()
	g, err := open()
	must(t, err)
	mint(1, g, 1500*time.Millisecond)
	minting.Wait()
	must(t, g.Close())
	for s := range made[1] {
		if made[0][s] {
			both++
		}
	}
	return both, len(made[0]), len(made[1])
}

// TestReplaced puts another file in the place of one that is open, and another process opens it
// immediately. Meanwhile, the checks of the first process work, fail, hang or are late, before or
// after they look up the name, whatever else that process does. No ID is generated twice.
func TestReplaced(t *testing.T) {
	t.Parallel()
	acts := map[string]func(m *memory, older *inode){
		"an older one":  func(m *memory, older *inode) { m.names[path], m.kept[path] = older, older },
		"one made anew": func(m *memory, _ *inode) { delete(m.names, path) },
	}
	// The argument first is true for the first check since the file was replaced.
	type plan func(since time.Duration, first bool) error
	late := func(d time.Duration) plan {
		return func(time.Duration, bool) error { time.Sleep(d); return nil }
	}
	once := func(_ time.Duration, first bool) error {
		if first {
			time.Sleep(8 * time.Second)
		}
		return nil
	}
	looks := map[string]struct{ look, answer plan }{
		"work":              {nil, nil},
		"are 0.35 s late":   {late(350 * time.Millisecond), nil},
		"are 0.95 s late":   {late(950 * time.Millisecond), nil},
		"answer 0.5 s late": {nil, late(500 * time.Millisecond)},
		"answer 0.9 s late": {nil, late(900 * time.Millisecond)},
		"answer 3 s late":   {nil, late(3 * time.Second)},
		"answer 0.9 s late, and then 3 s": {nil, func(since time.Duration, _ bool) error {
			if since < 0 {
				time.Sleep(900 * time.Millisecond)
			} else {
				time.Sleep(3 * time.Second)
			}
			return nil
		}},
		"fail": {func(since time.Duration, _ bool) error {
			if since >= 0 && since < 10*time.Second {
				return errFault
			}
			return nil
		}, nil},
		"fail once": {func(_ time.Duration, first bool) error {
			if first {
				return errFault
			}
			return nil
		}, nil},
		"hang once":   {once, nil},
		"answer once": {nil, once},
		"hang": {func(since time.Duration, _ bool) error {
			if since >= 0 {
				time.Sleep(10*time.Second - since)
			}
			return nil
		}, nil},
	}
	const never = -time.Millisecond
	for act, replace := range acts {
		for name, l := range looks {
			t.Run(act+", looks "+name, func(t *testing.T) {
				t.Parallel()
				// With the first Window, there is a save every 100 ms. With the second, there is
				// none.
				for _, window := range []time.Duration{200 * time.Millisecond, 10 * time.Second} {
					if testing.Short() && window < time.Second {
						continue
					}
					// The file is replaced this long after Open.
					for _, after := range []time.Duration{1000 * time.Millisecond, 1001 * time.Millisecond, 1099 * time.Millisecond} {
						for _, closes := range []time.Duration{never, 99 * time.Millisecond, 450 * time.Millisecond, 950 * time.Millisecond} {
							bubble(t, func(t *testing.T) {
								w := newWorld()
								opts := &clockfile.Options{Window: window, ClockOptions: &ids.ClockOptions{Now: w.wall.now}}
								first, second := &process{memory: w.memory}, &process{memory: w.memory}
								f, err := w.open(first, opts)
								must(t, err)
								w.put(t, path+".old", w.wall.now())
								older := w.names[path+".old"]
								var began time.Time
								looked := false
								follow := func(p plan) error {
									if p == nil {
										return nil
									}
									w.mu.Lock()
									since := time.Duration(-1)
									now := !looked && !began.IsZero()
									if !began.IsZero() {
										looked, since = true, time.Since(began)
									}
									w.mu.Unlock()
									return p(since, now)
								}
								first.mu.Lock()
								first.onCheck, first.onAnswer = func() error { return follow(l.look) }, func() { follow(l.answer) }
								first.mu.Unlock()
								closed := make(chan error, 1)
								both, n, m := twice(t, f, after, func() {
									w.mu.Lock()
									defer w.mu.Unlock()
									replace(w.memory, older)
									began, w.taken = time.Now(), true
									if closes != never {
										time.AfterFunc(closes, func() { closed <- f.Close() })
									}
								}, func() (*clockfile.File, error) { return w.open(second, opts) })
								what := fmt.Sprintf("Window %v, after %v, closed %v later", window, after, closes)
								if both > 0 || n < 200 || m < 1490 {
									t.Errorf("%s: %d of %d and %d ids come twice", what, both, n, m)
								}
								if closes == never {
									closed <- f.Close()
								}
								if err := <-closed; !errors.Is(err, clockfile.ErrLost) && !errors.Is(err, errFault) && !errors.Is(err, os.ErrDeadlineExceeded) {
									t.Errorf("%s: Close returns %v", what, err)
								}
								time.Sleep(time.Minute) // past everything that may hang
							})
						}
					}
				}
			})
		}
	}
}

// TestPutBack makes checks fail or hang while another file is at the path of one that is open, and
// another process generates IDs with that other file, until the first file is put back. The first
// process generates IDs again only after the other process, which may notice the change late, has
// stopped.
func TestPutBack(t *testing.T) {
	blind := map[string]func() error{
		"fail": func() error { return errFault },
		"hang": func() error { time.Sleep(5 * time.Second); return nil },
	}
	for name, look := range blind {
		for _, knows := range []time.Duration{0, 900 * time.Millisecond} {
			// The first file is put back this long after a check.
			for late := time.Duration(0); late < 100*time.Millisecond; late += 9 * time.Millisecond {
				bubble(t, func(t *testing.T) {
					what := fmt.Sprintf("looks %s, put back %v later, answers %v late", name, late, knows)
					w := newWorld()
					opts := &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: w.wall.now}}
					first, second := &process{memory: w.memory}, &process{memory: w.memory}
					f, err := w.open(first, opts)
					must(t, err)
					w.put(t, path+".old", w.wall.now())
					w.mint(t, f, time.Millisecond)
					first.setCheck(look)
					time.Sleep(1100 * time.Millisecond)
					w.mu.Lock()
					own, until := w.names[path], w.issuedTo
					w.names[path], w.taken = w.names[path+".old"], true
					w.mu.Unlock()
					g, err := w.open(second, opts)
					must(t, err)
					w.mint(t, g, time.Millisecond)
					second.mu.Lock()
					second.onAnswer = func() { time.Sleep(knows) }
					second.mu.Unlock()
					time.Sleep(2*time.Second + late)
					w.mu.Lock()
					if w.issuedTo.Sub(until) < 3*time.Second {
						w.fail("no ids while the other file is there")
					}
					w.names[path] = own
					w.mu.Unlock()
					first.setCheck(nil)
					count := func() int {
						w.mu.Lock()
						defer w.mu.Unlock()
						return len(w.issued)
					}
					time.Sleep(1300 * time.Millisecond)
					// The last of the hanging checks returns up to 5 s later, and its result is
					// then too old.
					if name == "hang" {
						time.Sleep(5 * time.Second)
					}
					n := -count()
					time.Sleep(time.Second)
					n += count()
					if err := f.Close(); n < 900 || err != nil || !errors.Is(g.Close(), clockfile.ErrLost) {
						t.Errorf("%s: %d ids in a second; Close returns %v and %v", what, n, err, g.Close())
					}
					w.after.Wait()
					w.check(t, what)
				})
			}
		}
	}
}

// TestFailThenHang is like TestPutBack, but checks fail and then hang until the first file is back,
// and the other process notices the change late. A failed check is not a valid result, so the
// quarantine begins when a check succeeds.
func TestFailThenHang(t *testing.T) {
	for hung := 100 * time.Millisecond; hung <= 1500*time.Millisecond; hung += 100 * time.Millisecond {
		bubble(t, func(t *testing.T) {
			what := fmt.Sprintf("checks hang for %v", hung)
			w := newWorld()
			opts := &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: w.wall.now}}
			first, second := &process{memory: w.memory}, &process{memory: w.memory}
			f, err := w.open(first, opts)
			must(t, err)
			w.put(t, path+".old", w.wall.now())
			own, other := w.names[path], w.names[path+".old"]
			w.mint(t, f, time.Millisecond)
			first.setCheck(func() error { return errFault })
			time.Sleep(150 * time.Millisecond)
			w.replace(other)
			g, err := w.open(second, opts)
			must(t, err)
			w.mint(t, g, time.Millisecond)
			time.Sleep(time.Second)
			until := time.Now().Add(hung)
			first.setCheck(func() error { time.Sleep(time.Until(until)); return nil })
			time.Sleep(hung - time.Millisecond)
			second.mu.Lock()
			second.onAnswer = func() { time.Sleep(980 * time.Millisecond) }
			second.mu.Unlock()
			w.replace(own)
			time.Sleep(4 * time.Second)
			if err := f.Close(); err != nil || !errors.Is(g.Close(), clockfile.ErrLost) {
				t.Errorf("%s: Close returns %v and %v", what, err, g.Close())
			}
			w.after.Wait()
			w.check(t, what)
		})
	}
}

// TestReplacedBehindLatest is like TestReplaced, but the IDs are behind the clock's latest ID,
// because the wall clock was set back. The time of the latest ID must not decide for how long a
// check is valid.
func TestReplacedBehindLatest(t *testing.T) {
	for _, behind := range []time.Duration{time.Second, time.Minute} {
		bubble(t, func(t *testing.T) {
			w := newWorld()
			opts := &clockfile.Options{Window: 2 * time.Minute, ClockOptions: &ids.ClockOptions{Now: w.wall.now}}
			first, second := &process{memory: w.memory}, &process{memory: w.memory}
			f, err := w.open(first, opts)
			must(t, err)
			mustNodeOf(t, f.Clock(), ids.SonyflakeLayout()).Next()
			w.wall.step(-behind)
			w.put(t, path+".old", w.wall.now())
			older := w.names[path+".old"]
			both, n, m := twice(t, f, 1050*time.Millisecond, func() {
				first.setCheck(func() error { time.Sleep(time.Minute); return nil })
				w.replace(older)
			}, func() (*clockfile.File, error) { return w.open(second, opts) })
			if both > 0 || n < 1950 || m < 1490 {
				t.Errorf("%v behind: %d of %d and %d ids come twice", behind, both, n, m)
			}
			f.Close()
			time.Sleep(time.Minute) // past everything that may hang
		})
	}
}

// TestUnseen makes checks fail or hang, and then work again. IDs are withheld from then on or, if
// checks hang, from a second later. They are withheld until another process that may have opened a
// different file in the meantime has noticed the change. Each change is reported once.
func TestUnseen(t *testing.T) {
	for name, test := range map[string]struct {
		within time.Duration // time until IDs are withheld
		cause  error
	}{"fail": {100 * time.Millisecond, errFault}, "hang": {time.Second, os.ErrDeadlineExceeded}} {
		var told []clockfile.Status
		inBubble(t, clockfile.Options{Report: func(s clockfile.Status) { told = append(told, s) }}, 0, func(b *bench) {
			last, horizon := b.node.Next(), b.file.Status().Horizon
			time.Sleep(time.Millisecond)
			works := make(chan struct{})
			b.setCheck(func() error {
				if name == "hang" {
					<-works
					return nil
				}
				return errFault
			})
			began := time.Now()
			for s, err := b.node.TryNext(); ; s, err = b.node.TryNext() {
				if err != nil {
					if !errors.Is(err, ids.ErrWithheld) || !errors.Is(err, test.cause) || !strings.Contains(err.Error(), "clockfile: "+path+": cannot be checked: ") {
						b.Errorf("looks %s: %v", name, err)
					}
					break
				}
				last = s
				time.Sleep(time.Millisecond)
			}
			if took := time.Since(began) - test.within; took > 2*time.Millisecond || took < -2*time.Millisecond {
				b.Errorf("looks %s: ids are withheld after %v", name, took)
			}
			synctest.Wait()
			if s := b.file.Status(); len(told) != 1 || !errors.Is(s.Err, test.cause) || !s.Horizon.IsZero() || told[0].String() != s.Err.Error()+"; no IDs until a check succeeds" {
				b.Fatalf("looks %s: told %v; the status is %v", name, told, s)
			}
			var returned atomic.Int64
			for _, call := range []func(){func() { b.node.Next() }, func() { b.gen.NewV1() }} {
				go func() {
					if !ended(call) {
						returned.Add(1)
					}
				}()
			}
			ops, _ := b.counts()
			before := runtime.NumGoroutine()
			time.Sleep(time.Minute) // until long after the horizon
			if after, _ := b.counts(); after != ops {
				b.Errorf("looks %s: %d operations of saves", name, after-ops)
			}
			if more := runtime.NumGoroutine() - before; more > 10 {
				b.Errorf("looks %s: %d goroutines more", name, more)
			}
			b.setCheck(nil)
			close(works)
			time.Sleep(time.Second)
			synctest.Wait()
			if n := returned.Load(); n != 0 {
				b.Errorf("looks work for a second: %d of 2 calls that waited have returned", n)
			}
			time.Sleep(300 * time.Millisecond) // long enough for a check and a save
			synctest.Wait()
			if n := returned.Load(); n != 2 {
				b.Errorf("looks work: %d of 2 calls that waited have returned", n)
			}
			if s := b.file.Status(); len(told) != 1 || s.Err != nil || !s.Horizon.After(horizon) {
				b.Errorf("looks work: told %v; the status is %v", told, s)
			}
			if s, err := b.node.TryNext(); err != nil || s <= last {
				b.Errorf("looks work: %d, %v after %d", s, err, last)
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if len(told) != 2 || told[1].Err != nil {
				b.Errorf("looks have worked for a while: told %v", told)
			}
		})
	}
}

// TestCauseStays makes checks fail for 2 s, and polls the status until IDs are back. The error of
// these checks remains the cause, although no check has succeeded for a second.
func TestCauseStays(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		b.setCheck(func() error { return errFault })
		time.AfterFunc(2050*time.Millisecond, func() { b.setCheck(nil) })
		time.Sleep(150 * time.Millisecond)
		for range 2900 { // ms, until the quarantine is almost over
			if err := b.file.Status().Err; !errors.Is(err, errFault) {
				b.Fatalf("the status has %v", err)
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		must(b.T, b.file.Status().Err)
	})
}

// TestUnseenAgain makes a check fail while IDs are withheld because of an earlier one. The
// quarantine begins again.
func TestUnseenAgain(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		var fails atomic.Bool
		b.setCheck(func() error {
			if fails.Swap(false) {
				return errFault
			}
			return nil
		})
		time.Sleep(50 * time.Millisecond)
		fails.Store(true) // at 100 ms
		time.Sleep(600 * time.Millisecond)
		fails.Store(true) // at 700 ms
		time.Sleep(1100 * time.Millisecond)
		if _, err := b.node.TryNext(); !errors.Is(err, errFault) {
			b.Errorf("1.05 s after the latest look that failed: %v", err)
		}
		time.Sleep(100 * time.Millisecond)
		if _, err := b.node.TryNext(); err != nil {
			b.Errorf("1.15 s after the latest look that failed: %v", err)
		}
	})
}

// TestLateLooks makes checks slow, as when other goroutines compute, before or after they look up
// the name. IDs are generated without a gap as long as a check returns in time. There are no IDs
// while each result is a second old.
func TestLateLooks(t *testing.T) {
	for late, want := range map[time.Duration][2]int{ // minimum and maximum percentage with an ID
		600 * time.Millisecond: {100, 100}, 850 * time.Millisecond: {100, 100}, 950 * time.Millisecond: {45, 55}, 1050 * time.Millisecond: {0, 0},
	} {
		for _, answer := range []bool{false, true} {
			inBubble(t, clockfile.Options{}, 0, func(b *bench) {
				b.mu.Lock()
				b.onCheck = func() error {
					if !answer {
						time.Sleep(late)
					}
					return nil
				}
				b.onAnswer = func() {
					if answer {
						time.Sleep(late)
					}
				}
				b.mu.Unlock()
				time.Sleep(5 * time.Second)
				n := 0
				for range 10_000 {
					if _, err := b.node.TryNext(); err == nil {
						n++
					}
					time.Sleep(time.Millisecond)
				}
				if n < 100*want[0] || n > 100*want[1] {
					b.Errorf("looks are %v late: %d of 10,000 calls have an id", late, n)
				}
			})
		}
	}
}

// TestSaveWaitsToBeSeen makes checks so late that one is valid for a tenth of the time, and hardly
// ever when a save is due. The save begins as soon as a check is valid.
func TestSaveWaitsToBeSeen(t *testing.T) {
	// Each save is due at a different moment between two checks.
	const window = 10100 * time.Millisecond
	inBubble(t, clockfile.Options{Window: window}, 0, func(b *bench) {
		b.setCheck(func() error { time.Sleep(990 * time.Millisecond); return nil })
		least := window
		for range 600 {
			time.Sleep(100 * time.Millisecond)
			least = min(least, b.horizon(b.T).Sub(b.wall.now()))
		}
		// Half of Window, minus one check of the keeper and one of the save.
		if least < 3500*time.Millisecond {
			b.Errorf("the horizon is %v ahead", least)
		}
	})
}

// TestOneLookHangs lets one check return long after checks that began later. No ID is withheld
// because of it.
func TestOneLookHangs(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		var looks atomic.Int64
		b.mu.Lock()
		b.onAnswer = func() {
			if looks.Add(1) == 5 {
				time.Sleep(5 * time.Second)
			}
		}
		b.mu.Unlock()
		for range 7000 {
			if _, err := b.node.TryNext(); err != nil {
				b.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// TestSlowOpen makes the first save slow. If it takes so long that another process may have opened
// a different file in the meantime, IDs are withheld until that process has noticed the change.
func TestSlowOpen(t *testing.T) {
	for hung, want := range map[time.Duration]bool{900 * time.Millisecond: true, 1200 * time.Millisecond: false} {
		bubble(t, func(t *testing.T) {
			w := newWorld()
			p := &process{memory: w.memory}
			must(t, clockfile.CreateOn(p, path, nil))
			release := make(chan struct{})
			p.failAt(8, hangs, release) // the save's second write
			opened := time.Now()
			time.AfterFunc(1100*time.Millisecond+hung, func() { close(release) })
			f, err := w.open(p, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: w.wall.now}})
			must(t, err)
			if took := time.Since(opened); took != 1100*time.Millisecond+hung {
				t.Errorf("Open takes %v", took)
			}
			n := mustNode(t, f.Clock())
			if _, err := n.TryNext(); (err == nil) != want {
				t.Errorf("the save takes %v: %v", hung, err)
			}
			time.Sleep(time.Second)
			if _, err := n.TryNext(); (err == nil) != want {
				t.Errorf("the save takes %v, a second later: %v", hung, err)
			}
			time.Sleep(200 * time.Millisecond)
			if _, err := n.TryNext(); err != nil {
				t.Errorf("the save takes %v, later: %v", hung, err)
			}
			must(t, f.Close())
		})
	}
}

// TestReplacedWhileOpening puts another file in the place of the one that Open is opening, at each
// moment. Open may return the first file only if the change was too late for its last check, and
// never a file that it has found to be lost.
func TestReplacedWhileOpening(t *testing.T) {
	const slow = 150 * time.Millisecond // duration of an operation
	lost := 0
	for at := slow + time.Millisecond; at < 4*time.Second; at += 50 * time.Millisecond {
		for _, back := range []time.Duration{time.Hour, 120 * time.Millisecond} {
			bubble(t, func(t *testing.T) {
				w := newWorld()
				w.taken = true
				w.put(t, path, w.wall.now())
				w.put(t, path+".old", w.wall.now())
				own := w.names[path]
				p := &process{memory: w.memory, slow: slow}
				put := func(i *inode) func() {
					return func() {
						w.mu.Lock()
						defer w.mu.Unlock()
						w.names[path] = i
					}
				}
				began := time.Now()
				time.AfterFunc(at, put(w.names[path+".old"]))
				time.AfterFunc(at+back, put(own))
				f, err := clockfile.OpenOn(p, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: w.wall.now}})
				if err == nil {
					if ago := time.Since(began) - at; ago > 0 && back == time.Hour {
						t.Errorf("replaced after %v: Open returns a file %v later", at, ago)
					}
					if clockfile.IsClosed(f.Lost()) {
						t.Errorf("replaced after %v, for %v: Open returns a file that is lost", at, back)
					}
					f.Close()
				} else if lost++; !errors.Is(err, clockfile.ErrLost) {
					t.Errorf("replaced after %v: %v", at, err)
				}
				time.Sleep(2 * time.Hour)
			})
		}
	}
	if lost < 50 {
		t.Errorf("so few losses: %d", lost)
	}
}

// setCheck sets a function to be called before each of the process's checks.
func (p *process) setCheck(look func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onCheck = look
}

// TestUnseenAndUnsaved makes saves and checks fail, and then work again. Report is called for each
// change, in the order of the changes.
func TestUnseenAndUnsaved(t *testing.T) {
	var told []string
	report := func(s clockfile.Status) {
		switch {
		case s.Err == nil:
			told = append(told, "well")
		case s.Horizon.IsZero():
			told = append(told, "unseen")
		default:
			told = append(told, "unsaved")
		}
	}
	inBubble(t, clockfile.Options{Report: report}, 0, func(b *bench) {
		time.Sleep(time.Millisecond)
		blind := func() error { return errFault }
		for _, change := range []func(){
			func() { b.setPlan(fails) }, func() { b.setCheck(blind) }, func() { b.setCheck(nil) }, func() { b.setPlan(works) },
			func() { b.setCheck(blind) }, func() { b.setPlan(fails) }, func() { b.setCheck(nil) }, func() { b.setPlan(works) },
		} {
			change()
			time.Sleep(8 * time.Second)
			synctest.Wait()
		}
		if got := strings.Join(told, " "); got != "unsaved unseen unsaved well unseen unsaved well" {
			b.Errorf("told: %s", got)
		}
	})
}

// TestReportDoesNotFlap lets IDs be withheld and return again and again, because checks are late or
// saves fail. Report is called once, and once more when all has been well for 5 s.
func TestReportDoesNotFlap(t *testing.T) {
	// With the shorter Window of saves, IDs are withheld immediately.
	for name, trouble := range map[string]func(b *bench){
		"looks are late": func(b *bench) {
			b.setCheck(func() error { time.Sleep(950 * time.Millisecond); return nil })
			time.Sleep(time.Minute)
			b.setCheck(nil)
		},
		"looks fail": func(b *bench) {
			for range 20 {
				b.setCheck(func() error { return errFault })
				time.Sleep(500 * time.Millisecond)
				b.setCheck(nil)
				time.Sleep(3500 * time.Millisecond)
			}
		},
		"saves fail": func(b *bench) {
			for range 20 {
				b.setPlan(fails)
				time.Sleep(time.Second)
				b.setPlan(works)
				time.Sleep(3 * time.Second)
			}
		},
		"saves fail, and then looks": func(b *bench) {
			for range 20 {
				b.setPlan(fails)
				time.Sleep(time.Second)
				b.setCheck(func() error { return errFault })
				time.Sleep(time.Second)
				b.setPlan(works)
				b.setCheck(nil)
				time.Sleep(3 * time.Second)
			}
		},
	} {
		var mu sync.Mutex
		var told []string
		withheld := 0
		report := func(s clockfile.Status) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, s.String())
		}
		window := time.Duration(0)
		if strings.HasPrefix(name, "saves") {
			window = 200 * time.Millisecond
		}
		inBubble(t, clockfile.Options{Window: window, Report: report}, 0, func(b *bench) {
			ctx, cancel := context.WithCancel(b.Context())
			go func() {
				for was := false; ctx.Err() == nil; time.Sleep(time.Millisecond) {
					_, err := b.node.TryNext()
					if err != nil && !was {
						withheld++
					}
					was = err != nil
				}
			}()
			trouble(b)
			cancel()
			synctest.Wait()
			mu.Lock()
			first := len(told)
			mu.Unlock()
			time.Sleep(7 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			if want := 1 + strings.Count(name, "and"); withheld < 15 || first != want || len(told) != want+1 || !strings.Contains(told[first], "saving works") {
				b.Errorf("%s: ids are withheld %d times, and Report is told %q", name, withheld, told)
			}
		})
	}
}

// TestReportsDoNotOverlap lets the file be lost while a call of Report for failed saves is running.
// The loss is reported afterwards.
func TestReportsDoNotOverlap(t *testing.T) {
	var running, calls, most atomic.Int64
	report := func(clockfile.Status) {
		calls.Add(1)
		most.Store(max(most.Load(), running.Add(1)))
		time.Sleep(20 * time.Second)
		running.Add(-1)
	}
	inBubble(t, clockfile.Options{Report: report}, 0, func(b *bench) {
		b.setPlan(fails)
		time.Sleep(10 * time.Second)
		b.mu.Lock()
		delete(b.names, path)
		b.mu.Unlock()
		time.Sleep(time.Minute)
		if calls.Load() != 2 || most.Load() != 1 {
			b.Errorf("%d calls of Report, %d at once", calls.Load(), most.Load())
		}
		if err := b.file.Close(); !errors.Is(err, clockfile.ErrLost) {
			b.Errorf("Close: %v", err)
		}
		b.file = nil
	})
}

// TestLostAsSaveIsLate lets the file be lost when a save has just taken half of Window, before the
// keeper has reported that. Only the loss is reported.
func TestLostAsSaveIsLate(t *testing.T) {
	var told []error
	report := func(s clockfile.Status) { told = append(told, s.Err) }
	// Half of it, plus a bit, is not at a tick of the keeper.
	const window = 10*time.Second + 99*time.Nanosecond
	inBubble(t, clockfile.Options{Window: window, Report: report}, 0, func(b *bench) {
		b.mu.Lock()
		b.onAnswer = func() { time.Sleep(time.Millisecond) }
		b.mu.Unlock()
		release := make(chan struct{})
		b.failAt(0, hangs, release)
		time.Sleep(10050 * time.Millisecond) // the save began at 5.1 s
		if len(told) > 0 {
			b.Errorf("told %v before", told)
		}
		b.mu.Lock()
		delete(b.names, path)
		b.mu.Unlock()
		time.Sleep(time.Second)
		close(release)
		if err := b.file.Close(); !errors.Is(err, clockfile.ErrLost) || len(told) != 1 || !errors.Is(told[0], clockfile.ErrLost) {
			b.Errorf("Close: %v; told %v", err, told)
		}
		b.file = nil
	})
}

// TestSaveSees makes one of two checks fail that begin at the same moment, the keeper's check or
// that of a save. After each, IDs are withheld until checks have worked for a while.
func TestSaveSees(t *testing.T) {
	// The first save after Open's: half of Window, and the next tick.
	const begins = 5100 * time.Millisecond
	// The order in which the two begin is not defined.
	for i := range 40 {
		inBubble(t, clockfile.Options{}, 0, func(b *bench) {
			opened, looks, fails := time.Now(), 0, i%2
			b.setCheck(func() error {
				b.mu.Lock()
				defer b.mu.Unlock()
				if time.Since(opened) == begins {
					if looks++; looks == fails+1 {
						return errFault
					}
				}
				return nil
			})
			for at, want := range map[time.Duration]error{begins - 1: nil, begins + 1: errFault, begins + time.Second: errFault, begins + 1300*time.Millisecond: nil} {
				time.AfterFunc(at, func() {
					if _, err := b.node.TryNext(); !errors.Is(err, want) {
						b.Errorf("look %d fails, %v later: %v", fails, at-begins, err)
					}
				})
			}
			time.Sleep(begins + 2*time.Second)
			b.mu.Lock()
			defer b.mu.Unlock()
			// If the first check fails and the keeper receives its result before it starts the
			// save, there is no second check.
			if looks <= fails {
				b.Errorf("look %d fails, but only %d begin at that moment", fails, looks)
			}
		})
	}
}

// TestReportKeepsUp lets checks fail and succeed in turn while Report does not return, each for
// long enough to be reported. No calls pile up, and the next call reports the state after the first
// one.
func TestReportKeepsUp(t *testing.T) {
	release := make(chan struct{})
	var told []error
	report := func(s clockfile.Status) {
		told = append(told, s.Err)
		if len(told) == 1 {
			<-release
		}
	}
	inBubble(t, clockfile.Options{Report: report}, 0, func(b *bench) {
		release = make(chan struct{})
		before := runtime.NumGoroutine()
		for range 30 {
			b.setCheck(func() error { return errFault })
			time.Sleep(time.Second)
			b.setCheck(nil)
			time.Sleep(7 * time.Second)
		}
		if more := runtime.NumGoroutine() - before; more > 10 {
			b.Errorf("%d goroutines more", more)
		}
		close(release)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if len(told) != 2 || !errors.Is(told[0], errFault) || told[1] != nil {
			b.Errorf("told %v", told)
		}
	})
}

// TestUnseenKeepsHorizon makes a check fail. Meanwhile, saves are slow, and the clock is behind,
// except for one reading after which a save seems to be due. When a check succeeds again, IDs are
// generated only up to the horizon in the file.
func TestUnseenKeepsHorizon(t *testing.T) {
	for at := 150 * time.Millisecond; at < 1300*time.Millisecond; at += 100 * time.Millisecond {
		bubble(t, func(t *testing.T) {
			w := newWorld()
			p := &process{memory: w.memory}
			f, err := w.open(p, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: w.wall.now}})
			must(t, err)
			w.mint(t, f, time.Millisecond)
			p.slow = 150 * time.Millisecond
			var looks atomic.Int64
			p.setCheck(func() error {
				if looks.Add(1) == 1 {
					return errFault
				}
				return nil
			})
			time.Sleep(at)
			w.wall.step(-time.Minute)
			w.wall.wrong.Store(1)
			time.Sleep(200 * time.Millisecond)
			w.wall.step(time.Minute)
			time.Sleep(5 * time.Second)
			must(t, f.Close())
			w.after.Wait()
			w.check(t, fmt.Sprint("a horizon seems to be due after ", at))
			if len(w.issued) < 3000 {
				t.Errorf("%d ids", len(w.issued))
			}
		})
	}
}

// TestUnseenAtClose closes a file while checks fail. No more IDs are generated, Close returns the
// error, and the file's horizon covers all IDs. If checks work again by then, Close saves.
func TestUnseenAtClose(t *testing.T) {
	for _, works := range []bool{false, true} {
		inBubble(t, clockfile.Options{}, 0, func(b *bench) {
			last := b.node.Next()
			blind := func() error { return errFault }
			b.setCheck(blind)
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
			time.Sleep(100 * time.Millisecond)
			if works {
				b.setCheck(nil)
			}
			err := b.file.Close()
			if works != (err == nil) || !works && !errors.Is(err, errFault) {
				b.Errorf("looks work %v: Close returns %v", works, err)
			}
			if s, err := b.node.TryNext(); !errors.Is(err, ids.ErrWithheld) {
				b.Errorf("looks work %v: %d, %v after Close", works, s, err)
			}
			if at := b.horizon(b.T); at.Before(timeOf(last)) {
				b.Errorf("looks work %v: the file has %v, before %v", works, at, timeOf(last))
			}
			time.Sleep(time.Second)
			if _, err := b.node.TryNext(); !errors.Is(err, ids.ErrEnded) {
				b.Errorf("looks work %v: %v a second later", works, err)
			}
			b.file = nil
		})
	}
}

// TestLateAtClose closes a file just before its latest check expires. ID generation ends when the
// check expires, although Close would otherwise allow IDs for 100 ms.
func TestLateAtClose(t *testing.T) {
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		opened := time.Now() // just after the latest check
		b.setCheck(func() error { time.Sleep(2*time.Second - time.Since(opened)); return nil })
		for at, want := range map[time.Duration]error{999 * time.Millisecond: nil, 1001 * time.Millisecond: ids.ErrWithheld} {
			time.AfterFunc(at, func() {
				if _, err := b.node.TryNext(); !errors.Is(err, want) {
					b.Errorf("%v after the latest look: %v", at, err)
				}
			})
		}
		time.Sleep(950 * time.Millisecond)
		must(b.T, b.file.Close())
	})
}

// TestUnreadable has copies that cannot be read until they are rewritten. If the other copy is as
// it was written, the next save rewrites the unreadable one. If the contents of the other copy are
// unknown, or it cannot be read either, saving fails.
func TestUnreadable(t *testing.T) {
	for _, bad := range [][]int64{{0}, {clockfile.Second}, {0, clockfile.Second}} {
		var told []error
		inBubble(t, clockfile.Options{Owner: longOwner, Report: func(s clockfile.Status) { told = append(told, s.Err) }}, 0, func(b *bench) {
			before := b.horizon(b.T)
			b.mu.Lock()
			file := b.names[path]
			for _, at := range bad {
				file.bad[at] = true
			}
			b.mu.Unlock()
			time.Sleep(5500 * time.Millisecond)
			synctest.Wait()
			b.mu.Lock()
			clear(file.bad)
			first, second := file.sector(0), file.sector(clockfile.Second/sector)
			b.mu.Unlock()
			neither := len(bad) == 2
			if saved := b.horizon(b.T).After(before); saved == neither || neither != (len(told) == 1) || saved && first != second || !neither && len(b.wrong) > 0 {
				b.Errorf("copies at %v cannot be read: saved: %v, the same: %v; told %v; %v", bad, saved, first == second, told, b.wrong)
			}
		})
	}
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		time.Sleep(50 * time.Millisecond)
		b.failAt(2, fails, nil) // the first write
		b.mu.Lock()
		b.afterOp = func() {
			if b.hit {
				b.names[path].bad[clockfile.Second] = true // the first copy is then unknown
			}
		}
		b.mu.Unlock()
		time.Sleep(6 * time.Second)
		if err := b.file.Status().Err; !errors.Is(err, errFault) {
			b.Errorf("one copy is in doubt and the other cannot be read: %v", err)
		}
		b.mu.Lock()
		b.afterOp = nil
		clear(b.names[path].bad)
		b.mu.Unlock()
	})
}
