package from

import (
	"bytes"
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

// snapshot returns the texts of all files of a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, "go.sum") && !strings.HasSuffix(path, "go.mod") {
			all.WriteString(path + "\n" + readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
