// Package markdown writes what programs have measured into pages of the documentation.
package markdown

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Put replaces what stands between the markers <!-- name:begin --> and <!-- name:end --> in a
// file by text. If the path is empty it prints text.
func Put(path, name, text string) error {
	if path == "" {
		_, err := fmt.Println(strings.TrimSpace(text))
		return err
	}
	before, after, err := split(path, name)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+"\n\n"+strings.TrimSpace(text)+"\n\n"+after), 0o644)
}

// CanPut returns the error that [Put] would return, so that nothing need be measured in vain.
func CanPut(path, name string) error {
	if path == "" {
		return nil
	}
	_, _, err := split(path, name)
	return err
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

// Join returns numbers in a row.
func Join(ns ...int64) string {
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = Grouped(n)
	}
	return strings.Join(texts, " · ")
}

// Grouped returns n with a comma between thousands.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
