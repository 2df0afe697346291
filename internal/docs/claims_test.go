package docs

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// publicPages returns the pages that users read, relative to root.
func publicPages(t *testing.T, root string) []string {
	names, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	return append(names, "CONTRIBUTING.md", "SECURITY.md")
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// folders returns the folders of root with files that match, as the go command names packages, and the paths of those files. Modules
// inside are left out unless all is set.
func folders(t *testing.T, root, match string, all bool) map[string][]string {
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(p, "go.mod"))
			if d.Name() == ".git" || err == nil && p != root && !all {
				return fs.SkipDir
			}
			return nil
		}
		if ok, _ := path.Match(match, d.Name()); ok {
			rel, _ := filepath.Rel(root, filepath.Dir(p))
			name := "./" + filepath.ToSlash(rel)
			if rel == "." {
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

// minting returns the packages that .ci/minting lists.
func minting(t *testing.T, root string) []string {
	return strings.Fields(read(t, root, ".ci", "minting"))
}

// TestMinting checks that .ci/minting lists all packages of the root module but programs and this one, and that whoever needs
// the list reads it there.
func TestMinting(t *testing.T) {
	root := Root(t)
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(folders(t, root, "*.go", false))), func(name string) bool {
		return name == "./internal/docs" || strings.HasPrefix(name, "./cmd/") || strings.HasPrefix(name, "./examples/")
	})
	if got := slices.Sorted(slices.Values(minting(t, root))); !slices.Equal(got, want) {
		t.Errorf(".ci/minting lists %q, want %q", got, want)
	}
	for _, file := range []string{".ci/run", ".ci/architectures", ".github/workflows/ci.yml"} {
		if !strings.Contains(read(t, root, filepath.FromSlash(file)), ".ci/minting") {
			t.Errorf("%s does not read .ci/minting", file)
		}
	}
}

