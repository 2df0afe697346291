package clockfile_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net"
	"os"
	"os/exec"
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
	must(t, err)
	err = clockfile.Create(filepath.Join(dir, "probe"), "")
	switch runtime.GOOS {
	case "js", "plan9", "wasip1":
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("without locks: %v", err)
		}
		t.Skip("no file opens here: ", err)
	}
	must(t, err)
	return filepath.Join(dir, "clock")
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t *testing.T, path string, opts *clockfile.Options) *clockfile.File {
	t.Helper()
	f, err := clockfile.Open(path, opts)
	must(t, err)
	return f
}

// mustRead returns what a file holds.
func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// newFile returns the path of a new file.
func newFile(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	must(t, clockfile.Create(path, ""))
	must(t, mustOpen(t, path, nil).Close())
	return path
}

// refused checks that Open refuses, with an error that matches want, if that is not nil, and has
// the path and the words in it.
func refused(t *testing.T, path string, opts *clockfile.Options, want error, words ...string) {
	t.Helper()
	f, err := clockfile.Open(path, opts)
	if f != nil {
		t.Error("Open returns a File")
	}
	checkRefusal(t, path, err, want, words...)
}

// notCreated is refused for Create.
func notCreated(t *testing.T, path string, want error, words ...string) {
	t.Helper()
	checkRefusal(t, path, clockfile.Create(path, ""), want, words...)
}

func checkRefusal(t *testing.T, path string, err, want error, words ...string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
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
	dir := filepath.Dir(path)
	files := func() int {
		left, err := os.ReadDir(dir)
		must(t, err)
		return len(left)
	}
	before := files()
	refused(t, path, nil, fs.ErrNotExist, "clockfile.Create if this is the first start, and only then")
	if n := files(); n != before {
		t.Errorf("Open without a file has made %d", n-before)
	}
	must(t, clockfile.Create(path, ""))
	for range 2 {
		notCreated(t, path, fs.ErrExist, "not the first start")
	}
	f := mustOpen(t, path, nil)
	notCreated(t, path, fs.ErrExist)
	must(t, f.Close())
	notCreated(t, path, fs.ErrExist, "not the first start")
	must(t, os.Remove(path), os.Chmod(dir, 0o755))
	refused(t, path, nil, fs.ErrNotExist, "clockfile.Create")
}

// TestCreate has the file say in words that there is no horizon: a clock that is wrong at that moment binds nothing. Open
// takes it from there, and a second Create leaves it as it is.
func TestCreate(t *testing.T) {
	path := newPath(t)
	must(t, clockfile.Create(path, "orders, node 7"))
	if got := mustRead(t, path); !strings.Contains(got, "\nhorizon none\nowner \"orders, node 7\"\n") {
		t.Errorf("the file is %q", got)
	}
	refused(t, path, &clockfile.Options{Owner: "orders, node 8"}, clockfile.ErrOwner)
	early := func() time.Time { return march.AddDate(-10, 0, 0) }
	f := mustOpen(t, path, &clockfile.Options{Owner: "orders, node 7", ClockOptions: &ids.ClockOptions{Now: early}})
	if latest := f.Clock().Latest(); !latest.IsZero() {
		t.Errorf("ids begin after %v, though none was issued", latest)
	}
	if first, err := mustNode(t, f.Clock()).TryNext(); err != nil || timeOf(first).Year() != 2016 { // at once
		t.Errorf("the first id is of %v, %v", timeOf(first), err)
	}
	must(t, f.Close())
	held := mustRead(t, path)
	notCreated(t, path, fs.ErrExist)
	if got := mustRead(t, path); got != held {
		t.Errorf("a second Create leaves %q, want %q", got, held)
	}
	long := strings.Repeat("x", clockfile.MaxOwner+1)
	checkRefusal(t, path, clockfile.Create(path+"2", long), nil, "the owner has 256 bytes, more than 255")
	must(t, clockfile.Create(path+"2", long[1:]))
}

