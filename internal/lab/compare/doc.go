// Package compare compares this library with other libraries that generate identifiers. In
// internal/lab, only this package and the report command import third-party packages.
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
// check that this library's decoders differ from other libraries' decoders only in the listed
// cases. Finally, the tests check the claims in docs/from about IDs that a program reads
// differently after it has been migrated to this library.
package compare
