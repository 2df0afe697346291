/* The callers: NewV1, NewV6 and Next, which are Clock.lock and Clock.late. */

#define IDLE   0
#define LIFT   1  /* withheld by Limit */
#define RETRY  2  /* and a new limit is in force */
#define LATE   3  /* has an id that is ahead of the clock */
#define SLEEP  4
#define ENOUGH 5  /* has slept for as long as it may */
typedef Caller { byte stage, lane, tick, was, over, slept }
Caller caller[CALLERS];
#define C caller[i]

byte life;
bool open;  /* to calls */

inline leave(i) { C.stage = IDLE; C.lane = 0; C.tick = 0; C.was = 0; C.over = 0; C.slept = 0 }

inline wake() {
	s = 0;
	do
	:: s < CALLERS ->
		if :: caller[s].stage == LIFT -> caller[s].stage = RETRY :: else fi;
		s++
	:: else -> break
	od
}

active [CALLERS] proctype Call() {
	byte l, reading; bool any;
#define i _pid
	do
	/* Under the mutex: read the clock and take an id. */
	:: atomic {
		open && (C.stage == IDLE || C.stage == RETRY) ->
		if
		:: C.stage == RETRY -> l = C.lane
		:: C.stage == IDLE && V1 -> l = L1
		:: C.stage == IDLE && V6 -> l = L6
		:: C.stage == IDLE && SF -> l = LS
		fi;
		select(reading : 1 .. TIMES);
		if :: any = false :: !watching -> any = true fi;
		d_step {
			r = reading;
			if :: l == L6 -> latest = MAX(latest, r) :: else fi;
			take(l);
			C.lane = l;
			if
			:: over == SUSPENDED -> C.stage = LIFT
			:: over == SPENT -> leave(i)  /* it panics */
			:: else ->
				C.tick = L.last;
				if :: over > 0 -> C.stage = LATE :: else -> leave(i) fi;
				r = reading;
				issued(l, any)
			fi;
			l = 0; reading = 0; any = false
		}
	}
	/* Under the mutex again: wait.until, up to its loop. */
	:: d_step {
		C.stage == LATE ->
		l = C.lane;
		present(l);
		C.was = z;
		ceiling(l);
		C.over = (C.tick > z -> C.tick - z : 0);
		if :: C.over > 0 -> C.stage = SLEEP :: else -> leave(i) fi;
		l = 0
	}
	/* Once around the loop. The sleep may turn out longer than it was meant. */
	:: atomic {
		C.stage == SLEEP ->
		select(reading : 1 .. TIMES);
		if :: any = false :: any = true fi;
		d_step {
			l = C.lane;
			s = C.over * SPAN(l);
			s = (BROKEN == WAIT_WHOLE -> s : MIN(s, BOUND - C.slept));
			C.slept = C.slept + s;
			/* Live: no call sleeps for longer than the bound, and none spins. */
			assert(s > 0 && C.slept <= BOUND);
			if :: any -> C.slept = BOUND :: else fi;
			r = reading;
			if :: l == L6 -> latest = MAX(latest, r) :: else fi;
			printf("lane %d waits, at %d\n", l, r);
			allowed(l);
			C.over = (C.tick > z -> C.tick - z : 0);
			if
			:: C.over == 0 -> leave(i)
			:: C.over > 0 && C.slept >= BOUND -> C.stage = ENOUGH
			:: else
			fi;
			l = 0; reading = 0; any = false
		}
	}
	:: d_step {
		C.stage == ENOUGH ->
		l = C.lane;
		printf("lane %d has waited enough\n", l);
		credit(l, C.was + BOUND);
		leave(i);
		l = 0
	}
	od
#undef i
}

/* The machine, on which the process ends and starts again, and the keeper of its state. */

#define REST   0
#define CHOSEN 1  /* a mark is chosen */
#define HALF   2  /* it is saved, and not in force yet */
#define CLOSED 3  /* no more ids are issued */
#define ENDED  4  /* and the state is saved */
byte step;
byte markTime, markSeq, markFloor;  /* the mark at hand */
byte covered;                       /* the time of the limit in force */

inline start() {  /* a life whose first reading is r */
	life++;
	printf("life %d, at %d\n", life, r);
	z = 0;
	do
	:: z < CALLERS ->
		caller[z].stage = IDLE; caller[z].lane = 0; caller[z].tick = 0;
		caller[z].was = 0; caller[z].over = 0; caller[z].slept = 0;
		z++
	:: else -> break
	od;
	step = REST; markTime = 0; markSeq = 0; markFloor = 0; covered = 0;
	open = !MARK;
	forget();
	NewClock()
}

inline enforce() {
	Limit(markTime, markSeq);
	covered = markTime;
	open = true
}

active proctype Machine() {
	byte t;
	atomic {
		/* The first sequence is random, and in the lower half. */
		select(savedSeq : 0 .. (SEQS - 1) / 2);
		d_step { r = 1; start() }
	}
end:	do
	/* The process ends in good order: it saves its state and mints no more. */
	:: atomic {
		!MARK && life < LIVES ->
		select(t : 1 .. TIMES);
		d_step { State(); save(z, now, floor); r = t; start(); t = 0 }
	}
	/* The keeper takes the state and chooses a time from there on, but not before the limit in force. */
	:: atomic {
		MARK && step == REST ->
		d_step {
			State();
			if :: BROKEN != MARK_BACK -> z = MAX(z, covered) :: else fi;
			t = MAX(z, 1)
		};
		do
		:: t < END -> t++
		:: break
		od;
		d_step {  /* Ahead */
			markTime = t; markSeq = AFTER;
			markFloor = (markSeq == 0 && BROKEN != AHEAD_OF_FLOOR -> t : floor);
			t = 0; step = CHOSEN
		}
	}
	/* It saves that mark, and then puts it in force. */
	:: d_step {
		step == CHOSEN ->
		if
		:: BROKEN != LIMIT_FIRST -> save(markTime, markSeq, markFloor)
		:: else -> enforce()
		fi;
		step = HALF
	}
	:: d_step {
		step == HALF ->
		if
		:: BROKEN != LIMIT_FIRST -> enforce()
		:: else -> save(markTime, markSeq, markFloor)
		fi;
		step = REST; markTime = 0; markSeq = 0; markFloor = 0
	}
	/* Or it closes: it suspends all, and saves the state as it is. */
	:: d_step {
		step == REST && MARK && open && life < LIVES ->
		if :: BROKEN != CLOSE_OPEN -> Limit(0, limitSeq) :: else fi;
		step = CLOSED
	}
	:: d_step { step == CLOSED -> State(); save(z, now, floor); step = ENDED }
	/* The end, at any moment. */
	:: atomic {
		MARK && life < LIVES && saved ->
		select(t : 1 .. TIMES);
		d_step { r = t; start(); t = 0 }
	}
	od
}
