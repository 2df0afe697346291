package ids

import (
	"math"
	"strconv"
	"time"
)

// SnowflakeLayout gives the fields of a Snowflake, from the top: the time, in ticks since an
// epoch, then node and sequence. The time has the bits that these two leave of 63. The zero value
// is Twitter's layout.
type SnowflakeLayout struct {
	Epoch        time.Time     // of tick 0
	Tick         time.Duration // above 0
	NodeBits     int
	SequenceBits int
	NodeLast     bool // the sequence above the node, as Sonyflake has it
}

// TwitterLayout returns 41 bits of milliseconds since 2010-11-04T01:42:54.657Z, which last
// until 2080, 10 bits of node, and 12 of sequence. It is the default.
func TwitterLayout() SnowflakeLayout {
	return SnowflakeLayout{
		Epoch: time.UnixMilli(twitterEpoch).UTC(), Tick: time.Millisecond,
		NodeBits: twitterNodeBits, SequenceBits: twitterSequenceBits,
	}
}

// orTwitter returns l, or Twitter's layout if l is zero.
func (l SnowflakeLayout) orTwitter() SnowflakeLayout {
	// A zero time may have a location, so that == would not do.
	if l.Epoch.IsZero() && l.Tick == 0 && l.NodeBits == 0 && l.SequenceBits == 0 && !l.NodeLast {
		return TwitterLayout()
	}
	return l
}

// DiscordLayout returns 41 bits of milliseconds since 2015-01-01, which last until 2084, 10
// bits of node (5 of worker, 5 of process), and 12 of sequence.
func DiscordLayout() SnowflakeLayout {
	return SnowflakeLayout{
		Epoch: time.UnixMilli(1420070400000).UTC(), Tick: time.Millisecond,
		NodeBits: 10, SequenceBits: 12,
	}
}

// InstagramLayout returns 40 bits of milliseconds since 2011-08-24T21:07:01.721Z, which last
// until 2046, 13 bits of node (the logical shard), and 10 of sequence.
func InstagramLayout() SnowflakeLayout {
	return SnowflakeLayout{
		Epoch: time.UnixMilli(1314220021721).UTC(), Tick: time.Millisecond,
		NodeBits: 13, SequenceBits: 10,
	}
}

// SonyflakeLayout returns 39 bits of 10 ms since 2014-09-01, which last until 2188, 8 of
// sequence, and 16 bits of node below them.
func SonyflakeLayout() SnowflakeLayout {
	return SnowflakeLayout{
		Epoch: time.Date(2014, 9, 1, 0, 0, 0, 0, time.UTC), Tick: 10 * time.Millisecond,
		NodeBits: 16, SequenceBits: 8, NodeLast: true,
	}
}

// SnowflakeParts are what is in a Snowflake.
type SnowflakeParts struct {
	Time           time.Time // the start of the tick
	Node, Sequence int64
}

// check returns an error that matches ErrRange unless the layout can hold an id.
func (l SnowflakeLayout) check() error {
	switch {
	case l.Tick <= 0:
		return rangeError("ids: SnowflakeLayout.Tick of " + l.Tick.String() + " is not positive")
	case l.NodeBits < 0 || l.SequenceBits < 0 || l.NodeBits > 62 || l.SequenceBits > 62 || l.NodeBits+l.SequenceBits > 62:
		return rangeError("ids: SnowflakeLayout with " + strconv.Itoa(l.NodeBits) + " node bits and " +
			strconv.Itoa(l.SequenceBits) + " sequence bits leaves no time in 63 bits")
	}
	return nil
}

// ends returns the last of each field. That of the time is below what the arithmetic on ticks
// saturates at.
func (l SnowflakeLayout) ends() (tick, node, sequence int64) {
	return min(int64(math.MaxInt64)>>(l.NodeBits+l.SequenceBits), 1<<62-1), 1<<l.NodeBits - 1, 1<<l.SequenceBits - 1
}

