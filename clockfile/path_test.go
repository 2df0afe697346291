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

// limit ends all tests with a sentence if t hangs: a dump after ten minutes says less. It works outside of bubbles.
func limit(t *testing.T) (stop func() bool) {
	const most = 30 * time.Second // of tests that take milliseconds, on a machine that does much else
	return time.AfterFunc(most, func() { panic(fmt.Sprintf("%s hangs: a part of it takes more than %v", t.Name(), most)) }).Stop
}

// bubble runs a test, or a part of one, in a bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	defer limit(t)()
	synctest.Test(t, f)
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// newPath returns a path in a new directory. It skips a test on systems where Open refuses.
func newPath(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	switch runtime.GOOS {
	case "aix", "js", "plan9", "solaris", "wasip1":
		_, opened := clockfile.Open(dir, nil)
		if made := clockfile.Create(filepath.Join(dir, "clock"), nil); !errors.Is(made, errors.ErrUnsupported) || !errors.Is(opened, errors.ErrUnsupported) {
			t.Fatalf("without locks: %v, %v", made, opened)
		}
		t.Skip("no file opens here: ", opened)
	}
	return filepath.Join(dir, "clock")
}

// newFile returns the path of a new file that was opened once, so that Open does not wait.
func newFile(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		must(t, clockfile.Create(path, nil))
		must(t, mustOpen(t, path, nil).Close())
	})
	return path
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

// refused checks that Open refuses, with an error that matches want, if that is not nil, and has the path and the words in it.
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

// TestCreate has the file say in words that there is no horizon: a clock that is wrong at that moment binds nothing. Open takes
// it from there, with the default Window, and a second Create leaves it as it is. Nothing else is left in the directory.
func TestCreate(t *testing.T) {
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		refused(t, path, nil, fs.ErrNotExist, "clockfile.Create if this is the first start, and only then")
		must(t, clockfile.Create(path, &clockfile.Options{Owner: "orders, node 7", Window: -1})) // which counts for Open alone
		if lines := mustRead(t, path)[:100]; !strings.Contains(lines, "\nhorizon none\nowner \"orders, node 7\"\ninode ") {
			t.Errorf("the file is %q", lines)
		}
		now := march.AddDate(-10, 0, 0)
		f := mustOpen(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return now }}})
		if latest := f.Clock().Latest(); !latest.IsZero() {
			t.Errorf("ids begin after %v, though none was issued", latest)
		}
		if first, err := mustNode(t, f.Clock()).TryNext(); err != nil || timeOf(first).Year() != 2016 { // at once
			t.Errorf("the first id is of %v, %v", timeOf(first), err)
		}
		if ahead := f.Status().Horizon.Sub(now); ahead != 10*time.Second {
			t.Errorf("the horizon is %v ahead, want 10s", ahead)
		}
		notCreated(t, path, fs.ErrExist)
		must(t, f.Close())
		held := mustRead(t, path)
		notCreated(t, path, fs.ErrExist, "not the first start")
		if mustRead(t, path) != held || len(held) != clockfile.Size {
			t.Error("a second Create changes the file")
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("the directory has %v, %v", left, err)
		}
	})
}

// TestGiveName gives a name twice, by a link, or by a rename where links are refused, here that of a directory: the name stays
// with the first.
func TestGiveName(t *testing.T) {
	newPath(t)
	for what, fresh := range map[string]func(path string) error{
		"file":      func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		first, second, path := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second"), filepath.Join(t.TempDir(), "clock")
		must(t, fresh(first), fresh(second))
		before, err := os.Stat(first)
		must(t, err, clockfile.GiveName(first, path))
		if err := clockfile.GiveName(second, path); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "not the first start") {
			t.Errorf("%s: a name that is taken: %v", what, err)
		}
		if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s: the name leads to another one, %v", what, err)
		}
		if _, err := os.Stat(first); (err == nil) != (what == "file") { // no other call can have taken the name since a look
			t.Errorf("%s: not linked: %v", what, err)
		}
	}
}

