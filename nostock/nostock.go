// Package nostock keeps package ids from drawing random bytes in advance. It is for virtual machines that are
// restored from a snapshot, perhaps many times, as platforms for functions do, where nobody can call ids.Reseed.
// Import it in main for its effect, as time/tzdata is imported:
//
//	import _ "github.com/oneclock/ids/nostock"
//
// Each version 4 and 7 and each ULID of the program then has bits that its own call reads from crypto/rand, before
// it takes a mutex. A run of ids reads the bits of that run. A version 7 UUID or a ULID costs twice as much, a
// version 4 nearly three times. A GeneratorOptions.Random is read as without the import.
//
// The kernel must notice that it was restored, and give other bytes from then on. Linux does so as of version 5.18 on
// a machine that has VMGenID. Nothing in this program notices. Whether the package helps a process that is restored
// from a checkpoint, without its kernel, depends on the checkpoint.
//
// What stays: copies can make equal ids in calls that were in progress at the moment of the snapshot, and until the
// kernel has noticed. Versions 1 and 6, Snowflakes and, with GeneratorOptions.ULIDMonotonic, ULIDs of a restored
// machine repeat all the same. They come from a clock, a count and a node, which the copies have in common.
package nostock

import "github.com/oneclock/ids/internal/random"

func init() { random.SetStockless() }
