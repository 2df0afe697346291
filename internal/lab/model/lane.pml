/* The rule: Lane.Take and Lane.Next. */

typedef Lane {
	byte last, used;       /* the tick of the latest id, and how many ids that tick has given */
	byte top;              /* the highest tick ever issued */
	byte debt;             /* paid - elapsed, or 0 if that is negative */
	byte seq, free, floor  /* the clock sequence, how many more may follow, and the floor */
}
Lane lane[3];  /* versions 1 and 6, and Snowflake */
#define NODE 2
#define L    lane[l]

#define NONE 255
byte limit;  /* as a time; NONE is no limit */
byte ended;  /* the end that EndAt has set, or NONE */

#define MAX(a, b)    ((a) > (b) -> (a) : (b))
#define MIN(a, b)    ((a) < (b) -> (a) : (b))

#define LENGTH(l)    (l == NODE -> TICK : GREGORIAN)
#define AT(l, time)  (((time) + LENGTH(l) - 1) / LENGTH(l))
#define TIME(l, t)   (((t) - 1) * LENGTH(l) + 1)
#define LAST(l)      AT(l, END)
#define LEAD(l)      (AHEAD / LENGTH(l))

/* The patience that is promised, a time, and that of the lane, in ticks. */
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

/* No debt is more than MOST, since the time elapsed only grows: the rest is forgiven. Of two ticks that are opened at
 * one moment, the second costs something too. A call waits for BOUND at most. */
#define MOST         (BROKEN == DEBT_KEPT -> 31 : AHEAD + BOUND * (BROKEN == DEBT_OF_ONE_WAIT -> 1 : 2))
#define OWED(l)      MIN(MAX(L.debt, AHEAD) - AHEAD, (BROKEN == DEBT_KEPT -> 31 : BOUND))

/* Scratch of one step, which is no part of a state. */
hidden byte tick, past;                 /* the wall clock's tick, and whether it was past the end */
hidden byte at, used;                   /* the tick of the id to be taken, and how many ids that has then given */
hidden byte newSeq, newFree, newFloor;  /* the clock sequence then */
hidden byte cost, wait;
hidden byte said;                       /* what take says: */
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
		/* A time past the end does not tell when the wall clock will be near the id. */
		if
		:: past && BROKEN != PAST_END_NO_WAIT -> wait = OWED(l)
		:: !past && at - tick > LEAD(l) -> wait = MIN(OWED(l), (at - tick - LEAD(l)) * LENGTH(l))
		:: else
		fi
	fi
}
