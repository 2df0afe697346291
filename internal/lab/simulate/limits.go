package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

const (
	renewal = int64(10 * time.Second) // how far ahead the horizon is that a program saves, as a rule, in ns
	period  = 100 * time.Millisecond  // after which a call is looked at
)

// renew saves a horizon, and makes it the limit.
func (m *machine) renew(d int64) {
	calls := m.wall.readings
	m.durable = nanos(m.process.limit.NextHorizon(time.Duration(d)))
	m.wall.readings = calls
	m.setLimit(m.durable)
}

func (m *machine) setLimit(t int64) {
	m.limit = t
	m.process.limit.Set(toTime(t), nil)
}

// goOn lets the call in progress go on, whose id the limit withholds.
func (m *machine) goOn(stream int, c *call) {
	c.readings, c.end = m.wall.readings, m.world.run()
	switch j := &m.judges[stream]; {
	case !m.limited, c.withheld == 100:
		m.must(stream, c, problem("live: it waits, after %d limits", c.withheld))
	case c.n == 1 && j.covered(c.last().shown, m.limit):
		m.must(stream, c, problem("live: an id is withheld, where the limit, %s, covers it", clock(m.limit)))
	}
	if c.withheld++; c.withheld == 1 {
		m.world.stats.withheld++
	}
	m.renew(renewal << (3 * min(c.withheld, 9))) // or a call for a tick that is far ahead takes long
}

// crowd has goroutines mint in a loop, percent for each 100 ids in 20 ms, on a clock that runs evenly and is behind ids. If there are
// fewer goroutines than ids, both come together: time in ids passes at half the speed, or as each goroutine gets one in 20 ms.
func (m *machine) crowd(stream, percent int) {
	const back, lasts = int64(100 * time.Millisecond), int64(2 * time.Second)
	j := &m.judges[stream]
	room := float64(longest) / float64(j.length()) * float64(int64(1)<<j.layout.SequenceBits)
	if room > 600 || j.length() >= longest || j.maxAhead > int64(period) {
		return
	}
	n := max(int(room)*percent/100, 1)
	m.wall.drifts(0)
	m.wall.grain, m.wall.jitter = 0, 0
	if m.limited {
		m.renew(1e12)
	}
	m.mint(stream, 1, 0)
	if m.wall.step(j.last - back - m.wall.plain()); j.last-m.wall.plain() != back {
		return
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	var calls atomic.Int64
	began, slowest, fell := m.world.run(), int64(0), false
	for range n {
		all.Go(func() {
			for m.world.run() < began+lasts && float64(calls.Add(1)) < 200*room {
				mu.Lock()
				above, asked := j.prev, m.world.run()
				mu.Unlock()
				x := m.process.next(stream)
				m.wall.forget()
				mu.Lock()
				slowest, fell = max(slowest, m.world.run()-asked), fell || !above.less(x)
				if j.prev.less(x) {
					j.prev = x
				}
				m.unique(stream, x)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	j.last, j.far = j.time(j.prev), false
	j.even = j.last - m.world.run()
	lead := j.last - m.wall.plain()
	slow := max(0.5, float64(n)/room)
	switch most := max(j.maxAhead, back-int64(float64(lasts)*(1-slow))); {
	case fell:
		m.must(stream, nil, problem("ordered: of %d goroutines one got an id that is not above those before", n))
	case float64(calls.Load()) >= 200*room || slowest > longest:
		m.must(stream, nil, problem("live: %d goroutines made %d calls, of which one waited %s", n, calls.Load(), span(slowest)))
	case slow < 1 && lead > most+longest+2*j.length():
		m.must(stream, nil, problem("true: with %d goroutines, ids are %s ahead, %s after a step back of %s", n, span(lead), span(lasts), span(back)))
	}
}

// overtake has a call read the clock, and lose its turn. The clock is set forward by d, and another call mints. What
// the first one has read is no longer true then: it is judged by what the other has read.
func (m *machine) overtake(stream int, d int64) {
	var late key
	hold := make(chan bool)
	m.wall.hold = hold
	done := begin(func() { late = m.process.next(stream) })
	synctest.Wait() // it has read the clock
	m.wall.hold = nil
	m.wall.step(d)
	m.mint(stream, 1, 0)
	m.wall.readings = m.wall.readings[len(m.wall.readings)-1:]
	c := &call{n: 1, began: m.world.run()}
	close(hold)
	m.check(stream, m.await(stream, c, done), late)
	m.mint(stream, 1, 0)
}

// contexts has n calls wait for a limit until their contexts end, one after another. Each ends when its context does
// and takes nothing, and none looks at the clock because of another one.
func (m *machine) contexts(stream, n int, d int64) {
	m.setLimit(none)
	m.wall.forget()
	began, done := m.world.run(), make(chan *violation, n)
	for i := range int64(n) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration((i+1)*d))
		go func() {
			defer cancel()
			_, err := m.process.nodes[stream].NextContext(ctx)
			switch waited := m.world.run() - began; {
			case !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ids.ErrWithheld):
				done <- problem("unique: a call whose context ended while a limit, the zero time, withheld the id: %v", err)
			case waited != (i+1)*d:
				done <- problem("live: a call whose context ended after %s waited %s", span((i+1)*d), span(waited))
			default:
				done <- nil
			}
		}()
	}
	pass(int64(n) * d)
	synctest.Wait() // the last one has looked at the clock, at this very instant
	if looks := len(m.wall.readings); len(done) < n || looks > 5*n {
		m.must(stream, nil, problem("live: of %d calls whose contexts ended %d wait on, and they looked at the clock %d times", n, n-len(done), looks))
	}
	for range n {
		m.must(stream, nil, <-done)
	}
	m.renew(renewal)
}

// finish ends the clock d from now, or at the limit if that is earlier, and asks for n Snowflakes over that time: what
// is later than the end is refused for good. If n is even, a call waits when the clock ends, which is at once then. Another
// process goes on after the latest id.
func (m *machine) finish(stream, n int, d int64) {
	var waiting chan any
	node := m.process.nodes[stream]
	if m.mint(stream, 1, 0); n%2 == 0 {
		m.setLimit(none)
		waiting = begin(func() { node.Next() })
		synctest.Wait()
	}
	end := m.wall.plain() + d
	m.process.limit.EndAt(toTime(end), nil)
	m.limit = min(m.limit, end)
	if synctest.Wait(); waiting != nil && len(waiting) == 0 {
		m.must(stream, nil, problem("live: a call waits for a limit when the clock has ended"))
	}
	for i := range n {
		var x ids.Snowflake
		var err error
		c := m.call(stream, 1, func() {
			if i%2 == 0 {
				x, err = node.TryNext()
			} else {
				x, err = node.NextContext(context.Background())
			}
		})
		switch {
		case err == nil:
			m.check(stream, c, fromSnowflake(x))
		case errors.Is(err, ids.ErrEnded) && m.judges[stream].covered(c.last().shown, m.limit), !errors.Is(err, ids.ErrEnded) && !errors.Is(err, ids.ErrExhausted):
			m.must(stream, c, problem("live: the clock ends at %s: %v", clock(m.limit), err))
		}
		m.process.limit.Set(toTime(greatest), nil) // which does nothing any more
		pass(max(d, 1e7) / int64(n) * 2)
	}
	m.boot(nanos(m.process.clock.Latest()))
	m.mint(stream, 1, 0)
}
