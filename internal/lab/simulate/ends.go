package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// endings draws how a plan ends, from a stream of random numbers of their own: so a seed has the history before that
// it always had.
func (p *plan) endings() {
	r := rand.New(rand.NewPCG(p.seed, 3))
	snowflakes := len(uuidSchemes())
	var limited []int // machines
	for i, o := range p.machines {
		if o.limited {
			limited = append(limited, i)
		}
	}
	for range 8 {
		e := event{machine: r.IntN(len(p.machines)), stream: r.IntN(len(p.schemes)), n: 1 + r.IntN(200), d: 1 + r.Int64N(2e9)}
		if r.IntN(2) == 0 || limited == nil {
			e.action, e.d = overtake, e.d*(1+r.Int64N(1e4))
		} else {
			e.action, e.machine = patience, limited[e.machine%len(limited)]
			if e.stream < snowflakes {
				e.stream = len(p.schemes) - 1
			}
		}
		p.events = append(p.events, e)
	}
	if limited != nil {
		p.events = append(p.events, event{action: finish, machine: limited[r.IntN(len(limited))], stream: len(p.schemes) - 1,
			n: 1 + r.IntN(20), d: r.Int64N(3e8) - 1e8})
	}
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
			if !begun && m.limited { // the other call has broken a promise
				m.process.end(toTime(past, time.UTC), nil)
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
// and takes nothing, and none looks at the clock because of another one. A call whose context has ended before it begins
// does not wait at all.
func (m *machine) patience(stream, n int, d int64) {
	if !m.ready(stream) || m.broken {
		return
	}
	m.settled()
	m.setLimit(past)
	m.wall.readings = m.wall.readings[:0]
	w, told := m.world, errors.New("told to stop")
	began := time.Now()
	errs, failed, left := make([]error, n), make([]*violation, n), atomic.Int64{}
	for i := range n {
		left.Add(1)
		after := time.Duration(i+1) * time.Duration(d)
		ctx, cancel := context.WithTimeoutCause(context.Background(), after, told)
		go func() {
			defer cancel()
			defer left.Add(-1)
			_, err := m.process.nextContext(ctx, stream)
			switch waited := time.Since(began); {
			case err == nil:
				failed[i] = problem("unique: the limit, the zero time, does not cover the id of a call whose context ended")
			case !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, told):
				if !errors.Is(err, ids.ErrRange) || !m.judge(stream).ends(m.wall.latest, 0) {
					failed[i] = problem("a call whose context ended while a limit withheld the id: %v", err)
				}
			case waited != after:
				failed[i] = problem("live: a call whose context ended after %v waited %v", after, waited)
			default:
				errs[i] = err
			}
		}()
		synctest.Wait() // it waits
	}
	time.Sleep(time.Duration(n) * time.Duration(d))
	synctest.Wait() // the last one has looked at the clock, at this very instant
	w.catchUp()
	if k := left.Load(); k > 0 {
		m.process.limit(toTime(future, time.UTC), nil)
		time.Sleep(time.Duration(2 * longest)) // until they have their ids
		m.must(stream, key{}, nil, problem("live: %d calls wait for a limit when their contexts have ended", k))
	}
	for i, v := range failed {
		if errs[i] != nil {
			v = m.because(errs[i], ids.ErrWithheld)
		}
		m.must(stream, key{}, nil, v)
	}
	if looks := len(m.wall.readings); looks > 5*n {
		m.must(stream, key{}, nil, problem("live: %d calls whose contexts ended looked at the clock %d times", n, looks))
	}
	w.stats.patience += int64(n)

	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(told)
	began = time.Now()
	_, err := m.process.nextContext(ctx, stream)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, told) || errors.Is(err, ids.ErrWithheld) || len(causesIn(err)) > 0 {
		m.must(stream, key{}, nil, problem("cause: a call whose context had ended: %v", err))
	}
	if waited := time.Since(began); waited > 0 {
		m.must(stream, key{}, nil, problem("live: a call whose context had ended waited %v", waited))
	}
	m.release(renewal)
}

