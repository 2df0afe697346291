package docs

// Tests of the links on the pages and of the names on them.

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// texts returns all Markdown pages of the repository by their paths, with slashes, relative to
// root.
func texts(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	for _, paths := range folders(t, root, "*.md", true) {
		for _, p := range paths {
			all[p] = read(t, root, p)
		}
	}
	return all
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$|^    [^\n]*$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notSlug = regexp.MustCompile(`[^\pL\pN _-]`)
)

// anchors returns the anchors that GitHub gives a page's headings. Of equal headings, it returns
// only the first one's.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		title := link.ReplaceAllString(m[1], "")
		slug := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
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
}

// follow returns the reason why a link leads nowhere, or "".
func follow(root string, all map[string]string, page, target string) string {
	file, anchor, hasAnchor := strings.Cut(target, "#")
	to := path.Join(path.Dir(page), file)
	if file == "" {
		to = page
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
		return "there is no such file"
	}
	if hasAnchor && !anchors(all[to])[anchor] {
		return fmt.Sprintf("the headings are %q", slices.Sorted(maps.Keys(anchors(all[to]))))
	}
	return ""
}

var (
	listed    = regexp.MustCompile(`(?m)^(\w+): (?:func|type|const|var) (\w+)`)
	qualified = regexp.MustCompile(`\b(ids|uuid|ulid|snowflake|clockfile|typeid)\.([A-Z]\w*)`)
)

// foreign returns the names in code on a page that look like this library's but are not exported.
// In a table with a column "`ids`", the columns before it are about other libraries.
func foreign(text string, exported map[string]bool) (names []string) {
	ours := 0
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			ours = 0
		} else if i := slices.Index(cells, " `ids` "); i > 0 {
			ours = i
		}
		for _, span := range code.FindAllString(strings.Join(cells[min(ours, len(cells)):], "|"), -1) {
			for _, m := range qualified.FindAllStringSubmatch(span, -1) {
				if !exported[m[0]] {
					names = append(names, m[0])
				}
			}
		}
	}
	return names
}

// TestNames checks that the functions and types named on pages exist.
func TestNames(t *testing.T) {
	root := Root(t)
	exported := map[string]bool{}
	for _, m := range listed.FindAllStringSubmatch(read(t, root, "api.txt"), -1) {
		exported[m[1]+"."+m[2]] = true
	}
	all := texts(t, root)
	for _, page := range pages(root) {
		for _, name := range foreign(all[page], exported) {
			t.Errorf("%s names %s, which is not exported", page, name)
		}
	}
}