// TestUnsafe counts the lines of the packages that mint which use unsafe, and compares with SECURITY.md.
func TestUnsafe(t *testing.T) {
	root := Root(t)
	var uses []string
	all := folders(t, root, "*.go", false)
	for _, name := range minting(t, root) {
		for _, file := range all[name] {
			if !strings.HasSuffix(file, "_test.go") {
				uses = append(uses, regexp.MustCompile(`(?m)^[^/\n]*\bunsafe\..*$`).FindAllString(read(t, file), -1)...)
			}
		}
	}
	number := map[int]string{0: "no use", 1: "one use", 2: "two uses", 3: "three uses"}[len(uses)]
	if !strings.Contains(read(t, root, "SECURITY.md"), " and "+number+" of `unsafe`") {
		t.Errorf("SECURITY.md does not say that there are %s of `unsafe` in the packages that mint: %q", number, uses)
	}
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark|Example)[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)[A-Z_]\w*)\(`)
)

// TestTestNames checks that each test that a page names exists, and that docs/proof.md names and counts all fuzz targets.
func TestTestNames(t *testing.T) {
	root := Root(t)
	defined := map[string]bool{}
	fuzz := 0 // targets outside the laboratory
	for folder, files := range folders(t, root, "*_test.go", true) {
		for _, file := range files {
			for _, m := range testFunc.FindAllStringSubmatch(read(t, file), -1) {
				defined[m[1]] = true
				if strings.HasPrefix(m[1], "Fuzz") && !strings.HasPrefix(folder, "./internal/lab") {
					fuzz++
				}
			}
		}
	}
	for _, page := range publicPages(t, root) {
		for _, name := range testName.FindAllString(read(t, root, filepath.FromSlash(page)), -1) {
			if !defined[name] {
				t.Errorf("%s names %s, which does not exist", page, name)
			}
		}
	}
	proof := read(t, root, "docs", "proof.md")
	for name := range defined {
		if strings.HasPrefix(name, "Fuzz") && !regexp.MustCompile(name+`\b`).MatchString(proof) {
			t.Errorf("docs/proof.md does not name %s", name)
		}
	}
	if !strings.Contains(proof, "| "+strconv.Itoa(fuzz)+" targets, ") {
		t.Errorf("docs/proof.md does not say that there are %d fuzz targets outside of the laboratory", fuzz)
	}
}

// badRows returns the rows of the tables of a page that stand twice in one table, and the cells that are longer than 300 characters.
func badRows(text string) (rows []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			clear(seen)
			continue
		}
		long := slices.ContainsFunc(strings.Split(line, "|"), func(cell string) bool {
			return utf8.RuneCountInString(strings.TrimSpace(cell)) > 300
		})
		if seen[line] || long {
			rows = append(rows, line)
		}
		seen[line] = true
	}
	return rows
}

// headless is a row after an empty line that is not the head of a table.
var headless = regexp.MustCompile(`\n\n\|.*\n([^|\n].*|\| ?[^- \n].*|\n|$)`)

// TestPagesAreShort checks how much there is to read: 28,000 words in all pages but the laboratory's and
// CHANGELOG, which grows with each release, blocks of code not counted;
// 700 on a page of docs/from; 190 lines of README; in the pages for users, 160 characters in a line and 300 in a cell of a table.
// No row stands twice in a table.
func TestPagesAreShort(t *testing.T) {
	root := Root(t)
	words := 0
	for page, text := range texts(t, root) {
		if page != "CHANGELOG.md" && !strings.HasPrefix(page, "internal/lab/") {
			words += len(strings.Fields(fenced.ReplaceAllString(text, "")))
		}
	}
	for _, page := range publicPages(t, root) {
		text := read(t, root, filepath.FromSlash(page))
		if n := len(strings.Fields(fenced.ReplaceAllString(text, ""))); strings.HasPrefix(page, "docs/from/") && n > 700 {
			t.Errorf("%s has %d words, want at most 700", page, n)
		}
		for _, row := range headless.FindAllString(text, -1) {
			t.Errorf("%s: a row is in no table, after an empty line:%s", page, row)
		}
		for line := range strings.Lines(text) {
			n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
			if n > 160 && !strings.HasPrefix(strings.TrimSpace(line), "|") {
				t.Errorf("%s: a line has %d characters, want at most 160: %s", page, n, line)
			}
		}
		for _, row := range badRows(text) {
			t.Errorf("%s: a row stands twice, or has a cell of more than 300 characters: %s", page, row)
		}
	}
	if words > 28_000 || words < 10_000 {
		t.Errorf("the pages have %d words, want at most 28,000", words)
	}
	readme := read(t, root, "README.md")
	if n := strings.Count(readme, "\n"); n > 190 {
		t.Errorf("README.md has %d lines, want at most 190", n)
	}
	for _, command := range []string{"`go run ./examples/quickstart`", "`go test ./...`"} { // which do all on a fresh machine
		if !strings.Contains(readme, command) {
			t.Errorf("README.md does not have the command %s", command)
		}
	}
	for text, want := range map[string]int{
		"| a |\n| --- |\n| b |\n| c |\n":                        0,
		"| a |\n| --- |\n| b |\n| c |\n| b |\n":                 1,
		"| a |\n| --- |\n| b |\n\n| a |\n| --- |\n| b |\n":      0,
		"| a | b |\n| b | " + strings.Repeat("ü", 300) + " |\n": 0,
		"| a | b |\n| b | " + strings.Repeat("u", 301) + " |\n": 1,
	} {
		if got := badRows(text); len(got) != want {
			t.Errorf("%.40q has %d bad rows, want %d", text, len(got), want)
		}
	}
}

var codeLine = regexp.MustCompile(`(?m)^[ \t]*(?:[^/ \t\n]|/[^/\n]).*$`)

// TestSize counts lines of code, which are those that are neither blank nor a comment, of the root and of
// its clock, and checks that CONTRIBUTING.md has a row for each file.
func TestSize(t *testing.T) {
	root := Root(t)
	lines := func(files []string) (n int) {
		for _, file := range files {
			n += len(codeLine.FindAllString(read(t, file), -1))
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
	if n := len(codeLine.FindAllString("a\n\n\t// b\n\t/* c\n}\n /\n//d\n  \nx / y // z\n", -1)); n != 4 {
		t.Errorf("of four lines of code %d are counted", n)
	}
}
