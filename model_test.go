package ids_test

// A model of the rule of the clock in exact numbers, and TestModel, which compares clocks with it.

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

const (
	maxWait   = 20 * time.Millisecond  // longest wait of a call for a clock
	maxAhead  = 10 * time.Millisecond  // default of how far an ID may be ahead of its clock
	minSleep  = 100 * time.Microsecond // shortest wait of a call that must wait
	sequences = 4096                   // number of clock sequences of versions 1 and 6
	nobound   = 1<<62 - 1              // larger than any number of ticks or nanoseconds that occurs
)

// A model predicts the IDs of one format on one clock from the readings of the wall clock and the
// time that passes. It restates the rule for readers and is independent of the lanes'
// implementation:
//
//  1. If the wall clock's tick is later than the latest ID's, take the wall clock's tick.
//  2. If it is the same tick, or earlier by no more than the tolerance, stay in the latest ID's
//     tick. If that tick is full, take the next one and pay for it.
//  3. If it is earlier by more, take the wall clock's tick again, in versions 1 and 6 with the next
//     clock sequence.
type model struct {
	name string

	// A tick is per/ticks nanoseconds, and tick 0 begins at epoch.
	epoch      time.Time
	per, ticks int64
	least      int64 // first tick that may be used
	most       int64 // last tick that may be used
	capacity   int64 // number of IDs that a tick holds; 0: no bound

	tolerance int64 // in ticks, rounded up; negative: unlimited
	ahead     int64 // MaxAhead in ticks, rounded down
	maxAhead  time.Duration
	sequenced bool
	bound     bool // bound by After and a ClockLimit

	hasLatest bool  // there is a latest ID, or a time to start after
	tick      int64 // tick of the latest ID
	count     int64 // number of IDs of that tick so far
	debt      time.Duration

	started  bool
	sequence int   // 12 bits
	turns    int   // number of sequences used since the floor was set
	floor    int64 // the model never follows a clock back to this tick or below
	top      int64 // highest tick of all IDs

	// The latest results of tickOf and timeOf, cached because many IDs have the same tick.
	read, began         time.Time
	readTick, beganTick int64
}

// newModel returns a model without a last tick and without a bound on the IDs of a tick. Its format
// follows a wall clock that is behind by more than tolerance. A negative tolerance is unlimited.
func newModel(name string, epoch time.Time, per, ticks int64, tolerance, maxAhead time.Duration) *model {
	m := &model{name: name, epoch: epoch, per: per, ticks: ticks, most: nobound, tolerance: -1, floor: -1, top: -1,
		read: epoch} // its tick is 0
	m.maxAhead = min(maxAhead, 1<<60) // as in ClockOptions
	m.ahead = m.whole(m.maxAhead).Int64()
	if tolerance >= 0 {
		// The wall clock may be anywhere in its tick.
		n := m.whole(tolerance)
		if exact := new(big.Int).Mul(n, big.NewInt(per)); exact.Cmp(m.scaled(tolerance)) < 0 {
			n.Add(n, big.NewInt(1))
		}
		m.tolerance = n.Int64()
	}
	return m
}

// scaled returns d in units of 1/ticks nanoseconds.
func (m *model) scaled(d time.Duration) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(m.ticks))
}

// whole returns the number of whole ticks in d.
func (m *model) whole(d time.Duration) *big.Int {
	return new(big.Int).Div(m.scaled(d), big.NewInt(m.per))
}

// span returns the duration of n ticks, or a time longer than any wait.
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

// after makes the model start after t.
func (m *model) after(t time.Time) {
	if t.IsZero() || !m.bound {
		return
	}
	if tick := min(m.tickOf(t), m.most); tick >= m.least {
		m.hasLatest, m.tick, m.count = true, tick, m.capacity
		m.floor, m.top = tick, tick
	}
}

// A forecast is a model's prediction of the next ID.
type forecast struct {
	tick     int64
	place    int64
	sequence int
	err      error         // ErrRange, ErrWithheld or ErrEnded; the ID is then not issued
	wait     time.Duration // time that the call must wait
	// error that TryNext returns instead: ErrExhausted, ErrClockBehind, or nil if it issues the ID
	refusal error
}

