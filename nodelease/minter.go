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

// Minter makes Snowflakes under a node number leased from a [Store]. While it has no number, NextContext waits and
// TryNext refuses. It is safe for concurrent use. Make one with [NewMinter]; using the zero value panics.
type Minter struct {
	state
	report *reporter

	store  Store
	opts   Options
	tick   time.Duration // of the layout
	start  time.Time
	early  chan struct{} // asks keepNumber to raise the horizon before its time
	cancel context.CancelFunc
	handed chan struct{} // closed when keepNumber has returned
	failed error         // why the number could not be handed back; set before handed is closed
	close  sync.Once
	closed chan struct{} // closed when Close has a result
	result error         // what Close returns

	unusableAt time.Time // when it was last said that a number cannot be used; keepNumber's
}

// The fields tenure and why of a state tell which one it is:
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
type state struct {
	// node is that of the latest tenure, or nil before the first. It refuses every id unless the state is minting.
	node atomic.Pointer[ids.SnowflakeNode]

	mu        sync.Mutex // guards what follows
	tenure    *tenure
	why       error
	changed   chan struct{} // closed and replaced when minting begins or the Minter is closed
	news      chan struct{} // closed and replaced when why changes
	waiting   int           // calls of NextContext that wait for their node
	waking    bool          // wakeWaiters is to be called
	free      int64         // how many numbers were free at the latest Take
	freeKnown bool
}

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

	// Logger is told when ids begin and end, when the store fails, and what a person should look at, as [Warned]
	// says. While the store goes on failing, it is told once a minute. Nil means none.
	//
	// A goroutine of the Minter calls Logger and Observe, one after another. If one blocks, ids and Close go on, and
	// what happens after 1,000 more reports is not reported. A panic in them ends the program. They must not call Close,
	// which would wait 5 s for them.
	Logger *slog.Logger

	// Observe is called with what happens, for metrics. Nil means none. The rules for Logger apply.
	Observe func(Event)
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
		report: newReporter(opts), store: store, opts: *opts, tick: tick, start: time.Now(), cancel: cancel,
		early: make(chan struct{}, 1), handed: make(chan struct{}), closed: make(chan struct{}),
	}
	m.why, m.changed, m.news = newWithheld(errors.New("the store has not answered yet")), make(chan struct{}), make(chan struct{})
	m.opts.Layout = layout
	go m.keepNumber(ctx)
	return m, nil
}

// Close ends the ids at once, and hands the number back. NextContext and TryNext return [ErrClosed] from
// then on, also those that wait. Close takes at most 5 s, in which it asks the store again if that
// fails. The error is the store's, if the number could not be handed back: then it is free after its
// TTL. It is nil if the store says that the number is held no longer, as after a request whose answer was lost: the log
// says so. Later and concurrent calls of Close return when the first does, with the same error.
func (m *Minter) Close() error {
	m.mustBeMade()
	m.close.Do(func() {
		m.endMinting()
		go m.awaitEnd()
	})
	<-m.closed
	return m.result
}

// awaitEnd waits for the end of all that the Minter does, and sets the result of Close.
func (m *Minter) awaitEnd() {
	defer close(m.closed)
	limit, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	select {
	case <-m.handed:
		m.result = m.failed
	case <-limit.Done():
		m.result = fmt.Errorf("nodelease: the store has not answered within %v: the number may be held until its TTL is over", closeTimeout)
		return
	}
	select {
	case <-m.report.told:
	case <-limit.Done():
	}
}

// endMinting ends the minting.
func (m *Minter) endMinting() {
	m.mu.Lock()
	m.setState(nil, ErrClosed)
	m.mu.Unlock()
	m.cancel()
}

// get returns the state, and what is closed when minting begins or the Minter is closed.
func (m *Minter) get() (t *tenure, changed <-chan struct{}, why error) {
	m.mustBeMade()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tenure, m.changed, m.why
}

// mustBeMade panics on the zero value.
func (m *Minter) mustBeMade() {
	if m.store == nil {
		panic("nodelease: zero Minter: use NewMinter")
	}
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
		m.report.ended(was.number, why)
	case !minted && why == nil:
		m.report.begun(t.number)
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
