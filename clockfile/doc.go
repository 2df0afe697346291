// Package clockfile keeps the horizon of an [ids.Clock] in a file, so that versions 1 and 6 and
// Snowflake repeat no id after a restart, however the process ends and whatever the wall clock
// shows when it starts again:
//
//	file, err := clockfile.Open("/var/lib/orders/clock", nil) // Create has made it, once
//	if err != nil { … }
//	defer file.Close() // in main: it ends the clock
//	node, err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: file.Clock()})
//	if err != nil { … }
//
// It is for Snowflakes, and for versions 1 and 6 if [ids.GeneratorOptions].NodeID is set: with the random
// node of the default they need no file. Versions 4 and 7 and ULID do not need it either, since their
// random bits are fresh, and are not limited by it.
//
// [Create] makes the file before the first start of a node number. After that, a file that is missing was
// lost: a start without it could repeat ids, so [Open] refuses.
//
// # The promise
//
// No id of versions 1 and 6 with one node, and no Snowflake of one node number, is issued twice by
// the processes that use one file, across crashes, power failures and wall clocks that are set back
// or forward, as long as the disk keeps what it has synced.
//
// The file holds a time that is ahead of the clock: its horizon. The clock issues no id after it
// ([ids.ClockLimit]), and a later one is saved before it is reached. So the file covers every
// id that was issued, at any moment, and the next process starts after it
// ([ids.ClockOptions].After). Close, which is optional, saves the time at which it ends the clock
// instead, so that the next start goes on at once.
//
// The package does not notice a file that was copied, one that was restored from a backup or made
// anew while no process had it open, or two machines with one node number. Ids of a restored file repeat
// only if the wall clock is behind the latest id too. If the wall clock shows a time far in the future, even
// once, when an id is issued or when a horizon is saved, ids go on from that time: no earlier one is
// known to be safe.
//
// # When ids wait
//
// While ids are withheld, Next, NewV1 and NewV6 wait without bound, [ids.SnowflakeNode.NextContext] until its
// context ends, and [ids.SnowflakeNode.TryNext] does not wait: their errors match [ids.ErrWithheld] and, while
// saving fails, its error.
//
//   - If no horizon can be saved, as on a full disk, ids go on up to the last one that was, between
//     Window/2 and Window later. Then they are withheld until a save succeeds. One is tried every
//     Window/100, and at least every 100 ms while ids are withheld. Options.Report is told both.
//   - If a save does not return, as on a disk that hangs, the same happens: Options.Report is told when
//     it has taken Window/2, and again when it has succeeded.
//   - While ids are ahead of the wall clock, after a crash or after a step back of the clock, the
//     horizon is only Window/100 past the latest, and is saved every Window/100. A disk that takes
//     longer withholds ids meanwhile. Ids then go on from the horizon until the wall clock has
//     caught up.
//   - If the wall clock is set forward past the horizon, ids are withheld until the next save, which
//     begins within 100 ms. If it only showed such a time for a moment, calls that read it wait as long.
//   - Close withholds them for 100 ms: main should return within that time. Then the clock has ended.
//
// # When ids end
//
// After Close, and after the last horizon of a file that was lost, nothing is waited for: Next, NewV1 and NewV6
// panic with an error that matches [ids.ErrEnded], and NextContext and TryNext return one. Each matches
// its reason too, [fs.ErrClosed] or [ErrLost]. [File.Lost] tells a program of the loss before ids end.
//
// # The file
//
// It has four lines of text, of which the last is the CRC-32 (IEEE) of those before it:
//
//	github.com/oneclock/ids/clockfile 1
//	horizon 2026-03-14T15:09:26.535897932Z
//	owner "orders, node 7"
//	crc32 92b1fa60
//
// The first line ends with the version of the format. A file that differs in any way is refused.
// A save writes a temporary file, syncs it, renames it into place, and syncs the directory. So the
// directory has two more files: one with .new after the name, which a crash or a failing save may
// leave and the next save removes, and an empty one with .lock after the name, which stays and which
// only its user may open. Nobody else may write, rename or remove the three. They must be on a local
// disk, since locks and syncs of network file systems differ.
//
// A file that was made and never opened says "horizon none" in place of the time.
//
// Each save checks that the process still owns the lock and the file. If one of them is missing, if another
// file, a link or the like is in its place, as after a rename, or if somebody else has written to the file, it
// is lost: no horizon is saved any more, not by Close either, and Options.Report is told an error that matches
// [ErrLost], or Close returns it if that finds it out.
//
// A save keeps the mode of the file, and its user and group as far as the process may set them:
// otherwise the file belongs to the process's. Access-control lists are not kept. A file with several
// hard links is refused, except on Windows, where it is not noticed.
//
// # Systems
//
// On Linux, macOS, the BSDs and illumos, flock(2) locks the file; on Solaris and AIX, fcntl(2). On
// Windows, the lock is a file that nobody else can open. All these end with the process. Windows
// documents no way to sync a directory: there the promise covers power failures only as far as the
// file system keeps a rename whose file was flushed, as NTFS does with its journal. Elsewhere, as
// on js, wasip1 and plan9, Open returns an error that matches [errors.ErrUnsupported].
package clockfile