// next returns the forecast for an ID requested when the wall clock shows now, a time of passed
// after the model's previous request. Unless the forecast has an error, the ID is issued.
func (m *model) next(now, limit time.Time, passed time.Duration) (v forecast) {
	m.debt = max(m.debt-passed, 0)
	// A time before the first tick counts as the first tick, and a time past the last tick as the
	// latest ID's tick.
	wall := max(m.tickOf(now), m.least)
	past := wall > m.most
	if past && !m.hasLatest {
		return forecast{err: ids.ErrRange}
	}
	if past {
		wall = m.tick
	}

	v = forecast{tick: m.tick, place: m.count, sequence: m.sequence}
	turn, rise := false, false
	switch {
	case !m.hasLatest || wall > m.tick:
		v.tick, v.place = wall, 0
	case m.tolerance < 0 || m.tick-wall <= m.tolerance:
	case !m.sequenced:
		v.tick, v.place = wall, 0
	case wall <= m.floor: // IDs of the next sequence may exist there
	case m.turns < sequences:
		v.tick, v.place, turn = wall, 0, true
	default: // all sequences are used, so continue above all IDs
		v.tick, v.place, rise = max(m.top, m.tick)+1, 0, true
	}
	pays := rise
	if m.capacity > 0 && v.place == m.capacity {
		v.tick, v.place, pays = v.tick+1, 0, true
	}
	switch {
	case v.tick > m.most:
		v.err = ids.ErrRange
	case m.bound && m.timeOf(v.tick).After(limit):
		v.err = ids.ErrWithheld
	}
	if v.err != nil {
		return v // nothing has changed
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
	m.hasLatest, m.tick, m.count, m.top = true, v.tick, v.place+1, max(m.top, v.tick)
	return v
}

// pay adds the cost of a tick to the debt if the ID pays for one, and sets the forecast's wait and
// TryNext's error.
func (m *model) pay(v *forecast, wall int64, past, pays bool) {
	// A tick costs its length, or twice its length if it is more than MaxAhead ahead. Any debt
	// above the maximum is forgiven.
	before := m.debt
	over := v.tick - wall - m.ahead
	if pays {
		cost := m.span(1)
		if over > 0 {
			cost = min(2*cost, nobound)
		}
		m.debt = min(m.debt+min(cost, nobound-m.debt), m.maxAhead+2*maxWait)
	}
	// The call waits until the wall clock is within MaxAhead of the ID, in whole ticks, or until
	// the debt is within MaxAhead. If the wall clock is past the end, the first time cannot be
	// computed.
	if m.debt > m.maxAhead && (over > 0 || past) {
		v.wait = min(m.debt-m.maxAhead, maxWait)
		if !past {
			v.wait = min(v.wait, m.span(over))
		}
		v.wait = max(v.wait, minSleep)
	}
	// TryNext refuses an ID that would have to wait or is too far ahead. Load alone puts the latest
	// ID ahead by the debt, plus MaxAhead of jitter. If the ID is further ahead, or there is no
	// wait, the clock was set back.
	switch {
	case v.wait == 0 && over <= 0:
	case v.wait == 0, m.tick-wall-m.whole(before).Int64() > m.ahead:
		v.refusal = ids.ErrClockBehind
	default:
		v.refusal = ids.ErrExhausted
	}
}

// A history takes a clock and its models through random steps.
type history struct {
	t    *testing.T
	seed uint64
	r    *rand.Rand

	// The wall clock shows at, plus the time that has passed since if it runs.
	runs  bool
	at    time.Time
	since time.Time
	reads []time.Time // times in the bubble at which it was read

	opts    ids.ClockOptions
	crowd   func(*ids.Generator) // called before versions 7 and ULID; it changes no forecast
	layouts []ids.SnowflakeLayout
	number  int64 // number of all nodes

	clock      *ids.Clock
	handle     *ids.ClockLimit // nil: the clock has no limit and cannot get one
	gens       [2]*ids.Generator
	nodes      []node
	v1, v6, v7 *model
	ulids      [2]*model
	limit      time.Time // unbounded if there is no limit
	ended      bool      // the clock has ended
	cause      error     // cause in the errors of calls beyond the limit; nil if none was given
	why        string    // text of the cause in their messages
	latest     time.Time
	asked      map[*model]time.Time
	seen       map[ids.UUID]bool

	// Counts for TestModel.
	minted, waits, rounds int
	starts                map[int]bool // first sequences
	met                   map[error]int
}

// A node has a model, which it shares with nodes whose layouts pack alike.
type node struct {
	*ids.SnowflakeNode
	*model
}

func (h *history) wall() time.Time {
	if h.runs {
		return h.at.Add(time.Since(h.since))
	}
	return h.at
}

// set makes the wall clock show t now.
func (h *history) set(t time.Time) { h.at, h.since = t, time.Now() }

func (h *history) now() time.Time {
	h.reads = append(h.reads, time.Now())
	return h.wall()
}

func (h *history) fatalf(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("seed %d: "+format, append([]any{h.seed}, args...)...)
}

// one returns one of the values at random.
func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// newHistory chooses the options and the layouts at random.
func newHistory(t *testing.T, seed uint64, starts map[int]bool) *history {
	r := rand.New(rand.NewPCG(seed, 2))
	h := &history{t: t, seed: seed, r: r, runs: r.IntN(2) == 0, seen: map[ids.UUID]bool{}, starts: starts, met: map[error]int{}}
	h.opts.Now = h.now
	h.crowd = ids.Crowds[[]string{"cleared", "set", "changing"}[seed%3]]
	h.opts.MaxAhead = one(r, 0, 0, 0, -1, 1, 100*time.Microsecond, 3*time.Millisecond+1, 100*time.Millisecond,
		time.Second, 3*time.Second, time.Minute, time.Hour, math.MaxInt64)
	h.opts.Tolerance = one(r, 0, 0, -1, time.Millisecond, 15600*time.Microsecond, time.Hour, 100*365*24*time.Hour, math.MaxInt64)
	l := ids.SnowflakeLayout{NodeLast: r.IntN(2) == 0, SequenceBits: r.IntN(one(r, 1, 2, 4, 12))}
	l.Tick = one(r, 1, 100, 333, time.Microsecond, 250*time.Microsecond, time.Millisecond, time.Millisecond,
		7*time.Millisecond, 10*time.Millisecond, 50*time.Millisecond, time.Second, time.Hour)
	l.NodeBits = r.IntN(one(r, 1, 10, 62-l.SequenceBits))
	l.Epoch = start.Add(-h.leap(50).Abs())
	switch year1 := (time.Time{}).Unix(); r.IntN(6) {
	case 0, 1:
		l.Epoch = l.Epoch.Truncate(time.Second) // so that ticks may be counted by the second
	case 2: // the ends of the range
		l.Epoch = time.Unix(one(r, -1<<39, -1<<38, -1<<37-1, -1<<37, year1-10, year1, 1<<37-1, 1<<37, 1<<38, 1<<39-100), one(r, 0, r.Int64N(1e9)))
	}
	if l.Epoch.IsZero() { // a zero Time is no epoch
		l.Epoch = l.Epoch.Add(1)
	}
	h.number = r.Int64N(1 << l.NodeBits)
	other, longer := l, l
	other.NodeLast = !l.NodeLast
	longer.Tick *= 2
	h.layouts = []ids.SnowflakeLayout{l, l, other, longer}
	h.set(start.Add(h.leap(50)))
	h.live(time.Time{})
	return h
}

// leap returns a random duration, positive or negative, of any magnitude up to 2^power ns.
func (h *history) leap(power int) time.Duration {
	d := time.Duration(h.r.Int64N(1 << (1 + h.r.IntN(power))))
	if h.r.IntN(2) == 0 {
		return -d
	}
	return d
}

// live starts a process after a saved time.
func (h *history) live(after time.Time) {
	if after.Before(h.latest) {
		clear(h.seen) // IDs may now equal those of earlier processes
	}
	h.limit, h.ended, h.latest, h.asked = unbounded, false, after, map[*model]time.Time{}
	h.opts.After = after
	h.clock, h.handle, h.cause, h.why = nil, nil, nil, ""
	if h.r.IntN(4) == 0 {
		h.clock = ids.NewClock(&h.opts)
	} else { // it withholds all IDs of formats with a limit until its first limit
		h.clock, h.handle = ids.NewLimitedClock(&h.opts)
		h.limit, h.why = time.Time{}, "the clock has no limit yet: call ClockLimit.Set"
	}
	orDefault := func(d, zero time.Duration) time.Duration {
		if d == 0 {
			d = zero
		}
		return max(d, 0)
	}
	ahead := orDefault(h.opts.MaxAhead, maxAhead)
	jitter := max(min(ahead, 1<<60), time.Millisecond)
	tolerance := max(orDefault(h.opts.Tolerance, 10*time.Second), jitter)
	if tolerance == math.MaxInt64 {
		tolerance = -1
	}
	year1582 := time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC)
	h.v1 = newModel("V1", year1582, 100, 1, jitter, ahead)
	h.v6 = newModel("V6", year1582, 100, 1, tolerance, ahead)
	for _, m := range []*model{h.v1, h.v6} {
		m.most, m.capacity, m.sequenced, m.bound = 1<<60-1, 4, true, true
		m.after(after)
	}
	h.v7 = newModel("V7", time.Unix(0, 0), 1e6, 4096, tolerance, ahead)
	h.v7.most = 1<<60 - 1
	for i := range h.gens {
		h.gens[i] = ids.NewGenerator(&ids.GeneratorOptions{Clock: h.clock, NodeID: [6]byte{byte(i)}})
		h.ulids[i] = newModel("ULID", time.Unix(0, 0), 1e6, 1, tolerance, ahead)
		h.ulids[i].most = 1<<48 - 1
	}
	h.nodes = nil
	for i, l := range h.layouts {
		m := newModel("Snowflake", l.Epoch, int64(l.Tick), 1, -1, ahead)
		m.bound, m.capacity = true, 1<<l.SequenceBits
		m.least = max(m.tickOf(time.Time{})+1, 0)
		// Times are in range up to the end of the second 2^39 s after 1970, and up to the instant
		// 2^39 s after the epoch.
		m.most = min(1<<(63-l.NodeBits-l.SequenceBits)-1, nobound, m.tickOf(time.Unix(1<<39+1, 0))-1,
			m.tickOf(time.Unix(l.Epoch.Unix()+1<<39, int64(l.Epoch.Nanosecond()))))
		m.after(after)
		if got := l.Last(); m.most >= 0 && got != m.timeOf(m.most) {
			h.fatalf("Last() = %v, want %v, of %+v", got, m.timeOf(m.most), l)
		}
		// The second node shares the model of the first. So does the third if its layout packs
		// alike.
		if i == 1 || i == 2 && (l.NodeBits == 0 || l.SequenceBits == 0) {
			m = h.nodes[0].model
		}
		h.nodes = append(h.nodes, h.newNode(m, l))
	}
}

