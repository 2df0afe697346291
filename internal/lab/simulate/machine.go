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
	random *seeded

	process process
	judges  []judge // of the process, by lane
	sets    []set   // by lane: the machine's own, or for random ids the world's
	opened  []bool  // by stream
	buf     []key
	call    call
	broken  bool // the next call finds a clock that panics

	issued int64  // the highest time of an id that After and the limit bind, or After
	limit  int64  // past: it withholds every id, as at first
	cause  *cause // what the process was told of it, or of its end; nil if nothing
	ended  bool   // the limit is for good
	causes int    // how many there were

	saved     int64 // by save
	savedSets []set // the machine's own sets then, by lane
	durable   int64 // by persist

	watch *time.Timer // for a call whose id a limit withholds
	seen  int         // how often the call had read the clock when it was last looked at
	far   int64       // how far ahead the limit will be that lets it go on
	fault *violation  // found by watch
}

// newMachine returns a machine with the given index, and starts a process on it.
func newMachine(w *world, index int, o options) *machine {
	m := &machine{options: o, world: w, saved: o.after, durable: o.after}
	m.wall = wall{
		world: w, rng: rand.New(rand.NewPCG(w.plan.seed, uint64(index)<<8|1)), zone: time.UTC,
		anchor: w.now, shown: o.start,
	}
	if o.zoned {
		m.wall.zone = time.FixedZone("", 5*3600)
	}
	m.random = &seeded{PCG: rand.NewPCG(w.plan.seed, uint64(index)<<8|2), steep: o.steep}
	m.renumber(index)
	m.judges = make([]judge, len(w.plan.schemes))
	m.sets, m.savedSets = make([]set, len(w.plan.schemes)), make([]set, len(w.plan.schemes))
	for i := range m.sets {
		m.sets[i] = w.setOf(&w.plan.schemes[i])
	}
	m.watch = time.AfterFunc(time.Hour, m.watched)
	m.watch.Stop()
	m.boot(o.after)
	return m
}

// renumber gives m the numbers that go with an index.
func (m *machine) renumber(index int) {
	m.number = int64(index)
	m.node = [6]byte{0x02, 0, 0, 0, 0, byte(index)}
	m.nodeID = binary.BigEndian.Uint64(append([]byte{0, 0}, m.node[:]...))
}

// boot starts a process that issues nothing up to a time.
func (m *machine) boot(after int64) {
	w := m.world
	m.after, m.issued = after, after
	m.limit, m.cause, m.ended = past, nil, false
	m.opened = make([]bool, len(w.plan.schemes))
	m.process = w.make(boot{
		schemes: w.plan.schemes, now: m.wall.now, random: m.random, after: toTime(after, m.wall.zone),
		tolerance: m.tolerance, maxAhead: m.maxAhead, limited: m.limited, node: m.node, number: m.number,
	})
	for i := range m.judges {
		m.judges[i] = m.newJudge(i)
		if m.early {
			m.ready(i)
		}
	}
	if m.safe && !m.slow {
		m.persist(renewal)
		m.enforce()
	}
	w.stats.lives++
}

// newJudge returns a judge for a lane of the process, at its start.
func (m *machine) newJudge(lane int) judge {
	return newJudge(&m.world.plan.schemes[lane], m.tolerance, m.maxAhead, m.after, m.world.bubble)
}

// judge returns the judge of a stream.
func (m *machine) judge(stream int) *judge { return &m.judges[m.world.plan.schemes[stream].lane] }

// do carries out an event.
func (m *machine) do(e event) {
	w := m.world
	if !m.limited && e.action.ofLimits() {
		return
	}
	switch e.action {
	case mint:
		m.mint(e.stream, e.n, e.d)
	case run:
		m.run(e.stream, e.n)
	case try:
		m.try(e.stream, e.n, e.d)
	case mix:
		for i := range e.n {
			m.mint(i%len(m.opened), 1, e.d)
		}
	case idle:
		w.pass(e.d)
	case step:
		m.wall.step(e.d)
	case saw:
		for range e.n / 2 {
			m.wall.step(-e.d)
			m.mint(e.stream, 1, 0)
			m.wall.step(e.d)
			m.mint(e.stream, 1, 0)
		}
	case edge:
		j := m.judge(e.stream)
		if to := add([2]int64{j.start(0), j.start(j.end)}[e.n], e.d); to > least && to < greatest {
			m.wall.step(to - m.wall.plain())
		}
	case freeze, thaw:
		m.wall.freeze(e.action == freeze)
	case suspend:
		w.now += e.d
	case drift:
		m.wall.drifts(e.d)
	case smear:
		m.smear(e.stream, e.n)
	case leap:
		w.pass(1e9 - (m.wall.plain()%1e9+1e9)%1e9)
		m.wall.step(-1e9)
	case grain:
		m.wall.grain = e.d
	case jitter:
		m.wall.jitter = e.d
	case glitch:
		m.wall.glitch, m.wall.in = e.d, e.n
	case wild:
		if e.n <= 0 || !m.safe {
			m.wall.wild = [3]int64{past, 0, future}[e.n+1]
		}
	case fail:
		m.random.fails = e.n
		m.broken = e.n == 0
	case save:
		m.save()
	case persist:
		m.persist(e.d)
	case enforce:
		m.enforce()
	case extend:
		if !m.safe {
			m.extend(e.d)
		}
	case withhold:
		m.setLimit(past)
	case crash:
		m.crash(e.n)
	case loop:
		m.loop(e.n)
	case clone:
		w.clone(m)
	case overtake:
		m.overtake(e.stream, e.d)
	case patience:
		m.patience(e.stream, e.n, e.d)
	case finish:
		m.finish(e.stream, e.n, e.d)
	}
}

// ready opens a stream and reports whether it is open.
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
	j := m.judge(stream)
	if len(m.wall.readings) == 1 {
		if r := m.wall.readings[0].shown; errors.Is(err, ids.ErrRange) && (j.early(r) || j.late(r)) {
			return false // as it should
		}
	}
	panic(problem("%s: it cannot be opened: %v", m.world.plan.schemes[stream].name, err))
}

// mint mints n ids.
func (m *machine) mint(stream, n int, pace int64) {
	if !m.ready(stream) {
		return
	}
	defer m.recovered(stream, n)
	for range n {
		c := m.begin(stream, false)
		x := m.process.next(stream)
		m.returned()
		m.check(stream, c, x)
		m.world.pass(pace)
	}
}

// begin begins a call.
func (m *machine) begin(stream int, run bool) *call {
	w := m.world
	m.wall.readings = m.wall.readings[:0]
	m.call = call{stream: stream, run: run, began: w.bubble}
	m.wall.broken, m.broken = m.broken, false
	m.wall.failed, m.random.failed = false, false
	if m.limited {
		m.seen, m.far = 1, renewal
		w.began.Store(w.bubble)
		m.watch.Reset(period)
	}
	return &m.call
}

// end ends a call.
func (m *machine) end() {
	m.world.catchUp()
	if m.world.began.Load() != idleNow {
		m.world.began.Store(idleNow)
		m.watch.Stop()
	}
	m.call.end, m.call.readings = m.world.bubble, m.wall.readings
	if m.fault != nil {
		panic(m.fault)
	}
}

// returned is end for a call that has not panicked.
func (m *machine) returned() {
	m.end()
	if m.random.failed || m.wall.failed {
		panic(problem("a reading of the clock or of random bytes failed, and the call gave an id"))
	}
}
