package ids

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/random"
)

const (
	// defaultTolerance is the step back up to which a lane keeps ascending.
	defaultTolerance = 10 * time.Second
	// defaultMaxAhead is how far a lane may run ahead of the wall clock.
	defaultMaxAhead = 10 * time.Millisecond
	// maxWait bounds the waiting of one call for the wall clock.
	maxWait = 20 * time.Millisecond
	// minSleep is the least that a waiting call sleeps before it looks at the clock again.
	minSleep = 100 * time.Microsecond
	// anchorLife is how long an anchor serves before the wall clock is read anew.
	anchorLife = uint64(time.Millisecond)
)

// Clock is the source of time that schemes share. It reads the wall clock, keeps what each
// scheme has issued, and holds the clock sequence of versions 1 and 6, so that no two ids
// of one kind from one clock are equal, whatever the wall clock does. It is safe for
// concurrent use. Make one with [NewClock]; the zero value is not usable.
type Clock struct {
	now       func() time.Time // nil: the wall clock
	tolerance int64            // ns
	maxAhead  int64            // ns
	jitter    int64            // ns: a step back by less is none

	// base is the first reading of the wall clock. The time since then is one system clock
	// reading, where time.Now makes two, and is taken before the mutex.
	base  time.Time   // set before based is, and not changed then
	based atomic.Bool // never set if now replaces the wall clock

	mu sync.Mutex // guards all that follows, and every lane

	anchor    int64 // ns after base
	sec, nsec int64 // the wall clock at the anchor

	random   random.Block // of the ids that take their bits under the mutex
	v1, v6   lane
	v7       v7Lane
	v2       uint64 // how many version 2 ids were minted
	ulidTick int64  // the latest of all generators' ULIDs
	nodes    map[nodeKey]*lane

	sequence sequence
	state    ClockState // what the clock was restored from
	restored bool       // state still awaits the first reading
	limit    ClockState // the zero value: none
	lifted   chan struct{}
}

// ClockOptions are the options of [NewClock]. The zero value is the default.
type ClockOptions struct {
	// Now replaces the wall clock. It is read once for each id, once for a run of
	// AppendV7 or AppendULID, once for each 256 ids of a run of Snowflakes, and again
	// while a call waits. It is called with the clock's mutex held: it must not use the
	// clock. Nil means the system's wall clock.
	Now func() time.Time

	// Tolerance is the step back of the wall clock up to which version 6, version 7
	// and ULID keep ascending; at a longer one they follow the wall clock.
	// Zero means 10 s; a negative value means none.
	Tolerance time.Duration

	// MaxAhead is how far an embedded time may be ahead of the wall clock. A step back by less
	// than it is jitter, which no scheme follows. Zero means 10 ms; a negative value means
	// none.
	MaxAhead time.Duration

	// State is what [Clock.State] gave in an earlier life of the process. The zero
	// value means no state.
	State ClockState
}

// ClockState is what of a [Clock] must outlive the process, so that a successor whose wall clock
// was set back repeats no id. It survives a round trip through JSON. The zero value is no
// state.
type ClockState struct {
	// Time is the latest time in any id issued, in UTC.
	Time time.Time
	// Sequence is the 14-bit clock sequence of versions 1 and 6. Its low two bits are
	// clear: they number the ids of one tick.
	Sequence uint16
	// Floor is the latest time issued before the clock sequence last came round to 0, in UTC,
	// or the zero time if it never did. Versions 1 and 6 stay above it.
	Floor time.Time `json:",omitzero"`
}

