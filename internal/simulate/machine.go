package main

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/oneclock/ids"
)

// A machine has a clock and a number of its own, and one process at a time.
type machine struct {
	options
	world  *world
	wall   wall
	number int64
	node   [6]byte
	nodeID uint64
	random seeded

	process process
	judges  []judge    // of the process, by stream
	adders  []appender // by stream; of the machine's own set, or for random ids of the world's
	opened  []bool     // by stream
	buf     []key

	restored ids.ClockState // what the process started with
	pending  bool           // the restored state awaits the first id of V1 or V6
	seq      uint16         // the latest clock sequence
	known    bool           // whether it is known
	wrapped  bool           // it has come round to 0, so that V1 and V6 stay above the floor
	floor    int64          // a tick of V1 and V6
	top      int64          // the highest tick of V1 and V6, or of the restored state
	limited  bool           // a limit is in force
	limit    ids.ClockState

	saved     ids.ClockState // by save
	savedSets [][]key        // the machine's own sets then, by stream
	durable   ids.ClockState // by persist
}

// newMachine returns a machine with the given index, and starts a process on it.
func newMachine(w *world, index int, o options) *machine {
	m := &machine{options: o, world: w}
	m.wall = wall{
		world: w, rng: rand.New(rand.NewPCG(w.plan.seed, uint64(index)<<8|1)),
		anchor: w.now, shown: o.start,
	}
	m.random = seeded{rand.NewPCG(w.plan.seed, uint64(index)<<8|2)}
	m.renumber(index)
	m.judges = make([]judge, len(w.plan.schemes))
	m.adders = make([]appender, len(w.plan.schemes))
	for i := range m.adders {
		m.adders[i].set = w.setOf(&w.plan.schemes[i])
	}
	m.savedSets = make([][]key, len(w.plan.schemes))
	m.saved = o.state
	m.boot(o.state)
	return m
}

// renumber gives m the numbers that go with an index.
func (m *machine) renumber(index int) {
	m.number = int64(index)
	m.node = [6]byte{0x02, 0, 0, 0, 0, byte(index)}
	m.nodeID = binary.BigEndian.Uint64(append([]byte{0, 0}, m.node[:]...))
}

// boot starts a process with a state.
func (m *machine) boot(state ids.ClockState) {
	w := m.world
	m.wall.started = false
	m.restored, m.pending, m.known = state, state != (ids.ClockState{}), state != (ids.ClockState{})
	m.seq, m.wrapped, m.limited = state.Sequence, !state.Floor.IsZero(), false
	m.top = w.plan.schemes[v1].at(nanos(state.Time))
	m.floor = w.plan.schemes[v1].at(nanos(state.Floor))
	m.opened = make([]bool, len(w.plan.schemes))
	m.process = w.make(boot{
		schemes: w.plan.schemes, now: m.wall.now, random: m.random, state: state,
		tolerance: m.tolerance, maxAhead: m.maxAhead, node: m.node, number: m.number,
	})
	for i := range m.judges {
		m.judges[i] = m.newJudge(&w.plan.schemes[i])
		m.adders[i].close()
	}
	if m.safe {
		m.persist(renewal)
		m.enforce()
	}
	w.stats.lives++
}

// newJudge returns a judge for a stream of the process, at its start.
func (m *machine) newJudge(s *scheme) judge {
	j := judge{
		scheme:    s,
		tolerance: orDefault(m.tolerance, 10*time.Second),
		maxAhead:  orDefault(m.maxAhead, 10*time.Millisecond),
	}
	switch {
	case s.kind == v1:
		j.tolerance = 0
	case s.kind == snowflake && !m.restored.Time.IsZero():
		j.resume(nanos(m.restored.Time), 0)
	}
	return j
}

// orDefault returns an option in nanoseconds, or what zero and negative values mean.
func orDefault(d, zero time.Duration) int64 {
	if d == 0 {
		d = zero
	}
	return max(int64(d), 0)
}

// do carries out an event.
func (m *machine) do(e event) {
	w := m.world
	switch e.action {
	case mint:
		if m.ready(e.stream) {
			m.mint(e.stream, e.n, e.d)
		}
	case run:
		if m.ready(e.stream) {
			m.run(e.stream, e.n)
		}
	case try:
		if m.ready(e.stream) {
			m.try(e.stream, e.n, e.d)
		}
	case mix:
		for i := range e.n {
			m.do(event{action: mint, stream: i % len(m.judges), n: 1, d: e.d})
		}
	case idle:
		w.now += e.d
	case step:
		m.wall.step(e.d)
		w.stats.step(e.d, orDefault(m.maxAhead, 10*time.Millisecond), orDefault(m.tolerance, 10*time.Second))
	case freeze, thaw:
		m.wall.freeze(e.action == freeze)
	case suspend:
		m.wall.freeze(true)
		w.now += e.d
		m.wall.freeze(false)
	case drift:
		m.wall.drifts(e.d)
	case smear:
		m.smear(e.stream, e.n)
	case leap:
		w.now += 1e9 - (m.wall.plain()%1e9+1e9)%1e9
		m.wall.step(-1e9)
	case grain:
		m.wall.grain = e.d
	case jitter:
		m.wall.jitter = e.d
	case wild:
		if e.n <= 0 || !m.safe {
			m.wall.wild = [3]int64{past, 0, future}[e.n+1]
		}
	case save:
		m.save()
	case persist:
		if m.safe {
			m.persist(e.d)
		}
	case enforce:
		if m.safe {
			m.enforce()
		}
	case crash:
		m.crash(e.n)
	case clone:
		w.clone(m)
	}
}

// ready opens a stream.
func (m *machine) ready(stream int) bool {
	if m.opened[stream] {
		return true
	}
	m.wall.readings = m.wall.readings[:0]
	err := m.process.open(stream)
	if err == nil {
		m.opened[stream] = true
		return true
	}
	s := &m.world.plan.schemes[stream]
	if len(m.wall.readings) == 1 {
		if t := s.at(m.wall.readings[0]); errors.Is(err, ids.ErrRange) && (t < 0 || t > s.end) {
			return false // as it should
		}
	}
	panic(problem("%s: it cannot be opened: %v", s.name, err))
}

// mint mints n ids.
func (m *machine) mint(stream, n int, pace int64) {
	defer m.spent(stream)
	for range n {
		c := m.begin(stream)
		x := m.process.next(stream)
		m.end(c)
		m.check(stream, c, x)
		m.world.now += pace
	}
}

// begin begins a call.
func (m *machine) begin(stream int) *call {
	w := m.world
	m.wall.readings = m.wall.readings[:0]
	c := &w.call
	s := &w.plan.schemes[stream]
	c.unsure = s.sequenced() && (m.limited || m.wrapped)
	c.began = w.bubble
	if m.limited {
		w.heldUp, w.calling = nil, m
		w.began.Store(w.bubble.UnixNano())
	}
	return c
}

// end ends a call.
func (m *machine) end(c *call) {
	w := m.world
	if m.limited {
		w.began.Store(0)
	}
	w.catchUp()
	c.waited = int64(w.bubble.Sub(c.began))
	c.readings = m.wall.readings
}
