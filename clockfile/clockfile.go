package clockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/oneclock/ids"
)

const (
	defaultAhead = 10 * time.Second
	minAhead     = 100 * time.Millisecond // 100 ticks of a Snowflake of Twitter's layout
	maxAhead     = 24 * time.Hour         // so far may ids be ahead after a crash
	maxOwner     = 255

	moment = 100 * time.Millisecond // of Close: for ids until the end, and then for main to return
)

// The errors of this package match these.
var (
	// ErrLocked is matched if another File has the file open, in this process or another one.
	ErrLocked = errors.New("already open")

	// ErrCorrupt is matched if the file is empty, torn or damaged, of another kind, or of
	// another version of the format.
	ErrCorrupt = errors.New("holds no usable horizon")

	// ErrOwner is matched if the file belongs to another owner.
	ErrOwner = errors.New("belongs to another owner")

	// ErrLost is matched if the lock was removed or replaced while the file was open, or if somebody
	// else has written to the file. Then nothing is saved any more, and ids are withheld until the
	// process starts anew. [Options].Report is the place to end it.
	ErrLost = errors.New("was lost while it was open")
)

// Options are the options of [Open]. The zero value is the default.
type Options struct {
	// Init declares the first start, which makes the file. With Init the file must not exist,
	// and without it the file must: a start without a file that was lost could repeat ids.
	Init bool

	// Owner is whom the file belongs to, such as "orders, node 7". The file keeps it, and a
	// file of another owner is refused. A file without an owner takes this one. Empty means
	// that any owner will do, and the file keeps its own. It has at most 255 bytes.
	Owner string

	// Ahead is how far the horizon is ahead of the wall clock. A longer one means fewer writes,
	// which are half of it apart. After a crash, ids go on from the horizon. It is 100 ms to 24 h;
	// zero means 10 s.
	//
	// It must be at least 100 times the longest tick of the layouts in use, such as 1 s for
	// [ids.SonyflakeLayout]. Nothing checks that. With less, ids that are ahead of the wall clock
	// wait until it has caught up.
	Ahead time.Duration

	// ClockOptions are the options of the clock; nil means the default. Their After is replaced by
	// the time in the file, if that is later. If their After was read from somewhere, check that it
	// is not the zero time, which means none.
	ClockOptions *ids.ClockOptions

	// Report, if it is not nil, is called with the error when saving begins to fail, and with
	// nil when a save succeeds again. Without it, a failing disk goes unnoticed until ids are
	// withheld. The error matches [os.ErrDeadlineExceeded] if a save has taken half of Ahead and
	// has not returned, and [ErrLost] if the lock or the file is lost; after that, Report is not
	// called any more.
	//
	// One call returns before the next one, or a save, begins. Close waits for it, for 5 s at most: it
	// must not call [File.Close].
	//
	// Report is not told that the wall clock was wrong. If it was ahead, ids stay ahead. To see that:
	//
	//	if ahead := time.Until(file.Clock().Latest()); ahead > time.Minute { // more than Options.Ahead
	//		log.Printf("ids are %v ahead of the clock", ahead)
	//	}
	Report func(error)
}

// File keeps the horizon of a clock in a file. It is safe for concurrent use. Make one with
// [Open]; using the zero value panics.
type File struct {
	disk   disk
	name   string // as given to Open, for errors
	path   string // of the file that symbolic links lead to
	owner  string
	ahead  time.Duration
	now    func() time.Time
	report func(error)

	lock  fileLock
	clock *ids.Clock

	// These belong to the keeper.
	saved   time.Time     // the horizon that was saved last; the limit of the clock
	saving  chan error    // gives the result of the save that is under way; nil if none is
	since   time.Time     // when that began
	horizon time.Time     // which it saves
	failing bool          // as Report was told last
	lost    bool          // as Report was told
	told    chan struct{} // closed when Report has returned

	// These belong to the save that is under way. The file holds the first, or the second if the
	// latest save failed and had its effect.
	held, tried []byte

	stop   chan struct{} // closed by close
	close  func()
	done   chan struct{} // closed by the keeper, which has set result
	result error
}

// Open opens the file at path and locks it until Close is called or the process ends. The file
// must exist, except if Init is set; its directory must exist in any case. A symbolic link is
// followed: the file that it leads to is the one that is locked and replaced. Nil options mean the
// default.
//
// The error names the path. It matches [fs.ErrNotExist] if there is no such file or directory,
// [fs.ErrExist] if Init is set and there is a file, [fs.ErrPermission] if the file is read-only,
// [ErrLocked], [ErrCorrupt] or [ErrOwner] if it is not for this process to use, and
// [errors.ErrUnsupported] on a system without locks.
func Open(path string, opts *Options) (*File, error) {
	return open(system{}, path, opts)
}

