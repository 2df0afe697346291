package clockfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// newPath returns a path in a new directory. It skips a test on systems where Open refuses.
func newPath(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := clockfile.Open(filepath.Join(dir, "probe"), &clockfile.Options{Init: true})
	switch runtime.GOOS {
	case "js", "plan9", "wasip1":
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("without locks: %v", err)
		}
		t.Skip("no file opens here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, f)
	return filepath.Join(dir, "clock")
}

func mustOpen(t *testing.T, path string, opts *clockfile.Options) *clockfile.File {
	t.Helper()
	f, err := clockfile.Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustClose(t *testing.T, f *clockfile.File) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// refused checks that Open refuses, with an error that matches want, if that is not nil, and has
// the path and the words in it.
func refused(t *testing.T, path string, opts *clockfile.Options, want error, words ...string) {
	t.Helper()
	f, err := clockfile.Open(path, opts)
	if f != nil || err == nil || want != nil && !errors.Is(err, want) {
		t.Errorf("Open: %v, want %v", err, want)
		return
	}
	for _, w := range append(words, "clockfile: ", path) {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error is %q, without %q", err, w)
		}
	}
	if len(err.Error()) > 400+2*len(path) {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("symbolic links need a privilege here: ", err)
		}
		t.Fatal(err)
	}
}

func TestFirstStartIsExplicit(t *testing.T) {
	path := newPath(t)
	refused(t, path, nil, fs.ErrNotExist, "set Options.Init")
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true}))
	refused(t, path, &clockfile.Options{Init: true}, fs.ErrExist, "not the first start")
	mustClose(t, mustOpen(t, path, nil))
}

func TestOneFileAtATime(t *testing.T) {
	path := newPath(t)
	first := mustOpen(t, path, &clockfile.Options{Init: true})
	for range 3 {
		refused(t, path, nil, clockfile.ErrLocked)
		refused(t, path, &clockfile.Options{Init: true}, clockfile.ErrLocked)
	}
	mustClose(t, first)
	second := mustOpen(t, path, nil)
	first.Close() // again, which must not unlock it for the second
	refused(t, path, nil, clockfile.ErrLocked)
	mustClose(t, second)
	mustClose(t, mustOpen(t, path, nil))
}

func TestOwner(t *testing.T) {
	path := newPath(t)
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true}))
	mustClose(t, mustOpen(t, path, &clockfile.Options{Owner: "node 7"})) // takes a file without one
	mustClose(t, mustOpen(t, path, nil))                                 // keeps it
	refused(t, path, &clockfile.Options{Owner: "node 8"}, clockfile.ErrOwner, `"node 7", not "node 8"`)
	mustClose(t, mustOpen(t, path, &clockfile.Options{Owner: "node 7"}))
	longest := strings.Repeat("\xff", clockfile.MaxOwner)
	refused(t, path, &clockfile.Options{Owner: longest + "x"}, nil, "Options.Owner has 256 bytes, more than 255")
	refused(t, path, &clockfile.Options{Owner: strings.Repeat("x", 1<<20)}, nil, "Options.Owner has 1048576 bytes")
	mustClose(t, mustOpen(t, path+"2", &clockfile.Options{Init: true, Owner: longest}))
	mustClose(t, mustOpen(t, path+"2", &clockfile.Options{Owner: longest}))
}

func TestAheadRefused(t *testing.T) {
	path := newPath(t)
	for _, ahead := range []time.Duration{-1, -1 << 63, 1, 100*time.Millisecond - 1} {
		opts := &clockfile.Options{Init: true, Ahead: ahead}
		refused(t, path, opts, nil, "Options.Ahead is "+ahead.String(), "less than 100ms")
	}
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true, Ahead: 100 * time.Millisecond}))
	for range 2 { // with a horizon that is centuries ahead
		mustClose(t, mustOpen(t, path, &clockfile.Options{Ahead: 1<<63 - 1}))
	}
}

// TestCorruptFiles checks that every file that holds no usable horizon is refused, and left as it is.
func TestCorruptFiles(t *testing.T) {
	path := newPath(t)
	for data, says := range corrupt(t) {
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, path, nil, clockfile.ErrCorrupt, path+": holds no usable horizon: the file ", says)
		refused(t, path, &clockfile.Options{Init: true}, fs.ErrExist)
		if left, err := os.ReadFile(path); err != nil || string(left) != data {
			t.Errorf("%.100q: the file is now %.100q, %v", data, left, err)
		}
	}
}

