package clockfile_test

// Paths, permissions, owners and error messages, on the system's disk.

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// limit stops all tests with a clear message if t hangs, because a dump after ten minutes explains
// less. It works outside bubbles.
func limit(t *testing.T) (stop func() bool) {
	// The work takes milliseconds, but the machine may be busy or emulate another one.
	const most = 5 * time.Minute
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

// newPath returns a path in a new directory. It skips the test on systems where Open always fails.
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

// newFile returns the path of a new file.
func newFile(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	must(t, clockfile.Create(path, nil))
	return path
}

func mustOpen(t *testing.T, path string, opts *clockfile.Options) *clockfile.File {
	t.Helper()
	f, err := clockfile.Open(path, opts)
	must(t, err)
	return f
}

// mustRead returns the contents of a file.
func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// refused checks that Open fails with an error that matches want, if want is not nil, and that
// contains the path and the given words.
func refused(t *testing.T, path string, opts *clockfile.Options, want error, words ...string) {
	t.Helper()
	f, err := clockfile.Open(path, opts)
	if f != nil {
		t.Error("Open returns a File")
	}
	checkRefusal(t, path, err, want, words...)
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
	if strings.Contains(err.Error(), "new-clockfile") {
		t.Errorf("the error is %q, with a name that nobody has given", err)
	}
	if len(err.Error()) > 400+2*len(path) {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

// TestDocumented produces errors that an operator meets. People search for an error's words in
// docs/operations.md, so an entry there begins with each of them.
func TestDocumented(t *testing.T) {
	path := newPath(t)
	page, err := os.ReadFile(filepath.Join("..", "docs", "operations.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the pages are not here: ", err)
	}
	must(t, err)
	entries := regexp.MustCompile("(?m)^- [*][*]`([^`\n]+)`[*][*]").FindAllStringSubmatch(string(page), -1)
	check := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("no error")
			return
		}
		_, words, _ := strings.Cut(err.Error(), "clockfile: "+path+": ")
		words = strings.ReplaceAll(strings.ReplaceAll(words, path, "PATH"), "-owner "+inQuotes("orders, node 7"), "-owner 'orders, node 7'")
		for _, entry := range entries {
			if regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(entry[1]), "…", ".+") + "$").MatchString(words) {
				return
			}
		}
		t.Errorf("no entry of docs/operations.md begins with %q", words)
	}
	bubble(t, func(t *testing.T) {
		seven, eight := &clockfile.Options{Owner: "orders, node 7"}, &clockfile.Options{Owner: "orders, node 8"}
		open := func(opts *clockfile.Options) {
			t.Helper()
			_, err := clockfile.Open(path, opts)
			check(err)
		}
		open(seven) // there is no file yet
		must(t, clockfile.Create(path, seven))
		open(eight)
		f := mustOpen(t, path, seven)
		// Windows' error names no process, and Windows does not release the file.
		if runtime.GOOS != "windows" {
			open(seven)
			must(t, os.Remove(path))
			<-f.Lost()
			check(f.Status().Err)
		}
		f.Close()
		data := mustEncode(t, march, "")
		for _, content := range []string{"7\n", string(fileOf(data, data)) + "\n", again(data, "clockfile 1", "clockfile 2")} {
			must(t, os.WriteFile(path, []byte(content), 0o600))
			open(seven)
		}
		must(t, os.Chmod(path, 0o400))
		open(seven)
		must(t, os.Chmod(path, 0o600), os.Remove(path)) // an open file could not be removed
		if runtime.GOOS != "windows" {
			must(t, os.Symlink("no", path))
			open(seven)
			must(t, os.Remove(path))
		}
		must(t, os.Mkdir(path, 0o700))
		open(seven)
		// Errors that need a certain file system or a stopped program.
		check(fmt.Errorf("clockfile: %s: open %[1]s: operation not permitted", path))
		check(fmt.Errorf("clockfile: %s: %w", path, ids.ErrWithheld))
	})
	inBubble(t, clockfile.Options{}, 0, func(b *bench) {
		works := make(chan struct{})
		b.setCheck(func() error {
			<-works
			return nil
		})
		defer close(works)
		time.Sleep(2 * time.Second)
		_, words, _ := strings.Cut(fmt.Sprint(b.file.Status().Err), ": cannot")
		check(errors.New("clockfile: " + path + ": cannot" + words))
	})
}

