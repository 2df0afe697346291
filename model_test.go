package ids_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// A model says what one scheme issues on one clock, from the readings of the wall clock and the
// time that passes. It restates the rule for readers, and knows nothing of how lanes keep it.
type model struct {
	name string

	// A tick is per/ticks nanoseconds, and tick 0 begins at epoch.
	epoch      time.Time
	per, ticks int64
	least      int64 // the first tick that may be issued
	most       int64 // the last
	room       int64 // how many ids a tick holds; 0: no bound

	patience  time.Duration // of a clock that is behind; negative: without end
	maxAhead  time.Duration
	sequenced bool
	bound     bool // by After and SetLimit

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

// A forecast is what a model says of the next id.
type forecast struct {
	tick     int64
	place    int64
	sequence int
	err      error         // ErrRange, ErrSuspended or ErrEnded, and then there is none
	over     bool          // it is ahead of the wall clock by more than MaxAhead
	wait     time.Duration // for how long it must wait
}

const nobound = 1<<62 - 1

// tickOf returns the tick of a time, in exact arithmetic: negative before the epoch, and at most
// nobound+1.
func (m *model) tickOf(t time.Time) int64 {
	if t == m.read {
		return m.readTick
	}
	n := new(big.Int).Mul(big.NewInt(t.Unix()-m.epoch.Unix()), big.NewInt(1e9))
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

// compare returns -1, 0 or +1 as n ticks last less than d, as long, or longer.
func (m *model) compare(n int64, d time.Duration) int {
	if fits := func(a, b int64) bool { return bits.Len64(uint64(a))+bits.Len64(uint64(b)) < 64 }; fits(n, m.per) && fits(int64(d), m.ticks) {
		return cmp.Compare(n*m.per, int64(d)*m.ticks)
	}
	a := new(big.Int).Mul(big.NewInt(n), big.NewInt(m.per))
	b := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(m.ticks))
	return a.Cmp(b)
}

// farther reports whether a wall clock in one tick is farther behind a later tick than d for sure: it
// may be anywhere in its own.
func (m *model) farther(wall, tick int64, d time.Duration) bool {
	return tick > wall && m.compare(tick-wall-1, d) >= 0
}

// span returns how long n ticks last, or a time longer than any wait.
func (m *model) span(n int64) time.Duration {
	if n > nobound/m.per {
		return nobound
	}
	return time.Duration(n * m.per / m.ticks)
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

// next returns the forecast of an id that is asked for when the wall clock shows now and passed has
// gone by since the model was last asked. Unless there is an error, the id is issued.
func (m *model) next(now, limit time.Time, passed time.Duration) (v forecast) {
	m.owed = max(m.owed-passed, 0)
	wall := m.tickOf(now)
	late := wall > m.most
	if late && !m.any {
		return forecast{err: ids.ErrRange}
	}
	if late {
		wall = m.tick
	}
	wall = max(wall, m.least)

	tick, count, turn, rise := m.tick, m.count+1, false, false
	switch {
	case !m.any || wall > tick: // the wall clock is later: go with it
		tick, count = wall, 1
	case m.patience >= 0 && m.farther(wall, tick, m.patience): // go with it back
		switch {
		case !m.sequenced:
			tick, count = wall, 1
		case wall <= m.floor:
		case m.turns < 4096:
			tick, count, turn = wall, 1, true
		default:
			tick, count, rise = max(m.top, tick)+1, 1, true
		}
	}
	costs := rise
	if m.room > 0 && count > m.room {
		tick, count, costs = tick+1, 1, true
	}
	if tick > m.most {
		return forecast{err: ids.ErrRange}
	}
	if m.bound && !limit.IsZero() && m.timeOf(tick).After(limit) {
		return forecast{err: ids.ErrSuspended}
	}

	if rise {
		m.floor, m.turns = tick-1, 1
	}
	if turn {
		m.sequence, m.turns = (m.sequence+1)%4096, m.turns+1
	}
	m.any, m.tick, m.count, m.top = true, tick, count, max(m.top, tick)
	v = forecast{tick: tick, place: count - 1, sequence: m.sequence}
	v.over = tick > wall && m.compare(tick-wall, m.maxAhead) > 0
	if costs {
		cost := m.span(1)
		if v.over {
			cost = min(2*cost, nobound)
		}
		m.owed += min(cost, nobound-m.owed)
	}
	// It waits until the wall clock is near enough, or until the debt is. A clock past the end says
	// nothing. What would take longer than a wait is forgiven.
	m.owed = min(m.owed, m.maxAhead+maxWait)
	if m.owed > m.maxAhead && (v.over || late) {
		v.wait = m.owed - m.maxAhead
		if !late {
			v.wait = min(v.wait, m.span(tick-wall)-m.maxAhead)
		}
	}
	return v
}

// A history drives a clock and its models through random steps.
type history struct {
	t    *testing.T
	seed uint64
	r    *rand.Rand

	// The wall clock shows at+offset while it runs, or stands still at stands.
	runs   bool
	at     time.Time
	since  time.Time
	reads  []time.Time // the times at which it was read, in the bubble
	limit  time.Time
	ended  bool // the limit is for good
	after  time.Time
	opts   ids.ClockOptions
	layout ids.SnowflakeLayout

	clock *ids.Clock
	gens  [2]*ids.Generator
	node  *ids.SnowflakeNode

	v1, v6, v7, snowflake *model
	ulids                 [2]*model
	asked                 map[*model]time.Time
	latest                time.Time

	seen   map[ids.UUID]bool
	minted int
}

func (h *history) wall() time.Time {
	if h.runs {
		return h.at.Add(time.Since(h.since))
	}
	return h.at
}

// set makes the wall clock show t from now on.
func (h *history) set(t time.Time) { h.at, h.since = t, time.Now() }

func (h *history) now() time.Time {
	h.reads = append(h.reads, time.Now())
	return h.wall()
}

func (h *history) fatalf(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("seed %d: "+format, append([]any{h.seed}, args...)...)
}

// live starts a process after a saved time.
func (h *history) live(after time.Time) {
	h.after, h.limit, h.ended, h.latest = after, time.Time{}, false, after
	h.opts.Now, h.opts.After = h.now, after
	h.clock = ids.NewClock(&h.opts)
	h.asked = map[*model]time.Time{}
	jitter := func(d, zero time.Duration) time.Duration {
		if d == 0 {
			d = zero
		}
		return max(d, 0)
	}
	ahead := jitter(h.opts.MaxAhead, maxAhead)
	least := max(ahead, time.Millisecond)
	tolerance := max(jitter(h.opts.Tolerance, 10*time.Second), least)
	if tolerance == math.MaxInt64 {
		tolerance = -1
	}
	gregorian := model{epoch: time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC), per: 100, ticks: 1, most: 1<<60 - 1, room: 4,
		maxAhead: ahead, sequenced: true, bound: true, floor: -1, top: -1}
	h.v1, h.v6, h.v7, h.snowflake = new(model), new(model), new(model), new(model)
	*h.v1, *h.v6 = gregorian, gregorian
	h.v1.name, h.v1.patience = "V1", least
	h.v6.name, h.v6.patience = "V6", tolerance
	*h.v7 = model{name: "V7", epoch: time.Unix(0, 0), per: 1e6, ticks: 4096, most: 1<<60 - 1, patience: tolerance, maxAhead: ahead}
	for i := range h.gens {
		h.gens[i] = ids.NewGenerator(&ids.GeneratorOptions{Clock: h.clock, Node: [6]byte{byte(i)}})
		h.ulids[i] = &model{name: "ULID", epoch: time.Unix(0, 0), per: 1e6, ticks: 1, most: 1<<48 - 1, patience: tolerance, maxAhead: ahead}
	}
	l := h.layout
	last := int64(1)<<(63-l.NodeBits-l.SequenceBits) - 1
	*h.snowflake = model{name: "Snowflake", epoch: l.Epoch, per: int64(l.Tick), ticks: 1,
		room: 1 << l.SequenceBits, patience: -1, maxAhead: ahead, bound: true}
	last = min(last, nobound, h.snowflake.tickOf(time.Unix(1<<39, 0))) // later times are out of range
	h.snowflake.most = last
	h.node = nil
	n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Layout: l, Clock: h.clock})
	if tick := h.snowflake.tickOf(h.wall()); (err != nil) != (tick < 0 || tick > last) {
		h.fatalf("NewSnowflakeNode at %v of %+v: %v", h.wall(), l, err)
	}
	h.node = n
	for _, m := range []*model{h.v1, h.v6, h.snowflake} {
		m.after(after)
	}
}

