package main

import (
	"time"

	"github.com/oneclock/ids"
)

// A moment is a point of a history: what a clock showed, or what an id tells, when some real
// time had passed. Both are in seconds from the start.
type moment struct{ real, shown float64 }

// A stepBack is a setting back of the wall clock.
type stepBack struct{ real, by float64 }

// The history that is drawn, in seconds: the first step is within Tolerance, the second is not.
const (
	historyEnd  = 46.0
	historyStep = 0.1
)

var stepsBack = []stepBack{{12, 6}, {26, 16}}

// wall returns what the wall clock shows.
func wall(real float64) float64 {
	shown := real
	for _, s := range stepsBack {
		if real >= s.real {
			shown -= s.by
		}
	}
	return shown
}

// A lane is what one scheme issues in the history.
type lane struct {
	name, kind string
	fresh      string           // what tells ids apart where the lane follows the clock back
	mint       func() time.Time // an id, of which it returns the time
	moments    []moment
}

// constant gives the same byte for ever, so that the pictures are the same in every run.
type constant byte

func (c constant) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c)
	}
	return len(b), nil
}

// A world is the schemes of package ids over one clock, which is set by hand.
type world struct {
	now       time.Time
	generator *ids.Generator
	node      *ids.SnowflakeNode
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newWorld() *world {
	w := &world{now: start}
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return w.now }})
	w.generator = ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: constant(0x5a), Node: [6]byte{1, 2, 3, 4, 5, 6}})
	var err error
	if w.node, err = ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: clock}); err != nil {
		panic(err)
	}
	return w
}

// lanes runs the history with the schemes of package ids, and returns what each issued.
func lanes() []lane {
	w := newWorld()
	ofUUID := func(mint func() ids.UUID) func() time.Time {
		return func() time.Time {
			t, _ := mint().Time()
			return t
		}
	}
	all := []lane{
		{name: "UUID version 1", kind: timeKind, fresh: "new sequence", mint: ofUUID(w.generator.NewV1)},
		{name: "UUID version 6", kind: hashKind, fresh: "new sequence", mint: ofUUID(w.generator.NewV6)},
		{name: "UUID version 7 and ULID", kind: randomKind, fresh: "fresh bits", mint: ofUUID(w.generator.NewV7)},
		{name: "Snowflake", kind: nodeKind, mint: func() time.Time { return w.node.Next().Time() }},
	}
	for n := range int(historyEnd/historyStep) + 1 {
		real := float64(n) * historyStep
		w.now = start.Add(time.Duration(wall(real) * float64(time.Second)))
		for i := range all {
			l := &all[i]
			l.moments = append(l.moments, moment{real, l.mint().Sub(start).Seconds()})
		}
	}
	return all
}

// follows reports whether the lane went back with the wall clock.
func (l lane) follows(s stepBack) bool {
	for i, m := range l.moments {
		if m.real >= s.real {
			return m.shown < l.moments[i-1].shown-s.by/2
		}
	}
	return false
}

// burst is how many ids are minted at one reading of the clock.
const burst = 12

// A place is where an id of a burst is: its tick, from the first, and its ordinal there.
type place struct{ tick, ordinal int64 }

// bursts mints ids at one reading of the clock, and returns the places of the ids of version 1
// and of Snowflake, whose ordinals are small numbers, and how many ticks the ids of version 7 and
// ULID took.
func bursts() (v1, snowflake []place, v7Ticks, ulidTicks int) {
	w := newWorld()
	ticks := map[int64]bool{}
	for range burst {
		u := w.generator.NewV1()
		t, _ := u.Time()
		sequence, _ := u.ClockSequence()
		v1 = append(v1, place{int64(t.Sub(start) / 100), int64(sequence & 3)})

		s := w.node.Next()
		snowflake = append(snowflake, place{s.Time().Sub(start).Milliseconds(), s.Sequence()})

		u = w.generator.NewV7()
		ticks[int64(u[6]&15)<<8|int64(u[7])] = true
	}
	v7Ticks = len(ticks)
	clear(ticks)
	for range burst {
		ticks[w.generator.NewULID().Time().UnixMilli()] = true
	}
	return v1, snowflake, v7Ticks, len(ticks)
}
