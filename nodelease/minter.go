package nodelease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

// MinterOptions are the options of [NewMinter]. The zero value is the default.
type MinterOptions struct {
	// Window is how far ahead of the wall clock the mark is written: a longer one makes fewer
	// writes, and the number of a holder that crashed rests for longer. It must be at least 100
	// ticks of the layout; the Minter takes the lease's TTL if that is more. Zero means four
	// times the TTL, or 100 ticks if that is more.
	Window time.Duration

	// Layout is the layout of the ids. The zero value means Twitter's, with 1,024 nodes. All holders
	// of one store's numbers must use one layout.
	Layout ids.SnowflakeLayout

	// Now replaces the wall clock. Nil means the system's. It must be safe for concurrent use, must
	// not block, and must not call back into the Minter.
	Now func() time.Time

	// Logger is told when minting begins and ends and when the store fails. Nil means none.
	Logger *slog.Logger

	// Observe is called with what happens, for metrics. Nil means none. It must be safe for
	// concurrent use, must return soon, and must not call Close. A panic in it is not recovered.
	Observe func(Event)
}

// Minter mints Snowflakes under a node number leased from a [Store]. While it has no number, Next
// waits and TryNext refuses. It is safe for concurrent use. Make one with [NewMinter]; using the
// zero value panics.
type Minter struct {
	// node mints while that needs no more than its own look at the clock and the limit. Otherwise
	// its clock is suspended.
	node atomic.Pointer[ids.SnowflakeNode]

	store  Store
	opts   MinterOptions
	tick   time.Duration // of the layout
	start  time.Time
	early  chan struct{} // asks keep to raise the mark before its time
	cancel context.CancelFunc
	ended  <-chan struct{} // closed by cancel
	done   chan struct{}   // closed when keep has returned
	failed error           // why the number could not be handed back; set before done is closed

	mu      sync.Mutex
	tenure  *tenure       // nil while no number is held
	why     error         // what to refuse with while no id can be minted
	changed chan struct{} // closed and replaced when an id may be had that could not be had before

	telling sync.Mutex
	told    int64 // the number that Observe believes to be minting, or -1
}

// idle is a node that refuses every id with ErrSuspended.
var idle = newIdle()

func newIdle() *ids.SnowflakeNode {
	epoch := ids.TwitterLayout().Epoch
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return epoch }})
	clock.SetLimit(never)
	n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	return n
}

// unheld is the error while no id can be minted. It matches ids.ErrSuspended and its cause. It is made
// when the cause arises, so that a refusal allocates nothing.
type unheld struct{ cause error }

func (e *unheld) Error() string {
	return "nodelease: no node number: " + strings.TrimPrefix(e.cause.Error(), "nodelease: ")
}

func (e *unheld) Unwrap() []error { return []error{ids.ErrSuspended, e.cause} }

// NewMinter starts a Minter over store, and does not wait for its number. [Minter.Close] hands the
// number back. Nil options mean the default. The error says which argument is wrong: a nil store, a
// layout that can hold no id (it matches [ids.ErrRange]), or a bad window.
func NewMinter(store Store, opts *MinterOptions) (*Minter, error) {
	if store == nil {
		return nil, errors.New("nodelease: nil Store")
	}
	if opts == nil {
		opts = new(MinterOptions)
	}
	tick, err := tickOf(opts.Layout)
	if err != nil {
		return nil, fmt.Errorf("nodelease: MinterOptions.Layout: %w", err)
	}
	if opts.Window != 0 && opts.Window/100 < tick {
		return nil, fmt.Errorf("nodelease: MinterOptions.Window %v is less than 100 ticks of %v", opts.Window, tick)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Minter{
		store: store, opts: *opts, tick: tick, start: time.Now(), cancel: cancel, ended: ctx.Done(),
		early: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}),
		why: &unheld{errors.New("the store has not answered yet")}, told: -1,
	}
	if m.opts.Logger == nil {
		m.opts.Logger = slog.New(slog.DiscardHandler)
	}
	m.node.Store(idle)
	go m.keep(ctx)
	return m, nil
}

// tickOf returns the tick of a layout, or an error if the layout can hold no id.
func tickOf(l ids.SnowflakeLayout) (time.Duration, error) {
	inside := ids.TwitterLayout().Epoch
	if l.Tick > 0 {
		inside = l.Epoch.Add(l.Tick)
	}
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return inside }})
	n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Layout: l, Clock: clock})
	if err != nil {
		return 0, err
	}
	return n.Layout().Tick, nil
}

// TryNext returns an id, or says at once why there is none: [ErrClosed], an error that matches
// [ids.ErrSuspended] while no number is held, besides the errors of [ids.SnowflakeNode.TryNext]. The
// error while no number is held also matches its cause, such as [ErrNoNode], [ErrLost] or what the
// store has returned.
func (m *Minter) TryNext() (ids.Snowflake, error) {
	id, err := m.node.Load().TryNext()
	if err != nil {
		return m.refuse(err)
	}
	return id, nil
}

