package nodelease

// This file contains the state of a Minter, and the methods that change it and wait for a change.
// The Minter's calls, keeper and timers change the state. They all hold the same mutex while they
// do so.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

// A Minter is in one of four states. The fields tenure and why identify the state:
//
//	state     tenure   why                     calls
//	none      nil      why no number is held   fail, or wait for another state
//	minting   set      nil                     use the tenure's node
//	withheld  set      why IDs are withheld    fail, or wait until the node's limit moves
//	closed    nil      ErrClosed               return ErrClosed
//
// The Minter keeps its number while IDs are withheld.
//
// In the following table, each row is an event, and each column is a state. Each entry is the state
// after the event:
//
//	                       none      minting   withheld  closed
//	a Take fails           none      -         -         closed
//	an Extend succeeds     minting   minting   minting   closed
//	an Extend fails        none      minting   withheld  closed
//	the deadline passes    none      withheld  withheld  closed
//	the number is lost     none      none      none      closed
//	Close                  closed    closed    closed    closed
//
// When a number has just been taken, its tenure is not stored in the state until its first Extend
// succeeds. When a tenure is removed from the state, its clock ends. A removed tenure is never
// stored in the state again. A call that still uses the removed tenure's node gets ids.ErrEnded,
// and then reads the state again.
type state struct {
	report   *reporter
	now      func() time.Time // the wall clock, or Options.Now
	start    time.Time
	renewNow chan struct{} // asks the keeper to raise the horizon early

	// node is the node of the latest tenure, or nil before the first. The node makes IDs only while
	// the state is minting.
	node atomic.Pointer[ids.SnowflakeNode]

	mu        sync.Mutex // guards the fields below and some fields of the tenure
	tenure    *tenure
	why       error
	changed   chan struct{} // closed and replaced when minting begins or ends, or on Close
	news      chan struct{} // closed and replaced when setState changes the state
	waiting   int           // number of NextContext calls that wait for their node
	waking    bool          // whether a call to wakeWaiters is scheduled
	free      int64         // count of numbers that were still free after the latest Take
	freeKnown bool
}

// init initializes s to the state named none.
func (s *state) init(opts *Options) {
	s.report, s.now, s.start, s.renewNow = newReporter(opts), opts.Now, time.Now(), make(chan struct{}, 1)
	if s.now == nil {
		s.now = time.Now
	}
	s.why = newWithheld(errors.New("the store has not answered yet"))
	s.changed, s.news = make(chan struct{}), make(chan struct{})
}

// mustBeMade panics if s is the zero value, which means that NewMinter was not called.
func (s *state) mustBeMade() {
	if s.report == nil {
		panic("nodelease: zero Minter: use NewMinter")
	}
}

// elapsed returns the time since the Minter was made, measured by the monotonic clock. This time
// advances while the process is stopped. On Linux, it does not advance while the machine is
// suspended. The wall clock does advance, so minting then stops at the horizon instead of the
// deadline.
func (s *state) elapsed() time.Duration { return time.Since(s.start) }

// get returns the tenure, the reason why no ID can be made, and a channel. The channel is closed
// when minting begins or ends, or when the Minter is closed.
func (s *state) get() (t *tenure, changed <-chan struct{}, why error) {
	s.mustBeMade()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tenure, s.changed, s.why
}

// getNews returns the reason why no ID can be made, and a channel that is closed when that reason
// changes.
func (s *state) getNews() (news <-chan struct{}, why error) {
	s.mustBeMade()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news, s.why
}

// setState sets the fields tenure and why, unless the Minter is closed. The caller must hold s.mu.
func (s *state) setState(t *tenure, why error) {
	if s.why == ErrClosed {
		return
	}
	was, minted := s.tenure, s.why == nil
	if was != nil && was != t {
		was.expiry.Stop()
		was.limit.EndAt(time.Time{}, causeOf(why))
	}
	if t != nil && why != nil {
		t.limit.Set(time.Time{}, causeOf(why))
	}
	s.tenure, s.why = t, why
	if why == nil {
		t.limit.Set(t.horizon, errReached)
		s.node.Store(t.node)
	}
	switch {
	case minted && why != nil:
		s.report.ended(was.number, why)
	case !minted && why == nil:
		s.report.begun(t.number)
	}
	if minted != (why == nil) || why == ErrClosed {
		close(s.changed)
		s.changed = make(chan struct{})
	}
	close(s.news)
	s.news = make(chan struct{})
}