// NewClock returns a clock of its own, which shares nothing with the default clock.
// Nil options mean the default.
func NewClock(opts *ClockOptions) *Clock {
	if opts == nil {
		opts = new(ClockOptions)
	}
	c := &Clock{
		now:       opts.Now,
		tolerance: orDefault(opts.Tolerance, defaultTolerance),
		maxAhead:  orDefault(opts.MaxAhead, defaultMaxAhead),
		ulidTick:  none,
		nodes:     make(map[nodeKey]*lane),
		lifted:    make(chan struct{}),
	}
	c.jitter = c.maxAhead
	if c.now == nil {
		c.jitter = max(c.jitter, int64(anchorLife)) // so old may a reading be when its caller gets the mutex
	}
	c.sequence.floor = none
	c.v1 = c.newLane(gregorianScale, gregorianMax, ordinals, 0)
	c.v6 = c.newLane(gregorianScale, gregorianMax, ordinals, c.tolerance)
	c.v1.sequenced, c.v6.sequenced = true, true
	c.v7.lane = c.newLane(v7Scale, v7Max, unlimited, c.tolerance)
	if opts.State != (ClockState{}) {
		c.state = opts.State
		c.state.Sequence &= sequenceMask
		c.restored = true
		c.sequence.set(c.state.Sequence)
		if !c.state.Floor.IsZero() {
			floor := newReading(c.state.Floor)
			c.sequence.floor = gregorianScale.at(floor)
			c.resume(floor)
		}
	}
	return c
}

// orDefault returns d in nanoseconds, or what zero and negative values mean.
func orDefault(d, zero time.Duration) int64 {
	if d == 0 {
		d = zero
	}
	return max(int64(d), 0)
}

// State returns the latest time issued by any scheme of c and the clock sequence. The first
// call starts the sequence, if no id has. Save the state where it outlives the process, and
// give it to the successor's [ClockOptions]. A state saved before the latest ids were minted
// does not protect those: [Clock.Limit] closes that gap.
func (c *Clock) State() ClockState {
	c.mu.Lock()
	s := c.current()
	c.mu.Unlock()
	return s
}

// current is State. The mutex is held.
func (c *Clock) current() ClockState {
	if c.restored {
		c.read() // which may move the sequence
	}
	c.sequence.seed(c.random.Uint64())
	s := ClockState{Time: c.state.Time, Sequence: c.sequence.now}
	if c.sequence.floor != none {
		s.Floor = gregorianScale.time(c.sequence.floor)
	}
	issued := func(sc scale, tick int64) {
		if tick == none {
			return
		}
		if t := sc.time(tick); t.After(s.Time) {
			s.Time = t
		}
	}
	issued(c.v1.scale, c.v1.highest())
	issued(c.v6.scale, c.v6.highest())
	issued(c.v7.scale, c.v7.highest())
	issued(ulidScale, c.ulidTick)
	for _, l := range c.nodes {
		issued(l.scale, l.highest())
	}
	return s
}

// Ahead returns a state that covers what c may issue in the next d: its time is d after
// the wall clock's or the latest id's, whichever is later, and one change of the clock
// sequence is allowed for. It is not behind the limit in force. Save it, then put it in
// force with [Clock.Limit], and do so again before it is reached.
func (c *Clock) Ahead(d time.Duration) ClockState {
	c.mu.Lock()
	now := c.read()
	s := c.current()
	limit := c.limit
	c.mu.Unlock()

	s.Time = later(s.Time, now.time()).Add(d)
	s.Time = later(s.Time, limit.Time)
	s.Sequence = (s.Sequence + ordinals) & sequenceMask
	if s.Sequence == 0 {
		s.Floor = s.Time
	}
	if limit != (ClockState{}) && covers(limit.Sequence, s.Sequence) {
		s.Sequence = limit.Sequence
	}
	s.Floor = later(s.Floor, limit.Floor)
	return s
}

// later returns the later one of two times.
func later(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}

// Limit withholds every id that s does not cover: one whose time is after s.Time, or whose
// clock sequence lies past s.Sequence. It binds the schemes whose ids are unique by their time,
// which are versions 1 and 6 and Snowflake; versions 4 and 7 and ULID are unique by their
// random bits and are not bound.
//
// Where the time is not covered, a call waits until a later Limit covers
// it, and [SnowflakeNode.TryNext] returns [ErrSuspended]. A clock sequence that is not covered
// is not entered: the scheme keeps ascending instead of following the clock back.
//
// A process that saves a state [Clock.Ahead] of its time and only then calls Limit
// with it can end at any moment: a successor restored from the saved state repeats no id.
// A limit in the past suspends at once; the zero state lifts the limit.
func (c *Clock) Limit(s ClockState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Sequence &= sequenceMask
	c.limit = s
	c.bind()
	close(c.lifted)
	c.lifted = make(chan struct{})
}

