// Package ids makes, parses and stores UUIDs of versions 1 to 8, ULIDs and Snowflakes. Most
// programs import package uuid, ulid or snowflake, where the names are shorter:
//
//	uuid.NewV7()      ulid.Make()      snowflake.Next()
//
// Type the import of package uuid by hand, because an editor that adds imports chooses Go's own
// package of this name.
//
// Package clockfile keeps Snowflakes unique across restarts. Package typeid puts a prefix before an
// ID. Module github.com/oneclock/ids/nodelease leases node numbers from a database.
//
// # Which ID to use
//
//   - For a key of a database table, or if in doubt: [NewV7]. It sorts by time, so that an index
//     grows at its end, and databases store it in 16 bytes.
//   - For a value that must not reveal when it was generated: [NewV4].
//   - For a name that must give the same ID on every machine: [NewV5].
//   - For 26 characters that sort, without hyphens, in URLs and file names: [NewULID].
//   - For 8 bytes instead of 16: [NextSnowflake]. Each process needs its own node number.
//   - For interoperability: versions 1, 2, 3 and 6. For application-defined bits: version 8.
//
// An ID is not a secret. Anyone who has one can guess the next Snowflake, the next UUID of version
// 1 or 6, or the next ULID made with [GeneratorOptions].ULIDMonotonic.
//
// # Promises
//
// In one process, the IDs of one [Clock] keep four promises. If two conflict, the earlier one wins.
// A format is a version of UUID, ULID, or one layout of Snowflakes. The wall clock is the system
// clock, or [ClockOptions].Now.
//
//  1. Unique. No two IDs of one format are equal, whatever the wall clock does. (This requires that
//     no two generators read the same [GeneratorOptions].Random bytes.)
//  2. Ordered. UUIDs of version 6 and of version 7, the ULIDs of one [Generator] and the Snowflakes
//     of one node increase. If one call returns before another begins, its ID is smaller. The table
//     below shows the exceptions.
//  3. Live. No call waits for the wall clock for more than 20 ms, unless a [ClockLimit] withholds
//     its ID.
//  4. True. The time in an ID is at most [ClockOptions].MaxAhead (10 ms) ahead of the wall clock.
//     It is further ahead while the wall clock is behind the IDs, which happens if the wall clock
//     was set back or stands still, or if [ClockOptions].After is later.
//
// The promises do not cover version 2, or IDs generated from a time, a name or bits that you
// supply. A Snowflake, or a UUID of version 1 or 6 with a node ID that you set, can repeat if its
// process restarts within 10 ms and one tick of its end, or if the process restarts after the wall
// clock was set back. A clockfile prevents both. See [edges of the promises].
//
// If the wall clock is set back, each format either keeps ascending or follows the wall clock, so
// that IDs begin again from the earlier time. Each format keeps ascending while its latest ID is
// ahead of the wall clock by at most MaxAhead, or by at most 1 ms if that is longer. Beyond that,
// the result depends on how far the latest ID is ahead:
//
//	            at most Tolerance (10 s)             more
//	V1          follow, with next clock sequence     the same
//	V6          keep ascending                       follow, with next clock sequence
//	V7, ULID    keep ascending                       follow, with fresh random bits
//	Snowflake   keep ascending                       keep ascending
//
// Each format has a last tick. It is in the year 5236 for versions 1 and 6, and in the year 10889
// for version 7 and ULID. For Snowflakes, see [SnowflakeLayout.Last]. Once the last tick is full,
// constructors panic with an error that matches [ErrRange].
//
// # Randomness
//
// Random bits come from crypto/rand. For speed, they are generated 4 KiB at a time, on most
// processors by AES-256-CTR with a fresh key. So copies of a virtual machine share the bytes that
// were generated in advance. Call [Reseed] after a restore, or import package nostock. See
// [where random bits come from] for processors, memory and FIPS 140.
//
// # Text, databases and errors
//
// The types implement the interfaces of encoding, encoding/json and database/sql. See [Null] and
// [Binary]. A decoder writes to its receiver only on success. For its errors, see [ParseError].
//
// # Testing
//
// Let code that generates IDs take a *[Generator] or a func() UUID. A test can then pass one with
// its own [ClockOptions].Now and [GeneratorOptions].Random. Its IDs are the same in every run,
// until a minor version changes them.
//
// In a testing/synctest bubble, the wall clock is the bubble's. Make a Clock in each bubble and use
// it in no other. IDs of the default clock may be up to 10 s ahead if an earlier bubble has
// generated some. A bubble begins in the year 2000, before Twitter's epoch, so give a
// [SnowflakeNode] a layout with an earlier epoch. For [NextSnowflake], set the environment variable
// IDS_SNOWFLAKE_NODE to "random" or unset it; IDs then begin at the epoch. A call that waits for a
// [ClockLimit] must be woken from within its bubble. A Set, an EndAt or the end of a context
// outside the bubble is a fatal error.
//
// [edges of the promises]: https://github.com/oneclock/ids/blob/main/docs/promises.md
// [where random bits come from]: https://github.com/oneclock/ids/blob/main/SECURITY.md#where-random-bits-come-from
package ids
