package docs

// Tests of claims in pages and settings about packages, versions, tests, alarms and a systemd unit.

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// publicPages returns the pages that users read, relative to root.
func publicPages(root string) []string {
	return append(pages(root), "CONTRIBUTING.md", "SECURITY.md")
}

// folders returns the directories of root with files that match, named like packages by the go
// command, and the paths of those files relative to root. It omits modules inside root unless all
// is set.
func folders(t *testing.T, root, match string, all bool) map[string][]string {
	found := map[string][]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(root, p, "go.mod"))
			if d.Name() == ".git" || err == nil && p != "." && !all {
				return fs.SkipDir
			}
			return nil
		}
		if ok, _ := path.Match(match, d.Name()); ok {
			name := "./" + path.Dir(p)
			if name == "./." {
				name = "."
			}
			found[name] = append(found[name], p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tests returns the Go code of all tests, in all modules.
func tests(t *testing.T, root string) (all string) {
	for _, files := range folders(t, root, "*_test.go", true) {
		for _, file := range files {
			all += read(t, root, file)
		}
	}
	return all
}

// TestMinting checks that .ci/minting lists all packages of the root module except programs, their
// packages and this one.
func TestMinting(t *testing.T) {
	root := Root(t)
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(folders(t, root, "*.go", false))), func(name string) bool {
		return name == "./internal/docs" || strings.HasPrefix(name, "./cmd/") || strings.HasPrefix(name, "./examples/")
	})
	if got := slices.Sorted(strings.FieldsSeq(read(t, root, ".ci", "minting"))); !slices.Equal(got, want) {
		t.Errorf(".ci/minting lists %q, want %q", got, want)
	}
}

// TestChangelog checks that the line below the first heading of the changelog has the form in which
// .ci/release looks for the versions of the other modules.
func TestChangelog(t *testing.T) {
	form := regexp.MustCompile("^# Changelog\n\n## 1\\.\\S+ - \\S+\n\nWith `nodelease` v0\\.\\S+ and `idsvet` v0\\.\\S+\\.\n")
	if page := read(t, Root(t), "CHANGELOG.md"); !form.MatchString(page) {
		t.Errorf("CHANGELOG.md begins with %.120q", page)
	}
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark|Example)[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)[A-Z_]\w*)\(`)
)

// TestTestNames checks that each test named on a page exists.
func TestTestNames(t *testing.T) {
	root := Root(t)
	defined := map[string]bool{}
	for _, m := range testFunc.FindAllStringSubmatch(tests(t, root), -1) {
		defined[m[1]] = true
	}
	for _, page := range publicPages(root) {
		for _, name := range testName.FindAllString(read(t, root, filepath.FromSlash(page)), -1) {
			if !defined[name] {
				t.Errorf("%s names %s, which does not exist", page, name)
			}
		}
	}
}

// TestAlarms checks that docs/kubernetes.md has an alarm for each gauge of the program that its
// pods run, and for no other gauge.
func TestAlarms(t *testing.T) {
	root := Root(t)
	names := func(pattern, text string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	want := names(`m\.Set\("(\w+)"`, read(t, root, "examples", "recipes", "watch", "main.go"))
	got := names(`expr: 'ids\{gauge="(\w+)"\} > \d+'`, read(t, root, "docs", "kubernetes.md"))
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the page has alarms for %q, want %q", got, want)
	}
}

// TestUnit lets systemd-analyze verify the unit in docs/operations.md, with a program that exists
// here.
func TestUnit(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("only systemd can verify a unit: ", err)
	}
	found := regexp.MustCompile("(?ms)^```ini\n(.*?)^```$").FindStringSubmatch(read(t, Root(t), "docs", "operations.md"))
	here, err := os.Executable()
	if err != nil || found == nil {
		t.Fatalf("docs/operations.md has the units %q, and the program has the error %v", found, err)
	}
	path := filepath.Join(t.TempDir(), "orders.service")
	write(t, path, strings.Replace(found[1], "/usr/local/bin/orders", here, 1))
	out, _ := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", path).CombinedOutput()
	if strings.Contains(string(out), "orders.service") { // ignore other units on the machine
		t.Errorf("systemd-analyze says:\n%s", out)
	}
}
