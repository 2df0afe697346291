/* clock.go: the clock sequence, Limit, State and restart. */

byte floor;                   /* the highest tick issued before the clock sequence last came round to 0 */
byte state;                   /* the time restored */
bool limited; byte limitSeq;  /* the limit's clock sequence, if there is a limit */

bool saved; byte savedTime, savedSeq, savedFloor;  /* on the disk */

/* covers: the half of all sequences up to that of the limit. */
#define COVERS(q)   (!limited || BROKEN == LIMIT_OF_TIME || (limitSeq + SEQS - (q)) % SEQS <= (SEQS - 1) / 2)
#define AFTER       ((now + 1) % SEQS)
#define HIGHEST(l)  MAX(lane[l].last, lane[l].high)

inline raise() {  /* versions 1 and 6 to the floor */
	resume(L1, floor);
	resume(L6, floor)
}

inline turn(t) {  /* says in turned whether a lane may go back to tick t */
	if
	:: t <= floor && BROKEN != TURN_BELOW_FLOOR || !COVERS(AFTER) -> turned = false
	:: else ->
		now = AFTER;
		turned = (now != 0 || BROKEN == ROUND_WITHOUT_END);
		if
		:: !turned ->
			floor = MAX(HIGHEST(L1), HIGHEST(L6));
			if :: BROKEN != FLOOR_OF_THIS_LIFE -> floor = MAX(floor, state) :: else fi;
			if :: BROKEN != FLOOR_ONLY_NOTED -> raise() :: else fi
		:: else -> lane[L1].used = CAP; lane[L6].used = CAP
		fi
	fi
}

inline bind(t) {  /* a limit of time t */
	lane[L1].limit = MIN(t, END);
	lane[L6].limit = MIN(t, END);
	lane[LS].limit = MIN(AT(LS, t), LAST(LS));
	if :: !COVERS(now) -> lane[L1].limit = 0; lane[L6].limit = 0 :: else fi
}

inline Limit(t, q) {
	printf("limit: time %d, sequence %d\n", t, q);
	limited = true; limitSeq = q;
	bind(t);
	wake()
}

inline State() {  /* has the time in z; the rest is now and floor */
	z = MAX(state, MAX(HIGHEST(L1), HIGHEST(L6)));
	if :: lane[LS].last > 0 -> z = MAX(z, TIME(LS, lane[LS].last)) :: else fi
}

inline save(t, q, f) {
	printf("saved: time %d, sequence %d, floor %d\n", t, q, f);
	saved = true; savedTime = t; savedSeq = q;
	if :: BROKEN != FLOOR_NOT_SAVED -> savedFloor = f :: else fi
}

inline restore() {  /* at reading r, the first */
	turned = false;
	if
	:: state > r && BROKEN != RESTORE_IN_PLACE -> turn(r)
	:: state > r && BROKEN == RESTORE_IN_PLACE -> turned = true
	:: else
	fi;
	if
	:: !turned -> resume(L1, state); resume(L6, state)
	:: turned && BROKEN != RESTORE_BELOW -> raise()
	:: else
	fi;
	if :: BROKEN != NODE_FROM_NOW -> resume(LS, state) :: else fi
}

/* NewClock, and its first reading r. */
inline NewClock() {
	z = 0;
	do
	:: z < 3 ->
		lane[z].last = 0; lane[z].used = 0; lane[z].high = 0; lane[z].limit = LAST(z);
		lane[z].mark = 0; lane[z].lag = 0; lane[z].peak = 0;
		z++
	:: else -> break
	od;
	limited = false; limitSeq = 0;
	now = savedSeq; floor = savedFloor; state = savedTime;
	if :: saved -> restore() :: else fi
}
