package clockfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/horizonfile"
)

const (
	defaultWindow = 10 * time.Second
	minWindow     = 100 * time.Millisecond // 100 ticks of a Snowflake of Twitter's layout
	maxWindow     = 24 * time.Hour         // ids may be this far ahead after a crash

	// Who opens a file, or has not seen it for a while, looks for longer than somebody else may trust a look from before.
	lookEvery  = 100 * time.Millisecond // a look begins so often, whether those before have returned or not
	trust      = time.Second            // what a look says counts for so long, from its question: it was so then
	quarantine = trust + lookEvery      // of looks that all see the file, before ids come
	calm       = 5 * time.Second        // of good news, before Report is told: what comes and goes is no news
	moment     = 100 * time.Millisecond // of Close: for ids until the end, and then for main to return
	patience   = 5 * time.Second        // of Close, with a disk or a Report that does not return
)

// The errors of [Create], [Open], [File.Close] and [Status] match these.
var (
	// ErrLocked means that another File has the file open, in this process or another one, under this name or another.
	ErrLocked = errors.New("already open, in another process or in this one: each needs a file and a node number of its own")

	// ErrCorrupt means that the file is damaged, is no clockfile, or was made by a newer version of this package.
	ErrCorrupt = horizonfile.ErrCorrupt

	// ErrOwner means that the file belongs to another owner.
	ErrOwner = errors.New("belongs to another owner")

	// ErrLost means that the file was removed, renamed, replaced or changed while it was open. The clock ends, and nothing is
	// saved any more.
	ErrLost = errors.New("was lost while it was open")
)

// Options are the options of [Open]. [Create] uses Owner alone. The zero value is the default.
type Options struct {
	// Owner names the owner of the file, such as "orders, node 7", in at most 255 bytes: more is an error. A file of another owner is refused,
	// for example on the volume of another node number. A file without an owner gets this one. Empty means any owner.
	Owner string

	// Window is how far the horizon is set ahead of the wall clock: 100 ms to 24 h, or [Open] returns an error. Zero means 10 s. It is saved every half of
	// Window, and after a crash ids go on from it.
	//
	// Take at least 100 of the longest ticks in use, such as 1 s for [ids.SonyflakeLayout]: with less, ids that are ahead of
	// the wall clock wait until it has caught up. This is not checked.
	Window time.Duration

	// ClockOptions are the options of the clock; nil means the default. After becomes the time in the file,
	// if that is later.
	//
	// Now must return soon, because the goroutine that checks and saves the file calls it, too. Until such a
	// call returns, IDs continue up to the horizon without checks, and can repeat if the file is replaced
	// meanwhile. Close waits for Now without a limit.
	ClockOptions *ids.ClockOptions

	// Report, if not nil, is called when saves or checks of the file begin to fail, when they have worked
	// again for 5 s, and when the file is lost. A save that takes half of Window counts as failed until it
	// returns, and so do checks that take 1 s. Their error matches [os.ErrDeadlineExceeded]. The error that
	// [File.Close] returns is not reported.
	//
	// Calls do not overlap. A call that does not return stops later reports, but neither saves nor IDs.
	// Report may make IDs: Next then waits while they are withheld, and panics after the clock has ended.
	// Report must not call Close, which waits for it for up to 5 s.
	Report func(Status)
}

// Status is the state of a [File].
type Status struct {
	// Path is the path of the file, as given to [Open].
	Path string

	// Err is nil while saves and checks of the file work. Otherwise it says why they do not. It matches [ErrLost] if the file is
	// lost, and [fs.ErrClosed] after [File.Close].
	Err error

	// Horizon is the time that is saved, or the zero time while the file cannot be seen. No Snowflake and no UUID of version 1
	// or 6 is later.
	Horizon time.Time
}

// String returns a line for a log. It contains the path.
func (s Status) String() string {
	horizon := s.Horizon.Format(time.RFC3339Nano)
	switch {
	case s.Err == nil:
		return fmt.Sprintf("clockfile: %s: saving works, up to %s", s.Path, horizon)
	case errors.Is(s.Err, ErrLost), errors.Is(s.Err, fs.ErrClosed): // which say that ids end
		return s.Err.Error()
	case s.Horizon.IsZero():
		return s.Err.Error() + "; no ids until it is seen again"
	}
	return s.Err.Error() + "; no ids after " + horizon + " until a save succeeds"
}

