package ids_test

import (
	"math/big"
	"time"

	"github.com/oneclock/ids"
)

const (
	maxWait   = 20 * time.Millisecond  // the most that a call waits for a clock
	maxAhead  = 10 * time.Millisecond  // the most that an id is ahead of one, by default
	minSleep  = 100 * time.Microsecond // the least that a call waits, if it must
	sequences = 4096                   // of versions 1 and 6
	nobound   = 1<<62 - 1              // as many ticks or nanoseconds as there can be
)

// A model says what one scheme issues on one clock, from the readings of the wall clock and the
// time that passes. It restates the rule for readers, and knows nothing of how lanes keep it:
//
//  1. If the wall clock's tick is later than the latest id's, go with the wall clock.
//  2. If it is the same, or earlier by no more than the patience, stay in the latest id's tick. If that
//     is full, take the next one and pay for it.
//  3. If it is earlier by more, go with the wall clock again, versions 1 and 6 with their next clock
//     sequence.
type model struct {
	name string

	// A tick is per/ticks nanoseconds, and tick 0 begins at epoch.
	epoch      time.Time
	per, ticks int64
	least      int64 // the first tick that may be issued
	most       int64 // the last
	room       int64 // how many ids a tick holds; 0: no bound

	patience  int64 // in ticks, rounded up; negative: without end
	ahead     int64 // MaxAhead in ticks, rounded down
	maxAhead  time.Duration
	sequenced bool
	bound     bool // by After and a ClockLimit

	any   bool  // whether there is a latest id, or a time to start after
	tick  int64 // of the latest id
	count int64 // how many ids that tick has given
	owed  time.Duration

	started  bool
	sequence int   // 12 bits
	turns    int   // how many sequences have been used since the floor was set
	floor    int64 // at or below which no clock is followed
	top      int64 // the highest tick of all ids

	// The latest results of tickOf and timeOf, which serve many ids.
	read, began         time.Time
	readTick, beganTick int64
}

// newModel returns a model without an end or a bound of ids, of a scheme that follows a wall clock which is
// behind by more than patience. A negative patience has no end.
func newModel(name string, epoch time.Time, per, ticks int64, patience, maxAhead time.Duration) *model {
	m := &model{name: name, epoch: epoch, per: per, ticks: ticks, most: nobound, patience: -1, floor: -1, top: -1,
		read: epoch} // whose tick is 0
	m.maxAhead = min(maxAhead, 1<<60) // as ClockOptions has it
	m.ahead = m.whole(m.maxAhead).Int64()
	if patience >= 0 {
		// The wall clock may be anywhere in its tick.
		n := m.whole(patience)
		if exact := new(big.Int).Mul(n, big.NewInt(per)); exact.Cmp(m.scaled(patience)) < 0 {
			n.Add(n, big.NewInt(1))
		}
		m.patience = n.Int64()
	}
	return m
}

// scaled returns d in units of 1/ticks nanoseconds.
func (m *model) scaled(d time.Duration) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(m.ticks))
}

// whole returns how many ticks are whole within d.
func (m *model) whole(d time.Duration) *big.Int {
	return new(big.Int).Div(m.scaled(d), big.NewInt(m.per))
}

// span returns how long n ticks last, or a time longer than any wait.
func (m *model) span(n int64) time.Duration {
	if n > nobound/m.per {
		return nobound
	}
	return time.Duration(n * m.per / m.ticks)
}

// tickOf returns the tick of a time: negative before the epoch, and at most nobound+1.
func (m *model) tickOf(t time.Time) int64 {
	if t == m.read {
		return m.readTick
	}
	n := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9))
	n.Sub(n, new(big.Int).Mul(big.NewInt(m.epoch.Unix()), big.NewInt(1e9)))
	n.Add(n, big.NewInt(int64(t.Nanosecond())-int64(m.epoch.Nanosecond())))
	n.Mul(n, big.NewInt(m.ticks))
	n.Div(n, big.NewInt(m.per)) // rounds down
	tick := int64(nobound + 1)
	switch {
	case n.Sign() < 0:
		tick = -1
	case n.Cmp(big.NewInt(nobound)) <= 0:
		tick = n.Int64()
	}
	m.read, m.readTick = t, tick
	return tick
}