// TestCreateAtOnce has many make one file: one of them does, and the others are told that it is there or is being made.
func TestCreateAtOnce(t *testing.T) {
	path := newPath(t)
	made := make(chan bool, 20)
	for range cap(made) {
		go func() {
			err := clockfile.Create(path, "")
			if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, clockfile.ErrLocked) {
				t.Error(err)
			}
			made <- err == nil
		}()
	}
	n := 0
	for range cap(made) {
		if <-made {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the file was made %d times", n)
	}
	must(t, mustOpen(t, path, nil).Close())
}

func TestOneFileAtATime(t *testing.T) {
	path := newFile(t)
	first := mustOpen(t, path, nil)
	for range 3 {
		refused(t, path, nil, clockfile.ErrLocked)
	}
	must(t, first.Close())
	second := mustOpen(t, path, nil)
	first.Close() // again, which must not unlock it for the second
	refused(t, path, nil, clockfile.ErrLocked)
	must(t, second.Close())
	must(t, mustOpen(t, path, nil).Close())
}

func TestOwner(t *testing.T) {
	path := newFile(t)
	must(t, mustOpen(t, path, &clockfile.Options{Owner: "node 7"}).Close()) // takes a file without one
	must(t, mustOpen(t, path, nil).Close())                                 // keeps it
	refused(t, path, &clockfile.Options{Owner: "node 8"}, clockfile.ErrOwner, `"node 7", not "node 8"`)
	refused(t, path, &clockfile.Options{Owner: "Node 7"}, clockfile.ErrOwner, `"node 7", not "Node 7"`)
	must(t, mustOpen(t, path, &clockfile.Options{Owner: "node 7"}).Close())
	longest := strings.Repeat("\xff", clockfile.MaxOwner)
	refused(t, path, &clockfile.Options{Owner: longest + "x"}, nil, "Options.Owner has 256 bytes, more than 255")
	refused(t, path, &clockfile.Options{Owner: strings.Repeat("x", 1<<20)}, nil, "Options.Owner has 1048576 bytes")
	must(t, clockfile.Create(path+"2", longest))
	must(t, mustOpen(t, path+"2", &clockfile.Options{Owner: longest}).Close())
}

func TestWindow(t *testing.T) {
	path := newFile(t)
	for window, says := range map[time.Duration]string{
		-1: "less than 100ms", -1 << 63: "less than 100ms", 1: "less than 100ms", 100*time.Millisecond - 1: "less than 100ms",
		24*time.Hour + 1: "more than 24h0m0s", 1<<63 - 1: "more than 24h0m0s",
	} {
		refused(t, path, &clockfile.Options{Window: window}, nil, "Options.Window is "+window.String(), says)
	}
	must(t, mustOpen(t, path, &clockfile.Options{Window: 100 * time.Millisecond}).Close())
	must(t, mustOpen(t, path, &clockfile.Options{Window: 24 * time.Hour}).Close())
}

// TestCalendar checks that a file whose horizon is centuries ahead can be read, and that a clock which shows a year
// that the file has no form for leaves it as it is.
func TestCalendar(t *testing.T) {
	path := newPath(t)
	must(t, clockfile.Create(path, ""))
	before := mustRead(t, path)
	late := func() time.Time { return march.AddDate(9000, 0, 0) }
	refused(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: late}}, nil, "the horizon cannot be written", "year outside of range")
	if got := mustRead(t, path); got != before {
		t.Errorf("the file is now %q", got)
	}
	data, err := clockfile.Encode(march.AddDate(300, 0, 0), "")
	must(t, err, os.WriteFile(path, data, 0o644))
	f := mustOpen(t, path, nil)
	if after := f.Clock().Latest(); !after.Equal(march.AddDate(300, 0, 0)) {
		t.Errorf("ids begin after %v", after)
	}
	must(t, f.Close())
}

// TestCorruptFiles checks that every file that holds no usable horizon is refused, and left as it is.
func TestCorruptFiles(t *testing.T) {
	path := newPath(t)
	for data, says := range corrupt(t) {
		must(t, os.WriteFile(path, []byte(data), 0o644))
		refused(t, path, nil, clockfile.ErrCorrupt, path+": ", says)
		notCreated(t, path, fs.ErrExist)
		if left := mustRead(t, path); left != data {
			t.Errorf("%.100q: the file is now %.100q", data, left)
		}
	}
}

