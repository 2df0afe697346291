package main

import (
	"fmt"
	"math"
	"time"
)

// A violation is a broken promise.
type violation struct{ text string }

// problem returns a violation.
func problem(format string, args ...any) *violation {
	return &violation{fmt.Sprintf(format, args...)}
}

const (
	longest  = int64(20 * time.Millisecond)  // the longest wait of a call
	rounding = int64(100 * time.Microsecond) // a wait may be this long, however little is due
	rounds   = 1 << 12                       // clock sequences
)

// A judge knows what the ids of one stream in one life must be. It derives that from the readings
// of the clock and from the ids before.
type judge struct {
	*scheme
	maxAhead int64 // ns
	patience int64 // in ticks: the clock may be that far behind the latest id and not be followed
	most     int64 // MaxAhead in whole ticks

	issued bool   // there is an id so far, or After stands for some
	last   int64  // the tick of the latest
	minted bool   // there is an id in this life
	prev   key    // the latest
	seq    uint16 // its clock sequence
	top    int64  // the highest tick
	floor  int64  // V1 and V6 do not follow the clock to this tick or an earlier one
	turns  int    // how often they have followed it since the floor was set

	// The stream last went with the clock at tick from, when the process had run until since.
	// All calls since then have waited for waited in all.
	from, since, waited int64
	lead                int64 // by how much the clock has gained on the process since then
	// While ids are more than MaxAhead ahead of the clock: the first of them.
	far               bool
	farFrom, farSince int64
}

