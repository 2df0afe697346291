package clockfile_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/clockfile"
)

const (
	path   = "/disk/clock"
	sector = 512
	block  = 4096
)

var errFault = errors.New("injected fault")

// A memory is a disk: what processes see of it, and all that a power failure may leave.
type memory struct {
	mu          sync.Mutex
	names, kept map[string]*inode
	locked      map[*inode]*process
	syncs       int
	issuedTo    time.Time // the latest id
	taken       bool      // the file, so that it covers nothing
	wrong       []string  // what no process may do, and no power failure may leave
	afterOp     func()    // is called after each operation, with the mutex held
}

// An inode is a file, whatever its names. A sector is what processes see, and in doubt if a power
// failure may leave something else: what was there before, or a sync that failed has not kept. A
// sector that is not dirty is not written any more.
type inode struct {
	size  int64
	seen  map[int64]string
	doubt map[int64][]string // the first is the oldest
	dirty map[int64]bool
	bad   map[int64]bool // copies, by their offset, that cannot be read until they are written
	known bool           // what worst returns
	at    time.Time
	err   error
}

var empty = strings.Repeat("\x00", sector)

func (i *inode) sector(s int64) string {
	if data, ok := i.seen[s]; ok {
		return data
	}
	return empty
}

// write writes whole sectors.
func (i *inode) write(b []byte, at int64) {
	i.size, i.known = max(i.size, at+int64(len(b))), false
	delete(i.bad, at)
	for s := at / sector; len(b) > 0; s, b = s+1, b[sector:] {
		old, fresh := i.sector(s), string(b[:sector])
		if old == fresh && i.doubt[s] == nil {
			continue
		}
		if i.doubt[s] == nil {
			i.doubt[s] = []string{old}
		}
		if !slices.Contains(i.doubt[s], fresh) {
			i.doubt[s] = append(i.doubt[s], fresh)
		}
		if len(i.doubt[s]) > 4 { // of many that failed, these stand for all
			i.doubt[s] = slices.Delete(i.doubt[s], 1, 2)
		}
		i.seen[s], i.dirty[s] = fresh, true
	}
}

// sync keeps what is dirty. If it fails, nobody knows what is kept; processes see what was there
// before, or what was written.
func (i *inode) sync(works, reverts bool) {
	for s := range i.dirty {
		if works {
			delete(i.doubt, s)
		} else if reverts {
			i.seen[s] = i.doubt[s][0]
		}
	}
	clear(i.dirty)
	i.known = false
}

