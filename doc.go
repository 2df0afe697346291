// Package ids generates, parses and stores UUIDs of versions 1 to 8, ULIDs and Snowflakes. Most
// programs import package uuid, ulid or snowflake, whose functions have shorter names:
//
//	uuid.NewV7()      ulid.Make()      snowflake.Next()
//
// Type the import path of package uuid by hand. If an editor adds the import, it usually chooses
// the standard library's package uuid.
//
// Package clockfile keeps Snowflakes unique across restarts. Package typeid adds a prefix to an ID.
// Module github.com/oneclock/ids/nodelease leases node numbers from a database.
//
// # Which ID to use
//
//   - Use [NewV7] for the key of a database table, or if in doubt. Its UUIDs sort by time, so an
//     index grows at its end, and databases store each UUID in 16 bytes.
//   - Use [NewV4] for a value that must not reveal when it was generated.
//   - Use [NewV5] for a name that must give the same ID on every machine.
//   - Use [NewULID] for URLs and file names. The text of a ULID has 26 characters, contains no
//     hyphens and sorts by time.
//   - Use [NextSnowflake] for IDs of 8 bytes instead of 16. Each process needs its own node number.
//   - Use versions 1, 2, 3 and 6 for interoperability, and version 8 for application-defined bits.
//
// An ID is not a secret. Anyone who has a Snowflake, a version 1 or 6 UUID, or a ULID made with
// [GeneratorOptions].ULIDMonotonic can guess the next one.
//
// # Promises
//
// Within a process, the library makes four promises about the IDs from one [Clock]. If two promises
// conflict, the one listed first wins. A format is a UUID version, ULID, or a Snowflake layout. The
// wall clock is the system clock or, if it is set, [ClockOptions].Now.
//
//  1. Unique. No two IDs of the same format are equal, whatever the wall clock does. (Two
//     generators must not read the same bytes from [GeneratorOptions].Random.)
//  2. Ordered. Version 6 UUIDs and version 7 UUIDs are generated in increasing order, and so are
//     the ULIDs from one [Generator] and the Snowflakes from one node. If one call returns before
//     another begins, the first call's ID is smaller. The table below shows the exceptions.
//  3. Live. No call waits more than 20 ms for the wall clock, unless a [ClockLimit] withholds its
//     ID.
//  4. True. The time in an ID is at most [ClockOptions].MaxAhead (10 ms) ahead of the wall clock.
//     It can be further ahead while the wall clock is behind the IDs. That happens if the wall
//     clock was set back, has stopped or is before [ClockOptions].After.
//
// The promises do not cover version 2 UUIDs, or IDs generated from a time, a name or bits that you
// supply. A Snowflake can repeat if its process restarts within 10 ms plus one tick after it ended,
// or if the process restarts after the wall clock was set back. The same applies to a version 1 or
// 6 UUID with a node ID that you set. Package clockfile prevents these repetitions. For details,
// see [edge cases of the promises].
//
// If the wall clock is set back, the IDs of each format either keep ascending or restart at the
// earlier time. They keep ascending while the latest ID is ahead of the wall clock by at most
// MaxAhead or 1 ms, whichever is longer. If the latest ID is further ahead of the wall clock, the
// result depends on the difference between the two times:
//
//	            at most Tolerance (10 s)                more
//	V1          restart with the next clock sequence    the same
//	V6          keep ascending                          restart with the next clock sequence
//	V7, ULID    keep ascending                          restart with fresh random bits
//	Snowflake   keep ascending                          keep ascending
//
// Each format counts time in ticks and has a last tick, which is in the year 5236 for versions 1
// and 6, and in the year 10889 for version 7 and ULID. For Snowflakes, see [SnowflakeLayout.Last].
// Once all IDs of the last tick are taken, constructors panic with an error that matches
// [ErrRange].
//
// # Randomness
//
// Random bits come from crypto/rand. For speed, they are generated in advance, 4 KiB at a time. On
// most processors, AES-256-CTR with a fresh key generates them. Copies of a virtual machine share
// the unused bytes that were generated before the copy was made. Call [Reseed] after a restore, or
// import package nostock. See [where random bits come from] for details about processors, memory
// and FIPS 140.
//
// # Text, databases and errors
//
// The types implement the interfaces of encoding, encoding/json and database/sql. See [Null] and
// [Binary]. A decoder writes to its receiver only on success. For the errors of decoders, see
// [ParseError].
//
// # Testing
//
// Code that generates IDs should have a parameter of type *[Generator] or func() UUID. A test can
// then pass a generator with its own [ClockOptions].Now and [GeneratorOptions].Random. The IDs from
// this generator are the same in every run, but a minor version of this module can change them.
//
// In a testing/synctest bubble, the wall clock is the bubble's fake clock. Create a Clock in each
// bubble and use it in no other bubble. IDs from the default clock may be up to 10 s ahead if an
// earlier bubble has generated IDs with it. Time in a bubble begins in the year 2000, which is
// before Twitter's epoch, so give a [SnowflakeNode] a layout with an earlier epoch. For
// [NextSnowflake], set the environment variable IDS_SNOWFLAKE_NODE to "random" or unset it; IDs
// then begin at the epoch. A call that waits for a [ClockLimit] must be woken from within its
// bubble. The program ends with a fatal error if the waiting call is woken by a Set or EndAt
// outside the bubble, or by a context that is canceled or expires outside the bubble.
//
// [edge cases of the promises]: https://github.com/oneclock/ids/blob/main/docs/promises.md
// [where random bits come from]: https://github.com/oneclock/ids/blob/main/SECURITY.md#where-random-bits-come-from
package ids
