package from

import (
	"bytes"
	"cmp"
	"errors"
	"os"
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
	t.Setenv("GOFLAGS", "-mod=mod")
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
				if status := Run(dir, fix, &out, &errOut); status != 0 && !strings.Contains(errOut.String(), "nothing here uses") && !strings.Contains(errOut.String(), "does not compile") {
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
	for name, test := range map[string]struct {
		text, flag, want string
		mode             os.FileMode
	}{
		"no such library": {text: uses, flag: "-from=gogle", want: "-from gogle is none of bwmarrin, gofrs, google, "},
		"not there":       {text: "package p\n", want: "nothing here uses google: no package imports github.com/google/uuid"},
		"not compiling":   {text: uses + "var _ int = ID\n", want: "does not compile, so that its types are not known; nothing is changed."},
		"read-only":       {text: uses, mode: 0o444, want: "p.go is read-only; nothing is changed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, "google")
			path := filepath.Join(dir, "p.go")
			writeFile(t, path, test.text)
			writeFile(t, filepath.Join(dir, "a.go"), strings.Replace(uses, "ID", "Other", 1))
			if name == "not there" {
				writeFile(t, filepath.Join(dir, "a.go"), test.text)
			}
			if test.mode != 0 {
				if err := os.Chmod(path, test.mode); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshot(t, dir)
			var out, errOut bytes.Buffer
			status := Run(dir, []string{cmp.Or(test.flag, "-from=google"), "-fix"}, &out, &errOut)
			if status == 0 || !strings.Contains(errOut.String(), test.want) {
				t.Errorf("status %d, %q, want %q", status, &errOut, test.want)
			}
			if snapshot(t, dir) != before {
				t.Error("files are changed")
			}
		})
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
	err := write([]change{{a, []byte("a"), []byte("new")}, {link, []byte("older"), []byte("new")}})
	if err == nil || readFile(t, a) != "a" || readFile(t, b) != "b" {
		t.Errorf("a file that has changed: %v, %s, %s", err, readFile(t, a), readFile(t, b))
	}
	err = write([]change{{a, []byte("a"), []byte("new")}, {link, []byte("b"), []byte("new")}})
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

// TestUnified compares diffs with what diff -u prints of the same texts.
func TestUnified(t *testing.T) {
	text := func(lines string) []byte { return []byte(strings.ReplaceAll(lines, " ", "\n") + "\n") }
	for _, test := range [][3]string{
		{"1 2 3 4 5 6 7 8 9", "1 2 3 4 x 6 7 8 9", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"1  3", "0 1  3 4", "@@ -1,3 +1,5 @@\n+0\n 1\n \n 3\n+4\n"},
		{"a 1 2 3 4 5 6 7 8 b", "x 1 2 3 4 5 6 7 8 y", "@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -7,4 +7,4 @@\n 6\n 7\n 8\n-b\n+y\n"},
	} {
		got := unified("f", text(test[0]), text(test[1]))
		if got != "--- a/f\n+++ b/f\n"+test[2] {
			t.Errorf("%s, %s:\n%s\nwant\n%s", test[0], test[1], got, test[2])
		}
	}
}
