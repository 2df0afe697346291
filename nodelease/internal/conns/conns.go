// Package conns has the connections of a store that makes its own, for packages pgstore and mysqlstore, and ends calls where what
// they use is closed.
package conns

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oneclock/ids/nodelease/internal/faults"
)

// A Conn is a connection to a server. Close ends it, and may take its time.
type Conn interface{ Close() }

// Conns are the connections of one store: one that is kept for the next call, and one for each call under way. No call
// waits for another.
type Conns[C Conn] struct {
	dial    func(context.Context) (C, error)
	closing context.Context // ends at Close
	end     context.CancelCauseFunc

	mu   sync.Mutex
	kept []C // at most one
}

// New returns Conns that dial makes. It makes none yet.
func New[C Conn](dial func(context.Context) (C, error)) *Conns[C] {
	closing, end := context.WithCancelCause(context.Background())
	return &Conns[C]{dial: dial, closing: closing, end: end}
}

// errClosed is what calls return from Close on.
var errClosed = faults.Refused(errors.New("the store is closed"))

// closeGrace is how long a call waits for what should be over by then: for what a dial says whose context has ended, and for the
// end of a connection.
const closeGrace = 100 * time.Millisecond

// Do calls f with a connection: the one that is kept, which may be dead by now, unless another call has it, or else a new
// one. It keeps none after an error, so that the next call looks for the server anew. If f returns true and an error for
// the kept connection, as it may where that was dead before it has asked for anything, or for what may be asked twice, it is
// called again, with a new one.
func (s *Conns[C]) Do(ctx context.Context, f func(ctx context.Context, c C, kept bool) (again bool, err error)) error {
	return Until(ctx, s.closing, errClosed, func(ctx context.Context) error { return s.do(ctx, f) })
}

// Until calls f, unless closing has ended, with a context that ends when closing does. If f then fails, the error is closed.
func Until(ctx, closing context.Context, closed error, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(closing, func() { cancel(closed) })()
	if closing.Err() != nil {
		return closed
	}
	err := f(ctx)
	if err != nil && closing.Err() != nil {
		return closed
	}
	return err
}

func (s *Conns[C]) do(ctx context.Context, f func(context.Context, C, bool) (bool, error)) error {
	if c, ok := s.getKept(); ok {
		again, err := f(ctx, c, true)
		s.keepOrClose(c, err)
		if err == nil || !again || ctx.Err() != nil {
			return err
		}
	}
	c, err := s.connect(ctx)
	if err == nil {
		_, err = f(ctx, c, false)
		s.keepOrClose(c, err)
	}
	return err
}

// getKept returns the kept connection, which is then the caller's, if there is one.
func (s *Conns[C]) getKept() (c C, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) == 0 {
		return c, false
	}
	c, s.kept = s.kept[0], nil
	return c, true
}

// keepOrClose keeps c for the next call, or has it closed, which nobody waits for.
func (s *Conns[C]) keepOrClose(c C, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.closing.Err() == nil && len(s.kept) == 0 {
		s.kept = []C{c}
		return
	}
	go c.Close()
}

// connect returns a new connection. What dials is the user's code in part: where it does not heed ctx it is left behind, and
// a connection that it makes after all is closed.
func (s *Conns[C]) connect(ctx context.Context) (c C, err error) {
	type dialled struct {
		c   C
		err error
	}
	made := make(chan dialled, 1)
	go func() {
		d := dialled{err: errors.New("what was called to connect has ended its goroutine")}
		defer func() { made <- d }() // also at runtime.Goexit
		d.c, d.err = s.dial(ctx)
	}()
	var giveUp <-chan time.Time
	ended := ctx.Done()
	for {
		select {
		case d := <-made:
			return d.c, d.err
		case <-ended:
			giveUp, ended = time.After(closeGrace), nil // the error of dial says more
		case <-giveUp:
			go func() {
				if d := <-made; d.err == nil {
					d.c.Close()
				}
			}()
			return c, fmt.Errorf("connecting does not end: %w", context.Cause(ctx))
		}
	}
}

// Close has all calls fail, those under way too, and closes the kept connection. It waits a moment for its end, and not
// longer, whatever the server does. A second call does nothing.
func (s *Conns[C]) Close() {
	s.end(errClosed)
	c, ok := s.getKept()
	if !ok {
		return
	}
	closed := make(chan struct{})
	go func() {
		c.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
}
