package clockfile_test

import (
	"errors"
	"fmt"
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

// newPath returns a path in a new directory. It skips a test on systems where Open refuses, and ends one that hangs, with a
// sentence.
func newPath(t *testing.T) string {
	t.Helper()
	if deadline, ok := t.Deadline(); ok {
		after := time.Until(deadline) / 4
		hangs := time.AfterFunc(after, func() { panic(fmt.Sprintf("%s hangs: it takes more than %v", t.Name(), after)) })
		t.Cleanup(func() { hangs.Stop() })
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	err = clockfile.Create(filepath.Join(dir, "probe"), nil)
	switch runtime.GOOS {
	case "aix", "js", "plan9", "solaris", "wasip1":
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("without locks: %v", err)
		}
		t.Skip("no file opens here: ", err)
	}
	must(t, err)
	return filepath.Join(dir, "clock")
}

// bubble runs a test in a bubble. One that hangs ends soon, with a sentence: else the tickers of a keeper would go on for ever.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer time.AfterFunc(10*time.Hour, func() { panic(t.Name() + " hangs: 10 h have passed on its clock") }).Stop()
		f(t)
	})
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
	must(t, clockfile.Create(path, nil))
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
	checkRefusal(t, path, clockfile.Create(path, nil), want, words...)
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
	must(t, os.Remove(filepath.Join(dir, "probe")))
	only := func(names ...string) {
		t.Helper()
		left, err := os.ReadDir(dir)
		must(t, err)
		if len(left) != len(names) || len(names) > 0 && left[0].Name() != names[0] {
			t.Errorf("the directory has %v, want %q", left, names)
		}
	}
	refused(t, path, nil, fs.ErrNotExist, "clockfile.Create if this is the first start, and only then")
	only()
	must(t, clockfile.Create(path, nil))
	for range 2 {
		notCreated(t, path, fs.ErrExist, "not the first start")
	}
	f := mustOpen(t, path, nil)
	only("clock")
	notCreated(t, path, fs.ErrExist)
	must(t, f.Close())
	notCreated(t, path, fs.ErrExist, "not the first start")
	only("clock")
	must(t, os.Remove(path), os.Chmod(dir, 0o755))
	refused(t, path, nil, fs.ErrNotExist, "clockfile.Create")
}

// lines returns the lines of the first copy in a file.
func lines(t *testing.T, path string) string {
	t.Helper()
	lines, _, _ := strings.Cut(mustRead(t, path), "\x00")
	return lines
}

// TestCreate has the file say in words that there is no horizon: a clock that is wrong at that moment binds nothing. Open
// takes it from there, and a second Create leaves it as it is.
func TestCreate(t *testing.T) {
	path := newPath(t)
	opts := &clockfile.Options{Owner: "orders, node 7", Window: -1} // of the options, Owner alone counts
	must(t, clockfile.Create(path, opts))
	if got := lines(t, path); !strings.Contains(got, "\nhorizon none\nowner \"orders, node 7\"\ninode ") {
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
	if got := mustRead(t, path); got != held || len(got) != clockfile.Size {
		t.Errorf("a second Create leaves %d bytes, or others than before", len(got))
	}
	long := strings.Repeat("x", clockfile.MaxOwner+1)
	checkRefusal(t, path, clockfile.Create(path+"2", &clockfile.Options{Owner: long}), nil, "Options.Owner has 256 bytes, more than 255")
	must(t, clockfile.Create(path+"2", &clockfile.Options{Owner: long[1:]}))
}

// A behind is a disk on which the file appears once a process has found that there is none.
type behind struct{ *process }

func (d behind) Make(path string) (clockfile.LockedFile, func(bool) error, error) {
	f, publish, err := d.process.Make(path)
	return f, publish, errors.Join(err, d.put(path, march, ""))
}

// TestCreateSecond has another process make the file while Create makes its own.
func TestCreateSecond(t *testing.T) {
	m := newMemory()
	checkRefusal(t, path, clockfile.CreateOn(behind{&process{memory: m}}, path, nil), fs.ErrExist)
	if at, err := m.horizon(); err != nil || !at.Equal(march) {
		t.Errorf("the file has %v, %v", at, err)
	}
	taken := newFile(t)
	_, publish, err := clockfile.System.Make(taken + "2")
	must(t, err, os.Link(taken, taken+"2"))
	if err := publish(true); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "not the first start") {
		t.Errorf("a name that is taken: %v", err)
	}
}

