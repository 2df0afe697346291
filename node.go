package ids

// What makes Snowflakes: the nodes of a clock.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/oneclock/ids/internal/rule"
)

// neverBack is the tolerance of Snowflakes.
const neverBack = math.MaxInt64

// SnowflakeNode makes the Snowflakes of one node number. It is safe for concurrent use. Make one with
// [NewSnowflakeNode]; methods that make ids panic on the zero value.
//
// Two nodes can make the same ids if they have one number on two clocks, for example in two processes, or if
// their layouts differ. So give each clock its own number, and ids that are kept together one layout. Nodes of
// one clock, layout and number share a sequence, and repeat nothing.
type SnowflakeNode struct {
	clock  *Clock
	lane   *rule.Lane
	key    nodeKey
	fields fields
	number int64
	drawn  bool      // the number is a random one, which nobody has given
	base   Snowflake // the number in its place
}

// SnowflakeOptions are the options of [NewSnowflakeNode]. The zero value is the default.
type SnowflakeOptions struct {
	Layout SnowflakeLayout // the zero value means Twitter's
	Clock  *Clock          // nil means the default clock
}

// NewSnowflakeNode returns a node with the given number, from 0 to 2^NodeBits-1. Nil options mean the default.
// The error matches [ErrRange] if the number does not fit the layout, if the layout can hold no id, or if the
// wall clock is before its first tick or after its last. A clock keeps its nodes as long as it lives: make no
// more than some thousand.
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
	now, _ := c.enter(c.anchor.Injected())
	defer c.mu.Unlock()
	if _, err = f.tick(now.Time()); err != nil {
		return nil, err
	}
	return c.newNode(f, number), nil
}

// newNode returns the node of a number that fits the layout. The mutex is held.
func (c *Clock) newNode(f fields, number int64) *SnowflakeNode {
	n := &SnowflakeNode{clock: c, fields: f, number: number, base: f.pack(0, number, 0)}
	n.key = nodeKey{f.scale, f.timeShift, f.sequenceShift, f.lastSequence, int64(n.base)}
	if f.lastSequence == 0 {
		n.key.sequenceShift = 0 // a field of no bits has no place: where it would be makes no difference
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

// Next returns the next Snowflake of n. Each is greater than the one before, whatever the wall clock does. Next
// waits for up to 20 ms if all ids of this moment are taken, and for as long as a [ClockLimit] withholds ids:
// to end that wait use [SnowflakeNode.NextContext]. It panics with an error that matches [ErrEnded] after the
// end of the clock, and [ErrRange] after that of the layout.
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

// NextContext is like [SnowflakeNode.Next], but returns an error once ctx has ended, even if an id is free: a
// loop over it ends with ctx. The error then matches ctx.Err() and [context.Cause], and, if the call waited for a
// withheld id, [ErrWithheld] and its cause. If ctx has ended before the call, nothing else is looked at, not even
// whether the clock has ended. A wait of up to 20 ms for an id does not end early. NextContext also returns an
// error where Next would panic. No id is lost with an error.
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
	tick, sequence := n.lane.Newest()
	return n.fields.pack(tick, 0, sequence) | n.base
}

// TryNext is like [SnowflakeNode.Next], but returns an error at once where Next would wait, panic, or go
// further than [ClockOptions].MaxAhead ahead of the wall clock. No id is lost with an error. It matches one of:
//
//   - [ErrExhausted]: all ids up to MaxAhead ahead of the wall clock are taken. Try again after one tick.
//   - [ErrClockBehind]: the wall clock was set back, stands still, or is before [ClockOptions].After. Until it
//     has caught up, only Next and NextContext make ids.
//   - [ErrWithheld]: the [ClockLimit] withholds ids.
//   - [ErrEnded], [ErrRange]: Next would panic.
//
// Beside goroutines that call Next in a loop, TryNext mostly fails: they keep the node ahead of the wall clock.
// With many of them, or with ticks of 10 ms or longer, ErrClockBehind can stand for ErrExhausted, and the reverse.
func (n *SnowflakeNode) TryNext() (Snowflake, error) {
	mustBe(n.clock != nil, "SnowflakeNode")
	c := n.clock
	now, elapsed := c.enter(c.anchor.Injected())
	err := c.reason(n.lane.TryNext(now, elapsed))
	s := n.newest()
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return s, nil
}

// Append appends count Snowflakes to dst, in increasing order: as many calls of [SnowflakeNode.Next] would, but
// faster. It waits as long as they would: four million Snowflakes of Twitter's layout take a second. It panics
// if count is negative, or more than a slice can hold, and where Next would; ids made until then are lost, and
// never made again.
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
