package docs

import (
	"regexp"
	"strings"
	"testing"
)

var command = regexp.MustCompile("(?m)^Command: `[^`]+`(?: in `[^`]+`)?$")

// measured are the parts of pages in which all tables are measurements: what follows the first text, up to the second.
var measured = map[string][2]string{
	"docs/promises.md":    {"\n## What other libraries do\n"},
	"docs/proof.md":       {"\n## Simulator\n"},
	"docs/speed.md":       {},
	"nodelease/README.md": {"\n## Slow stores\n"},
}

// uncommanded returns the heads of tables above which no command is named that makes them.
func uncommanded(text string) (heads []string) {
	above := "" // since the last table
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		if !strings.HasPrefix(line, "|") {
			above = strings.TrimPrefix(above, "|") + line
			continue
		}
		if !strings.HasPrefix(above, "|") && !command.MatchString(above) {
			heads = append(heads, line)
		}
		above = "|"
	}
	return heads
}

// TestCommands checks that each table of measurements names the command that makes it.
func TestCommands(t *testing.T) {
	all := texts(t, Root(t))
	for page, part := range measured {
		_, text, ok := strings.Cut(all[page], part[0])
		if part[1] != "" {
			text, _, _ = strings.Cut(text, part[1])
		}
		if !ok || !strings.Contains(text, "\n| ") {
			t.Errorf("%s has no tables of measurements after %q and before %q", page, part[0], part[1])
		}
		for _, head := range uncommanded(text) {
			t.Errorf("%s: no command is named for %s", page, head)
		}
	}
	for text, want := range map[string]int{"Command: `x`\n\n| a |\n| b |\n": 0, "a\n\n| a |\n": 1, "Command: `x`\n\n| a |\n\n| b |\n": 1} {
		if got := uncommanded(text); len(got) != want {
			t.Errorf("%q has %d tables without a command, want %d", text, len(got), want)
		}
	}
}
