package faults

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/oneclock/ids/internal/lab/markdown"
)

// Options are what Table needs to know.
type Options struct {
	IDs      int               // of each kind, before and after each fault
	Patience time.Duration     // after which a measurement is taken for hanging
	Versions map[string]string // by the path of the module
}

// Text injects all faults and returns what came of them, in Markdown: a row for each fault and
// a column for each library.
func Text(ctx context.Context, o Options) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "For each cell [a program](../internal/lab/compare/faults) injects the fault and makes %s ids of each kind "+
		"before it and after it, on a clock\nthat is read to 10 µs with 1 to 20 ids at each reading. Unless a cell says otherwise, "+
		"ids of a kind that sorts strictly increased, every call took\nless than %s, and embedded times were within %s of the clock. "+
		"All libraries have a fixed node here, which is not the default of this one. “Hangs”\nmeans that a call had not returned after %s.\n\n",
		markdown.Grouped(int64(o.IDs)), length(shortWait), length(astray), length(o.Patience))
	b.WriteString("| what happens when… |")
	for _, l := range libraries {
		b.WriteString(" " + l.heading(o.Versions) + " |")
	}
	b.WriteString("\n| ---" + strings.Repeat(" | ---", len(libraries)) + " |\n")
	for _, f := range all {
		fmt.Fprintln(os.Stderr, f.title)
		fmt.Fprintf(&b, "| %s |", f.title)
		for _, l := range libraries {
			outcomes, err := outcomes(ctx, &f, l, o)
			if err != nil {
				return "", err
			}
			b.WriteString(" " + cell(&f, outcomes) + " |")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// heading returns the name and version of a library.
func (l *library) heading(versions map[string]string) string {
	if l.module == "oneclock/ids" {
		return "**this library**"
	}
	return l.module + " " + versions["github.com/"+l.module]
}

// outcomes measures all probes of a fault in one library.
func outcomes(ctx context.Context, f *fault, l *library, o Options) ([]Outcome, error) {
	var all []Outcome
	for at := range f.probes(l) {
		outcome, err := run(ctx, f, l, at, o.IDs, o.Patience)
		if err != nil {
			return nil, err
		}
		all = append(all, outcome)
	}
	return all, nil
}

// cell says what came of a fault, kinds with the same end together.
func cell(f *fault, outcomes []Outcome) string {
	if len(outcomes) == 0 {
		return f.without
	}
	kinds := map[string][]string{}
	var said []string
	for _, o := range outcomes {
		s := o.String()
		if kinds[s] == nil {
			said = append(said, s)
		}
		kinds[s] = append(kinds[s], o.Kind)
	}
	for i, s := range said {
		said[i] = strings.Join(kinds[s], ", ") + ": " + s
	}
	return strings.Join(said, "<br>")
}

// Below these nothing is said of a wait, and of an embedded time: the second is what this
// library allows itself.
const (
	shortWait = 500 * time.Microsecond
	astray    = 10 * time.Millisecond
)

// String says what came of it.
func (o Outcome) String() string {
	if o.Hangs {
		return "**hangs**"
	}
	all := []string{"unique"}
	if o.Duplicates > 0 {
		all[0] = fmt.Sprintf("**%s of %s are duplicates**", markdown.Grouped(int64(o.Duplicates)), markdown.Grouped(int64(o.IDs)))
	}
	if o.Disorder > 0 {
		all = append(all, "out of order "+times(o.Disorder))
	}
	if o.Wait >= shortWait {
		all = append(all, "a call takes "+length(o.Wait))
	}
	if o.Astray > astray {
		all = append(all, "time wrong by "+length(o.Astray))
	}
	return strings.Join(all, ", ")
}

// times says how often.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return markdown.Grouped(int64(n)) + " times"
}

// length formats d with three digits that count.
func length(d time.Duration) string {
	const century = 100 * 365 * 24 * time.Hour
	for digit := time.Duration(1); digit < min(d, century); digit *= 10 {
		if d < 1000*digit {
			d = d.Round(digit)
			break
		}
	}
	switch {
	case d >= century:
		return "centuries"
	case d >= time.Hour:
		return fmt.Sprintf("%.3g h", d.Hours())
	case d >= time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/1e6)
}