// refuse is TryNext after the node has returned err.
func (m *Minter) refuse(err error) (id ids.Snowflake, _ error) {
	if errors.Is(err, ids.ErrSuspended) {
		id, err = m.mint(false)
	}
	if err != nil {
		m.observe(Event{Kind: Refused, Node: -1, Err: err})
	}
	return id, err
}

// Next returns an id. While the wall clock is behind the ids issued, they go on in ascending order,
// at most half as fast as time passes. Next waits while no number is held, while the store is asked
// for a higher mark, and while the ticks are exhausted. The error is ErrClosed, one that matches ctx's
// cause and what Next waited for, or one that matches [ids.ErrRange] when the layout has no time left
// for ids of this number. An id that can be had at once is returned even if ctx is done.
func (m *Minter) Next(ctx context.Context) (ids.Snowflake, error) {
	id, err := m.node.Load().TryNext()
	if err != nil {
		return m.wait(ctx)
	}
	return id, nil
}

// wait is Next where the node refuses.
func (m *Minter) wait(ctx context.Context) (id ids.Snowflake, err error) {
	var began time.Time
	defer func() {
		if !began.IsZero() {
			m.observe(Event{Kind: Waited, Node: -1, Took: time.Since(began), Err: err})
		}
	}()
	for {
		changed := m.change() // before the attempt, so that no change goes unseen
		id, err = m.node.Load().TryNext()
		if errors.Is(err, ids.ErrSuspended) || errors.Is(err, ids.ErrClockBackward) {
			id, err = m.mint(true)
		}
		var tick <-chan time.Time
		switch {
		case errors.Is(err, ids.ErrExhausted):
			tick = time.After(time.Millisecond)
		case !errors.Is(err, ids.ErrSuspended):
			return id, err
		}
		if began.IsZero() {
			began = time.Now()
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("%w: %w", context.Cause(ctx), m.reason(err))
		case <-m.ended:
			return 0, ErrClosed
		case <-changed:
		case <-tick:
		}
	}
}

// change returns what is closed when an id may be had that could not be had before.
func (m *Minter) change() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// reason returns why there is no id, or err if ids can be minted.
func (m *Minter) reason(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why != nil {
		return m.why
	}
	return err
}

// mint draws an id where a look at the tenure is needed. If ascend is set, it does so also while the
// wall clock is behind the ids issued.
func (m *Minter) mint(ascend bool) (ids.Snowflake, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why != nil {
		return 0, m.why
	}
	t := m.tenure
	id, err := t.draw(ascend)
	if !t.slewing {
		m.node.Store(t.node)
	} // else the former node refuses, since its clock is suspended
	if errors.Is(err, ids.ErrSuspended) {
		select {
		case m.early <- struct{}{}: // the clock has run past the mark
		default:
		}
	}
	return id, err
}

// Node returns the number under which ids can be minted now. ok is false while there is none.
func (m *Minter) Node() (number int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why != nil {
		return 0, false
	}
	return m.tenure.number, true
}

// Close ends the minting at once, and hands the number back. Next and TryNext return [ErrClosed] from
// then on, also those that wait. The error is the store's, if the number could not be handed back: then
// it is free after its TTL. If ctx ends first, the error is ctx's cause, and the handing back goes on in
// the background. A second Close waits for the same end and returns the same error.
func (m *Minter) Close(ctx context.Context) error {
	m.shut()
	select {
	case <-m.done:
		return m.failed
	default:
	}
	select {
	case <-m.done:
		return m.failed
	case <-ctx.Done():
		return fmt.Errorf("nodelease: %w before the node number was handed back", context.Cause(ctx))
	}
}

// shut ends the minting.
func (m *Minter) shut() {
	m.mu.Lock()
	m.stop(ErrClosed)
	m.mu.Unlock()
	m.cancel()
	m.tell()
}

// stop ends or interrupts the minting, because of cause. The mutex is held.
func (m *Minter) stop(cause error) {
	switch {
	case cause == ErrClosed:
		m.why = ErrClosed
	case m.why != ErrClosed:
		m.why = &unheld{cause}
	}
	if m.tenure != nil {
		m.tenure.clock.SetLimit(never) // so that m.node refuses
	}
}

// elapsed is the monotonic time since the Minter was made. It goes on while the process is stopped.
// While the machine is suspended it stands still on Linux: the wall clock, which goes on, then runs
// into the mark.
func (m *Minter) elapsed() time.Duration { return time.Since(m.start) }

// now returns the wall clock's time.
func (m *Minter) now() time.Time {
	if m.opts.Now == nil {
		return time.Now()
	}
	return m.opts.Now()
}