// finish ends the clock d from now, or at the limit if that is earlier, and asks for n Snowflakes over that time: what
// is later than the end is refused for good, with the first cause that was given. Then another process goes on after the
// latest id. If n is even, calls wait for a limit when the clock ends, and at every fourth the end comes earlier later on.
func (m *machine) finish(stream, n int, d int64) {
	if !m.ready(stream) || m.broken || m.wall.wild != 0 {
		return
	}
	m.settled()
	if n%2 == 0 {
		m.setLimit(past)
		m.endWaiting(stream, d)
	} else {
		m.endAt(add(m.wall.plain(), d))
	}
	for i := range n {
		if n%4 == 1 && i == n/2 {
			m.endAt(add(m.wall.plain(), -1e6))
		}
		j := m.judge(stream)
		c := m.begin(stream, false)
		x, err := m.ask(stream, i)
		m.returned()
		var v *violation
		switch {
		case err == nil:
			m.check(stream, c, x)
		case errors.Is(err, ids.ErrEnded):
			v = m.because(err, ids.ErrEnded)
			if j.covered(c.last().shown, m.limit) {
				v = problem("refused with %q, where the end covers it", err)
			}
		case errors.Is(err, ids.ErrWithheld):
			v = problem("live: it waits for a later limit, when the clock has ended")
		case len(causesIn(err)) > 0:
			v = problem("cause: %q, where the clock has not ended", err)
		case i%3 != 0 && !(errors.Is(err, ids.ErrRange) && j.ends(c.last().shown, 0)):
			v = problem("refused with %q", err)
		}
		m.must(stream, x, c, v)
		m.process.limit(toTime(future, time.UTC), m.newCause().asError()) // which does nothing any more
		m.endAt(future)
		m.world.pass(max(d, 1e7) / int64(n) * 2)
	}
	m.crash(current)
	m.mint(stream, 1, 0)
}

// endAt ends the clock at a time, or at the limit if that is earlier, with a cause or without: the first one stays.
func (m *machine) endAt(t int64) {
	given := m.newCause()
	m.process.end(toTime(t, m.wall.zone), given.asError())
	if !m.ended {
		m.ended, m.cause = true, nil
	}
	m.limit = min(m.limit, t)
	if m.cause == nil {
		m.cause = given
	}
}

// ask asks for a Snowflake, by TryNext, NextContext and Next in turn. What Next panics with is the error.
func (m *machine) ask(stream, n int) (x key, err error) {
	switch n % 3 {
	case 0:
		return m.process.try(stream)
	case 1:
		return m.process.nextContext(context.Background(), stream)
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = p
		default:
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return m.process.next(stream), nil
}

// endWaiting ends the clock d from now while NextContext, Next and, unless random bytes fail, NewV1 wait for a limit that
// is the zero time. They return at once, and take nothing.
func (m *machine) endWaiting(stream int, d int64) {
	streams := []int{stream, stream, int(v1)}
	if m.random.fails > 0 {
		streams = streams[:2]
	}
	errs, left := make([]error, len(streams)), atomic.Int64{}
	for i, s := range streams {
		left.Add(1)
		go func() {
			_, errs[i] = m.ask(s, min(i+1, 2)) // NextContext, and Next twice
			left.Add(-1)
		}()
		synctest.Wait() // it waits
	}
	m.endAt(add(m.wall.plain(), d))
	synctest.Wait()
	m.world.catchUp()
	if n := left.Load(); n > 0 {
		m.process.limit(toTime(future, time.UTC), nil)
		time.Sleep(time.Duration(2 * longest)) // until they have their ids
		panic(problem("live: %d calls wait for a limit when the clock has ended", n))
	}
	for i, err := range errs {
		var v *violation
		switch {
		case err == nil:
			v = problem("unique: the limit, the zero time, does not cover the id of a call that waited for the end")
		case !(errors.Is(err, ids.ErrRange) && m.judge(streams[i]).ends(m.wall.latest, 0)):
			v = m.because(err, ids.ErrEnded)
		}
		m.must(streams[i], key{}, nil, v)
	}
}