// timeOf returns the start of a tick.
func (m *model) timeOf(tick int64) time.Time {
	if tick == m.beganTick && !m.began.IsZero() {
		return m.began
	}
	n := new(big.Int).Mul(big.NewInt(tick), big.NewInt(m.per))
	n.Div(n, big.NewInt(m.ticks))
	sec, nsec := n.DivMod(n, big.NewInt(1e9), new(big.Int))
	m.beganTick, m.began = tick, time.Unix(m.epoch.Unix()+sec.Int64(), int64(m.epoch.Nanosecond())+nsec.Int64()).UTC()
	return m.began
}

// after makes the model start after a time.
func (m *model) after(t time.Time) {
	if t.IsZero() || !m.bound {
		return
	}
	if tick := min(m.tickOf(t), m.most); tick >= m.least {
		m.any, m.tick, m.count = true, tick, m.room
		m.floor, m.top = tick, tick
	}
}

// A forecast is what a model says of the next id.
type forecast struct {
	tick     int64
	place    int64
	sequence int
	err      error         // ErrRange, ErrWithheld or ErrEnded, and then it is not issued
	wait     time.Duration // for how long it must wait
	refusal  error         // what TryNext returns in its place: ErrExhausted, ErrClockBehind, or nil if it issues the id
}

// next returns the forecast of an id that is asked for when the wall clock shows now and passed has
// gone by since the model was last asked. Unless there is an error, the id is issued.
func (m *model) next(now, limit time.Time, passed time.Duration) (v forecast) {
	m.owed = max(m.owed-passed, 0)
	// A time before the first tick is taken for the first, and one past the last for the latest id's tick.
	wall := max(m.tickOf(now), m.least)
	past := wall > m.most
	if past && !m.any {
		return forecast{err: ids.ErrRange}
	}
	if past {
		wall = m.tick
	}

	v = forecast{tick: m.tick, place: m.count, sequence: m.sequence}
	turn, rise := false, false
	switch {
	case !m.any || wall > m.tick:
		v.tick, v.place = wall, 0
	case m.patience < 0 || m.tick-wall <= m.patience:
	case !m.sequenced:
		v.tick, v.place = wall, 0
	case wall <= m.floor: // where ids of the next sequence may exist
	case m.turns < sequences:
		v.tick, v.place, turn = wall, 0, true
	default: // all sequences are used: it goes on above all ids
		v.tick, v.place, rise = max(m.top, m.tick)+1, 0, true
	}
	pays := rise
	if m.room > 0 && v.place == m.room {
		v.tick, v.place, pays = v.tick+1, 0, true
	}
	switch {
	case v.tick > m.most:
		v.err = ids.ErrRange
	case m.bound && m.timeOf(v.tick).After(limit):
		v.err = ids.ErrWithheld
	}
	if v.err != nil {
		return v // and nothing has changed
	}
	if rise {
		m.floor, m.turns = v.tick-1, 1
	}
	if turn {
		m.turns++
		m.sequence = (m.sequence + 1) % sequences
		v.sequence = m.sequence
	}
	m.pay(&v, wall, past, pays)
	m.any, m.tick, m.count, m.top = true, v.tick, v.place+1, max(m.top, v.tick)
	return v
}

// pay adds the cost of a tick to what is owed, if the id pays for one, and says how long the id waits
// and what TryNext makes of it.
func (m *model) pay(v *forecast, wall int64, past, pays bool) {
	// A tick costs its length, and twice that if it is more than MaxAhead ahead. What would take
	// longer than a wait is forgiven.
	before := m.owed
	over := v.tick - wall - m.ahead
	if pays {
		cost := m.span(1)
		if over > 0 {
			cost = min(2*cost, nobound)
		}
		m.owed = min(m.owed+min(cost, nobound-m.owed), m.maxAhead+2*maxWait)
	}
	// It waits until the wall clock is within MaxAhead of it, in whole ticks, or until the debt is. A wall
	// clock past the end does not say when it will be.
	if m.owed > m.maxAhead && (over > 0 || past) {
		v.wait = min(m.owed-m.maxAhead, maxWait)
		if !past {
			v.wait = min(v.wait, m.span(over))
		}
		v.wait = max(v.wait, minSleep)
	}
	// TryNext refuses what would wait or is too far ahead. Load alone puts the latest id ahead by what is
	// owed, and by MaxAhead in jitter. If it is farther ahead, or nothing waits, the clock was set back.
	switch {
	case v.wait == 0 && over <= 0:
	case v.wait == 0, m.tick-wall-m.whole(before).Int64() > m.ahead:
		v.refusal = ids.ErrClockBehind
	default:
		v.refusal = ids.ErrExhausted
	}
}