// forecast asks a model for the next id at a time of the bubble.
func (h *history) forecast(m *model, at time.Time) forecast {
	now := h.at
	if h.runs {
		now = h.at.Add(at.Sub(h.since))
	}
	return h.forecastOf(m, now, at)
}

// forecastOf is forecast for a wall clock that shows now.
func (h *history) forecastOf(m *model, now, at time.Time) forecast {
	passed := at.Sub(h.asked[m])
	h.asked[m] = at
	v := m.next(now, h.limit, passed)
	if v.err == ids.ErrSuspended && h.ended {
		v.err = ids.ErrEnded
	}
	if v.err == nil && m.bound {
		if t := m.timeOf(v.tick); t.After(h.latest) {
			h.latest = t
		}
	}
	return v
}

// gregorian mints an id of version 1 or 6 and compares it with the model.
func (h *history) gregorian(m *model) {
	g := h.gens[h.r.IntN(2)]
	mint := g.NewV1
	if m == h.v6 {
		mint = g.NewV6
	}
	before := time.Now()
	v := h.forecast(m, before)
	if v.err == ids.ErrSuspended {
		h.suspended(m, mint)
		return
	}
	if v.err != nil {
		if err := panicOf(func() { mint() }); !errors.Is(err, v.err) {
			h.fatalf("%s: %v, want %v", m.name, err, v.err)
		}
		return
	}
	h.checkGregorian(m, v, mint())
	h.checkWait(m, v, time.Since(before))
}