// TestSnippet checks that the first code in the package's comment is a part of Example, which
// compiles and runs.
func TestSnippet(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the sources are not here: ", err)
	}
	example, failed := os.ReadFile("example_test.go")
	must(t, err, failed)
	snippet := strings.Join(regexp.MustCompile("(?m)^//\t.*\n|^//\n").FindAllString(string(comment), -1), "")
	snippet, _, _ = strings.Cut(strings.TrimPrefix(snippet, "//\n"), "//\n")
	snippet = strings.ReplaceAll(strings.ReplaceAll(snippet, "//", ""), `"/var/lib/orders/clock"`, "path")
	code := strings.ReplaceAll(string(example), "//", "")
	if !strings.Contains(snippet, "clockfile.Open") || !strings.Contains(code, snippet) {
		t.Errorf("Example does not have this:\n%s", snippet)
	}
}

// TestCreate checks that the file states in words that there is no horizon, so that a wrong clock
// at that moment has no effect. Open uses such a file, with the default Window, and a second Create
// leaves it unchanged. Nothing else remains in the directory.
func TestCreate(t *testing.T) {
	path := newPath(t)
	bubble(t, func(t *testing.T) {
		const command = "only for a first start run: idgen clock create "
		refused(t, path, nil, fs.ErrNotExist, "file does not exist: ", command+path)
		t.Chdir(filepath.Dir(path))
		refused(t, "clock", &clockfile.Options{Owner: "orders, node 7"}, fs.ErrNotExist, command+"-owner "+inQuotes("orders, node 7")+" "+path)
		// Window matters to Open only.
		must(t, clockfile.Create(path, &clockfile.Options{Owner: "orders, node 7", Window: -1}))
		if lines := mustRead(t, path)[:100]; !strings.Contains(lines, "\nhorizon none\nowner \"orders, node 7\"\ncrc32 ") {
			t.Errorf("the file is %q", lines)
		}
		now := march.AddDate(-10, 0, 0)
		f := mustOpen(t, path, &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return now }}})
		if latest := f.Clock().Latest(); !latest.IsZero() {
			t.Errorf("ids begin after %v, though none was issued", latest)
		}
		// The first ID comes immediately.
		if first, err := mustNode(t, f.Clock()).TryNext(); err != nil || timeOf(first).Year() != 2016 {
			t.Errorf("the first id is of %v, %v", timeOf(first), err)
		}
		if ahead := f.Status().Horizon.Sub(now); ahead != 10*time.Second {
			t.Errorf("the horizon is %v ahead, want 10s", ahead)
		}
		must(t, f.Close())
		// The later of this time and the time in the file is used.
		for _, after := range []time.Time{now, now.AddDate(1, 0, 0)} {
			opts := &clockfile.Options{ClockOptions: &ids.ClockOptions{Now: func() time.Time { return now }, After: after}}
			f := mustOpen(t, path, opts)
			if latest := f.Clock().Latest(); !latest.After(now) || latest.Before(after) || opts.ClockOptions.After != after {
				t.Errorf("After is %v: ids begin after %v; After is now %v", after, latest, opts.ClockOptions.After)
			}
			must(t, f.Close())
		}
		held := mustRead(t, path)
		checkRefusal(t, path, clockfile.Create(path, nil), fs.ErrExist, "not the first start")
		if mustRead(t, path) != held || len(held) != clockfile.Size {
			t.Error("a second Create changes the file")
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("the directory has %v, %v", left, err)
		}
	})
}

// TestGiveName gives the same name to two files, by a link or, where links are not allowed, as for
// a directory, by a rename. The first file keeps the name.
func TestGiveName(t *testing.T) {
	newPath(t)
	for what, fresh := range map[string]func(path string) error{
		"file":      func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		first, second, path := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second"), filepath.Join(t.TempDir(), "clock")
		must(t, fresh(first), fresh(second), clockfile.GiveName(first, path))
		if err := clockfile.GiveName(second, path); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "not the first start") {
			t.Errorf("%s: a name that is taken: %v", what, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		// With a link, no other call can have taken the name since a check.
		if _, err := os.Stat(first); (err == nil) != (what == "file") {
			t.Errorf("%s: not linked: %v", what, err)
		}
	}
}

// TestDirectoryIsSynced checks that Create and Open sync the directory, including the directory to
// which a symbolic link leads, and continue if that fails.
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
}

func TestOneFileAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		path := newFile(t)
		first := mustOpen(t, path, nil)
		must(t, os.Link(path, path+".linked"))
		refused(t, path, nil, clockfile.ErrLocked)
		refused(t, path+".linked", nil, clockfile.ErrLocked)
		must(t, first.Close())
		defer mustOpen(t, path, nil).Close()
		first.Close() // a second Close must not unlock the file for the second File
		refused(t, path, nil, clockfile.ErrLocked)
	})
}

func TestOwner(t *testing.T) {
	bubble(t, func(t *testing.T) {
		path := newFile(t)
		seven := &clockfile.Options{Owner: "node 7"}
		// The second Open keeps the owner.
		must(t, mustOpen(t, path, seven).Close(), mustOpen(t, path, nil).Close())
		refused(t, path, &clockfile.Options{Owner: "Node 7"}, clockfile.ErrOwner, `belongs to another owner: "node 7", not "Node 7": check `)
		refused(t, path, &clockfile.Options{Owner: strings.Repeat("x", 1<<20)}, clockfile.ErrOwner)
		long := strings.Repeat("x", clockfile.MaxOwner+1)
		must(t, clockfile.Create(path+"2", &clockfile.Options{Owner: long[1:]}))
		checkRefusal(t, path, clockfile.Create(path+"3", &clockfile.Options{Owner: long}), nil, "the owner has 256 bytes, more than 255")
		refused(t, path+"3", nil, fs.ErrNotExist) // only a complete file gets its name
	})
}

func TestWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		path := newFile(t)
		for _, window := range []time.Duration{-1 << 63, -1, 1, 100*time.Millisecond - 1, 24*time.Hour + 1, 1<<63 - 1} {
			refused(t, path, &clockfile.Options{Window: window}, nil, fmt.Sprintf("Options.Window is %v, not between 100ms and 24h0m0s", window))
		}
		must(t, mustOpen(t, path, &clockfile.Options{Window: 100 * time.Millisecond}).Close())
		must(t, mustOpen(t, path, &clockfile.Options{Window: 24 * time.Hour}).Close())
	})
}

// TestCorruptFiles checks that every file without a horizon is rejected and left unchanged.
func TestCorruptFiles(t *testing.T) {
	path := newPath(t)
	for data, says := range corrupt(t) {
		must(t, os.WriteFile(path, []byte(data), 0o600))
		refused(t, path, nil, clockfile.ErrCorrupt, says)
		checkRefusal(t, path, clockfile.Create(path, nil), fs.ErrExist)
		if left := mustRead(t, path); left != data {
			t.Errorf("%.100q: the file is now %.100q", data, left)
		}
	}
}