// pack returns the Snowflake of fields that are in range.
func (l SnowflakeLayout) pack(tick, node, sequence int64) Snowflake {
	if l.NodeLast {
		return Snowflake((tick<<l.SequenceBits|sequence)<<l.NodeBits | node)
	}
	return Snowflake((tick<<l.NodeBits|node)<<l.SequenceBits | sequence)
}

// Split returns what is in s, which is of layout l. It panics if l is not valid, that is, if
// [NewSnowflakeNode] would refuse its Tick or bits.
func (l SnowflakeLayout) Split(s Snowflake) SnowflakeParts {
	l = l.orTwitter()
	l.mustBeValid()
	tickEnd, nodeEnd, sequenceEnd := l.ends()
	tick := min(max(int64(s)>>(l.NodeBits+l.SequenceBits), 0), tickEnd)
	node, sequence := int64(s)>>l.SequenceBits&nodeEnd, int64(s)&sequenceEnd
	if l.NodeLast {
		node, sequence = int64(s)&nodeEnd, int64(s)>>l.NodeBits&sequenceEnd
	}
	sc := newScale(l.Epoch, l.Tick)
	return SnowflakeParts{sc.time(tick), node, sequence}
}

// Compose is the inverse of Split. A time within a tick counts as its start. The error matches
// [ErrRange] if a part does not fit the layout, or the layout is not valid.
func (l SnowflakeLayout) Compose(p SnowflakeParts) (Snowflake, error) {
	l = l.orTwitter()
	if err := l.check(); err != nil {
		return 0, err
	}
	tickEnd, nodeEnd, sequenceEnd := l.ends()
	sc := newScale(l.Epoch, l.Tick)
	tick := sc.at(newReading(p.Time))
	if sec := p.Time.Unix(); sec >= maxSec {
		tick = tickEnd + 1
	} else if sec <= -maxSec {
		tick = -1
	}
	switch {
	case tick < 0:
		return 0, rangeError("ids: Snowflake time " + p.Time.UTC().Format(time.RFC3339Nano) + " is before the epoch")
	case tick > tickEnd:
		return 0, rangeError("ids: Snowflake time " + p.Time.UTC().Format(time.RFC3339Nano) + " is after the last tick")
	case p.Node < 0 || p.Node > nodeEnd:
		return 0, outside("Snowflake node", p.Node, nodeEnd)
	case p.Sequence < 0 || p.Sequence > sequenceEnd:
		return 0, outside("Snowflake sequence", p.Sequence, sequenceEnd)
	}
	return l.pack(tick, p.Node, p.Sequence), nil
}

// outside returns the error for a number that is not within 0 to end.
func outside(what string, n, end int64) error {
	return rangeError("ids: " + what + " " + strconv.FormatInt(n, 10) + " is not within 0 to " + strconv.FormatInt(end, 10))
}

// MinAt returns the least Snowflake of the tick that t is in. With MaxAt it bounds a range query,
// both included. A time outside the field is taken as the nearest in it. It panics if l is not
// valid.
func (l SnowflakeLayout) MinAt(t time.Time) Snowflake {
	l = l.orTwitter()
	return l.pack(l.nearest(t), 0, 0)
}

// MaxAt returns the greatest Snowflake of the tick that t is in: see [SnowflakeLayout.MinAt].
func (l SnowflakeLayout) MaxAt(t time.Time) Snowflake {
	l = l.orTwitter()
	tick := l.nearest(t)
	_, nodeEnd, sequenceEnd := l.ends()
	return l.pack(tick, nodeEnd, sequenceEnd)
}

// nearest returns the tick of t, or the nearest in the field.
func (l SnowflakeLayout) nearest(t time.Time) int64 {
	l.mustBeValid()
	tickEnd, _, _ := l.ends()
	sc := newScale(l.Epoch, l.Tick)
	return min(max(sc.at(newReading(t)), 0), tickEnd)
}

// mustBeValid panics unless the layout can hold an id.
func (l SnowflakeLayout) mustBeValid() { must(0, l.check()) }
