// Package compare compares this library with others that make identifiers. It is the only package
// of the laboratory that needs other modules.
//
// Its benchmarks are named Benchmark<Operation>/<kind>/<library>:
//
//	go -C internal/lab/compare test -run '^$' -bench 'New/V7'
//
// The command report runs all of them several times and writes the tables of docs/speed.md:
//
//	go -C internal/lab/compare run ./cmd/report
//
// Its tests check the claims about other libraries in docs/compare.md. They also check that
// decoders differ from the other libraries' decoders only where a list allows it, and which IDs are
// read as different IDs after a move.
package compare