// newNode makes a node. If the wall clock is outside the layout's range, that must fail; then the
// returned node is nil, unless it is the first one, for which the clock is set.
func (h *history) newNode(m *model, l ids.SnowflakeLayout) node {
	for range 2 {
		n, err := ids.NewSnowflakeNode(h.number, &ids.SnowflakeOptions{Layout: l, Clock: h.clock})
		if tick := m.tickOf(h.wall()); (err != nil) != (tick < m.least || tick > m.most) {
			h.fatalf("NewSnowflakeNode at %v of %+v: %v", h.wall(), l, err)
		}
		if err == nil {
			return node{n, m}
		}
		// The first node needs a wall clock in its range.
		if len(h.nodes) == 0 && m.least <= m.most {
			h.set(m.timeOf(m.least + min(h.r.Int64N(1<<(1+h.r.IntN(61))), m.most-m.least)))
		}
	}
	return node{nil, m}
}

// near returns a time at or near an edge of a model: the first or last tick, the latest ID's tick,
// or a tick before it by the tolerance or before or after it by MaxAhead. The result may be some
// ticks or nanoseconds off.
func (h *history) near() time.Time {
	if h.r.IntN(16) == 0 {
		// These times are outside all formats.
		return time.Unix(one(h.r, int64(-1<<62), -1<<39-1, -1<<39, 1<<39, 1<<39+1, 1<<62), 0).UTC()
	}
	m := one(h.r, h.v1, h.v6, h.v7, h.ulids[0], h.nodes[0].model, h.nodes[0].model, h.nodes[2].model, h.nodes[3].model)
	tick := one(h.r, m.least, m.most, m.tick, m.tick, m.tick-m.tolerance, m.tick-m.ahead, m.tick+m.ahead, m.floor)
	tick += one(h.r, 0, 0, 1, -1, h.r.Int64N(20), -h.r.Int64N(20))
	t := m.timeOf(min(max(tick, m.least-2), m.most+2))
	return t.Add(time.Duration(one(h.r, 0, 0, -1, 1, h.r.Int64N(m.per))))
}

