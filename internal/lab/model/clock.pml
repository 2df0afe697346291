/*
 * A small model of the rule by which a clock assigns ticks to IDs. README.md lists which parts of the model represent
 * which parts of the library, and what is left out.
 *
 *	lane.pml      the rule: how a lane takes a tick, pays for it and waits
 *	process.pml   the calls, the keeper, crashes and restarts, and the assertions
 *
 * Times and ticks count from 1; 0 means none.
 */

/* The formats in use: a sum of these. */
#define V1 1
#define V6 2
#define SF 4
#ifndef LANES
#define LANES V1
#endif

/* The bounds. */
#ifndef CAP
#define CAP 1      /* number of IDs in a tick */
#endif
#ifndef TICK
#define TICK 1     /* length of a Snowflake's tick */
#endif
#ifndef GREGORIAN
#define GREGORIAN 1 /* length of a tick of versions 1 and 6 */
#endif
#ifndef SEQS
#define SEQS 2     /* number of clock sequences */
#endif
#ifndef TIMES
#define TIMES 5    /* latest time that the wall clock shows */
#endif
#ifndef END
#define END 4      /* latest time that an ID can contain */
#endif
#ifndef AHEAD
#define AHEAD 1    /* MaxAhead */
#endif
#ifndef TOL
#define TOL 2      /* Tolerance */
#endif
#ifndef BOUND
#define BOUND 4    /* longest wait of one call */
#endif

/* With CALLERS, which is 1 to 3, time passes, and a caller that sleeps makes no calls. Without CALLERS, calls are never
 * delayed, as if there were any number of callers. With STEADY, the wall clock advances with time, except that it
 * steps back now and then. Without STEADY, it shows any time from 1 to TIMES at any reading. */
#ifndef CALLERS
#define CALLERS 0
#endif
#ifndef STEADY
#define STEADY 0
#endif
#ifndef SLOW
#define SLOW 2     /* after a STEADY clock steps back by d, IDs are within AHEAD of it after SLOW * d + 1 */
#endif

/* With LATE, one of two CALLERS at a time may have read a STEADY wall clock and wait for the mutex, however long. */
#ifndef LATE
#define LATE 0
#endif

/* Number of lives: the number of times that the process starts. In each life but the last, a keeper saves horizons and
 * sets limits. */
#ifndef LIVES
#define LIVES 1
#endif

/* The breakages. BROKEN is one of them, which must make an assertion fail. */
#define FOLLOW_IN_PLACE      1  /* a lane follows the wall clock back in the same sequence */
#define FOLLOW_BELOW_FLOOR   2  /* a lane follows to the floor and below */
#define ROUND_WITHOUT_FLOOR  3  /* after the last sequence, the first is used again, and the floor stays */
#define ROUND_TOO_LONG       4  /* a round has one sequence too many */
#define FLOOR_OF_LAST        5  /* the new floor is the latest ID's tick, not the highest tick used */
#define AFTER_NO_FLOOR       6  /* After is not the first floor */
#define AFTER_NOT_FULL       7  /* a lane makes IDs in After's tick */
#define NODE_FROM_NOW        8  /* a Snowflake lane does not start at After */
#define V6_IMPATIENT         9  /* version 6 follows like version 1 */
#define V1_FOLLOWS_JITTER   10  /* version 1 follows every step back */
#define V1_STAYS            11  /* version 1 follows no step back */
#define LIMIT_LATE          12  /* a lane moves to the next sequence before it checks the limit */
#define LIMIT_OF_READING    13  /* the limit is compared with the wall clock's tick, not with the ID's */
#define DEBT_KEPT           14  /* a debt is never forgiven, and a call waits for all of it */
#define TICKS_FREE          15  /* a tick ahead of the wall clock costs nothing */
#define COST_SINGLE         16  /* a tick costs its length, however far ahead it is */
#define PAST_END_NO_WAIT    17  /* a reading past the end does not wait for the debt */
#define PAST_END_FIRST      18  /* a lane without IDs treats a reading past the end as the last tick */
#define LATEST_OF_LAST      19  /* Latest is the time of the latest IDs, not of the highest */
#define LIMIT_FIRST         20  /* the keeper sets a horizon as the limit before it saves it */
#define HORIZON_BACK        21  /* a horizon may be before the limit */
#define LOWER_UNLIMITED     22  /* an earlier horizon or an end is saved without a Set before the save */
#define OPEN_EARLY          23  /* a life makes IDs before its first Set */
#define END_FIRST           24  /* the clock is ended before the end is saved */
#define END_BELOW_LATEST    25  /* an end before Latest is saved */
#define END_LIFTED          26  /* Set lifts an end */
#define END_RAISED          27  /* EndAt with a later time raises the current limit, or the end */
#define PATIENCE_DOWN       28  /* patience is rounded down to whole ticks */
#define LATE_FORGIVES       29  /* a late call counts the debt from its old reading, and forgives a sum above MOST */
#define DEBT_OF_ONE_WAIT    30  /* a lane owes no more than one wait pays */
#ifndef BROKEN
#define BROKEN 0
#endif

#include "lane.pml"
#include "process.pml"
