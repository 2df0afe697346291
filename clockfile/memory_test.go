package clockfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/oneclock/ids/clockfile"
)

const path = "/disk/clock"

var (
	errFault = errors.New("injected fault")
	errDead  = errors.New("the process has ended")
)

// A memory is a disk with two states: what processes see, and what a power failure leaves of it.
type memory struct {
	mu          sync.Mutex
	names, kept map[string]*inode
	locked      map[string]*process
	saves       int
	wrong       []string // what no process may do
	latest      reading
}

// A reading is what a file was found to hold.
type reading struct {
	data    []byte
	horizon time.Time
	err     error
}

// An inode is a file, whatever its names.
type inode struct{ data, kept []byte }

func newMemory() *memory {
	return &memory{names: map[string]*inode{}, kept: map[string]*inode{}, locked: map[string]*process{}}
}

// put makes the disk hold a file with the given horizon.
func (m *memory) put(horizon time.Time) error {
	data, err := clockfile.Encode(horizon, "")
	m.names[path] = &inode{data, data}
	m.kept[path] = m.names[path]
	return err
}

// horizon returns what the file holds.
func (m *memory) horizon() (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.names[path]
	if !ok {
		return time.Time{}, fs.ErrNotExist
	}
	at, _, _, err := clockfile.Decode(i.data)
	return at, err
}

// countSaves returns how many files were renamed.
func (m *memory) countSaves() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.saves
}

// countOps returns how many operations the process has begun.
func (p *process) countOps() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ops
}

// covers returns an error unless a process that starts now, after a kill or a power failure,
// finds a horizon that is not before at. The mutex is held.
func (m *memory) covers(at time.Time) error {
	for when, i := range map[string]*inode{"a kill": m.names[path], "a power failure": m.kept[path]} {
		if i == nil {
			return fmt.Errorf("%s leaves no file", when)
		}
		if !bytes.Equal(i.data, i.kept) {
			return errors.New("a power failure tears the file")
		}
		if r := &m.latest; r.data == nil || !bytes.Equal(r.data, i.kept) {
			r.data = i.kept
			r.horizon, _, _, r.err = clockfile.Decode(i.kept)
		}
		if m.latest.err != nil {
			return fmt.Errorf("%s leaves %w", when, m.latest.err)
		}
		if horizon := m.latest.horizon; at.After(horizon) {
			return fmt.Errorf("an id is %v after the horizon that %s leaves", at.Sub(horizon), when)
		}
	}
	return nil
}

// cutPower drops what was not synced, or with rnd some of it: names one by one, and files to any
// length. The mutex is held.
func (m *memory) cutPower(rnd *rand.Rand) {
	drop := func() bool { return rnd == nil || rnd.IntN(2) == 0 }
	left := map[string]*inode{}
	for _, name := range []string{path, path + ".new", path + ".lock"} {
		i := m.names[name]
		if drop() {
			i = m.kept[name]
		}
		if i == nil {
			continue
		}
		switch {
		case bytes.Equal(i.data, i.kept):
		case drop():
			i.data = i.kept
		default:
			i.data = i.data[:rnd.IntN(len(i.data)+1)]
		}
		i.kept = i.data
		left[name] = i
	}
	m.names, m.kept = left, maps.Clone(left)
}

// What happens to an operation.
type outcome int

const (
	works       outcome = iota
	fails               // it has no effect, or half of it
	failsAfter          // it has its effect, and returns an error all the same
	killed              // the process ends in it
	powerLost           // and with it what was not synced
	powerFlicks         // and with it some of what was not synced
	hangs               // it works, but not before the process's release
	hangsAfter          // it works, but does not return before that
)

// has reports whether the operation has its effect.
func (o outcome) has() bool { return o == works || o == failsAfter }

// A process is the disk as one process has it.
type process struct {
	*memory
	plan func(op int) outcome // nil: all works
	rnd  *rand.Rand
	slow time.Duration // each operation takes so long

	release chan struct{} // is closed when operations hang no more

	ops   int
	open  int  // new files
	hit   bool // an operation did not work
	dead  bool
	holds bool // the lock
}

