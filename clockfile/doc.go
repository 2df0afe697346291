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
// ULIDs and UUIDs of versions 4 and 7 need no file. Version 1 and 6 UUIDs need a file only if
// [ids.GeneratorOptions].NodeID is set.
//
// # The promise
//
// Processes that use the same file never generate the same Snowflake twice with the same node
// number and layout, or the same version 1 or 6 UUID twice with the same NodeID. This holds across
// crashes, power failures and steps of the wall clock, as long as the disk keeps what it has
// synced.
//
// The file contains a horizon, which is a time that no ID exceeds. An [ids.ClockLimit] withholds
// IDs whose time is after the horizon. The next process uses the horizon as its
// [ids.ClockOptions].After, so it generates only IDs whose time is after the horizon. A save writes
// two copies, one after the other, and syncs each of them, so a crash leaves at least one copy
// intact.
//
// The package cannot detect that a file was copied, restored from a backup or created again, or
// that two machines use the same node number. In these cases, IDs can repeat. After a file has been
// restored or created again, earlier IDs can repeat only while the wall clock is behind their
// times. This also applies to the IDs of a process that had the previous file open. The clock of
// that process ends, but its IDs may be ahead of the wall clock.
//
// If the wall clock was ever far ahead when an ID was generated or a horizon was saved, the times
// of later IDs stay ahead, because no earlier time is known to be safe.
//
// # When IDs are withheld
//
// While IDs are withheld, Next, NewV1 and NewV6 wait, [ids.SnowflakeNode.NextContext] waits until
// its context is done, and [ids.SnowflakeNode.TryNext] returns an error immediately. These errors
// match [ids.ErrWithheld] and the error that caused the delay.
//
//   - If saving fails or hangs, IDs are still generated up to the horizon, for at least half of
//     Options.Window (5 s by default). From then on, they are withheld until a save succeeds.
//     Saving is retried every Window/100, and at least every 100 ms while IDs are withheld.
//   - If the file cannot be checked, IDs are withheld until it can be checked again.
//   - If IDs are ahead of the wall clock, as after a crash or after the wall clock was set back, a
//     horizon is saved every Window/100. If a save takes longer than that, IDs are withheld until
//     the horizon is saved.
//   - If the wall clock jumps past the horizon, even for a moment, IDs are withheld for at most 100
//     ms.
//   - If the file is lost, ID generation stops immediately, and the clock ends 100 ms later.
//   - After [File.Close], the clock ends 100 ms later.
//
// After the clock has ended, Next, NewV1 and NewV6 panic with an error, and NextContext and TryNext
// return an error. The error matches [ids.ErrEnded]. It also matches [ErrLost] or [fs.ErrClosed].
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
// The lock applies to all names of the file. The file is written in place, so it keeps its mode,
// owner and links, and the process needs no write permission on the file's directory. Create makes
// the file accessible only to the user that owns it, because any process that can read a file can
// lock it.
//
// An idle process wakes up about 20 times a second and makes 20 system calls a second to check the
// file. Twice per Window, it makes 8 additional system calls, including two syncs, to save a
// horizon. Generating an ID has no additional cost.
//
// # If the file is replaced
//
// Every 100 ms, the package checks that the path still names the same file. Each save also checks
// the contents of the file. If the file was removed, renamed, replaced or changed, it is lost.
// Nothing more is saved, and the clock ends. The result of a check is valid for 1 s from the start
// of the check. If no result is valid, or if a check fails for any other reason, IDs are withheld
// until checks have succeeded for 1.1 s. So a process that loses search permission on a directory
// in the path, for example by calling setuid, generates no more IDs. If checks are late but none of
// them fails, ID generation resumes as soon as a check succeeds within 1.1 s of the start of the
// previous successful check.
//
// Open also checks the file for 1.1 s before it returns. By then, a process that still uses the
// previous file at that path has either noticed the new file or no longer has a valid result of a
// check. So the IDs of the two processes never overlap, as long as each file that appears at the
// path stays there for at least 1 s. There are two exceptions. In the first, the earlier process is
// stopped or is not scheduled, and generates IDs again before it notices the new file. In the
// second, the [Options].ClockOptions.Now of the earlier process does not return.
//
// Checks do not wait for each other. If each check takes 0.9 s, IDs are generated as usual. If each
// check takes more than 1 s, no IDs are generated. Checks can take that long on a slow disk, or
// while goroutines keep all of the program's processors busy. In a test with GOMAXPROCS=1 and 200
// such goroutines, the clock withheld IDs for up to two thirds of the time.
//
// While the disk hangs, up to ten checks and one save of each File wait for it, and each of them
// occupies a thread. Go ends a program that needs more than 10,000 threads. If a process opens more
// than 900 Files, raise that limit with [runtime/debug.SetMaxThreads].
//
// The package does not always detect these cases:
//
//   - The file itself, instead of its directory, is mounted into a container, and is moved or
//     replaced outside of the container. Mount the directory instead.
//   - Two paths refer to the same file but do not share locks. This can happen on a network file
//     system, through FUSE, in a folder that is shared with a host or a virtual machine, or with
//     hard links in the lower layer of an overlay. Use only one path, on a local file system that
//     is implemented in the kernel.
//   - The file is part of a container image, so each container has its own copy. Do not create the
//     file when you build an image.
//
// # Systems
//
// On Linux, macOS, the BSDs and illumos, the file is locked by flock(2). On Windows, it is locked
// by its share mode, which allows others only to read it. Both locks are released when the process
// ends. Elsewhere, for example on AIX, Solaris and js, Create and Open return an error that matches
// [errors.ErrUnsupported]. Where a directory cannot be synced, as on Windows, a new file may be
// lost in a power failure, and the next Open reports that it is missing.
package clockfile