// TestDirectoryIsSynced has Create and Open sync the directory, also of what a symbolic link leads to, and go on if that fails.
func TestDirectoryIsSynced(t *testing.T) {
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		synced := 0
		disk := clockfile.SystemThatSyncs(func(given string) error {
			synced++
			if _, err := os.Stat(given); err != nil {
				t.Errorf("synced without the file: %v", err)
			}
			return errFault
		})
		must(t, clockfile.CreateOn(disk, path, nil))
		f, err := clockfile.OpenOn(disk, path, nil)
		must(t, err, f.Close())
		if synced != 2 {
			t.Errorf("synced %d times, want once by Create and once by Open", synced)
		}
	})
	if err := clockfile.SyncName(filepath.Join(path, "no")); err == nil {
		t.Error("a directory that is not there is synced")
	}
}

func TestOneFileAtATime(t *testing.T) {
	path := newFile(t)
	first := mustOpen(t, path, nil)
	must(t, os.Link(path, path+".linked"))
	refused(t, path, nil, clockfile.ErrLocked)
	refused(t, path+".linked", nil, clockfile.ErrLocked)
	must(t, first.Close())
	second := mustOpen(t, path, nil)
	first.Close() // again, which must not unlock it for the second
	refused(t, path, nil, clockfile.ErrLocked)
	must(t, second.Close())
}

func TestOwner(t *testing.T) {
	path := newFile(t)
	seven := &clockfile.Options{Owner: "node 7"}
	must(t, mustOpen(t, path, seven).Close(), mustOpen(t, path, nil).Close(), mustOpen(t, path, seven).Close()) // it is kept
	refused(t, path, &clockfile.Options{Owner: "Node 7"}, clockfile.ErrOwner, `"node 7", not "Node 7"`)
	refused(t, path, &clockfile.Options{Owner: strings.Repeat("x", 1<<20)}, clockfile.ErrOwner)
	long := strings.Repeat("x", clockfile.MaxOwner+1)
	must(t, clockfile.Create(path+"2", &clockfile.Options{Owner: long[1:]}))
	checkRefusal(t, path, clockfile.Create(path+"3", &clockfile.Options{Owner: long}), nil, "the owner has 256 bytes, more than 255")
}

func TestWindow(t *testing.T) {
	path := newFile(t)
	for _, window := range []time.Duration{-1 << 63, -1, 1, 100*time.Millisecond - 1, 24*time.Hour + 1, 1<<63 - 1} {
		refused(t, path, &clockfile.Options{Window: window}, nil, fmt.Sprintf("Options.Window is %v, not between 100ms and 24h0m0s", window))
	}
	must(t, mustOpen(t, path, &clockfile.Options{Window: 100 * time.Millisecond}).Close())
	must(t, mustOpen(t, path, &clockfile.Options{Window: 24 * time.Hour}).Close())
}

// TestCalendar has clocks show years for which the file has no form: it stays as it is.
func TestCalendar(t *testing.T) {
	path := newFile(t)
	before := mustRead(t, path)
	for _, year := range []int{9999, 11_026} {
		late := func() time.Time { return march.AddDate(year-march.Year(), 0, 0) }
		refused(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: late}}, nil, fmt.Sprintf("a horizon in the year %d", year))
	}
	if mustRead(t, path) != before {
		t.Error("the file is another one")
	}
}

// TestZeroHorizon has a clock end at the zero time, which as ClockOptions.After would mean that all ids may be issued: no file
// gets it.
func TestZeroHorizon(t *testing.T) {
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		must(t, clockfile.Create(path, nil))
		now := func() time.Time { return time.Time{}.Add(-100 * time.Millisecond) }
		f := mustOpen(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: now}})
		held := mustRead(t, path)
		if err := f.Close(); err == nil || !strings.Contains(err.Error(), "the zero time") || mustRead(t, path) != held {
			t.Errorf("Close: %v, and the file is %q, before %q", err, mustRead(t, path)[:150], held[:150])
		}
	})
}

// TestCorruptFiles checks that every file that holds no usable horizon is refused, and left as it is.
func TestCorruptFiles(t *testing.T) {
	path := newPath(t)
	for data, says := range corrupt(t) {
		must(t, os.WriteFile(path, []byte(data), 0o600))
		refused(t, path, nil, clockfile.ErrCorrupt, says)
		notCreated(t, path, fs.ErrExist)
		if left := mustRead(t, path); left != data {
			t.Errorf("%.100q: the file is now %.100q", data, left)
		}
	}
}

