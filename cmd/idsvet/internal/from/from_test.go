package from

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// unpack writes the files of an archive into a folder of its own, and returns it and what else the archive has: its arguments,
// the files that are wanted, and its report. A file whose name ends in .crlf has such lines.
func unpack(t *testing.T, path string) (dir string, args []string, want map[string]string, report string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, want = t.TempDir(), map[string]string{}
	for _, f := range archive.Files {
		text := strings.ReplaceAll(string(f.Data), "$IDS", ids)
		name, crlf := strings.CutSuffix(f.Name, ".crlf")
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		wanted, isWanted := strings.CutPrefix(name, "want/")
		switch {
		case name == "args":
			args = strings.Fields(text)
		case name == "report":
			report = text
		case isWanted:
			want[wanted] = text
		default:
			writeFile(t, filepath.Join(dir, name), text)
			if want[name] == "" && filepath.Ext(name) == ".go" {
				want[name] = text
			}
		}
	}
	flags := "-mod=mod"
	if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil { // with which it is an error
		flags = ""
	}
	t.Setenv("GOFLAGS", flags)
	return dir, args, want, report
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
// wanted, and changes once.
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
			dir, args, want, report := unpack(t, path)
			before := snapshot(t, dir)
			var out, errOut bytes.Buffer
			if status := Run(dir, args, &out, &errOut); status != 0 || errOut.Len() > 0 {
				t.Fatalf("status %d: %s%s", status, &out, &errOut)
			}
			if snapshot(t, dir) != before {
				t.Error("without -fix, files are changed")
			}
			_, notes, _ := strings.Cut(out.String(), "\n\n")
			if notes = "\n" + notes; strings.TrimSpace(notes) != strings.TrimSpace(report) {
				t.Errorf("the report is\n%s\nwant\n%s", notes, report)
			}
			fix := append([]string{"-fix"}, args...)
			for range 2 {
				out.Reset()
				if status := Run(dir, fix, &out, &errOut); status != 0 && !strings.Contains(errOut.String(), "does not compile") {
					t.Fatalf("with -fix, status %d: %s%s", status, &out, &errOut)
				}
				for name, text := range want {
					if got := readFile(t, filepath.Join(dir, name)); got != text {
						t.Errorf("%s is\n%s\nwant\n%s", name, got, text)
					}
				}
			}
		})
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

// TestErrors checks what is said of input that cannot be moved, and that nothing is changed then.
func TestErrors(t *testing.T) {
	const uses = "package p\n\nimport \"github.com/google/uuid\"\n\nvar ID = uuid.New()\n"
	const missing = "\nimport \"example.com/missing\"\n\nvar _ = missing.X"
	for name, test := range map[string]struct {
		text, flag, want string
		mode             os.FileMode
		status           int
	}{
		"no such library": {text: uses, flag: "-from=gogle", want: "-from gogle is none of bwmarrin, gofrs, google, ", status: 2},
		"not there":       {text: "package p\n", want: "nothing here uses google: no package imports github.com/google/uuid\n"},
		"not compiling":   {text: uses + "var _ int = ID\n", want: "does not compile, so that its types are not known; nothing is changed.", status: 1},
		"read-only":       {text: uses, mode: 0o444, want: "p.go is read-only; nothing is changed", status: 1},
		"no module":       {text: uses, want: "there is no go.mod here, above or below", status: 1},
		"missing module":  {text: strings.Replace(uses, "\nvar", missing+"\nvar", 1), want: "take its changes back first.\n\tp.go:5:8: cannot find module providing package example.com/missing", status: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, "google")
			t.Setenv("GOPROXY", "off")
			path := filepath.Join(dir, "p.go")
			writeFile(t, path, test.text)
			writeFile(t, filepath.Join(dir, "a.go"), strings.Replace(uses, "ID", "Other", 1))
			switch name {
			case "not there":
				writeFile(t, filepath.Join(dir, "a.go"), test.text)
			case "no module":
				_ = os.Remove(filepath.Join(dir, "go.mod"))
			}
			if test.mode != 0 {
				_ = os.Chmod(path, test.mode)
			}
			before := snapshot(t, dir)
			var out bytes.Buffer
			status := Run(dir, []string{cmp.Or(test.flag, "-from=google"), "-fix"}, &out, &out)
			if status != test.status || strings.Count(out.String(), test.want) != 1 {
				t.Errorf("status %d, %q, want %q once", status, &out, test.want)
			}
			if snapshot(t, dir) != before {
				t.Error("files are changed")
			}
		})
	}
}

// TestRaised checks that a line of go.mod that the go command raises is named.
func TestRaised(t *testing.T) {
	dir := module(t, "google")
	mod := filepath.Join(dir, "go.mod")
	writeFile(t, mod, strings.Replace(readFile(t, mod), "go 1.26.0", "go 1.21", 1))
	writeFile(t, filepath.Join(dir, "p.go"), "package p\n\nimport \"github.com/google/uuid\"\n\nvar ID = uuid.New()\n")
	var out bytes.Buffer
	if status := Run(dir, []string{"-from=google", "-fix"}, &out, &out); status != 0 || !strings.Contains(out.String(), `go.mod: the go command has raised "go 1.21" to "go 1.2`) {
		t.Errorf("status %d, %s", status, &out)
	}
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

// TestInterrupted checks that a run that is interrupted while it writes leaves the files as they were, and nothing beside them.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	var changes []change
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		path := filepath.Join(dir, name)
		writeFile(t, path, "old")
		changes = append(changes, change{path, []byte("old"), []byte("new")})
	}
	before := snapshot(t, dir)
	for looks := range len(changes) {
		if err := write(ending{t.Context(), &looks}, changes); err == nil || !strings.Contains(err.Error(), "interrupted; nothing is changed") {
			t.Errorf("got %v", err)
		}
		if now := snapshot(t, dir); now != before {
			t.Errorf("after the end: %s", now)
		}
	}
	looks := len(changes)
	if err := write(ending{t.Context(), &looks}, changes); err != nil {
		t.Errorf("an end after the last file was prepared: %v", err)
	}
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
	err := write(t.Context(), []change{{a, []byte("a"), []byte("new")}, {link, []byte("older"), []byte("new")}})
	if err == nil || readFile(t, a) != "a" || readFile(t, b) != "b" {
		t.Errorf("a file that has changed: %v, %s, %s", err, readFile(t, a), readFile(t, b))
	}
	err = write(t.Context(), []change{{a, []byte("a"), []byte("new")}, {link, []byte("b"), []byte("new")}})
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