// File is an open file, with the clock whose horizon it contains. It is safe for concurrent use. Make one with [Open]; the
// methods of a zero File panic.
type File struct {
	name  string // as given to Open, for errors
	opts  Options
	now   func() time.Time
	store *store
	clock *ids.Clock
	limit *ids.ClockLimit

	status atomic.Pointer[Status]
	lost   chan struct{} // closed when the file is lost

	// These belong to the keeper.
	saved   time.Time  // the horizon that was saved last; the limit of the clock
	saving  chan error // gives the result of the save that is under way; nil if none is
	since   time.Time  // when that began
	looking int        // so many looks are under way
	sights  chan sight // gives what they see; has room for all
	looked  time.Time  // when the latest of those began that have seen the file
	blind   time.Time  // when the quarantine began that is over, or goes on while unseen is not nil

	failing  error         // why the latest save failed
	unseen   error         // why the latest look did
	cause    error         // the first error of those that ids are withheld or saves fail for; the cause of the limit
	reported error         // the cause that Report was told last
	worse    time.Time     // when that was last so, or something worse
	told     chan struct{} // closed when Report has returned

	stop   chan struct{} // closed by close
	close  func()
	done   chan struct{} // closed by the keeper, which has set result
	result error
}

// Create makes the file at path, without a horizon, for the first start of a node number. Of the options, it uses Owner
// alone; nil means the default.
//
// Call it once for each node number, and not at each start: after ids were made, a new file lets them repeat. A file that is
// missing later was lost.
//
// The error contains the path. It matches [fs.ErrExist] if there is something at path, and [errors.ErrUnsupported] on a
// system without locks. After any other error there may be a file or none.
func Create(path string, opts *Options) error { return create(system{syncName}, path, opts) }

// create is Create on some disk. What a crash leaves under another name, before the file is whole, does no harm.
func create(d disk, name string, opts *Options) error {
	f := &File{name: name}
	file, publish, err := d.Make(name)
	if err != nil {
		return f.failed(unnamed(err))
	}
	s := store{file: file, owner: cmp.Or(opts, new(Options)).Owner}
	err = s.write(horizonfile.Record{None: true})
	return f.failed(errors.Join(unnamed(err), publish(err == nil)))
}

// Open opens the file at path, which [Create] has made, and locks it until Close is called or the process ends. It follows a
// symbolic link. Nil options mean the default.
//
// Open takes 1.1 s: open several files in goroutines. It can hang with the disk: call signal.NotifyContext after it, since
// until then SIGTERM ends the program.
//
// The error contains the path. It matches [fs.ErrNotExist] if there is no such file or directory; [fs.ErrPermission] if this
// user may not read and write the file, or if it is read-only; [ErrLocked], [ErrCorrupt] or [ErrOwner]; or
// [errors.ErrUnsupported] on a system without locks.
func Open(path string, opts *Options) (*File, error) { return open(system{syncName}, path, opts) }

// open is Open on some disk.
func open(d disk, name string, opts *Options) (*File, error) {
	f := &File{name: name, opts: *cmp.Or(opts, new(Options)), now: time.Now}
	f.lost, f.told, f.stop, f.done = make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(f.told) // nothing is to be told yet
	f.close = sync.OnceFunc(func() { close(f.stop) })
	f.sights = make(chan sight, trust/lookEvery)
	if f.opts.Report == nil {
		f.opts.Report = func(Status) {}
	}
	f.opts.Window = cmp.Or(f.opts.Window, defaultWindow)
	if w := f.opts.Window; w < minWindow || w > maxWindow {
		return nil, f.failed(fmt.Errorf("Options.Window is %v, not between %v and %v", w, minWindow, maxWindow))
	}
	file, err := d.Open(name)
	var dangling horizonfile.DanglingError // which a new file would not mend
	if errors.Is(err, fs.ErrNotExist) && !errors.As(err, &dangling) {
		err = f.missing()
	}
	if err != nil {
		return nil, f.failed(err)
	}
	if err := f.start(file); err != nil {
		return nil, errors.Join(f.failed(err), file.Close())
	}
	go f.keep()
	return f, nil
}

