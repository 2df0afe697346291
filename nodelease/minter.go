package nodelease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

// Options are the options of [NewMinter]. The zero value is the default.
type Options struct {
	// Window is how far ahead of the wall clock the horizon is written: a longer one makes fewer writes, and the
	// number of a holder that crashed rests for longer. It must be at least 100 ticks of the layout, and at most 24 h, unless
	// 100 ticks are more. If it is less than the lease's TTL, the TTL counts. Zero means four times the TTL, within these bounds.
	Window time.Duration

	// Layout is the layout of the ids. The zero value means Twitter's, with 1,024 numbers. All holders
	// of one store's numbers must use one layout.
	Layout ids.SnowflakeLayout

	// Now replaces the wall clock. Nil means the system's. It must be safe for concurrent use, must
	// not block, and must not call back into the Minter.
	Now func() time.Time

	// Logger is told when minting begins and ends, when the store fails, and what a person should look at, as [Warned]
	// says. While the store goes on failing, it is told once a minute. Nil means none.
	//
	// A goroutine of the Minter calls Logger and Observe; only Refused and Waited are reported by
	// TryNext and NextContext themselves. If Logger or Observe blocks, minting and Close go on, and
	// what happens after 1,000 more reports is not reported. A panic in them ends the program. Logger
	// and Observe must not call Close, which would wait 5 s for them.
	Logger *slog.Logger

	// Observe is called with what happens, for metrics. Nil means none. It must be safe for concurrent
	// use. If it blocks, panics or calls Close, what is said above of Logger happens.
	Observe func(Event)
}

// Minter mints Snowflakes under a node number leased from a [Store]. While it has no number, NextContext waits and
// TryNext refuses. It is safe for concurrent use. Make one with [NewMinter]; using the zero value panics.
type Minter struct {
	// node is that of the latest tenure, or nil before the first. It refuses every id unless the state is minting.
	node atomic.Pointer[ids.SnowflakeNode]

	store   Store
	opts    Options
	tick    time.Duration // of the layout
	start   time.Time
	early   chan struct{} // asks keepNumber to raise the horizon before its time
	cancel  context.CancelFunc
	handed  chan struct{} // closed when keepNumber has returned
	failed  error         // why the number could not be handed back; set before handed is closed
	reports chan func()   // what Logger and Observe are to be told; closed when keepNumber has returned
	told    chan struct{} // closed when they have been told all

	loggedAt   time.Time // when the log had a failure, unless a lease was renewed since; makeReports's
	loggedNone bool      // whether that was for want of a number

	unusableAt  time.Time // when it was last said that a number cannot be used; keepNumber's
	warnedOfEnv bool      // whether it was said that the environment names the number; keepNumber's

	// The fields tenure and why tell its state:
	//
	//	state     tenure   why               calls
	//	none      nil      why there is none  are refused, or wait for another state
	//	minting   set      nil                go to the tenure's node
	//	withheld  set      why it is withheld are refused, or wait for the node's limit; the number is kept
	//	closed    nil      ErrClosed          return ErrClosed
	//
	// What happens leads from the state at the top to the one in the table:
	//
	//	                       none      minting   withheld  closed
	//	a Take fails           none      -         -         closed
	//	an Extend succeeds     minting   minting   minting   closed
	//	an Extend fails        none      minting   withheld  closed
	//	the deadline passes    none      withheld  withheld  closed
	//	the number is lost     none      none      none      closed
	//	Close                  closed    closed    closed    closed
	//
	// A number that was just taken is not in tenure until its first Extend succeeds. The clock of a tenure is ended
	// when it leaves the table: a call that still has its node returns ids.ErrEnded, and looks at the state anew.
	mu        sync.Mutex
	tenure    *tenure
	why       error
	changed   chan struct{} // closed and replaced when minting begins or the Minter is closed
	news      chan struct{} // closed and replaced when why changes
	waiting   int           // calls of NextContext that wait for their node
	waking    bool          // wakeWaiters is to be called
	free      int64         // how many numbers were free at the latest Take
	freeKnown bool
}

// withheld is the error while no id can be minted: ids.ErrWithheld and its cause. It is made when the cause
// arises, so that a refusal allocates nothing.
type withheld [2]error

func newWithheld(cause error) *withheld { return &withheld{ids.ErrWithheld, cause} }

func (e *withheld) Error() string {
	return "nodelease: withheld: " + strings.TrimPrefix(e[1].Error(), "nodelease: ")
}

