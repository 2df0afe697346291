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
func newJudge(s *scheme, o options, after, since int64) judge {
	j := judge{scheme: s, maxAhead: orDefault(o.maxAhead, 10*time.Millisecond)}
	j.tolerance = max(j.maxAhead, int64(time.Millisecond)) // jitter, which none follows
	switch s.kind {
	case v1:
	case snowflake:
		j.tolerance = math.MaxInt64
	default:
		j.tolerance = max(j.tolerance, orDefault(o.tolerance, 10*time.Second))
	}
	if s.limited() && after != none {
		j.issued, j.last, j.after = true, after, after
		j.even = after - since
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
	n        int // ids
	began    int64
	readings []reading
	end      int64 // when it returned
	withheld int   // how often a limit was seen to withhold its id
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

// ids checks the ids of a call. Which of its readings an id of a run is based on is not known.
func (j *judge) ids(c *call, xs []key) *violation {
	lo, hi := c.last().shown, c.last().shown
	if c.n > 1 {
		for _, r := range c.readings {
			lo, hi = min(lo, r.shown), max(hi, r.shown)
		}
	}
	for _, x := range xs {
		if v := j.take(x, lo, hi); v != nil {
			return v
		}
	}
	if v := j.ahead(c, j.time(xs[0])); v != nil {
		return v
	}
	return j.needless(c)
}

// take checks an id of a clock that showed from lo to hi, and remembers it.
func (j *judge) take(x key, lo, hi int64) *violation {
	at := j.time(x)
	stays := j.spent() || j.limited() && hi < j.after+j.length() // need not follow the clock back
	switch {
	case j.minted && j.ordered() && !j.prev.less(x) && j.last-lo <= j.tolerance:
		return problem("ordered: it is not above the one before, and the clock is behind that by no more than %s", span(j.tolerance))
	case at+j.length() <= lo:
		return problem("true: it is of %s, where the clock shows %s", clock(at), clock(lo))
	case at-hi-2*j.length() > j.tolerance && !stays:
		return problem("true: it is of %s and does not follow the clock, which shows %s", clock(at), clock(hi))
	case j.limited() && j.after != none && at <= j.after:
		return problem("unique: it is of %s, and After is %s", clock(at), clock(j.after))
	}
	follows := j.minted && at < j.last
	if follows {
		j.backs++
	}
	if follows || !j.issued {
		j.even = none
	}
	j.issued, j.minted, j.last, j.prev = true, true, at, x
	return nil
}

// spent reports whether every clock sequence has been used: then V1 and V6 may stay above all their ids.
func (j *judge) spent() bool { return j.sequenced() && j.backs >= rounds-1 }

// ahead checks that the ids of a call, the first of the time first, are at most MaxAhead ahead of a clock
// that was not set back, and that they and one that was come together again.
func (j *judge) ahead(c *call, first int64) *violation {
	near := false
	for _, r := range c.readings {
		near = near || first-r.shown <= j.maxAhead+j.length()
		j.even = max(j.even, r.shown-r.when)
	}
	// Where a tick is longer than a call may wait, promise 3 wins.
	if lead := j.lead(c); j.length() < longest && lead > j.maxAhead && !j.spent() {
		return problem("true: it is of %s, which is %s ahead of a clock that was not set back", clock(j.last), span(lead))
	}
	if last := c.last(); j.last <= last.shown {
		j.even = last.shown - last.when
	}
	cost := min(2*j.length(), longest) // of a tick, in time: at full load, time in ids passes at half the speed
	switch begin := c.readings[0].when; {
	case near, j.spent():
		j.far = false
	case !j.far:
		j.far, j.farFrom, j.farSince = true, j.last, begin
	case (j.last-j.farFrom)/j.length()*cost > c.end-j.farSince+j.maxAhead+cost:
		return problem("true: it is %s ahead of the clock, and ticks of %s were taken in %s",
			span(j.last-c.last().shown), span(j.last-j.farFrom), span(c.end-j.farSince))
	}
	return nil
}

// lead returns how far the latest id is ahead of the clock that runs evenly.
func (j *judge) lead(c *call) int64 { return j.last - j.even - c.end }

// needless checks that a call has not waited for nothing.
func (j *judge) needless(c *call) *violation {
	lead := j.last - c.last().shown
	switch w := c.waited(); {
	case c.n > 1:
	case w > 0 && lead <= j.maxAhead-j.length():
		return problem("live: it waited, although it is not more than MaxAhead ahead of the clock")
	case w > max(lead+2*j.length()-j.maxAhead, rounding):
		return problem("live: it waited longer than until the clock was within MaxAhead of it")
	}
	return nil
}

// covered reports whether a limit covers the next id, where the clock shows that.
func (j *judge) covered(shown, limit int64) bool {
	if j.issued {
		shown = max(shown, j.last+j.length())
	}
	return limit != none && shown <= limit
}
