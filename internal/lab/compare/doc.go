// Package compare compares this library with other libraries that generate identifiers. It is the
// only package in internal/lab that needs other modules.
//
// Its benchmarks are named Benchmark<Operation>/<kind>/<library>:
//
//	go -C internal/lab/compare test -run '^$' -bench 'New/V7'
//
// The report command runs all benchmarks several times and writes the tables in docs/speed.md:
//
//	go -C internal/lab/compare run ./cmd/report
//
// The tests of this package check the claims about other libraries in docs/compare.md. They also
// check that this library's decoders differ from those of other libraries only in the listed cases,
// and which IDs are read as different IDs after a program has moved to this library.
package compare