func (e *withheld) Unwrap() []error { return e[:] }

// causeOf returns the cause of a withheld, or err if it is another error.
func causeOf(err error) error {
	if w, ok := err.(*withheld); ok {
		return w[1]
	}
	return err
}

// NewMinter starts a Minter over store, and does not wait for its number. [Minter.Close] hands the
// number back. Nil options mean the default. The error says which argument is wrong: a nil store, a
// layout that can hold no id (it matches [ids.ErrRange]), or a bad window.
func NewMinter(store Store, opts *Options) (*Minter, error) {
	if v := reflect.ValueOf(store); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("nodelease: nil Store")
	}
	if opts == nil {
		opts = new(Options)
	}
	layout := opts.Layout
	if err := layout.Validate(); err != nil {
		return nil, fmt.Errorf("nodelease: Options.Layout: %w", err)
	}
	if layout.Equal(ids.SnowflakeLayout{}) {
		layout = ids.TwitterLayout()
	}
	tick := layout.Tick
	if opts.Window != 0 && opts.Window/100 < tick {
		return nil, fmt.Errorf("nodelease: Options.Window %v is less than 100 ticks of %v", opts.Window, tick)
	}
	if most := maxWindow(tick); opts.Window > most {
		return nil, fmt.Errorf("nodelease: Options.Window %v is more than %v", opts.Window, most)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Minter{
		store: store, opts: *opts, tick: tick, start: time.Now(), cancel: cancel,
		early: make(chan struct{}, 1), handed: make(chan struct{}),
		reports: make(chan func(), maxReports), told: make(chan struct{}),
		why: newWithheld(errors.New("the store has not answered yet")), changed: make(chan struct{}), news: make(chan struct{}),
	}
	if m.opts.Logger == nil {
		m.opts.Logger = slog.New(slog.DiscardHandler)
	}
	m.opts.Layout = layout
	go m.makeReports()
	go m.keepNumber(ctx)
	return m, nil
}

// Wait waits until there is a number to mint under, and returns nil, at once if there is one.
// Call it in main: [Minter.NextContext] waits for ever for a store that refuses for good. Wait returns at once
// what a person must mend: an error that matches [ErrRefused], if the latest request to the store failed with one.
// The Minter goes on asking the store all the same. After Close the error is [ErrClosed]. If ctx ends
// first, the error matches ctx.Err(), [context.Cause], [ids.ErrWithheld] and the cause.
func (m *Minter) Wait(ctx context.Context) error {
	for {
		m.mu.Lock()
		why, news := m.why, m.news
		m.mu.Unlock()
		if why == nil || why == ErrClosed || errors.Is(why, ErrRefused) {
			return why
		}
		select {
		case <-ctx.Done():
			return m.contextError(ctx, why)
		case <-news:
		}
	}
}

// TryNext returns an id, or at once an error: [ErrClosed], one that [ids.SnowflakeNode.TryNext] returns, or, while
// no number is held, one that matches [ids.ErrWithheld] and its cause, such as [ErrNoNumber], [ErrLost] or
// what the store has returned.
func (m *Minter) TryNext() (ids.Snowflake, error) {
	if node := m.node.Load(); node != nil {
		if id, err := node.TryNext(); err == nil {
			return id, nil
		}
	}
	return m.tryHeld()
}

// tryHeld is TryNext where the node refuses.
func (m *Minter) tryHeld() (id ids.Snowflake, err error) {
	for {
		var t *tenure
		if t, _, err = m.state(); err == nil {
			if id, err = m.tryTenure(t); err == nil {
				return id, nil
			}
			if errors.Is(err, ids.ErrEnded) {
				continue // the tenure is over
			}
		}
		m.observe(Event{Kind: Refused, Err: err})
		return 0, err
	}
}

// tryTenure is TryNext of t's node. Where the horizon is reached, it asks for a higher one.
func (m *Minter) tryTenure(t *tenure) (ids.Snowflake, error) {
	id, err := t.node.TryNext()
	if errors.Is(err, ids.ErrWithheld) {
		m.askForHorizon()
		err = m.whyLate(t)
	}
	return id, err
}

// whyLate returns why t withholds an id.
func (m *Minter) whyLate(t *tenure) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why != nil {
		return m.why
	}
	return t.late
}

// askForHorizon has keepNumber raise the horizon before its time.
func (m *Minter) askForHorizon() {
	select {
	case m.early <- struct{}{}:
	default:
	}
}