// TestZeroHorizon has a file hold the zero time, which as ClockOptions.After would mean that all ids may be issued. No
// file gets it: here the clock ends then.
func TestZeroHorizon(t *testing.T) {
	path := newPath(t)
	must(t, clockfile.Create(path, ""))
	now := func() time.Time { return time.Time{}.Add(-100 * time.Millisecond) }
	f := mustOpen(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: now}})
	held := mustRead(t, path)
	if err := f.Close(); err == nil || !strings.Contains(err.Error(), "the zero time") || mustRead(t, path) != held {
		t.Errorf("Close: %v, and the file has %q, before %q", err, mustRead(t, path), held)
	}
	data := []byte("github.com/oneclock/ids/clockfile 1\nhorizon 0001-01-01T00:00:00Z\nowner \"\"\n")
	must(t, os.WriteFile(path, fmt.Appendf(data, "crc32 %08x\n", crc32.ChecksumIEEE(data)), 0o644))
	refused(t, path, nil, clockfile.ErrCorrupt, "the zero time")
}

// TestPathsRefused checks every path that no file can be at.
func TestPathsRefused(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	open := func(path string) error {
		f, err := clockfile.Open(path, nil)
		if f != nil {
			t.Errorf("%q: Open returns a File", path)
		}
		return err
	}
	for name, call := range map[string]func(path string) error{
		"Open": open, "Create": func(path string) error { return clockfile.Create(path, "") },
	} {
		if err := call(""); err == nil || err.Error() != "clockfile: the path is empty" {
			t.Errorf("%s of an empty path: %v", name, err)
		}
		there := map[string]error{"Open": nil, "Create": fs.ErrExist}[name]
		checkRefusal(t, dir, call(dir), there, "is a directory")
		no := filepath.Join(dir, "no", "clock")
		checkRefusal(t, no, call(no), fs.ErrNotExist, "its directory")
		for _, bad := range []string{"nul\x00", strings.Repeat("x", 300)} {
			checkRefusal(t, filepath.Join(dir, bad), call(filepath.Join(dir, bad)), nil)
		}
		if runtime.GOOS != "windows" {
			socket := filepath.Join(dir, "socket")
			l, err := net.Listen("unix", socket)
			must(t, err)
			checkRefusal(t, socket, call(socket), there, "is not a regular file")
			if _, err := os.Lstat(socket + ".lock"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("beside a socket there is a lock: %v", err)
			}
			must(t, l.Close())
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 { // the file of newPath and its lock
		t.Errorf("the directory now has %v, %v", left, err)
	}
	// A file is where a directory would have to be.
	notCreated(t, filepath.Join(dir, "probe", "clock"), nil)

	// A directory is where the lock would have to be. What could not be done, systems word differently.
	must(t, os.Mkdir(path+".lock", 0o755))
	notCreated(t, path, nil, path+".lock")
}

// TestModes checks that a new file can be read by all, as far as the umask lets them, and its lock by its
// owner alone, since whoever can open that can hold it. Saves keep a mode that was set. Only the owner's
// right to write counts.
func TestModes(t *testing.T) {
	path := newFile(t)
	mode := func(name string) fs.FileMode {
		info, err := os.Stat(name)
		must(t, err)
		return info.Mode().Perm()
	}
	if got := mode(path); runtime.GOOS != "windows" && got|0o644 != 0o644 || got&0o600 != 0o600 {
		t.Errorf("the file has the mode %v", got)
	}
	if got := mode(path + ".lock"); runtime.GOOS != "windows" && got != 0o600 {
		t.Errorf("the lock has the mode %v", got)
	}
	for _, want := range []fs.FileMode{0o600, 0o640, 0o666, 0o777} {
		must(t, os.Chmod(path, want))
		must(t, mustOpen(t, path, nil).Close())
		if got := mode(path); runtime.GOOS != "windows" && got != want {
			t.Errorf("a file of mode %v has %v after it was saved", want, got)
		}
	}
	for _, mode := range []fs.FileMode{0o444, 0o555, 0o466, 0} {
		must(t, os.Chmod(path, mode))
		refused(t, path, nil, fs.ErrPermission, "is read-only, by its mode -")
		notCreated(t, path, fs.ErrExist)
	}
	must(t, os.Chmod(path, 0o644))
	must(t, mustOpen(t, path, nil).Close())
}

// TestUserOfFile checks that a file that root gives to somebody stays theirs.
func TestUserOfFile(t *testing.T) {
	path := newFile(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	must(t, os.Chmod(path, 0o660), os.Chown(path, 65534, 12345))
	must(t, mustOpen(t, path, nil).Close())
	info, err := os.Stat(path)
	must(t, err)
	if uid, gid, _ := clockfile.Attributes(info); uid != 65534 || gid != 12345 || info.Mode() != 0o660 {
		t.Errorf("after a save it belongs to user %d and group %d, with the mode %v", uid, gid, info.Mode())
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := filepath.Dir(newPath(t))
	switch {
	case os.Geteuid() != 0 && runtime.GOOS != "windows":
		must(t, os.Chmod(dir, 0o555))
		defer os.Chmod(dir, 0o755)
	case runtime.GOOS == "linux":
		dir = "/sys" // where not even root can make a file
	default:
		t.Skip("there is no directory here that this user cannot write to")
	}
	notCreated(t, filepath.Join(dir, "clock"), nil, "clock.lock")
}

// TestSymbolicLink checks that a link to the file serves as well as its path: the link stays, and the
// file that it leads to is locked and replaced.
func TestSymbolicLink(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	link, links, loop := filepath.Join(dir, "link"), filepath.Join(dir, "links", "link"), filepath.Join(dir, "loop")
	must(t, os.Mkdir(filepath.Dir(links), 0o755))
	symlink(t, "clock", link)
	symlink(t, filepath.Join("..", "link"), links)
	refused(t, link, nil, fs.ErrNotExist, "leads nowhere")
	notCreated(t, link, fs.ErrNotExist, "leads nowhere")
	must(t, clockfile.Create(path, ""))
	notCreated(t, links, fs.ErrExist)
	before := mustRead(t, path)
	f := mustOpen(t, links, nil)
	for _, p := range []string{path, link, links} {
		refused(t, p, nil, clockfile.ErrLocked)
	}
	mustNode(t, f.Clock()).Next()
	must(t, f.Close())
	if mustRead(t, path) == before {
		t.Errorf("the file that the link leads to is still %q", before)
	}
	for _, l := range []string{link, links} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is now %v, %v", info, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "links", "*")); len(left) != 1 {
		t.Errorf("beside the link there is %v", left)
	}
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
	must(t, os.Mkdir(dir, 0o755))
	t.Chdir(dir)
	must(t, os.Remove(dir))
	refused(t, "clock", nil, fs.ErrNotExist, "getwd")
	notCreated(t, "clock", fs.ErrNotExist, "getwd")
}

// TestNothingStaysOpen opens files, and is refused, and then has no more of them open than before.
func TestNothingStaysOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the open files of a process in a directory")
	}
	path := newFile(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close them
	before, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for range 20 {
		f := mustOpen(t, path, nil)
		refused(t, path, nil, clockfile.ErrLocked)
		must(t, f.Close())
		notCreated(t, path, fs.ErrExist)
	}
	after, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	if len(after) > len(before)+3 { // other tests' files may come and go
		t.Errorf("%d files are open, and %d were before", len(after), len(before))
	}
}

// TestRelativePath checks that a file stays where it is when the process changes its directory.
func TestRelativePath(t *testing.T) {
	path := newPath(t)
	t.Chdir(filepath.Dir(path))
	must(t, clockfile.Create("clock", ""))
	f := mustOpen(t, "clock", nil)
	elsewhere := t.TempDir()
	t.Chdir(elsewhere)
	must(t, f.Close())
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("the other directory has %v, %v", left, err)
	}
	must(t, mustOpen(t, path, nil).Close())
}

// TestFirstSaveFails has the first save fail: then there is no File, and no lock is left. What a crash has left is removed.
func TestFirstSaveFails(t *testing.T) {
	path := newPath(t)
	inTheWay := func() { must(t, os.MkdirAll(filepath.Join(path+".new", "in the way"), 0o755)) }
	left := func() {
		must(t, os.RemoveAll(path+".new"), os.WriteFile(path+".new", []byte("left by a crash"), 0o644))
	}
	inTheWay()
	notCreated(t, path, nil, path+".new")
	left()
	must(t, clockfile.Create(path, ""))
	inTheWay()
	refused(t, path, nil, nil, path+".new")
	left()
	must(t, mustOpen(t, path, nil).Close())
	if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the other name is still there: %v", err)
	}
}

