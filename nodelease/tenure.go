package nodelease

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

const (
	takeTimeout    = 5 * time.Second // for one attempt to get a number
	releaseTimeout = 3 * time.Second
	minRetry       = 100 * time.Millisecond
	maxRetry       = 2 * time.Second
)

// A tenure is the time for which a Minter holds a number. It has a clock of its own, which
// starts above the mark that earlier holders left and is limited to the mark that this holder
// has written. So the ids with times from one mark to the next are this holder's alone.
type tenure struct {
	lease Lease
	clock *ids.Clock
	node  *ids.SnowflakeNode
	// asked is the highest mark asked of the store. A request without an answer may have been
	// carried out, so no later one asks for less.
	asked time.Time
	// deadline is when minting stops, on the scale of Minter.elapsed: before the store can have
	// given the number away.
	deadline atomic.Int64
}

// margin is how long before the end of a lease the minting stops.
//
// The store counts the TTL from when it received the request, the Minter from before it sent
// it: the request's way is on the safe side. What is left are two clocks that do not run
// equally fast and the time from the look at the deadline to the return of the id. One part in
// ten of the TTL covers the first: kernels slew a clock by at most 500 parts in a million,
// chrony by at most 83,333. A tenth of a second is for the second. A pause that is longer
// breaks no promise: what keeps ids unique is the mark.
func margin(ttl time.Duration) time.Duration { return ttl/10 + 100*time.Millisecond }

// keep serves one tenure after another until ctx ends.
func (m *Minter) keep(ctx context.Context) {
	defer close(m.done)
	for failures := 0; ctx.Err() == nil; failures++ {
		t, err := m.begin(ctx)
		if err == nil {
			failures = 0
			err = m.serve(ctx, t)
			m.end(ctx, t, err)
		}
		if ctx.Err() == nil {
			m.opts.Logger.Warn("no node number", "error", err)
			sleep(ctx, retry(failures))
		}
	}
}

// begin takes a number. Nothing can be minted under it before serve has raised its mark.
func (m *Minter) begin(ctx context.Context) (*tenure, error) {
	ctx, cancel := context.WithTimeout(ctx, takeTimeout)
	defer cancel()
	lease, err := m.store.Take(ctx, m.now())
	if err != nil {
		return nil, err
	}
	t := &tenure{lease: lease, asked: lease.Mark()}
	t.clock = ids.NewClock(&ids.ClockOptions{Now: m.opts.Now, After: lease.Mark()})
	t.node, err = ids.NewSnowflakeNode(lease.Node(), &ids.SnowflakeOptions{Layout: m.opts.Layout, Clock: t.clock})
	if err != nil {
		return nil, errors.Join(err, lease.Release(ctx, lease.Mark()))
	}
	m.opts.Logger.Info("took a node number", "node", lease.Node(), "mark", lease.Mark())
	return t, nil
}

// serve extends t until ctx ends, with a nil error, or the number is lost, with ErrLost. While
// the store does not answer, it goes on trying: minting stops at the deadline by itself, and if
// nobody took the number in between, it goes on under the same one.
func (m *Minter) serve(ctx context.Context, t *tenure) error {
	for failures := 0; ; {
		// Not all at the same beat, so that processes which start together do not ask together
		// for ever.
		wait, early := t.lease.TTL()/4+rand.N(t.lease.TTL()/12), m.early
		switch err := m.extend(ctx, t); {
		case errors.Is(err, ErrLost):
			return err
		case err != nil:
			if ctx.Err() == nil {
				m.opts.Logger.Warn("cannot extend", "node", t.lease.Node(), "error", err)
			}
			wait, early = retry(failures), nil
			failures++
		default:
			failures = 0
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-early:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// extend renews the lease, raises the mark if that is due, and only then lets t's clock go up
// to it.
func (m *Minter) extend(ctx context.Context, t *tenure) error {
	ttl := t.lease.TTL()
	ctx, cancel := context.WithTimeout(ctx, ttl/3)
	defer cancel()
	t.asked = m.mark(t, ttl)
	sent := m.elapsed()
	if err := t.lease.Extend(ctx, t.asked); err != nil {
		return err
	}
	t.clock.SetLimit(t.asked)
	t.deadline.Store(int64(sent + ttl - margin(ttl)))
	m.tenure.Store(t)
	m.announce()
	return nil
}

// mark returns the mark to ask for: the one asked before if it still lies a TTL ahead, else one
// that lies a whole window ahead of the wall clock. Where the latest id is ahead of that, a
// hundredth of either suffices.
func (m *Minter) mark(t *tenure, ttl time.Duration) time.Time {
	if least := t.clock.Horizon(ttl); !least.After(t.asked) {
		return t.asked
	}
	window := m.opts.Window
	if window == 0 {
		window = 4 * ttl
	}
	return micros(t.clock.Horizon(max(window, ttl)))
}

// micros rounds a mark up to the microseconds that every store can hold.
func micros(mark time.Time) time.Time {
	return mark.Add(time.Microsecond - 1).Truncate(time.Microsecond)
}

// end ends t and hands its number back, with the latest time issued as its mark, so that the
// next holder need not wait for that to pass.
func (m *Minter) end(ctx context.Context, t *tenure, cause error) {
	t.deadline.Store(math.MinInt64) // from here on, mint throws away what it draws
	m.tenure.Store(nil)
	mark := micros(t.clock.Latest())
	t.clock.SetLimit(time.Time{}) // wakes those who wait in ascend
	if cause != nil {
		m.opts.Logger.Warn("lost the node number", "node", t.lease.Node(), "error", cause)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := t.lease.Release(ctx, mark); err != nil {
		m.opts.Logger.Warn("could not hand the node number back", "node", t.lease.Node(), "error", err)
		return
	}
	m.opts.Logger.Info("handed the node number back", "node", t.lease.Node(), "mark", mark)
}

// retry is the pause after a number of failures in a row: it doubles, with a random part so
// that many processes do not knock together.
func retry(failures int) time.Duration {
	d := min(minRetry<<min(failures, 10), maxRetry)
	return d/2 + rand.N(d/2)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
