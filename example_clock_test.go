package ids_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/oneclock/ids"
)

// A clock whose Now is set by hand shows what happens when the wall clock is set back.
func ExampleNewClock() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock})

	a := g.NewV7()
	now = now.Add(-time.Second) // within Tolerance: the ids keep ascending
	b := g.NewV7()
	now = now.Add(-time.Hour) // beyond it: they follow the clock
	c := g.NewV7()

	fmt.Println(a.Compare(b), b.Compare(c))
	at, _ := c.Time()
	fmt.Println(at)
	// Output:
	// -1 1
	// 2026-01-01 10:59:59 +0000 UTC
}

// The state of a clock is saved as JSON. The next life of the process starts from it, at a time
// when the wall clock is an hour behind.
func ExampleClock_State() {
	now := noon
	life := func(state ids.ClockState) (*ids.Clock, *ids.SnowflakeNode) {
		clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }, State: state})
		node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
		if err != nil {
			panic(err)
		}
		return clock, node
	}
	clock, node := life(ids.ClockState{})
	last := node.Next()
	saved, err := json.Marshal(clock.State())
	if err != nil {
		panic(err)
	}

	now = now.Add(-time.Hour)
	var state ids.ClockState
	if err := json.Unmarshal(saved, &state); err != nil {
		panic(err)
	}
	fmt.Println(state.Time)
	_, node = life(state)
	fmt.Println(node.Next() > last)
	// Output:
	// 2026-01-01 12:00:00 +0000 UTC
	// true
}

// A mark ahead of the clock is saved before it becomes the limit. So the process may crash at
// any moment: the next one starts from the mark, past every id that this one can have minted.
func ExampleClock_Limit() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	save := func(mark ids.ClockState) { fmt.Println("saved", mark.Time) } // on a disk, say, and synced
	renew := func() {
		mark := clock.Ahead(10 * time.Second)
		save(mark)
		clock.Limit(mark)
	}
	renew()
	fmt.Println(node.TryNext())

	now = now.Add(time.Minute) // in which nobody has renewed the mark
	_, err = node.TryNext()
	fmt.Println(err, errors.Is(err, ids.ErrSuspended))

	renew()
	fmt.Println(node.TryNext())
	// Output:
	// saved 2026-01-01 12:00:10 +0000 UTC
	// 2006696907371474944 <nil>
	// ids: suspended by the limit of the clock true
	// saved 2026-01-01 12:01:10 +0000 UTC
	// 2006697159029714944 <nil>
}

// With a clock and random bytes that are fixed, the ids are the same in every run: for tests
// that compare output with a golden file.
func ExampleNewGenerator() {
	g := ids.NewGenerator(&ids.GeneratorOptions{
		Clock:  ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return noon }}),
		Random: rand.NewChaCha8([32]byte{1}),
	})
	fmt.Println(g.NewV4())
	fmt.Println(g.NewV7())
	fmt.Println(g.NewV7())
	fmt.Println(g.NewULID())
	// Output:
	// 6ae6783f-4fbd-491b-aeb8-8b73a48ed247
	// 019b796d-d600-7000-9be5-882e25796834
	// 019b796d-d600-7000-9be5-baefe53e8d7a
	// 01KDWPVNG01KC74X6PE22CNBRE
}

func ExampleGenerator_NewV1() {
	g := ids.NewGenerator(&ids.GeneratorOptions{
		Clock: ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return noon }}),
		Node:  [6]byte{0x02, 0x00, 0x5e, 0x10, 0x00, 0x01}, // a MAC address, if you want it in there
	})
	u := g.NewV1()
	node, _ := u.NodeID()
	at, _ := u.Time()
	fmt.Printf("%x %v\n", node, at)
	// Output: 02005e100001 2026-01-01 12:00:00 +0000 UTC
}

// Monotonic ULIDs, as the specification has them, can be guessed from each other.
func ExampleGenerator_NewULID() {
	g := ids.NewGenerator(&ids.GeneratorOptions{
		Clock:         ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return noon }}),
		ULIDMonotonic: true,
	})
	a, b := g.NewULID(), g.NewULID()
	next, _ := a.Next()
	fmt.Println(b == next)
	// Output: true
}

// A virtual machine that was restored from a snapshot calls this first.
func ExampleReseed() {
	ids.Reseed()
	fmt.Println(ids.NewV4().Version())
	// Output: 4
}