// A watched is a bench on the system's disk.
type watched struct {
	bench
	path    string
	reports chan clockfile.Status
}

// watch calls f for a new file in a bubble.
func watch(t *testing.T, f func(w *watched)) {
	t.Helper()
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		w := &watched{bench{T: t, wall: newWallClock()}, path, make(chan clockfile.Status, 10)}
		must(t, clockfile.Create(path, ""))
		w.start(clockfile.System, path, clockfile.Options{Report: func(s clockfile.Status) { w.reports <- s }})
		defer w.file.Close()
		f(w)
	})
}

// pass lets time pass, until no save is under way.
func (w *watched) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// none lets a minute pass, in which a save fails and the horizon is reached, and checks what was reported, and that the
// refusal of an id and Status say the same.
func (w *watched) none(want, reason error, words string) {
	w.Helper()
	w.pass(time.Minute)
	if len(w.reports) != 1 {
		w.Fatalf("%s: %d reports, want 1", words, len(w.reports))
	}
	told := <-w.reports
	err := told.Err
	if err == nil || !strings.Contains(err.Error(), w.path+": ") || !strings.Contains(err.Error(), words) ||
		reason != nil && !errors.Is(err, reason) || reason == nil && errors.Is(err, clockfile.ErrLost) {
		w.Errorf("the report is %v, want %q", told, words)
	}
	if s, refusal := w.node.TryNext(); !errors.Is(refusal, want) || !errors.Is(refusal, err) || !strings.Contains(refusal.Error(), words) {
		w.Errorf("%s: %d, %v", words, s, refusal)
	}
	if now := w.file.Status(); now.Err.Error() != err.Error() || !now.Horizon.Equal(told.Horizon) || told.Horizon.After(w.wall.now()) {
		w.Errorf("%s: the status is %v, and %v was reported", words, now, told)
	}
	if lost := clockfile.IsClosed(w.file.Lost()); lost != errors.Is(err, clockfile.ErrLost) {
		w.Errorf("%s: Lost is closed: %v", words, lost)
	}
}