// newJudge returns a judge for a stream of a process that starts at the time since.
func newJudge(s *scheme, tolerance, maxAhead time.Duration, after, since int64) judge {
	j := judge{scheme: s, maxAhead: orDefault(maxAhead, 10*time.Millisecond), last: -1, top: -1, floor: -1}
	j.most = j.ticks(j.maxAhead)
	jitter := max(j.maxAhead, int64(time.Millisecond))
	switch s.kind {
	case v1:
		j.patience = j.ticks(jitter)
	case snowflake:
		j.patience = math.MaxInt64
	default:
		j.patience = j.ticks(max(orDefault(tolerance, 10*time.Second), jitter))
	}
	if tick := min(j.at(after), j.end); tick >= 0 && s.limited() {
		j.issued, j.last, j.top, j.floor = true, tick, tick, tick
		j.from, j.since = tick, since
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

// A move is how an id stands to the clock and to the id before it.
type move int

const (
	goes    move = iota // with the clock, which is later than all
	stays               // in the tick before, or in the next one if that is full
	follows             // the clock, which was set back
	rises               // above all, since every clock sequence has been used
)

// next returns the tick of the next id if the clock shows r. It is past the end of the format if
// there is none.
func (j *judge) next(r int64) (tick int64, how move) {
	t := max(j.at(r), 0)
	if t > j.end {
		if !j.issued {
			return j.end + 1, goes
		}
		t = j.last // it tells nothing
	}
	switch {
	case !j.issued || t > j.last:
		return t, goes
	case j.last-t > j.patience && t > j.floor:
		if j.sequenced() && j.turns == rounds-1 {
			return j.top + 1, rises
		}
		return t, follows
	case j.full():
		return j.last + 1, stays
	}
	return j.last, stays
}

// full reports whether the tick of the latest id has no place left. Where places are random, see
// mayOverflow.
func (j *judge) full() bool {
	return j.limited() && (!j.minted || j.number(j.prev) == j.places()-1)
}

// take checks x, the next id, if the clock shows r, and remembers it.
func (j *judge) take(x key, r reading) *violation {
	tick, seq, _ := j.fields(x)
	want, how := j.next(r.shown)
	if how == stays && tick == want+1 && j.mayOverflow() {
		want = tick
	}
	switch {
	case how != follows && j.ordered() && j.minted && !j.prev.less(x):
		return problem("ordered: it is not above the one before")
	case tick != want:
		return problem("true: it is of %s, not of %s, where the clock shows %s and the one before is of %s",
			clock(j.start(tick)), clock(j.start(want)), clock(r.shown), clock(j.start(j.last)))
	}
	if j.sequenced() && j.minted {
		want := j.seq
		if how == follows {
			want = (want + 1) % rounds
		}
		if seq != want {
			return problem("unique: its clock sequence is %d, not %d", seq, want)
		}
	}
	if v := j.beside(x, j.minted && tick == j.last); v != nil {
		return v
	}
	switch how {
	case follows:
		j.turns++
	case rises:
		j.floor, j.turns = tick-1, 0
	}
	j.issued, j.minted, j.last, j.prev, j.seq, j.top = true, true, tick, x, seq, max(j.top, tick)
	if how != stays {
		j.from, j.since, j.waited, j.lead, j.far = tick, r.when, 0, 0, false
	}
	return nil
}

// A call is what is known of one call.
type call struct {
	stream   int
	began    int64
	readings []reading
	end      int64 // when it returned
	held     int   // how often a limit held it up
	run      bool
}

// last returns the reading that the latest id is based on.
func (c *call) last() reading { return c.readings[len(c.readings)-1] }

// waited returns how long the call waited after that.
func (c *call) waited() int64 { return c.end - c.last().when }

// lasted returns how long the call lasted, except for what a limit held it up.
func (c *call) lasted() int64 {
	if c.held > 0 {
		return c.waited()
	}
	return c.end - c.began
}

// id checks the one id of a call.
func (j *judge) id(c *call, x key) *violation {
	r := c.last()
	if v := j.take(x, r); v != nil {
		return v
	}
	if j.since == r.when && j.from == j.last && c.end == r.when {
		return nil // by far the most: an id of the time at hand
	}
	return j.pace(c, j.last)
}

// run checks the ids of a run. Which of its readings an id is based on is not known: they serve in
// their order.
func (j *judge) run(c *call, xs []key) *violation {
	first, _, _ := j.fields(xs[0])
	i := 0
	for k, x := range xs {
		tick, _, _ := j.fields(x)
		if k > 0 && tick != j.last || k == 0 && c.held > 0 {
			for i < len(c.readings)-1 && !j.may(tick, c.readings[i].shown) {
				i++
			}
		}
		r := c.readings[i]
		if k > 0 && tick == j.last {
			r.shown = j.start(tick) // or any: it makes no difference
		}
		if v := j.take(x, r); v != nil {
			v.text = fmt.Sprintf("%s; it is number %d of a run", v.text, k)
			return v
		}
	}
	return j.pace(c, first)
}

// may reports whether the next id can be of a tick if the clock shows r.
func (j *judge) may(tick, r int64) bool {
	want, how := j.next(r)
	return tick == want || how == stays && tick == want+1 && j.mayOverflow()
}

// pace checks how long a call has waited, whose first id is of the tick first and whose last is
// the latest.
func (j *judge) pace(c *call, first int64) *violation {
	r, begin := c.last(), c.readings[0].when
	if !c.run {
		begin = r.when
	}
	if c.held == 0 || !c.run {
		j.waited += c.end - max(begin, j.since)
	}
	t := max(j.at(r.shown), 0)
	told := t <= j.end             // the clock shows a time of the format
	over := j.last - t - j.most    // ticks by which the id is ahead by more than MaxAhead
	due := times(over, j.length()) // the time until the clock is within MaxAhead of it
	taken := max(j.last-j.from, 0) // ticks, since the stream went with the clock
	passed := c.end - j.since      // since then
	for _, r := range c.readings {
		if r.when >= j.since && j.at(r.shown) <= j.end {
			j.lead = max(j.lead, sub(sub(r.shown, r.when), sub(j.start(j.from), j.since)))
		}
	}
	w := c.waited()
	near := told && due <= w
	switch {
	case c.run || !told:
	case w > 0 && over <= 0:
		return problem("live: it waited, although it is not more than MaxAhead ahead of the clock")
	case w > max(due, rounding):
		return problem("live: it waited longer than the %s until the clock was within MaxAhead of it", span(due))
	}
	if least := times(taken, max(2*j.length(), rounding)); j.waited > add(least, longest+j.maxAhead) {
		return problem("live: calls waited %s for %d ticks since the stream went with the clock", span(j.waited), taken)
	}
	// Where the clock moves in steps, ids that were near it have used what it had gained.
	if !near && times(taken, min(j.length(), longest)) > add(passed+j.maxAhead, j.lead) {
		return problem("true: it is of %s, %d ticks and only %s after the stream went with the clock",
			clock(j.start(j.last)), taken, span(passed))
	}
	if near && sub(j.start(t), j.start(j.from)) > r.when-j.since {
		j.from, j.since, j.waited, j.lead = t, r.when, 0, 0 // the clock has caught up, although ids are ahead of it
	}
	return j.converge(c, first, near)
}

// converge checks that ids and the clock come together again, when ids are more than MaxAhead
// ahead of it: at full load, time in them passes at half the speed.
func (j *judge) converge(c *call, first int64, near bool) *violation {
	for _, r := range c.readings {
		t := max(j.at(r.shown), 0)
		near = near || t > j.end || first-t <= j.most
	}
	switch begin := c.readings[0].when; {
	case near:
		j.far = false
	case !j.far:
		j.far, j.farFrom, j.farSince = true, j.last, begin
	case times(j.last-j.farFrom, min(2*j.length(), longest)) > c.end-j.farSince+j.maxAhead:
		return problem("true: it is %s ahead of the clock, and %d ticks were taken in %s",
			span(times(j.last-j.at(c.last().shown), j.length())), j.last-j.farFrom, span(c.end-j.farSince))
	}
	return nil
}

// behind reports whether a reading is behind the latest id by more than MaxAhead.
func (j *judge) behind(r int64) bool {
	t := max(j.at(r), 0)
	return t <= j.end && j.last-t > j.most
}

// ahead returns how far the latest id was ahead of the clock when its call returned, if the clock
// has not lost time since the stream went with it.
func (j *judge) ahead(c *call) int64 {
	r := c.last()
	if sub(r.shown, j.start(j.from)) < r.when-j.since || j.length() >= longest {
		return 0
	}
	return max(sub(j.start(j.last), r.shown), 0) - c.waited()
}
