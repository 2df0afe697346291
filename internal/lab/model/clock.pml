/*
 * The rule by which a clock gives ids their places, in the small. README.md says what stands for what, and what is
 * left out.
 *
 *	lane.pml      the rule: how a lane takes a tick, pays for it and waits
 *	process.pml   the calls, the keeper, crash and restart, and what is asserted
 *
 * Times and ticks count from 1, and 0 is none.
 */

/* The schemes at work: a sum of these. */
#define V1 1
#define V6 2
#define SF 4
#ifndef LANES
#define LANES V1
#endif

/* The bounds. */
#ifndef CAP
#define CAP 1      /* ids in a tick */
#endif
#ifndef TICK
#define TICK 1     /* the length of a Snowflake's tick */
#endif
#ifndef GREGORIAN
#define GREGORIAN 1 /* the length of a tick of versions 1 and 6 */
#endif
#ifndef SEQS
#define SEQS 2     /* clock sequences */
#endif
#ifndef TIMES
#define TIMES 5    /* the latest time that the wall clock shows */
#endif
#ifndef END
#define END 4      /* the latest time that an id can name */
#endif
#ifndef AHEAD
#define AHEAD 1    /* MaxAhead */
#endif
#ifndef TOL
#define TOL 2      /* Tolerance */
#endif
#ifndef BOUND
#define BOUND 4    /* the longest wait of one call */
#endif

/* With CALLERS, 1 to 3, time passes, and who sleeps does not call. Without, calls are not held up, as if there were any
 * number of callers. With STEADY, the wall clock shows how time passes, except that it steps back now and then.
 * Without, it shows any time from 1 to TIMES at any reading. */
#ifndef CALLERS
#define CALLERS 0
#endif
#ifndef STEADY
#define STEADY 0
#endif
#ifndef SLOW
#define SLOW 2     /* a STEADY clock that was set back by some time is caught up with after so many times that */
#endif

/* With LATE, one of two CALLERS at a time may wait for the mutex, however long, with the time that it has read from a
 * STEADY wall clock. */
#ifndef LATE
#define LATE 0
#endif

/* How often the process starts. In each life but the last, a keeper saves horizons and sets limits. */
#ifndef LIVES
#define LIVES 1
#endif

/* What can be broken, one thing at a time, so that the asserts can be seen to fail: BROKEN is one of these. */
#define FOLLOW_IN_PLACE      1  /* a lane follows the wall clock back in the same sequence */
#define FOLLOW_BELOW_FLOOR   2  /* a lane follows to the floor and below */
#define ROUND_WITHOUT_FLOOR  3  /* after the last sequence comes the first again, and the floor stays */
#define ROUND_TOO_LONG       4  /* a round has one sequence too many */
#define FLOOR_OF_LAST        5  /* the new floor is the latest id's tick, not the highest one issued */
#define AFTER_NO_FLOOR       6  /* After is not the first floor */
#define AFTER_NOT_FULL       7  /* a lane issues ids in After's tick */
#define NODE_FROM_NOW        8  /* a Snowflake lane does not start at After */
#define V6_IMPATIENT         9  /* version 6 follows like version 1 */
#define V1_FOLLOWS_JITTER   10  /* version 1 follows every step back */
#define V1_STAYS            11  /* version 1 follows no step back */
#define LIMIT_LATE          12  /* a lane moves to the next sequence before it looks at the limit */
#define LIMIT_OF_READING    13  /* the limit is compared with the wall clock's tick, not with the id's */
#define DEBT_KEPT           14  /* a debt is never forgiven, and a call waits for all of it */
#define TICKS_FREE          15  /* a tick ahead of the wall clock costs nothing */
#define COST_SINGLE         16  /* a tick costs its length, however far ahead it is */
#define PAST_END_NO_WAIT    17  /* a reading past the end does not wait for the debt */
#define PAST_END_FIRST      18  /* a lane that has issued nothing takes a reading past the end for the last tick */
#define LATEST_OF_LAST      19  /* Latest is that of the latest ids, not of the highest */
#define LIMIT_FIRST         20  /* the keeper sets a horizon as the limit before it saves it */
#define HORIZON_BACK        21  /* a horizon may be below the limit */
#define LOWER_UNLIMITED     22  /* a lower horizon or an end is saved without a Set before it */
#define OPEN_EARLY          23  /* a life issues ids before its first Set */
#define END_FIRST           24  /* the clock is ended before the end is saved */
#define END_BELOW_LATEST    25  /* an end before Latest is saved */
#define END_LIFTED          26  /* Set lifts an end */
#define END_RAISED          27  /* EndAt of a later time raises the limit in force, or the end */
#define PATIENCE_DOWN       28  /* patience is rounded down to whole ticks */
#define LATE_FORGIVES       29  /* a late call counts the debt from its old reading, and forgives all if that exceeds the most */
#define DEBT_OF_ONE_WAIT    30  /* a lane owes no more than one call pays while it waits */
#ifndef BROKEN
#define BROKEN 0
#endif

#include "lane.pml"
#include "process.pml"
