/* lane.go: what a scheme has issued, and how it takes the next tick. */

#define L1 0
#define L6 1
#define LS 2

typedef Lane {
	byte last, used;  /* the tick of the latest id, and the ids in it */
	byte high;        /* the latest tick before the lane last followed the clock back */
	byte limit;       /* the last tick that Limit lets it use */
	byte mark;        /* the latest reading since the lane last followed */
	byte lag, peak    /* its present is lag after peak, or mark where lag is 0 */
}
Lane lane[3];
#define L lane[l]

byte now;  /* the clock sequence */

/* Scratch of one step; it is no part of a state. */
hidden byte r, tick, over, turned, caughtUp, s, z;
hidden short back;

#define MAX(a, b)    ((a) > (b) -> (a) : (b))
#define MIN(a, b)    ((a) < (b) -> (a) : (b))

#define SEQUENCED(l) (l != LS)
#define PERTICK(l)   (l == LS -> SFCAP : CAP)
#define PATIENCE(l)  (l == LS -> 255 : (l == L6 && BROKEN != TOLERANCE_NONE -> TOL : 0))

#define SPAN(l)      (l == LS -> SFTICK : 1)
#define AT(l, r)     (((r) + SPAN(l) - 1) / SPAN(l))
#define TIME(l, t)   (((t) - 1) * SPAN(l) + 1)
#define LAST(l)      AT(l, END)
#define AHEADT(l)    (AHEAD / SPAN(l))

/* What take says beside a number of ticks. */
#define SUSPENDED 254
#define SPENT     255

inline present(l) {  /* in z */
	z = (L.lag == 0 -> L.mark : L.peak + L.lag)
}

inline ceiling(l) {  /* in z */
	present(l);
	z = AT(l, z) + AHEADT(l)
}

/* A lag of END does what any greater one does: no tick is past such a present. */
inline setLag(l, v) {
	L.lag = MIN(v, END);
	if :: L.lag == 0 -> L.peak = 0 :: else fi
}

inline observe(l) {  /* r */
	back = L.mark - r;
	if :: back < 0 -> L.mark = r :: else fi;
	if
	:: L.lag == 0 ->
		if
		:: back > 0 && back >= AHEAD -> L.peak = r; setLag(l, back)
		:: else
		fi
	:: else ->
		back = L.peak - r;
		if
		:: back < 0 ->
			L.peak = r;
			z = TIME(l, L.last);
			z = (z > r -> MIN(L.lag, z - r) : 0);
			setLag(l, z)
		:: back > 0 && back >= AHEAD -> L.peak = r; setLag(l, L.lag + back)
		:: else
		fi
	fi
}

inline within(l) {  /* for r and tick; no reading is before the first tick here */
	if
	:: tick > LAST(l) ->
		r = (L.lag == 0 -> L.mark : L.peak);
		tick = MIN(AT(l, r), L.last)
	:: else
	fi
}

inline allowed(l) {  /* in z, at r */
	tick = AT(l, r);
	within(l);
	caughtUp = (r >= L.mark);
	observe(l);
	if
	:: caughtUp -> z = tick + AHEADT(l)
	:: else -> ceiling(l)
	fi
}

inline credit(l, to) {
	present(l);
	if
	:: to > z ->
		if :: L.lag == 0 -> L.peak = L.mark :: else fi;
		setLag(l, L.lag + to - z)
	:: else
	fi
}

inline resume(l, t) {
	z = MIN(AT(l, t), LAST(l));
	if
	:: z >= L.last && z > 0 -> L.last = z; L.used = PERTICK(l); L.mark = t; setLag(l, 0)
	:: else
	fi
}

inline follow(l) {  /* to tick, at r */
	turned = true;
	if
	:: SEQUENCED(l) && BROKEN != TURN_NEVER -> turn(tick)
	:: else
	fi;
	if
	:: turned ->
		L.high = MAX(L.high, L.last);
		L.last = tick; L.used = 0;
		L.mark = r; setLag(l, 0)
	:: else
	fi
}

#define FULL(l) (L.used >= PERTICK(l))

inline skipTick(l) {
	if
	:: L.last == LAST(l) -> over = SPENT
	:: L.last < LAST(l) && L.last == L.limit -> over = SUSPENDED
	:: else -> L.last++; L.used = 0
	fi
}

inline hold(l) {
	if
	:: L.last == 0 ->
		tick = MIN(tick, LAST(l));
		if
		:: tick > L.limit -> over = SUSPENDED
		:: else -> L.last = tick; L.used = 1; L.mark = r
		fi
	:: else ->
		within(l);
		if
		:: tick > L.last -> over = SUSPENDED
		:: else ->
			back = L.mark - r;
			if :: back >= AHEAD && back > PATIENCE(l) -> follow(l) :: else fi;
			observe(l);
			if
			:: L.last > L.limit -> over = SUSPENDED
			:: L.last <= L.limit && FULL(l) -> skipTick(l)
			:: else
			fi;
			if
			:: over == 0 ->
				L.used++;
				if
				:: L.last - tick > AHEADT(l) ->
					ceiling(l);
					over = (L.last > z -> L.last - z : 0)
				:: else
				fi
			:: else
			fi
		fi
	fi
}

inline take(l) {  /* at r; what it returns is in over */
	tick = AT(l, r);
	over = 0;
	if
	:: tick > L.last && tick <= L.limit ->
		L.last = tick; L.used = 1; L.mark = r; setLag(l, 0)
	:: tick == L.last && !FULL(l) && tick <= L.limit ->
		L.used++; L.mark = r; setLag(l, 0)
	:: else -> hold(l)
	fi
}