// TestInTheWay has a directory be where a save writes, until it is not: ids go on then.
func TestInTheWay(t *testing.T) {
	watch(t, func(w *watched) {
		must(w.T, os.MkdirAll(filepath.Join(w.path+".new", "full"), 0o755))
		w.none(ids.ErrWithheld, nil, "clock.new")
		must(w.T, os.RemoveAll(w.path+".new"))
		w.pass(200 * time.Millisecond)
		if _, err := w.node.TryNext(); err != nil {
			w.Error(err)
		}
		if len(w.reports) != 1 || (<-w.reports).Err != nil || w.file.Status().Err != nil {
			w.Error("it is not reported that ids go on")
		}
		// What is worse than a failing disk is reported too.
		must(w.T, os.MkdirAll(filepath.Join(w.path+".new", "full"), 0o755))
		w.none(ids.ErrWithheld, nil, "clock.new")
		must(w.T, os.WriteFile(w.path, nil, 0o644))
		w.none(ids.ErrEnded, clockfile.ErrLost, "somebody else")
	})
}

// TestLost takes the file or the lock away, alone or with the directory, puts something else in their place, and has
// somebody else write to the file. No later horizon is saved then, also when all is as before, the file stays as it is, and
// the clock ends at the horizon that was saved.
func TestLost(t *testing.T) {
	older, err := clockfile.Encode(march, "")
	must(t, err)
	written := func(data []byte) func(string) error {
		return func(path string) error { return os.WriteFile(path, data, 0o644) }
	}
	renamed := func(path string) error { return os.Rename(path, path+".old") }
	for name, test := range map[string]struct {
		take func(path string) error
		says string
	}{
		"emptied":       {written(nil), "somebody else has written to the file"},
		"another file":  {written([]byte("another file")), "somebody else has written to the file"},
		"an older file": {written(older), "somebody else has written to the file"},
		"appended to": {func(path string) error {
			return os.WriteFile(path, []byte(mustRead(t, path)+"# checked\n"), 0o644)
		}, "somebody else has written to the file"},
		"file removed": {os.Remove, "the file is missing"},
		"file renamed": {renamed, "the file is missing"},
		"linked":       {func(path string) error { return errors.Join(renamed(path), os.Symlink(path+".old", path)) }, "is not a regular file"},
		"a directory":  {func(path string) error { return errors.Join(renamed(path), os.Mkdir(path, 0o755)) }, "is not a regular file"},
		// To open it would wait for a writer.
		"named pipe":     {func(path string) error { return errors.Join(renamed(path), exec.Command("mkfifo", path).Run()) }, "is not a regular file"},
		"lock removed":   {func(path string) error { return os.Remove(path + ".lock") }, ".lock is missing"},
		"directory gone": {func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") }, ".lock is missing"},
		"lock replaced": {func(path string) error {
			return errors.Join(os.Remove(path+".lock"), os.WriteFile(path+".lock", nil, 0o600))
		}, ".lock is another file now"},
		"link to the lock": {func(path string) error {
			return errors.Join(os.Rename(path+".lock", path+".mine"), os.Symlink(path+".mine", path+".lock"))
		}, ".lock is another file now"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(test.says, ".lock") {
				t.Skip("nobody can remove or rename a file that is open so")
			}
			if _, err := exec.LookPath("mkfifo"); err != nil && name == "named pipe" {
				t.Skip("there is no program that makes a named pipe: ", err)
			}
			if link := newPath(t); name == "linked" {
				symlink(t, "target", link)
				if _, err := os.Lstat(link); err != nil {
					t.Skip("this system makes links that are not there: ", err)
				}
			}
			watch(t, func(w *watched) {
				own := mustRead(w.T, w.path)
				must(w.T, test.take(w.path))
				left, _ := clockfile.System.Read(w.path)
				w.none(ids.ErrEnded, clockfile.ErrLost, test.says)
				if now, _ := clockfile.System.Read(w.path); string(now) != string(left) {
					w.Errorf("the file has %q, want %q", now, left)
				}
				if !strings.Contains(test.says, ".lock") {
					must(w.T, os.RemoveAll(w.path), os.WriteFile(w.path, []byte(own), 0o644))
				}
				w.pass(time.Hour)
				if s, err := w.node.TryNext(); !errors.Is(err, ids.ErrEnded) || !errors.Is(err, clockfile.ErrLost) || len(w.reports) > 0 {
					w.Errorf("later: %d, %v, with %d reports", s, err, len(w.reports))
				}
				if s, err := w.node.NextContext(w.Context()); !errors.Is(err, ids.ErrEnded) || !errors.Is(err, clockfile.ErrLost) {
					w.Errorf("NextContext: %d, %v", s, err)
				}
				if !ended(func() { w.node.Next() }) || !ended(func() { w.gen.NewV1() }) || !ended(func() { w.gen.NewV6() }) {
					w.Error("a call without an error returns")
				}
				left, _ = clockfile.System.Read(w.path)
				if err := w.file.Close(); !errors.Is(err, clockfile.ErrLost) || strings.Count(err.Error(), "clockfile: ") != 1 ||
					!strings.Contains(err.Error(), clockfile.ErrLost.Error()) {
					w.Errorf("Close: %v", err)
				}
				if now, _ := clockfile.System.Read(w.path); string(now) != string(left) {
					w.Errorf("Close leaves %q, want %q", now, left)
				}
			})
			// Close is the first to notice.
			watch(t, func(w *watched) {
				must(w.T, test.take(w.path))
				left, _ := clockfile.System.Read(w.path)
				if err := w.file.Close(); !errors.Is(err, clockfile.ErrLost) || !strings.Contains(err.Error(), w.path) {
					w.Errorf("Close: %v", err)
				}
				if now, _ := clockfile.System.Read(w.path); string(now) != string(left) {
					w.Errorf("Close has written %q over %q", now, left)
				}
				if !clockfile.IsClosed(w.file.Lost()) || !errors.Is(w.file.Status().Err, clockfile.ErrLost) {
					w.Errorf("after Close the status is %v, and Lost is closed: %v", w.file.Status(), clockfile.IsClosed(w.file.Lost()))
				}
			})
		})
	}
}

