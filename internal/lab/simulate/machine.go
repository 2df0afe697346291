package main

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// A machine has a clock and a number of its own, and one process at a time.
type machine struct {
	options
	world   *world
	wall    wall
	number  int64
	random  seeded
	process *process
	judges  []judge // of the process, by stream
	limit   int64   // none: it withholds every id, as at first
	durable int64   // the horizon saved last
}

// newMachine returns a machine with the given index, and starts a process on it.
func newMachine(w *world, index int, o options) *machine {
	m := &machine{options: o, world: w, number: int64(index), durable: o.after}
	m.wall = wall{world: w, rng: rand.New(rand.NewPCG(w.plan.seed, uint64(index))), shown: o.start}
	seed := [32]byte{byte(index)}
	copy(seed[1:], fmt.Sprint(w.plan.seed))
	m.random = seeded{rand.NewChaCha8(seed), o.steep}
	m.boot(o.after)
	return m
}

// boot starts a process that issues nothing up to a time.
func (m *machine) boot(after int64) {
	w := m.world
	opts := ids.ClockOptions{Now: m.wall.now, After: toTime(after), Tolerance: m.tolerance, MaxAhead: m.maxAhead}
	if w.flaw != nil {
		w.flaw(&opts)
	}
	m.process, m.limit, m.judges = newProcess(w.plan.schemes, opts, m.limited, m.random, m.number), none, nil
	for i := range w.plan.schemes {
		m.judges = append(m.judges, newJudge(&w.plan.schemes[i], m.options, after, w.run()))
	}
}

// do carries out an event.
func (m *machine) do(e event) {
	if !m.limited && slices.Contains([]action{withhold, renew, contexts, finish}, e.action) {
		return
	}
	m.world.stats.events[e.action]++
	switch e.action {
	case mint:
		m.mint(e.stream, e.n, e.d)
	case run:
		var all []key
		c := m.call(e.stream, e.n, func() { all = m.process.run(e.stream, e.n) })
		m.check(e.stream, c, all...)
	case try:
		m.try(e.stream, e.n, e.d)
	case mix:
		for i := range e.n {
			m.mint(i%len(m.judges), 1, e.d)
		}
	case saw:
		for range e.n / 2 {
			m.wall.step(-e.d)
			m.mint(e.stream, 1, 0)
			m.wall.step(e.d)
			m.mint(e.stream, 1, 0)
		}
	case crowd:
		m.crowd(e.stream, e.n)
	case idle:
		pass(e.d)
	case step:
		m.wall.step(e.d)
	case suspend:
		m.world.suspended += e.d
	case drift:
		m.wall.drifts(e.d)
	case grain:
		m.wall.grain = e.d
	case jitter:
		m.wall.jitter = e.d
	case withhold:
		m.setLimit(none)
	case renew:
		m.renew(e.d)
	case crash:
		m.crash()
	case overtake:
		m.overtake(e.stream, e.d)
	case contexts:
		m.contexts(e.stream, e.n, e.d)
	case finish:
		m.finish(e.stream, e.n, e.d)
	}
}

// mint mints n ids.
func (m *machine) mint(stream, n int, pace int64) {
	for range n {
		var x key
		c := m.call(stream, 1, func() { x = m.process.next(stream) })
		m.check(stream, c, x)
		pass(pace)
	}
}

// try makes n attempts at a Snowflake.
func (m *machine) try(stream, n int, pace int64) {
	j := &m.judges[stream]
	for range n {
		var x ids.Snowflake
		var err error
		c := m.call(stream, 1, func() { x, err = m.process.nodes[stream].TryNext() })
		var v *violation
		switch {
		case c.lasted() > 0:
			v = problem("live: an attempt waited")
		case err == nil:
			m.check(stream, c, fromSnowflake(x))
			if j.last-c.last().shown > j.maxAhead {
				v = problem("true: an attempt gave an id more than MaxAhead ahead of the clock")
			}
		case errors.Is(err, ids.ErrWithheld):
			if !m.limited || j.covered(c.last().shown, m.limit) {
				v = problem("live: refused with %q, where the limit covers it", err)
			}
			m.renew(renewal)
		case !errors.Is(err, ids.ErrExhausted):
			v = problem("live: refused with %q", err)
		}
		m.must(stream, c, v)
		pass(pace)
	}
}

// call makes a call for n ids.
func (m *machine) call(stream, n int, f func()) *call {
	m.wall.forget()
	return m.await(stream, &call{n: n, began: m.world.run()}, begin(f))
}

// begin makes a call in a goroutine, and returns how it ends: with what it panics.
func begin(f func()) chan any {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	return done
}

// await waits until a call is done. While a limit withholds its ids, it sets a later one, as another goroutine of a
// program would that looks every 100 ms.
func (m *machine) await(stream int, c *call, done chan any) *call {
	for seen := 0; ; {
		select {
		case p := <-done:
			if p != nil {
				panic(p)
			}
			c.end, c.readings = m.world.run(), m.wall.readings
			return c
		case <-time.After(period):
		}
		synctest.Wait() // until the call can do nothing by itself
		if reads := m.wall.taken(); reads > seen+1 || len(done) > 0 {
			seen = reads // a long run goes on by itself
			continue
		}
		m.goOn(stream, c)
		seen = m.wall.taken()
	}
}

// check checks the ids that a call gave.
func (m *machine) check(stream int, c *call, all ...key) {
	s, j := m.world.stats, &m.judges[stream]
	waited := c.lasted()
	switch {
	case len(all) != c.n:
		m.must(stream, c, problem("a run of %d ids has %d", c.n, len(all)))
	case waited > int64(c.n)*longest:
		m.must(stream, c, problem("live: the call waited %s", span(waited)))
	case len(c.readings) > c.n+c.withheld:
		m.must(stream, c, problem("live: the call read the clock %d times", len(c.readings)))
	case waited > 0 && c.n == 1:
		s.waits++
		s.longest = max(s.longest, waited)
	}
	m.must(stream, c, j.ids(c, all))
	for _, x := range all {
		m.unique(stream, x)
	}
	if m.maxAhead == 0 && j.length() < longest && !j.spent() {
		s.ahead = max(s.ahead, j.lead(c))
	}
}

// unique checks that an id is new, and not above the limit, and counts it.
func (m *machine) unique(stream int, x key) {
	s, j := m.world.stats, &m.judges[stream]
	s.digest += bits.RotateLeft64(x.hi*0x9e3779b97f4a7c15^x.lo, 29) * 0x9e3779b97f4a7c15
	s.ids[j.kind]++
	if at := j.time(x); m.limited && j.limited() && (m.limit == none || at > m.limit) {
		m.must(stream, nil, problem("unique: the limit, %s, does not cover %s", clock(m.limit), clock(at)))
	}
	if m.world.seen[stream][x] {
		m.must(stream, nil, problem("unique: %x was issued before", x))
	}
	m.world.seen[stream][x] = true
}

// must panics with v, if it is a violation, and says of which call.
func (m *machine) must(stream int, c *call, v *violation) {
	if v == nil {
		return
	}
	text := fmt.Sprintf("machine %d, %s: %s", m.number, m.judges[stream].name, v.text)
	if c != nil && len(c.readings) > 0 {
		text += fmt.Sprintf("\nthe clock showed %s, and after %d readings %s; the call lasted %s",
			clock(c.readings[0].shown), len(c.readings), clock(c.last().shown), span(c.end-c.began))
	}
	panic(&violation{text})
}

// crash ends the process and starts another.
func (m *machine) crash() {
	after := m.durable
	if !m.limited {
		after = nanos(m.process.clock.Latest())
	}
	m.boot(after)
}