// setFree sets the fields free and freeKnown.
func (s *state) setFree(free int64, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free, s.freeKnown = free, known
}

// setNoNumber records that no number is held, with err as the reason.
func (s *state) setNoNumber(err error) {
	if errors.Is(err, ErrNoNumber) {
		s.setFree(0, true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setState(nil, newWithheld(err))
}

// setNotRenewed records the error of a failed renewal of t. Calls that get no ID return that error.
func (s *state) setNotRenewed(t *tenure, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.setFailure(err)
	switch {
	case s.why == nil: // minting continues up to the horizon
	case s.tenure == t:
		s.setState(t, newWithheld(t.overdueError()))
	default: // t has not minted yet
		s.setState(nil, newWithheld(err))
	}
}

// resumeMinting lets t's clock advance to horizon, which the store has confirmed, and lets t make
// IDs until deadline. It returns false if the deadline has passed or the Minter is closed.
func (s *state) resumeMinting(t *tenure, horizon time.Time, deadline time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := deadline - s.elapsed()
	if s.why == ErrClosed || left <= 0 {
		return false
	}
	t.horizon, t.deadline = horizon, deadline
	t.setFailure(nil)
	if t.expiry == nil {
		t.expiry = time.AfterFunc(left, func() { s.stopMinting(t) })
	} else {
		t.expiry.Reset(left)
	}
	s.setState(t, nil)
	return true
}

// stopMinting stops minting at t's deadline, unless t has been renewed since.
func (s *state) stopMinting(t *tenure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tenure == t && s.elapsed() >= t.deadline {
		s.setState(t, newWithheld(t.overdueError()))
	}
}

// endMinting ends minting permanently.
func (s *state) endMinting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setState(nil, ErrClosed)
}

// withheldError returns the error for a call that gets no ID because t's node withholds it.
func (s *state) withheldError(t *tenure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != nil {
		return s.why
	}
	return t.horizonErr
}

// contextError returns the error for a call whose context is done. The why parameter is the error
// that made the call wait. It may be nil.
func (s *state) contextError(ctx context.Context, why error) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(cause, err) {
		cause = fmt.Errorf("%w: %w", err, cause)
	}
	if _, _, now := s.get(); now != nil {
		why = now
	}
	if why == nil {
		return fmt.Errorf("nodelease: no Snowflake: %w", cause)
	}
	return fmt.Errorf("nodelease: no Snowflake: %w: %w", cause, why)
}

// askForHorizon makes the keeper raise the horizon early.
func (s *state) askForHorizon() {
	select {
	case s.renewNow <- struct{}{}:
	default:
	}
}

// wakeInterval is the interval between calls to wakeWaiters.
const wakeInterval = 100 * time.Millisecond

// countWaiting adds n to the number of waiting calls, and schedules wakeWaiters if there are any.
func (s *state) countWaiting(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting += n; s.waiting > 0 && !s.waking {
		s.waking = true
		time.AfterFunc(wakeInterval, s.wakeWaiters)
	}
}

// wakeWaiters wakes all NextContext calls that wait for their node, so that none of them has to
// poll. If the wall clock moves back below the horizon, for example after a single wrong reading,
// the waiting calls do not detect this on their own. Setting the same limit again makes them read
// the clock again. If the horizon is reached, wakeWaiters requests a higher horizon. This is
// necessary because each call makes such a request only before it starts to wait. During the wait,
// the horizon may have been raised, and the new horizon may have been reached, too.
func (s *state) wakeWaiters() {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waking = s.waiting > 0
	if !s.waking {
		return
	}
	time.AfterFunc(wakeInterval, s.wakeWaiters)
	switch t := s.tenure; {
	case s.why != nil: // nothing can be minted until setState is called
	case t.reachedHorizon(now):
		s.askForHorizon()
	default:
		t.limit.Set(t.horizon, errReached)
	}
}
