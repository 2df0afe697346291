// Package conns manages the connections of the stores in packages pgstore and mysqlstore. It also
// cancels the calls that are in progress when a store or its client is closed.
package conns

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

	kept   chan C      // has capacity for one
	opened atomic.Bool // whether a call has had a connection

	mu   sync.Mutex
	late map[*attempt]struct{} // attempts that have outlived their calls and are in progress
}

// An attempt is one call to dial.
type attempt struct {
	ctx      context.Context // canceled by end, but not when the call's context is done
	end      context.CancelFunc
	outlives atomic.Pointer[string] // the server's address; set by Outlive
}

// dialed is the result of an attempt.
type dialed[C Conn] struct {
	c   C
	err error
}

// attemptKey is the context key of an attempt.
type attemptKey struct{}

// Outlive lets a dial continue after the call that started it has failed. The context ctx must be
// the one that the dial function was called with. Outlive returns the context that the dial must
// use from then on. That context is canceled when the Conns are closed or a later call gets a
// connection, so the dial function must limit the time itself. The new connection is passed to a
// call that is waiting for one or, if there is none, becomes the idle connection. If the call fails
// before the dial returns, its error contains the server's address.
//
// Without Outlive, many processes that log in at the same time can prevent each other from ever
// succeeding. If the server needs longer for their logins than each call may take, each process
// gives up its login and starts another one.
//
// If no call has had a connection yet, Outlive returns ctx, because there may be no later call.
func Outlive(ctx context.Context, address string) context.Context {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok || ctx.Err() != nil {
		return ctx
	}
	a.outlives.Store(&address)
	return a.ctx
}

// New returns Conns whose connections are made by calling dial. New itself makes none.
func New[C Conn](dial func(context.Context) (C, error)) *Conns[C] {
	closing, end := context.WithCancelCause(context.Background())
	return &Conns[C]{dial: dial, closing: closing, end: end, kept: make(chan C, 1), late: map[*attempt]struct{}{}}
}

// errClosed is the error that all calls return once Close has been called.
var errClosed = faults.Refused(errors.New("the store is closed"))

// closeGrace is how long a call waits for the result of a dial whose context is done, and how long
// Close waits for a connection to close.
const closeGrace = 100 * time.Millisecond

// Do calls f with a connection. If there is an idle connection, Do uses it, although it may be
// dead. Otherwise, Do makes a new connection, but if one becomes idle first, Do uses that one. The
// parameter kept of f is true if the connection was idle. After an error, Do closes the connection,
// so that no later call uses it.
//
// If the connection was idle, and f returns true and an error, Do calls f again with another
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
	// There may be several dead connections, one after another.
	for {
		c, kept, err := s.connect(ctx)
		if err != nil {
			return err
		}
		again, err := f(ctx, c, kept)
		s.keepOrClose(c, err)
		if err == nil || !again || !kept || ctx.Err() != nil {
			return err
		}
	}
}

// getKept returns the idle connection, if there is one. The connection then belongs to the caller.
func (s *Conns[C]) getKept() (c C, ok bool) {
	select {
	case c = <-s.kept:
		return c, true
	default:
		return c, false
	}
}

// keepOrClose keeps c for the next call or, after an error, closes it in the background. It also
// closes c if s is closed or already has an idle connection.
func (s *Conns[C]) keepOrClose(c C, err error) {
	if err == nil {
		select {
		case s.kept <- c:
			if s.closing.Err() == nil {
				return
			}
			var ok bool
			if c, ok = s.getKept(); !ok { // Close has closed it
				return
			}
		default:
		}
	}
	go c.Close()
}

// begin starts an attempt. Its result is sent to the channel.
func (s *Conns[C]) begin(ctx context.Context) (*attempt, <-chan dialed[C]) {
	own, endOwn := context.WithCancel(ctx)
	long, endLong := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(s.closing, endLong)
	a := &attempt{ctx: long, end: func() { stop(); endLong(); endOwn() }}
	if s.opened.Load() {
		own = context.WithValue(own, attemptKey{}, a)
	}
	made := make(chan dialed[C], 1)
	go func() {
		d := dialed[C]{err: errors.New("the call to connect has ended its goroutine")}
		defer func() { made <- d }() // also after runtime.Goexit
		d.c, d.err = s.dial(own)
	}()
	return a, made
}

// collect waits for the result of an attempt whose call has returned.
func (s *Conns[C]) collect(a *attempt, made <-chan dialed[C]) {
	d := <-made
	a.end()
	s.mu.Lock()
	delete(s.late, a)
	s.mu.Unlock()
	if d.err == nil {
		s.keepOrClose(d.c, nil)
		s.endLate()
	}
}

// maxLate is the maximum number of attempts that outlive their calls at the same time. A server may
// count each of them as a connection.
const maxLate = 8

// outlive lets an attempt continue after its call or, if maxLate older attempts are in progress,
// ends it. The older attempts will probably succeed first.
func (s *Conns[C]) outlive(a *attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.late) == maxLate {
		a.end()
		return
	}
	s.late[a] = struct{}{}
}

// endLate ends all attempts that have outlived their calls, because there is a connection now. The
// server then need not complete their logins.
func (s *Conns[C]) endLate() {
	s.opened.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for a := range s.late {
		a.end()
	}
}

// connect returns the idle connection or a new one, and reports whether it was idle. While connect
// waits for a new connection, another call or a late attempt may make one idle, which connect then
// returns. That connection may be dead, like any idle connection. For example, if a dial is
// canceled just before it ends, a driver may close the connection but still return it.
//
// The dial function may call code that the user has supplied. If that code keeps running after ctx
// is done, connect returns an error without stopping the code. If dial returns a connection later,
// that connection becomes idle or is closed.
func (s *Conns[C]) connect(ctx context.Context) (c C, kept bool, err error) {
	if c, ok := s.getKept(); ok {
		return c, true, nil
	}
	began := time.Now()
	a, made := s.begin(ctx)
	var giveUp <-chan time.Time
	ended := ctx.Done()
	for {
		select {
		case d := <-made:
			a.end()
			if d.err == nil {
				s.endLate()
			}
			return d.c, false, d.err
		case c := <-s.kept:
			a.end()
			s.endLate()
			go s.collect(a, made)
			return c, true, nil
		case <-ended:
			giveUp, ended = time.After(closeGrace), nil // dial's error is more specific than ctx's
			if a.outlives.Load() == nil {
				continue
			}
		case <-giveUp:
		}
		err = fmt.Errorf("connecting does not end: %w", ctx.Err())
		if address := a.outlives.Load(); address != nil {
			err = fmt.Errorf("no login within %v to %s: %w", time.Since(began).Round(time.Millisecond), *address, ctx.Err())
			s.outlive(a)
		}
		go s.collect(a, made)
		return c, false, err
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
