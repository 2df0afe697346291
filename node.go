package ids

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// SnowflakeNode mints the Snowflakes of one node number. It is safe for concurrent use. Nodes of
// one clock that have the same layout and number share one sequence, and repeat no id. Nodes of one
// number on different clocks, and so in different processes, can repeat ids; so can nodes with different
// layouts, whatever their numbers. Give ids that are kept together one layout, and each clock a number of
// its own. Make a node with [NewSnowflakeNode]; minting with the zero value panics.
type SnowflakeNode struct {
	clock  *Clock
	lane   *lane
	key    nodeKey
	format format
	number int64
	drawn  bool      // the number is a random one, which nobody has given
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

// NewSnowflakeNode returns a node with the given number, from 0 to 2^NodeBits-1. Nil options mean the default. The
// error matches [ErrRange] if the number does not fit the layout, if the layout can hold no id, or if the wall
// clock is before its first tick or after its last. A clock keeps its nodes: each new layout and number costs
// memory for as long as the clock lives. A clock is for some thousand nodes, since [Clock.Latest] and [ClockLimit]
// stop all calls while they look at each one.
func NewSnowflakeNode(number int64, opts *SnowflakeOptions) (*SnowflakeNode, error) {
	opts = cmp.Or(opts, new(SnowflakeOptions))
	c := cmp.Or(opts.Clock, defaultClock)
	mustBe(c.nodes != nil, "Clock")
	f, err := newFormat(opts.Layout)
	if err != nil {
		return nil, err
	}
	if number < 0 || number > f.lastNode {
		return nil, outside("Snowflake node", number, f.lastNode)
	}
	now, _ := c.enter(c.injected())
	defer c.mu.Unlock()
	if _, err = f.tick(now.time()); err != nil {
		return nil, err
	}
	return c.newNode(f, number), nil
}

// newNode returns the node of a number that fits the format. The mutex is held.
func (c *Clock) newNode(f format, number int64) *SnowflakeNode {
	n := &SnowflakeNode{clock: c, format: f, number: number, base: f.pack(0, number, 0)}
	n.key = nodeKey{f.scale, f.timeShift, f.sequenceShift, f.lastSequence, n.base}
	if f.lastSequence == 0 {
		n.key.sequenceShift = 0 // a field of no bits has no place: where it would be makes no difference
	}
	if c.nodes[n.key] == nil {
		l := c.newLane(f.scale, f.firstTick(), f.lastTick(), f.lastSequence+1, forever, c.after)
		c.bind(&l)
		c.nodes[n.key] = &l
	}
	n.lane = c.nodes[n.key]
	return n
}

// Number returns the node number.
func (n *SnowflakeNode) Number() int64 { return n.number }

// Layout returns the layout, with its Epoch in UTC.
func (n *SnowflakeNode) Layout() SnowflakeLayout { return n.format.layout }

// Next returns the next Snowflake of n. They strictly increase, whatever the wall clock does: if the wall clock is
// behind the latest id, they go on from there. If demand exceeds what the ticks hold, Next waits, for up to 20 ms.
// While the limit of the clock withholds ids, it waits for a later [ClockLimit.Set]: to end that wait use
// [SnowflakeNode.NextContext]. If the wall clock is past the last tick of the layout, Snowflakes go on from the
// latest until the last tick is full. Then, or if there is none yet, Next panics with an error that
// matches [ErrRange], after the end of the clock with one that matches [ErrEnded].
func (n *SnowflakeNode) Next() Snowflake {
	mustBe(n.clock != nil, "SnowflakeNode")
	wait := must(n.clock.lockNext(n.lane, nil))
	s := n.newest()
	n.clock.mu.Unlock()
	waitForClock(wait)
	return s
}

// next is Next with a waiter, and with an error where Next panics: a call more, which Next spares.
func (n *SnowflakeNode) next(w *waiter) (Snowflake, error) {
	wait, err := n.clock.lockNext(n.lane, w)
	if err != nil {
		return 0, err
	}
	s := n.newest()
	n.clock.mu.Unlock()
	waitForClock(wait)
	return s, nil
}

// NextContext is like [SnowflakeNode.Next] but returns an error once ctx has ended, even if an id can be had at
// once: a loop over NextContext ends with its context. The error matches ctx.Err() and [context.Cause], and, if
// ids were withheld, [ErrWithheld] and its cause. A wait of up to 20 ms for an id already taken is not cut short.
// Where Next would panic, the error matches [ErrEnded] and the cause of the end, or [ErrRange]. No id is lost with
// an error.
func (n *SnowflakeNode) NextContext(ctx context.Context) (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	if ctx.Err() != nil {
		return 0, contextError(ctx)
	}
	s, err := n.next(noWaiter)
	if err != nil && errors.Is(err, ErrWithheld) {
		return n.nextLater(ctx)
	}
	return s, err
}

// nextLater is NextContext if a limit withholds the id. The mutex is not held when it calls methods of ctx,
// which may call n.
func (n *SnowflakeNode) nextLater(ctx context.Context) (Snowflake, error) {
	c := n.clock
	w := c.newWaiter(n.lane)
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		w.stop()
	})
	defer stop()
	s, err := n.next(w)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", contextError(ctx), err)
	}
	return s, err
}

// contextError returns the error of a call whose context has ended.
func contextError(ctx context.Context) error {
	err := context.Cause(ctx)
	if !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return fmt.Errorf("ids: no Snowflake: %w", err)
}

// newest returns the latest Snowflake of the lane. The mutex is held.
func (n *SnowflakeNode) newest() Snowflake {
	return n.format.pack(n.lane.last, 0, n.lane.used-1) | n.base
}

// TryNext is like [SnowflakeNode.Next] but returns an error where Next would wait, or would go on ahead
// of a wall clock that was set back: it matches [ErrExhausted], as [ErrClockBehind] does, or [ErrWithheld]. Where
// Next would panic, it matches [ErrEnded] or [ErrRange]. No id is lost with an error. While other
// goroutines call Next in a loop, TryNext mostly fails: they keep the node ahead of the wall clock.
func (n *SnowflakeNode) TryNext() (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	c := n.clock
	now, elapsed := c.enter(c.injected())
	err := c.reason(n.lane.try(n.lane.at(now), elapsed))
	s := n.newest()
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return s, nil
}

// Append appends count Snowflakes to dst, in increasing order, as if by calls of
// [SnowflakeNode.Next], but faster. It waits as long as those would: four million Snowflakes of
// Twitter's layout take a second. It panics if count is negative, or more than a slice can hold, and
// where Next would: then the ids that it has made, at most count, are lost, and are never given again.
func (n *SnowflakeNode) Append(dst []Snowflake, count int) []Snowflake {
	dst, added := extend(dst, count)
	mustBe(n.clock != nil, "SnowflakeNode")
	c, l := n.clock, n.lane
	for len(added) > 0 {
		wait := must(c.lockNext(l, nil))
		piece := added[:1]
		if wait == 0 { // then more ids of the same tick need not wait either
			piece = added[:min(int64(len(added)), pieceLen, l.perTick-l.used+1)]
		}
		id, step := n.newest(), Snowflake(1)<<(n.format.sequenceShift&63)
		l.used += int64(len(piece) - 1)
		c.mu.Unlock()
		for i := range piece {
			piece[i] = id + Snowflake(i)*step
		}
		added = added[len(piece):]
		waitForClock(wait)
	}
	return dst
}
