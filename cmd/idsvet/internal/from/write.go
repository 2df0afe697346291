package from

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A change is a file and its new text.
type change struct {
	path        string
	before, now []byte
}

// write replaces the files, each by a rename of a file that is whole. It looks first whether all can be written, and changes
// none if one cannot.
func write(changes []change) error {
	var errs []error
	temps := make([]string, len(changes))
	targets := make([]string, len(changes))
	for i, c := range changes {
		var err error
		targets[i], temps[i], err = prepare(c)
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	for i := range changes {
		if err == nil {
			err = os.Rename(temps[i], targets[i])
		}
		_ = os.Remove(temps[i]) // it is renamed, or was never made
	}
	return err
}

// prepare writes the new text of a file beside it, and returns the path of the file, which c.path may be a link to.
func prepare(c change) (target, temp string, err error) {
	target, err = filepath.EvalSymlinks(c.path)
	info, noInfo := os.Stat(c.path)
	now, noText := os.ReadFile(c.path)
	switch {
	case cmp.Or(err, noInfo, noText) != nil:
		return "", "", cmp.Or(err, noInfo, noText)
	case info.Mode()&0o200 == 0:
		return "", "", fmt.Errorf("%s is read-only; nothing is changed", c.path)
	case !bytes.Equal(now, c.before):
		return "", "", fmt.Errorf("%s has changed since it was read; nothing is changed", c.path)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".idsvet-*")
	if err != nil {
		return "", "", fmt.Errorf("%w; nothing is changed", err)
	}
	_, err = f.Write(c.now)
	return target, f.Name(), errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
}

// unified returns the differences of two texts with three lines around each, as diff -u prints them.
func unified(name string, before, after []byte) string {
	lines := func(text []byte) []string { return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") }
	steps := script(lines(before), lines(after))
	const around = 3
	near := make([]bool, len(steps))
	for i, s := range steps {
		for k := max(0, i-around); s[0] != ' ' && k < min(i+around+1, len(steps)); k++ {
			near[k] = true
		}
	}
	var out, text strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%[1]s\n", filepath.ToSlash(name))
	a, b, fromA, fromB := 0, 0, 0, 0 // lines until now, and until the text began
	for i, s := range steps {
		if near[i] {
			text.WriteString(s + "\n")
		}
		if s[0] != '+' {
			a++
		}
		if s[0] != '-' {
			b++
		}
		if near[i] && i+1 < len(steps) && near[i+1] {
			continue
		}
		if text.Len() > 0 {
			fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n%s", fromA+1, a-fromA, fromB+1, b-fromB, &text)
			text.Reset()
		}
		fromA, fromB = a, b
	}
	return out.String()
}

// script returns the lines of a and b in the order of a diff, each behind its sign.
func script(a, b []string) (steps []string) {
	for len(a)+len(b) > 0 {
		i, j := nearest(a, b)
		for _, line := range a[:i] {
			steps = append(steps, "-"+line)
		}
		for _, line := range b[:j] {
			steps = append(steps, "+"+line)
		}
		if a, b = a[i:], b[j:]; len(a) > 0 {
			steps = append(steps, " "+a[0])
			a, b = a[1:], b[1:]
		}
	}
	return steps
}

// nearest returns how many lines of a and b are to be skipped, so few as can be, until two are equal.
func nearest(a, b []string) (i, j int) {
	for n := range len(a) + len(b) {
		for i := max(0, n-len(b)+1); i <= n && i < len(a); i++ {
			if a[i] == b[n-i] {
				return i, n - i
			}
		}
	}
	return len(a), len(b)
}
