package ids

import (
	"os"
	"strconv"
	"sync/atomic"
)

// SnowflakeNode mints the Snowflakes of one node number. It is safe for concurrent use. Nodes of
// one clock that have the same layout and number share one sequence, and repeat no id. Nodes of
// different clocks, and so of different processes, must have different numbers. Make one with
// [NewSnowflakeNode]; using the zero value panics.
type SnowflakeNode struct {
	clock  *Clock
	lane   *lane
	format format
	number int64
	base   Snowflake // the number in its place
}

// SnowflakeOptions are the options of [NewSnowflakeNode]. The zero value is the default.
type SnowflakeOptions struct {
	Layout SnowflakeLayout // the zero value means Twitter's
	Clock  *Clock          // nil means the default clock
}

// nodeKey identifies the lane of a node by what its ids are.
type nodeKey struct {
	scale
	timeShift, sequenceShift uint8
	lastSequence             int64
	base                     Snowflake
}

// NewSnowflakeNode returns a node with the given number, from 0 to 2^NodeBits-1. Nil options
// mean the default. The error matches [ErrRange] if the number does not fit the layout, if the
// layout can hold no id, or if the clock's time is before its first tick or after its last. A
// clock never forgets a node.
func NewSnowflakeNode(number int64, opts *SnowflakeOptions) (*SnowflakeNode, error) {
	if opts == nil {
		opts = new(SnowflakeOptions)
	}
	c := opts.Clock
	if c == nil {
		c = defaultClock
	}
	mustBe(c.nodes != nil, "Clock")
	var f format
	if err := f.set(opts.Layout); err != nil {
		return nil, err
	}
	if number < 0 || number > f.lastNode {
		return nil, outside("Snowflake node", number, f.lastNode)
	}
	now, elapsed := c.injected(), c.elapsed()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := f.tick(c.reading(elapsed, now).time()); err != nil {
		return nil, err
	}
	return c.newNode(f, number), nil
}

// newNode returns the node of a number that fits the format. The mutex is held.
func (c *Clock) newNode(f format, number int64) *SnowflakeNode {
	n := &SnowflakeNode{clock: c, format: f, number: number, base: f.pack(0, number, 0)}
	key := nodeKey{f.scale, f.timeShift, f.sequenceShift, f.lastSequence, n.base}
	if f.lastSequence == 0 {
		key.sequenceShift = 0
	}
	n.lane = c.nodes[key]
	if n.lane == nil {
		l := c.newLane(f.scale, f.first(), f.end(), f.lastSequence+1, forever, c.after)
		l.bind(c.limit)
		n.lane = &l
		c.nodes[key] = n.lane
	}
	return n
}

// Number returns the node number.
func (n *SnowflakeNode) Number() int64 { return n.number }

// Layout returns the layout.
func (n *SnowflakeNode) Layout() SnowflakeLayout { return n.format.layout }

// Next returns the next Snowflake of n. They strictly increase, whatever the wall clock does:
// while it is behind the latest id, they go on from that. If demand exceeds what the ticks hold,
// Next waits, for up to 20 ms. While the limit of the clock withholds ids, it waits for a later
// [Clock.SetLimit]. It panics when the last tick of the layout is exhausted.
func (n *SnowflakeNode) Next() Snowflake {
	mustBe(n.clock != nil, "SnowflakeNode")
	c, l := n.clock, n.lane
	wait := c.lock(l)
	s := n.latest()
	c.mu.Unlock()
	sleep(wait)
	return s
}

// latest returns the latest Snowflake of the lane. The mutex is held.
func (n *SnowflakeNode) latest() Snowflake {
	return Snowflake(n.lane.last<<(n.format.timeShift&63)|(n.lane.used-1)<<(n.format.sequenceShift&63)) | n.base
}