// forecast returns a model's forecast for the next ID at a time of the bubble. That time is in the
// past after a run has waited.
func (h *history) forecast(m *model, at time.Time) forecast {
	now := h.at
	if h.runs {
		now = h.at.Add(at.Sub(h.since))
	}
	return h.forecastOf(m, now, at)
}

// forecastOf is like forecast, for a wall clock that shows now.
func (h *history) forecastOf(m *model, now, at time.Time) forecast {
	passed := at.Sub(h.asked[m])
	h.asked[m] = at
	turns := m.turns
	v := m.next(now, h.limit, passed)
	if v.err == ids.ErrWithheld && h.ended {
		v.err = ids.ErrEnded
	}
	h.met[v.err]++
	if m.turns < turns {
		h.rounds++
	}
	if v.err == nil && m.bound {
		if t := m.timeOf(v.tick); t.After(h.latest) {
			h.latest = t
		}
	}
	return v
}

// An issued ID has the properties that a model predicts.
type issued struct {
	id       any
	time     time.Time
	place    int64
	sequence int
}

// gregorian returns a call that makes a version 1 or 6 UUID.
func (h *history) gregorian(m *model) func() issued {
	g := h.gens[h.r.IntN(2)]
	return func() issued {
		u := g.NewV1
		if m == h.v6 {
			u = g.NewV6
		}
		id := u()
		if h.seen[id] {
			h.fatalf("%s: %v twice", m.name, id)
		}
		h.seen[id] = true
		seq, _ := id.ClockSequence()
		if !m.started { // the first sequence is random
			m.started, m.sequence, h.starts[seq>>2] = true, seq>>2, true
		}
		return issued{id, timeOf(id), int64(seq & 3), seq >> 2}
	}
}