// TestDefaultWindow opens a file with no options but a clock that stands still, later than the file: the horizon is 10 s ahead.
func TestDefaultWindow(t *testing.T) {
	now := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	f := mustOpen(t, newFile(t), &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return now }}})
	if ahead := f.Status().Horizon.Sub(now); ahead != 10*time.Second {
		t.Errorf("the horizon is %v ahead, want 10s", ahead)
	}
	must(t, f.Close())
}

// TestCreateAtOnce has many make one file: one of them does, and the others are told that it is there.
func TestCreateAtOnce(t *testing.T) {
	path := newPath(t)
	made := make(chan bool, 20)
	for range cap(made) {
		go func() {
			err := clockfile.Create(path, nil)
			if err != nil && !errors.Is(err, fs.ErrExist) {
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
	must(t, clockfile.Create(path+"2", &clockfile.Options{Owner: longest}))
	must(t, mustOpen(t, path+"2", &clockfile.Options{Owner: longest}).Close())
}

func TestWindow(t *testing.T) {
	path := newFile(t)
	for window, says := range map[time.Duration]string{
		-1: "not between 100ms and 24h0m0s", -1 << 63: "not between 100ms and 24h0m0s", 1: "not between 100ms and 24h0m0s", 100*time.Millisecond - 1: "not between 100ms and 24h0m0s",
		24*time.Hour + 1: "not between 100ms and 24h0m0s", 1<<63 - 1: "not between 100ms and 24h0m0s",
	} {
		refused(t, path, &clockfile.Options{Window: window}, nil, "Options.Window is "+window.String(), says)
	}
	must(t, mustOpen(t, path, &clockfile.Options{Window: 100 * time.Millisecond}).Close())
	must(t, mustOpen(t, path, &clockfile.Options{Window: 24 * time.Hour}).Close())
}

// TestCalendar checks that a file whose horizon is centuries ahead can be read, that one of the year 9999 is refused, since none
// could follow, and that a clock which shows such a year leaves the file as it is.
func TestCalendar(t *testing.T) {
	path := newPath(t)
	must(t, clockfile.Create(path, nil))
	before := mustRead(t, path)
	for _, year := range []int{9999, 11_026} {
		late := func() time.Time { return march.AddDate(year-march.Year(), 0, 0) }
		refused(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: late}}, nil, fmt.Sprintf("a horizon in the year %d", year))
	}
	if got := mustRead(t, path); got != before {
		t.Error("the file is another one")
	}
	held := march.AddDate(300, 0, 0)
	must(t, os.WriteFile(path, fileOf(mustEncode(t, held, "", 1), mustEncode(t, march, "", 1)), 0o600))
	f := mustOpen(t, path, nil)
	if after := f.Clock().Latest(); !after.Equal(held) {
		t.Errorf("ids begin after %v", after)
	}
	must(t, f.Close())
	last := again(mustEncode(t, march, "", 1), "2026-03-14", "9999-12-31")
	must(t, os.WriteFile(path, fileOf(last, last), 0o600))
	refused(t, path, nil, clockfile.ErrCorrupt, "a horizon in the year 9999")
}

// TestCorruptFiles checks that every file that holds no usable horizon is refused, and left as it is.
func TestCorruptFiles(t *testing.T) {
	path := newPath(t)
	for data, says := range corrupt(t) {
		must(t, os.WriteFile(path, []byte(data), 0o600))
		refused(t, path, nil, clockfile.ErrCorrupt, path+": ", says)
		notCreated(t, path, fs.ErrExist)
		if left := mustRead(t, path); left != data {
			t.Errorf("%.100q: the file is now %.100q", data, left)
		}
	}
}

// TestOneCopyDamaged opens a file of which either copy is damaged, which is whole again afterwards.
func TestOneCopyDamaged(t *testing.T) {
	path := newFile(t)
	for _, at := range []int{0, clockfile.Second} {
		data := []byte(mustRead(t, path))
		data[at+40] ^= 1
		must(t, os.WriteFile(path, data, 0o600), mustOpen(t, path, nil).Close())
		if data := mustRead(t, path); data[:4096] != data[clockfile.Second:] {
			t.Errorf("the copy at %d is not mended", at)
		}
	}
}

// TestZeroHorizon has a file hold the zero time, which as ClockOptions.After would mean that all ids may be issued. No
// file gets it: here the clock ends then.
func TestZeroHorizon(t *testing.T) {
	path := newPath(t)
	must(t, clockfile.Create(path, nil))
	now := func() time.Time { return time.Time{}.Add(-100 * time.Millisecond) }
	f := mustOpen(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: now}})
	held := mustRead(t, path)
	if err := f.Close(); err == nil || !strings.Contains(err.Error(), "the zero time") || mustRead(t, path) != held {
		t.Errorf("Close: %v, and the file has %q, before %q", err, lines(t, path), held)
	}
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
		"Open": open, "Create": func(path string) error { return clockfile.Create(path, nil) },
	} {
		if err := call(""); err == nil || err.Error() != "clockfile: the path is empty" {
			t.Errorf("%s of an empty path: %v", name, err)
		}
		there := map[string]error{"Open": nil, "Create": fs.ErrExist}[name]
		checkRefusal(t, dir, call(dir), there)
		no := filepath.Join(dir, "no", "clock")
		checkRefusal(t, no, call(no), fs.ErrNotExist)
		for _, bad := range []string{"nul\x00", strings.Repeat("x", 300)} {
			checkRefusal(t, filepath.Join(dir, bad), call(filepath.Join(dir, bad)), nil)
		}
		if runtime.GOOS != "windows" {
			socket := filepath.Join(dir, "socket")
			l, err := net.Listen("unix", socket)
			must(t, err)
			checkRefusal(t, socket, call(socket), there)
			must(t, l.Close())
		}
	}
	refused(t, dir, nil, nil, "is not a regular file")
	notCreated(t, filepath.Join(dir, "probe", "clock"), nil) // a file is where a directory would have to be
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 { // the file of newPath
		t.Errorf("the directory now has %v, %v", left, err)
	}
}