// bind puts the limit in force in all lanes.
func (c *Clock) bind() {
	c.v1.bound(c.limit)
	c.v6.bound(c.limit)
	for _, l := range c.nodes {
		l.bound(c.limit)
	}
	if !c.covers(c.sequence.now) {
		c.v1.limit, c.v6.limit = none, none
	}
}

// covers reports whether the limit covers a clock sequence.
func (c *Clock) covers(seq uint16) bool {
	return c.limit == (ClockState{}) || covers(c.limit.Sequence, seq)
}

// covers reports whether seq is limit, or one of the half of all sequences that come before.
func covers(limit, seq uint16) bool { return (limit-seq)&sequenceMask <= sequenceMask/2 }

// time returns the time.
func (c *Clock) time() reading {
	c.mu.Lock()
	r := c.read()
	c.mu.Unlock()
	return r
}

// elapsed returns the nanoseconds since base, or a number that no anchor serves. The mutex need
// not be held.
func (c *Clock) elapsed() int64 {
	if !c.based.Load() {
		return -1
	}
	return int64(time.Since(c.base))
}

// read returns the time. The mutex is held.
func (c *Clock) read() reading { return c.reading(c.elapsed()) }

// reading returns the time at elapsed, or a new one if that is too far from the anchor. A
// caller that was preempted before it got the mutex may come with a time before the anchor: a
// negative difference is a large unsigned one. So is that to a time from within a
// testing/synctest bubble, or from without. The mutex is held.
func (c *Clock) reading(elapsed int64) reading {
	if elapsed -= c.anchor; uint64(elapsed) > anchorLife {
		return c.readAnew()
	}
	return reading{c.sec, c.nsec + elapsed}
}

// readAnew reads the wall clock, or what replaces it, and sets the anchor.
func (c *Clock) readAnew() reading {
	var r reading
	if c.now == nil {
		now := time.Now()
		if !c.based.Load() {
			c.base = now
			c.based.Store(true)
		}
		c.anchor = int64(now.Sub(c.base))
		r = newReading(now)
		c.sec, c.nsec = r.sec, r.nsec
	} else {
		r = c.readInjected()
	}
	if c.restored {
		c.restored = false
		c.restore(r)
	}
	return r
}

// readInjected calls now. If that panics, the caller, which does not defer it, never gets to
// unlock the mutex, so this does it.
func (c *Clock) readInjected() reading {
	returned := false
	defer func() {
		if !returned {
			c.mu.Unlock()
		}
	}()
	r := newReading(c.now())
	returned = true
	return r
}

// restore puts the restored state into force at the first reading.
func (c *Clock) restore(r reading) {
	saved := newReading(c.state.Time)
	if saved.sub(r) > 0 && c.turn(gregorianScale.at(r)) {
		// Versions 1 and 6 start at r with a clock sequence of their own.
		c.bind()
		return
	}
	c.resume(saved)
}

// resume makes versions 1 and 6 go on after reading r, up to which ids were issued.
func (c *Clock) resume(r reading) {
	c.v1.resume(r)
	c.v6.resume(r)
}

// outcomes of lane.take below zero; above, it is a number of ticks.
const (
	suspended = -1 // by Limit
	spent     = -2 // the last tick that the format can name is used up
)

// lock takes the mutex and the next id of l. It waits as long as the limit withholds that. The
// caller makes the id of l.last and l.used, and calls unlock with the result.
func (c *Clock) lock(l *lane) (over int64) {
	elapsed := c.elapsed()
	c.mu.Lock()
	over = l.take(c, c.reading(elapsed))
	if over < 0 {
		over = c.suspend(l, over)
	}
	return over
}

// unlock releases the mutex after an id of l was taken with the result over, and then does what
// that asks for.
func (c *Clock) unlock(l *lane, over int64) {
	tick := l.last
	c.mu.Unlock()
	if over != 0 {
		c.late(l, tick, over)
	}
}

