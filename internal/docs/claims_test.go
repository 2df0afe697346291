package docs

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
	"unicode/utf8"
)

// publicPages returns the pages that users read, relative to root.
func publicPages(root string) []string {
	return append(pages(root), "CONTRIBUTING.md", "SECURITY.md")
}

// folders returns the folders of root with files that match, as the go command names packages, and the paths of those files, relative
// to root. Modules inside are left out unless all is set.
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

// tests returns all Go of tests, in all modules.
func tests(t *testing.T, root string) (all string) {
	for _, files := range folders(t, root, "*_test.go", true) {
		for _, file := range files {
			all += read(t, root, file)
		}
	}
	return all
}

// TestMinting checks that .ci/minting lists all packages of the root module but programs and this one.
func TestMinting(t *testing.T) {
	root := Root(t)
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(folders(t, root, "*.go", false))), func(name string) bool {
		return name == "./internal/docs" || strings.HasPrefix(name, "./cmd/") || strings.HasPrefix(name, "./examples/")
	})
	if got := slices.Sorted(strings.FieldsSeq(read(t, root, ".ci", "minting"))); !slices.Equal(got, want) {
		t.Errorf(".ci/minting lists %q, want %q", got, want)
	}
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark|Example)[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)[A-Z_]\w*)\(`)
)

// TestTestNames checks that each test that a page names exists.
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

// TestPagesAreShort checks how much there is to read: 25,500 words in all pages but the laboratory's and
// CHANGELOG, which grows with each release, blocks of code not counted;
// 700 on a page of docs/from; 190 lines of README; in the pages for users, 160 characters in a line.
func TestPagesAreShort(t *testing.T) {
	root := Root(t)
	words := 0
	for page, text := range texts(t, root) {
		n := len(strings.Fields(fenced.ReplaceAllString(text, "")))
		if page != "CHANGELOG.md" && !strings.HasPrefix(page, "internal/lab/") {
			words += n
		}
		if strings.HasPrefix(page, "docs/from/") && n > 700 {
			t.Errorf("%s has %d words, want at most 700", page, n)
		}
	}
	for _, page := range publicPages(root) {
		for line := range strings.Lines(read(t, root, filepath.FromSlash(page))) {
			n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
			if n > 160 && !strings.HasPrefix(strings.TrimSpace(line), "|") {
				t.Errorf("%s: a line has %d characters, want at most 160: %s", page, n, line)
			}
		}
	}
	if words > 25_500 || words < 10_000 {
		t.Errorf("the pages have %d words, want at most 25,500", words)
	}
	readme := read(t, root, "README.md")
	if n := strings.Count(readme, "\n"); n > 190 {
		t.Errorf("README.md has %d lines, want at most 190", n)
	}
}

var codeLine = regexp.MustCompile(`(?m)^[ \t]*(?:[^/ \t\n]|/[^/\n]).*$`)

// TestSize counts lines of code, which are those that are neither blank nor a comment, of the root and of
// its clock, and checks that CONTRIBUTING.md has a row for each file.
func TestSize(t *testing.T) {
	root := Root(t)
	lines := func(files []string) (n int) {
		for _, file := range files {
			n += len(codeLine.FindAllString(read(t, root, file), -1))
		}
		return n
	}
	var product, clock []string
	rooms := read(t, root, "CONTRIBUTING.md")
	for _, file := range folders(t, root, "*.go", false)["."] {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		product = append(product, file)
		if name := "`" + filepath.Base(file) + "`"; !strings.Contains(rooms, name) {
			t.Errorf("CONTRIBUTING.md does not say what is in %s", name)
		}
		if slices.Contains([]string{"clock.go", "limit.go", "lane.go", "sequence.go", "scale.go"}, filepath.Base(file)) {
			clock = append(clock, file)
		}
	}
	if n := lines(product); n > 2600 || n < 1000 {
		t.Errorf("the root has %d lines of code, want at most 2,600", n)
	}
	if n := lines(clock); n > 520 || len(clock) != 5 {
		t.Errorf("the clock has %d lines of code in %d files, want at most 520 in 5", n, len(clock))
	}
}

// TestAlarms checks that docs/kubernetes.md has an alarm for each gauge of the program that its pods run, and for no other.
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

// TestUnit has systemd-analyze verify the unit of docs/operations.md, with a program that is here.
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
	if strings.Contains(string(out), "orders.service") { // not of other units, which the machine has
		t.Errorf("systemd-analyze says:\n%s", out)
	}
}
