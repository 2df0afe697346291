// Package ids mints, parses and stores identifiers: UUIDs of versions 1 to 8, ULIDs and
// Snowflakes. Packages uuid, ulid and snowflake offer the same under shorter names:
//
//	uuid.NewV7()      ulid.Make()      snowflake.Next()
//
// Package clockfile keeps a [Clock] across restarts in a file, and package typeid has ids with a
// prefix. Module github.com/oneclock/ids/nodelease leases node numbers from a database.
//
// # Which id to use
//
//   - For a key of a database table, or if in doubt: [NewV7]. It sorts by time, so that an
//     index grows at its end, and databases store it in 16 bytes.
//   - For a value that must not reveal when it was made: [NewV4].
//   - For the same id from the same name, on every machine: [NewV5].
//   - For 26 characters that sort, without hyphens, in URLs and file names: [NewULID].
//   - For 8 bytes instead of 16, if each process can have a number of its own: [NextSnowflake].
//   - Versions 1, 2, 3 and 6 are for interoperability. Version 8 carries your own bits.
//
// An id is not a secret. Versions 1 and 6, ULIDs with [GeneratorOptions].ULIDMonotonic and
// Snowflakes can be guessed from their neighbours.
//
// # Promises
//
// If two conflict, the earlier one wins. They do not cover version 2, nor ids made from a time, a name or
// bits that you supply.
//
//  1. Unique. No two UUIDs of one version, no two ULIDs and no two Snowflakes of one layout from one
//     [Clock] are equal, whatever the wall clock does: steps of any size in either direction, a clock
//     that stands still, that jitters, that restarts in the past (given the time saved before: see
//     [NewLimitedClock]). Snowflakes of different layouts can be equal.
//  2. Ordered. Versions 6 and 7 of one Clock, the ULIDs of one [Generator] and the Snowflakes of one node
//     each strictly increase: if one call returns before another begins, its id is the smaller. The
//     table below has the exceptions.
//  3. Live. No call waits on a clock for more than 20 ms, unless a [ClockLimit] withholds its id; a run of
//     n ids waits no longer than n calls. None spins, or sleeps with a mutex held.
//  4. True. The embedded time is at most [ClockOptions].MaxAhead (10 ms) ahead of the wall clock. It
//     may be further ahead if the wall clock has been set back, stands still, or is behind
//     [ClockOptions].After; then the gap closes, even under full load, unless as many calls wait at once as
//     the whole ticks in 20 ms hold ids: 512 in Sonyflake's layout, 81,920 in Twitter's. Since no call waits longer
//     than 20 ms, the gap then stays. With more calls, or a tick of 20 ms or longer, it grows.
//     [SnowflakeNode.TryNext] refuses there instead.
//
// After a step back, a scheme keeps ascending or follows the wall clock, out of order. That depends on how
// far the wall clock is behind the latest id of the scheme. No scheme follows jitter, which is a
// difference of at most MaxAhead, or of at most 1 ms if MaxAhead is less:
//
//	            at most Tolerance (10 s)             more
//	V1          follow, with next clock sequence     the same
//	V6          keep ascending                       follow, with next clock sequence
//	V7, ULID    keep ascending                       follow, with fresh random bits
//	Snowflake   keep ascending                       keep ascending
//
// A wall clock before the first tick of a format counts as in that tick, although [NewSnowflakeNode] refuses
// it. One past the last tick counts as in the tick of the latest id: ids go on from there until the last
// tick is full. Then, or if there is no id yet, a constructor panics with an error that matches [ErrRange]: in
// the year 5236 for versions 1 and 6, in 10889 for version 7 and ULID, at the end of its layout for a Snowflake.
//
// # Randomness
//
// All random bits come from crypto/rand, in blocks of 4 KiB. Each block is a fresh key of 256 bits,
// expanded with AES-256-CTR. On architectures other than amd64, arm64, ppc64, ppc64le and s390x, or with
// the build tag purego, crypto/rand fills the block itself. A processor of one of these five that has no
// AES instructions, such as a Raspberry Pi 4's, expands the key in plain Go, and a version 4 costs some
// four times as much. Bytes are wiped as they are handed out, but Go leaves the cipher's key schedule in
// memory: anyone who can read the memory of the process may learn ids that were handed out. Call [Reseed]
// after a virtual machine is restored or cloned, or, where nobody can call it, import package nostock,
// with which each id reads crypto/rand itself. All of this runs with GODEBUG=fips140=only, but FIPS 140
// does not approve the expansion as a generator: if you need one that it approves, set
// [GeneratorOptions].Random to the Reader of crypto/rand.
//
// # Text, databases and errors
//
// The types implement the interfaces of encoding, encoding/json and database/sql: see [Null] and
// [Binary]. A decoder writes its receiver only on success. For its errors see [ParseError].
//
// # Testing
//
// With a [Clock] whose Now is injected and a [Generator] whose Random is injected, ids are the same in
// every run of one version of this package: a minor version may change them. Let code that makes ids
// take a *Generator, or a func() UUID, so that a test can give it one.
//
// In a testing/synctest bubble the wall clock is the bubble's. A test that needs its exact time makes a
// Clock in the bubble, and uses it in no other: ids of the default Clock may be up to 10 s ahead, if an
// earlier bubble has made some. A bubble begins in the year 2000, before Twitter's epoch: give its
// [SnowflakeNode] a layout with an earlier one. Where [NextSnowflake] is called in a bubble, the
// environment variable IDS_SNOWFLAKE_NODE must be "random", or not set.
package ids
