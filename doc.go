// Package ids makes, parses and stores UUIDs of versions 1 to 8, ULIDs and Snowflakes. Most programs import
// package uuid, ulid or snowflake, where the names are shorter:
//
//	uuid.NewV7()      ulid.Make()      snowflake.Next()
//
// Write the import of package uuid by hand: an editor that adds imports chooses Go's own package of this name.
//
// Package clockfile keeps Snowflakes unique across restarts. Package typeid puts a prefix before an id. Module
// github.com/oneclock/ids/nodelease leases node numbers from a database.
//
// # Which id to use
//
//   - For a key of a database table, or if in doubt: [NewV7]. It sorts by time, so that an index grows at its
//     end, and databases store it in 16 bytes.
//   - For a value that must not reveal when it was made: [NewV4].
//   - For the same id from the same name, on every machine: [NewV5].
//   - For 26 characters that sort, without hyphens, in URLs and file names: [NewULID].
//   - For 8 bytes instead of 16: [NextSnowflake]. Each process needs a node number of its own.
//   - Versions 1, 2, 3 and 6 are for interoperability. Version 8 carries your own bits.
//
// An id is not a secret. Anyone who knows one can guess the next Snowflake, the next UUID of version 1 or 6, or
// the next ULID made with [GeneratorOptions].ULIDMonotonic.
//
// # Promises
//
// In one process, the ids of one [Clock] keep four promises. If two conflict, the earlier one wins. A format is
// a version of UUID, ULID, or one layout of Snowflakes. The wall clock is the system clock, or
// [ClockOptions].Now.
//
//  1. Unique. No two ids of one format are equal, whatever the wall clock does. (Do not give two generators
//     the same [GeneratorOptions].Random bytes.)
//  2. Ordered. UUIDs of version 6 and of version 7, the ULIDs of one [Generator] and the Snowflakes of one node
//     increase: if one call returns before another begins, its id is smaller. The table below has the
//     exceptions.
//  3. Live. No call waits for the wall clock for more than 20 ms, unless a [ClockLimit] withholds its id.
//  4. True. The time in an id is at most [ClockOptions].MaxAhead (10 ms) ahead of the wall clock. It is further
//     ahead while the wall clock is behind the ids: it was set back, stands still, or [ClockOptions].After is
//     later.
//
// The promises do not cover version 2, or ids made from a time, a name or bits that you supply. A Snowflake, or
// a UUID of version 1 or 6 with a node ID that you set, can repeat if its process restarts within 10 ms and one
// tick of its end, or after the wall clock was set back: a clockfile prevents both. See [edges of the promises].
//
// If the wall clock is set back, each format goes on ascending, or follows it: ids begin again from the earlier
// time. Each goes on over a difference of at most MaxAhead, or of 1 ms if that is more. Beyond, it depends on
// how far the wall clock is behind the latest id of the format:
//
//	            at most Tolerance (10 s)             more
//	V1          follow, with next clock sequence     the same
//	V6          keep ascending                       follow, with next clock sequence
//	V7, ULID    keep ascending                       follow, with fresh random bits
//	Snowflake   keep ascending                       keep ascending
//
// Each format has a last tick: in the year 5236 for versions 1 and 6, in 10889 for version 7 and ULID; for
// Snowflakes see [SnowflakeLayout.Last]. Once it is full, constructors panic with an error that matches
// [ErrRange].
//
// # Randomness
//
// Random bits come from crypto/rand. For speed they are made 4 KiB at a time, on most processors by AES-256-CTR
// from a fresh key. So copies of a virtual machine share bytes that were drawn in advance: call [Reseed] after
// a restore, or import package nostock. See [where random bits come from] for processors, memory and FIPS 140.
//
// # Text, databases and errors
//
// The types implement the interfaces of encoding, encoding/json and database/sql: see [Null] and [Binary]. A
// decoder writes its receiver only on success. For its errors see [ParseError].
//
// # Testing
//
// Let code that makes ids take a *[Generator], or a func() UUID. A test passes one with its own
// [ClockOptions].Now and [GeneratorOptions].Random: ids are the same in every run, until a minor version
// changes them.
//
// In a testing/synctest bubble the wall clock is the bubble's. Make a Clock in the bubble, and use it in no
// other: ids of the default clock may be up to 10 s ahead, if an earlier bubble has made some. A bubble begins
// in the year 2000, before Twitter's epoch: give a [SnowflakeNode] a layout with an earlier one. For
// [NextSnowflake], set the environment variable IDS_SNOWFLAKE_NODE to "random", or unset it: ids then begin at
// the epoch. A call that waits for a [ClockLimit] must be woken from within its bubble: a Set, an EndAt or the
// end of a context outside is a fatal error.
//
// [edges of the promises]: https://github.com/oneclock/ids/blob/main/docs/promises.md
// [where random bits come from]: https://github.com/oneclock/ids/blob/main/SECURITY.md#where-random-bits-come-from
package ids
