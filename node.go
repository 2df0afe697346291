package ids

// This file contains SnowflakeNode, which generates Snowflakes.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/oneclock/ids/internal/rule"
)

// neverBack is the tolerance of Snowflakes for a wall clock that is set back. With it, they keep
// ascending however far the wall clock is set back.
const neverBack = math.MaxInt64

// SnowflakeNode generates Snowflakes with one node number. It is safe for concurrent use. Create
// one with [NewSnowflakeNode]; methods that generate IDs panic on the zero value.
//
// Two nodes with the same number can generate the same IDs if their clocks differ, for example
// because the nodes are in two processes. Two nodes with different layouts can also generate the
// same IDs. So give each clock its own number, and use one layout for all IDs that are stored
// together. Nodes with the same clock, layout and number share a sequence and never repeat an ID.
type SnowflakeNode struct {
	clock  *Clock
	lane   *rule.Lane
	key    nodeKey
	fields fields
	number int64
	drawn  bool      // the number is random, and was not set by the program or its environment
	base   Snowflake // the number, shifted to its position in an ID
}

// SnowflakeOptions are options for [NewSnowflakeNode]. The zero value selects the defaults.
type SnowflakeOptions struct {
	Layout SnowflakeLayout // the zero value means Twitter's layout
	Clock  *Clock          // nil means the default clock
}

// NewSnowflakeNode returns a node with the given number, from 0 to 2^NodeBits-1. If opts is nil, it
// uses the default options. The error matches [ErrRange] if the number does not fit the layout, if
// the layout has no room for an ID, or if the wall clock is before the layout's first tick or after
// its last. A clock never frees its nodes, so create no more than a few thousand of them.
func NewSnowflakeNode(number int64, opts *SnowflakeOptions) (*SnowflakeNode, error) {
	opts = cmp.Or(opts, new(SnowflakeOptions))
	c := cmp.Or(opts.Clock, defaultClock)
	mustBe(c.nodes != nil, "Clock")
	f, err := newFields(opts.Layout)
	if err != nil {
		return nil, err
	}
	if number < 0 || number > f.lastNode {
		return nil, outside("Snowflake node", number, f.lastNode)
	}
	now, _ := c.lockAndRead(c.anchor.Injected())
	defer c.mu.Unlock()
	if _, err = f.tick(now.Time()); err != nil {
		return nil, err
	}
	return c.newNode(f, number), nil
}

// newNode returns a node with the given number, which must fit the layout. The mutex is held.
func (c *Clock) newNode(f fields, number int64) *SnowflakeNode {
	n := &SnowflakeNode{clock: c, fields: f, number: number, base: f.pack(0, number, 0)}
	n.key = nodeKey{f.scale, f.timeShift, f.sequenceShift, f.lastSequence, int64(n.base)}
	if f.lastSequence == 0 {
		n.key.sequenceShift = 0 // the position of a field of width 0 does not matter
	}
	if c.nodes[n.key] == nil {
		l := rule.NewLane(f.scale, f.lastSequence+1, neverBack, c.maxAhead, c.after)
		c.applyLimit(&l)
		c.nodes[n.key] = &l
	}
	n.lane = c.nodes[n.key]
	return n
}

// Number returns the node number.
func (n *SnowflakeNode) Number() int64 { return n.number }

// Layout returns the layout, with its Epoch in UTC.
func (n *SnowflakeNode) Layout() SnowflakeLayout { return n.fields.layout }

// Next returns the next Snowflake from n. Each Snowflake is greater than the previous one, whatever
// the wall clock does. Next waits for up to 20 ms if all IDs for the current time are taken. It
// also waits while a [ClockLimit] withholds IDs; to end that wait, use [SnowflakeNode.NextContext].
// After the clock has ended, Next panics with an error that matches [ErrEnded]. Once the layout has
// no more IDs, Next panics with an error that matches [ErrRange].
func (n *SnowflakeNode) Next() Snowflake {
	mustBe(n.clock != nil, "SnowflakeNode")
	wait := must(n.clock.lockNext(n.lane, nil))
	s := n.newest()
	n.clock.mu.Unlock()
	waitForClock(wait)
	return s
}

