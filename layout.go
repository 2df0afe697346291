package ids

// This file contains the layouts of Snowflakes. A layout defines the positions of the time, the
// node number and the sequence.

import (
	"strconv"
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// SnowflakeLayout defines the fields of a Snowflake. From the most significant bit, they are the
// time in ticks since an epoch, the node number and the sequence. The time takes up the rest of the
// 63 bits, but at most 62 of them. [SnowflakeLayout.Last] returns the start of the layout's
// last tick. The zero value means [TwitterLayout].
//
// Any other layout must have an Epoch and a positive Tick, and leave at least one bit for the time;
// see [SnowflakeLayout.Validate]. If the tick is 20 ms or longer and a node is asked for more
// than 2^SequenceBits IDs per tick, its IDs get further and further ahead of the wall clock. Times
// more than 2^39 s (about 17,000 years) from 1970 or from Epoch, and times at or before
// 0001-01-01T00:00:00Z, are out of range.
type SnowflakeLayout struct {
	Epoch        time.Time     // start of tick 0
	Tick         time.Duration // unit in which the time is counted
	NodeBits     int           // width of the node number; 0 allows only node number 0
	SequenceBits int           // width of the sequence; 0 means one ID per tick
	NodeLast     bool          // the node number is below the sequence, as in Sonyflake's layout
}

// Twitter's layout has 41 bits for the time in milliseconds since twitterEpoch, then 5 bits for the
// datacenter, 5 bits for the worker and 12 bits for the sequence.
const (
	twitterEpoch        = 1288834974657 // ms since 1970
	twitterWorkerBits   = 5
	twitterNodeBits     = 5 + twitterWorkerBits
	twitterSequenceBits = 12
)

// TwitterLayout returns Twitter's layout, which is the default. It has 41 bits for milliseconds
// since 2010-11-04T01:42:54.657Z (until 2080), 10 bits for the node number and 12 bits for the
// sequence.
func TwitterLayout() SnowflakeLayout {
	return SnowflakeLayout{Epoch: time.UnixMilli(twitterEpoch).UTC(), Tick: time.Millisecond,
		NodeBits: twitterNodeBits, SequenceBits: twitterSequenceBits}
}

// TwitterNumber returns the node number for a datacenter and a worker in Twitter's layout. Both
// must be from 0 to 31; otherwise, the error matches [ErrRange].
func TwitterNumber(datacenter, worker int64) (number int64, err error) {
	const last = 1<<twitterWorkerBits - 1
	switch {
	case datacenter < 0 || datacenter > last:
		return 0, outside("datacenter", datacenter, last)
	case worker < 0 || worker > last:
		return 0, outside("worker", worker, last)
	}
	return datacenter<<twitterWorkerBits | worker, nil
}

// TwitterDatacenterWorker returns the datacenter and the worker that a node number of Twitter's
// layout contains. For a number from 0 to 1023, both are from 0 to 31. For any other number, the
// datacenter is outside this range.
func TwitterDatacenterWorker(number int64) (datacenter, worker int64) {
	return number >> twitterWorkerBits, number & (1<<twitterWorkerBits - 1)
}

// DiscordLayout returns Discord's layout. It has 41 bits for milliseconds since 2015-01-01 (until
// 2084), 10 bits for the node number (the upper 5 for the worker, the lower 5 for the process) and
// 12 bits for the sequence.
func DiscordLayout() SnowflakeLayout {
	return SnowflakeLayout{Epoch: time.UnixMilli(1420070400000).UTC(), Tick: time.Millisecond, NodeBits: 10, SequenceBits: 12}
}

// InstagramLayout returns Instagram's layout. It has 40 bits for milliseconds since
// 2011-08-24T21:07:01.721Z (until 2046), 13 bits for the node number (the logical shard) and 10
// bits for the sequence.
func InstagramLayout() SnowflakeLayout {
	return SnowflakeLayout{Epoch: time.UnixMilli(1314220021721).UTC(), Tick: time.Millisecond, NodeBits: 13, SequenceBits: 10}
}

// SonyflakeLayout returns the layout of Sonyflake version 1. It has 39 bits for units of 10 ms
// since 2014-09-01 (until 2188), 8 bits for the sequence and 16 bits for the node number. Sonyflake
// version 2 counts the time from 2025-01-01.
func SonyflakeLayout() SnowflakeLayout {
	return SnowflakeLayout{Epoch: time.Date(2014, 9, 1, 0, 0, 0, 0, time.UTC), Tick: 10 * time.Millisecond,
		NodeBits: 16, SequenceBits: 8, NodeLast: true}
}

// SnowflakeParts are the fields of a Snowflake.
type SnowflakeParts struct {
	Time           time.Time // start of the tick, in UTC
	Node, Sequence int64
}

// fields are the fields of a valid layout, with their shifts and maxima.
type fields struct {
	layout SnowflakeLayout
	scale  rule.Scale

	lastNode, lastSequence              int64 // largest values that fit in the fields
	timeShift, nodeShift, sequenceShift uint8
}

// normalized returns l with its Epoch in UTC, or Twitter's layout if l is the zero value.
func (l SnowflakeLayout) normalized() SnowflakeLayout {
	l.Epoch = l.Epoch.Round(0).UTC()
	if l == (SnowflakeLayout{}) {
		return TwitterLayout()
	}
	return l
}

// Equal reports whether l and m are the same layout. It ignores the time zones of their Epochs and
// treats the zero value as Twitter's layout.
func (l SnowflakeLayout) Equal(m SnowflakeLayout) bool { return l.normalized() == m.normalized() }

// Validate returns nil if l is valid. The zero value is valid. The error matches [ErrRange] if
// Epoch is not set or is more than 2^39 s from 1970, Tick is not positive, a number of bits is
// negative, or no bit is left for the time. Validate does not check whether the layout can
// represent the current time; see [SnowflakeLayout.Last].
func (l SnowflakeLayout) Validate() error {
	_, err := newFields(l)
	return err
}

// newFields returns the fields of l, or the error that Validate returns.
func newFields(l SnowflakeLayout) (f fields, err error) {
	l = l.normalized()
	switch {
	case l.Epoch.IsZero():
		return f, rangeError("ids: SnowflakeLayout.Epoch is not set")
	case l.Tick <= 0:
		return f, rangeError("ids: SnowflakeLayout.Tick " + l.Tick.String() + " is not positive")
	case l.NodeBits < 0 || l.SequenceBits < 0:
		return f, rangeError("ids: SnowflakeLayout with a negative number of bits: " + strconv.Itoa(l.NodeBits) + " of node, " +
			strconv.Itoa(l.SequenceBits) + " of sequence")
	case l.NodeBits > 62 || l.SequenceBits > 62 || l.NodeBits+l.SequenceBits > 62:
		return f, rangeError("ids: SnowflakeLayout with " + strconv.Itoa(l.NodeBits) + " node bits and " +
			strconv.Itoa(l.SequenceBits) + " sequence bits leaves no bit of 63 for the time")
	}
	f.timeShift, f.nodeShift = uint8(l.NodeBits+l.SequenceBits), uint8(l.SequenceBits)
	var near bool
	if f.scale, near = rule.NewScale(l.Epoch, 1, l.Tick, 63-int(f.timeShift)); !near {
		return f, rangeError("ids: SnowflakeLayout.Epoch is more than 2^39 s from 1970")
	}
	f.layout = l
	if l.NodeLast {
		f.nodeShift, f.sequenceShift = 0, uint8(l.NodeBits)
	}
	f.lastNode, f.lastSequence = 1<<l.NodeBits-1, 1<<l.SequenceBits-1
	return f, nil
}

// tick returns the tick of t. The error matches ErrRange if t is out of range.
func (f *fields) tick(t time.Time) (int64, error) {
	tick, side := f.scale.Tick(rule.NewReading(t))
	where := "after the last"
	switch {
	case side == 0:
		return tick, nil
	case side < 0:
		where = "before the first"
	}
	return 0, rangeError("ids: time " + t.UTC().Format(time.RFC3339Nano) + " is " + where + " tick of the SnowflakeLayout, " +
		f.scale.Time(tick).Format(time.RFC3339Nano))
}

// pack returns the Snowflake with the given fields, which must be in range.
func (f *fields) pack(tick, node, sequence int64) Snowflake {
	return Snowflake(tick<<(f.timeShift&63) | node<<(f.nodeShift&63) | sequence<<(f.sequenceShift&63))
}

// Last returns the start of the last tick of l, in UTC. After that tick, l has no more IDs. Last
// panics if l is not valid.
func (l SnowflakeLayout) Last() time.Time {
	f := must(newFields(l))
	return f.scale.Time(f.nearest(time.Unix(1<<40, 0))) // later than the last tick of every layout
}

// Split returns the fields of s according to l. If s is negative, the time is the start of tick 0.
// If the time in s has 63 bits, Split returns the start of tick 2^62-1. No node generates such
// Snowflakes. Split panics if l is not valid; see [SnowflakeLayout.Validate].
func (l SnowflakeLayout) Split(s Snowflake) SnowflakeParts {
	f := must(newFields(l))
	return SnowflakeParts{
		Time:     f.scale.Time(min(max(int64(s)>>f.timeShift, 0), 1<<62-1)),
		Node:     int64(s) >> f.nodeShift & f.lastNode,
		Sequence: int64(s) >> f.sequenceShift & f.lastSequence,
	}
}

// Compose is the inverse of Split. A time within a tick is treated as the start of the tick. The
// error matches [ErrRange] if a part does not fit the layout or the layout is not valid.
func (l SnowflakeLayout) Compose(p SnowflakeParts) (Snowflake, error) {
	f, err := newFields(l)
	if err != nil {
		return 0, err
	}
	tick, err := f.tick(p.Time)
	switch {
	case err != nil:
		return 0, err
	case p.Node < 0 || p.Node > f.lastNode:
		return 0, outside("Snowflake node", p.Node, f.lastNode)
	case p.Sequence < 0 || p.Sequence > f.lastSequence:
		return 0, outside("Snowflake sequence", p.Sequence, f.lastSequence)
	}
	return f.pack(tick, p.Node, p.Sequence), nil
}

// outside returns the error for a number n that is outside the range 0 to end.
func outside(what string, n, end int64) error {
	return rangeError("ids: " + what + " " + strconv.FormatInt(n, 10) + " is not within 0 to " + strconv.FormatInt(end, 10))
}

// MinAt returns the smallest Snowflake in t's tick. Use it like [MinV7At]. A time out of range is
// treated as the first or the last tick of l. MinAt panics if l is not valid.
func (l SnowflakeLayout) MinAt(t time.Time) Snowflake {
	f := must(newFields(l))
	return f.pack(f.nearest(t), 0, 0)
}

// MaxAt returns the greatest Snowflake in t's tick. Use it as the upper bound of a time range that
// includes its end. A time out of range is treated as the first or the last tick of l. MaxAt panics
// if l is not valid.
func (l SnowflakeLayout) MaxAt(t time.Time) Snowflake {
	f := must(newFields(l))
	return f.pack(f.nearest(t), f.lastNode, f.lastSequence)
}

// nearest returns the tick of t. If t is out of range, it returns the nearest tick in range, if
// there is one.
func (f *fields) nearest(t time.Time) int64 {
	tick, _ := f.scale.Tick(rule.NewReading(t))
	return tick
}