// TryNext is like [SnowflakeNode.Next] but returns an error where Next would wait or would keep
// ascending behind the wall clock: [ErrExhausted], [ErrSuspended], [ErrClockBackward], or one that
// matches [ErrRange] where Next would panic. An error takes no id.
func (n *SnowflakeNode) TryNext() (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	c := n.clock
	now, elapsed := c.injected(), c.elapsed()
	c.mu.Lock()
	err := n.lane.try(n.lane.at(c.reading(elapsed, now)), elapsed)
	s := n.latest()
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return s, nil
}

// Append appends count Snowflakes to dst, in increasing order, as if by calls of
// [SnowflakeNode.Next], but faster. It waits as long as those would: four million Snowflakes of
// Twitter's layout take a second. It panics if count is negative, or more than a slice can hold.
func (n *SnowflakeNode) Append(dst []Snowflake, count int) []Snowflake {
	dst, run := extend(dst, count)
	mustBe(n.clock != nil, "SnowflakeNode")
	c, l := n.clock, n.lane
	for len(run) > 0 {
		wait := c.lock(l)
		piece := run[:1]
		if wait == 0 { // then more ids of the same tick need not wait either
			piece = run[:min(int64(len(run)), pieceLen, l.perTick-l.used+1)]
		}
		id, step := n.latest(), Snowflake(1)<<(n.format.sequenceShift&63)
		l.used += int64(len(piece) - 1)
		c.mu.Unlock()
		for i := range piece {
			piece[i] = id + Snowflake(i)*step
		}
		run = run[len(piece):]
		sleep(wait)
	}
	return dst
}

// defaultNode is the node of [NextSnowflake], once there is one.
var defaultNode atomic.Pointer[SnowflakeNode]

// NextSnowflake returns the next Snowflake of the default node, as [SnowflakeNode.Next] does. That
// is the one given to [SetDefaultSnowflakeNode], or else one of Twitter's layout on the default
// clock, with the number in the environment variable IDS_SNOWFLAKE_NODE. It panics if that is not
// a number from 0 to 1023. While the clock is before Twitter's epoch, as in a testing/synctest
// bubble, ids begin at the epoch.
//
// Without the variable, the number is random. Two processes then share one with probability
// 1/1024, and some two of 38 with probability 1/2; those two can issue the same ids. If several
// processes mint into one table, give each its own number.
func NextSnowflake() Snowflake {
	n := defaultNode.Load()
	if n == nil {
		n = must(DefaultSnowflakeNode())
	}
	return n.Next()
}

// DefaultSnowflakeNode returns the node of [NextSnowflake], and makes it if there is none. Call it
// in main to see a bad IDS_SNOWFLAKE_NODE before the first id: that is an error that matches
// [ErrRange].
func DefaultSnowflakeNode() (*SnowflakeNode, error) {
	if n := defaultNode.Load(); n != nil {
		return n, nil
	}
	number, err := defaultNumber()
	if err != nil {
		return nil, err
	}
	var f format
	f.mustSet(TwitterLayout())
	defaultClock.mu.Lock()
	n := defaultClock.newNode(f, number)
	defaultClock.mu.Unlock()
	if !defaultNode.CompareAndSwap(nil, n) {
		return DefaultSnowflakeNode() // another call was faster
	}
	return n, nil
}

// defaultNumber returns the number in the environment, or a random one.
func defaultNumber() (int64, error) {
	const name = "IDS_SNOWFLAKE_NODE"
	s, ok := os.LookupEnv(name)
	if !ok {
		_, bits := defaultGenerator.random(8)
		return int64(bits >> (64 - twitterNodeBits)), nil
	}
	v, err := strconv.ParseUint(s, 10, twitterNodeBits)
	if err != nil {
		return 0, rangeError("ids: environment variable " + name + " is " + strconv.Quote(s) + ", not a number from 0 to 1023")
	}
	return int64(v), nil
}

// SetDefaultSnowflakeNode makes n the node of [NextSnowflake]. Nil restores what NextSnowflake
// would make itself. Call it at startup: n is not coordinated with the node that it replaces.
func SetDefaultSnowflakeNode(n *SnowflakeNode) {
	mustBe(n == nil || n.clock != nil, "SnowflakeNode")
	defaultNode.Store(n)
}
