package docs

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

// texts returns all pages of the repository in Markdown by their paths, with slashes, relative to root.
func texts(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	for _, paths := range folders(t, root, "*.md", true) {
		for _, p := range paths {
			rel, _ := filepath.Rel(root, p)
			all[filepath.ToSlash(rel)] = read(t, p)
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
		return fmt.Sprintf("the headings are %q", slices.Sorted(maps.Keys(anchors(all[to]))))
	}
	return ""
}
