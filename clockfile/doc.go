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
// Version 4 and 7 UUIDs and ULIDs need no file. Version 1 and 6 UUIDs need a file only if
// [ids.GeneratorOptions].NodeID is set.
//
// # The promise
//
// The processes that use one file never generate the same Snowflake twice with one node number, or
// the same version 1 or 6 UUID twice with one NodeID. This holds across crashes, power failures and
// steps of the wall clock, as long as the disk keeps what it has synced.
//
// The file contains a horizon, which is a time that no ID exceeds. The clock withholds IDs whose
// time is after the horizon ([ids.ClockLimit]). The next process generates only IDs whose time is
// after it ([ids.ClockOptions].After). A save writes two copies, one after the other, and syncs
// each of them, so a crash leaves at least one copy intact.
//
// The package cannot detect that a file was copied, restored from a backup or created again, or
// that two machines use the same node number. In these cases, IDs can repeat. After a file was
// restored or created again, earlier IDs repeat only while the wall clock is behind their times.
// This is also true if a process had the previous file open. Its clock ends, but its IDs may be
// ahead of the wall clock.
//
// If the wall clock was ever far ahead when an ID was generated or a horizon was saved, the times
// of later IDs stay ahead, because no earlier time is known to be safe.
//
// # When IDs wait
//
// While IDs are withheld, Next, NewV1 and NewV6 wait, [ids.SnowflakeNode.NextContext] waits until
// its context ends, and [ids.SnowflakeNode.TryNext] returns an error immediately. These errors
// match [ids.ErrWithheld] and the error that caused the delay.
//
//   - If saving fails or hangs, IDs are still generated up to the horizon, for at least half of
//     Options.Window (5 s by default). From then on, they wait for a save that succeeds. Saving is
//     retried every Window/100, and at least every 100 ms while IDs wait.
//   - If the file cannot be checked, IDs wait until a check is possible again.
//   - If IDs are ahead of the wall clock, as after a crash or a step back, a horizon is saved every
//     Window/100. If the disk takes longer to save it, IDs wait for the disk.
//   - If the wall clock jumps past the horizon, even for a moment, IDs wait for at most 100 ms.
//   - If the file is lost, ID generation stops immediately, and the clock ends 100 ms later.
//   - After [File.Close], the clock ends 100 ms later.
//
// After the end of the clock, Next, NewV1 and NewV6 panic with an error, and NextContext and
// TryNext return one. This error matches [ids.ErrEnded], and [ErrLost] or [fs.ErrClosed].
//
// # The file
//
// The size of the file is 69,632 bytes. It contains two copies of four lines, one at offset 0 and
// the other one at offset 65,536. All other bytes are zero. The first line ends with the version of
// the format, and the last line is the CRC-32 (IEEE) of the lines before it. The horizon of a file
// that was never opened is "none":
//
//	github.com/oneclock/ids/clockfile 1
//	horizon 2026-03-14T15:09:26.535897932Z
//	owner "orders, node 7"
//	crc32 92b1fa60
//
// The file is locked under all of its names and is written in place. It therefore keeps its mode,
// owner and links, and the process needs no write permission on its directory. Create makes the
// file accessible only to the user that owns it, because any process that can read a file can lock
// it.
//
// An idle process wakes up about 20 times a second and makes 20 system calls a second to check the
// file. Twice per Window, it makes 8 additional system calls to save a horizon, two of which are
// syncs. Generating an ID has no additional cost.
//
// # Another file in its place
//
// The name of the file is checked every 100 ms, and the contents at each save. If the file was
// removed, renamed, replaced or changed, it is lost. Nothing more is saved, and the clock ends. The
// result of a check is valid for 1 s from the start of the check. If no result is valid, or if a
// check fails for any other reason, IDs are withheld until checks have succeeded for 1.1 s. So a
// process that gives up the permission to look up the path, for example by setuid, generates no
// more IDs. If checks are late but none of them fails, ID generation resumes as soon as a check
// succeeds within 1.1 s of the start of the previous successful check.
//
// Open also checks the file for 1.1 s before an ID can be generated. By then, a process that still
// uses the previous file of that name has found the new file or no longer has a valid result. So
// the IDs of the two processes never overlap, as long as each file that is put at the name stays
// there for at least 1 s. There are two exceptions. In the first, the earlier process is stopped,
// or gets no processor, and generates IDs again before it notices the new file. In the second, the
// [Options].ClockOptions.Now of the earlier process does not return.
//
// Checks do not wait for each other. If each check takes 0.9 s, IDs are generated as usual. If each
// check takes more than 1 s, no IDs are generated. Checks can take that long on a slow disk, or
// while goroutines keep all processors of the program busy. With GOMAXPROCS=1 and 200 such
// goroutines, IDs were withheld for up to two thirds of the time.
//
// While the disk hangs, up to ten checks and one save of each File wait for it, and each of them
// occupies a thread. Go ends a program that needs more than 10,000 threads. If a process opens more
// than 900 Files, raise that limit with [runtime/debug.SetMaxThreads].
//
// The package cannot detect these cases:
//
//   - The file itself, instead of its directory, is mounted into a container, and is replaced
//     outside of the container. Mount the directory instead.
//   - Two paths lead to one file but do not share locks. This can happen on a network file system,
//     through FUSE, in a folder that is shared with a host or a virtual machine, or with hard links
//     in the lower layer of an overlay. Use only one path, on a local file system that is part of
//     the kernel.
//   - The file is part of an image, so each container has its own copy. Do not create the file in
//     an image.
//
// # Systems
//
// On Linux, macOS, the BSDs and illumos, the file is locked by flock(2). On Windows, it is locked
// by its share mode, which allows others only to read it. Both locks end with the process.
// Elsewhere, for example on AIX, Solaris and js, Create and Open return an error that matches
// [errors.ErrUnsupported]. Where a directory cannot be synced, as on Windows, a power failure may
// remove a new file, and Open then returns an error.
package clockfile