// TestRenamedWhileOpen renames the file of a process that goes on, and has another one open it under its new name. No id
// is issued twice: the first process ends below the horizon that went with the file.
func TestRenamedWhileOpen(t *testing.T) {
	watch(t, func(w *watched) {
		issued := map[ids.Snowflake]string{}
		mint := func(who string, n *ids.SnowflakeNode) {
			s, err := n.TryNext()
			if err != nil {
				return
			}
			if other, twice := issued[s]; twice {
				w.Errorf("%s issues %d, as %s did", who, s, other)
			}
			issued[s] = who
		}
		time.Sleep(7 * time.Second)
		mint("the first process", w.node)
		moved := w.path + ".moved"
		must(w.T, os.Rename(w.path, moved))
		second, err := clockfile.Open(moved, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: w.wall.now}})
		must(w.T, err)
		node := mustNode(w.T, second.Clock())
		for range 1200 { // 12 s
			mint("the first process", w.node)
			mint("the second process", node)
			time.Sleep(10 * time.Millisecond)
		}
		if _, err := w.node.TryNext(); !errors.Is(err, ids.ErrEnded) || !errors.Is(err, clockfile.ErrLost) || !clockfile.IsClosed(w.file.Lost()) {
			w.Errorf("the first process goes on: %v", err)
		}
		if n := len(w.reports); n != 1 {
			w.Errorf("it was told %d times", n)
		}
		must(w.T, second.Close())
	})
}

