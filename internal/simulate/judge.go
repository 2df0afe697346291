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

// patience is how long a call may wait for the wall clock, in nanoseconds.
const patience = 20e6

// A judge knows what the ids of one stream in one life must be. It derives that from the
// readings of the clock and from the ids before, by the promises of package ids.
type judge struct {
	*scheme
	tolerance, maxAhead int64 // ns

	issued bool  // whether there is an id so far, or a saved state stands for some
	last   int64 // the tick of the latest
	minted bool  // whether there is an id in this life
	prev   key   // the latest, sortable
	seq    uint16

	// Of the readings since the stream last went with the wall clock back: the highest of all,
	// above which it must be set back for an inversion to be allowed, and the highest that an
	// id was based on, above which it must be set back for an inversion to be due.
	high, based int64

	// While the wall clock is behind, time goes on from what was issued: the time that ids may
	// be based on is setback after peak, the highest reading since the step. That ends when the
	// clock has come to the latest id.
	peak, setback int64
}

// resume tells j of a saved state: ids up to a time were issued, with the clock sequence given.
func (j *judge) resume(saved int64, seq uint16) {
	if tick := min(j.at(saved), j.end); tick >= 0 {
		j.issued, j.last, j.seq = true, tick, seq
		j.rebase(saved)
	}
}

// rebase makes r the only reading that counts: an id was given its time.
func (j *judge) rebase(r int64) {
	r = max(r, j.start(0))
	j.high, j.based, j.peak, j.setback = r, r, r, 0
}

// present is the time that ids may be based on.
func (j *judge) present() int64 { return add(j.peak, j.setback) }

// observe tells j of a reading.
func (j *judge) observe(r int64) {
	if j.at(r) > j.end {
		return // it tells nothing
	}
	r = max(r, j.start(0))
	j.high = max(j.high, r)
	back := sub(j.peak, r)
	switch {
	case back < 0:
		j.peak = r
		j.setback = max(min(j.setback, sub(j.start(j.last), r)), 0)
		if j.setback == 0 {
			j.peak = max(j.peak, j.high) // no longer behind
		}
	case back > 0 && back >= j.maxAhead:
		j.setback, j.peak = add(j.setback, back), r
	}
}

// observeWaiting tells j of a reading that came while a call waited. It may move the present
// on, not back: no id is based on it.
func (j *judge) observeWaiting(r int64) {
	was := j.present()
	j.observe(r)
	if missing := sub(was, j.present()); missing > 0 {
		j.setback = add(j.setback, missing)
	}
}

// A call is what is known of one call: what the clock showed and how long it waited.
type call struct {
	began    time.Time // of the bubble
	readings []int64
	waited   int64 // ns
	// unsure says that the stream need not go with the wall clock when it is due: the clock
	// sequence may not be free.
	unsure bool
	// top is the highest tick of V1 and V6 that was issued, or that the saved state tells of:
	// where they go on when the clock sequence has come round.
	top int64
}

// id checks one id, x, whose tick and clock sequence are given. ahead is how
// far it is ahead of the time that it may be based on, at most.
func (j *judge) id(c *call, x key, tick int64, seq uint16) (ahead int64, v *violation) {
	r := c.readings[0]
	t := j.at(r)
	if j.minted && t >= j.last && tick == t && j.prev.less(x) && len(c.readings) == 1 && t <= j.end {
		// By far the most: an id of the time at hand.
		j.last, j.prev, j.seq = tick, x, seq
		j.rebase(r)
		return 0, nil
	}
	if v := j.first(c, x, tick, seq, r, t); v != nil {
		return 0, v
	}
	entered := !j.issued || tick != j.last
	j.issued, j.minted, j.last, j.prev, j.seq = true, true, tick, x, seq
	return j.bound(c, entered, c.readings[1:])
}

// first checks x against the first reading of its call.
func (j *judge) first(c *call, x key, tick int64, seq uint16, r, t int64) *violation {
	switch {
	case !j.issued || t > j.last && t <= j.end:
		if want := min(max(t, 0), j.end); tick != want {
			return problem("true: it is of %s, where the clock shows %s", clock(j.start(tick)), clock(r))
		}
		if j.ordered() && j.minted && !j.prev.less(x) {
			return problem("ordered: it is not above the one before")
		}
		j.rebase(r)
		return nil
	case t > j.end:
		return j.ascending(c, x, tick)
	}
	t, r = max(t, 0), max(r, j.start(0))
	follows := tick == t && (tick < j.last || !j.minted || !j.prev.less(x))
	if j.sequenced() {
		follows = tick == t && seq != j.seq
	}
	if follows {
		if back := sub(j.high, r); !j.allows(back) {
			return problem("ordered: it is not above the one before, and the clock was set back by %s", span(back))
		}
		j.rebase(r)
		return nil
	}
	if back := sub(j.based, r); j.allows(back) && tick != t && !c.unsure {
		return problem("true: the clock was set back by %s to %s, and it is still of %s", span(back), clock(r), clock(j.start(tick)))
	}
	if v := j.ascending(c, x, tick); v != nil {
		return v
	}
	if tick > j.last+1 || c.unsure && tick == c.top+1 && j.start(tick) > j.present() {
		j.rebase(j.start(tick)) // where the clock sequence came round
	}
	if tick == t {
		j.rebase(r)
	} else {
		j.based = max(j.based, r)
		j.observe(r)
	}
	return nil
}

// allows reports whether the stream goes with a wall clock that was set back by that much.
func (j *judge) allows(back int64) bool {
	return j.kind != snowflake && back >= j.maxAhead && back > j.tolerance
}

// ascending checks that x goes on from the id before.
func (j *judge) ascending(c *call, x key, tick int64) *violation {
	switch {
	case j.ordered() && j.minted && !j.prev.less(x):
		return problem("ordered: it is not above the one before")
	case tick < j.last:
		return problem("true: it is of %s, before the one before", clock(j.start(tick)))
	case tick > j.last+1 && !(c.unsure && tick <= c.top+1):
		return problem("true: it skips from %s to %s", clock(j.start(j.last)), clock(j.start(tick)))
	}
	return nil
}

// bound checks that the latest id is not too far ahead of the time that it may be based on,
// given the readings that came while its call waited. An id of a tick that was entered before
// is not further ahead than what has been issued.
func (j *judge) bound(c *call, entered bool, later []int64) (ahead int64, v *violation) {
	seen := j.present()
	for _, r := range later {
		j.observeWaiting(r)
		seen = max(seen, j.present())
	}
	ahead = sub(j.start(j.last), seen)
	switch {
	case c.waited >= patience:
		j.setback = add(j.setback, c.waited) // time passed, whatever the clock showed
	case ahead > j.maxAhead && entered:
		return 0, problem("true: it is of %s, %s ahead of %s, after a wait of %s",
			clock(j.start(j.last)), span(ahead), clock(seen), span(c.waited))
	}
	return ahead, nil
}
