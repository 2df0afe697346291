package nodelease

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/oneclock/ids"
)

const (
	takeTimeout    = 5 * time.Second // for one attempt to get a number
	releaseTimeout = 3 * time.Second
	minRetry       = 100 * time.Millisecond
	maxRetry       = 2 * time.Second
)

// keep serves one tenure after another until ctx ends.
func (m *Minter) keep(ctx context.Context) {
	returned := false
	defer func() {
		if !returned {
			m.failed = errors.New("nodelease: the store has ended the goroutine that called it") // by runtime.Goexit
		}
		m.shut()
		close(m.done)
	}()
	for failures := 0; ctx.Err() == nil; failures++ {
		t, err := m.begin(ctx)
		if err == nil {
			failures = 0
			err = m.serve(ctx, t)
			m.end(ctx, t, err)
		} else {
			m.mu.Lock()
			m.stop(err)
			m.mu.Unlock()
		}
		sleep(ctx, retry(failures, maxRetry))
	}
	returned = true
}

// begin takes a number. Nothing can be minted under it before serve has raised its mark.
func (m *Minter) begin(ctx context.Context) (*tenure, error) {
	t := &tenure{layout: m.opts.Layout, wall: m.now, given: m.opts.Now}
	err := m.request(ctx, -1, takeTimeout, func(ctx context.Context) (err error) {
		if t.lease, err = m.store.Take(ctx, m.now()); err != nil {
			return err
		}
		if t.lease == nil {
			return errors.New("nodelease: Take returned neither a lease nor an error")
		}
		t.number, t.mark, t.ttl = t.lease.Node(), t.lease.Mark(), min(t.lease.TTL(), maxTTL)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := guard(func() error { return m.check(t) }); err != nil {
		m.opts.Logger.Warn("cannot mint under a node number", "node", t.number, "error", err)
		return nil, errors.Join(err, m.release(ctx, t, t.mark))
	}
	return t, nil
}

// check gives t its clock, or says what is wrong with what the store has handed out.
func (m *Minter) check(t *tenure) error {
	if t.ttl <= margin(t.ttl) {
		return fmt.Errorf("nodelease: a TTL of %v for node %d leaves no time to mint: at least 112ms are needed",
			t.ttl, t.number)
	}
	if err := t.restart(t.given, false); err != nil {
		return fmt.Errorf("nodelease: node %d: %w", t.number, err)
	}
	if t.mark.After(m.now()) {
		if _, err := t.layout.Compose(ids.SnowflakeParts{Time: t.mark, Node: t.number}); err != nil {
			return fmt.Errorf("nodelease: the mark of node %d leaves no time for ids: %w", t.number, err)
		}
	}
	return nil
}

// serve extends t until ctx ends, with a nil error, or the number is lost, with ErrLost. While the
// store does not answer, it goes on trying: minting stops at the deadline by itself, and if nobody took
// the number in between, it goes on under the same one.
func (m *Minter) serve(ctx context.Context, t *tenure) error {
	for failures := 0; ; {
		// Not all at the same beat, so that processes which start together do not ask together
		// for ever.
		wait, early := t.ttl/4+rand.N(t.ttl/12), m.early
		switch err := m.extend(ctx, t); {
		case errors.Is(err, ErrLost):
			return err
		case err != nil:
			wait, early = retry(failures, min(t.ttl/8, maxRetry)), nil
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

// extend renews the lease, raises the mark if that is due, and only then lets t's clock go up to it.
func (m *Minter) extend(ctx context.Context, t *tenure) error {
	sent := m.elapsed()
	err := m.request(ctx, t.number, t.ttl/3, func(ctx context.Context) error {
		t.asked = m.mark(t)
		return t.lease.Extend(ctx, t.asked)
	})
	if err != nil {
		return err
	}
	m.observe(Event{Kind: Renewed, Node: t.number, Took: m.elapsed() - sent})
	m.resume(t, sent+t.ttl-margin(t.ttl))
	m.tell()
	return nil
}

// mark returns the mark to ask for: the one asked before if it is still a TTL ahead, else one that is a
// whole window ahead of the wall clock. Where the latest id is ahead of that, a hundredth of either
// suffices.
func (m *Minter) mark(t *tenure) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	least := max(t.ttl, 100*min(m.tick, maxTTL/100))
	if !t.horizon(least).After(t.asked) {
		return t.asked
	}
	window := m.opts.Window
	if window == 0 {
		window = 4 * t.ttl
	}
	return micros(t.horizon(max(window, least)))
}

// micros rounds a mark up to the microseconds that every store can hold.
func micros(mark time.Time) time.Time {
	return mark.Add(time.Microsecond - 1).Truncate(time.Microsecond)
}

// resume lets t's clock go up to the mark that the store has confirmed, until deadline.
func (m *Minter) resume(t *tenure, deadline time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := deadline - m.elapsed()
	if t.limit = t.asked; m.why == ErrClosed || left <= 0 {
		return // too late
	}
	t.deadline = deadline
	if t.expiry == nil {
		t.expiry = time.AfterFunc(left, func() { m.expire(t) })
	} else {
		t.expiry.Reset(left)
	}
	t.clock.SetLimit(t.limit)
	m.tenure, m.why = t, nil // m.node follows with the next call of mint
	close(m.changed)         // wakes those who wait in Next
	m.changed = make(chan struct{})
}

// expire interrupts the minting unless t has been renewed since.
func (m *Minter) expire(t *tenure) {
	m.mu.Lock()
	if m.tenure == t && m.elapsed() >= t.deadline {
		m.stop(fmt.Errorf("nodelease: the store has not renewed the lease of node %d in time", t.number))
	}
	m.mu.Unlock()
	m.tell()
}

// end ends t and hands its number back, with the latest time issued as its mark, so that the next
// holder need not wait for that to pass.
func (m *Minter) end(ctx context.Context, t *tenure, cause error) {
	m.mu.Lock()
	m.stop(cause)
	m.tenure = nil
	if t.expiry != nil {
		t.expiry.Stop()
	}
	m.mu.Unlock()
	m.tell()
	if cause != nil {
		return
	}
	mark := micros(t.clock.Latest())
	if err := m.release(ctx, t, mark); err != nil && !errors.Is(err, ErrLost) {
		m.failed = fmt.Errorf("nodelease: node %d could not be handed back: %w", t.number, err)
		return
	}
	m.opts.Logger.Info("handed a node number back", "node", t.number, "mark", mark)
}

// release gives t's number back, even if ctx has ended.
func (m *Minter) release(ctx context.Context, t *tenure, mark time.Time) error {
	return m.request(context.WithoutCancel(ctx), t.number, releaseTimeout, func(ctx context.Context) error {
		return t.lease.Release(ctx, mark)
	})
}

// request calls the store, and reports its error.
func (m *Minter) request(
	ctx context.Context, number int64, timeout time.Duration, call func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	err := guard(func() error { return call(ctx) })
	if err != nil {
		log := m.opts.Logger
		if p, ok := errors.AsType[*panicked](err); ok {
			log = log.With("stack", string(p.stack))
		}
		log.Warn("a request to the store failed", "node", number, "error", err)
		m.observe(Event{Kind: Failed, Node: number, Took: time.Since(began), Err: err})
	}
	return err
}

// guard turns a panic in call into an error: nobody else could recover it on this goroutine. What a
// store has done is as uncertain then as after any other error.
func guard(call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{v, debug.Stack()}
		}
	}()
	return call()
}

// panicked is the error for a panic with value.
type panicked struct {
	value any
	stack []byte
}

func (e *panicked) Error() string { return fmt.Sprintf("nodelease: panic: %v", e.value) }

// Unwrap returns the value if it is an error.
func (e *panicked) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// retry is the pause after a number of failures in a row: it doubles up to a longest one, with a
// random part so that many processes do not knock together.
func retry(failures int, longest time.Duration) time.Duration {
	d := min(minRetry<<min(failures, 10), longest)
	return d/2 + rand.N(d/2)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
