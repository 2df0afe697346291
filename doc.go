// Package ids mints, parses and stores identifiers: UUIDs of versions 1 to 8, ULIDs and
// Snowflakes. All schemes share one clock, one source of randomness and one set of
// encoders. The packages uuid, ulid and snowflake below this one are doors to it, with
// the names that people know:
//
//	uuid.NewV7()      ulid.Make()      snowflake.Next()
//
// # Which id to use
//
//   - For a key of a database table, or wherever in doubt: [NewV7]. It sorts by time, so that an
//     index grows at its end, and every database has a type for it.
//   - For a value that must not tell when it was made: [NewV4].
//   - For the same id from the same name, on every machine: [NewV5].
//   - For 26 characters that sort, without hyphens, in URLs and file names: [NewULID].
//   - For 8 bytes instead of 16, where each process can be given a number of its own:
//     [NextSnowflake] and [SnowflakeNode].
//   - Versions 1, 2, 3 and 6 are for systems that demand them; version 8 for bits of one's own.
//
// An id is not a secret. Versions 1 and 6, ULIDs with [GeneratorOptions].ULIDMonotonic and
// Snowflakes can be guessed from their neighbours.
//
// # Promises
//
// Where two of them pull apart, the earlier one wins.
//
//  1. Unique. No two ids of one kind from one [Clock] are equal, whatever the wall clock does: steps of any
//     size in either direction, a clock that stands still, that jitters, that restarts in
//     the past with the state saved (see [Clock.State], [Clock.Ahead] and [Clock.Limit]).
//  2. Ordered. Versions 6 and 7, the ULIDs of one [Generator] and the Snowflakes of
//     one [SnowflakeNode] each strictly increase, over all goroutines that can say which call came first.
//  3. Live. No call waits for the wall clock for more than 20 ms, and none waits with a mutex held.
//  4. True. The embedded time is the wall clock's, and never more than [ClockOptions].MaxAhead (10 ms) ahead of it, save
//     while the wall clock is behind what has been issued already.
//
// When the wall clock is set back, uniqueness is kept as follows. A step back of less than
// MaxAhead is jitter, which no scheme follows.
//
//	            by at most Tolerance (10 s)       by more
//	V1          follow, new clock sequence        the same
//	V6          keep ascending                    follow, new clock sequence
//	V7, ULID    keep ascending                    follow, fresh random bits
//	Snowflake   keep ascending                    keep ascending
//
// Version 2 stands outside the promises: its time has 28 bits.
//
// A constructor panics when the last tick of its format is used up: versions 1 and 6 end in the
// year 5236, version 7 and ULID in 10889, Snowflakes where their layout does.
//
// # Randomness
//
// All random bits come from crypto/rand. A key of 256 bits is drawn for each 4 KiB of them and
// expanded with AES-256-CTR. Bytes are wiped as they are handed out, but the key schedule that
// crypto/aes leaves on the heap is not, so whoever can read the memory of the process may recover
// ids that were handed out. See [Reseed] for virtual machines that are cloned or restored.
//
// # Text, databases and errors
//
// The types implement the interfaces of encoding, encoding/json and database/sql. [Null] is for
// what may be absent, [Binary] for database columns of 16 bytes. A decoder writes its receiver
// only on success. Parsers judge the length first, so that hostile input costs nothing. Errors
// name the scheme, what is wrong and where, match [ErrSyntax], [ErrLength] or [ErrRange], do not
// repeat the input, and cost no allocation. See [ParseError].
//
// # Tests with a clock of one's own
//
// Ids of a [Clock] whose Now is injected, from a [Generator] whose Random is injected, are
// the same in every run. In a testing/synctest bubble the package-level functions give the
// time of the bubble. A second bubble begins where the first did, which is a step back: at
// most Tolerance of it is not followed, so a test that needs the exact time makes a clock
// of its own.
package ids