func (h *history) checkGregorian(m *model, v forecast, u ids.UUID) {
	seq, _ := u.ClockSequence()
	if !m.started {
		// The first sequence is random.
		m.started, m.turns = true, 1
		m.sequence = seq >> 2
		v.sequence = m.sequence
	}
	if at, want := timeOf(u), m.timeOf(v.tick); at != want || int64(seq&3) != v.place || seq>>2 != v.sequence {
		h.fatalf("%s at %v: time %v, place %d, sequence %#x; want %v, %d, %#x", m.name, h.wall(), at, seq&3, seq>>2, want, v.place, v.sequence)
	}
	if h.seen[u] {
		h.fatalf("%s: %v twice", m.name, u)
	}
	h.seen[u] = true
	h.minted++
}

// suspended lets a call wait for the limit, which is then lifted.
func (h *history) suspended(m *model, mint func() ids.UUID) {
	var u ids.UUID
	var err error
	var done atomic.Bool
	go func() {
		err = panicOf(func() { u = mint() })
		done.Store(true)
	}()
	synctest.Wait()
	if done.Load() {
		h.fatalf("%s: %v beyond the limit %v", m.name, u, h.limit)
	}
	if h.r.IntN(2) == 0 {
		h.clock.SetLimit(h.limit.Add(-time.Nanosecond))
		synctest.Wait()
	}
	if h.r.IntN(4) == 0 {
		h.endAt(h.limit)
		if synctest.Wait(); !errors.Is(err, ids.ErrEnded) {
			h.fatalf("%s: %v, %v when the clock ended", m.name, u, err)
		}
		return
	}
	h.setLimit(time.Time{})
	before := time.Now()
	v := h.forecast(m, before)
	synctest.Wait()
	time.Sleep(v.wait + m.span(1))
	for range 3 {
		if !done.Load() {
			time.Sleep(maxWait)
			synctest.Wait()
		}
	}
	if !done.Load() {
		h.fatalf("%s: still waiting without a limit", m.name)
	}
	h.checkGregorian(m, v, u)
}

