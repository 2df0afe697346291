package main

import (
	"errors"
	"time"

	"github.com/oneclock/ids"
)

// run mints a run of n ids.
func (m *machine) run(stream, n int) {
	defer m.spent(stream)
	j := &m.judges[stream]
	c := m.begin(stream)
	m.buf = m.process.run(stream, m.buf[:0], n)
	m.end(c)
	if len(m.buf) != n {
		m.must(stream, key{}, c, problem("a run of %d ids has %d", n, len(m.buf)))
	}
	if n == 0 {
		return
	}
	const part = 64 // Snowflakes of a run for each reading, at the least
	if j.kind != snowflake || c.waited > 0 || len(c.readings) > (n+part-1)/part {
		m.wait(stream, c)
	}
	for _, x := range m.buf {
		tick, seq, node := j.fields(x)
		m.format(stream, x, tick, seq, node)
	}
	if m.world.heldUp == m {
		m.world.heldUp = nil
		for _, x := range m.buf {
			tick, seq, _ := j.fields(x)
			m.must(stream, x, c, j.resync(c, x, tick, seq))
		}
	} else {
		ahead, v := j.run(c, m.buf)
		m.must(stream, j.prev, c, v)
		if ahead > m.world.stats.ahead {
			m.ahead(j, ahead)
		}
	}
	for _, x := range m.buf {
		m.world.stats.mix(x)
		if !m.adders[stream].add(x) {
			m.must(stream, x, c, problem("unique: it was issued before"))
		}
	}
	m.world.stats.ids[j.kind] += int64(n)
}

// try makes n attempts at a Snowflake.
func (m *machine) try(stream, n int, pace int64) {
	j := &m.judges[stream]
	for range n {
		c := m.begin(stream)
		x, err := m.process.try(stream)
		m.end(c)
		if c.waited > 0 {
			m.must(stream, x, c, problem("live: an attempt waited"))
		}
		switch r := c.readings[0]; {
		case err == nil:
			m.check(stream, c, x)
		case errors.Is(err, ids.ErrClockBackward):
			if !j.issued || sub(j.high, r) < j.maxAhead {
				m.must(stream, x, c, problem("refused with %q, where the clock was not set back", err))
			}
		case errors.Is(err, ids.ErrExhausted):
			if j.at(r) > j.end {
				r = j.peak // it tells nothing, as if the clock stood still
			}
			if !j.issued || sub(j.start(j.last+1), j.start(j.at(r))) <= j.maxAhead {
				m.must(stream, x, c, problem("refused with %q, where there is room", err))
			}
		case errors.Is(err, ids.ErrSuspended):
			if !m.limited || max(j.at(r), j.last+1) <= j.at(nanos(m.limit.Time)) {
				m.must(stream, x, c, problem("refused with %q, where the limit covers it", err))
			}
			m.persist(renewal)
			m.enforce()
		case errors.Is(err, ids.ErrRange) && j.last >= j.end:
		default:
			m.must(stream, x, c, problem("refused with %q", err))
		}
		m.world.now += pace
	}
}

// smear lets a day pass on a clock that shows a second less in it, with n ids in it.
func (m *machine) smear(stream, n int) {
	const day = int64(24 * time.Hour)
	m.wall.drifts(-11_574)
	for range n {
		m.do(event{action: mint, stream: stream, n: 1, d: day / int64(n)})
	}
	m.wall.drifts(0)
}

// save saves the state, as one that may be old when it is needed.
func (m *machine) save() {
	m.saved = m.state()
	for i := range m.adders {
		if m.ownSet(i) {
			m.adders[i].close()
			m.savedSets[i] = m.adders[i].set.merge()
		}
	}
}

// state asks the process for its state. It would start a clock sequence at bits that do not
// follow from the seed: an id starts it at some that do.
func (m *machine) state() ids.ClockState {
	if !m.known {
		m.mint(int(v1), 1, 0)
	}
	m.wall.readings = m.wall.readings[:0]
	return m.process.state()
}

// ownSet reports whether the ids of a stream are unique by the machine's number, not by random
// bits.
func (m *machine) ownSet(stream int) bool {
	k := m.world.plan.schemes[stream].kind
	return k != v7 && k != ulid
}

// persist saves a state that is d ahead of the clock and of what was issued.
func (m *machine) persist(d int64) {
	m.state()
	m.durable = m.process.ahead(time.Duration(d))
}

// enforce makes the state saved ahead the limit.
func (m *machine) enforce() {
	m.limited, m.limit = true, m.durable
	m.process.limit(m.durable)
}

// crash ends the process and starts another.
func (m *machine) crash(with int) {
	w := m.world
	if m.safe {
		with = ahead // it always has one
	} else if with == ahead {
		with = current
	}
	var state ids.ClockState
	switch with {
	case current:
		state = m.state()
	case old:
		state = m.saved
	case ahead:
		state = m.durable
	}
	if nanos(state.Time) == future {
		with, state = lost, ids.ClockState{} // ids of a wild reading: no int64 of nanoseconds has room for their time
	}
	w.stats.crashes[with]++
	switch with {
	case lost:
		m.forget(make([][]key, len(m.adders)))
	case old:
		m.forget(m.savedSets)
	}
	m.boot(state)
}

// forget makes the machine answer only for the ids given, by stream.
func (m *machine) forget(sets [][]key) {
	for i := range m.adders {
		if m.ownSet(i) {
			m.adders[i].close()
			m.adders[i].set.reset(sets[i])
		}
	}
}
