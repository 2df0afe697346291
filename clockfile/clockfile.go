package clockfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

	lookEvery  = 100 * time.Millisecond // the keeper looks so often
	lookWithin = time.Second            // a look that takes longer has failed until it returns
	quarantine = 5 * lookEvery          // of Open: who holds a file that this one has replaced finds out meanwhile
	moment     = 100 * time.Millisecond // of Close: for ids until the end, and then for main to return
	patience   = 5 * time.Second        // of Close, with a disk or a Report that does not return
)

// The errors of this package match these.
var (
	// ErrLocked is matched if another File has the file open, in this process or another one, under this name or another.
	ErrLocked = errors.New("already open, in another process or in this one: each needs a file and a node number of its own")

	// ErrCorrupt is matched if no copy in the file is intact and can be read, if its length or the version of its format is
	// another one, or if its horizon is in the year 9999.
	ErrCorrupt = horizonfile.ErrCorrupt

	// ErrOwner is matched if the file belongs to another owner.
	ErrOwner = errors.New("belongs to another owner")

	// ErrLost is matched if the file was removed, renamed or replaced while it was open, or if somebody else has written to
	// it. Then the clock ends, and nothing is saved any more.
	ErrLost = errors.New("was lost while it was open")
)

// Options are the options of [Open] and, as to the Owner, of [Create]. The zero value is the default.
type Options struct {
	// Owner names the owner of the file, such as "orders, node 7", so that a file that was renamed or moved, or the volume of
	// another number, is refused. It has at most 255 bytes, or Create and Open refuse. A file without an owner takes this one. Empty means
	// that any owner will do.
	Owner string

	// Window is how far the horizon is ahead of the wall clock. Writes are half of it apart, and after a crash ids go on from
	// the horizon. It is 100 ms to 24 h, or Open refuses; zero means 10 s.
	//
	// It must be at least 100 times the longest tick of the layouts in use, such as 1 s for [ids.SonyflakeLayout]. Nothing
	// checks that. With less, ids that are ahead of the wall clock wait until it has caught up.
	Window time.Duration

	// ClockOptions are the options of the clock; nil means the default. Their After is replaced by the time in the file, if
	// that is later. Their Now must return: Close waits for it without bound.
	ClockOptions *ids.ClockOptions

	// Report, if it is not nil, is called once when saves or looks at the file begin to fail, once when they work again, and
	// once when the file is lost, but not for what Close returns. A save that takes half of Window, or a look that takes 1 s,
	// has failed until it returns: then the error matches [os.ErrDeadlineExceeded]. One call returns before the next one, or
	// a save, begins. Close waits for it, for 5 s at most: it must not call [File.Close].
	//
	// Report is not told that the wall clock was wrong. If it was ahead, ids stay ahead: file.Clock().Ahead() is then more
	// than Window.
	Report func(Status)
}

// Status says how a [File] works.
type Status struct {
	// Path is the path of the file, as given to [Open].
	Path string

	// Err is nil while saves and looks work. Otherwise it says why they do not, and ids go on up to Horizon. It matches
	// [ErrLost] if the file is lost, and [fs.ErrClosed] after [File.Close].
	Err error

	// Horizon is the time that is saved, or the zero time while looks fail. No id of versions 1 and 6 and no Snowflake is
	// later.
	Horizon time.Time
}

// String returns a line for a log.
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

// File keeps the horizon of a clock in a file. It is safe for concurrent use. Make one with [Open]; using the zero value
// panics.
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
	looking chan error // gives the result of the look that is under way; nil if none is
	looked  time.Time  // when the one before returned

	failing  error         // why the latest save failed
	unseen   error         // why the latest look did
	cause    error         // the first error of those that ids are withheld or saves fail for; the cause of the limit
	reported error         // the cause that Report was told last
	told     chan struct{} // closed when Report has returned

	stop   chan struct{} // closed by close
	close  func()
	done   chan struct{} // closed by the keeper, which has set result
	result error
}

// Create makes the file at path, for the first start of a node number: the file says that there is no horizon. Of the
// options, Owner alone counts; nil means the default.
//
// Call it once for each number, as when a machine is set up, and not at each start: Create for a number that was used
// before repeats ids. A file that is missing later was lost.
//
// The error names the path. It matches [fs.ErrExist] if there is a file, whatever is in it, and [errors.ErrUnsupported] on
// a system without locks. After another error of the disk, there may be a file or none.
func Create(path string, opts *Options) error { return create(system{syncName}, path, opts) }

