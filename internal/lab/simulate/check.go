package main

import (
	"errors"
	"fmt"

	"github.com/oneclock/ids"
)

// check checks an id that a call gave.
func (m *machine) check(stream int, c *call, x key) {
	j := m.judge(stream)
	m.wait(stream, c, 1)
	m.format(stream, x)
	m.must(stream, x, c, j.ids(c, []key{x}))
	m.unique(stream, x)
	if m.maxAhead == 0 && j.length() < longest && !j.spent() {
		m.world.stats.ahead = max(m.world.stats.ahead, j.lead(c))
	}
}

// format checks the fields of an id that do not depend on the clock, and the limit.
func (m *machine) format(stream int, x key) {
	j := m.judge(stream)
	tick, node := j.fields(x)
	want := m.nodeID
	if j.kind == snowflake {
		want = uint64(m.number) & (1<<j.layout.NodeBits - 1)
	}
	switch {
	case j.limited() && node != want:
		m.must(stream, x, nil, problem("unique: its node is %d", node))
	case !j.marked(x):
		m.must(stream, x, nil, problem("its version or variant is wrong"))
	case m.limited && j.limited() && (m.limit == past || j.start(tick) > m.limit):
		m.must(stream, x, nil, problem("unique: the limit, %s, does not cover %s", clock(m.limit), clock(j.start(tick))))
	}
}

// unique checks that an id is new, and counts it.
func (m *machine) unique(stream int, x key) {
	j := m.judge(stream)
	m.world.stats.mix(x)
	if !m.sets[m.world.plan.schemes[stream].lane].add(x) {
		m.must(stream, x, nil, problem("unique: it was issued before"))
	}
	m.world.stats.ids[j.kind]++
}

// wait checks how long a call for n ids waited and how often it read the clock: once, and again
// where a limit withheld its id, or for each part of a run.
func (m *machine) wait(stream int, c *call, n int) {
	s := m.world.stats
	waited := c.lasted()
	switch {
	case waited > int64(n)*longest:
		m.must(stream, key{}, c, problem("live: the call waited %s", span(waited)))
	case len(c.readings) > n+c.withheld:
		m.must(stream, key{}, c, problem("live: the call read the clock %d times", len(c.readings)))
	case waited > 0 && !c.run:
		s.waits++
		s.longest = max(s.longest, waited)
	}
}

// recovered recovers from a panic in a call for up to n ids, if it is due: the clock or the source
// of random bytes is broken, or the format has ended.
func (m *machine) recovered(stream, n int) {
	p := recover()
	if p == nil {
		return
	}
	err, ok := p.(error)
	if !ok || errors.As(err, new(interface{ RuntimeError() })) {
		panic(p)
	}
	m.end()
	if errors.Is(err, errBroken) {
		return
	}
	j := m.judge(stream)
	if !m.call.run {
		n = 0
	}
	if !errors.Is(err, ids.ErrRange) || !j.ends(m.wall.latest, n) {
		panic(p)
	}
	if m.call.run && !j.late(m.wall.latest) {
		// The run issued ids that were lost.
		end := j.start(j.end)
		j.issued, j.last, j.top, j.minted = true, end, end, false
		if j.limited() {
			m.issued = max(m.issued, end)
		}
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
		text += "\n  the clock showed " + clock(c.readings[0].shown)
		if n := len(c.readings); n > 1 {
			text += fmt.Sprintf(", and %d readings later %s", n-1, clock(c.last().shown))
		}
		text += fmt.Sprintf("; the call lasted %s", span(c.end-c.readings[0].when))
	}
	panic(&violation{text})
}