// TestPathsRefused checks every path that no file can be at.
func TestPathsRefused(t *testing.T) {
	dir := filepath.Dir(newPath(t))
	plain, loop, socket := filepath.Join(dir, "plain"), filepath.Join(dir, "loop"), filepath.Join(dir, "socket")
	must(t, os.WriteFile(plain, nil, 0o600))
	there := map[string]bool{dir: true, plain: true, loop: true, socket: true}
	paths := []string{"", dir, plain, filepath.Join(dir, "no", "clock"), filepath.Join(plain, "clock"), filepath.Join(dir, "nul\x00"), filepath.Join(dir, strings.Repeat("x", 300))}
	if runtime.GOOS != "windows" {
		l, err := net.Listen("unix", socket)
		must(t, err, os.Symlink("loop", loop))
		defer l.Close()
		paths = append(paths, socket, loop)
	}
	for _, path := range paths {
		refused(t, path, nil, nil)
		var want error
		if there[path] {
			want = fs.ErrExist
		}
		notCreated(t, path, want)
	}
	refused(t, "", nil, nil, "clockfile: the path: is empty")
	refused(t, filepath.Join(dir, "no", "clock"), nil, fs.ErrNotExist)
	refused(t, dir, nil, nil, "is not a regular file")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 3 {
		t.Errorf("the directory now has %v, %v", left, err)
	}
}

// TestModes checks that saves keep a mode that was set, that only the owner's right to write counts, and that a directory in
// which no file can be made is no hindrance.
func TestModes(t *testing.T) {
	path := newFile(t)
	for _, want := range []fs.FileMode{0o600, 0o777} {
		must(t, os.Chmod(path, want), mustOpen(t, path, nil).Close())
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("a file of mode %v has %v after it was saved, %v", want, info.Mode(), err)
		}
	}
	for _, mode := range []fs.FileMode{0o444, 0o466, 0} {
		must(t, os.Chmod(path, mode))
		refused(t, path, nil, fs.ErrPermission, "is read-only, by its mode -")
		notCreated(t, path, fs.ErrExist)
	}
	dir := filepath.Dir(path)
	must(t, os.Chmod(path, 0o600), os.Chmod(dir, 0o555))
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	must(t, mustOpen(t, path, nil).Close())
	if os.Geteuid() == 0 && runtime.GOOS == "linux" {
		dir = "/sys" // where not even root can make a file
	}
	if runtime.GOOS != "windows" && (os.Geteuid() != 0 || runtime.GOOS == "linux") {
		notCreated(t, filepath.Join(dir, "clock2"), nil, "new-clockfile")
	}
}

// TestSymbolicLink checks that a link to the file serves as well as its path: the link stays, and the file that it leads to is
// locked and written.
func TestSymbolicLink(t *testing.T) {
	path := newFile(t)
	dir := filepath.Dir(path)
	link, links, dangling := filepath.Join(dir, "link"), filepath.Join(dir, "links", "link"), filepath.Join(dir, "dangling")
	must(t, os.Mkdir(filepath.Dir(links), 0o755))
	for name, target := range map[string]string{link: "clock", links: filepath.Join("..", "link"), dangling: "no"} {
		if err := os.Symlink(target, name); err != nil && runtime.GOOS == "windows" {
			t.Skip("symbolic links need a privilege here: ", err)
		} else {
			must(t, err)
		}
	}
	refused(t, dangling, nil, fs.ErrNotExist)
	notCreated(t, dangling, fs.ErrExist)
	before := mustRead(t, path)
	f := mustOpen(t, links, nil)
	for _, p := range []string{path, link, links} {
		refused(t, p, nil, clockfile.ErrLocked)
	}
	must(t, f.Close())
	if mustRead(t, path) == before {
		t.Error("the file that the link leads to is as before")
	}
	for _, l := range []string{link, links} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link is now %v, %v", info, err)
		}
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
		must(t, f.Close(), clockfile.Create(path+"2", nil), os.Remove(path+"2"))
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
	path := newFile(t)
	t.Chdir(filepath.Dir(path))
	f := mustOpen(t, "clock", nil)
	t.Chdir(t.TempDir())
	must(t, f.Close(), mustOpen(t, path, nil).Close())
}