// NextContext returns an id. It waits while no number is held, while the store is asked for a later horizon, and
// while the ticks are exhausted. It goes on waiting where the store refuses for good: call [Minter.Wait] at the start.
// Once ctx has ended it returns an error, even if an id can be had at once, so that a loop over NextContext ends with
// its context. The error is [ErrClosed]; or it matches ctx.Err(), [context.Cause] and, if NextContext has waited,
// [ids.ErrWithheld] and the cause; or it matches [ids.ErrRange] when the layout has no time left for ids of this number.
//
// While the wall clock is behind the ids issued, they go on in ascending order, at most half as fast as
// time passes. A wait of up to 20 ms for an id that is already taken does not end with ctx.
func (m *Minter) NextContext(ctx context.Context) (ids.Snowflake, error) {
	if ctx.Err() != nil {
		return 0, m.contextError(ctx, nil)
	}
	if node := m.node.Load(); node != nil {
		if id, err := node.TryNext(); err == nil {
			return id, nil
		}
	}
	return m.nextHeld(ctx)
}

// nextHeld is NextContext where the node refuses.
func (m *Minter) nextHeld(ctx context.Context) (id ids.Snowflake, err error) {
	began := time.Now()
	defer func() {
		if took := time.Since(began); took >= time.Millisecond {
			m.observe(Event{Kind: Waited, Took: took, Err: err})
		}
	}()
	for {
		t, changed, why := m.state()
		switch {
		case why == ErrClosed:
			return 0, ErrClosed
		case why == nil:
			id, err = m.nextOfTenure(ctx, t)
			if !errors.Is(err, ids.ErrEnded) {
				return id, err
			}
			if ctx.Err() != nil {
				return 0, m.contextError(ctx, nil)
			}
			continue // the tenure is over
		}
		select {
		case <-ctx.Done():
			return 0, m.contextError(ctx, why)
		case <-changed:
		}
	}
}

// nextOfTenure is NextContext of t's node. It waits while the horizon is reached, and while the lease is not renewed:
// setState sets the limit for which it waits, or ends the clock. wakeWaiters does the rest.
func (m *Minter) nextOfTenure(ctx context.Context, t *tenure) (ids.Snowflake, error) {
	id, err := m.tryTenure(t)
	if err == nil {
		return id, nil
	}
	m.countWaiting(1)
	defer m.countWaiting(-1)
	id, err = t.node.NextContext(ctx)
	if errors.Is(err, ids.ErrWithheld) { // ctx has ended
		err = m.contextError(ctx, m.whyLate(t))
	}
	return id, err
}

// wakeEvery is the time from one call of wakeWaiters to the next.
const wakeEvery = 100 * time.Millisecond

// countWaiting adds n to the calls that wait, and has wakeWaiters look after them.
func (m *Minter) countWaiting(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting += n; m.waiting > 0 && !m.waking {
		m.waking = true
		time.AfterFunc(wakeEvery, m.wakeWaiters)
	}
}

// wakeWaiters helps the calls of NextContext that wait for their node, all at once, so that none has to poll. They do not
// see that the wall clock has come back below the horizon, as after one wrong reading: the same limit anew has them read it
// again. Where the horizon is reached indeed, a higher one is asked for: they may have found it reached only after their try.
func (m *Minter) wakeWaiters() {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waking = m.waiting > 0
	if !m.waking {
		return
	}
	time.AfterFunc(wakeEvery, m.wakeWaiters)
	switch t := m.tenure; {
	case m.why != nil: // until setState is called nothing can be minted
	case m.reachedHorizon(t, now):
		m.askForHorizon()
	default:
		t.limit.Set(t.horizon, errReached)
	}
}

// reachedHorizon reports whether t's horizon withholds the next id. The mutex is held.
func (m *Minter) reachedHorizon(t *tenure, now time.Time) bool {
	return now.After(t.horizon) || t.clock.Latest().Add(m.tick).After(t.horizon)
}

// contextError returns the error of a call whose context has ended while it waited for why, which may be nil.
func (m *Minter) contextError(ctx context.Context, why error) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(cause, err) {
		cause = fmt.Errorf("%w: %w", err, cause)
	}
	if _, _, now := m.state(); now != nil {
		why = now
	}
	if why == nil {
		return fmt.Errorf("nodelease: no Snowflake: %w", cause)
	}
	return fmt.Errorf("nodelease: no Snowflake: %w: %w", cause, why)
}

