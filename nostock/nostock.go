// Package nostock prevents package ids from generating random bytes in advance. It is for virtual
// machines that are restored from a snapshot, perhaps many times, where no code can call
// ids.Reseed, for example on function platforms. Import it in main for its side effect, like
// time/tzdata:
//
//	import _ "github.com/oneclock/ids/nostock"
//
// With the import, each version 4 or 7 UUID and each ULID reads crypto/rand itself, before it locks
// a mutex. A call that generates n IDs reads the bits for those n. Version 7 UUIDs and ULIDs take
// twice as long, and version 4 UUIDs nearly three times as long. A GeneratorOptions.Random is read
// as without the import.
//
// The kernel must detect that it was restored and return different bytes from that moment on. Linux
// does so since version 5.18, on a machine with VMGenID. Nothing in this program detects a restore.
// Whether the package helps a process that is restored from a checkpoint, without its kernel,
// depends on the checkpoint.
//
// Copies can still generate equal IDs in calls that were in progress at the moment of the snapshot,
// and until the kernel has detected the restore. On a restored machine, version 1 and 6 UUIDs,
// Snowflakes and, with GeneratorOptions.ULIDMonotonic, ULIDs repeat as without the import, because
// they are made from a clock, a count and a node number, which the copies share.
package nostock

import "github.com/oneclock/ids/internal/random"

func init() { random.SetUnbuffered() }
