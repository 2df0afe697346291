package main

import (
	"fmt"
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

// A judge checks the ids of one stream in one life against the promises. It knows the ids before, and for
// each call the readings of the clock and how long it took. All times are in ns.
type judge struct {
	*scheme
	tolerance int64 // the clock may be that far behind the latest id and not be followed
	maxAhead  int64

	issued bool  // there is an id so far, or After stands for some
	last   int64 // the time of the latest
	minted bool  // there is an id in this life
	prev   key   // the latest
	top    int64 // the highest time
	after  int64 // ids that After binds are later than this
	backs  int   // how often an id was earlier than the one before

	// Since the ids were last not ahead of the clock, no reading was ahead of a clock that runs evenly, and
	// shows even at the start of the world.
	even int64
	// While ids are more than MaxAhead ahead of the clock: the first of them.
	far               bool
	farFrom, farSince int64
}

// newJudge returns a judge for a stream of a process that starts at the time since.
func newJudge(s *scheme, tolerance, maxAhead time.Duration, after, since int64) judge {
	j := judge{scheme: s, maxAhead: orDefault(maxAhead, 10*time.Millisecond), after: past, top: past, even: past}
	j.tolerance = max(j.maxAhead, int64(time.Millisecond)) // jitter, which none follows
	switch s.kind {
	case v1:
	case snowflake:
		j.tolerance = future
	default:
		j.tolerance = max(j.tolerance, orDefault(tolerance, 10*time.Second))
	}
	if s.limited() && after >= s.start(0) && after != past {
		after = min(after, s.start(s.end))
		j.issued, j.last, j.top, j.after = true, after, after, after
		j.even = sub(after, since)
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

// A call is what is known of one call.
type call struct {
	stream   int
	began    int64
	readings []reading
	end      int64 // when it returned
	withheld int   // how often a limit was seen to withhold its id
	run      bool
}

// last returns the latest reading, which the one id of a call is based on.
func (c *call) last() reading { return c.readings[len(c.readings)-1] }

// waited returns how long the call waited after that, or since it began, if it was judged by what another call had
// read before.
func (c *call) waited() int64 { return c.end - max(c.last().when, c.began) }

// lasted returns how long the call lasted, except while a limit withheld its id.
func (c *call) lasted() int64 {
	if c.withheld > 0 {
		return c.waited()
	}
	return c.end - c.began
}

// early and late report whether a reading is before the first time that the format has, or after the last.
func (s *scheme) early(shown int64) bool { return shown == past || shown < s.start(0) }
func (s *scheme) late(shown int64) bool  { return shown >= s.start(s.end+1) }

// shown returns what a reading tells: one before the first time of the format tells that, and one after
// the last nothing but the time of the latest id.
func (j *judge) shown(r reading) int64 {
	switch {
	case j.early(r.shown):
		return j.start(0)
	case j.late(r.shown):
		return j.last
	}
	return r.shown
}

// ids checks the ids of a call. Which of its readings an id of a run is based on is not known.
func (j *judge) ids(c *call, xs []key) *violation {
	lo, hi := j.shown(c.last()), j.shown(c.last())
	if c.run {
		for _, r := range c.readings {
			lo, hi = min(lo, j.shown(r)), max(hi, j.shown(r))
		}
	}
	first := j.last
	for k, x := range xs {
		v := j.take(x, lo, hi)
		if v != nil {
			if c.run {
				v.text = fmt.Sprintf("%s; it is number %d of a run", v.text, k)
			}
			return v
		}
		if k == 0 {
			first = j.last
		}
	}
	if v := j.ahead(c, first); v != nil {
		return v
	}
	return j.needless(c)
}

// take checks an id of a clock that showed from lo to hi, and remembers it.
func (j *judge) take(x key, lo, hi int64) *violation {
	tick, _ := j.fields(x)
	at := j.start(tick)
	behind := sub(j.last, lo)
	if j.last == past {
		behind = future // an int64 has no room for 1582, so it is not known
	}
	stays := j.spent() || j.limited() && hi < add(j.after, j.length()) // need not follow the clock back
	switch {
	case j.minted && j.ordered() && !j.prev.less(x) && behind <= j.tolerance:
		return problem("ordered: it is not above the one before, and the clock is behind that by no more than %s", span(j.tolerance))
	case add(at, j.length()) <= lo:
		return problem("true: it is of %s, where the clock shows %s", clock(at), clock(lo))
	case sub(at, hi) > add(j.tolerance, 2*j.length()) && !stays:
		return problem("true: it is of %s and does not follow the clock, which shows %s", clock(at), clock(hi))
	case j.limited() && j.after != past && at <= j.after:
		return problem("unique: it is of %s, and After is %s", clock(at), clock(j.after))
	}
	follows := j.minted && at < j.last
	if follows {
		j.backs++
	}
	if follows || !j.issued {
		j.even = past
	}
	j.issued, j.minted, j.last, j.top, j.prev = true, true, at, max(j.top, at), x
	return nil
}

// spent reports whether every clock sequence has been used: then V1 and V6 may stay above all their ids.
func (j *judge) spent() bool { return j.sequenced() && j.backs >= rounds-1 }

// ahead checks that the ids of a call, the first of the time first, are at most MaxAhead ahead of a clock
// that was not set back, and that they and one that was come together again.
func (j *judge) ahead(c *call, first int64) *violation {
	near := false
	for _, r := range c.readings {
		shown := j.shown(r)
		if j.late(r.shown) {
			near = true
			continue
		}
		near = near || sub(first, shown) <= j.maxAhead+j.length()
		j.even = max(j.even, sub(shown, r.when))
	}
	// Where a tick is longer than a call may wait, promise 3 wins.
	if lead := j.lead(c); j.length() < longest && lead > j.maxAhead && !j.spent() {
		return problem("true: it is of %s, which is %s ahead of a clock that was not set back", clock(j.last), span(lead))
	}
	if last := c.last(); j.last <= j.shown(last) && !j.late(last.shown) {
		j.even = sub(j.shown(last), last.when)
	}
	cost := min(2*j.length(), longest) // of a tick, in time: at full load, time in ids passes at half the speed
	switch begin := c.readings[0].when; {
	case near, j.spent():
		j.far = false
	case !j.far:
		j.far, j.farFrom, j.farSince = true, j.last, begin
	case times(sub(j.last, j.farFrom)/j.length(), cost) > c.end-j.farSince+j.maxAhead+cost:
		return problem("true: it is %s ahead of the clock, and ticks of %s were taken in %s",
			span(sub(j.last, c.last().shown)), span(sub(j.last, j.farFrom)), span(c.end-j.farSince))
	}
	return nil
}

// lead returns how far the latest id is ahead of the clock that runs evenly.
func (j *judge) lead(c *call) int64 { return sub(j.last, add(j.even, c.end)) }

// needless checks that a call has not waited for nothing.
func (j *judge) needless(c *call) *violation {
	lead := sub(j.last, j.shown(c.last()))
	switch w := c.waited(); {
	case c.run || j.late(c.last().shown) || j.last == past:
	case w > 0 && lead <= j.maxAhead-j.length():
		return problem("live: it waited, although it is not more than MaxAhead ahead of the clock")
	case w > max(add(lead, 2*j.length()-j.maxAhead), rounding):
		return problem("live: it waited longer than until the clock was within MaxAhead of it")
	}
	return nil
}

// covered reports whether a limit covers the next id, where the clock shows that. That of past covers none.
func (j *judge) covered(shown, limit int64) bool {
	next := j.shown(reading{shown: shown})
	if j.issued {
		next = max(next, add(j.last, j.length()))
	}
	return limit != past && next <= limit
}

// ends reports whether the format may have no time for an id after the next n.
func (j *judge) ends(shown int64, n int) bool {
	if j.issued {
		shown = max(shown, j.last)
	}
	return shown >= sub(j.start(j.end), times(int64(n), j.length()))
}
