//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/oneclock/ids"
)

// ofLibrary is every scheme with a time in it, on the default clock. Those that
// have a tolerance come last: see the worker's round.
func ofLibrary() []scheme {
	ofUUID := func(next func() ids.UUID) func() ([16]byte, time.Time) {
		return func() ([16]byte, time.Time) {
			u := next()
			at, _ := u.Time()
			return u, at
		}
	}
	// A layout whose ticks are soon full, so that calls wait. It begins with the oldest clock.
	few := ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Millisecond, NodeBits: 4, SequenceBits: 5}
	node, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: few})
	if err != nil {
		panic(err) // the number fits, and the clock is not before 1970
	}
	return []scheme{
		{name: "V1", order: never, next: ofUUID(ids.NewV1)},
		{name: "Snowflake", order: always, epoch: ids.TwitterLayout().Epoch, next: func() ([16]byte, time.Time) {
			s := ids.NextSnowflake()
			return number(int64(s)), ids.TwitterLayout().Split(s).Time
		}},
		{name: "Snowflake of 32 in 1 ms", order: always, next: func() ([16]byte, time.Time) {
			s := node.Next()
			return number(int64(s)), few.Split(s).Time
		}},
		{name: "V6", order: tolerant, next: ofUUID(ids.NewV6)},
		{name: "V7", order: tolerant, next: ofUUID(ids.NewV7), run: ascending(ids.AppendV7, ids.UUID.Compare)},
		{name: "ULID", order: tolerant, next: func() ([16]byte, time.Time) {
			u := ids.NewULID()
			return u, u.Time()
		}, run: ascending(ids.AppendULID, ids.ULID.Compare)},
	}
}

// ascending returns a function that mints a run and reports whether each id is above the one before.
func ascending[T any](mint func([]T, int) []T, compare func(a, b T) int) func() bool {
	var run []T
	return func() bool {
		run = mint(run[:0], runLen)
		for i := 1; i < len(run); i++ {
			if compare(run[i-1], run[i]) >= 0 {
				return false
			}
		}
		return len(run) == runLen
	}
}

// number returns a key that sorts as v does.
func number(v int64) (key [16]byte) {
	binary.BigEndian.PutUint64(key[:], uint64(v))
	return key
}

// naive is schemes that each break one promise when the clock steps back, under the name of the
// violation. They serve one worker. The one that has a tolerance comes last.
func naive() []scheme {
	var start, waited time.Time
	var tick, used int64
	return []scheme{
		{name: "wait", order: never, next: func() ([16]byte, time.Time) {
			began := naps.Load()
			now := time.Now().Round(0)
			for now.Before(waited) && naps.Load()-began <= mostNaps {
				time.Sleep(time.Millisecond)
				now = time.Now().Round(0)
			}
			waited = now
			return number(now.UnixNano()), now
		}},
		{name: "duplicate", order: never, next: func() ([16]byte, time.Time) {
			now := time.Now().Round(0)
			if now.UnixMilli()/10 != tick {
				tick, used = now.UnixMilli()/10, 0
			}
			used++
			return number(tick<<16 | used), now
		}},
		{name: "untrue", order: never, next: func() ([16]byte, time.Time) {
			if start.IsZero() {
				start = time.Now()
			}
			now := start.Add(time.Since(start)).Round(0) // follows the monotonic clock alone
			return number(now.UnixNano()), now
		}},
		{name: "run", order: never, next: func() ([16]byte, time.Time) {
			now := time.Now().Round(0)
			return number(now.UnixNano()), now
		}, run: ascending(func(run []int64, n int) []int64 {
			for len(run) < n {
				now := time.Now().UnixNano() // serves a thousand
				for i := range int64(1000) {
					run = append(run, now+i)
				}
			}
			return run
		}, cmp.Compare[int64])},
		{name: "order", order: tolerant, next: func() ([16]byte, time.Time) {
			now := time.Now()
			return number(now.UnixNano()), now.Round(0)
		}},
	}
}

// uncaught returns the names of the naive schemes that pass.
func uncaught(r *report) (names []string) {
	for _, s := range naive() {
		if r.Violations[s.name+" "+s.name] == "" {
			names = append(names, s.name)
		}
	}
	return names
}
