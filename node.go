package ids

import (
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids/internal/random"
)

// SnowflakeNode mints the Snowflakes of one node number. It is safe for concurrent use. Nodes
// of one clock that have the same layout and number share one sequence, so that they repeat no
// id; of those on different clocks, and so on different machines, no two may have the same
// number at a time. Make one with [NewSnowflakeNode]; the zero value is not usable.
type SnowflakeNode struct {
	clock  *Clock
	lane   *lane
	layout SnowflakeLayout
	number int64

	// The fields of layout, as shifts.
	timeShift, sequenceShift uint8
	base                     int64 // the node number in its place
}

// SnowflakeOptions are the options of [NewSnowflakeNode]. The zero value is the default.
type SnowflakeOptions struct {
	Layout SnowflakeLayout // the zero value means Twitter's
	Clock  *Clock          // nil means the default clock
}

// nodeKey tells the lanes of a clock's nodes apart.
type nodeKey struct {
	epoch                  reading
	tick                   time.Duration
	nodeBits, sequenceBits int
	nodeLast               bool
	number                 int64
}

// NewSnowflakeNode returns a node with the given number, from 0 to 2^NodeBits-1. Nil options
// mean the default. The error matches [ErrRange] if the number does not fit the layout, if the
// layout has no tick or leaves no bits for the time, or if the clock's time is before its epoch
// or after its last tick.
func NewSnowflakeNode(number int64, opts *SnowflakeOptions) (*SnowflakeNode, error) {
	if opts == nil {
		opts = new(SnowflakeOptions)
	}
	c, l := opts.Clock, opts.Layout.orTwitter()
	if c == nil {
		c = defaultClock
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	tickEnd, nodeEnd, _ := l.ends()
	if number < 0 || number > nodeEnd {
		return nil, outside("Snowflake node", number, nodeEnd)
	}
	sc := newScale(l.Epoch, l.Tick)
	switch tick := sc.at(c.time()); {
	case tick < 0:
		return nil, rangeError("ids: SnowflakeLayout.Epoch " + l.Epoch.UTC().Format(time.RFC3339Nano) + " is in the future of the clock")
	case tick > tickEnd:
		return nil, rangeError("ids: the clock is after the last tick of a SnowflakeLayout with epoch " + l.Epoch.UTC().Format(time.RFC3339Nano))
	}
	return newNode(c, l, number), nil
}

// newNode returns the node of a valid layout with a number that fits it. Before the epoch it
// mints as if at the epoch.
func newNode(c *Clock, l SnowflakeLayout, number int64) *SnowflakeNode {
	n := &SnowflakeNode{clock: c, layout: l, number: number}
	n.timeShift = uint8(l.NodeBits + l.SequenceBits)
	if l.NodeLast {
		n.sequenceShift = uint8(l.NodeBits)
	}
	n.base = int64(l.pack(0, number, 0))

	sc := newScale(l.Epoch, l.Tick)
	key := nodeKey{sc.epoch, l.Tick, l.NodeBits, l.SequenceBits, l.NodeLast, number}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.lane = c.nodes[key]; n.lane != nil {
		return n
	}
	// Snowflake never follows the clock back.
	tickEnd, _, sequenceEnd := l.ends()
	made := c.newLane(sc, tickEnd, sequenceEnd+1, forever)
	made.bound(c.limit)
	if !c.state.Time.IsZero() {
		made.resume(newReading(c.state.Time))
	}
	n.lane = &made
	c.nodes[key] = n.lane
	return n
}

// Number returns the node number.
func (n *SnowflakeNode) Number() int64 { return n.number }

// Layout returns the layout.
func (n *SnowflakeNode) Layout() SnowflakeLayout { return n.layout }

// Next returns the next Snowflake of n. They strictly increase, whatever the wall clock does.
// While the wall clock is behind what was issued, they go on from there. When more are asked
// for than ticks have room for, Next waits, for up to 20 ms. While the [Clock.Limit] of the
// clock withholds ids, it waits until that is lifted. It panics when the last tick of the
// layout is used up.
func (n *SnowflakeNode) Next() Snowflake {
	c, l := n.clock, n.lane
	over := c.lock(l)
	s := n.pack(l.last, l.used-1)
	c.unlock(l, over)
	return s
}

// pack returns the Snowflake of a tick and a place in it.
func (n *SnowflakeNode) pack(tick, place int64) Snowflake {
	return Snowflake(tick<<(n.timeShift&63) | n.base | place<<(n.sequenceShift&63))
}

// TryNext is [SnowflakeNode.Next] for those who would rather be refused. It returns
// [ErrClockBackward] where Next would keep ascending behind a clock that was set back,
// [ErrExhausted] where it would wait for a tick, [ErrSuspended] where it would wait for the
// limit of the clock, and an error that matches [ErrRange] where it would panic. An id that is
// refused is not used up.
func (n *SnowflakeNode) TryNext() (Snowflake, error) {
	n.clock.mu.Lock()
	s, err := n.try()
	n.clock.mu.Unlock()
	return s, err
}

// try is TryNext. The mutex is held.
func (n *SnowflakeNode) try() (Snowflake, error) {
	c := n.clock
	tried, r := *n.lane, c.read()
	over := tried.take(c, r)
	back := tried.mark.sub(r)
	switch {
	case over == spent:
		return 0, errSpent
	case over == suspended:
		return 0, ErrSuspended
	case tried.lag > 0 && back > 0 && back >= c.jitter:
		return 0, ErrClockBackward
	case over > 0, tried.lag > 0 && tried.last-tried.at(r) > tried.ahead:
		return 0, ErrExhausted
	}
	*n.lane = tried
	return n.pack(tried.last, tried.used-1), nil
}

// Append appends count Snowflakes to dst, in increasing order, as if by calls of
// [SnowflakeNode.Next], save that all of them together wait for a tick for up to 20 ms. It
// panics if count is negative.
func (n *SnowflakeNode) Append(dst []Snowflake, count int) []Snowflake {
	dst, run := extend(dst, count)
	c, l := n.clock, n.lane
	var w wait
	for len(run) > 0 {
		piece := run[:min(len(run), pieceLen)]
		run = run[len(piece):]
		c.mu.Lock()
		r := c.read()
		var over int64
		for i := range piece {
			if over = l.take(c, r); over < 0 {
				over = c.suspend(l, over)
				r = c.read()
			}
			piece[i] = n.pack(l.last, l.used-1)
		}
		tick := l.last
		c.mu.Unlock()
		if over > 0 {
			w.until(c, l, tick)
		}
	}
	return dst
}

// defaultNode is the node of [NextSnowflake], once there is one.
var defaultNode atomic.Pointer[SnowflakeNode]

// nodeVariable names the environment variable with the number of the default node.
const nodeVariable = "IDS_SNOWFLAKE_NODE"

// NextSnowflake returns the next Snowflake of the default node, as [SnowflakeNode.Next] does.
// That is the one given to [SetDefaultSnowflakeNode], or else one of Twitter's layout on the
// default clock, with the number in the environment variable IDS_SNOWFLAKE_NODE. It panics if
// that is not a number from 0 to 1023: see [DefaultSnowflakeNode]. While the clock is before
// Twitter's epoch, as in a testing/synctest bubble, ids begin at the epoch.
//
// Without the variable, the number is drawn at random when the node is made. Then two processes
// have the same number with a chance of 1 in 1,024, and any two of 38 with a chance of 1 in 2,
// and those two mint the same ids when they mint in the same millisecond. That will do for one
// process, or for tests. If several mint into one table, give each its own number, by the
// variable or by [SetDefaultSnowflakeNode].
func NextSnowflake() Snowflake {
	n := defaultNode.Load()
	if n == nil {
		n = must(DefaultSnowflakeNode())
	}
	return n.Next()
}

// DefaultSnowflakeNode returns the node of [NextSnowflake], and makes it if there is none yet.
// The error matches [ErrRange] if the environment variable IDS_SNOWFLAKE_NODE is needed and is
// not a number from 0 to 1023. Call it when the program starts, so that a bad value ends the
// program there and not at its first id.
func DefaultSnowflakeNode() (*SnowflakeNode, error) {
	if n := defaultNode.Load(); n != nil {
		return n, nil
	}
	number, err := defaultNumber()
	if err != nil {
		return nil, err
	}
	n := newNode(defaultClock, TwitterLayout(), number)
	if !defaultNode.CompareAndSwap(nil, n) {
		if faster := defaultNode.Load(); faster != nil {
			return faster, nil
		}
	}
	return n, nil
}

// defaultNumber returns the node number in the environment, or else one drawn at random.
func defaultNumber() (int64, error) {
	s, ok := os.LookupEnv(nodeVariable)
	if !ok {
		b := random.Get()
		defer random.Put(b)
		return int64(b.Uint64() >> (64 - twitterNodeBits)), nil
	}
	v, err := strconv.ParseUint(s, 10, twitterNodeBits)
	if err != nil {
		return 0, rangeError("ids: environment variable " + nodeVariable + " is " + strconv.Quote(s) +
			", not a number from 0 to 1023")
	}
	return int64(v), nil
}

// SetDefaultSnowflakeNode makes n the node of [NextSnowflake]. Nil puts back what NextSnowflake
// would make itself. Call it before ids are minted: those of the node before know nothing of
// those of n.
func SetDefaultSnowflakeNode(n *SnowflakeNode) { defaultNode.Store(n) }
