package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	// The program that TestBlocks builds imports these: their changes must make the test run anew.
	_ "github.com/oneclock/ids/clockfile"
	_ "github.com/oneclock/ids/snowflake"
	_ "github.com/oneclock/ids/ulid"
	_ "github.com/oneclock/ids/uuid"
)

// TestBlocks compiles and runs the Go on the pages that needs the root module alone.
func TestBlocks(t *testing.T) {
	Run(t, Module, map[string]string{
		"ctx":        "context.Background()",
		"firstStart": "true",
	})
}

// TestModules checks that each module that has blocks runs them.
func TestModules(t *testing.T) {
	root := Root(t)
	all, err := blocks(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{Module: true}
	for _, b := range all {
		if seen[b.module] || b.skip != "" {
			continue
		}
		seen[b.module] = true
		t.Run(strings.ReplaceAll(b.module, "/", "_"), func(t *testing.T) {
			dir := filepath.Join(root, filepath.FromSlash(b.module))
			tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range tests {
				if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), fmt.Sprintf("docs.Run(t, %q", b.module)) {
					return
				}
			}
			t.Errorf("%s is a block of module %s, none of whose tests calls docs.Run", b, b.module)
		})
	}
}

// TestSource shows what becomes of blocks, and of wrong ones.
func TestSource(t *testing.T) {
	for _, c := range []struct{ code, has string }{
		{"fmt.Println(1)\n", "import fmt \"fmt\"\n"},
		{"import \"github.com/oneclock/ids/uuid\"\n\nu := uuid.NewV7()\n", "_ = u\n"},
		{"u, err := uuid.Parse(s)\n", "return err\n"},
		{"id, err := m.Next(ctx)\n", "ctx := background\n"},
		{"type T struct{ uuid.UUID }\n\nfunc f(T) {}\n", "func Run() error { return nil }\n"},
	} {
		b := &block{page: "page.md", line: 10, code: c.code}
		got, err := b.source("", map[string]string{"ctx": "background"})
		if err != nil || !strings.Contains(got, c.has) {
			t.Errorf("%q became, with the error %v,\n%s\nwithout %q", c.code, err, got, c.has)
		}
	}
	if got, err := (&block{code: "u := \n"}).source("", nil); err == nil {
		t.Errorf("code that ends early became %q", got)
	}
}

// texts returns all pages of the repository in Markdown by their paths, with slashes, relative to
// root, without what a module of another name downloads.
func texts(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".md" {
			return nil
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		all[filepath.ToSlash(rel)] = strings.ReplaceAll(string(text), "\r\n", "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$|^    .*$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notSlug = regexp.MustCompile(`[^\pL\pN _-]`)
)

// anchors returns the anchors that GitHub gives the headings of a page.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		title := link.ReplaceAllString(m[1], "")
		slug := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
		for base, n := slug, 1; all[slug]; n++ {
			slug = fmt.Sprintf("%s-%d", base, n)
		}
		all[slug] = true
	}
	return all
}

// TestLinks checks that each relative link and each anchor on any page leads somewhere.
func TestLinks(t *testing.T) {
	root := Root(t)
	all := texts(t, root)
	n := 0
	for page, text := range all {
		text = code.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			n++
			if problem := follow(root, all, page, m[1]); problem != "" {
				t.Errorf("%s links to %s: %s", page, m[1], problem)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d links were found", n)
	}
	for _, broken := range []string{"docs/none.md", "docs/speed.md#none", "#none", "../outside.md"} {
		if follow(root, all, "README.md", broken) == "" {
			t.Errorf("the link %s is not found broken", broken)
		}
	}
}

// follow says why a link leads nowhere, or "".
func follow(root string, all map[string]string, page, target string) string {
	file, anchor, hasAnchor := strings.Cut(target, "#")
	to := path.Join(path.Dir(page), file)
	if file == "" {
		to = page
	}
	if strings.HasPrefix(to, "..") {
		return "it is outside of the repository"
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
		return "there is no such file"
	}
	if hasAnchor && !anchors(all[to])[anchor] {
		return fmt.Sprintf("the headings are %q", slices.Sorted(func(yield func(string) bool) {
			for a := range anchors(all[to]) {
				if !yield(a) {
					return
				}
			}
		}))
	}
	return ""
}

var (
	command = regexp.MustCompile("^Command: `[^`]+`(?: in `[^`]+`)?$")
	figure  = regexp.MustCompile(`\d ?(?:ns|µs|ms|s|B|KiB|MiB|GB|%)\b`)
)

// uncommanded returns the lines of a page with figures, whose tables must each have a line above
// with the command that makes them. So must text with figures outside of tables, if all is set.
func uncommanded(text string, all bool) (lines []string) {
	named, inTable := "", false // where a command was named: for the table that follows, for the text
	text = fenced.ReplaceAllString(text, "")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		isRow := strings.HasPrefix(line, "|")
		switch {
		case strings.HasPrefix(line, "#"):
			named = ""
		case command.MatchString(line):
			named = "table"
		case isRow && !inTable && named != "table":
			lines = append(lines, line)
		case isRow && !inTable:
			named = "text"
		case !isRow && all && named == "" && figure.MatchString(code.ReplaceAllString(line, "")):
			lines = append(lines, line)
		}
		inTable = isRow
	}
	return lines
}

