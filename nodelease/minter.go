package nodelease

// This file contains the Minter type, its constructor and its Close method.

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/oneclock/ids/nodelease/internal/layout"
)

// Minter makes Snowflakes with a node number leased from a [Store]. While it has no number,
// NextContext waits and TryNext returns an error. It is safe for concurrent use. Make one with
// [NewMinter]; using the zero value panics.
type Minter struct {
	state    state
	cancel   context.CancelFunc // ends the keeper
	released <-chan error       // receives the keeper's error once the keeper has ended
	close    sync.Once
	closed   chan struct{} // closed when result is set
	result   error         // returned by Close
}

// NewMinter starts a Minter that leases its number from store, without waiting for the number.
// [Minter.Close] releases the number. If the options are nil, the defaults are used. NewMinter
// returns an error if store is nil, if the layout cannot hold any ID (the error then matches
// [ids.ErrRange]), or if the window is invalid. The error names the invalid argument or option.
func NewMinter(store Store, opts *Options) (*Minter, error) {
	if v := reflect.ValueOf(store); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("nodelease: nil Store")
	}
	if opts == nil {
		opts = new(Options)
	}
	if err := opts.Layout.Validate(); err != nil {
		return nil, fmt.Errorf("nodelease: Options.Layout: %w", err)
	}
	own := *opts
	own.Layout = layout.Plain(opts.Layout)
	tick := own.Layout.Tick
	if opts.Window != 0 && opts.Window/100 < tick {
		return nil, fmt.Errorf("nodelease: Options.Window %v is less than 100 ticks of %v", opts.Window, tick)
	}
	if most := maxWindow(tick); opts.Window > most {
		return nil, fmt.Errorf("nodelease: Options.Window %v is more than %v", opts.Window, most)
	}
	ctx, cancel := context.WithCancel(context.Background())
	released := make(chan error, 1)
	m := &Minter{cancel: cancel, released: released, closed: make(chan struct{})}
	m.state.init(opts)
	k := &keeper{state: &m.state, report: m.state.report, store: store, opts: own}
	go func() {
		released <- k.keepNumber(ctx)
		k.report.finish() // later reports are dropped
	}()
	return m, nil
}

// closeTimeout is longer than releaseTimeout, because a call to the store may return some time
// after its context is done.
const closeTimeout = 5 * time.Second

// Close stops minting immediately and releases the number. From then on, all calls to NextContext
// and TryNext return an error that matches [ErrClosed]. This includes calls that are already
// waiting.
//
// Close takes at most 5 s. Within that time, Close retries if the store fails. If the number cannot
// be released, Close returns the store's error, and the number becomes free after its TTL. Close
// returns nil if the store reports that the number is no longer held, for example because the
// answer to an earlier request was lost. If the store reports that, the Minter logs the report.
// Later and concurrent calls to Close wait for the first call and return the same error.
func (m *Minter) Close() error {
	m.state.mustBeMade()
	m.close.Do(func() {
		m.state.endMinting()
		m.cancel()
		go m.awaitEnd()
	})
	<-m.closed
	return m.result
}

// awaitEnd waits up to closeTimeout for the keeper and the reporter to end, and sets the result of
// Close.
func (m *Minter) awaitEnd() {
	defer close(m.closed)
	limit, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	select {
	case m.result = <-m.released:
	case <-limit.Done():
		m.result = fmt.Errorf("nodelease: the store has not answered within %v: the number may be held until its TTL ends", closeTimeout)
		return
	}
	select {
	case <-m.state.report.done:
	case <-limit.Done():
	}
}