// do is one operation. Its effect is called with what happens to it.
func (p *process) do(effect func(o outcome)) error {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return errDead
	}
	happens := works
	if p.plan != nil {
		happens = p.plan(p.ops)
	}
	p.ops++
	switch happens {
	case hangs:
		p.mu.Unlock()
		<-p.release
		p.mu.Lock()
		happens = works
	case hangsAfter:
		happens = works
		defer func() { // before the mutex is released for good
			p.mu.Unlock()
			<-p.release
			p.mu.Lock()
		}()
	}
	effect(happens)
	if happens == works {
		return nil
	}
	p.hit = true
	if happens == fails || happens == failsAfter {
		return errFault
	}
	p.dead = true
	switch happens {
	case powerLost:
		p.cutPower(nil)
	case powerFlicks:
		p.cutPower(p.rnd)
	}
	clear(p.locked)
	return errDead
}

// locks notes an operation that a process without the lock may not do.
func (p *process) locks(op string) {
	if !p.holds {
		p.wrong = append(p.wrong, op+" without the lock")
	}
}

func (p *process) Resolve(path string) (clockfile.Found, error) {
	var there bool
	err := p.do(func(outcome) { there = p.names[path] != nil })
	return clockfile.Place(path, there), err
}

// Lock leaves no lock if it fails.
func (p *process) Lock(path string) (clockfile.FileLock, error) {
	var taken bool
	err := p.do(func(o outcome) {
		if taken = p.locked[path] != nil; o == works && !taken {
			p.locked[path], p.holds = p, true
		}
	})
	if err == nil && taken {
		err = clockfile.ErrLocked
	}
	return memoryLock{p, path}, err
}

// A memoryLock is the lock of a process.
type memoryLock struct {
	*process
	path string
}

// Close unlocks, if nobody has taken the lock away, also if it fails.
func (l memoryLock) Close() error {
	return l.do(func(outcome) {
		if l.locked[l.path] == l.process {
			delete(l.locked, l.path)
		}
		l.holds = false
	})
}

func (l memoryLock) Held() error {
	var lost bool
	err := l.do(func(outcome) { lost = l.locked[l.path] != l.process })
	if err == nil && lost {
		err = clockfile.ErrLost
	}
	return err
}

func (p *process) Read(path string) (data []byte, err error) {
	var i *inode
	err = p.do(func(outcome) {
		p.locks("read")
		if i = p.names[path]; i != nil {
			data = i.data
		}
	})
	if err == nil && i == nil {
		err = fs.ErrNotExist
	}
	return data, err
}

func (p *process) Create(path, _ string) (clockfile.NewFile, error) {
	f := &memoryFile{process: p}
	err := p.do(func(o outcome) {
		p.locks("create")
		delete(p.names, path)
		if o.has() {
			f.inode = new(inode)
			p.names[path] = f.inode
		}
		if o == works {
			p.open++
		}
	})
	return f, err
}

func (p *process) Rename(path, to string) error {
	return p.do(func(o outcome) {
		p.locks("rename")
		if o.has() {
			p.saves++
			p.names[to] = p.names[path]
			delete(p.names, path)
		}
	})
}

func (p *process) SyncName(string) error {
	return p.do(func(o outcome) {
		p.locks("sync")
		if o.has() {
			p.kept = maps.Clone(p.names)
		}
	})
}

// A memoryFile is a file that a process writes.
type memoryFile struct {
	*process
	inode *inode
}

func (f *memoryFile) Write(b []byte) (n int, err error) {
	err = f.do(func(o outcome) {
		if n = len(b); !o.has() {
			n /= 2
		}
		f.inode.data = append(slices.Clip(f.inode.data), b[:n]...)
	})
	return n, err
}

func (f *memoryFile) Sync() error {
	return f.do(func(o outcome) {
		if o.has() {
			f.inode.kept = f.inode.data
		}
	})
}

func (f *memoryFile) Close() error { return f.do(func(outcome) { f.open-- }) }
