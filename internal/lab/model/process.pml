/* The calls, the keeper, crashes and restarts, and the assertions. */

byte life;
byte after;    /* After */
byte saved;    /* on the disk */
byte left[3];  /* time that each caller must still sleep, the longest first */
byte wall;     /* the wall clock, if it is steady */
byte late;     /* the reading of a late call; 0 if there is none */

/* The keeper's next step. */
#define REST  0
#define SAVE  1
#define SET   2
#define LOWER 3
#define CLOSE 4
byte step;
byte h;  /* the current horizon or end */

/* Variables that only the assertions need. */
byte watchLane, watchTick, watchSeq, watchPlace;  /* an arbitrary ID that must not be made again; tick 0 means none */
byte former;   /* the latest Snowflake's tick in earlier lives */
byte front;  /* the time on the wall clock if it had never been set back */
byte due;    /* time for which the wall clock may still be behind */
hidden int before;
hidden byte wasLast, wasUsed;

/* A lane as one number. */
#define STATE(l) (L.last + 32 * (L.used + 32 * (L.seq + 32 * (L.free + 32 * (L.floor + 32 * L.debt)))))

#define DOWN(x) x = MAX(x, 1) - 1

inline judge(l, time, watch) {  /* checks lane l's new ID, if take made one */
	printf("lane %d at %d: said %d; tick %d, place %d, sequence %d, wait %d\n", l, time, said, at, used - 1, newSeq, wait);
	if
	:: said != TAKEN -> assert(STATE(l) == before /* a call without an ID */)
	:: else ->
		assert(at <= LAST(l) && TIME(l, at) <= limit && used <= CAP /* the bounds of IDs */);
		assert(TIME(l, at) <= ended /* EndAt */);
		assert(TIME(l, at) > after /* After */);

		/* Unique. */
		assert(!(watchLane == l && watchTick == at && watchSeq == newSeq && watchPlace == used - 1) /* unique */);
		if
		:: watch -> watchLane = l; watchTick = at; watchSeq = newSeq; watchPlace = used - 1
		:: else
		fi;

		/* Ordered, and followed as the table of the promises requires, by time. If the wall clock is behind by the
		 * patience and a part of a tick, the lane may follow it or not. */
		assert(at > wasLast || at == wasLast && used > wasUsed || TIME(l, wasLast) - time > PROMISED(l) /* ordered */);
		assert(l != NODE || at > former /* ordered over lives */);
		assert(TIME(l, at) - time < PROMISED(l) + 2 * LENGTH(l) || tick <= L.floor /* followed */);

		/* Live. */
		assert(wait <= BOUND /* live */);

		/* True, when the call returns. */
		if :: !past -> front = MAX(front, time) :: else fi;
		assert(CALLERS == 0 || LENGTH(l) >= BOUND || TIME(l, at) <= front + wait + AHEAD /* true */)
	fi;
	if
	:: CALLERS == 0 -> L.debt = 0; front = 0
	:: CALLERS > 0 && wait > left[0] -> left[2] = left[1]; left[1] = left[0]; left[0] = wait
	:: CALLERS > 0 && wait <= left[0] && wait > left[1] -> left[2] = left[1]; left[1] = wait
	:: CALLERS > 0 && wait <= left[1] -> left[2] = wait
	fi
}

inline set(time) {
	if :: ended == NONE || BROKEN == END_LIFTED -> limit = time :: else fi
}

/* The earlier of the time and the current limit is the final limit. */
inline endAt(time) {
	ended = MIN(MIN(ended, limit), time);
	limit = (BROKEN == END_RAISED -> time : ended)
}

inline latest() {  /* in at */
	at = after;
	l = 0;
	do
	:: l < 3 ->
		used = (BROKEN == LATEST_OF_LAST -> L.last : L.top);
		if :: used > 0 -> at = MAX(at, TIME(l, used)) :: else fi;
		l++
	:: else -> l = 0; break
	od
}