// start makes the clock of what the file holds, and saves its first horizon. Another file may have been in its place, which some
// process still has open: that one finds out meanwhile.
func (f *File) start(file file) error {
	f.store = &store{file: file, owner: f.opts.Owner}
	held, err := f.store.read()
	if err != nil {
		return err
	}
	opts := *cmp.Or(f.opts.ClockOptions, new(ids.ClockOptions))
	if opts.Now != nil {
		f.now = opts.Now
	}
	if held.After(opts.After) {
		opts.After = held
	}
	f.clock, f.limit = ids.NewLimitedClock(&opts)
	opened := time.Now()
	f.looked, f.unseen = opened, errOverdue
	for err == nil && time.Since(opened) < quarantine {
		time.Sleep(lookEvery)
		err = f.lookNow()
	}
	if err == nil {
		err = f.store.save(f.limit.NextHorizon(f.opts.Window))
	}
	if err == nil {
		f.saved = f.store.saved
		err = f.lookNow() // the save may have taken long
	}
	if err == nil {
		f.note(nil, f.unseen) // which is not nil if looks take too long
	}
	return err
}

// lookNow looks, takes what it says, and returns its error.
func (f *File) lookNow() error {
	s := f.store.look()
	f.see(s)
	return s.err
}

// missing says what it can mean that there is no file, and what makes one.
func (f *File) missing() error {
	owner := ""
	if f.opts.Owner != "" {
		owner = fmt.Sprintf("-owner %s ", word(fmt.Sprintf("%.255s", f.opts.Owner)))
	}
	path, err := filepath.Abs(f.name) // for an operator, whose directory is another one
	if err != nil {
		path = f.name
	}
	return fmt.Errorf("%w: its volume is not mounted, it was lost, or this is the first start of its node number; "+
		"only for a first start run: idgen clock create %s%s", fs.ErrNotExist, owner, word(path))
}

// failed returns err, if it is not nil, with the name of the file.
func (f *File) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("clockfile: %s: %w", cmp.Or(f.name, "the path"), err)
}

// Clock returns the clock. f withholds its ids and ends it.
func (f *File) Clock() *ids.Clock {
	f.mustBeOpen() // nil would stand for the default clock
	return f.clock
}

// Status returns the state of f, for gauges and health checks. It makes no id, and reads neither the disk nor the clock.
func (f *File) Status() Status {
	f.mustBeOpen()
	return *f.status.Load()
}

// Lost returns a channel that is closed when the file is lost. The clock ends 100 ms later, and NextContext returns an error.
// A server must end when the channel is closed: net/http recovers the panics of Next, so that every request would fail.
func (f *File) Lost() <-chan struct{} {
	f.mustBeOpen()
	return f.lost
}

// mustBeOpen panics for a File that Open has not made.
func (f *File) mustBeOpen() {
	if f.clock == nil {
		panic("clockfile: zero File: use Open")
	}
}

// Close ends the clock, saves the time of its end, and unlocks the file. Calling Close is optional: without it, the next
// process begins after the horizon, as after a crash, and its ids are up to Window ahead of the wall clock.
//
// Ids end 100 ms after Close. Calls for later ids wait until then, and panic, or NextContext and TryNext return an error: it
// matches [ids.ErrEnded] and [fs.ErrClosed]. So call Close in main, where the program ends. (A program built with -race takes a
// second to end: stop its goroutines first, or set GORACE=atexit_sleep_ms=0.)
//
// Close waits for a save and for Report, for up to 5 s. If they take longer, it returns an error that matches
// [os.ErrDeadlineExceeded], or [ErrLost] if the file was lost, and the file stays locked until they return or the process
// ends. After an error, too, the file contains a time that keeps ids unique. Later and concurrent calls return the same error.
func (f *File) Close() error {
	f.mustBeOpen()
	f.close()
	<-f.done
	return f.result
}
