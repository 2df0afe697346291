package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A table is one in Markdown.
type table struct{ strings.Builder }

// row adds a row of two columns.
func (t *table) row(name, value string) {
	if t.Len() == 0 {
		t.WriteString("| what | how many |\n| --- | --- |\n")
	}
	fmt.Fprintf(t, "| %s | %s |\n", name, value)
}

// join returns numbers in a row.
func join(ns ...int64) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = grouped(n)
	}
	return strings.Join(texts, " · ")
}

// grouped returns n with a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// publish prints text, or puts it between the markers <!-- name:begin --> and <!-- name:end --> of a
// file, if one is given.
func publish(path, name, text string) error {
	if path == "" {
		fmt.Print(text)
		return nil
	}
	before, after, err := split(path, name)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+"\n\n"+text+"\n"+after), 0o644)
}

// split returns what stands in a file up to the first marker, and from the second on.
func split(path, name string) (before, after string, err error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	begin, end := "<!-- "+name+":begin -->", "<!-- "+name+":end -->"
	before, rest, hasBegin := strings.Cut(string(file), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return "", "", fmt.Errorf("%s does not have the markers %s and %s, in this order", path, begin, end)
	}
	return before + begin, end + after, nil
}