inline start(random) {
	life++;
	printf("life %d, after %d\n", life, saved);
	after = saved;
	former = MAX(former, lane[NODE].top);
	l = 0;
	do
	:: l < 3 ->
		L.last = (l == NODE && BROKEN == NODE_FROM_NOW -> 0 : AT(l, after));
		L.used = (BROKEN == AFTER_NOT_FULL -> 0 : CAP);
		L.top = L.last; L.debt = 0;
		L.seq = (l == NODE -> 0 : random); L.free = SEQS - 1;
		L.floor = (BROKEN == AFTER_NO_FLOOR -> 0 : L.last);
		l++
	:: else -> l = 0; break
	od;
	left[0] = 0; left[1] = 0; left[2] = 0; late = 0;
	if :: CALLERS > 0 -> front = MAX(front, after) :: else fi;
	step = REST; h = 0; ended = NONE;
	/* A clock with a keeper withholds every ID until the first set. */
	limit = (life < LIVES && BROKEN != OPEN_EARLY -> 0 : NONE)
}

active proctype Process() {
	byte l, t; bool watch;
	atomic { wall = STEADY; start(0) }
end:	do
	/* A call reads the clock, takes an ID with the mutex held, and then sleeps. */
	:: atomic {
		late > 0 || left[MAX(CALLERS, 1) - 1] == 0 ->
		if
		:: late > 0 -> t = late; late = 0
		:: late == 0 || left[0] == 0 ->
			if
			:: STEADY -> t = wall
			:: else -> select(t : 1 .. TIMES)
			fi
		fi;
		if
		:: (LANES) & V1 -> l = 0
		:: (LANES) & V6 -> l = 1
		:: (LANES) & SF -> l = NODE
		fi;
		if :: watch = false :: watchTick == 0 -> watch = true fi;
		before = STATE(l); wasLast = L.last; wasUsed = L.used;
		take(l, t);
		judge(l, t, watch);
		l = 0; t = 0; watch = false
	}
	/* A call reads the clock, and other calls may overtake it before it takes its ID. */
	:: atomic { LATE && late == 0 && left[1] == 0 -> late = wall }
	/* Time passes. */
	:: atomic {
		CALLERS > 0 && wall < END ->
		DOWN(lane[0].debt); DOWN(lane[1].debt); DOWN(lane[NODE].debt);
		DOWN(left[0]); DOWN(left[1]); DOWN(left[2]);
		front = MIN(front + 1, END);
		if
		:: STEADY ->
			wall++;
			DOWN(due);
			if :: due == 0 -> front = wall :: else fi
		:: else
		fi
	}
	/* The wall clock steps back. IDs must be true to it again after SLOW times the length of the step. */
	:: atomic {
		wall > 1 && due == 0 ->
		select(t : 1 .. wall - 1);
		due = SLOW * (wall - t) + 1; wall = t; t = 0
	}
	/* The keeper chooses a horizon, any time that is not before Latest or the limit, saves it, and then sets it. */
	:: atomic {
		life < LIVES && step == REST && ended == NONE ->
		latest();
		t = (limit == NONE || BROKEN == HORIZON_BACK -> at : MAX(at, limit));
		do
		:: t < END -> t++
		:: break
		od;
		h = t; t = 0; step = SAVE
	}
	:: atomic {
		step == SAVE ->
		if :: BROKEN != LIMIT_FIRST -> saved = h :: else -> set(h) fi;
		step = SET
	}
	:: atomic {
		step == SET ->
		if :: BROKEN != LIMIT_FIRST -> set(h) :: else -> saved = h fi;
		step = REST; h = 0
	}
	/* Or the keeper chooses an end, any time. It sets the end or the saved time as the limit, whichever is earlier, and
	 * then saves the end, or Latest if it is later. Then it ends the clock, or continues, perhaps with an earlier horizon. */
	:: atomic {
		life < LIVES && step == REST && ended == NONE ->
		select(t : 0 .. END);
		if
		:: BROKEN == LOWER_UNLIMITED
		:: BROKEN == END_FIRST -> limit = t; ended = t
		:: else -> limit = MIN(t, saved)
		fi;
		h = t; t = 0; step = LOWER
	}
	:: atomic {
		step == LOWER ->
		latest();
		if :: BROKEN != END_BELOW_LATEST -> h = MAX(h, at) :: else fi;
		saved = h;
		if :: step = REST; h = 0 :: step = CLOSE fi
	}
	:: atomic { step == CLOSE -> endAt(h); step = REST; h = 0 }
	/* EndAt without a save, at any time, as after a failed save, or a second EndAt. */
	:: atomic {
		life < LIVES && limit != NONE ->
		select(t : 0 .. END);
		endAt(t);
		t = 0
	}
	/* The process ends at any moment and starts again. The first sequence is random. */
	:: atomic {
		life < LIVES ->
		select(t : 0 .. SEQS - 1);
		start(t);
		t = 0
	}
	od
}
