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

	moment = 100 * time.Millisecond // of Close: for ids until the end, and then for main to return
)

// The errors of this package match these.
var (
	// ErrLocked is matched if another File has the file open, in this process or another one, or if
	// it is being made.
	ErrLocked = errors.New("already open")

	// ErrCorrupt is matched if the file is empty, torn or damaged, of another kind, or of
	// another version of the format. The text of the error says so if that version is a newer one.
	ErrCorrupt = horizonfile.ErrCorrupt

	// ErrOwner is matched if the file belongs to another owner.
	ErrOwner = errors.New("belongs to another owner")

	// ErrLost is matched if the file or its lock was removed, renamed or replaced while it was open, or if
	// somebody else has written to it. Then nothing is saved any more, and the clock ends at the
	// horizon that was saved. [File.Lost] tells when to end the process.
	ErrLost = errors.New("was lost while it was open")
)

// Options are the options of [Open]. The zero value is the default.
type Options struct {
	// Owner names the owner of the file, such as "orders, node 7", so that a file that was renamed or
	// moved is not taken for another one. The file keeps it, and a file of another owner is refused. A file
	// without an owner takes this one. Empty means that any owner will do, and the file keeps its
	// own. It has at most 255 bytes.
	Owner string

	// Window is how far the horizon is ahead of the wall clock. Writes are half of it apart, so a longer
	// one means fewer. After a crash, ids go on from the horizon. It is 100 ms to 24 h, or Open refuses; zero means 10 s.
	//
	// It must be at least 100 times the longest tick of the layouts in use, such as 1 s for
	// [ids.SonyflakeLayout]. Nothing checks that. With less, ids that are ahead of the wall clock
	// wait until it has caught up.
	Window time.Duration

	// ClockOptions are the options of the clock; nil means the default. Their After is replaced by
	// the time in the file, if that is later. If their After was read from somewhere, check that it
	// is not the zero time, which means none. Their Now must return: Close waits for it without bound.
	ClockOptions *ids.ClockOptions

	// Report, if it is not nil, is called once when saving begins to fail, once when it works again, and
	// once when the file is lost; after that, it is not called any more. Without it, a failing disk goes
	// unnoticed until ids are withheld. A save that has taken half of Window and has not returned counts as
	// failed: then the error matches [os.ErrDeadlineExceeded].
	//
	// One call returns before the next one, or a save, begins. Close waits for it, for 5 s at most: it
	// must not call [File.Close].
	//
	// Report is not told what the save of Close finds: Close returns that. Nor is it told that the wall clock was
	// wrong. If it was ahead, ids stay ahead: file.Clock().Ahead() is then more than Window.
	Report func(Status)
}

// Status says how a [File] fares.
type Status struct {
	// Err is nil while saving works. Otherwise it says why it does not, and ids go on up to Horizon. It
	// matches [ErrLost] if the file is lost, and [fs.ErrClosed] after [File.Close].
	Err error

	// Horizon is the time that is saved. No id of versions 1 and 6 and no Snowflake is later.
	Horizon time.Time
}

// String returns a line for a log.
func (s Status) String() string {
	state := "clockfile: the horizon is saved"
	if s.Err != nil {
		state = s.Err.Error()
	}
	return state + "; ids may go up to " + s.Horizon.Format(time.RFC3339Nano)
}

// File keeps the horizon of a clock in a file. It is safe for concurrent use. Make one with
// [Open]; using the zero value panics.
type File struct {
	disk   disk
	name   string // as given to Open, for errors
	path   string // of the file that symbolic links lead to
	owner  string
	window time.Duration
	now    func() time.Time
	report func(Status)

	lock   fileLock
	clock  *ids.Clock
	limit  *ids.ClockLimit
	status atomic.Pointer[Status]
	lost   chan struct{} // closed when the file is lost

	// These belong to the keeper.
	saved   time.Time     // the horizon that was saved last; the limit of the clock
	saving  chan error    // gives the result of the save that is under way; nil if none is
	since   time.Time     // when that began
	horizon time.Time     // which it saves
	failing error         // what Report was told last; the cause of the limit
	told    chan struct{} // closed when Report has returned

	// These belong to the save that is under way. The file holds the first, or the second if the
	// latest save failed and had its effect.
	held, tried []byte

	stop   chan struct{} // closed by close
	close  func()
	done   chan struct{} // closed by the keeper, which has set result
	result error
}

