package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

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
	"docs/faults.md": {"", "\n## When a virtual machine is copied\n"},
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
