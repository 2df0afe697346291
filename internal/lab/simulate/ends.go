package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// endings draws how a plan ends, from a stream of random numbers of their own: so a seed has the history before that
// it always had.
func (p *plan) endings() {
	r := rand.New(rand.NewPCG(p.seed, 3))
	snowflakes := len(uuidSchemes())
	for range 8 {
		e := event{machine: r.IntN(len(p.machines)), stream: r.IntN(len(p.schemes)), n: 1 + r.IntN(200), d: 1 + r.Int64N(2e9)}
		if r.IntN(2) == 0 {
			e.action, e.d = overtake, e.d*(1+r.Int64N(1e4))
		} else if e.action = patience; e.stream < snowflakes {
			e.stream = len(p.schemes) - 1
		}
		p.events = append(p.events, e)
	}
	p.events = append(p.events, event{action: finish, machine: r.IntN(len(p.machines)), stream: len(p.schemes) - 1,
		n: 1 + r.IntN(20), d: r.Int64N(3e8) - 1e8})
}

// overtake has a call read the clock, and lose its turn. The clock is set forward by d, and another call mints. What
// the first one has read is no longer true then: it is judged by what the other has read.
func (m *machine) overtake(stream int, d int64) {
	if !m.ready(stream) || m.broken || m.random.fails > 0 || m.wall.wild != 0 {
		return
	}
	m.settled()
	hold, done := make(chan bool), make(chan bool)
	m.wall.hold = hold
	var late key
	var fault any
	go func() {
		defer close(done)
		defer func() { fault = recover() }()
		late = m.process.next(stream)
	}()
	synctest.Wait() // it has read the clock
	m.wall.hold = nil
	func() {
		begun := false
		defer func() {
			if !begun { // the other call has broken a promise
				m.process.end(toTime(past, time.UTC))
			}
			close(hold)
			<-done
		}()
		m.wall.step(d)
		m.mint(stream, 1, 0)
		last := m.wall.readings[max(len(m.wall.readings)-1, 0):]
		m.begin(stream, false)
		m.wall.readings = append(m.wall.readings, last...)
		begun = true
	}()
	defer m.recovered(stream, 1)
	if fault != nil {
		panic(fault)
	}
	c := &m.call
	m.returned()
	m.check(stream, c, late)
	m.mint(stream, 1, 0)
}

// settled lets a look at an earlier call come to its end: only one goroutine of a bubble may be in synctest.Wait.
func (m *machine) settled() { m.world.pass(1) }

// patience has n calls wait for a limit until their contexts end, one after another. Each ends when its context does
// and takes nothing, and none looks at the clock because of another one.
func (m *machine) patience(stream, n int, d int64) {
	if !m.ready(stream) || m.broken {
		return
	}
	m.settled()
	m.setLimit(past)
	m.wall.readings = m.wall.readings[:0]
	w, cause := m.world, errors.New("told to stop")
	began := time.Now()
	failed := make([]*violation, n)
	for i := range n {
		after := time.Duration(i+1) * time.Duration(d)
		ctx, cancel := context.WithTimeoutCause(context.Background(), after, cause)
		go func() {
			defer cancel()
			_, err := m.process.nextContext(ctx, stream)
			switch waited := time.Since(began); {
			case err == nil:
				failed[i] = problem("unique: the limit, the zero time, does not cover the id of a call whose context ended")
			case !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, cause):
				if !errors.Is(err, ids.ErrRange) || !m.judge(stream).ends(m.wall.latest, 0) {
					failed[i] = problem("a call whose context ended while a limit withheld the id: %v", err)
				}
			case waited != after:
				failed[i] = problem("live: a call whose context ended after %v waited %v", after, waited)
			}
		}()
		synctest.Wait() // it waits
	}
	time.Sleep(time.Duration(n) * time.Duration(d))
	synctest.Wait() // the last one has looked at the clock, at this very instant
	w.catchUp()
	for _, v := range failed {
		m.must(stream, key{}, nil, v)
	}
	if looks := len(m.wall.readings); looks > 5*n {
		m.must(stream, key{}, nil, problem("live: %d calls whose contexts ended looked at the clock %d times", n, looks))
	}
	w.stats.patience += int64(n)
	m.release(renewal)
}

// finish ends the clock d from now, or at the limit if that is earlier, and asks for n Snowflakes over that time: what
// is later than the end is refused for good. Then another process goes on after the latest id.
func (m *machine) finish(stream, n int, d int64) {
	if !m.ready(stream) || m.broken || m.wall.wild != 0 {
		return
	}
	end := add(m.wall.plain(), d)
	if m.limited {
		end = min(end, m.limit)
	}
	m.process.end(toTime(add(m.wall.plain(), d), m.wall.zone))
	m.limited, m.limit = true, end
	for range n {
		j := m.judge(stream)
		c := m.begin(stream, false)
		x, err := m.process.try(stream)
		m.returned()
		switch {
		case err == nil:
			m.check(stream, c, x)
		case errors.Is(err, ids.ErrEnded) && j.covered(c.last().shown, end):
			m.must(stream, x, c, problem("refused with %q, where the end covers it", err))
		case errors.Is(err, ids.ErrSuspended):
			m.must(stream, x, c, problem("live: it waits for a later limit, when the clock has ended"))
		}
		m.process.limit(toTime(future, time.UTC)) // which does nothing any more
		m.process.end(toTime(future, time.UTC))
		m.world.pass(max(d, 1e7) / int64(n) * 2)
	}
	m.crash(current)
	m.mint(stream, 1, 0)
}