// Create makes the file at path, for the first start of a node number: the file says that there is no
// horizon. Its directory must exist. The owner, of at most 255 bytes, is the [Options].Owner of those
// who open the file; empty means that it has none.
//
// Call it once for each number, as when a machine is set up, and not at each start: Create for a number
// that was used before repeats ids. A file that is missing later was lost.
//
// The error names the path. It matches [fs.ErrExist] if there is a file, whatever is in it, [ErrLocked] if one
// is being made, and otherwise what an error of [Open] matches. After such an error of the disk, there may
// be a file or none.
func Create(path, owner string) error { return create(system{}, path, owner) }

// create is Create on some disk.
func create(d disk, name, owner string) error {
	f := &File{disk: d, name: name, owner: owner}
	if len(owner) > horizonfile.MaxOwner {
		return f.failed(fmt.Errorf("the owner has %d bytes, more than %d", len(owner), horizonfile.MaxOwner))
	}
	there, err := f.resolve()
	if there {
		return f.failed(fmt.Errorf("%w: %w", fs.ErrExist, cmp.Or(err, errNotFirst)))
	}
	if err == nil {
		err = f.first()
	}
	if err != nil {
		return f.failed(err)
	}
	return nil
}

var errNotFirst = errors.New("so this is not the first start")

// first writes the file that has no horizon.
func (f *File) first() (err error) {
	if f.lock, err = f.disk.Lock(f.path + ".lock"); err != nil {
		return err
	}
	_, err = f.disk.Read(f.path)
	switch {
	case err == nil:
		err = fmt.Errorf("%w: %w", fs.ErrExist, errNotFirst)
	case errors.Is(err, fs.ErrNotExist):
		var data []byte
		if data, err = (horizonfile.Record{None: true, Owner: f.owner}).Encode(); err == nil {
			err = replace(f.disk, f.path, data)
		}
	}
	return errors.Join(err, f.lock.Close())
}

// resolve sets the path, and reports whether there is something.
func (f *File) resolve() (there bool, err error) {
	if f.name == "" {
		return false, errors.New("the path is empty")
	}
	found, err := f.disk.Resolve(f.name)
	f.path = found.path
	return found.there, err
}

// Open opens the file at path, which [Create] has made, and locks it until Close is called or the process
// ends. A symbolic link is followed: the file that it leads to is the one that is locked and replaced. Nil
// options mean the default.
//
// Open waits for the disk without bound. So call signal.NotifyContext after Open: until then, SIGTERM ends the
// program, as after a crash.
//
// The error names the path. It matches [fs.ErrNotExist] if there is no such file or directory,
// [fs.ErrPermission] if the file is read-only, [ErrLocked], [ErrCorrupt] or [ErrOwner] if it is not for
// this process to use, and [errors.ErrUnsupported] on a system without locks.
func Open(path string, opts *Options) (*File, error) {
	return open(system{}, path, opts)
}

