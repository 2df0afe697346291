package from

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A program is an archive of testdata, unpacked into its own directory.
type program struct {
	dir     string
	args    []string
	want    map[string]string // contents of the files after the move
	report  string
	unseen  string // expected list of differences that types do not reveal, or "" for any list
	refusal string // the status and the beginning of the error, or ""
}

// unpack writes the files of an archive. A file whose name ends in .crlf gets lines that end in CR
// LF, and a file whose name ends in .readonly cannot be written.
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
	texts := map[string]string{}
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
		case name == "unseen":
			p.unseen = text
		case name == "refusal":
			p.refusal = strings.TrimSpace(text)
		case isWanted:
			p.want[wanted] = text
		default:
			writeFile(t, filepath.Join(p.dir, name), text)
			texts[name] = text
		}
		if readOnly {
			_ = os.Chmod(filepath.Join(p.dir, name), 0o444)
		}
	}
	if len(p.want) > 0 || p.refusal != "" { // otherwise only the report counts
		maps.Copy(texts, p.want)
		maps.DeleteFunc(texts, func(name, _ string) bool { return filepath.Ext(name) != ".go" })
		p.want = texts
	}
	flags := "-mod=mod"
	if _, err := os.Stat(filepath.Join(p.dir, "go.work")); err == nil { // in a workspace, -mod=mod is an error
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

// TestPrograms moves the programs in testdata. Without -fix, nothing changes, and the report is the
// expected one. With -fix, each file becomes the expected one, and a second run changes nothing. If
// the report names no place, the program then compiles. A program that is refused does not change.
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
			done := strings.Contains(p.report, "places to edit: 0; to check: 0,")
			for range 2 {
				out := p.run(t, "-fix")
				if done && strings.Contains(out, "does not compile") {
					t.Errorf("nothing was left to edit or to look at, but now: %s", out)
				}
				for name, text := range p.want {
					if got := readFile(t, filepath.Join(p.dir, name)); got != text {
						t.Errorf("%s is\n%s\nwant\n%s", name, got, text)
					}
				}
				p.report, p.unseen = "", "" // the next run has other ones
			}
		})
	}
}

// onlyFix and onlyDry match the lines of a report that only one of the two runs prints.
var (
	onlyFix = regexp.MustCompile(`(?m)^(.*has raised|to keep the former GODEBUG defaults: ).*\n`)
	onlyDry = regexp.MustCompile(`(?m)^to run: .*\n`)
)

// unseenList matches the part of a report that is the same for most programs of one library.
var unseenList = regexp.MustCompile(`(?m)^\ntypes cannot show these; .*\n(- .*\n)+`)

// run runs the command, checks what it prints, and returns it.
func (p program) run(t *testing.T, flags ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	status := Run(p.dir, append(flags, p.args...), &out, &errOut)
	said := fmt.Sprintf("status %d: %s", status, &errOut)
	if p.refusal != "" {
		if !strings.HasPrefix(strings.NewReplacer(p.dir, "$DIR", runtime.GOOS, "$GOOS").Replace(said), p.refusal) {
			t.Errorf("%s\nwant %s", said, p.refusal)
		}
		return said
	}
	want, not := p.report, onlyFix
	list := unseenList.FindString(out.String())
	if len(flags) > 0 {
		not = onlyDry
	}
	notes := out.String()
	if list != "" {
		_, notes, _ = strings.Cut(notes, list)
	}
	if _, items, _ := strings.Cut(list, ".md:\n"); p.unseen != "" && list != "" && items != p.unseen {
		t.Errorf("what no type shows is\n%s\nwant\n%s", items, p.unseen)
	}
	switch {
	case list == "" && want != "" && !strings.Contains(want, "nothing here uses"):
		t.Errorf("the report does not say what no type shows: %s", &out)
	case want == "" && strings.Contains(said, "does not compile"): // after its move, the program need not compile
	case status != 0 || errOut.Len() > 0:
		t.Fatal(said, &out)
	case want != "" && strings.TrimSpace(notes) != strings.TrimSpace(not.ReplaceAllString(want, "")):
		t.Errorf("the report is\n%s\nwant\n%s", notes, want)
	}
	return said + out.String()
}

// snapshot returns the contents of all files in a directory, except those whose names begin with
// "go.".
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

// An ending is a context that is canceled after a number of calls to Err.
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

// TestWrite checks that either all files are replaced or none, that links and modes stay, and that
// no temporary file is left.
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
	refused("", 2, []change{changes[0], {filepath.Join(dir, "gone.go"), nil, []byte("new")}})
	refused("interrupted", 0, changes)
	refused("interrupted", 1, changes)
	looks := 2 // the context is canceled after the last file is prepared
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

// A meddler is a context that calls a function in the last of a number of calls to Err.
type meddler struct {
	context.Context
	looks *int
	do    func()
}

func (m meddler) Err() error {
	if *m.looks--; *m.looks == 0 {
		m.do()
	}
	return nil
}

