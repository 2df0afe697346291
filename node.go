package ids

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// SnowflakeNode mints the Snowflakes of one node number. It is safe for concurrent use. Nodes of
// one clock that have the same layout and number share one sequence, and repeat no id. All else can:
// nodes of one number on different clocks, and so in different processes, and nodes of one number
// with different layouts. Give ids that are kept together one layout, and each clock a number of its
// own. Make a node with [NewSnowflakeNode]; using the zero value panics.
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
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	if _, err := f.tick(now.time()); err != nil {
		return nil, err
	}
	return c.newNode(f, number), nil
}

// newNode returns the node of a number that fits the format. The mutex is held.
func (c *Clock) newNode(f format, number int64) *SnowflakeNode {
	n := &SnowflakeNode{clock: c, format: f, number: number, base: f.pack(0, number, 0)}
	key := nodeKey{f.scale, f.timeShift, f.sequenceShift, f.lastSequence, n.base}
	if f.lastSequence == 0 {
		key.sequenceShift = 0 // no bits are nowhere: layouts that differ in their place pack alike
	}
	n.lane = c.nodes[key]
	if n.lane == nil {
		l := c.newLane(f.scale, f.firstTick(), f.lastTick(), f.lastSequence+1, forever, c.after)
		c.bind(&l)
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
// [Clock.SetLimit]: to end that wait use [SnowflakeNode.NextContext]. It panics when the last tick of
// the layout is exhausted, and with [ErrEnded] after the end that [Clock.EndAt] sets.
func (n *SnowflakeNode) Next() Snowflake {
	mustBe(n.clock != nil, "SnowflakeNode")
	c, l := n.clock, n.lane
	wait, err := c.lock(l)
	if err != nil {
		wait = c.lockLater(l, err)
	}
	s := n.latest()
	c.mu.Unlock()
	waitForClock(wait)
	return s
}

// NextContext is like [SnowflakeNode.Next] but returns an error once ctx has ended, even if an id can
// be had at once: a loop over NextContext ends with its context. It matches ctx.Err() and
// [context.Cause]. The wait of up to 20 ms for an id that is taken goes on to its end. Where Next
// would panic, the error is [ErrEnded], or matches [ErrRange]. An error takes no id.
func (n *SnowflakeNode) NextContext(ctx context.Context) (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	if ctx.Err() != nil {
		return 0, contextError(ctx)
	}
	c := n.clock
	wait, err := c.lock(n.lane)
	if err != nil {
		return n.nextLater(ctx, err)
	}
	s := n.latest()
	c.mu.Unlock()
	waitForClock(wait)
	return s, nil
}

// nextLater goes on for NextContext where lock has returned an error.
func (n *SnowflakeNode) nextLater(ctx context.Context, err error) (s Snowflake, _ error) {
	c, ended, wait := n.clock, false, time.Duration(0)
	err = c.reason(err)
	c.mu.Unlock()
	if err != ErrSuspended {
		return 0, err
	}
	// The mutex is not held here, nor by the deferred call: ctx may have methods of its own.
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		ended = true
		c.lifted.Broadcast()
	})
	defer stop()
	for {
		wait, err = c.lock(n.lane)
		if err = c.reason(err); err != ErrSuspended || ended {
			break
		}
		c.waitForLimit()
	}
	if err == nil {
		s = n.latest()
	}
	c.mu.Unlock()
	if err == ErrSuspended {
		return 0, contextError(ctx)
	}
	waitForClock(wait)
	return s, err
}

// contextError returns the error of a call whose context has ended.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("ids: waiting for a Snowflake: %w", cause)
	}
	return fmt.Errorf("ids: waiting for a Snowflake: %w: %w", err, cause)
}

// latest returns the latest Snowflake of the lane. The mutex is held.
func (n *SnowflakeNode) latest() Snowflake {
	return Snowflake(n.lane.last<<(n.format.timeShift&63)|(n.lane.used-1)<<(n.format.sequenceShift&63)) | n.base
}

// TryNext is like [SnowflakeNode.Next] but returns an error where Next would wait or would keep
// ascending behind the wall clock: [ErrExhausted], [ErrSuspended] or [ErrClockBackward]. Where Next
// would panic, the error is [ErrEnded], or matches [ErrRange]. An error takes no id. Beside goroutines
// that call Next without pause TryNext gets few ids, since those keep the node ahead of the wall clock.
func (n *SnowflakeNode) TryNext() (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	c := n.clock
	now, elapsed := c.enter(c.injected())
	err := c.reason(n.lane.try(n.lane.at(now), elapsed))
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
		wait, err := c.lock(l)
		if err != nil {
			wait = c.lockLater(l, err)
		}
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
		waitForClock(wait)
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
	var f format
	f.mustSet(TwitterLayout())
	number, found, err := numberFromEnv(f.lastNode)
	if err != nil {
		return nil, err
	}
	if !found {
		_, bits := defaultGenerator.bits(8)
		number = int64(bits >> (64 - twitterNodeBits))
	}
	defaultClock.mu.Lock()
	n := defaultClock.newNode(f, number)
	defaultClock.mu.Unlock()
	if !defaultNode.CompareAndSwap(nil, n) {
		return DefaultSnowflakeNode() // another call was faster
	}
	return n, nil
}

// SetDefaultSnowflakeNodeFromEnv makes the node of [NextSnowflake], of the number in the environment
// variable IDS_SNOWFLAKE_NODE and with the given options: another layout, or the clock of a clockfile.
// Nil options mean the default. Call it in main of a program that runs in many processes: unlike
// NextSnowflake it does not take a random number. It is an error if the variable is not set, if
// [NewSnowflakeNode] refuses its number, or if there is such a node already, since that may have the
// same number on another clock; then nothing has changed.
func SetDefaultSnowflakeNodeFromEnv(opts *SnowflakeOptions) error {
	const made = "ids: there is a default Snowflake node already: make it in main, before the first Snowflake"
	if defaultNode.Load() != nil {
		return errors.New(made)
	}
	if opts == nil {
		opts = new(SnowflakeOptions)
	}
	var f format
	if err := f.set(opts.Layout); err != nil {
		return err
	}
	number, found, err := numberFromEnv(f.lastNode)
	switch {
	case err != nil:
		return err
	case !found:
		return errors.New("ids: environment variable " + nodeVariable + " is not set")
	}
	n, err := NewSnowflakeNode(number, opts)
	if err == nil && !defaultNode.CompareAndSwap(nil, n) {
		err = errors.New(made)
	}
	return err
}

// nodeVariable is the environment variable that has the number of the default node.
const nodeVariable = "IDS_SNOWFLAKE_NODE"

// numberFromEnv returns the number in the environment, which is at most last.
func numberFromEnv(last int64) (number int64, found bool, err error) {
	s, found := os.LookupEnv(nodeVariable)
	if !found {
		return 0, false, nil
	}
	v, err := strconv.ParseUint(s, 10, 63)
	if err != nil || int64(v) > last {
		return 0, true, rangeError("ids: environment variable " + nodeVariable + " is " + strconv.Quote(s) +
			", not a number from 0 to " + strconv.FormatInt(last, 10))
	}
	return int64(v), true, nil
}

// SetDefaultSnowflakeNode makes n the node of [NextSnowflake]. Nil restores what NextSnowflake
// would make itself. Call it at startup: n is not coordinated with the node that it replaces.
func SetDefaultSnowflakeNode(n *SnowflakeNode) {
	mustBe(n == nil || n.clock != nil, "SnowflakeNode")
	defaultNode.Store(n)
}
