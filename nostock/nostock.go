// Package nostock prevents package ids from generating random bytes in advance. Use it on virtual
// machines that are restored from a snapshot, perhaps many times, if no code can call ids.Reseed
// after a restore, as on serverless platforms. Import it in package main for its side effect, as
// with time/tzdata:
//
//	import _ "github.com/oneclock/ids/nostock"
//
// With this import, each call that generates version 4 or 7 UUIDs or ULIDs reads crypto/rand
// itself, before it locks a mutex. A call that generates n IDs reads the random bits for exactly n
// IDs. Generating a version 7 UUID or a ULID takes more than twice as long, and generating a
// version 4 UUID takes about three times as long. The import does not change when a
// GeneratorOptions.Random is read.
//
// The kernel must detect that it was restored and return different bytes from that moment on. Linux
// has done this since version 5.18 on machines with VMGenID. Neither this package nor package ids
// detects a restore. If only a process, and not its kernel, is restored from a checkpoint, whether
// this package helps depends on the checkpoint.
//
// Copies of a machine can still generate equal IDs in calls that were in progress when the snapshot
// was taken, and in calls that read crypto/rand before the kernel has detected the restore. The
// import does not prevent copies from repeating version 1 and 6 UUIDs, Snowflakes or, with
// GeneratorOptions.ULIDMonotonic, ULIDs. The copies share the clock, the count and the node number
// from which these IDs are generated.
package nostock

import "github.com/oneclock/ids/internal/random"

func init() { random.SetUnbuffered() }