func (h *history) setLimit(t time.Time) {
	if !h.ended {
		h.limit = t
	}
	h.clock.SetLimit(t)
}

func (h *history) endAt(t time.Time) {
	if t.IsZero() {
		t = time.Time{}.Add(1) // before all ids
	}
	if !h.ended || t.Before(h.limit) {
		h.limit, h.ended = t, true
	}
	h.clock.EndAt(t)
}

// checkWait compares how long a call has waited with how long the id must wait. Until the wall
// clock is near enough counts in whole ticks, and no sleep is too short to be worth its while.
func (h *history) checkWait(m *model, v forecast, waited time.Duration) {
	if waited < v.wait || waited > maxWait || waited > max(v.wait+m.span(1), 100*time.Microsecond) || v.wait == 0 && waited > 0 {
		h.fatalf("%s: waited %v, want %v", m.name, waited, v.wait)
	}
}

// panicOf returns the error that f panics with.
func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

func (h *history) checkSnowflake(v forecast, s ids.Snowflake) {
	parts := h.layout.Split(s)
	if want := h.snowflake.timeOf(v.tick); parts.Time != want || parts.Sequence != v.place || parts.Node != 0 {
		h.fatalf("Snowflake at %v: time %v, place %d; want %v, %d", h.wall(), parts.Time, parts.Sequence, want, v.place)
	}
	h.minted++
}