// create is Create on some disk. What a crash leaves under another name, before the file is whole, does no harm.
func create(d disk, name string, opts *Options) error {
	f := &File{name: name}
	file, publish, err := d.Make(name)
	if err != nil {
		return f.failed(err)
	}
	s := store{file: file, owner: cmp.Or(opts, new(Options)).Owner}
	err = s.write(horizonfile.Record{None: true})
	return f.failed(errors.Join(err, publish(err == nil)))
}

// Open opens the file at path, which [Create] has made, and locks it until Close is called or the process ends. A symbolic
// link is followed. Nil options mean the default.
//
// Open takes 0.5 s: a process that still has the file which was in its place finds out meanwhile. So open several files in
// goroutines. It waits for the disk without bound. So call signal.NotifyContext after Open: until then, SIGTERM ends the
// program, as after a crash.
//
// The error names the path. It matches [fs.ErrNotExist] if there is no such file or directory, [fs.ErrPermission] if this
// user may not read and write the file, or it is read-only, [ErrLocked], [ErrCorrupt] or [ErrOwner] if it is not for this
// process to use, and [errors.ErrUnsupported] on a system without locks.
func Open(path string, opts *Options) (*File, error) { return open(system{syncName}, path, opts) }

// open is Open on some disk.
func open(d disk, name string, opts *Options) (*File, error) {
	f := &File{name: name, opts: *cmp.Or(opts, new(Options)), now: time.Now}
	f.lost, f.told, f.stop, f.done = make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	close(f.told) // nothing is to be told yet
	f.close = sync.OnceFunc(func() { close(f.stop) })
	if f.opts.Report == nil {
		f.opts.Report = func(Status) {}
	}
	f.opts.Window = cmp.Or(f.opts.Window, defaultWindow)
	if w := f.opts.Window; w < minWindow || w > maxWindow {
		return nil, f.failed(fmt.Errorf("Options.Window is %v, not between %v and %v", w, minWindow, maxWindow))
	}
	file, err := d.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
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

// start makes the clock of what the file holds, and saves its first horizon.
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
	err = f.store.save(f.limit.NextHorizon(f.opts.Window))
	if err == nil {
		_, err = f.store.look() // the save may have taken long
	}
	if err == nil {
		f.saved, f.looked = f.store.saved, time.Now()
		f.note(nil, nil)
	}
	return err
}

// missing says what it can mean that there is no file, and what makes one.
func (f *File) missing() error {
	owner := ""
	if f.opts.Owner != "" {
		owner = fmt.Sprintf("-owner %.255q ", f.opts.Owner)
	}
	return fmt.Errorf("%w: its volume is not mounted, it was lost, or this is the first start of its node number; "+
		"only for a first start run: idgen clock create %s%s", fs.ErrNotExist, owner, f.name)
}

// failed returns err, if it is not nil, with the name of the file.
func (f *File) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("clockfile: %s: %w", cmp.Or(f.name, "the path"), err)
}

// Clock returns the clock, which f limits and ends.
func (f *File) Clock() *ids.Clock {
	f.mustBeOpen() // nil would stand for the default clock
	return f.clock
}

// Status returns how f fares, for gauges and health checks. It mints no id, and asks neither the disk nor the clock.
func (f *File) Status() Status {
	f.mustBeOpen()
	return *f.status.Load()
}

// Lost returns a channel that is closed when the file is found to be lost. Then the clock ends, as after Close, and with it
// a loop of NextContext. A server, which recovers panics and would fail each request, must end by this channel.
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

// Close ends the clock, saves the time of its end, and unlocks the file. Then the next start goes on from there at once.
// Calling Close is optional: without it, the next start is as after a crash, and goes on from the horizon.
//
// Calls for ids past the end wait for 100 ms, so that no goroutine that still mints disturbs main while it returns. Then they
// panic, or NextContext and TryNext return an error: it matches [ids.ErrEnded] and [fs.ErrClosed]. So call Close where the
// program ends, and not in a function that only sets the clock up. A program built with -race takes a second to end: stop its
// goroutines first, or set GORACE=atexit_sleep_ms=0.
//
// Close waits for a save that is under way and for Report, but for at most 5 s. Then it returns an error that matches
// [os.ErrDeadlineExceeded], or [ErrLost] if the file was lost, and the file stays locked until both have returned or the
// process has ended. After an error the file holds a time that keeps ids unique. Later and concurrent calls return the same
// error.
func (f *File) Close() error {
	f.mustBeOpen()
	f.close()
	<-f.done
	return f.result
}