// partsOf splits a Snowflake and checks its node.
func (h *history) partsOf(n node, s ids.Snowflake) issued {
	parts := n.Layout().Split(s)
	if parts.Node != h.number {
		h.fatalf("%v is of node %d, want %d", s, parts.Node, h.number)
	}
	return issued{s, parts.Time, parts.Sequence, 0}
}

// snowflake returns a call of Next or NextContext.
func (h *history) snowflake(n node) func() issued {
	context := h.r.IntN(2) == 0
	return func() issued {
		if !context {
			return h.partsOf(n, n.Next())
		}
		s, err := n.NextContext(h.t.Context())
		if err != nil {
			panic(err)
		}
		return h.partsOf(n, s)
	}
}

// call makes a call and compares its result with the model.
func (h *history) call(m *model, mint func() issued) {
	before := time.Now()
	v := h.forecast(m, before)
	switch v.err {
	case nil:
		h.check(m, v, mint(), time.Since(before))
	case ids.ErrWithheld:
		h.withheld(m, mint, v)
	default:
		if err := panicOf(func() { mint() }); !h.says(err, v.err) || time.Now() != before {
			h.fatalf("%s at %v: %v, want %v", m.name, h.wall(), err, v.err)
		}
	}
}

// check compares an ID, and the time that its call waited, with the forecast.
func (h *history) check(m *model, v forecast, got issued, waited time.Duration) {
	if m.turns == 0 { // the first ID's sequence is random
		m.turns, v.sequence = 1, m.sequence
	}
	if want := m.timeOf(v.tick); got.time != want || got.place != v.place || got.sequence != v.sequence {
		h.fatalf("%s at %v: %v of %v, place %d, sequence %#x; want %v, %d, %#x",
			m.name, h.wall(), got.id, got.time, got.place, got.sequence, want, v.place, v.sequence)
	}
	if waited != v.wait {
		h.fatalf("%s at %v: waited %v, want %v", m.name, h.wall(), waited, v.wait)
	}
	if waited > 0 {
		h.waits++
	}
	h.minted++
}

// says reports whether err is the predicted error. If the limit refuses the ID, err must match the
// limit's cause, if any, and name it.
func (h *history) says(err, want error) bool {
	switch {
	case want != ids.ErrWithheld && want != ids.ErrEnded:
		return errors.Is(err, want)
	case h.why == "":
		return err == want
	}
	word := map[error]string{ids.ErrWithheld: "withheld", ids.ErrEnded: "ended"}[want]
	return errors.Is(err, want) && (h.cause == nil || errors.Is(err, h.cause)) && err.Error() == "ids: "+word+": "+h.why
}

// withheld lets a call wait for the limit, until the limit ends the clock or allows the ID.
func (h *history) withheld(m *model, mint func() issued, v forecast) {
	var got issued
	var err error
	var returned time.Time
	done := make(chan bool)
	go func() {
		err = panicOf(func() { got = mint() })
		returned = time.Now()
		close(done)
	}()
	waits := func() {
		synctest.Wait()
		select {
		case <-done:
			h.fatalf("%s at %v: %v, %v under the limit %v", m.name, h.wall(), got.id, err, h.limit)
		default:
		}
	}
	waits()
	for range h.r.IntN(3) {
		// Just before its tick, or before all ticks.
		h.setLimit(one(h.r, m.timeOf(v.tick).Add(-1), time.Time{}))
		waits()
	}
	if h.r.IntN(8) == 0 {
		h.endAt(one(h.r, h.limit, time.Time{}, unbounded))
		if <-done; !h.says(err, ids.ErrEnded) {
			h.fatalf("%s: %v, %v when the clock ended", m.name, got.id, err)
		}
		return
	}
	h.limit = one(h.r, unbounded, m.timeOf(v.tick), m.timeOf(m.most).Add(time.Hour))
	before := time.Now()
	v = h.forecast(m, before) // before the call continues, which changes the model
	h.setLimit(h.limit)
	if <-done; err != nil {
		h.fatalf("%s: %v under the limit %v", m.name, err, h.limit)
	}
	h.check(m, v, got, returned.Sub(before))
}

