package from

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	a, b := lines(before), lines(after)
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%[1]s\n", filepath.ToSlash(name))
	steps := script(a, b)
	const around = 3
	for i := 0; i < len(steps); {
		if steps[i].sign == ' ' {
			i++
			continue
		}
		from, to, same := max(0, i-around), i, 0
		for ; to < len(steps) && same <= 2*around; to++ {
			same++
			if steps[to].sign != ' ' {
				same = 0
			}
		}
		to -= max(0, same-around)
		var text strings.Builder
		var n [2]int
		for _, s := range steps[from:to] {
			n[0] += map[byte]int{' ': 1, '-': 1}[s.sign]
			n[1] += map[byte]int{' ': 1, '+': 1}[s.sign]
			fmt.Fprintf(&text, "%c%s\n", s.sign, strings.TrimSuffix(s.line, "\n"))
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n%s", steps[from].a+1, n[0], steps[from].b+1, n[1], &text)
		i = to
	}
	return out.String()
}

func lines(text []byte) []string {
	all := strings.SplitAfter(string(text), "\n")
	return slices.DeleteFunc(all, func(line string) bool { return line == "" })
}

// A step keeps, removes or adds a line, the one at a before and at b after.
type step struct {
	sign byte
	line string
	a, b int
}

// script returns the steps from a to b. Between the lines that both begin and end with it looks for the longest common
// subsequence, piece by piece: where lines differ, at the nearest ones that are equal.
func script(a, b []string) (steps []step) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			steps = append(steps, step{' ', a[i], i, j})
			i, j = i+1, j+1
			continue
		}
		di, dj := nearest(a[i:], b[j:])
		for range di {
			steps = append(steps, step{'-', a[i], i, j})
			i++
		}
		for range dj {
			steps = append(steps, step{'+', b[j], i, j})
			j++
		}
	}
	return steps
}

// nearest returns how many lines of a and b are to be skipped, so few as can be, until two are equal.
func nearest(a, b []string) (i, j int) {
	for n := 1; n <= len(a)+len(b); n++ {
		for i := max(0, n-len(b)); i <= min(n, len(a)); i++ {
			if j := n - i; i < len(a) && j < len(b) && a[i] == b[j] {
				return i, j
			}
		}
	}
	return len(a), len(b)
}
