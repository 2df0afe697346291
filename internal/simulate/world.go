package main

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A world is the machines of a plan, and the true time.
type world struct {
	plan  *plan
	make  maker
	stats *stats

	now    int64     // the true time, in ns since the beginning
	bubble time.Time // the time of the bubble up to which now is counted

	machines []*machine
	random   [2]*set // the V7s and the ULIDs of all machines, which are unique by random bits
	done     int     // events carried out
	replica  bool    // made to copy a machine of another world
	call     call

	// Limits that hold a call up are lifted from a goroutine of its own, as a program would do it.
	began   atomic.Int64 // when the call in progress on a machine with a limit began, or 0
	calling *machine
	heldUp  *machine // whose call in progress was held up
	ahead   int64    // how far ahead its next limit is, in ns
}

// renewal is how far ahead of its time the state is that a program saves, as a rule, in ns.
const renewal = int64(10 * time.Second)

// newWorld returns a world at the beginning of a plan.
func newWorld(p *plan, mk maker, s *stats) *world {
	w := &world{plan: p, make: mk, stats: s, bubble: time.Now(), random: [2]*set{{}, {}}}
	for i, o := range p.machines {
		w.machines = append(w.machines, newMachine(w, i, o))
	}
	return w
}

// setOf returns the set for a stream of a new machine.
func (w *world) setOf(s *scheme) *set {
	switch s.kind {
	case v7:
		return w.random[0]
	case ulid:
		return w.random[1]
	}
	return new(set)
}

// catchUp counts the time that has passed in the bubble.
func (w *world) catchUp() {
	t := time.Now()
	w.now += int64(t.Sub(w.bubble))
	w.bubble = t
}

// A result is what came of a plan.
type result struct {
	violation *violation
	done      int // events carried out before it
}

// play carries out a plan in a bubble of its own.
func play(t *testing.T, p *plan, mk maker, s *stats) (r result) {
	synctest.Test(t, func(*testing.T) {
		var w *world
		defer func() {
			if w != nil {
				r.done = w.done
			}
			r.violation = caught(recover())
		}()
		w = newWorld(p, mk, s)
		if w.limits() {
			stop := make(chan struct{})
			defer close(stop)
			go w.renew(stop)
		}
		for _, e := range p.events {
			w.do(e)
		}
	})
	s.scenarios++
	return r
}

// caught returns the violation that a panic is.
func caught(p any) *violation {
	switch p := p.(type) {
	case nil:
		return nil
	case *violation:
		return p
	}
	return problem("panic: %v", p)
}

// do carries out an event.
func (w *world) do(e event) {
	w.done++
	if e.machine >= len(w.machines) {
		return // the copy of a machine that a shorter plan does not copy
	}
	w.stats.events[e.action]++
	w.machines[e.machine].do(e)
}

// limits reports whether a machine has a limit.
func (w *world) limits() bool {
	for _, o := range w.plan.machines {
		if o.safe {
			return true
		}
	}
	return false
}

// renew lifts the limit that holds up a call for longer than any waits for the clock. All that
// it changes, it changes while that call is blocked, and the limit last.
func (w *world) renew(stop chan struct{}) {
	const period = 100 * time.Millisecond
	for {
		select {
		case <-stop:
			return
		case <-time.After(period):
			synctest.Wait()
		}
		began := w.began.Load()
		if began == 0 || time.Now().UnixNano()-began < int64(period) {
			continue
		}
		m := w.calling
		if w.heldUp != m {
			w.heldUp, w.ahead = m, renewal
			w.stats.heldUp++
		}
		w.catchUp()
		readings := m.wall.readings
		m.wall.readings = nil
		m.persist(w.ahead)
		m.wall.readings = readings
		w.ahead = min(2*w.ahead, 1<<61) // or a call for a tick that is far ahead takes long
		w.began.Store(time.Now().UnixNano())
		m.enforce()
	}
}

// clone adds a copy of m: what m is in a world that went the same way. Both draw
// other random bytes from then on, as after Reseed, and the copy has numbers of its own.
func (w *world) clone(m *machine) {
	if w.replica {
		return
	}
	other := *w.plan
	other.events = other.events[:w.done-1]
	twin := newReplica(&other, w.make)
	index := len(w.machines)
	c := twin.machines[m.number]
	c.join(w, index)
	w.bubble = time.Now()
	m.random.reseed(w.plan.seed, uint64(index)<<8|3)
	w.machines = append(w.machines, c)
}

// newReplica returns a world in which the events of p have happened, with nothing counted.
func newReplica(p *plan, mk maker) *world {
	w := newWorld(p, mk, new(stats))
	w.replica = true
	for _, e := range p.events {
		w.do(e)
	}
	return w
}

// join moves m into another world, as the copy of a machine there.
func (m *machine) join(w *world, index int) {
	if m.world.now != w.now {
		panic(fmt.Sprintf("the copy is at %d, the original at %d", m.world.now, w.now))
	}
	m.world, m.wall.world = w, w
	m.renumber(index)
	m.random.reseed(w.plan.seed, uint64(index)<<8|2)
	m.process.renumber(m.node, m.number)
	for i := range m.adders {
		s := &w.plan.schemes[i]
		m.adders[i] = appender{set: w.setOf(s)}
		if s.kind == snowflake {
			m.opened[i], m.judges[i] = false, m.newJudge(s)
		}
	}
}
