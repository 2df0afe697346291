/* What is promised of each id. */

/* To find duplicates, the observer watches one id, any one, and asserts that it is not issued again. */
bool watching; byte watchLane, watchTick, watchSeq, watchPlace;

byte prevTick[3], prevSeq[3], prevPlace[3];  /* the latest id of each lane but version 1's */
byte latest;  /* the latest reading of version 6 since its ids last went down */

inline issued(l, watch) {  /* the latest id of lane l, at r; watch says whether to watch it */
	s = (SEQUENCED(l) -> now : 0);
	printf("lane %d at %d: tick %d, sequence %d, place %d\n", l, r, L.last, s, L.used - 1);
	assert(L.used <= PERTICK(l) && L.last <= LAST(l) && L.last <= L.limit);

	/* Ordered: Snowflake; and version 6, save after a step back beyond the tolerance. */
	if
	:: l != L1 ->
		if
		:: L.last > prevTick[l] ||
		   L.last == prevTick[l] && (s > prevSeq[l] || s == prevSeq[l] && L.used > prevPlace[l] + 1)
		:: else ->
			assert(l == L6 && latest - r > TOL && latest - r >= AHEAD);
			latest = r
		fi;
		prevTick[l] = L.last; prevSeq[l] = s; prevPlace[l] = L.used - 1
	:: else
	fi;

	/* Unique. */
	if
	:: watching ->
		assert(!(watchLane == l && watchTick == L.last && watchSeq == s && watchPlace == L.used - 1))
	:: !watching && watch ->
		watching = true; watchLane = l; watchTick = L.last; watchSeq = s; watchPlace = L.used - 1
	:: else
	fi
}

/* A new life owes version 6 its order only from its own ids on. */
inline forget() {
	prevTick[L6] = 0; prevSeq[L6] = 0; prevPlace[L6] = 0;
	if :: V6 -> latest = MAX(r, savedTime) :: else fi
}
