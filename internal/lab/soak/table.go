package main

import (
	"fmt"
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
