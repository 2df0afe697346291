package clockfile_test

// A disk in memory that can produce all states that a crash can leave.

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

// A memory is a disk in memory. It contains the state that processes see, and all states that a
// power failure can leave.
type memory struct {
	mu          sync.Mutex
	names, kept map[string]*inode
	locked      map[*inode]*process
	syncs       int
	issuedTo    time.Time // the latest ID's time
	taken       bool      // the file was replaced, so its horizon covers no IDs
	// wrong contains the faults that were found: forbidden operations, and states that a power
	// failure must not leave.
	wrong   []string
	afterOp func() // called after each operation, with the mutex held
}

// An inode is a file, independent of its names. Processes see its sectors. A sector is in doubt if
// a power failure can leave different contents, such as the contents before the write, or contents
// that a failed sync has not made durable. A sector that is not dirty will not be written to the
// disk any more.
type inode struct {
	size  int64
	seen  map[int64]string
	doubt map[int64][]string // possible contents of each sector in doubt, oldest first
	dirty map[int64]bool
	bad   map[int64]bool // offsets of the copies that cannot be read until they are rewritten
	known bool           // at and err contain the results of worst
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
		if len(i.doubt[s]) > 4 { // after many failed writes, a few represent all of them
			i.doubt[s] = slices.Delete(i.doubt[s], 1, 2)
		}
		i.seen[s], i.dirty[s] = fresh, true
	}
}

// sync makes dirty sectors durable. If it fails, it is unknown which sectors are durable. Processes
// then see the contents before the write if reverts is true, and the written contents otherwise.
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

// images returns all states of a file that a power failure can leave.
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

// clone returns the state of a file after a kill.
func (i *inode) clone() *inode {
	doubt := maps.Clone(i.doubt)
	for s, all := range doubt {
		doubt[s] = slices.Clone(all)
	}
	return &inode{size: i.size, seen: maps.Clone(i.seen), doubt: doubt, dirty: maps.Clone(i.dirty), bad: maps.Clone(i.bad)}
}

// worst returns the earliest horizon that a power failure can leave, or an error if it can leave a
// file without an intact copy.
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

// put puts a file with the given horizon at a name, replacing another file.
func (m *memory) put(t *testing.T, name string, horizon time.Time) {
	i := newInode()
	data := []byte(mustEncode(t, horizon, ""))
	i.write(data, 0)
	i.write(data, clockfile.Second)
	i.sync(true, false)
	m.names[name], m.kept[name] = i, i
}

// replace puts i at the file's name. The file's horizon then covers no IDs.
func (m *memory) replace(i *inode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.names[path], m.taken = i, true
}

// horizon returns the file's horizon.
func (m *memory) horizon(t *testing.T) time.Time {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	at, _, err := clockfile.Read(m.names[path], m.names[path].size)
	must(t, err)
	return at
}

// counts returns the number of operations that the process has begun, and the number of syncs.
func (p *process) counts() (ops, syncs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ops, p.syncs
}

// failAt sets the outcome of the operation that follows the next at operations. If the outcome is
// hangs, the operation hangs until release is closed.
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
// finds a horizon that is not before any ID. The mutex is held.
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

// An outcome is the effect and the result of an operation.
type outcome int

const (
	works      outcome = iota
	fails              // has no effect, or a part of it
	failsAfter         // has its effect but returns an error; for a sync, the effect is unknown
	hangs              // works, but only after release is closed
)

// has reports whether an operation with outcome o has its effect.
func (o outcome) has() bool { return o == works || o == failsAfter }

// A process is the disk as seen by one process.
type process struct {
	*memory
	plan func(op int) outcome // if nil, all operations work
	slow time.Duration        // duration of each operation

	onCheck func() error // called before each check, which fails with its error, if any
	// onAnswer is called after each check has looked up the name, before the check returns.
	onAnswer func()

	release chan struct{} // closed when operations stop hanging

	ops  int
	hit  bool // an operation that changes something did not work
	seen bool // a read did not work
}

// do performs one operation. changes reports whether the operation can change the disk. do calls
// effect with the operation's outcome.
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
	name  string // empty for a file that is being created
	inode *inode
}

// Close unlocks, even if it fails.
func (f *memoryFile) Close() error {
	return f.do(true, func(outcome) {
		if f.locked[f.inode] == f.process {
			delete(f.locked, f.inode)
		}
	})
}

// Check calls onCheck and onAnswer, which can delay it. onCheck can also make it fail.
func (f *memoryFile) Check() (size int64, err error) {
	time.Sleep(f.slow)
	f.mu.Lock()
	onCheck, onAnswer := f.onCheck, f.onAnswer
	f.mu.Unlock()
	if onCheck != nil {
		if err := onCheck(); err != nil {
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

// owns records an operation that needs the lock if the process does not have it.
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

// WriteAt writes only the first sector if it fails.
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
