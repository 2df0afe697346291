package main

// This file parses and summarizes the benchmarks' output.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// results contains the times that the benchmarks measured in several rounds.
type results struct {
	config map[string]string    // facts about the machine, such as "cpu"
	ns     map[string][]float64 // maps "operation/kind/library" to the times in each round
	rounds int
}

// read parses the output of benchmarks. Like benchstat, it skips text that is not a result.
func read(in io.Reader) (*results, error) {
	r := &results{config: map[string]string{}, ns: map[string][]float64{}}
	reader := benchfmt.NewReader(in, "benchmarks")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		for _, c := range result.Config {
			r.config[c.Key] = strings.TrimSpace(string(c.Value)) // the processor's name may be padded
		}
		name, _, _ := strings.Cut(string(result.Name.Full()), "-") // the rest is GOMAXPROCS
		sec, _ := result.Value("sec/op")
		r.ns[name] = append(r.ns[name], sec*1e9)
		r.rounds = max(r.rounds, len(r.ns[name]))
	}
	return r, reader.Err()
}

// median returns the median time of a benchmark and its 95% confidence interval. It computes them
// in the same way as benchstat.
func (r *results) median(name string) (s benchmath.Summary, ok bool) {
	if len(r.ns[name]) == 0 {
		return s, false
	}
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(slices.Clone(r.ns[name]), &thresholds) // NewSample sorts it
	return benchmath.AssumeNothing.Summary(sample, 0.95), true
}

// typical returns the round in which the times of the named benchmarks are closest to their medians
// on a logarithmic scale. The rounds run in different processes, and the machine's state may change
// between two rounds. Therefore, times that are compared with each other are all taken from the
// most typical round. Names without results are ignored.
func (r *results) typical(names []string) (round int) {
	least := math.Inf(1)
	for i := range r.rounds {
		sum := 0.0
		for _, name := range names {
			if s, ok := r.median(name); ok {
				sum += math.Abs(math.Log(r.ns[name][i] / s.Center))
			}
		}
		if sum < least {
			round, least = i, sum
		}
	}
	return round
}

// unsteady reports whether the times of the named benchmarks vary by a factor of more than 1.25
// between rounds. The fastest and the slowest tenth of the rounds are ignored.
func (r *results) unsteady(names []string) bool {
	sums, n := make([]float64, r.rounds), 0 // sums of logarithms
	for _, name := range names {
		for i, ns := range r.ns[name] {
			sums[i] += math.Log(ns)
		}
		n += min(len(r.ns[name]), 1)
	}
	slices.Sort(sums)
	tenth := r.rounds / 10
	return n > 0 && sums[r.rounds-1-tenth]-sums[tenth] > float64(n)*math.Log(1.25)
}

// time returns the time per ID that a benchmark measured in the given round, as text. Each
// iteration of the benchmark generates n IDs. If the benchmark has no results, time returns "".
func (r *results) time(name string, n float64, round int) string {
	if len(r.ns[name]) == 0 {
		return ""
	}
	return number(r.ns[name][round] / n)
}

// middle formats the median of a benchmark's results. It returns "" if the benchmark has no
// results.
func (r *results) middle(name string) string {
	s, ok := r.median(name)
	if !ok {
		return ""
	}
	return number(s.Center)
}

// spread formats the distance from the median to the farther end of its confidence interval, as a
// percentage of the median. It returns "" if there were too few rounds.
func (r *results) spread(name string) string {
	s, ok := r.median(name)
	if !ok || math.IsInf(s.Hi-s.Lo, 0) || math.IsNaN(s.Hi-s.Lo) {
		return ""
	}
	return fmt.Sprintf(" ±%.0f%%", 100*max(s.Hi-s.Center, s.Center-s.Lo)/s.Center)
}

// number formats v with three significant digits and with commas between thousands. If v is 1,000
// or more, all digits of its integer part are kept.
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