// errFull is the error of a keeper that cannot save.
var errFull = errors.New("write /var/lib/ids: no space left on device")

// causes are the causes that a keeper may give for a limit. One matches the error of an ended
// clock.
var causes = []error{nil, nil, errFull, errors.New("the file is lost"), fmt.Errorf("another clock: %w", ids.ErrEnded)}

// setLimit sets the clock's limit, if it can have one.
func (h *history) setLimit(t time.Time) {
	if h.handle == nil {
		return
	}
	cause := one(h.r, causes...)
	if !h.ended {
		h.limit = t
		h.because(cause)
	}
	h.handle.Set(t, cause)
}

// endAt ends the clock, if it has a limit.
func (h *history) endAt(t time.Time) {
	if h.handle == nil {
		return
	}
	if t.Before(h.limit) {
		h.limit = t
	}
	cause := one(h.r, causes...)
	if !h.ended || h.cause == nil {
		h.because(cause)
	}
	h.ended = true
	h.handle.EndAt(t, cause)
}

// because records the cause of the limit.
func (h *history) because(cause error) {
	h.cause, h.why = cause, ""
	if cause != nil {
		h.why = cause.Error()
	}
}

// late calls Next and makes the call wait for the mutex after it has read the clock. Other calls
// may overtake it in that time. If they do, the time that they have read counts.
func (h *history) late(n node) {
	wall := h.wall()
	finish := ids.NextLate(n.SnowflakeNode)
	time.Sleep(h.leap(33).Abs()) // up to 8 s
	for range h.r.IntN(30) {
		if h.r.IntN(4) == 0 {
			h.set(h.wall().Add(h.leap(36)))
		}
		h.tryNext(n)
		wall = h.wall()
	}
	v := h.forecastOf(n.model, wall, time.Now())
	s, wait, err := finish()
	switch {
	case v.err == nil && err == nil:
		h.check(n.model, v, h.partsOf(n, s), wait)
		time.Sleep(wait)
	case v.err == nil || !errors.Is(err, v.err) && (err != ids.ErrWithheld || v.err != ids.ErrEnded):
		h.fatalf("a late call: %v, %v, want %v", s, err, v.err)
	}
}

// tryNext calls TryNext, which refuses an ID that would have to wait or is too far ahead.
func (h *history) tryNext(n node) {
	m, before := n.model, time.Now()
	saved, latest, asked := *m, h.latest, h.asked[m]
	v := h.forecast(m, before)
	want := v.err
	if want == nil && v.refusal != nil {
		*m, h.latest, h.asked[m] = saved, latest, asked // nothing is issued
		want = v.refusal
		h.met[want]++
	}
	s, err := n.TryNext()
	switch {
	case !h.says(err, want) || err != nil && s != 0 || time.Now() != before:
		h.fatalf("TryNext at %v: %v, %v after %v, want %v", h.wall(), s, err, time.Since(before), want)
	case err == nil:
		h.check(m, v, h.partsOf(n, s), 0)
	}
}

// run appends Snowflakes. The run must be like count single calls, each of which begins when the
// previous one returns. If one of them fails, so does the run, and the IDs before it are lost.
func (h *history) run(n node, count int) {
	if count == 0 || h.limit != unbounded && !h.ended {
		return // it might wait forever
	}
	h.reads = nil
	var run []ids.Snowflake
	err := panicOf(func() { run = n.Append(nil, count) })
	reads, at := append(h.reads, time.Now()), h.reads[0]
	for i := range count {
		v := h.forecast(n.model, at)
		switch {
		case v.err != nil && errors.Is(err, v.err):
			return
		case v.err != nil || err == nil && len(run) != count:
			h.fatalf("Append of %d: %d ids, %v, want %v at id %d", count, len(run), err, v.err, i)
		}
		next := at.Add(v.wait)
		for len(reads) > 1 && reads[0].Before(next) {
			reads = reads[1:]
		}
		if err == nil {
			h.check(n.model, v, h.partsOf(n, run[i]), max(reads[0].Sub(at), 0))
		}
		at = next
	}
	if err != nil || !at.Equal(time.Now()) {
		h.fatalf("Append of %d: %v, waits for %v too long", count, err, time.Since(at))
	}
}