// TestModes checks that a new file is for its user alone, whatever the mask of the process, since whoever can read it can lock
// it. Saves keep a mode that was set. Only the owner's right to write counts.
func TestModes(t *testing.T) {
	path := newFile(t)
	mode := func() fs.FileMode {
		info, err := os.Stat(path)
		must(t, err)
		return info.Mode().Perm()
	}
	if got := mode(); runtime.GOOS != "windows" && got != 0o600 {
		t.Errorf("the file has the mode %v", got)
	}
	for _, want := range []fs.FileMode{0o600, 0o640, 0o666, 0o777} {
		must(t, os.Chmod(path, want))
		must(t, mustOpen(t, path, nil).Close())
		if got := mode(); runtime.GOOS != "windows" && got != want {
			t.Errorf("a file of mode %v has %v after it was saved", want, got)
		}
	}
	for _, mode := range []fs.FileMode{0o444, 0o555, 0o466, 0} {
		must(t, os.Chmod(path, mode))
		refused(t, path, nil, fs.ErrPermission, "is read-only, by its mode -")
		notCreated(t, path, fs.ErrExist)
	}
	must(t, os.Chmod(path, 0o600))
	must(t, mustOpen(t, path, nil).Close())
}

// TestReadOnlyDirectory opens a file in a directory where no file can be made.
func TestReadOnlyDirectory(t *testing.T) {
	path := newFile(t)
	dir := filepath.Dir(path)
	must(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	must(t, mustOpen(t, path, nil).Close())
	switch {
	case runtime.GOOS == "windows":
		t.Skip("a directory's mode forbids nothing here")
	case os.Geteuid() == 0 && runtime.GOOS != "linux":
		t.Skip("root may write everywhere")
	case os.Geteuid() == 0:
		dir = "/sys" // where not even root can make a file
	}
	notCreated(t, filepath.Join(dir, "clock2"), nil, "new-clockfile")
}

// TestSymbolicLink checks that a link to the file serves as well as its path: the link stays, and the
// file that it leads to is locked and written.
func TestSymbolicLink(t *testing.T) {
	path := newPath(t)
	dir := filepath.Dir(path)
	link, links, loop := filepath.Join(dir, "link"), filepath.Join(dir, "links", "link"), filepath.Join(dir, "loop")
	must(t, os.Mkdir(filepath.Dir(links), 0o755))
	symlink(t, "clock", link)
	symlink(t, filepath.Join("..", "link"), links)
	refused(t, link, nil, fs.ErrNotExist)
	notCreated(t, link, fs.ErrExist)
	must(t, clockfile.Create(path, nil))
	notCreated(t, links, fs.ErrExist)
	before := mustRead(t, path)
	f := mustOpen(t, links, nil)
	for _, p := range []string{path, link, links} {
		refused(t, p, nil, clockfile.ErrLocked)
	}
	mustNode(t, f.Clock()).Next()
	must(t, f.Close())
	if mustRead(t, path) == before {
		t.Error("the file that the link leads to is as before")
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
	must(t, clockfile.Create("clock", nil))
	f := mustOpen(t, "clock", nil)
	elsewhere := t.TempDir()
	t.Chdir(elsewhere)
	must(t, f.Close())
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("the other directory has %v, %v", left, err)
	}
	must(t, mustOpen(t, path, nil).Close())
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
	bubble(t, func(t *testing.T) {
		w := &watched{bench{T: t, wall: newWallClock()}, path, make(chan clockfile.Status, 10)}
		must(t, clockfile.Create(path, nil))
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

// TestLost takes the file away, alone or with its directory, puts something else in its place, and has somebody else write to
// it. Ids are withheld then, also when all is as before, nothing is saved any more, and the clock ends.
func TestLost(t *testing.T) {
	written := func(data string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(data), 0o600) }
	}
	renamed := func(path string) error { return os.Rename(path, path+".old") }
	older := string(fileOf(mustEncode(t, march, "", 1), mustEncode(t, march, "", 1)))
	const somebody, missing, replaced = "somebody else has written to the file", "the file is missing", "the file was replaced"
	for name, test := range map[string]struct {
		take func(path string) error
		says string
	}{
		"emptied":        {written(""), somebody},
		"another file":   {written("another file"), somebody},
		"an older file":  {written(older), somebody},
		"appended to":    {func(path string) error { return os.WriteFile(path, []byte(mustRead(t, path)+"#"), 0o600) }, somebody},
		"removed":        {os.Remove, missing},
		"renamed":        {renamed, missing},
		"directory gone": {func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") }, missing},
		"a copy": {func(path string) error {
			data := mustRead(t, path)
			return errors.Join(renamed(path), os.WriteFile(path, []byte(data), 0o600))
		}, replaced},
		"a directory": {func(path string) error { return errors.Join(renamed(path), os.Mkdir(path, 0o755)) }, replaced},
		"a link away": {func(path string) error {
			return errors.Join(os.WriteFile(path+".new", nil, 0o600), renamed(path), os.Symlink(path+".new", path))
		}, replaced},
		// To open it would wait for a writer.
		"named pipe": {func(path string) error { return errors.Join(renamed(path), exec.Command("mkfifo", path).Run()) }, replaced},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("nobody can write to, remove or rename a file that is open so")
			}
			if _, err := exec.LookPath("mkfifo"); err != nil && name == "named pipe" {
				t.Skip("there is no program that makes a named pipe: ", err)
			}
			read := func(path string) string { // what is there, if it is a file
				if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
					return ""
				}
				return mustRead(t, path)
			}
			watch(t, func(w *watched) {
				w.pass(time.Minute) // no look is under way, and none comes before time passes
				own := mustRead(w.T, w.path)
				must(w.T, test.take(w.path))
				left := read(w.path)
				if test.says != somebody { // which the next save finds out
					w.pass(100 * time.Millisecond)
					if !clockfile.IsClosed(w.file.Lost()) {
						w.Error("the loss is not found out in 100 ms")
					}
					if _, err := w.node.TryNext(); !errors.Is(err, ids.ErrWithheld) || !errors.Is(err, clockfile.ErrLost) {
						w.Errorf("at once: %v", err)
					}
				}
				w.none(ids.ErrEnded, clockfile.ErrLost, test.says)
				if now := read(w.path); now != left {
					w.Error("somebody has written to the file")
				}
				if name != "directory gone" {
					must(w.T, os.RemoveAll(w.path), os.WriteFile(w.path, []byte(own), 0o600))
				}
				w.pass(time.Hour)
				if s, err := w.node.NextContext(w.Context()); !errors.Is(err, ids.ErrEnded) || !errors.Is(err, clockfile.ErrLost) || len(w.reports) > 0 {
					w.Errorf("later: %d, %v, with %d reports", s, err, len(w.reports))
				}
				if !ended(func() { w.node.Next() }) || !ended(func() { w.gen.NewV1() }) || !ended(func() { w.gen.NewV6() }) {
					w.Error("a call without an error returns")
				}
				left = read(w.path)
				if err := w.file.Close(); !errors.Is(err, clockfile.ErrLost) || strings.Count(err.Error(), "clockfile: ") != 1 ||
					!strings.Contains(err.Error(), clockfile.ErrLost.Error()) {
					w.Errorf("Close: %v", err)
				}
				if now := read(w.path); now != left {
					w.Error("Close has written to the file")
				}
			})
			// Close is the first to notice.
			watch(t, func(w *watched) {
				must(w.T, test.take(w.path))
				left := read(w.path)
				if err := w.file.Close(); !errors.Is(err, clockfile.ErrLost) || !strings.Contains(err.Error(), w.path) {
					w.Errorf("Close: %v", err)
				}
				if now := read(w.path); now != left {
					w.Error("Close has written to the file")
				}
				if _, err := w.node.TryNext(); !errors.Is(err, ids.ErrWithheld) || !errors.Is(err, clockfile.ErrLost) {
					w.Errorf("after Close: %v", err)
				}
				if !clockfile.IsClosed(w.file.Lost()) || !errors.Is(w.file.Status().Err, clockfile.ErrLost) || len(w.reports) > 0 {
					w.Errorf("after Close the status is %v, Lost is closed: %v, %d reports", w.file.Status(), clockfile.IsClosed(w.file.Lost()), len(w.reports))
				}
			})
		})
	}
}

