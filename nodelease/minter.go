package nodelease

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

// ErrClosed is what Next and TryNext return after Close.
var ErrClosed = errors.New("nodelease: the minter is closed")

// MinterOptions has a usable zero value.
type MinterOptions struct {
	// Window is how far past the clock the mark is written: a longer one makes fewer writes,
	// and a number whose holder crashed rests longer. It is never less than the lease's TTL, and
	// must be at least 100 times the layout's tick. Zero means four times the TTL.
	Window time.Duration
	// Layout is the ids' layout. The zero value is Twitter's, with 1,024 nodes. All holders of
	// one store's numbers must use one layout.
	Layout ids.SnowflakeLayout
	// Now is the wall clock. Nil means the system's.
	Now func() time.Time
	// Logger is told when a number is taken, lost and given back. Nil means none.
	Logger *slog.Logger
}

// Minter mints Snowflake ids under a node number leased from a Store. While it has no number,
// Next waits and TryNext refuses. Its methods may be called from any goroutine.
type Minter struct {
	store  Store
	opts   MinterOptions
	start  time.Time
	tenure atomic.Pointer[tenure] // nil while no number is held
	early  chan struct{}          // asks keep to raise the mark before its time
	cancel context.CancelFunc
	ended  <-chan struct{} // closed by cancel
	done   chan struct{}   // closed when keep has returned

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when an id may be had that could not be had before
}

// NewMinter starts a Minter over store. Close hands its number back. Nil options mean the default.
func NewMinter(store Store, opts *MinterOptions) (*Minter, error) {
	if store == nil {
		return nil, errors.New("nodelease: nil Store")
	}
	if opts == nil {
		opts = new(MinterOptions)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Minter{
		store: store, opts: *opts, start: time.Now(), cancel: cancel, ended: ctx.Done(),
		early: make(chan struct{}, 1), done: make(chan struct{}), changed: make(chan struct{}),
	}
	if m.opts.Logger == nil {
		m.opts.Logger = slog.New(slog.DiscardHandler)
	}
	go m.keep(ctx)
	return m, nil
}

// TryNext returns an id, or says why there is none now: ErrSuspended while no number is held,
// besides the errors of ids.SnowflakeNode.TryNext.
func (m *Minter) TryNext() (ids.Snowflake, error) { return m.mint((*ids.SnowflakeNode).TryNext) }

// Next returns an id. It waits while no number is held. The error is ErrClosed, ctx's, or one
// that matches ids.ErrRange when the layout has no time left for ids of this number.
func (m *Minter) Next(ctx context.Context) (ids.Snowflake, error) {
	id, err := m.TryNext()
	for err != nil {
		m.mu.Lock()
		changed := m.changed // taken before the attempt, so that no change goes unseen
		m.mu.Unlock()
		id, err = m.mint(func(n *ids.SnowflakeNode) (ids.Snowflake, error) { return ascend(ctx, n) })
		var tick <-chan time.Time
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, ids.ErrExhausted):
			tick = time.After(time.Millisecond)
		case !errors.Is(err, ids.ErrSuspended):
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-m.ended:
			return 0, ErrClosed
		case <-changed:
		case <-tick:
		}
	}
	return id, nil
}

// ascend is TryNext for a caller who takes an id also while the wall clock is behind the ones
// issued: its time is then later than the wall clock's.
func ascend(ctx context.Context, n *ids.SnowflakeNode) (ids.Snowflake, error) {
	id, err := n.TryNext()
	if !errors.Is(err, ids.ErrClockBackward) {
		return id, err
	}
	// Other callers may get to the limit first. Then Next waits for a higher one or for the end
	// of the tenure, whatever becomes of ctx.
	drawn := make(chan ids.Snowflake, 1)
	go func() { drawn <- n.Next() }()
	select {
	case id := <-drawn:
		return id, nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// mint draws an id and then looks whether the tenure still lasts. In this order, an id that is
// returned was drawn before the end of the tenure read the time of the latest and before it lifted
// the limit; one drawn later is thrown away.
func (m *Minter) mint(draw func(*ids.SnowflakeNode) (ids.Snowflake, error)) (ids.Snowflake, error) {
	t := m.tenure.Load()
	if t == nil {
		return 0, m.refusal()
	}
	id, err := draw(t.node)
	if int64(m.elapsed()) >= t.deadline.Load() {
		return 0, m.refusal()
	}
	if errors.Is(err, ids.ErrSuspended) {
		select {
		case m.early <- struct{}{}: // the clock has run past the mark
		default:
		}
	}
	return id, err
}

func (m *Minter) refusal() error {
	select {
	case <-m.ended:
		return ErrClosed
	default:
		return ids.ErrSuspended
	}
}

// Node returns the number under which ids can be minted now, or false.
func (m *Minter) Node() (int64, bool) {
	t := m.tenure.Load()
	if t == nil || int64(m.elapsed()) >= t.deadline.Load() {
		return 0, false
	}
	return t.lease.Node(), true
}

// Close stops the minting and hands the number back. If ctx ends first, that goes on in the
// background.
func (m *Minter) Close(ctx context.Context) error {
	m.cancel()
	select {
	case <-m.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// elapsed is the monotonic time since the Minter was made. It goes on while the process is
// stopped. While the machine is suspended it stands still on Linux: the wall clock, which goes
// on, then runs into the mark.
func (m *Minter) elapsed() time.Duration { return time.Since(m.start) }

// now is the wall clock's time.
func (m *Minter) now() time.Time {
	if m.opts.Now == nil {
		return time.Now()
	}
	return m.opts.Now()
}

// announce wakes those who wait in Next.
func (m *Minter) announce() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.changed)
	m.changed = make(chan struct{})
}
