package main

import (
	"errors"
	"maps"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// run mints a run of n ids.
func (m *machine) run(stream, n int) {
	if !m.ready(stream) {
		return
	}
	defer m.recovered(stream, n)
	c := m.begin(stream, true)
	m.buf = m.process.run(stream, m.buf[:0], n)
	m.returned()
	if len(m.buf) != n {
		m.must(stream, key{}, c, problem("a run of %d ids has %d", n, len(m.buf)))
	}
	if n == 0 {
		return
	}
	m.wait(stream, c, n)
	for _, x := range m.buf {
		m.format(stream, x)
	}
	j := m.judge(stream)
	m.must(stream, j.prev, c, j.ids(c, m.buf))
	for _, x := range m.buf {
		m.unique(stream, x)
	}
}

// try makes n attempts at a Snowflake. After every other one that is refused, it shows what Next
// does at the same reading.
func (m *machine) try(stream, n int, pace int64) {
	if !m.ready(stream) {
		return
	}
	defer m.recovered(stream, n)
	j := m.judge(stream)
	for i := range n {
		c := m.begin(stream, false)
		x, err := m.process.try(stream)
		m.returned()
		if c.lasted() > 0 {
			m.must(stream, x, c, problem("live: an attempt waited"))
		}
		r := c.last().shown
		var v *violation
		switch {
		case err == nil:
			m.check(stream, c, x)
			if sub(j.last, j.shown(c.last())) > j.maxAhead {
				v = problem("true: an attempt gave an id more than MaxAhead ahead of the clock")
			}
		case errors.Is(err, ids.ErrWithheld):
			v = m.because(err, ids.ErrWithheld)
			if !m.limited || j.covered(r, m.limit) {
				v = problem("refused with %q, where the limit covers it", err)
			}
			m.release(renewal)
		case len(causesIn(err)) > 0:
			v = problem("cause: %q, where no limit withholds the id", err)
		case errors.Is(err, ids.ErrExhausted):
			if i%2 == 0 {
				v = m.instead(stream, r, !errors.Is(err, ids.ErrClockBehind))
			}
		case errors.Is(err, ids.ErrRange) && j.ends(r, 0):
		default:
			v = problem("refused with %q", err)
		}
		m.must(stream, x, c, v)
		m.world.pass(pace)
	}
}

// instead calls Next at the reading r, at which TryNext has been refused because all ticks are
// taken, or because the clock was set back.
func (m *machine) instead(stream int, r int64, exhausted bool) *violation {
	j := m.judge(stream)
	lag := sub(j.last, j.shown(reading{shown: r}))
	if exhausted && lag > 2*longest+2*j.maxAhead+2*j.length() {
		return problem("refused as exhausted, where the clock was set back by %s", span(lag))
	}
	m.wall.again = true
	c := m.begin(stream, false)
	x := m.process.next(stream)
	m.returned()
	m.check(stream, c, x)
	switch {
	case exhausted && c.lasted() == 0:
		return problem("refused as exhausted, where Next does not wait")
	case !exhausted && sub(j.last, j.shown(c.last())) <= j.maxAhead-j.length():
		return problem("refused because of a clock set back, where Next is not more than MaxAhead ahead")
	}
	return nil
}

// smear lets a day pass on a clock that shows a second less in it, with n ids in it.
func (m *machine) smear(stream, n int) {
	const day = int64(24 * time.Hour)
	m.wall.drifts(-11_574)
	for range n {
		m.mint(stream, 1, day/int64(n))
	}
	m.wall.drifts(0)
}

// latest returns what Latest gives, which follows from the ids.
func (m *machine) latest() int64 {
	for i := range m.judges {
		if j := &m.judges[i]; j.minted && j.limited() {
			m.issued = max(m.issued, j.top)
		}
	}
	t := m.process.latest()
	if m.call.run && m.world.began.Load() != idleNow {
		m.issued = max(m.issued, nanos(t)) // a run in progress has issued ids that are not known yet
	}
	switch {
	case nanos(t) != m.issued:
		panic(problem("Latest is %s, not %s", t, clock(m.issued)))
	case t.Location() != time.UTC:
		panic(problem("Latest is in %s", t.Location()))
	}
	return m.issued
}

// save saves the latest time, as one that may be old when it is needed.
func (m *machine) save() {
	m.saved = m.latest()
	for i := range m.sets {
		if m.ownSet(i) {
			m.savedSets[i] = maps.Clone(m.sets[i])
		}
	}
}

// ownSet reports whether the ids of a lane are unique by the machine's number, not by random bits.
func (m *machine) ownSet(lane int) bool { return m.world.plan.schemes[lane].limited() }

// persist saves a horizon.
func (m *machine) persist(d int64) {
	calls := m.wall.readings
	m.wall.readings = nil
	t := m.process.horizon(time.Duration(d))
	shown := m.wall.readings[0].shown
	m.wall.readings = calls
	m.durable = nanos(t)
	if shown == future {
		return // later than that is hard to tell
	}
	want := int64(past)
	if shown != past {
		want = add(shown, d)
	}
	if latest := m.latest(); latest != past {
		want = max(want, add(latest, d/100))
	}
	want = max(want, m.limit)
	if m.durable != want {
		panic(problem("NextHorizon(%s) is %s, not %s, where the clock shows %s", span(d), t, clock(want), clock(shown)))
	}
}

// enforce makes the horizon that was saved last the limit.
func (m *machine) enforce() {
	if m.durable != past {
		m.setLimit(m.durable)
	}
}

// setLimit sets the limit, with a cause or without.
func (m *machine) setLimit(t int64) {
	m.limit, m.cause = t, m.newCause()
	m.process.limit(toTime(t, m.wall.zone), m.cause.asError())
}

// extend sets a limit that is d later than the clock and the latest id.
func (m *machine) extend(d int64) { m.setLimit(add(max(m.wall.latest, m.latest(), 0), d)) }

// release lets the ids go on that a limit withholds.
func (m *machine) release(d int64) {
	if !m.safe {
		m.extend(max(d, m.reach))
		return
	}
	m.persist(d)
	if m.durable == past || d == farthest {
		m.durable = add(max(m.durable, 0), d) // a clock that is centuries behind proposes no time that helps
	}
	m.enforce()
}

const (
	// renewal is how far ahead of its time the horizon is that a program saves, as a rule, in ns.
	renewal = int64(10 * time.Second)
	// farthest is how far ahead at most, in ns, for a call that needs more.
	farthest = 1 << 61
	// period is after what time a call is looked at that has a limit.
	period = 100 * time.Millisecond
	// idleNow is when a call began that is not in progress.
	idleNow = -1
)

// watched runs beside a call that has lasted for some time. If the limit withholds its id, it lets it go
// on, as another goroutine of a program would.
func (m *machine) watched() {
	synctest.Wait() // until the call can do nothing by itself
	w := m.world
	if began := w.began.Load(); began == idleNow || time.Since(w.start)-time.Duration(began) < period {
		return
	}
	w.catchUp()
	n := len(m.wall.readings)
	alive := n > m.seen+1 // a long run that goes on by itself
	m.seen = n
	m.watch.Reset(period)
	w.began.Store(w.bubble)
	if !alive {
		m.goOn()
	}
}

// goOn lets the call in progress go on, whose id the limit withholds. The limit is set last: all else
// is done while the call is blocked.
func (m *machine) goOn() {
	defer func() {
		if p := recover(); p != nil {
			m.fault = caught(p)
			m.watch.Stop() // if it waits on all the same, the bubble ends
			m.process.limit(toTime(greatest, time.UTC), nil)
		}
	}()
	c := &m.call
	j := m.judge(c.stream)
	switch {
	case m.ended:
		panic(problem("live: it waits for a later limit, when the clock has ended"))
	case c.withheld == 1000:
		panic(problem("live: it waits on, although the limit was set %d times", c.withheld))
	case !c.run && j.covered(m.wall.latest, m.limit):
		panic(problem("live: an id is withheld at %s, where the limit covers it", clock(m.wall.latest)))
	}
	if c.withheld++; c.withheld == 1 {
		m.world.stats.withheld++
	}
	far := m.far
	m.far = min(2*far, farthest) // or a call for a tick that is far ahead takes long
	m.release(far)
}

// crash ends the process and starts another.
func (m *machine) crash(with int) {
	if m.safe {
		with = ahead // or nothing has been issued yet
	}
	after := int64(past)
	switch with {
	case lost:
		m.forget(make([]set, len(m.sets)))
	case current:
		after = m.latest()
	case old:
		after = m.saved
		m.forget(m.savedSets)
	case ahead:
		after = m.durable
	}
	m.world.stats.crashes[with]++
	m.boot(after)
}

// loop crashes ten times a second, on a clock that is right. That must not carry the horizon away.
func (m *machine) loop(n int) {
	if !m.safe {
		return
	}
	m.wall.mend()
	most := max(renewal, sub(m.durable, m.wall.plain()))
	for range n {
		m.world.pass(1e8)
		m.crash(ahead)
		m.mint(int(v1), 1, 0)
		if far := sub(m.durable, m.wall.plain()); far > most {
			panic(problem("true: restarts have carried the horizon %s away from the clock", span(far-most)))
		}
	}
}

// forget makes the machine answer only for the ids given, by lane.
func (m *machine) forget(sets []set) {
	for i := range m.sets {
		if m.ownSet(i) {
			m.sets[i] = set{}
			maps.Copy(m.sets[i], sets[i])
		}
	}
}