// TestPathsRefused checks every path that no file can be at, declared a first start and not.
func TestPathsRefused(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	for _, init := range []bool{false, true} {
		opts := &clockfile.Options{Init: init}
		if f, err := clockfile.Open("", opts); f != nil || err == nil || !strings.Contains(err.Error(), "the path is empty") {
			t.Errorf("an empty path: %v", err)
		}
		refused(t, dir, opts, nil, "is a directory")
		refused(t, filepath.Join(dir, "no", "clock"), opts, fs.ErrNotExist, "its directory")
		refused(t, filepath.Join(dir, "nul\x00"), opts, nil)
		refused(t, filepath.Join(dir, strings.Repeat("x", 300)), opts, nil)
		if runtime.GOOS != "windows" { // which has no such file
			refused(t, os.DevNull, opts, nil, "is not a regular file")
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 { // the file of newPath and its lock
		t.Errorf("the directory now has %v, %v", left, err)
	}
	// A file is where a directory would have to be.
	refused(t, filepath.Join(dir, "probe", "clock"), &clockfile.Options{Init: true}, nil)

	// A directory is where the lock would have to be.
	if err := os.Mkdir(path+".lock", 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, path, &clockfile.Options{Init: true}, nil, "open "+path+".lock")
}

// TestModes checks that the files can be read by all and written by their owner, as far as the umask lets
// them. Only the owner's right to write counts.
func TestModes(t *testing.T) {
	path := newPath(t)
	f := mustOpen(t, path, &clockfile.Options{Init: true})
	for _, name := range []string{path, path + ".lock"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode|0o644 != 0o644 || mode&0o600 != 0o600 {
			t.Errorf("%s has the mode %v", name, mode)
		}
	}
	mustClose(t, f)
	for _, mode := range []fs.FileMode{0o444, 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		refused(t, path, nil, fs.ErrPermission, "is read-only")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, path, nil))
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := filepath.Dir(newPath(t))
	switch {
	case os.Geteuid() != 0 && runtime.GOOS != "windows":
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o755)
	case runtime.GOOS == "linux":
		dir = "/sys" // where not even root can make a file
	default:
		t.Skip("there is no directory here that this user cannot write to")
	}
	refused(t, filepath.Join(dir, "clock"), &clockfile.Options{Init: true}, nil, "clock.lock")
}

// TestSymbolicLink checks that a link to the file serves as well as its path: the link stays, and the
// file that it leads to is locked and replaced.
func TestSymbolicLink(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	link, links := filepath.Join(dir, "link"), filepath.Join(dir, "links", "link")
	if err := os.Mkdir(filepath.Dir(links), 0o755); err != nil {
		t.Fatal(err)
	}
	symlink(t, "clock", link)
	symlink(t, filepath.Join("..", "link"), links)
	for _, init := range []bool{false, true} {
		refused(t, link, &clockfile.Options{Init: init}, fs.ErrNotExist, "leads nowhere")
	}
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true}))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := mustOpen(t, links, nil)
	for _, p := range []string{path, link, links} {
		refused(t, p, nil, clockfile.ErrLocked)
	}
	mustNode(t, f.Clock()).Next()
	mustClose(t, f)
	if after, err := os.ReadFile(path); err != nil || string(after) == string(before) {
		t.Errorf("the file that the link leads to is still %q, %v", after, err)
	}
	for _, l := range []string{link, links} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is now %v, %v", info, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "links", "*")); len(left) != 1 {
		t.Errorf("beside the link there is %v", left)
	}
	loop := filepath.Join(dir, "loop")
	symlink(t, "loop", loop)
	if f, err := clockfile.Open(loop, nil); f != nil || err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link that leads to itself: %v", err)
	}
}

// TestDirectoryThatIsGone opens a relative path in a directory that was removed.
func TestDirectoryThatIsGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not every system removes a directory in use, or finds out")
	}
	dir := filepath.Join(filepath.Dir(newPath(t)), "gone")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	refused(t, "clock", &clockfile.Options{Init: true}, fs.ErrNotExist, "getwd")
}

// TestNothingStaysOpen opens files, and is refused, and then has no more of them open than before.
func TestNothingStaysOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the open files of a process in a directory")
	}
	path := newPath(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close them
	count := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(open)
	}
	before := count()
	for i := range 20 {
		f := mustOpen(t, path, &clockfile.Options{Init: i == 0})
		refused(t, path, nil, clockfile.ErrLocked)
		mustClose(t, f)
		refused(t, path, &clockfile.Options{Init: true}, fs.ErrExist)
	}
	if after := count(); after > before+3 { // other tests' files may come and go
		t.Errorf("%d files are open, and %d were before", after, before)
	}
}

