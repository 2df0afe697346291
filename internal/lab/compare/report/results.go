// Package report runs the benchmarks of package compare and turns what they print into tables
// and a chart.
package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// A Key names a benchmark: Benchmark<Operation>/<Kind>/<Library>.
type Key struct {
	Operation, Kind, Library string

	// CPU is GOMAXPROCS in Benchmark<Parallel>, which runs with several, and 0 elsewhere.
	CPU int
}

// Parallel is the operation that runs with several values of GOMAXPROCS.
const Parallel = "Parallel"

// Results are what the benchmarks of several rounds printed.
type Results struct {
	// Config has what the benchmarks print of the machine, such as "cpu".
	Config map[string]string

	ns     map[Key][]float64 // one for each round
	bytes  map[Key]float64
	allocs map[Key]float64
}

// NewResults returns results without any.
func NewResults() *Results {
	return &Results{map[string]string{}, map[Key][]float64{}, map[Key]float64{}, map[Key]float64{}}
}

// Read adds the results of one round, and calls seen after each. Text that is not a result is
// passed over, as benchstat does.
func (r *Results) Read(in io.Reader, seen func(Key)) error {
	reader := benchfmt.NewReader(in, "benchmarks")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		key, err := parseName(result.Name)
		if err != nil {
			return err
		}
		for _, c := range result.Config {
			r.Config[c.Key] = string(c.Value)
		}
		sec, _ := result.Value("sec/op")
		r.ns[key] = append(r.ns[key], sec*1e9)
		r.bytes[key], _ = result.Value("B/op")
		r.allocs[key], _ = result.Value("allocs/op")
		seen(key)
	}
	return reader.Err()
}

// parseName returns the key of a benchmark's full name, such as "New/V7/ids-2".
func parseName(name benchfmt.Name) (Key, error) {
	base, parts := name.Parts()
	cpu := 1
	if n := len(parts); n > 0 && parts[n-1][0] == '-' {
		if _, err := fmt.Sscanf(string(parts[n-1]), "-%d", &cpu); err != nil {
			return Key{}, fmt.Errorf("benchmark %s: the suffix is not a number", name)
		}
		parts = parts[:n-1]
	}
	if len(parts) != 2 {
		return Key{}, fmt.Errorf("benchmark %s: the name is not operation/kind/library", name)
	}
	trim := func(part []byte) string { return strings.TrimPrefix(string(part), "/") }
	k := Key{Operation: string(base), Kind: trim(parts[0]), Library: trim(parts[1])}
	if k.Operation == Parallel {
		k.CPU = cpu
	}
	return k, nil
}

// Has reports whether there is a result of k.
func (r *Results) Has(k Key) bool { return len(r.ns[k]) > 0 }

// Rounds returns how many results of each benchmark there are.
func (r *Results) Rounds() int {
	n := 0
	for _, v := range r.ns {
		n = max(n, len(v))
	}
	return n
}

// Time returns the median of the nanoseconds of k, with its confidence interval.
func (r *Results) Time(k Key) benchmath.Summary { return median(r.ns[k]) }

// Ratio returns the median of the ratios of a to b, both divided by how many ids one call of
// theirs makes. The two are compared within each round, where they ran one after the other, so
// that a machine whose speed drifts does the least harm.
func (r *Results) Ratio(a Key, perA float64, b Key, perB float64) benchmath.Summary {
	x, y := r.ns[a], r.ns[b]
	ratios := make([]float64, min(len(x), len(y)))
	for i := range ratios {
		ratios[i] = (x[i] / perA) / (y[i] / perB)
	}
	return median(ratios)
}

// confidence is that of the intervals.
const confidence = 0.95

// median summarizes values as benchstat does.
func median(values []float64) benchmath.Summary {
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(append([]float64(nil), values...), &thresholds)
	return benchmath.AssumeNothing.Summary(sample, confidence)
}

// interval formats the confidence interval of s, if there were enough rounds for one.
func interval(s benchmath.Summary) string {
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || math.IsNaN(s.Lo+s.Hi) {
		return ""
	}
	return fmt.Sprintf("%.2f–%.2f", s.Lo, s.Hi)
}

// spread formats the confidence interval of s as the larger distance from its center.
func spread(s benchmath.Summary) string {
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || math.IsNaN(s.Lo+s.Hi) {
		return ""
	}
	return fmt.Sprintf(" ±%.0f%%", 100*max(s.Hi-s.Center, s.Center-s.Lo)/s.Center)
}

// number formats v with three digits that count, and groups of thousands.
func number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "?"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return Thousands(int(math.Round(v)))
}

// Thousands formats n in groups of three digits.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
