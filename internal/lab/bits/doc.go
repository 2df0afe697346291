// Bits writes the random bits of ids to its standard output, for programs that judge random
// numbers, or counts them itself.
//
//	go -C internal/lab run ./bits v4 | dieharder -g 200 -d 0
//	go -C internal/lab run ./bits -bytes 1e10 v7 | ent
//	go -C internal/lab run ./bits -count 1e8
//
// Nothing but random bits is written: not the time, the version or the variant. They follow each
// other without gaps, so that a bit of an id is not always the same bit of a byte.
//
// With -count it counts how often each bit is set, and how often it is as in the id before. Both
// are binomially distributed if the bits are fair coins. It does the same for the strides by which
// version 7 and ULID raise their random bits within a tick, and measures their mean: that is how
// many guesses it takes on average to find the next id of the same tick, from a known one.
package main
