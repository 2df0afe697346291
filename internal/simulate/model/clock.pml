/*
 * The rules by which a clock gives ids their places, in the small. README.md says what stands for what, and what
 * is left out. Inlines have the names of the Go functions that they stand for.
 *
 *	lane.pml       lane.go: how one scheme takes a tick
 *	sequence.pml   clock.go: the clock sequence, Limit, State and restart
 *	promises.pml   what is asserted
 *	process.pml    the callers, and the machine that ends and restarts the process
 *
 * Times and ticks count from 1, and 0 is none. The wall clock may show any time from 1 to TIMES at any reading.
 */

/* The bounds. */
#ifndef CAP
#define CAP 1      /* ids of versions 1 and 6 in a tick */
#endif
#ifndef SFCAP
#define SFCAP 1    /* Snowflakes in a tick */
#endif
#ifndef SFTICK
#define SFTICK 1   /* the length of a Snowflake's tick; that of versions 1 and 6 is 1 */
#endif
#ifndef SEQS
#define SEQS 2     /* clock sequences */
#endif
#ifndef TIMES
#define TIMES 4    /* the latest time that the wall clock shows */
#endif
#ifndef END
#define END 4      /* the latest time that an id can name */
#endif
#ifndef AHEAD
#define AHEAD 1    /* MaxAhead */
#endif
#ifndef TOL
#define TOL 1      /* Tolerance */
#endif
#ifndef BOUND
#define BOUND 2    /* the longest wait of one call */
#endif
#ifndef CALLERS
#define CALLERS 1
#endif
#ifndef LIVES
#define LIVES 1    /* how often the process starts */
#endif

/* The schemes at work. */
#ifndef V1
#define V1 0
#endif
#ifndef V6
#define V6 0
#endif
#ifndef SF
#define SF 0
#endif

/* With MARK, a life may end at any moment, and a keeper saves marks ahead of its time. Without, each ends in good
 * order, its last state saved. */
#ifndef MARK
#define MARK 0
#endif

/* What can be broken, one rule at a time, so that the asserts can be seen to fail: BROKEN is one of these. */
#define TURN_NEVER          1  /* a lane goes back in the same clock sequence */
#define TURN_BELOW_FLOOR    2  /* a lane may go back below the floor of the round */
#define ROUND_WITHOUT_END   3  /* the clock sequence comes round to 0 with no floor */
#define FLOOR_OF_THIS_LIFE  4  /* the floor leaves out what former lives issued */
#define FLOOR_ONLY_NOTED    5  /* the lanes are not raised to the floor of a new round */
#define FLOOR_NOT_SAVED     6  /* the floor is no part of the saved state */
#define RESTORE_BELOW       7  /* restored behind the saved time, a lane may start below the floor */
#define RESTORE_IN_PLACE    8  /* restored behind the saved time, the clock sequence stays */
#define NODE_FROM_NOW       9  /* a node does not start above the restored time */
#define TOLERANCE_NONE     10  /* version 6 follows every step back */
#define WAIT_WHOLE         11  /* a call waits for as long as the clock demands */
#define LIMIT_OF_TIME      12  /* Limit does not bind the clock sequence */
#define LIMIT_FIRST        13  /* the keeper puts a mark in force before it saves it */
#define MARK_BACK          14  /* the keeper saves a mark that is behind the limit in force */
#define AHEAD_OF_FLOOR     15  /* a mark whose clock sequence comes round to 0 has no floor */
#define CLOSE_OPEN         16  /* the last state is saved while ids are still issued */
#ifndef BROKEN
#define BROKEN 0
#endif

#include "lane.pml"
#include "sequence.pml"
#include "promises.pml"
#include "process.pml"
