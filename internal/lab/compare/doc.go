// Package compare measures the library of this repository side by side with others that mint
// identifiers, and with the floors below which none of them can go. It alone of the laboratory
// needs other modules.
//
// Every benchmark is named Benchmark<Operation>/<kind>/<library>, and what a library is
// measured against runs next to it:
//
//	go -C internal/lab/compare test -run '^$' -bench 'New/V7'
//
// The command report runs them all several times and makes the tables and the chart of docs/speed.md:
//
//	go -C internal/lab/compare run ./cmd/report
//
// The command faults does to the clock of each library what its API allows, and counts what
// comes of it:
//
//	go -C internal/lab/compare run ./cmd/faults
//
// Go's own package uuid is among the libraries where the toolchain has it, which is from Go
// 1.27 on:
//
//	GOTOOLCHAIN=go1.27.0 go -C internal/lab/compare run ./cmd/report
package compare