// fresh mints IDs that are unique by their random bits. Only their ticks are predicted, and fresh
// leaves a tick before its random part can be full.
func (h *history) fresh(m *model, mint func(n int) (ticks []int64)) {
	n := one(h.r, 1, 2, 3, 1+h.r.IntN(1000))
	if m.count > 4000 {
		return
	}
	before := time.Now()
	v := h.forecast(m, before)
	if v.err != nil {
		if err := panicOf(func() { mint(n) }); !errors.Is(err, ids.ErrRange) {
			h.fatalf("%s at %v: %v, want ErrRange", m.name, h.wall(), err)
		}
		return
	}
	m.count += int64(n) - 1
	for i, tick := range mint(n) {
		if tick != v.tick {
			h.fatalf("%s %d of %d at %v: tick %d, want %d", m.name, i, n, h.wall(), tick, v.tick)
		}
		h.minted++
	}
	if waited := time.Since(before); waited > 0 {
		h.fatalf("%s: waited %v", m.name, waited)
	}
}

func (h *history) mintV7(n int) (ticks []int64) {
	g, run := h.gens[h.r.IntN(2)], []ids.UUID{}
	h.crowd(g)
	if n == 1 {
		run = append(run, g.NewV7())
	} else {
		run = g.AppendV7(run, n)
	}
	for _, u := range run {
		ticks = append(ticks, timeOf(u).UnixMilli()<<12|int64(u[6]&15)<<8|int64(u[7]))
	}
	return ticks
}

func (h *history) mintULID(i int) func(n int) []int64 {
	return func(n int) (ticks []int64) {
		run := []ids.ULID{}
		h.crowd(h.gens[i])
		if n == 1 {
			run = append(run, h.gens[i].NewULID())
		} else {
			run = h.gens[i].AppendULID(run, n)
		}
		for _, u := range run {
			ticks = append(ticks, u.Time().UnixMilli())
		}
		return ticks
	}
}

// checkClock compares the clock's Latest, Ahead and NextHorizon with the model's.
func (h *history) checkClock() {
	if got := h.clock.Latest(); !got.Equal(h.latest) {
		h.fatalf("Latest() = %v, want %v", got, h.latest)
	}
	near := h.wall().Unix() <= 1<<39 // all later times count as the same time
	if got, want := h.clock.Ahead(), max(h.latest.Sub(h.wall()), 0); got != want && near && h.wall().Unix() >= -1<<39 {
		h.fatalf("Ahead() = %v at %v, want %v, to %v", got, h.wall(), want, h.latest)
	}
	if h.handle == nil {
		return
	}
	d := time.Duration(h.r.Int64N(int64(time.Hour)))
	want := h.wall().Add(d)
	if h.latest.Add(d / 100).After(want) {
		want = h.latest.Add(d / 100)
	}
	if h.limit.After(want) {
		want = h.limit
	}
	if got := h.handle.NextHorizon(d); !got.Equal(want) && near {
		h.fatalf("NextHorizon(%v) = %v, want %v", d, got, want)
	}
}

// useSequences sets the clock back and forth until versions 1 and 6 have used almost all of their
// clock sequences. Meanwhile, the highest time stays the same or grows, and the clock goes back in
// one step or in two. Then both versions use the remaining sequences and continue beyond them.
func (h *history) useSequences() {
	high := h.latest
	if wall := h.wall(); wall.After(high) {
		high = wall
	}
	high = high.Add(5 * time.Hour)
	grows, steps := one(h.r, 0, time.Minute), one(h.r, 1, 2)
	both := func(t time.Time) {
		h.set(t)
		h.call(h.v1, h.gregorian(h.v1))
		h.call(h.v6, h.gregorian(h.v6))
	}
	h.setLimit(unbounded)
	for turns := -1; h.v1.turns > turns && h.v1.turns < sequences-h.r.IntN(3) && !h.ended; high = high.Add(grows) {
		turns = h.v1.turns
		both(high)
		both(high.Add(-2 * time.Hour))
		if steps == 2 {
			both(high.Add(-4 * time.Hour))
		}
	}
	for range 20 {
		both(one(h.r, high, high.Add(-time.Hour), high.Add(-2*time.Hour), high.Add(h.leap(50))))
		h.mint()
		h.setLimit(one(h.r, unbounded, unbounded, h.near()))
	}
}