// open is Open on some disk.
func open(d disk, path string, opts *Options) (_ *File, err error) {
	if opts == nil {
		opts = new(Options)
	}
	f := &File{disk: d, name: path, ahead: opts.Ahead, now: time.Now, report: opts.Report,
		told: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	close(f.told) // nothing is to be told yet
	if f.ahead == 0 {
		f.ahead = defaultAhead
	}
	if f.report == nil {
		f.report = func(error) {}
	}
	switch {
	case path == "":
		return nil, errors.New("clockfile: the path is empty")
	case f.ahead < minAhead:
		return nil, f.failed(fmt.Errorf("Options.Ahead is %v, less than %v", f.ahead, minAhead))
	case f.ahead > maxAhead:
		return nil, f.failed(fmt.Errorf("Options.Ahead is %v, more than %v", f.ahead, maxAhead))
	case len(opts.Owner) > maxOwner:
		return nil, f.failed(fmt.Errorf("Options.Owner has %d bytes, more than %d", len(opts.Owner), maxOwner))
	}
	if f.path, err = d.Resolve(path); err != nil {
		return nil, f.failed(err)
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

// start makes the clock of what the file holds, and saves its first horizon.
func (f *File) start(opts *Options) error {
	data, err := f.disk.Read(f.path)
	var found record
	if err == nil {
		found, err = decode(data)
	}
	switch {
	case opts.Init && errors.Is(err, fs.ErrNotExist):
	case opts.Init && (err == nil || errors.Is(err, ErrCorrupt)):
		return fmt.Errorf("%w, so this is not the first start, which Options.Init declares", fs.ErrExist)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; if this is the first start, and only then, set Options.Init", fs.ErrNotExist)
	case err != nil:
		return err
	case found.horizon.IsZero(): // as After it would mean none
		return fmt.Errorf("%w: it is the zero time", ErrCorrupt)
	case opts.Owner != "" && found.owner != "" && found.owner != opts.Owner:
		return fmt.Errorf("%w: %q, not %q", ErrOwner, found.owner, opts.Owner)
	}
	f.held, f.owner = data, found.owner
	if opts.Owner != "" {
		f.owner = opts.Owner
	}
	var clock ids.ClockOptions
	if opts.ClockOptions != nil {
		clock = *opts.ClockOptions
	}
	if clock.Now != nil {
		f.now = clock.Now
	}
	if found.horizon.After(clock.After) {
		clock.After = found.horizon
	}
	f.clock = ids.NewClock(&clock)
	// The clock is limited before anybody has it, so it cannot issue what the file does not cover.
	f.saved = f.clock.Horizon(f.ahead)
	f.clock.SetLimit(f.saved)
	return f.save(f.saved)
}

// failed returns err with the name of the file.
func (f *File) failed(err error) error { return fmt.Errorf("clockfile: %s: %w", f.name, err) }

// Clock returns the clock. Its SetLimit and EndAt belong to f: do not call them.
func (f *File) Clock() *ids.Clock {
	if f.clock == nil { // which would stand for the default clock
		panic("clockfile: zero File: use Open")
	}
	return f.clock
}

// Close ends the clock, saves the time of its end, and unlocks the file. Then the next start goes on
// from there at once, and not from the horizon. To call it is optional: without it, all is as after a
// crash, and no id is repeated.
//
// The end is 100 ms after the wall clock, but not after the horizon. Calls for ids of version 1 or 6 and
// Snowflakes past the end wait, so that no goroutine that still mints disturbs main while it returns. From
// 100 ms after Close on they panic with [ids.ErrEnded], and [ids.SnowflakeNode.NextContext] and
// [ids.SnowflakeNode.TryNext] return it. So call Close where the program ends, and not in a function that
// only sets the clock up. A program built with -race takes a second to end: stop its goroutines first, or
// set GORACE=atexit_sleep_ms=0.
//
// Close waits for a save that is under way and for Report, but for at most 5 s. Then it returns an error
// that matches [os.ErrDeadlineExceeded], and the file stays locked until the save returns or the process
// has ended, since it may still replace the file.
//
// After an error the file holds a time that keeps ids unique, as after a crash; it is left as it is if the
// error matches [ErrLost]. Later calls of Close do nothing and return the same error, and so do calls at
// the same time.
func (f *File) Close() error {
	f.close()
	<-f.done
	return f.result
}