// TestLost takes the file away, alone or with its directory, puts something else in its place, and has somebody else write to
// it: the keeper finds out, or Close. Nothing is saved any more, ids are withheld, also when all is as before, and the clock ends.
func TestLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		newPath(t)
		t.Skip("nobody can write to, remove or rename a file that is open so")
	}
	written := func(data string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(data), 0o600) }
	}
	renamed := func(path string) error { return os.Rename(path, path+".old") }
	then := func(do func(path string) error) func(string) error {
		return func(path string) error { return errors.Join(renamed(path), do(path)) }
	}
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
		"a copy":         {then(func(path string) error { return os.WriteFile(path, []byte(mustRead(t, path+".old")), 0o600) }), replaced},
		"a directory":    {then(func(path string) error { return os.Mkdir(path, 0o755) }), replaced},
		"a link away":    {then(func(path string) error { return errors.Join(written("")(path+".new"), os.Symlink(path+".new", path)) }), replaced},
		"named pipe":     {then(func(path string) error { return exec.Command("mkfifo", path).Run() }), replaced}, // to open it would wait
	} {
		for _, finder := range []string{"keeper", "Close"} {
			t.Run(name+", "+finder, func(t *testing.T) {
				t.Parallel()
				path := newFile(t)
				bubble(t, func(t *testing.T) {
					var reports []clockfile.Status
					b := &bench{T: t, wall: newWallClock()}
					b.start(clockfile.System, path, clockfile.Options{Report: func(s clockfile.Status) { reports = append(reports, s) }})
					read := func() string { // what is there, if it is a file
						if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
							return ""
						}
						return mustRead(t, path)
					}
					pass := func(d time.Duration) {
						time.Sleep(d)
						synctest.Wait()
					}
					pass(time.Minute)
					own := read()
					must(t, test.take(path))
					left := read()
					if finder == "keeper" {
						if test.says != somebody { // which the next save finds out
							pass(100 * time.Millisecond)
							if _, err := b.node.TryNext(); !errors.Is(err, ids.ErrWithheld) || !errors.Is(err, clockfile.ErrLost) {
								t.Errorf("100 ms later: %v", err)
							}
						}
						pass(time.Minute)
						if len(reports) != 1 || !errors.Is(reports[0].Err, clockfile.ErrLost) || !strings.Contains(reports[0].Err.Error(), path+": "+clockfile.ErrLost.Error()+": "+test.says) {
							t.Fatalf("the reports are %v", reports)
						}
						if now := b.file.Status(); now.Err.Error() != reports[0].Err.Error() || !clockfile.IsClosed(b.file.Lost()) {
							t.Errorf("the status is %v, Lost is closed: %v", now, clockfile.IsClosed(b.file.Lost()))
						}
						if read() != left {
							t.Error("the package has written to the file")
						}
						if _, err := os.Lstat(path + ".old"); err == nil {
							must(t, os.RemoveAll(path), os.Rename(path+".old", path))
							left = own
						}
						pass(time.Hour)
					}
					if err := b.file.Close(); !errors.Is(err, clockfile.ErrLost) || strings.Count(err.Error(), "clockfile: ") != 1 || !strings.Contains(err.Error(), path) {
						t.Errorf("Close: %v", err)
					}
					if read() != left {
						t.Error("Close has written to the file")
					}
					if finder == "Close" {
						if _, err := b.node.TryNext(); !errors.Is(err, ids.ErrWithheld) || !errors.Is(err, clockfile.ErrLost) || len(reports) > 0 {
							t.Errorf("after Close: %v, with %d reports", err, len(reports))
						}
					}
					if s := b.file.Status(); !errors.Is(s.Err, clockfile.ErrLost) || !errors.Is(s.Err, fs.ErrClosed) || !clockfile.IsClosed(b.file.Lost()) {
						t.Errorf("after Close the status is %v, Lost is closed: %v", s, clockfile.IsClosed(b.file.Lost()))
					}
					checkEnds(t, name, b.file, clockfile.ErrLost)
				})
			})
		}
	}
}

// TestNewPlace checks how long Open takes: 0.3 s for a file that was never opened, or is not in its own place, and no time for
// another one. Only then does the file say that it is in its place.
func TestNewPlace(t *testing.T) {
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		takes := func(want time.Duration) {
			t.Helper()
			began, before := time.Now(), mustRead(t, path)
			time.AfterFunc(want-time.Millisecond, func() {
				if want > 0 && mustRead(t, path) != before {
					t.Error("something is written before the end")
				}
			})
			f := mustOpen(t, path, nil)
			if took := time.Since(began); took != want {
				t.Errorf("Open takes %v, want %v", took, want)
			}
			info, err := os.Stat(path)
			must(t, err)
			if _, _, inode, err := read([]byte(mustRead(t, path))); err != nil || inode != clockfile.InodeOf(info) {
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
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			call()
		}()
	}
}