// TestOtherNames has a process rename its file or make a link to it, and go on: the file is locked under each name for as long as
// it is open.
func TestOtherNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody can rename a file that is open so")
	}
	for name, do := range map[string]func(path, to string) error{"renamed": os.Rename, "linked": os.Link} {
		watch(t, func(w *watched) {
			other := w.path + ".other"
			must(w.T, do(w.path, other))
			for range 20 {
				w.pass(time.Second)
				refused(w.T, other, nil, clockfile.ErrLocked)
			}
			if lost := clockfile.IsClosed(w.file.Lost()); lost != (name == "renamed") {
				w.Errorf("%s: the file is lost: %v", name, lost)
			}
			last := w.file.Clock().Latest()
			if err := w.file.Close(); (err != nil) != (name == "renamed") {
				w.Errorf("%s: %v", name, err)
			}
			f := mustOpen(w.T, other, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return march }}})
			if !f.Clock().Latest().After(last) {
				w.Errorf("%s: ids begin after %v, the last one was of %v", name, f.Clock().Latest(), last)
			}
			must(w.T, f.Close())
		})
	}
}

// TestNewPlace checks how long Open takes: 0.3 s for a file that was never opened, or is not in its own place, and no time for
// another one. Only then does the file say that it is in its place.
func TestNewPlace(t *testing.T) {
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		takes := func(want time.Duration) {
			t.Helper()
			began, inode, before := time.Now(), uint64(0), mustRead(t, path)
			time.AfterFunc(want-time.Millisecond, func() {
				if now := mustRead(t, path); want > 0 && now != before {
					t.Error("something is written before the end")
				}
			})
			f := mustOpen(t, path, nil)
			if took := time.Since(began); took != want {
				t.Errorf("Open takes %v, want %v", took, want)
			}
			info, err := os.Stat(path)
			must(t, err)
			if _, _, inode, err = read([]byte(mustRead(t, path))); err != nil || inode != clockfile.InodeOf(info) {
				t.Errorf("the file says that it has number %d, %v", inode, err)
			}
			must(t, f.Close())
		}
		must(t, clockfile.Create(path, nil))
		takes(300 * time.Millisecond)
		takes(0)
		if runtime.GOOS == "windows" {
			return // where files have no number
		}
		must(t, os.WriteFile(path+".copy", []byte(mustRead(t, path)), 0o600), os.Rename(path+".copy", path))
		takes(300 * time.Millisecond)
		takes(0)
	})
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

// TestNoLinks has the system refuse a link, as file systems without links do, here that of a directory: what is made is
// renamed, but not if something has the name already.
func TestNoLinks(t *testing.T) {
	temp, path := filepath.Join(t.TempDir(), "temp"), filepath.Join(t.TempDir(), "clock")
	for _, want := range []error{nil, fs.ErrExist} {
		must(t, os.Mkdir(temp, 0o700))
		if err := clockfile.GiveName(temp, path); !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