// TestWriteHalf checks that the error of a failed rename names the files that have already changed.
func TestWriteHalf(t *testing.T) {
	dir := t.TempDir()
	var changes []change
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		writeFile(t, filepath.Join(dir, name), "old")
		changes = append(changes, change{filepath.Join(dir, name), []byte("old"), []byte("new")})
	}
	// Before the last file is prepared, a directory replaces the second file.
	looks := 3
	err := write(meddler{t.Context(), &looks, func() {
		_ = os.Remove(changes[1].path)
		_ = os.Mkdir(changes[1].path, 0o755)
	}}, changes)
	if want := fmt.Sprintf("only these files are changed: [%q]", changes[0].path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if a, c := readFile(t, changes[0].path), readFile(t, changes[2].path); a != "new" || c != "old" {
		t.Errorf("now a.go is %s, c.go %s", a, c)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("files are left: %v", entries)
	}
}

// TestNotes checks that a message is printed once with all its positions, and that notes whose
// field first is true are printed before the others. If more than 50 of these notes have the same
// message, their positions must be missing.
func TestNotes(t *testing.T) {
	for places, want := range map[int]string{50: "\tp.go:50: Parse\n", 51: "anywhere (51)\nstored (60)\n"} {
		var notes []note
		for line := range 60 {
			notes = append(notes, note{path: "a.go", line: line + 1, text: "stored"})
		}
		for line := range places {
			notes = append(notes, note{path: "p.go", line: line + 1, name: "Parse", text: "anywhere", first: true})
		}
		var out bytes.Buffer
		if n := (&report{out: &out}).printNotes("title", append(notes, notes[0])); n != len(notes) {
			t.Errorf("printed %d notes, want %d", n, len(notes))
		}
		if !strings.Contains(out.String(), want) || strings.Index(out.String(), "anywhere") > strings.Index(out.String(), "stored") || !strings.Contains(out.String(), "\ta.go:60\n") {
			t.Errorf("%d places: the report is\n%s", places, &out)
		}
	}
}

// TestRequire checks that the error describes what has happened to go.mod. For example, go get may
// succeed and go mod tidy fail.
func TestRequire(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command of this test is a shell script")
	}
	command, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for get, want := range map[string]string{"exit 1": "the files are changed, go.mod is not: go get", `echo "require github.com/oneclock/ids v1.0.0" >>go.mod`: "the files are changed, go.mod is changed too: go mod tidy"} {
		bin, dir := t.TempDir(), t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/p\n\ngo 1.26\n")
		script := "#!/bin/sh\ncase \"$1 $2\" in\n\"get \"*) " + get + " ;;\n\"mod tidy\") echo go: downloading much >&2; exit 1 ;;\n*) exec '" + command + "' \"$@\" ;;\nesac\n"
		if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		r := &run{report: report{dir: dir, out: &bytes.Buffer{}}, fix: true}
		if err := r.require([]string{dir}, []change{{path: filepath.Join(dir, "p.go")}}); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "downloading") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestGodebug runs the command that the report prints to keep the GODEBUG defaults, in a module and
// in a workspace. A file that sets the defaults keeps them.
func TestGodebug(t *testing.T) {
	ids, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	const recipe = `(?m)^to keep the former GODEBUG defaults: \(cd \. && go (.*)\)$`
	for _, c := range []struct{ goLine, work, recipe string }{
		{"go 1.17", "", "mod edit -godebug=default=go1.17"},
		{"go 1.22.3", "", "mod edit -godebug=default=go1.22"},
		{"go 1.24\n\ngodebug default=go1.21", "", ""},
		{"go 1.24\n\ngodebug (\n\tdefault=go1.21\n\tpanicnil=1\n)", "", ""},
		{"go 1.21", "go 1.23\n\nuse .\n", "work edit -godebug=default=go1.23"},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/p\n\n"+c.goLine+"\n\nrequire github.com/google/uuid v1.6.0\n\n"+
			"replace github.com/oneclock/ids => "+ids+"\n")
		writeFile(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"github.com/google/uuid\"\n\nfunc main() { println(uuid.NewString()) }\n")
		t.Setenv("GOFLAGS", "-mod=mod")
		if c.work != "" {
			writeFile(t, filepath.Join(dir, "go.work"), c.work)
			t.Setenv("GOFLAGS", "")
		}
		defaults := func() string {
			t.Helper()
			out, err := goIn(dir, nil, "list", "-f", "{{.DefaultGODEBUG}}", ".")
			if err != nil || out == "\n" {
				t.Fatalf("%q, %v", out, err)
			}
			return out
		}
		before := defaults()
		var out, errOut bytes.Buffer
		if status := Run(dir, []string{"-from", "google", "-fix"}, &out, &errOut); status != 0 || !strings.Contains(out.String(), "has raised") {
			t.Fatalf("status %d: %s%s", status, &out, &errOut)
		}
		printed := ""
		if m := regexp.MustCompile(recipe).FindStringSubmatch(out.String()); m != nil {
			printed = m[1]
		}
		if printed != c.recipe {
			t.Errorf("%q, %q: recipe is %q, want %q", c.goLine, c.work, printed, c.recipe)
		}
		if printed != "" {
			if raised, err := goIn(dir, nil, "list", "-f", "{{.DefaultGODEBUG}}", "."); raised == before {
				t.Errorf("%q: the defaults are still %q, %v", c.goLine, raised, err)
			}
			if _, err := goIn(dir, nil, strings.Fields(printed)...); err != nil {
				t.Error(err)
			}
		}
		if after := defaults(); after != before {
			t.Errorf("%q: the defaults are\n%swant\n%s", c.goLine, after, before)
		}
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