// TestPathsRefused checks every kind of path at which no file can be.
func TestPathsRefused(t *testing.T) {
	dir := filepath.Dir(newPath(t))
	plain, link, socket := filepath.Join(dir, "plain"), filepath.Join(dir, "link"), filepath.Join(dir, "socket")
	must(t, os.WriteFile(plain, nil, 0o600))
	paths := map[string]error{dir: fs.ErrExist, plain: fs.ErrExist, "": nil, filepath.Join(dir, "no", "clock"): fs.ErrNotExist,
		filepath.Join(plain, "clock"): nil, filepath.Join(dir, "nul\x00"): nil, filepath.Join(dir, strings.Repeat("x", 300)): nil}
	if runtime.GOOS != "windows" {
		l, err := net.Listen("unix", socket)
		must(t, err, os.Symlink("no", link))
		defer l.Close()
		paths[socket], paths[link] = fs.ErrExist, fs.ErrExist
	}
	for path, want := range paths {
		refused(t, path, nil, nil)
		checkRefusal(t, path, clockfile.Create(path, nil), want)
	}
	refused(t, "", nil, nil, "clockfile: the path: is empty")
	blank := filepath.Join(dir, "my clock")
	refused(t, blank, nil, fs.ErrNotExist, "run: idgen clock create "+inQuotes(blank))
	for path := range paths {
		if paths[path] == fs.ErrExist && path != plain && path != link {
			refused(t, path, nil, nil, path+": is not a regular file")
			checkRefusal(t, path, clockfile.Create(path, nil), fs.ErrExist, path+": is not a regular file")
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	again, loop, target := filepath.Join(dir, "again"), filepath.Join(dir, "loop"), filepath.Join(dir, "no")
	must(t, os.Symlink(link, again), os.Symlink(loop, loop))
	for _, path := range []string{link, again} {
		words := "is a link to " + target + ", which does not exist"
		refused(t, path, nil, fs.ErrNotExist, words)
		checkRefusal(t, path, clockfile.Create(path, nil), fs.ErrExist, words)
		if _, err := clockfile.Open(path, nil); strings.Contains(err.Error(), "create") {
			t.Errorf("%v, which Create does not mend", err)
		}
	}
	refused(t, loop, nil, nil)
	checkRefusal(t, loop, clockfile.Create(loop, nil), fs.ErrExist)
	must(t, os.WriteFile(target, nil, 0o600))
	checkRefusal(t, again, clockfile.Create(again, nil), fs.ErrExist, "not the first start")
}

// inQuotes returns a command's word that contains blanks.
func inQuotes(s string) string {
	if runtime.GOOS == "windows" {
		return `"` + s + `"`
	}
	return "'" + s + "'"
}

// TestCommands passes each command in an error to a shell, for paths and owners in which a shell
// could find more than one word. The shell gets the words unchanged and runs nothing else. No
// command has more than one line.
func TestCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a path has no quotes here, and other shells read the commands")
	}
	dir := filepath.Dir(newPath(t))
	t.Chdir(dir) // a command that was run would leave a file here
	for _, word := range []string{
		"clock", "a b", "a$HOME", "a$(touch RUN)", "a`touch RUN`", "a'b", "'", `a"b`, `a\b`, `a\`, "a;touch RUN", "a&b", "a|b", "a>b", "~x", "a!b", "a{b,c}", "a*", "a?[b]",
		"#a", "-rf", "=a", "a=b", "a%sb", "ü", "a\u00a0b", "a\u202eb", "a\nb", "a\n'b\\", "a\tb", "a\x1b[2Jb", "a\xffb", "a$(touch RUN)\n9", "\ufffd\x7f1",
	} {
		t.Run(fmt.Sprintf("%q", word), func(t *testing.T) {
			path := filepath.Join(dir, word)
			says := func(err error, want ...string) {
				t.Helper()
				if err == nil {
					t.Fatal("no error")
				}
				_, command, _ := strings.Cut(err.Error()[len("clockfile: "+path):], "run: ")
				shell := "sh"
				if strings.Contains(command, "$'") {
					shell = "bash"
				}
				out, err := exec.Command(shell, "-c", want[0]+`() { printf '%s\0' "$@"; }; `+command).CombinedOutput()
				if got := strings.Split(string(out), "\x00"); err != nil || !slices.Equal(got, append(want[1:], "")) || strings.ContainsFunc(command, unicode.IsControl) {
					t.Errorf("%s finds %q, %v, in %q, want %q", shell, got, err, command, want)
				}
			}
			bubble(t, func(t *testing.T) {
				open := func() error {
					f, err := clockfile.Open(path, &clockfile.Options{Owner: word})
					if err == nil {
						t.Cleanup(func() { f.Close() })
					}
					return err
				}
				err := open()
				if !errors.Is(err, fs.ErrNotExist) && !utf8.ValidString(word) {
					t.Skip("no file has such a name here: ", err)
				}
				says(err, "idgen", "clock", "create", "-owner", word, path)
				must(t, clockfile.Create(path, &clockfile.Options{Owner: word}), os.Chmod(path, 0o400))
				says(open(), "chmod", "u+w", path)
				must(t, os.Chmod(path, 0o600), open())
				says(open(), "fuser", path)
			})
		})
	}
	if _, err := os.Stat("RUN"); err == nil {
		t.Error("a shell has run what is in a path")
	}
}

// TestNewName makes Create fail after it has created a file, which then still has a temporary name.
// The error does not contain that name.
func TestNewName(t *testing.T) {
	path := newPath(t)
	checkRefusal(t, path, clockfile.CreateOn(closesEarly{clockfile.System}, path, nil), os.ErrClosed)
}

// closesEarly is a disk whose new files cannot get their mode.
type closesEarly struct{ clockfile.Disk }

func (d closesEarly) Make(path string) (clockfile.LockedFile, func(bool) error, error) {
	f, publish, err := d.Disk.Make(path)
	return f, func(whole bool) error { return errors.Join(f.Close(), publish(whole)) }, err
}

// TestModes checks that saves keep a mode that was set, that only the owner's permission to write
// matters, and that a directory in which no file can be created is no obstacle.
func TestModes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		path := newFile(t)
		for _, want := range []fs.FileMode{0o600, 0o777} {
			must(t, os.Chmod(path, want), mustOpen(t, path, nil).Close())
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
				t.Errorf("a file of mode %v has %v after it was saved, %v", want, info.Mode(), err)
			}
		}
		for _, mode := range []fs.FileMode{0o444, 0o466, 0} {
			must(t, os.Chmod(path, mode))
			refused(t, path, nil, fs.ErrPermission, "is read-only (mode -", "run: chmod u+w "+path)
			checkRefusal(t, path, clockfile.Create(path, nil), fs.ErrExist)
		}
		dir, there := filepath.Dir(path), path
		must(t, os.Chmod(path, 0o600), os.Chmod(dir, 0o555))
		t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o755) })
		must(t, mustOpen(t, path, nil).Close())
		if os.Geteuid() == 0 && runtime.GOOS == "linux" {
			dir, there = "/sys", "/sys/kernel" // not even root can create a file there
		}
		if no := filepath.Join(dir, "clock2"); runtime.GOOS != "windows" && (os.Geteuid() != 0 || runtime.GOOS == "linux") {
			checkRefusal(t, no, clockfile.Create(no, nil), nil)
			checkRefusal(t, there, clockfile.Create(there, nil), fs.ErrExist)
		}
	})
}

// TestSymbolicLink checks that a link to the file works like its path, also a relative link after
// the process has changed its directory. The link remains, and the file to which it leads is locked
// and written.
func TestSymbolicLink(t *testing.T) {
	bubble(t, func(t *testing.T) {
		path := newFile(t)
		link, links := path+".link", filepath.Join(filepath.Dir(path), "links", "link")
		must(t, os.Mkdir(filepath.Dir(links), 0o755))
		if err := errors.Join(os.Symlink("clock", link), os.Symlink(filepath.Join("..", "clock.link"), links)); runtime.GOOS == "windows" && err != nil {
			t.Skip("symbolic links need a privilege here: ", err)
		} else {
			must(t, err)
		}
		before := mustRead(t, path)
		t.Chdir(filepath.Dir(links))
		f := mustOpen(t, "link", nil)
		t.Chdir(filepath.Dir(path))
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
	})
}

// TestNothingStaysOpen opens files successfully and unsuccessfully. Afterwards, no more of them are
// open than before.
func TestNothingStaysOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("only Linux lists the open files of a process in a directory")
		}
		path := newFile(t)
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a garbage collection would close them
		before, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		for range 20 {
			f := mustOpen(t, path, nil)
			refused(t, path, nil, clockfile.ErrLocked)
			must(t, f.Close(), clockfile.Create(path+"2", nil), os.Remove(path+"2"))
			checkRefusal(t, path, clockfile.Create(path, nil), fs.ErrExist)
		}
		after, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		if len(after) > len(before)+3 { // other tests' files may come and go
			t.Errorf("%d files are open, and %d were before", len(after), len(before))
		}
	})
}

// TestLost removes the file, alone or with its directory, puts something else in its place, or lets
// another process write to it. The keeper or Close notices that. Nothing is saved any more, IDs are
// withheld even if the file is put back, and the clock ends.
func TestLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		newPath(t)
		t.Skip("nobody can write to, remove or rename a file that is open so")
	}
	written := func(data string, at int64) func(string) error {
		return func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt([]byte(data), at)
			return errors.Join(err, f.Close())
		}
	}
	renamed := func(path string) error { return os.Rename(path, path+".old") }
	const somebody, missing, replaced = "somebody else has written to the file", "the file is missing", "the file was replaced"
	for name, test := range map[string]struct {
		take func(path string) error
		says string
	}{
		"first copy":     {written("#", 0), somebody},
		"second copy":    {written("#", clockfile.Second), somebody},
		"appended to":    {written("#", clockfile.Size), somebody},
		"removed":        {os.Remove, missing},
		"renamed":        {renamed, missing},
		"directory gone": {func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") }, missing},
		"a copy": {func(path string) error {
			return errors.Join(renamed(path), os.WriteFile(path, []byte(mustRead(t, path+".old")), 0o600))
		}, replaced},
		"a link away": {func(path string) error {
			return errors.Join(os.WriteFile(path+".new", nil, 0o600), renamed(path), os.Symlink(path+".new", path))
		}, replaced},
	} {
		for _, finder := range []string{"keeper", "Close"} {
			path := newFile(t)
			bubble(t, func(t *testing.T) {
				var reports []clockfile.Status
				b := &bench{T: t, wall: newWallClock()}
				b.start(clockfile.System, path, clockfile.Options{Report: func(s clockfile.Status) { reports = append(reports, s) }})
				read := func() string {
					data, _ := os.ReadFile(path)
					return string(data)
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
					found := 100 * time.Millisecond
					if test.says == somebody {
						found = time.Minute // by the next save
					}
					pass(found)
					if _, err := b.node.TryNext(); test.says != somebody && (!errors.Is(err, ids.ErrWithheld) || !errors.Is(err, clockfile.ErrLost)) {
						t.Errorf("%s: at once: %v", name, err)
					}
					if len(reports) != 1 || !strings.Contains(reports[0].Err.Error(), path+": "+clockfile.ErrLost.Error()+": "+test.says+"; no more IDs: stop the process") || reports[0].String() != reports[0].Err.Error() {
						t.Errorf("%s: the reports are %v", name, reports)
					}
					if now := b.file.Status().Err; !errors.Is(now, clockfile.ErrLost) || !clockfile.IsClosed(b.file.Lost()) || read() != left {
						t.Errorf("%s: the status is %v, Lost is closed: %v; or the file is another one", name, now, clockfile.IsClosed(b.file.Lost()))
					}
					if _, err := os.Lstat(path + ".old"); err == nil {
						must(t, os.RemoveAll(path), os.Rename(path+".old", path))
						left = own
					}
					pass(time.Second) // a horizon saved now would differ
				}
				if err := b.file.Close(); !errors.Is(err, clockfile.ErrLost) || strings.Count(err.Error(), "clockfile: "+path) != 1 || read() != left {
					t.Errorf("%s: Close: %v, or it has written to the file", name, err)
				}
				if _, err := b.node.TryNext(); finder == "Close" && (!errors.Is(err, ids.ErrWithheld) || !errors.Is(err, clockfile.ErrLost) || len(reports) > 0) {
					t.Errorf("%s: after Close: %v, with %d reports", name, err, len(reports))
				}
				if s := b.file.Status(); !errors.Is(s.Err, clockfile.ErrLost) || !errors.Is(s.Err, fs.ErrClosed) || !clockfile.IsClosed(b.file.Lost()) {
					t.Errorf("%s: after Close the status is %v, Lost is closed: %v", name, s, clockfile.IsClosed(b.file.Lost()))
				}
				checkEnds(t, name, b.file, clockfile.ErrLost)
			})
		}
	}
}

// TestZeroFile uses a zero File, which Open has not returned.
func TestZeroFile(t *testing.T) {
	f := new(clockfile.File)
	for i, call := range []func(){func() { f.Clock() }, func() { f.Close() }, func() { f.Status() }, func() { f.Lost() }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("call %d does not panic", i)
				}
			}()
			call()
		}()
	}
}
