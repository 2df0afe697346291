// Package clockfile keeps the horizon of an [ids.Clock] in a file, so that versions 1 and 6 and
// Snowflake repeat no id after a restart, however the process ends and whatever the wall clock
// shows when it starts again:
//
//	file, err := clockfile.Open("/var/lib/orders/clock", nil) // the first time with Init
//	if err != nil { … }
//	defer file.Close() // in main: it ends the clock
//	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: file.Clock()})
//	if err != nil { … }
//	ids.SetDefaultSnowflakeNode(node)
//
// Versions 4 and 7 and ULID do not need it, since their random bits are fresh, and are not limited
// by it. Neither do versions 1 and 6 need it with the random node that a Generator has by default.
//
// # The promise
//
// No id of versions 1 and 6 with one node, and no Snowflake of one node number, is issued twice by
// the processes that use one file, across crashes, power failures and wall clocks that are set back
// or forward, as long as the disk keeps what it has synced.
//
// The file holds a time that is ahead of the clock: its horizon. The clock issues no id after it
// ([ids.Clock.SetLimit]), and a later one is saved before it is reached. So the file covers every
// id that was issued, at any moment, and the next process starts after it
// ([ids.ClockOptions].After). Close, which is optional, saves the time at which it ends the clock
// instead, so that the next start goes on at once.
//
// The package does not notice a file that was copied, one that was restored from a backup or made
// anew with Init while no process had it open, or two machines with one node number. If the wall clock
// shows a time far in the future, even once, when an id is issued or when a horizon is saved, ids go
// on from that time: no earlier one is known to be safe.
//
// # When ids wait
//
// While ids are withheld, Next, NewV1 and NewV6 wait without bound, [ids.SnowflakeNode.NextContext] until its
// context ends, and [ids.SnowflakeNode.TryNext] returns [ids.ErrSuspended].
//
//   - If no horizon can be saved, as on a full disk, ids go on up to the last one that was, between
//     Ahead/2 and Ahead later. Then they are withheld until a save succeeds. One is tried every
//     Ahead/100, and at least every 100 ms while ids are withheld. Options.Report is told both.
//   - If a save does not return, as on a disk that hangs, all is the same: Options.Report is told when
//     it has taken Ahead/2, and again when it has succeeded.
//   - While ids are ahead of the wall clock, after a crash or after a step back of the clock, the
//     horizon is only Ahead/100 past the latest, and is saved every Ahead/100. A disk that takes
//     longer withholds ids meanwhile. Ids then go on from the horizon until the wall clock has
//     caught up.
//   - If the wall clock is set forward past the horizon, ids are withheld until the next save, which
//     begins within 100 ms. If it only showed such a time for a moment, calls that read it wait as long.
//   - If the lock or the file is lost, as told below, they are withheld for good.
//   - After Close they are withheld for 100 ms, in which main should return. Then the calls panic with
//     [ids.ErrEnded].
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
// Each save checks that the process still owns the lock and the file. A file that is missing is written
// again. If the lock is missing or is another file, or if somebody else has written to the file, no
// horizon is saved any more, and Options.Report is told an error that matches [ErrLost].
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