// open is Open on some disk.
func open(d disk, name string, opts *Options) (*File, error) {
	if opts == nil {
		opts = new(Options)
	}
	f := &File{disk: d, name: name, window: cmp.Or(opts.Window, defaultWindow), now: time.Now, report: opts.Report,
		lost: make(chan struct{}), told: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	close(f.told) // nothing is to be told yet
	if f.report == nil {
		f.report = func(Status) {}
	}
	switch {
	case f.window < minWindow:
		return nil, f.failed(fmt.Errorf("Options.Window is %v, less than %v", f.window, minWindow))
	case f.window > maxWindow:
		return nil, f.failed(fmt.Errorf("Options.Window is %v, more than %v", f.window, maxWindow))
	case len(opts.Owner) > horizonfile.MaxOwner:
		return nil, f.failed(fmt.Errorf("Options.Owner has %d bytes, more than %d", len(opts.Owner), horizonfile.MaxOwner))
	}
	there, err := f.resolve()
	switch {
	case err != nil:
		return nil, f.failed(err)
	case !there:
		return nil, f.failed(errNoFile)
	}
	if f.lock, err = d.Lock(f.path + ".lock"); err != nil {
		return nil, f.failed(err)
	}
	if err = f.start(opts); err != nil {
		return nil, errors.Join(f.failed(err), f.lock.Close())
	}
	f.close = sync.OnceFunc(func() { close(f.stop) })
	go f.keep()
	return f, nil
}

// errNoFile says what to do, and when not.
var errNoFile = fmt.Errorf("%w; make it by clockfile.Create if this is the first start, and only then", fs.ErrNotExist)

// start makes the clock of what the file holds, and saves its first horizon.
func (f *File) start(opts *Options) error {
	data, err := f.disk.Read(f.path)
	var found horizonfile.Record
	if err == nil {
		found, err = horizonfile.Decode(data)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNoFile
	case err != nil:
		return err
	case opts.Owner != "" && found.Owner != "" && found.Owner != opts.Owner:
		return fmt.Errorf("%w: %q, not %q", ErrOwner, found.Owner, opts.Owner)
	}
	f.held, f.tried, f.owner = data, data, cmp.Or(opts.Owner, found.Owner)
	var clock ids.ClockOptions
	if opts.ClockOptions != nil {
		clock = *opts.ClockOptions
	}
	if clock.Now != nil {
		f.now = clock.Now
	}
	if found.Horizon.After(clock.After) {
		clock.After = found.Horizon
	}
	f.clock, f.limit = ids.NewLimitedClock(&clock)
	f.saved = f.limit.NextHorizon(f.window)
	if err := f.save(f.saved); err != nil {
		return err
	}
	f.limit.Set(f.saved, nil)
	f.status.Store(&Status{Horizon: f.saved})
	return nil
}

// failed returns err with the name of the file.
func (f *File) failed(err error) error {
	if f.name == "" {
		return fmt.Errorf("clockfile: %w", err)
	}
	return fmt.Errorf("clockfile: %s: %w", f.name, err)
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

// Lost returns a channel that is closed as soon as the file is found to be lost. Ids then go on up to the
// horizon that was saved, at most; after it, NextContext and TryNext return an error that matches
// [ids.ErrEnded] and [ErrLost], and the constructors without an error panic with it. That ends a loop of
// NextContext. A server, which recovers panics and would fail each request, must end by this channel. What
// started the process starts it again.
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

// Close ends the clock, saves the time of its end, and unlocks the file. Then the next start goes on
// from there at once, and not from the horizon. Calling Close is optional: without it, the next start is as
// after a crash, and no id is repeated.
//
// The end is 100 ms after the wall clock, but not after the horizon. Calls for ids of version 1 or 6 and
// Snowflakes past the end wait, so that no goroutine that still mints disturbs main while it returns. From
// 100 ms after Close on they panic with an error that matches [ids.ErrEnded] and [fs.ErrClosed], and
// [ids.SnowflakeNode.NextContext] and [ids.SnowflakeNode.TryNext] return it. So call Close where the program ends, and not in a function that
// only sets the clock up. A program built with -race takes a second to end: stop its goroutines first, or
// set GORACE=atexit_sleep_ms=0.
//
// Close waits for a save that is under way and for Report, but for at most 5 s. Then it returns an error
// that matches [os.ErrDeadlineExceeded], or [ErrLost] if the file was lost, and the file stays locked until
// the save returns or the process has ended, since it may still replace the file.
//
// After an error the file holds a time that keeps ids unique, as after a crash. If the error matches
// [ErrLost], the file is left as it is, and unlocked. Later calls of Close do nothing and return the same error, and so do calls at
// the same time.
func (f *File) Close() error {
	f.mustBeOpen()
	f.close()
	<-f.done
	return f.result
}
