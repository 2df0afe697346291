package clockfile

// This file contains Create, Open and the methods of a File.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/horizonfile"
)

// File is an open file together with its clock. The file contains the clock's horizon. A File is
// safe for concurrent use. Use [Open] to open one; the methods of a zero File panic.
type File struct {
	*view
	closing sync.Once
}

// Create creates a file at path for one node number. The new file has no horizon yet. Create uses
// only the Owner option. If opts is nil, the default options are used.
//
// Call it once for each node number, before the number is first used, and not at each start. If IDs
// have already been generated, they can repeat once a new file is used. If the file is missing at a
// later start, it was lost.
//
// The error contains the path. It matches [fs.ErrExist] if something exists at path, and
// [errors.ErrUnsupported] on a system without locks. After any other error, the file may or may not
// exist.
func Create(path string, opts *Options) error { return create(system{syncName}, path, opts) }

// create is like Create, but uses the given disk. If a crash leaves an unfinished file, that file
// has a different name and is harmless.
func create(d disk, path string, opts *Options) error {
	file, publish, err := d.Make(path)
	if err != nil {
		return withPath(path, stripPath(err))
	}
	s := store{file: file, owner: cmp.Or(opts, new(Options)).Owner}
	err = s.write(horizonfile.Record{None: true})
	return withPath(path, errors.Join(stripPath(err), publish(err == nil)))
}

// Open opens the file at path, which [Create] must have created, and locks it until Close is called
// or the process ends. It follows symbolic links. If opts is nil, the default options are used.
//
// Open takes 1.1 s, so open several files in parallel. If the disk hangs, Open can hang, too. Call
// signal.NotifyContext only after Open, so that SIGTERM ends the program if Open hangs.
//
// The error contains the path. It can match:
//
//   - [fs.ErrNotExist] if the file or a directory of its path does not exist
//   - [fs.ErrPermission] if the current user may not read and write the file, or if the file is
//     read-only
//   - [ErrLocked], [ErrCorrupt] or [ErrOwner]
//   - [errors.ErrUnsupported] on a system without locks
func Open(path string, opts *Options) (*File, error) { return open(system{syncName}, path, opts) }

// open is like Open, but uses the given disk.
func open(d disk, path string, opts *Options) (*File, error) {
	o, err := opts.complete()
	if err != nil {
		return nil, withPath(path, err)
	}
	file, err := d.Open(path)
	var dangling horizonfile.DanglingError // a new file would not fix a dangling link
	if errors.Is(err, fs.ErrNotExist) && !errors.As(err, &dangling) {
		err = missingError(path, o.Owner)
	}
	if err != nil {
		return nil, withPath(path, err)
	}
	k, err := start(path, o, file)
	if err != nil {
		return nil, errors.Join(withPath(path, err), file.Close())
	}
	go k.keep()
	return &File{view: k.view}, nil
}

// missingError returns the error for a file that does not exist, with the possible reasons and the
// command for a first start.
func missingError(path, owner string) error {
	if owner != "" {
		owner = fmt.Sprintf("-owner %s ", shellQuote(fmt.Sprintf("%.255s", owner)))
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs // the operator may run the command in another directory
	}
	return fmt.Errorf("%w: its volume is not mounted, it was lost, or this is the first start of its node number; "+
		"only for a first start run: idgen clock create %s%s", fs.ErrNotExist, owner, shellQuote(path))
}

// Clock returns f's clock. The File withholds the clock's IDs when necessary, and ends the clock
// when the File is closed or the file is lost.
func (f *File) Clock() *ids.Clock {
	f.mustBeOpen() // a nil clock would mean the default clock
	return f.clock
}

// Status returns the state of f, for gauges and health checks. It generates no ID and reads neither
// the disk nor the clock.
func (f *File) Status() Status {
	f.mustBeOpen()
	return *f.status.Load()
}

// Lost returns a channel that is closed when the file is lost. The clock ends 100 ms later, and
// NextContext then returns an error. A server must exit when the channel is closed. Otherwise, it
// would keep running and fail every request, because net/http recovers from panics in Next.
func (f *File) Lost() <-chan struct{} {
	f.mustBeOpen()
	return f.lost
}

// mustBeOpen panics if f does not come from Open.
func (f *File) mustBeOpen() {
	if f.view == nil {
		panic("clockfile: zero File: use Open")
	}
}

// Close ends the clock, saves the time at which ID generation ends and unlocks the file. Calling
// Close is optional. Without this call, the next process starts after the horizon, as after a
// crash, and its IDs are up to Window ahead of the wall clock.
//
// ID generation ends 100 ms after the call to Close. Calls that would generate a later ID wait
// until the clock ends, 100 ms after Close returns. From then on, NextContext and TryNext return an
// error that matches [ids.ErrEnded] and [fs.ErrClosed], and other calls panic with such an error.
// So call Close at the end of main. A program built with -race takes a second to exit. In such a
// program, stop the goroutines first, or set GORACE=atexit_sleep_ms=0.
//
// Close waits up to 5 s in total for saves and for Report to return. If they take longer, Close
// returns an error that matches [os.ErrDeadlineExceeded], or [ErrLost] if the file was lost. The
// file then stays locked until the saves and Report have returned or the process ends. Even after
// an error, the time in the file keeps IDs unique. Later and concurrent calls return the same
// error.
func (f *File) Close() error {
	f.mustBeOpen()
	f.closing.Do(func() { close(f.stop) })
	<-f.done
	return f.result
}