// step changes the clock once, or mints.
func (h *history) step() {
	switch r := h.r.IntN(200); {
	case r < 20:
		h.set(h.wall().Add(h.leap(24))) // up to 17 ms
	case r < 26:
		h.set(h.wall().Add(h.leap(36))) // up to 69 s
	case r < 30:
		h.set(h.wall().Add(h.leap(62))) // up to 146 years
	case r < 42:
		h.set(h.near())
	case r < 50:
		h.excursion()
	case r < 58:
		h.set(h.wall())
		h.runs = !h.runs
	case r < 68:
		time.Sleep(time.Duration(h.r.Int64N(1 << (1 + h.r.IntN(30)))))
	case r < 76:
		h.setLimit(one(h.r, unbounded, unbounded, unbounded, h.wall().Add(h.leap(36)), h.near(), time.Time{}))
	case r < 77 && h.r.IntN(3) == 0:
		h.endAt(one(h.r, time.Time{}, h.wall().Add(h.leap(30)), h.near(), unbounded))
	case r < 82:
		h.checkClock()
	case r < 84:
		h.checkClock()
		saved := h.latest
		if h.handle != nil {
			saved = h.handle.NextHorizon(time.Second)
		}
		if saved == unbounded {
			saved = h.latest // there is no ID after the unbounded time
		}
		h.live(one(h.r, h.latest, saved, time.Time{}, h.near()))
	case r < 85 && h.r.IntN(8) == 0:
		for range 1 + h.r.IntN(2) {
			h.useSequences()
		}
	default:
		h.mint()
	}
}

// excursion mints some IDs while the wall clock shows a time far away.
func (h *history) excursion() {
	back := h.wall()
	year := one(h.r, -20_000, 1, 1581, 1583, 1969, 1971, 2020, 2200, 5235, 5237, 10_888, 10_890, 30_000)
	h.set(one(h.r, h.near(), time.Date(year, 6, 1, 0, 0, 0, h.r.IntN(1e9), time.UTC)))
	for range h.r.IntN(6) {
		h.mint()
	}
	h.set(back)
}

// mint mints some IDs in one of the possible ways.
func (h *history) mint() {
	many := one(h.r, 1, 1, h.r.IntN(20), h.r.IntN(300))
	n := one(h.r, h.nodes...)
	switch way := h.r.IntN(12); {
	case way < 2:
		for range many {
			h.call(h.v1, h.gregorian(h.v1))
		}
	case way < 4:
		for range many {
			h.call(h.v6, h.gregorian(h.v6))
		}
	case way == 4:
		h.fresh(h.v7, h.mintV7)
	case way == 5:
		i := h.r.IntN(2)
		h.fresh(h.ulids[i], h.mintULID(i))
	case n.SnowflakeNode == nil:
	case way < 8:
		for range many {
			h.call(n.model, h.snowflake(n))
		}
	case way < 10:
		for range many {
			h.tryNext(n)
		}
	case way == 10:
		h.run(n, 10*many)
	default:
		h.late(n)
	}
}

// TestModel takes clocks through random histories. In them, the wall clock steps, jitters, stands
// still, runs and leaps by any amount, to the edges of all formats and beyond them; the process
// restarts; and the clock steps back more often than there are clock sequences. Some clocks have no
// limit. The others withhold IDs from the start until their first limit, and then get later and
// earlier limits with all sorts of causes, and an end. TestModel predicts the tick of every ID, its
// place in the tick and its clock sequence; the time that each call waits; which calls fail, and
// with which error; and the times that the clock itself reports.
//
// A history depends on its seed alone.
func TestModel(t *testing.T) {
	seeds := 80
	if testing.Short() {
		seeds = 30
	}
	minted, waits, rounds, starts, met := 0, 0, 0, map[int]bool{}, map[error]int{}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			h := newHistory(t, uint64(seed), starts)
			for range 1000 {
				h.step()
			}
			minted, waits, rounds = minted+h.minted, waits+h.waits, rounds+h.rounds
			for err, n := range h.met {
				met[err] += n
			}
		})
	}
	t.Logf("%d ids in %d histories, %d waits, %d rounds of all sequences, and %v", minted, seeds, waits, rounds, met)
	least := min(minted/5000, waits/100, rounds*5, len(starts))
	for _, err := range []error{ids.ErrRange, ids.ErrWithheld, ids.ErrEnded, ids.ErrExhausted, ids.ErrClockBehind} {
		least = min(least, met[err]/50)
	}
	if least < seeds {
		t.Error("the histories have too little of something")
	}
}
