// Package clockfile saves a time in a file, so that Snowflakes do not repeat after a restart, a
// crash or a step of the wall clock. Call [Create] once for each node number, and [Open] at each
// start:
//
//	file, err := clockfile.Open("/var/lib/orders/clock", &clockfile.Options{Owner: "orders, node 7"})
//	if err != nil {
//		log.Fatal(err) // also if there is no file
//	}
//	defer file.Close() // in main, because it ends the clock
//	node, err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: file.Clock()})
//	if err != nil {
//		log.Fatal(err)
//	}
//	id := node.Next()
//
// UUIDs of versions 4 and 7 and ULIDs need no file. Versions 1 and 6 need one only if
// [ids.GeneratorOptions].NodeID is set.
//
// # The promise
//
// The processes that use one file never make the same Snowflake of one node number twice, nor the
// same version 1 or 6 UUID of one NodeID. This holds across crashes, power failures and steps of
// the wall clock, as long as the disk keeps what it has synced.
//
// The file contains a horizon, which is a time that no ID passes. The clock makes no ID after it
// ([ids.ClockLimit]), and the next process starts after it ([ids.ClockOptions].After). A save
// writes two copies, one after the other, and syncs each, so a crash leaves at least one intact
// copy.
//
// The package cannot detect that a file was copied, restored from a backup or created again, or
// that two machines use one node number. IDs can then repeat. After a file was restored or created
// again, earlier IDs repeat only while the wall clock is behind them. This also holds if a process
// had the former file open: that process ends, but its IDs may be ahead of the wall clock.
//
// If the wall clock was far ahead, even once, when an ID was made or a horizon was saved, IDs stay
// ahead, because no earlier time is known to be safe.
//
// # When IDs wait
//
// While IDs are withheld, Next, NewV1 and NewV6 wait, [ids.SnowflakeNode.NextContext] waits until
// its context ends, and [ids.SnowflakeNode.TryNext] returns an error immediately. The errors match
// [ids.ErrWithheld] and the cause.
//
//   - If saving fails or hangs, IDs continue up to the horizon, which takes at least half of
//     Options.Window (5 s). There they wait for a save that succeeds. A save is tried every
//     Window/100, and at least every 100 ms while IDs wait.
//   - If the file cannot be checked, IDs wait until it can.
//   - If IDs are ahead of the wall clock, after a crash or a step back, a horizon is saved every
//     Window/100. IDs wait for a disk that takes longer.
//   - If the wall clock jumps past the horizon, even for a moment, IDs wait for at most 100 ms.
//   - If the file is lost, IDs stop immediately, and the clock ends 100 ms later.
//   - After [File.Close], the clock ends 100 ms later.
//
// After the end of the clock, Next, NewV1 and NewV6 panic with an error, and NextContext and
// TryNext return one. It matches [ids.ErrEnded], and either [ErrLost] or [fs.ErrClosed].
//
// # The file
//
// The file has 69,632 bytes. It contains two copies of four lines, at the start and after 65,536
// bytes; all other bytes are zero. The first line ends with the version of the format, and the last
// line is the CRC-32 (IEEE) of the lines before it. The horizon of a file that was never opened is
// "none":
//
//	github.com/oneclock/ids/clockfile 1
//	horizon 2026-03-14T15:09:26.535897932Z
//	owner "orders, node 7"
//	crc32 92b1fa60
//
// The file is locked under each of its names, and written in place. It keeps its mode, owner and
// links, and the process needs no write permission on its directory. Create makes the file
// accessible only to its user, because a process that can read a file can lock it.
//
// An idle process wakes up about 20 times a second and makes 20 system calls to check the file.
// Every half of Window it makes 8 more to save, two of which are syncs. Making an ID costs nothing
// more.
//
// # Another file in its place
//
// The name of the file is checked every 100 ms, and the contents at each save. If the file was
// removed, renamed, replaced or changed, it is lost: nothing is saved any more, and the clock ends.
// The result of a check is valid for 1 s from the start of the check. If no result is valid, or a
// check fails in any other way, IDs are withheld until checks have succeeded for 1.1 s. So a
// process that gives up the right to look up the path, for example by setuid, makes no more IDs. If
// checks are late but none fails, IDs resume as soon as one succeeds within 1.1 s of the start of
// the last successful check.
//
// Open also checks for 1.1 s before an ID can be made. By then, a process that still uses the
// previous file of that name has found the new one, or no longer has a valid result. So the IDs of
// the two processes never overlap, as long as each file that is put at the name stays there for at
// least 1 s. There are two exceptions. The earlier process may be stopped, or get no processor, and
// make IDs again before it notices this. Or its [Options].ClockOptions.Now does not return.
//
// Checks do not wait for each other. If each takes 0.9 s, IDs are made as usual; if each takes more
// than 1 s, none are. This can happen on a slow disk, and where goroutines compute on all
// processors of the program: with GOMAXPROCS=1 and 200 such goroutines, IDs were withheld for up to
// two thirds of the time.
//
// While the disk hangs, up to ten checks and a save of each File wait for it, each in a thread. Go
// ends a program that needs more than 10,000 threads. If a process opens more than 900 Files, raise
// that limit with [runtime/debug.SetMaxThreads].
//
// The package cannot detect these cases:
//
//   - A file is mounted by itself and is replaced outside of the container. Mount its directory
//     instead.
//   - Two paths lead to one file but do not share locks: on a network file system, through FUSE, in
//     a folder that is shared with a host or a virtual machine, or by hard links in the lower layer
//     of an overlay. Use a local file system of the kernel, and one path.
//   - The file is part of an image, so that each container has a copy. Create no file in an image.
//
// # Systems
//
// On Linux, macOS, the BSDs and illumos, the file is locked by flock(2); on Windows, by its share
// mode, which lets others only read it. Both locks end with the process. Elsewhere, for example on
// AIX, Solaris and js, Create and Open return an error that matches [errors.ErrUnsupported]. Where
// a directory cannot be synced, as on Windows, a power failure may remove a new file, and Open then
// returns an error.
package clockfile
