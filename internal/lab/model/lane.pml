/* The rule: Lane.Take and Lane.Next. */

typedef Lane {
	byte last, used;       /* the latest ID's tick, and the number of IDs in that tick */
	byte top;              /* the highest tick ever used */
	byte debt;             /* paid - elapsed, or 0 if that is negative */
	byte seq, free, floor  /* the clock sequence, the number of sequences left, and the floor */
}
Lane lane[3];  /* versions 1 and 6, and Snowflake */
#define NODE 2
#define L    lane[l]

#define NONE 255
byte limit;  /* a time; NONE means no limit */
byte ended;  /* the end that EndAt has set, or NONE */

#define MAX(a, b)    ((a) > (b) -> (a) : (b))
#define MIN(a, b)    ((a) < (b) -> (a) : (b))

#define LENGTH(l)    (l == NODE -> TICK : GREGORIAN)
#define AT(l, time)  (((time) + LENGTH(l) - 1) / LENGTH(l))
#define TIME(l, t)   (((t) - 1) * LENGTH(l) + 1)
#define LAST(l)      AT(l, END)
#define LEAD(l)      (AHEAD / LENGTH(l))

/* The promised patience, as a time, and the lane's patience, in ticks. */
#define PROMISED(l)  (l == NODE -> NONE : (l == 1 -> MAX(TOL, AHEAD) : AHEAD))
#if BROKEN == V6_IMPATIENT
#define PATIENCE(l)  (l == NODE -> NONE : AHEAD)
#elif BROKEN == V1_FOLLOWS_JITTER
#define PATIENCE(l)  (l == 0 -> 0 : PROMISED(l))
#elif BROKEN == V1_STAYS
#define PATIENCE(l)  (l == 0 -> NONE : PROMISED(l))
#elif BROKEN == PATIENCE_DOWN
#define PATIENCE(l)  (PROMISED(l) / LENGTH(l))
#else
#define PATIENCE(l)  AT(l, PROMISED(l))  /* rounded up */
#endif

/* A debt is at most MOST, because the elapsed time only grows; the rest is forgiven. If two ticks are opened at the same
 * moment, the second must cost something, too. A call waits at most BOUND. */
#define MOST         (BROKEN == DEBT_KEPT -> 31 : AHEAD + BOUND * (BROKEN == DEBT_OF_ONE_WAIT -> 1 : 2))
#define OWED(l)      MIN(MAX(L.debt, AHEAD) - AHEAD, (BROKEN == DEBT_KEPT -> 31 : BOUND))

/* Scratch variables of one step, which are not part of the state. */
hidden byte tick, past;                 /* the wall clock's tick; the wall clock is past the end */
hidden byte at, used;                   /* the new ID's tick, and the number of IDs in it then */
hidden byte newSeq, newFree, newFloor;  /* the clock sequence, sequences left and floor then */
hidden byte cost, wait;
hidden byte said;                       /* the result of take: */
#define TAKEN     0
#define WITHHELD  1
#define REFUSED   2
#define EXHAUSTED 3

inline follow(l) {  /* back to tick */
	if
	:: tick <= L.floor && BROKEN != FOLLOW_BELOW_FLOOR  /* stay */
	:: else ->
		if
		:: L.free == 0 && BROKEN != ROUND_WITHOUT_FLOOR ->
			at = L.top; used = CAP + 1;
			newFloor = (BROKEN == FLOOR_OF_LAST -> L.last : at);
			newFree = (BROKEN == ROUND_TOO_LONG -> SEQS : SEQS - 1)
		:: else ->
			at = tick; used = 1;
			if :: BROKEN != FOLLOW_IN_PLACE -> newSeq = (newSeq + 1) % SEQS :: else fi;
			newFree = (newFree + SEQS - 1) % SEQS
		fi
	fi
}

inline take(l, time) {
	tick = AT(l, time);
	past = tick > LAST(l);
	if
	:: past -> tick = (L.last == 0 && BROKEN == PAST_END_FIRST -> LAST(l) : L.last)
	:: else
	fi;
	at = L.last; used = L.used + 1;
	newSeq = L.seq; newFree = L.free; newFloor = L.floor;
	if
	:: tick > at -> at = tick; used = 1
	:: at - tick > PATIENCE(l) ->
		follow(l);
		if :: BROKEN == LIMIT_LATE -> L.seq = newSeq; L.free = newFree; L.floor = newFloor :: else fi
	:: else
	fi;
	cost = 0; wait = 0; said = TAKEN;
	if
	:: used > CAP ->
		at++; used = 1;
		cost = LENGTH(l) * (at - tick > LEAD(l) && BROKEN != COST_SINGLE -> 2 : 1)
	:: else
	fi;
	if
	:: tick == 0 -> said = REFUSED
	:: tick > 0 && at > LAST(l) -> said = EXHAUSTED
	:: tick > 0 && at <= LAST(l) && (BROKEN == LIMIT_OF_READING -> tick : at) > AT(l, limit) -> said = WITHHELD
	:: else ->
		L.last = at; L.used = used; L.top = MAX(L.top, at);
		L.seq = newSeq; L.free = newFree; L.floor = newFloor;
		if :: BROKEN == LATE_FORGIVES && L.debt + wall - time > MOST -> L.debt = 0 :: else fi;
		L.debt = (BROKEN == TICKS_FREE -> 0 : MIN(L.debt + cost, MOST));
		/* A time past the end cannot tell when the wall clock will be near the ID. */
		if
		:: past && BROKEN != PAST_END_NO_WAIT -> wait = OWED(l)
		:: !past && at - tick > LEAD(l) -> wait = MIN(OWED(l), (at - tick - LEAD(l)) * LENGTH(l))
		:: else
		fi
	fi
}