// measured are the parts of pages in which all tables are measurements: what follows the first text,
// up to the second.
var measured = map[string][2]string{
	"README.md":      {"\n## Speed\n"},
	"docs/faults.md": {},
	"docs/nodes.md":  {"\n## What minting did\n", "\n| TTL | window |"}, // from there on, they are calculated
	"docs/proof.md":  {"\n## Simulator\n"},
	"docs/speed.md":  {},
}

// TestCommands checks that each table of measurements names the command that makes it, and on the
// page of speed each other figure too. A page with a command outside of those parts must be added.
func TestCommands(t *testing.T) {
	root := Root(t)
	all := texts(t, root)
	names, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for page := range measured {
		if !slices.Contains(names, page) {
			t.Errorf("there is no page %s", page)
		}
	}
	for _, page := range names {
		before, text, after := all[page], "", ""
		if part, ok := measured[page]; ok {
			if before, text, _ = strings.Cut(all[page], part[0]); part[1] != "" {
				text, after, _ = strings.Cut(text, part[1])
			}
			if !strings.Contains(text, "\n| ") {
				t.Errorf("%s has no tables of measurements after %q and before %q", page, part[0], part[1])
			}
		}
		for line := range strings.Lines(before + after) {
			if command.MatchString(strings.TrimRight(line, "\n")) {
				t.Errorf("%s measures outside of the parts that are checked: %s", page, line)
			}
		}
		for _, line := range uncommanded(text, page == "docs/speed.md") {
			t.Errorf("%s: no command is named for %s", page, line)
		}
	}
	for text, want := range map[string]int{
		"# A\n\nCommand: `x`\n\n| a |\n| --- |\n":                        0,
		"# A\n\nCommand: `x` in `dir`\n\n| a |\n| --- |\n":               0,
		"# A\n\n| a |\n| --- |\n":                                        1,
		"# A\n\nCommand: `x`\n\n| a |\n\n| b |\n":                        1,
		"# A\n\nCommand: `x`\n\n| a |\n\n# B\n\n| b |\n":                 1,
		"# A\n\nIt takes 3.5 ns.\n":                                      1,
		"# A\n\nCommand: `x`\n\nIt takes 3.5 ns, which is 20% of 17 ns.": 0,
	} {
		if got := uncommanded(text, true); len(got) != want {
			t.Errorf("%q has %d lines without a command, want %d: %q", text, len(got), want, got)
		}
	}
}

var (
	declared  = regexp.MustCompile(`(?m)^(\w+): (?:func|type|const|var) (\w+)`)
	qualified = regexp.MustCompile(`\b(ids|uuid|ulid|snowflake|clockfile)\.([A-Z]\w*)`)
)

// foreign returns the names of this library in code on a page that it does not export. In a table
// with a column "here", the columns before it are about other libraries.
func foreign(text string, exported map[string]bool) (names []string) {
	here := 0
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			here = 0
		} else if i := slices.Index(cells, " here "); i > 0 {
			here = i
		}
		for _, span := range code.FindAllString(strings.Join(cells[min(here, len(cells)):], "|"), -1) {
			for _, m := range qualified.FindAllStringSubmatch(span, -1) {
				if !exported[m[0]] {
					names = append(names, m[0])
				}
			}
		}
	}
	return names
}

// TestNames checks that the pages name functions and types that there are.
func TestNames(t *testing.T) {
	root := Root(t)
	api, err := os.ReadFile(filepath.Join(root, "api.txt"))
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, m := range declared.FindAllStringSubmatch(string(api), -1) {
		exported[m[1]+"."+m[2]] = true
	}
	all := texts(t, root)
	names, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range names {
		for _, name := range foreign(all[page], exported) {
			t.Errorf("%s names %s, which is not exported", page, name)
		}
	}
	for text, want := range map[string]int{
		"`uuid.NewV7()` or `uuid.NewV9`":                                1,
		"| there | here |\n| --- | --- |\n| `uuid.Must` | `uuid.New` |": 0,
		"| there | here |\n| --- | --- |\n| `uuid.Must` | `uuid.Now` |": 1,
	} {
		if got := foreign(text, exported); len(got) != want {
			t.Errorf("%q has %q, want %d names", text, got, want)
		}
	}
}
