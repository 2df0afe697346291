package main

// What the benchmarks printed, read and summarized.

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// results are what the benchmarks of several rounds printed.
type results struct {
	config map[string]string    // what they print of the machine, such as "cpu"
	ns     map[string][]float64 // by "operation/kind/library", one for each round
	rounds int
}

// read reads what benchmarks print. Text that is not a result is passed over, as benchstat does.
func read(in io.Reader) (*results, error) {
	r := &results{config: map[string]string{}, ns: map[string][]float64{}}
	reader := benchfmt.NewReader(in, "benchmarks")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		for _, c := range result.Config {
			r.config[c.Key] = string(c.Value)
		}
		name, _, _ := strings.Cut(string(result.Name.Full()), "-") // GOMAXPROCS
		sec, _ := result.Value("sec/op")
		r.ns[name] = append(r.ns[name], sec*1e9)
		r.rounds = max(r.rounds, len(r.ns[name]))
	}
	return r, reader.Err()
}

// median returns the median of the times of a benchmark and its 95% confidence interval, as benchstat does.
func (r *results) median(name string) (s benchmath.Summary, ok bool) {
	if len(r.ns[name]) == 0 {
		return s, false
	}
	thresholds := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(r.ns[name], &thresholds), 0.95), true
}

// time formats the median of a benchmark of calls for n ids, for one id. It is empty if there is none.
func (r *results) time(name string, n float64) string {
	s, ok := r.median(name)
	if !ok {
		return ""
	}
	return number(s.Center / n)
}

// spread formats the confidence interval as the larger distance from the median, if there were enough rounds.
func (r *results) spread(name string) string {
	s, ok := r.median(name)
	if !ok || math.IsInf(s.Hi-s.Lo, 0) || math.IsNaN(s.Hi-s.Lo) {
		return ""
	}
	return fmt.Sprintf(" ±%.0f%%", 100*max(s.Hi-s.Center, s.Center-s.Lo)/s.Center)
}

// number formats v with three digits that count, and groups of thousands.
func number(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
