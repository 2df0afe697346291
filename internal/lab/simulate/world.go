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

	start  time.Time // of the bubble
	now    int64     // the true time, in ns since the beginning
	bubble int64     // how long processes have run, up to which now is counted

	// began is when the call in progress on a machine with a limit began, or was last looked at
	// by a goroutine beside it, or idleNow. That goroutine sets it last.
	began atomic.Int64

	machines []*machine
	random   [2]set // the V7s and the ULIDs of all machines, which are unique by random bits
	done     int    // events carried out
	replica  bool   // made to copy a machine of another world; what it does is not counted
}

// newWorld returns a world at the beginning of a plan.
func newWorld(p *plan, mk maker, s *stats) *world {
	w := &world{plan: p, make: mk, stats: s, start: time.Now(), random: [2]set{{}, {}}}
	w.began.Store(idleNow)
	for i, o := range p.machines {
		w.machines = append(w.machines, newMachine(w, i, o))
	}
	return w
}

// setOf returns the set for a stream of a new machine.
func (w *world) setOf(s *scheme) set {
	switch s.kind {
	case v7:
		return w.random[0]
	case ulid:
		return w.random[1]
	}
	return set{}
}

// catchUp counts the time that has passed in the bubble.
func (w *world) catchUp() {
	w.began.Load() // what another goroutine did is seen
	t := int64(time.Since(w.start))
	w.now += t - w.bubble
	w.bubble = t
}

// pass lets time pass, for processes too.
func (w *world) pass(d int64) {
	if d > 0 {
		time.Sleep(time.Duration(d))
		w.catchUp()
	}
}

// play carries out a plan in a bubble of its own, up to the first broken promise. A bubble whose calls wait for ever ends
// with a panic; what was found before is told then.
func play(t *testing.T, p *plan, mk maker, s *stats) (v *violation) {
	defer func() {
		if p := recover(); p != nil && v == nil {
			v = problem("live: %v", p)
		}
	}()
	synctest.Test(t, func(*testing.T) {
		defer func() { v = caught(recover()) }()
		w := newWorld(p, mk, s)
		for _, e := range p.events {
			w.do(e)
		}
	})
	s.scenarios++
	return v
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

// clone adds a copy of m: what m is in a world that went the same way. Both draw
// other random bytes from then on, as after Reseed, and the copy has numbers of its own.
func (w *world) clone(m *machine) {
	if w.replica {
		return
	}
	twin := newWorld(w.plan, w.make, new(stats))
	twin.replica = true
	for _, e := range w.plan.events[:w.done-1] {
		twin.do(e)
	}
	index := len(w.machines)
	w.bubble = int64(time.Since(w.start)) // for w, no true time passed meanwhile
	c := twin.machines[m.number]
	c.join(w, index)
	m.random.Seed(w.plan.seed, uint64(index)<<8|3)
	w.machines = append(w.machines, c)
}

// join moves m into another world, as the copy of a machine there.
func (m *machine) join(w *world, index int) {
	if m.world.now != w.now {
		panic(fmt.Sprintf("the copy is at %d, the original at %d", m.world.now, w.now))
	}
	m.latest()
	earlier := int64(m.world.start.Sub(w.start))
	for i := range m.judges {
		j := &m.judges[i]
		j.farSince, j.even = j.farSince+earlier, sub(j.even, earlier)
	}
	m.world, m.wall.world = w, w
	m.renumber(index)
	m.random.Seed(w.plan.seed, uint64(index)<<8|2)
	m.process.renumber(m.node, m.number)
	for i := range m.sets {
		s := &w.plan.schemes[i]
		m.sets[i] = w.setOf(s)
		if s.kind != snowflake {
			continue
		}
		m.opened[i] = false
		if s.layout.NodeBits > 0 {
			m.judges[i] = m.newJudge(i)
		}
	}
}