// next is like Next, but stops waiting when w is stopped, and returns an error where Next panics.
// Next does not call next, which saves the cost of a call.
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

// NextContext is like [SnowflakeNode.Next], but returns an error once ctx is done, even if an ID is
// available, so that a loop that calls it can stop. This error matches ctx.Err() and the error from
// [context.Cause]. If the call waited for a withheld ID, it also matches [ErrWithheld] and its
// cause. If ctx is done before the call, NextContext returns without checking anything else, not
// even whether the clock has ended. A wait of up to 20 ms for an ID is not cut short when ctx is
// done. NextContext also returns an error where Next would panic. A call that returns an error does
// not use up an ID.
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

// nextLater does the work of NextContext if a limit withholds the ID. It does not hold the mutex
// when it calls methods of ctx, because they may call n.
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

// contextError returns the error for a call whose context is done.
func contextError(ctx context.Context) error {
	err := context.Cause(ctx)
	if !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return fmt.Errorf("ids: no Snowflake: %w", err)
}

// newest returns the lane's latest Snowflake. The mutex is held.
func (n *SnowflakeNode) newest() Snowflake {
	tick, sequence := n.lane.Newest()
	return n.fields.pack(tick, 0, sequence) | n.base
}

// TryNext is like [SnowflakeNode.Next], but immediately returns an error where Next would wait,
// panic or generate an ID further than [ClockOptions].MaxAhead ahead of the wall clock. A call that
// returns an error does not use up an ID. The error matches one of the following:
//
//   - [ErrExhausted] means that all IDs up to MaxAhead ahead of the wall clock are taken. Try again
//     after one tick.
//   - [ErrClockBehind] means that the wall clock is behind the IDs, because it was set back, has
//     stopped or is before [ClockOptions].After. Until the wall clock has caught up, only Next and
//     NextContext generate IDs.
//   - [ErrWithheld] means that the [ClockLimit] withholds IDs.
//   - [ErrEnded] and [ErrRange] mean that Next would panic.
//
// While other goroutines call Next in a loop, TryNext usually fails, because those calls keep the
// node ahead of the wall clock. With many such goroutines, or with ticks of 10 ms or longer,
// TryNext can return ErrClockBehind in place of ErrExhausted. After the wall clock was set back by
// less than about 50 ms, TryNext can return ErrExhausted in place of ErrClockBehind, even with a
// single goroutine.
func (n *SnowflakeNode) TryNext() (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	c := n.clock
	now, elapsed := c.lockAndRead(c.anchor.Injected())
	err := c.reason(n.lane.TryNext(now, elapsed))
	s := n.newest()
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return s, nil
}

// Append appends count Snowflakes to dst, in increasing order. It is like count calls to
// [SnowflakeNode.Next], but faster. It waits as long as those calls would. For example, four
// million Snowflakes with Twitter's layout take one second. Append panics if count is negative or
// more than a slice can hold, or if Next would panic. IDs generated before the panic are lost, and
// are never generated again.
func (n *SnowflakeNode) Append(dst []Snowflake, count int) []Snowflake {
	dst, added := extend(dst, count)
	mustBe(n.clock != nil, "SnowflakeNode")
	c, l := n.clock, n.lane
	for len(added) > 0 {
		wait := must(c.lockNext(l, nil))
		piece := added[:1]
		id, step := n.newest(), Snowflake(1)<<(n.fields.sequenceShift&63)
		if wait == 0 {
			piece = added[:1+l.TakeMore(min(len(added), pieceLen)-1)]
		}
		c.mu.Unlock()
		for i := range piece {
			piece[i] = id + Snowflake(i)*step
		}
		added = added[len(piece):]
		waitForClock(wait)
	}
	return dst
}
