package main

import (
	"fmt"
)

// check checks an id that a call gave.
func (m *machine) check(stream int, c *call, x key) {
	j := &m.judges[stream]
	tick, seq, node := j.fields(x)
	m.wait(stream, c)
	m.format(stream, x, tick, seq, node)
	if m.world.heldUp == m {
		m.world.heldUp = nil
		m.must(stream, x, c, j.resync(c, j.sortable(x, tick), tick, seq))
	} else {
		ahead, v := j.id(c, j.sortable(x, tick), tick, seq)
		m.must(stream, x, c, v)
		if ahead > m.world.stats.ahead {
			m.ahead(j, ahead)
		}
	}
	m.world.stats.mix(x)
	if !m.adders[stream].add(j.sortable(x, tick)) {
		m.must(stream, x, c, problem("unique: it was issued before"))
	}
	m.world.stats.ids[j.kind]++
}

// format checks the fields of an id that do not hang on the clock.
func (m *machine) format(stream int, x key, tick int64, seq uint16, node uint64) {
	j := &m.judges[stream]
	switch j.kind {
	case v1, v6:
		if m.pending {
			m.resume(seq)
		}
		m.world.call.top = m.top
		if m.known && seq < m.seq {
			m.wrap(stream)
		}
		m.known = true
		m.seq = seq
		m.top = max(m.top, tick)
		if m.wrapped && tick <= m.floor {
			m.must(stream, x, nil, problem("unique: it is not above the floor, %s", clock(j.start(m.floor))))
		}
		if node != m.nodeID {
			m.must(stream, x, nil, problem("unique: its node is not that of the machine"))
		}
	case snowflake:
		if node != uint64(m.number) {
			m.must(stream, x, nil, problem("unique: its node is %d", node))
		}
	}
	if !j.marked(x) {
		m.must(stream, x, nil, problem("its version or variant is wrong"))
	}
	if m.limited && (j.kind == snowflake || j.sequenced()) && j.start(tick) > nanos(m.limit.Time) {
		m.must(stream, x, nil, problem("unique: the limit, %s, does not cover %s", clock(nanos(m.limit.Time)), clock(j.start(tick))))
	}
}

// resume puts the restored state in force for V1 and V6, at the first of their ids, which has
// the clock sequence given. They go on from the state where the clock had passed its time,
// where it was not above the floor, and where no sequence was free.
func (m *machine) resume(seq uint16) {
	m.pending = false
	saved := nanos(m.restored.Time)
	if m.wall.first < saved && m.judges[v1].at(m.wall.first) > m.floor && seq != m.restored.Sequence && seq != 0 {
		saved = nanos(m.restored.Floor)
	}
	for _, i := range []kind{v1, v6} {
		m.judges[i].resume(saved, m.restored.Sequence)
	}
}

// wrap is called when an id of a stream shows that the clock sequence has come round to 0. The
// other stream of V1 and V6 goes on above the floor, too.
func (m *machine) wrap(stream int) {
	m.wrapped, m.floor = true, m.top
	m.world.call.unsure = true
	if j := &m.judges[v1+v6-kind(stream)]; j.last <= m.floor {
		j.resume(j.start(m.floor), 0)
	}
}

// spent recovers from the panic that is due at the end of a format.
func (m *machine) spent(stream int) {
	p := recover()
	if p == nil {
		return
	}
	j := &m.judges[stream]
	last := j.last
	if j.sequenced() {
		last = max(last, m.top) // above which V1 and V6 go on when the clock sequence comes round
	}
	if err, ok := p.(error); !ok || err.Error() != spent || last < j.end-1 {
		panic(p)
	}
	j.issued, j.last = true, j.end
	m.end(&m.world.call)
	m.world.stats.spent++
}

// spent is what a constructor panics with past the last tick of a format.
const spent = "ids: the last tick of the format is used up"

// wait checks how long a call waited and how often it read the clock.
func (m *machine) wait(stream int, c *call) {
	w := m.world
	if w.heldUp == m {
		return
	}
	if c.waited > patience {
		m.must(stream, key{}, c, problem("live: the call waited %s", span(c.waited)))
	}
	if len(c.readings) != 1 && c.waited == 0 {
		m.must(stream, key{}, c, problem("the call read the clock %d times and did not wait", len(c.readings)))
	}
	if c.waited > 0 {
		w.stats.waits++
		w.stats.longest = max(w.stats.longest, c.waited)
		if c.waited == patience {
			w.stats.forced++
		}
	}
}

// ahead notes how far an id was ahead of a clock that is not behind what was issued, for the
// default of MaxAhead.
func (m *machine) ahead(j *judge, ahead int64) {
	if m.maxAhead == 0 && j.setback == 0 {
		m.world.stats.ahead = ahead
	}
}

// must panics with v, if it is a violation, in the context of an id.
func (m *machine) must(stream int, x key, c *call, v *violation) {
	if v == nil {
		return
	}
	s := &m.world.plan.schemes[stream]
	text := fmt.Sprintf("machine %d, %s", m.number, s.name)
	if x != (key{}) {
		text += " " + s.text(x)
	}
	text += ": " + v.text
	if c != nil && len(c.readings) > 0 {
		text += "\n  the clock showed " + clock(c.readings[0])
		if n := len(c.readings); n > 1 {
			text += fmt.Sprintf(", and %d readings later %s", n-1, clock(c.readings[n-1]))
		}
		text += fmt.Sprintf("; the call waited %s", span(c.waited))
	}
	panic(&violation{text})
}