// TestRelativePath checks that a file stays where it is when the process changes its directory.
func TestRelativePath(t *testing.T) {
	path := newPath(t)
	t.Chdir(filepath.Dir(path))
	f := mustOpen(t, "clock", &clockfile.Options{Init: true})
	elsewhere := t.TempDir()
	t.Chdir(elsewhere)
	mustClose(t, f)
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("the other directory has %v, %v", left, err)
	}
	mustClose(t, mustOpen(t, path, nil))
}

// TestFirstSaveFails has the first save fail: then there is no File, and no lock is left.
func TestFirstSaveFails(t *testing.T) {
	path := newPath(t)
	if err := os.MkdirAll(filepath.Join(path+".new", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, path, &clockfile.Options{Init: true}, nil, path+".new")
	if err := os.RemoveAll(path + ".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte("left by a crash"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, path, &clockfile.Options{Init: true}))
	if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the other name is still there: %v", err)
	}
}

// TestUnreadableFile has a disk that cannot read the file: nobody can say whether there is one.
func TestUnreadableFile(t *testing.T) {
	for _, first := range []bool{true, false} {
		p := &process{memory: newMemory()}
		if err := p.put(march); err != nil {
			t.Fatal(err)
		}
		p.plan = func(op int) outcome {
			if op == 2 { // after Resolve and Lock
				return fails
			}
			return works
		}
		_, err := clockfile.OpenOn(p, path, &clockfile.Options{Init: first})
		if !errors.Is(err, errFault) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("with Init %v: %v", first, err)
		}
		if p.locked[path+".lock"] {
			t.Errorf("with Init %v, the file stays locked", first)
		}
	}
}

// TestFullDisk has the disk be full at the start, and later while ids are issued, until it is not.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a device that is always full")
	}
	path := newPath(t)
	symlink(t, "/dev/full", path+".new")
	refused(t, path, &clockfile.Options{Init: true}, nil, "no space left on device")
	if err := os.Remove(path + ".new"); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWallClock()
		reports := make(chan error, 10)
		f := mustOpen(t, path, &clockfile.Options{Init: true, Clock: &ids.ClockOptions{Now: w.now},
			Report: func(err error) { reports <- err }})
		defer mustClose(t, f)
		n := mustNode(t, f.Clock())
		symlink(t, "/dev/full", path+".new")
		time.Sleep(time.Minute)
		if s, err := n.TryNext(); !errors.Is(err, ids.ErrSuspended) {
			t.Errorf("on a full disk: %d, %v", s, err)
		}
		if err := os.Remove(path + ".new"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
		if _, err := n.TryNext(); err != nil {
			t.Errorf("on a disk that has room again: %v", err)
		}
		synctest.Wait()
		if len(reports) != 2 {
			t.Fatalf("%d reports, want 2", len(reports))
		}
		full, healed := <-reports, <-reports
		if full == nil || !strings.Contains(full.Error(), "no space left on device") || healed != nil {
			t.Errorf("the reports are %v and %v", full, healed)
		}
	})
}

// TestDirectoryIsSynced checks that the real disk syncs the directory, which nothing but a power
// failure would show otherwise: Linux refuses to sync a directory that is on no disk.
func TestDirectoryIsSynced(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a directory that cannot be synced")
	}
	if err := clockfile.System.SyncName("/proc/version"); err == nil {
		t.Error("/proc was synced")
	}
	if err := clockfile.System.SyncName(filepath.Join(t.TempDir(), "no", "clock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// TestHorizonPastTheCalendar has a wall clock show a year that the file has no form for.
func TestHorizonPastTheCalendar(t *testing.T) {
	path := newPath(t)
	late := func() time.Time { return march.AddDate(9000, 0, 0) }
	opts := &clockfile.Options{Init: true, Clock: &ids.ClockOptions{Now: late}}
	refused(t, path, opts, nil, "the horizon cannot be written")
	refused(t, path, nil, fs.ErrNotExist)
}

// TestZeroFile uses a File that Open has not made.
func TestZeroFile(t *testing.T) {
	f := new(clockfile.File)
	if c := f.Clock(); c != nil {
		t.Errorf("it has the clock %v", c)
	}
	defer func() {
		if recover() == nil {
			t.Error("Close does not panic")
		}
	}()
	f.Close()
}