// TestLinksAreNotFollowed has links and a named pipe be where the package makes files.
func TestLinksAreNotFollowed(t *testing.T) {
	path := newPath(t)
	victim := filepath.Join(filepath.Dir(path), "victim")
	must(t, os.WriteFile(victim, []byte("precious"), 0o644))
	for i, target := range []string{victim, path + ".nothing"} {
		symlink(t, target, path+".new")
		if i == 0 {
			must(t, clockfile.Create(path, ""))
			symlink(t, target, path+".new")
		}
		f := mustOpen(t, path, nil)
		symlink(t, target, path+".new")
		must(t, f.Close())
		if runtime.GOOS != "windows" {
			symlink(t, target, path+"2.lock")
			notCreated(t, path+"2", nil, path+"2.lock")
			must(t, os.Remove(path+"2.lock"))
		}
	}
	if pipe, err := exec.Command("mkfifo", path+".new").CombinedOutput(); err != nil {
		t.Logf("no named pipe is tried: %v, %s", err, pipe)
	} else {
		must(t, mustOpen(t, path, nil).Close()) // which would wait for a reader
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the file is now %v, %v", info, err)
	}
	if left := mustRead(t, victim); left != "precious" {
		t.Errorf("the file that a link leads to has %q", left)
	}
	if _, err := os.Lstat(path + ".nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("where a link leads there is something: %v", err)
	}
}

// TestHardLink refuses a file that has another name: a save would leave that behind.
func TestHardLink(t *testing.T) {
	path := newFile(t)
	if err := os.Link(path, path+"2"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no hard link can be made here, or none be seen: ", err)
	}
	for _, p := range []string{path, path + "2"} {
		refused(t, p, nil, nil, "hard links")
		notCreated(t, p, fs.ErrExist)
	}
	must(t, os.Remove(path+"2"))
	must(t, mustOpen(t, path, nil).Close())
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

// TestZeroFile uses a File that Open has not made.
func TestZeroFile(t *testing.T) {
	f := new(clockfile.File)
	for name, call := range map[string]func(){
		"Clock": func() { f.Clock() }, "Close": func() { f.Close() }, "Status": func() { f.Status() }, "Lost": func() { f.Lost() },
	} {
		func() {
			defer func() {
				if says := recover(); says != "clockfile: zero File: use Open" {
					t.Errorf("%s panics with %v", name, says)
				}
			}()
			call()
		}()
	}
}
