// Package clockfile keeps the horizon of an [ids.Clock] in a file, so that versions 1 and 6 and Snowflake repeat no id
// after a restart, however the process ends and whatever the wall clock shows when it starts again:
//
//	// Create has made it, once
//	file, err := clockfile.Open("/var/lib/orders/clock", &clockfile.Options{Owner: "orders, node 7"})
//	if err != nil { … }
//	defer file.Close() // in main: it ends the clock
//	node, err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: file.Clock()})
//	if err != nil { … }
//
// It is for Snowflakes, and for versions 1 and 6 if [ids.GeneratorOptions].NodeID is set: with the random node of the
// default they need no file. Versions 4 and 7 and ULID need none either, and are not limited by it.
//
// # The promise
//
// No id of versions 1 and 6 with one node, and no Snowflake of one node number, is issued twice by the processes that use
// one file, across crashes, power failures and wall clocks that are set back or forward, as long as the disk keeps what it
// has synced.
//
// The file holds a time that is ahead of the clock: its horizon. The clock issues no id after it ([ids.ClockLimit]), and
// the next process starts after it ([ids.ClockOptions].After). The file has two copies of it. A save writes one, syncs it,
// writes the other one, and syncs that. A crash at any moment leaves a horizon that covers every id:
//
//   - To raise the horizon, the limit of the clock rises when both copies are synced. Until then each copy that is intact
//     has the earlier horizon or the later one, and neither is before an id.
//   - To lower it, which Close does so that the next start goes on at once, the limit comes down first. Then neither
//     horizon is before an id, whether the save succeeds or not.
//   - One copy is intact: a save begins with the one that is damaged or in doubt, after an error, and touches the other one
//     only when the first is synced. Open takes the later horizon of those that are intact.
//
// The package does not notice a file that was copied, restored from a backup or made anew while no process had it open, or
// two machines with one node number. Ids of a restored file repeat only if the wall clock is behind the latest id too. If
// the wall clock shows a time far in the future, even once, when an id is issued or a horizon is saved, ids go on from
// there: no earlier time is known to be safe.
//
// # When ids wait
//
// While ids are withheld, Next, NewV1 and NewV6 wait without bound, [ids.SnowflakeNode.NextContext] until its context ends,
// and [ids.SnowflakeNode.TryNext] does not wait: their errors match [ids.ErrWithheld] and why.
//
//   - If saving fails, or a save hangs, ids go on up to the horizon, for half of Options.Window or longer. Then they are
//     withheld until a save succeeds. One is tried every Window/100, and at least every 100 ms while ids are withheld.
//   - If nobody can say what lies at the name of the file, ids are withheld at once: see "Another file in its place".
//   - While ids are ahead of the wall clock, after a crash or a step back of the clock, a horizon is saved every Window/100,
//     and a disk that takes longer withholds ids meanwhile.
//   - If the wall clock shows a time past the horizon, if only for a moment, ids are withheld for 100 ms or less.
//   - Close withholds ids that are more than 100 ms ahead, and the loss of the file all. 100 ms later the clock has ended:
//     Next, NewV1 and NewV6 panic with an error that matches [ids.ErrEnded], and NextContext and TryNext return one. Each
//     matches its reason too, [fs.ErrClosed] or [ErrLost].
//
// # The file
//
// Its 69,632 bytes are zero but for the two copies, one at the start and one after 65,536 bytes. Each has four lines of
// text, of which the last is the CRC-32 (IEEE) of those before it, and the first ends with the version of the format. "none"
// stands for the horizon of a file that was never opened:
//
//	github.com/oneclock/ids/clockfile 1
//	horizon 2026-03-14T15:09:26.535897932Z
//	owner "orders, node 7"
//	crc32 92b1fa60
//
// The file is locked under each of its names, and written in place: it keeps its mode, owner and links, and needs no right
// to write to its directory. Saves go on where a disk is full, unless the file system writes no block in place, such as
// btrfs. Create makes the file for its user alone: whoever may read it may lock it.
//
// # Another file in its place
//
// Every 100 ms the package looks whether the file is at its name, and at each save whether it holds what was written. If
// not, it is lost, and nothing is saved any more. A look that fails in any other way withholds ids until one succeeds, and
// so does one that takes more than 1 s, until it returns. So a process that gives up the right to look the path up, for
// example by setuid if the directory has the mode 0700, has no ids from then on.
//
// Open waits for 0.5 s, five looks: if the file is in the place of another one, who has that open finds out before an id of
// this one is issued. If a look hangs, ids of the two processes may overlap for half a second; if the first process is
// stopped or gets no processor, until its next look. With GOMAXPROCS=1, a look was 0.4 s late beside 20 goroutines that
// compute, and 2.8 s beside 200.
//
// Some cases cannot be seen:
//
//   - A file that is mounted by itself and is replaced outside of the container. So mount its directory.
//   - Two ways to one file whose locks differ: a network file system, FUSE, a folder that is shared with a host or a virtual
//     machine, hard links in the lower layer of an overlay. So take a local file system of the kernel, and one path to it.
//   - A file in an image, of which each container has a copy. So make none there.
//
// At rest, with the default Window, a process wakes up some 20 times a second, makes 20 system calls for its looks, besides
// those of Go's scheduler, and every 5 s saves: 8 more, of which two are syncs. An id costs nothing more.
//
// # Systems
//
// On Linux, macOS, the BSDs and illumos, flock(2) locks the file; on Windows, its share mode, so that others can only read
// it. Both end with the process. Elsewhere, for example on AIX, Solaris and js, Create and Open return an error that matches
// [errors.ErrUnsupported]. Where a directory cannot be synced, as on Windows, a power failure may take a new file, and then
// Open refuses.
package clockfile
