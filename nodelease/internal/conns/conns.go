// Package conns manages the connections of the stores in packages pgstore and mysqlstore. It also
// cancels the calls that are in progress when a store or its client is closed.
package conns

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oneclock/ids/nodelease/internal/faults"
)

// A Conn is a connection to a server. Close ends it and may take some time.
type Conn interface{ Close() }

// Conns manages the connections of one store. It keeps at most one idle connection for the next
// call, and each call in progress has its own connection. No call waits for another.
type Conns[C Conn] struct {
	dial    func(context.Context) (C, error)
	closing context.Context // canceled by Close
	end     context.CancelCauseFunc

	mu   sync.Mutex
	kept []C // at most one
}

// New returns Conns whose connections are made by calling dial. New itself makes none.
func New[C Conn](dial func(context.Context) (C, error)) *Conns[C] {
	closing, end := context.WithCancelCause(context.Background())
	return &Conns[C]{dial: dial, closing: closing, end: end}
}

// errClosed is the error that all calls return once Close has been called.
var errClosed = faults.Refused(errors.New("the store is closed"))

// closeGrace is how long a call waits for the result of a dial whose context is done, and how long
// Close waits for a connection to close.
const closeGrace = 100 * time.Millisecond

// Do calls f with a connection. If there is an idle connection, Do uses it, although it may be
// dead. Otherwise, Do makes a new connection. After an error, Do closes the connection, so that no
// later call uses it.
//
// If Do has used the idle connection, and f returns true and an error, Do calls f again with a new
// connection, unless ctx is done. The function f may return true only if the connection was dead
// before f sent its request, or if it is safe to send the request twice.
func (s *Conns[C]) Do(ctx context.Context, f func(ctx context.Context, c C, kept bool) (again bool, err error)) error {
	return Until(ctx, s.closing, errClosed, func(ctx context.Context) error { return s.do(ctx, f) })
}

// Until calls f with a context derived from ctx. That context is also canceled when the closing
// context is done. If the closing context is already done, Until does not call f and returns the
// error in closed. Until also returns that error if f fails and the closing context is done when f
// returns.
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

// getKept returns the idle connection, if there is one. The connection then belongs to the caller.
func (s *Conns[C]) getKept() (c C, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) == 0 {
		return c, false
	}
	c, s.kept = s.kept[0], nil
	return c, true
}

// keepOrClose keeps c for the next call or, after an error, closes it in the background. It also
// closes c if s is closed or already has an idle connection.
func (s *Conns[C]) keepOrClose(c C, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.closing.Err() == nil && len(s.kept) == 0 {
		s.kept = []C{c}
		return
	}
	go c.Close()
}

// connect returns a new connection. The dial function may call code that the user has supplied. If
// that code keeps running after ctx is done, connect returns an error without stopping the code. If
// dial returns a connection later, that connection is closed.
func (s *Conns[C]) connect(ctx context.Context) (c C, err error) {
	type dialled struct {
		c   C
		err error
	}
	made := make(chan dialled, 1)
	go func() {
		d := dialled{err: errors.New("the call to connect has ended its goroutine")}
		defer func() { made <- d }() // also after runtime.Goexit
		d.c, d.err = s.dial(ctx)
	}()
	var giveUp <-chan time.Time
	ended := ctx.Done()
	for {
		select {
		case d := <-made:
			return d.c, d.err
		case <-ended:
			giveUp, ended = time.After(closeGrace), nil // dial's error is more specific than ctx's
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

// Close makes all calls fail, including those in progress, and closes the idle connection. It waits
// at most closeGrace for that connection to close, even if the server does not answer. A second
// call does nothing.
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
