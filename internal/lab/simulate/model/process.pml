/* The calls, the keeper, crash and restart, and what is asserted. */

byte life;
byte after;    /* After */
byte saved;    /* on the disk */
byte left[2];  /* how long each caller must still sleep */
byte wall;     /* the wall clock, if it is steady */

/* What the keeper is about to do. */
#define REST  0
#define SAVE  1
#define SET   2
#define LOWER 3
byte step;
byte h;  /* the horizon at hand */

/* What only the asserts need. */
byte watchLane, watchTick, watchSeq, watchPlace;  /* an id, any one, that must not be issued again; tick 0 is none */
byte former;   /* the latest Snowflake's tick in former lives */
byte front;  /* what the wall clock would show, had it never been set back */
byte due;    /* how long the wall clock may still be behind */
hidden int before;
hidden byte wasLast, wasUsed;

/* A lane as one number. */
#define STATE(l) (L.last + 32 * (L.used + 32 * (L.seq + 32 * (L.free + 32 * (L.floor + 32 * L.debt)))))

#define DOWN(x) x = MAX(x, 1) - 1

inline judge(l, time, watch) {  /* the id that take gave to lane l, if it gave one */
	printf("lane %d at %d: said %d; tick %d, place %d, sequence %d, wait %d\n", l, time, said, at, used - 1, newSeq, wait);
	if
	:: said != TAKEN -> assert(STATE(l) == before /* a call without an id */)
	:: else ->
		assert(at <= LAST(l) && at <= AT(l, limit) && used <= CAP /* the bounds of ids */);
		assert(TIME(l, at) > after /* After */);

		/* Unique. */
		assert(!(watchLane == l && watchTick == at && watchSeq == newSeq && watchPlace == used - 1) /* unique */);
		if
		:: watch -> watchLane = l; watchTick = at; watchSeq = newSeq; watchPlace = used - 1
		:: else
		fi;

		/* Ordered, and followed as the table of the promises says. */
		assert(at > wasLast || at == wasLast && used > wasUsed || wasLast - tick > PROMISED(l) /* ordered */);
		assert(l != NODE || at > former /* ordered over lives */);
		assert(at - tick <= PROMISED(l) + 1 || tick <= L.floor /* followed */);

		/* Live. */
		assert(wait <= BOUND /* live */);

		/* True, when the call returns. */
		if :: !past -> front = MAX(front, time) :: else fi;
		assert(CALLERS == 0 || LENGTH(l) >= BOUND || TIME(l, at) <= front + wait + AHEAD /* true */)
	fi;
	if
	:: CALLERS == 0 -> L.debt = 0; front = 0
	:: CALLERS > 0 && left[0] == 0 -> left[0] = wait
	:: CALLERS > 0 && left[0] > 0 -> left[1] = wait
	fi
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
	left[0] = 0; left[1] = 0;
	if :: CALLERS > 0 -> front = MAX(front, after) :: else fi;
	step = REST; h = 0;
	limit = (LIVES > 1 && BROKEN != OPEN_EARLY -> 0 : NONE)
}

active proctype Process() {
	byte l, t; bool watch;
	atomic { wall = STEADY; start(0) }
end:	do
	/* A call reads the clock and takes an id with the mutex held, and then sleeps. */
	:: atomic {
		left[0] == 0 || CALLERS == 2 && left[1] == 0 ->
		if
		:: (LANES) & V1 -> l = 0
		:: (LANES) & V6 -> l = 1
		:: (LANES) & SF -> l = NODE
		fi;
		if
		:: STEADY -> t = wall
		:: else -> select(t : 1 .. TIMES)
		fi;
		if :: watch = false :: watchTick == 0 -> watch = true fi;
		before = STATE(l); wasLast = L.last; wasUsed = L.used;
		take(l, t);
		judge(l, t, watch);
		l = 0; t = 0; watch = false
	}
	/* Time passes. */
	:: atomic {
		CALLERS > 0 && wall < END ->
		DOWN(lane[0].debt); DOWN(lane[1].debt); DOWN(lane[NODE].debt);
		DOWN(left[0]); DOWN(left[1]);
		front = MIN(front + 1, END);
		if
		:: STEADY ->
			wall++;
			DOWN(due);
			if :: due == 0 -> front = wall :: else fi
		:: else
		fi
	}
	/* The wall clock steps back. It is the measure of truth again after twice as much time. */
	:: atomic {
		wall > 1 && due == 0 ->
		select(t : 1 .. wall - 1);
		due = 2 * (wall - t) + 1; wall = t; t = 0
	}
	/* The keeper takes a horizon: a time, any one, but not before Latest or the limit. It saves it, and then sets it. */
	:: atomic {
		LIVES > 1 && step == REST ->
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
		if :: BROKEN != LIMIT_FIRST -> saved = h :: else -> limit = h fi;
		step = SET
	}
	:: atomic {
		step == SET ->
		if :: BROKEN != LIMIT_FIRST -> limit = h :: else -> saved = h fi;
		step = REST; h = 0
	}
	/* It sets a lower limit, and then saves that or Latest. With 0, this is the end in good order. */
	:: atomic {
		step == REST && limit > 0 && limit != NONE ->
		select(t : 0 .. limit - 1);
		if :: BROKEN != LOWER_UNLIMITED -> limit = t :: else fi;
		h = t; t = 0; step = LOWER
	}
	:: atomic { step == LOWER -> latest(); saved = MAX(at, h); step = REST; h = 0 }
	/* The process ends at any moment, and starts again. The first sequence is random. */
	:: atomic {
		life < LIVES ->
		select(t : 0 .. SEQS - 1);
		start(t);
		t = 0
	}
	od
}