func (i *inode) ReadAt(b []byte, at int64) (n int, err error) {
	if i.bad[at] {
		return 0, errFault
	}
	for n < len(b) && at+int64(n) < i.size {
		from := at + int64(n)
		n += copy(b[n:], i.sector(from / sector)[from%sector:])
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

// images returns all that a power failure may leave of a file.
func (i *inode) images() []*inode {
	sure := i.clone()
	sure.doubt, sure.dirty = map[int64][]string{}, map[int64]bool{}
	images := []*inode{sure}
	for _, s := range slices.Sorted(maps.Keys(i.doubt)) {
		var more []*inode
		for _, image := range images {
			for _, data := range i.doubt[s] {
				other := image.clone()
				other.seen[s] = data
				more = append(more, other)
			}
		}
		images = more
	}
	return images
}

// clone returns what a kill leaves of a file.
func (i *inode) clone() *inode {
	doubt := maps.Clone(i.doubt)
	for s, all := range doubt {
		doubt[s] = slices.Clone(all)
	}
	return &inode{size: i.size, seen: maps.Clone(i.seen), doubt: doubt, dirty: maps.Clone(i.dirty), bad: maps.Clone(i.bad)}
}

// worst returns the earliest horizon that a power failure may leave, or why it leaves none.
func (i *inode) worst() (time.Time, error) {
	if i.known {
		return i.at, i.err
	}
	i.known, i.err = true, nil
	for n, image := range i.images() {
		at, _, err := clockfile.Read(image, image.size)
		if err != nil {
			i.err = fmt.Errorf("a power failure leaves a file that %w", err)
		}
		if n == 0 || at.Before(i.at) {
			i.at = at
		}
	}
	return i.at, i.err
}

func newMemory() *memory {
	return &memory{names: map[string]*inode{}, kept: map[string]*inode{}, locked: map[*inode]*process{}}
}

func newInode() *inode {
	return &inode{seen: map[int64]string{}, doubt: map[int64][]string{}, dirty: map[int64]bool{}, bad: map[int64]bool{}}
}

// put makes the disk hold a file with the given horizon under a name, in place of another one.
func (m *memory) put(t *testing.T, name string, horizon time.Time) {
	i := newInode()
	data := []byte(mustEncode(t, horizon, ""))
	i.write(data, 0)
	i.write(data, clockfile.Second)
	i.sync(true, false)
	m.names[name], m.kept[name] = i, i
}

// replace puts i at the name of the file, which then covers nothing.
func (m *memory) replace(i *inode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names[path], m.taken = i, true
}

// horizon returns what the file holds.
func (m *memory) horizon(t *testing.T) time.Time {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	at, _, err := clockfile.Read(m.names[path], m.names[path].size)
	must(t, err)
	return at
}

// counts returns how many operations the process has begun, and how often files were synced.
func (p *process) counts() (ops, syncs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ops, p.syncs
}

// failAt has this happen to the operation at so many from now; what hangs does so until release is
// closed.
func (p *process) failAt(at int, o outcome, release chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at += p.ops
	p.release = release
	p.plan = func(op int) outcome {
		if op == at {
			return o
		}
		return works
	}
}

// covers returns an error unless a process that starts now, after a kill or any power failure,
// finds a horizon that is not before any id. The mutex is held.
func (m *memory) covers() error {
	i := m.names[path]
	if m.taken || i == nil && m.issuedTo.IsZero() {
		return nil
	}
	if i == nil || m.kept[path] != i && !m.issuedTo.IsZero() {
		return errors.New("a power failure leaves no file")
	}
	horizon, err := i.worst()
	if err == nil && m.issuedTo.After(horizon) {
		err = fmt.Errorf("an id is %v after the horizon that a power failure leaves", m.issuedTo.Sub(horizon))
	}
	return err
}

// What happens to an operation.
type outcome int

const (
	works      outcome = iota
	fails              // it has no effect, or part of it
	failsAfter         // it has its effect, and returns an error all the same; of a sync, nobody knows which
	hangs              // it works, but not before the process's release
)

// has reports whether the operation has its effect.
func (o outcome) has() bool { return o == works || o == failsAfter }

// A process is the disk as one process has it.
type process struct {
	*memory
	plan func(op int) outcome // nil: all works
	slow time.Duration        // each operation takes so long

	onLook   func() error // is called before each look, which fails with its error
	onAnswer func()       // is called when each look has looked, before it returns

	release chan struct{} // is closed when operations hang no more

	ops  int
	hit  bool // an operation that changes something did not work
	seen bool // a read did not
}

// do is one operation, which changes something or only looks. Its effect is called with what
// happens to it.
func (p *process) do(changes bool, effect func(o outcome)) error {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	happens := works
	if p.plan != nil {
		happens = p.plan(p.ops)
	}
	p.ops++
	if happens == hangs {
		p.mu.Unlock()
		<-p.release
		p.mu.Lock()
		happens = works
	}
	effect(happens)
	if err := p.covers(); err != nil && len(p.wrong) == 0 {
		p.wrong = append(p.wrong, fmt.Sprintf("after operation %d, outcome %d: %v", p.ops-1, happens, err))
	}
	if p.afterOp != nil {
		p.afterOp()
	}
	if happens == works {
		return nil
	}
	p.hit, p.seen = p.hit || changes, p.seen || !changes
	return errFault
}

// Open leaves no lock if it fails.
func (p *process) Open(name string) (clockfile.LockedFile, error) {
	f := &memoryFile{process: p, name: name}
	var taken bool
	err := p.do(true, func(o outcome) {
		f.inode = p.names[name]
		if taken = p.locked[f.inode] != nil; f.inode != nil && o == works && !taken {
			p.locked[f.inode] = p
			p.kept = maps.Clone(p.names)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case f.inode == nil:
		return nil, fs.ErrNotExist
	case taken:
		return nil, clockfile.ErrLocked
	}
	return f, nil
}

func (p *process) Make(name string) (clockfile.LockedFile, func(bool) error, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &memoryFile{process: p, inode: newInode()}
	p.locked[f.inode] = p
	return f, func(whole bool) error {
		return p.do(true, func(o outcome) {
			delete(p.locked, f.inode)
			if whole && o.has() {
				p.names[name], p.kept[name] = f.inode, f.inode
			}
		})
	}, nil
}

// A memoryFile is a file that a process has open.
type memoryFile struct {
	*process
	name  string // empty for one that is being made
	inode *inode
}

// Close unlocks, also if it fails.
func (f *memoryFile) Close() error {
	return f.do(true, func(outcome) {
		if f.locked[f.inode] == f.process {
			delete(f.locked, f.inode)
		}
	})
}

// Check is planned by onLook and onAnswer.
func (f *memoryFile) Check() (size int64, err error) {
	time.Sleep(f.slow)
	f.mu.Lock()
	onLook, onAnswer := f.onLook, f.onAnswer
	f.mu.Unlock()
	if onLook != nil {
		if err := onLook(); err != nil {
			return 0, err
		}
	}
	f.mu.Lock()
	size = f.inode.size
	if f.name != "" && f.names[f.name] != f.inode {
		err = clockfile.ErrLost
	}
	f.mu.Unlock()
	if onAnswer != nil {
		onAnswer()
	}
	return size, err
}

// owns notes an operation that a process without the lock may not do.
func (f *memoryFile) owns(op string) {
	if f.locked[f.inode] != f.process {
		f.wrong = append(f.wrong, op+" without the lock")
	}
}

func (f *memoryFile) ReadAt(b []byte, at int64) (n int, err error) {
	failed := f.do(false, func(outcome) {
		f.owns("read")
		n, err = f.inode.ReadAt(b, at)
	})
	return n, cmp.Or(failed, err)
}

// WriteAt writes the first sector if it fails.
func (f *memoryFile) WriteAt(b []byte, at int64) (n int, err error) {
	err = f.do(true, func(o outcome) {
		f.owns("write")
		if n = len(b); !o.has() {
			n = sector
		}
		f.inode.write(b[:n], at)
	})
	return n, err
}

func (f *memoryFile) Sync() error {
	return f.do(true, func(o outcome) {
		f.owns("sync")
		f.syncs++
		f.inode.sync(o == works, o == fails)
	})
}
