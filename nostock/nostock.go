// Package nostock keeps package ids from drawing random bytes in advance. It is for virtual machines that are
// restored from a snapshot, perhaps many times, as platforms for functions do, where nobody can call ids.Reseed.
// Import it in main for its effect, as time/tzdata is imported:
//
//	import _ "github.com/oneclock/ids/nostock"
//
// With the import, each version 4 or 7 UUID and each ULID reads crypto/rand itself, before it takes a mutex; a call that
// makes n ids reads the bits of those n. Version 7 and ULID cost twice as much, version 4 nearly three times. A
// GeneratorOptions.Random is read as without the import.
//
// The kernel must notice that it was restored, and return other bytes from that moment on. Linux does so since version 5.18,
// on a machine with VMGenID. Nothing in this program notices. Whether the package helps a process that is restored from a
// checkpoint, without its kernel, depends on the checkpoint.
//
// Copies can still make equal ids in calls that were in progress at the moment of the snapshot, and until the kernel has
// noticed. Versions 1 and 6, Snowflakes and, with GeneratorOptions.ULIDMonotonic, ULIDs of a restored machine repeat as
// without the import: they come from a clock, a count and a node number, which the copies share.
package nostock

import "github.com/oneclock/ids/internal/random"

func init() { random.SetStockless() }
