// Package compare holds this library side by side with others that make identifiers. It alone of the
// laboratory needs other modules.
//
// Its benchmarks are named Benchmark<Operation>/<kind>/<library>:
//
//	go -C internal/lab/compare test -run '^$' -bench 'New/V7'
//
// The command report runs them all several times and makes the tables of docs/speed.md:
//
//	go -C internal/lab/compare run ./cmd/report
//
// Its tests show what docs/compare.md says of other libraries. They check that decoders differ from theirs
// only where a list says so, and which ids are read as others after a move.
package compare
