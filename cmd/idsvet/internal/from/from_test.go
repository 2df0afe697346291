package from

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A program is an archive of testdata in a folder of its own.
type program struct {
	dir     string
	args    []string
	want    map[string]string // texts after the move
	report  string
	refusal string // the status and the begin of an error, or ""
}

// unpack writes the files of an archive. The lines of one whose name ends in .crlf end so; one in .readonly cannot be written.
func unpack(t *testing.T, path string) program {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	p := program{dir: t.TempDir(), want: map[string]string{}}
	for _, f := range archive.Files {
		text := strings.ReplaceAll(string(f.Data), "$IDS", ids)
		name, readOnly := strings.CutSuffix(f.Name, ".readonly")
		name, crlf := strings.CutSuffix(name, ".crlf")
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		wanted, isWanted := strings.CutPrefix(name, "want/")
		switch {
		case name == "args":
			p.args = strings.Fields(text)
		case name == "report":
			p.report = text
		case name == "refusal":
			p.refusal = strings.TrimSpace(text)
		case isWanted:
			p.want[wanted] = text
		default:
			writeFile(t, filepath.Join(p.dir, name), text)
			if p.want[name] == "" && filepath.Ext(name) == ".go" {
				p.want[name] = text
			}
		}
		if readOnly {
			_ = os.Chmod(filepath.Join(p.dir, name), 0o444)
		}
	}
	flags := "-mod=mod"
	if _, err := os.Stat(filepath.Join(p.dir, "go.work")); err == nil { // with which it is an error
		flags = ""
	}
	t.Setenv("GOFLAGS", flags)
	return p
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPrograms moves the programs in testdata: without -fix nothing changes, and the report is theirs; with it each file is as
// wanted, and changes once. A program that is refused stays as it is.
func TestPrograms(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if _, err := exec.LookPath("gcc"); err != nil && filepath.Base(path) == "cgo.txtar" {
				t.Skip("needs a C compiler")
			}
			p := unpack(t, path)
			if p.refusal != "" {
				t.Setenv("GOPROXY", "off")
			}
			before := snapshot(t, p.dir)
			p.run(t)
			if snapshot(t, p.dir) != before {
				t.Error("without -fix, files are changed")
			}
			for range 2 {
				p.run(t, "-fix")
				for name, text := range p.want {
					if got := readFile(t, filepath.Join(p.dir, name)); got != text {
						t.Errorf("%s is\n%s\nwant\n%s", name, got, text)
					}
				}
				p.report = "" // that of the next run is another one
			}
		})
	}
}

// onlyFix and onlyDry find the lines of a report that only one of two runs has.
var (
	onlyFix = regexp.MustCompile(`(?m)^.*has raised.*\n`)
	onlyDry = regexp.MustCompile(`(?m)^to run: .*\n`)
)

// run runs the command, and checks what it says.
func (p program) run(t *testing.T, flags ...string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status := Run(p.dir, append(flags, p.args...), &out, &errOut)
	said := fmt.Sprintf("status %d: %s", status, &errOut)
	if p.refusal != "" {
		if !strings.HasPrefix(strings.NewReplacer(p.dir, "$DIR", runtime.GOOS, "$GOOS").Replace(said), p.refusal) {
			t.Errorf("%s\nwant %s", said, p.refusal)
		}
		return
	}
	want, not := p.report, onlyFix
	if len(flags) > 0 {
		not = onlyDry
	}
	notes := out.String()
	if strings.HasPrefix(notes, "diff ") {
		_, notes, _ = strings.Cut(notes, "\n\n")
	}
	switch {
	case want == "" && strings.Contains(said, "does not compile"): // after its move
	case status != 0 || errOut.Len() > 0:
		t.Fatal(said, &out)
	case want != "" && strings.TrimSpace(notes) != strings.TrimSpace(not.ReplaceAllString(want, "")):
		t.Errorf("the report is\n%s\nwant\n%s", notes, want)
	}
}

// snapshot returns the texts of all files of a folder but go.mod and go.sum.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "go.") {
			all.WriteString(path + "\n" + readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// An ending is a context that ends when it has been looked at so many times.
type ending struct {
	context.Context
	looks *int
}

func (e ending) Err() error {
	if *e.looks--; *e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestWrite checks that all files are replaced or none, that links and modes stay, and that nothing is left beside them.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	a, b, link := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go"), filepath.Join(dir, "link.go")
	writeFile(t, a, "a")
	writeFile(t, b, "b")
	if err := errors.Join(os.Symlink("b.go", link), os.Chmod(b, 0o640)); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	changes := []change{{a, []byte("a"), []byte("new")}, {link, []byte("b"), []byte("new")}}
	refused := func(why string, looks int, changes []change) {
		err := write(ending{t.Context(), &looks}, changes)
		if err == nil || !strings.Contains(err.Error(), why+"; nothing is changed") || snapshot(t, dir) != before {
			t.Errorf("%v, want %q; now %s", err, why, snapshot(t, dir))
		}
	}
	refused("has changed since it was read", 2, []change{changes[0], {link, []byte("older"), []byte("new")}})
	refused("interrupted", 0, changes)
	refused("interrupted", 1, changes)
	looks := 2 // the end comes after the last file was prepared
	err := write(ending{t.Context(), &looks}, changes)
	info, _ := os.Stat(b)
	target, _ := os.Readlink(link)
	if err != nil || readFile(t, a) != "new" || readFile(t, b) != "new" || info.Mode().Perm() != 0o640 || target != "b.go" {
		t.Errorf("%v, %s, %s, %v, link to %s", err, readFile(t, a), readFile(t, b), info.Mode(), target)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("files are left: %v", entries)
	}
}

func TestOlder(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"go1.27.0", "go1.26.8"}: true, {"go1.26.9", "go1.26.8"}: false, {"go1.26.8", "go1.27"}: false, {"devel", "go1.26"}: false,
		{"go1.100", "go1.27rc1"}: true,
	} {
		if newerGo(pair[0], pair[1]) != want {
			t.Errorf("%v: want %v", pair, want)
		}
	}
}