// next calls Next of the node.
func (h *history) next() {
	m, before := h.snowflake, time.Now()
	v := h.forecast(m, before)
	switch v.err {
	case nil:
		h.checkSnowflake(v, h.node.Next())
		h.checkWait(m, v, time.Since(before))
	case ids.ErrSuspended:
		if s, err := h.node.TryNext(); s != 0 || err != ids.ErrSuspended {
			h.fatalf("TryNext beyond the limit: %v, %v", s, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		s, err := h.node.NextContext(ctx)
		if waited := time.Since(before); s != 0 || !errors.Is(err, context.DeadlineExceeded) || waited != time.Second {
			h.fatalf("NextContext of a second beyond the limit: %v, %v after %v", s, err, waited)
		}
	default:
		if s, err := h.node.NextContext(context.Background()); s != 0 || !errors.Is(err, v.err) {
			h.fatalf("NextContext: %v, %v, want %v", s, err, v.err)
		}
		if err := panicOf(func() { h.node.Next() }); !errors.Is(err, v.err) {
			h.fatalf("Next: %v, want %v", err, v.err)
		}
	}
}

// late calls Next, and has the call wait for the mutex for a while after it has read the clock, in
// which others are faster.
func (h *history) late() {
	m, wall, read := h.snowflake, h.wall(), time.Now()
	finish := ids.NextLate(h.node)
	time.Sleep(h.leap(33).Abs()) // up to 8 s
	others := h.r.IntN(30)
	for range others {
		h.next()
	}
	if others > 0 {
		read = time.Now() // it sees that its reading is old
	}
	v := h.forecastOf(m, wall, read)
	s, wait, err := finish()
	switch {
	case v.err != nil:
		if !errors.Is(err, v.err) && (err != ids.ErrSuspended || v.err != ids.ErrEnded) {
			h.fatalf("a late call: %v, %v, want %v", s, err, v.err)
		}
		return
	case err != nil:
		h.fatalf("a late call: %v", err)
	}
	h.checkSnowflake(v, s)
	h.checkWait(m, v, wait)
	time.Sleep(wait)
}

// tryNext calls TryNext, which refuses what would wait, or be too far ahead.
func (h *history) tryNext() {
	m := h.snowflake
	saved, latest, asked := *m, h.latest, h.asked[m]
	v := h.forecast(m, time.Now())
	s, err := h.node.TryNext()
	switch {
	case v.err != nil:
		if s != 0 || !errors.Is(err, v.err) {
			h.fatalf("TryNext = %v, %v, want %v", s, err, v.err)
		}
	case v.wait > 0 || v.over:
		if s != 0 || err != ids.ErrClockBackward && (err != ids.ErrExhausted || v.wait == 0) {
			h.fatalf("TryNext = %v, %v, where Next waits for %v and is ahead by more than MaxAhead: %v", s, err, v.wait, v.over)
		}
		*m, h.latest, h.asked[m] = saved, latest, asked // nothing was issued
	case err != nil:
		h.fatalf("TryNext refuses with %v what needs no wait", err)
	default:
		h.checkSnowflake(v, s)
	}
}

// run appends Snowflakes, where there is neither a limit nor an end near. It is as many calls, of
// which each begins when the one before returns.
func (h *history) run(count int) {
	m := h.snowflake
	if wall := m.tickOf(h.wall()); count == 0 || !h.limit.IsZero() || max(wall, m.tick) > m.most-10_000 {
		return
	}
	h.reads = h.reads[:0]
	run := h.node.Append(nil, count)
	if len(run) != count {
		h.fatalf("Append of %d gives %d", count, len(run))
	}
	at := h.reads[0]
	reads := append(h.reads, time.Now())
	for _, s := range run {
		v := h.forecast(m, at)
		if v.err != nil {
			h.fatalf("Append issues %v, where Next says %v", s, v.err)
		}
		h.checkSnowflake(v, s)
		if v.wait > 0 {
			for len(reads) > 0 && !reads[0].After(at) {
				reads = reads[1:]
			}
			if len(reads) == 0 {
				h.fatalf("Append does not wait for %v before %v", v.wait, s)
			}
			h.checkWait(m, v, reads[0].Sub(at))
			at = reads[0]
		}
	}
	if !at.Equal(time.Now()) {
		h.fatalf("Append waits for %v too long", time.Since(at))
	}
}

// fresh mints ids that are unique by their random bits: their ticks alone are foretold, and a tick
// is left before its random part can be full.
func (h *history) fresh(m *model, mint func(n int) []int64) {
	n := 1 + h.r.IntN(3)
	if h.r.IntN(20) == 0 {
		n = h.r.IntN(1000)
	}
	if m.room == 0 && m.count > 4000 || n == 0 {
		return
	}
	before := time.Now()
	v := h.forecast(m, before)
	if v.err != nil {
		if err := panicOf(func() { mint(n) }); !errors.Is(err, ids.ErrRange) {
			h.fatalf("%s: %v, want ErrRange", m.name, err)
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
	g := h.gens[h.r.IntN(2)]
	run := []ids.UUID{}
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

// checkClock compares what the clock says of itself.
func (h *history) checkClock() {
	if got := h.clock.Latest(); !got.Equal(h.latest) {
		h.fatalf("Latest() = %v, want %v", got, h.latest)
	}
	d := time.Duration(h.r.Int64N(int64(time.Hour)))
	want := h.wall().Add(d)
	if !h.latest.IsZero() && h.latest.Add(d/100).After(want) {
		want = h.latest.Add(d / 100)
	}
	if h.limit.After(want) {
		want = h.limit
	}
	if got := h.clock.Horizon(d); !got.Equal(want) {
		h.fatalf("Horizon(%v) = %v, want %v", d, got, want)
	}
}

// leap returns a span of any magnitude up to the given power of two of nanoseconds, either way.
func (h *history) leap(power int) time.Duration {
	d := time.Duration(h.r.Int64N(1 << (1 + h.r.IntN(power))))
	if h.r.IntN(2) == 0 {
		return -d
	}
	return d
}

// step does one thing to the clock, or mints.
func (h *history) step() {
	switch r := h.r.IntN(100); {
	case r < 10:
		h.set(h.wall().Add(h.leap(24))) // up to 17 ms
	case r < 13:
		h.set(h.wall().Add(h.leap(36))) // up to 69 s
	case r < 15:
		h.set(h.wall().Add(h.leap(62))) // up to 146 years
	case r < 16:
		// Years of formats and out of them.
		year := []int{-20_000, 1, 1581, 1583, 1969, 1971, 2020, 2200, 5235, 5237, 10_888, 10_890, 30_000}[h.r.IntN(13)]
		back := h.wall()
		h.set(time.Date(year, 6, 1, 0, 0, 0, h.r.IntN(1e9), time.UTC))
		for range h.r.IntN(4) {
			h.mint()
		}
		h.set(back)
	case r < 20:
		h.set(h.wall())
		h.runs = !h.runs
	case r < 26:
		time.Sleep(time.Duration(h.r.Int64N(1 << (1 + h.r.IntN(30)))))
	case r < 29:
		switch {
		case h.r.IntN(30) == 0:
			h.endAt([]time.Time{{}, h.wall().Add(h.leap(30))}[h.r.IntN(2)])
		case h.limit.IsZero() && h.r.IntN(3) == 0:
			h.setLimit(h.wall().Add(h.leap(36)))
		default:
			h.setLimit(time.Time{})
		}
	case r < 32:
		h.checkClock()
	case r < 33 && h.r.IntN(4) == 0:
		h.checkClock()
		after := h.latest
		if h.r.IntN(2) == 0 {
			after = h.clock.Horizon(time.Second)
		}
		h.live(after)
	case r < 34 && h.r.IntN(20) == 0:
		for range 4500 { // more than there are clock sequences
			for _, d := range []time.Duration{-time.Hour, time.Hour} {
				h.set(h.wall().Add(d))
				h.gregorian(h.v1)
				h.gregorian(h.v6)
			}
		}
	default:
		h.mint()
	}
}

// mint mints some ids in one of the ways that there are.
func (h *history) mint() {
	many := 1
	switch h.r.IntN(4) {
	case 0:
		many = h.r.IntN(20)
	case 1:
		many = h.r.IntN(300)
	}
	switch h.r.IntN(10) {
	case 0, 1:
		for range many {
			h.gregorian(h.v1)
		}
	case 2, 3:
		for range many {
			h.gregorian(h.v6)
		}
	case 4:
		h.fresh(h.v7, h.mintV7)
	case 5:
		i := h.r.IntN(2)
		h.fresh(h.ulids[i], h.mintULID(i))
	case 6:
		for range many {
			if h.node != nil {
				h.next()
			}
		}
	case 7:
		for range many {
			if h.node != nil {
				h.tryNext()
			}
		}
	case 8:
		if h.node != nil {
			h.run(10 * many)
		}
	case 9:
		if h.node != nil {
			h.late()
		}
	}
}

// TestModel sends clocks through random histories: steps, jitter, standing still, running, leaps of
// any size and out of all formats, limits, restarts, and more steps back than there are clock
// sequences. It foretells the tick of every id, its
// place there and its clock sequence; for how long each call must wait, at the least and at the
// most; what TryNext refuses; and the times that the clock itself tells.
//
// A history depends on its seed alone.
func TestModel(t *testing.T) {
	seeds, minted := uint64(80), 0
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			ticks := []time.Duration{1, 100, 333, time.Microsecond, 250 * time.Microsecond, time.Millisecond, time.Millisecond,
				7 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond, time.Second, time.Hour}
			h := &history{t: t, seed: seed, r: r, seen: map[ids.UUID]bool{}, runs: r.IntN(2) == 0}
			h.opts.MaxAhead = []time.Duration{0, 0, -1, 100 * time.Microsecond, 100 * time.Millisecond, 3*time.Millisecond + 1}[r.IntN(6)]
			h.opts.Tolerance = []time.Duration{0, 0, -1, time.Millisecond, 15600 * time.Microsecond, time.Hour,
				100 * 365 * 24 * time.Hour, math.MaxInt64}[r.IntN(8)]
			tick := ticks[r.IntN(len(ticks))]
			h.layout = ids.SnowflakeLayout{Epoch: start.Add(-h.leap(50).Abs()), Tick: tick, SequenceBits: r.IntN(12),
				NodeBits: r.IntN([]int{1, 10, 40}[r.IntN(3)]), NodeLast: r.IntN(2) == 0}
			h.set(start.Add(h.leap(50)))
			h.live(time.Time{})
			for range 1000 {
				h.step()
			}
			minted += h.minted
		})
	}
	if least := int(seeds) * 5000; minted < least {
		t.Errorf("%d ids, want %d at least", minted, least)
	}
	t.Logf("%d ids in %d histories", minted, seeds)
}