// Number returns the number under which ids can be minted now. ok is false while there is none.
func (m *Minter) Number() (number int64, ok bool) {
	t, _, why := m.state()
	if why != nil {
		return 0, false
	}
	return t.number, true
}

// Stats is what [Minter.Stats] returns, for gauges.
type Stats struct {
	// Number is the number under which ids are minted now, if Held is true.
	Number int64
	// Held is whether there is such a number. While it is false, the three durations are zero.
	Held bool
	// Err is why no id can be minted: [ErrClosed], or an error that matches [ids.ErrWithheld] and the cause.
	// It is nil while ids can be had without asking the store. In the last tick below the horizon it may
	// be either.
	Err error
	// Deadline is how long minting goes on if the store does not answer any more.
	Deadline time.Duration
	// HorizonAhead is how far ahead of the wall clock the horizon is up to which ids can be minted. It is
	// negative if the wall clock has passed it.
	HorizonAhead time.Duration
	// LatestAhead is how far ahead of the wall clock the latest id is, or the horizon that was found with
	// the number. It is zero if neither is ahead.
	LatestAhead time.Duration
	// Free is how many numbers that the layout can hold were free at the latest Take, without the one taken: 0
	// if none could be had. It does not change while the number is held, however many others take or release. It means
	// something only if FreeKnown is true.
	Free int64
	// FreeKnown is false before the first Take, if the store does not tell, and if the number that it has handed
	// out last cannot be used.
	FreeKnown bool
}

// Stats returns the state of m at this moment. It does not ask the store.
func (m *Minter) Stats() Stats {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Stats{Err: m.why, Free: m.free, FreeKnown: m.freeKnown}
	if t := m.tenure; m.why == nil {
		s.Number, s.Held = t.number, true
		s.Deadline, s.HorizonAhead = t.deadline-m.elapsed(), t.horizon.Sub(now)
		s.LatestAhead = max(0, t.clock.Latest().Sub(now))
		if m.reachedHorizon(t, now) {
			s.Err = t.late
		}
	}
	return s
}

// Close ends the minting at once, and hands the number back. NextContext and TryNext return [ErrClosed] from
// then on, also those that wait. Close takes at most 5 s, in which it asks the store again if that
// fails. The error is the store's, if the number could not be handed back: then it is free after its
// TTL. A second Close waits for the same end and returns the same error.
func (m *Minter) Close() error {
	m.endMinting()
	limit, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	select {
	case <-m.handed:
	case <-limit.Done():
		return fmt.Errorf("nodelease: the store has not answered within %v: the number may be held until its TTL is over", closeTimeout)
	}
	select {
	case <-m.told:
	case <-limit.Done():
	}
	return m.failed
}

// endMinting ends the minting.
func (m *Minter) endMinting() {
	m.mu.Lock()
	m.setState(nil, ErrClosed)
	m.mu.Unlock()
	m.cancel()
}

// state returns the state, and what is closed when minting begins or the Minter is closed.
func (m *Minter) state() (t *tenure, changed <-chan struct{}, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tenure, m.changed, m.why
}

// setState makes t and why the state, unless the Minter is closed. The mutex is held.
func (m *Minter) setState(t *tenure, why error) {
	if m.why == ErrClosed {
		return
	}
	was, minted := m.tenure, m.why == nil
	if was != nil && was != t {
		was.limit.EndAt(time.Time{}, causeOf(why))
	}
	if t != nil && why != nil {
		t.limit.Set(time.Time{}, causeOf(why))
	}
	m.tenure, m.why = t, why
	if why == nil {
		t.limit.Set(t.horizon, errReached)
		m.node.Store(t.node)
	}
	switch {
	case minted && why != nil:
		m.reportEnd(was.number, why)
	case !minted && why == nil:
		m.reportBegin(t.number)
	}
	if minted != (why == nil) || why == ErrClosed {
		close(m.changed)
		m.changed = make(chan struct{})
	}
	close(m.news)
	m.news = make(chan struct{})
}

// elapsed is the monotonic time since the Minter was made. It goes on while the process is stopped. While the machine
// is suspended it stands still on Linux: the wall clock, which goes on, then runs into the horizon.
func (m *Minter) elapsed() time.Duration { return time.Since(m.start) }

// now returns the wall clock's time.
func (m *Minter) now() time.Time {
	if m.opts.Now == nil {
		return time.Now()
	}
	return m.opts.Now()
}