// late waits, without the mutex, until the wall clock allows the tick of an id that was taken
// with the result over, at most maxWait. It panics if there was none to take.
func (c *Clock) late(l *lane, tick, over int64) {
	if over < 0 {
		panic(errSpent)
	}
	var w wait
	w.until(c, l, tick)
}

// ordinal returns the clock sequence of the latest id of l, with its place in its tick.
func (c *Clock) ordinal(l *lane) uint64 { return uint64(c.sequence.now) | uint64(l.used-1) }

// suspend waits, with the mutex released, until the limit lets l issue an id, and takes it. The
// first attempt ended in outcome.
func (c *Clock) suspend(l *lane, outcome int64) (over int64) {
	for outcome < 0 {
		if outcome == spent {
			c.mu.Unlock()
			panic(errSpent)
		}
		lifted := c.lifted
		c.mu.Unlock()
		<-lifted
		c.mu.Lock()
		outcome = l.take(c, c.read())
	}
	return outcome
}

// A wait is the waiting of one call for the wall clock: maxWait in all.
type wait struct{ began time.Time }

// until waits, without the mutex, until the wall clock allows the tick that the caller has
// taken. If it does not do so in time, the wait itself tells the lane how much time has passed.
func (w *wait) until(c *Clock, l *lane, tick int64) {
	c.mu.Lock()
	was := l.present()
	over := tick - l.ceiling()
	c.mu.Unlock()
	if w.began.IsZero() {
		w.began = time.Now()
	}
	from := time.Since(w.began)
	for left := maxWait - from; over > 0 && left > 0; left = maxWait - time.Since(w.began) {
		time.Sleep(min(left, max(minSleep, l.span(over))))
		c.mu.Lock()
		over = tick - l.allowed(c, c.read())
		c.mu.Unlock()
	}
	if over > 0 {
		c.mu.Lock()
		l.credit(was.add(int64(maxWait - from)))
		c.mu.Unlock()
	}
}

// follow lets l follow the wall clock back to reading r, which is in the given tick. It
// reports false if versions 1 and 6 cannot: no clock sequence is free there.
func (c *Clock) follow(l *lane, r reading, tick int64) bool {
	if l.sequenced && !c.turn(tick) {
		return false
	}
	l.high = l.highest()
	l.last, l.used = tick, 0
	l.mark, l.lag = r, 0
	return true
}

// turn moves to the next clock sequence for a lane that goes back to tick, or reports that none
// is free there.
func (c *Clock) turn(tick int64) bool {
	s := &c.sequence
	if tick <= s.floor || !c.covers(s.after()) {
		return false
	}
	s.now = s.after()
	if s.now != 0 {
		// A lower sequence must not follow in a tick that has ids already.
		c.v1.used, c.v6.used = ordinals, ordinals
		return true
	}
	// Each sequence has been in force since the floor, and may hold any tick up to the highest
	// issued. What comes now stays above that.
	s.floor = max(c.v1.highest(), c.v6.highest(), gregorianScale.at(newReading(c.state.Time)))
	c.resume(gregorianScale.reading(s.floor))
	return false
}

// sequence is the clock sequence of versions 1 and 6: 12 bits, in a field of 14 whose low two
// bits are the ordinal. It counts up, and when it comes round to 0, the ticks issued so far
// become a floor: so a tick and a sequence never meet twice.
type sequence struct {
	now    uint16
	seeded bool
	floor  int64 // the highest tick issued before now last became 0
}

const sequenceMask = (1<<14 - 1) &^ (ordinals - 1)

// set makes v the sequence.
func (s *sequence) set(v uint16) { s.now, s.seeded = v&sequenceMask, true }

// seed starts the sequence at random bits, unless it has started. It starts in the lower half, so
// that it does not soon come round.
func (s *sequence) seed(bits uint64) {
	if !s.seeded {
		s.set(uint16(bits) & (sequenceMask / 2))
	}
}

// after returns the sequence that comes next.
func (s *sequence) after() uint16 { return (s.now + ordinals) & sequenceMask }
