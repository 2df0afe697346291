package ids_test

import (
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

// A process that ends in good order saves the time of its latest id. The next one starts after it,
// although its wall clock is an hour behind.
func ExampleClock_Latest() {
	now := noon
	start := func(after time.Time) (*ids.Clock, *ids.SnowflakeNode) {
		clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }, After: after})
		node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
		if err != nil {
			panic(err)
		}
		return clock, node
	}
	clock, node := start(time.Time{})
	last := node.Next()
	clock.EndAt(time.Time{}) // at once: no more ids
	saved := clock.Latest().Format(time.RFC3339Nano)
	fmt.Println(saved)

	now = now.Add(-time.Hour)
	after, err := time.Parse(time.RFC3339Nano, saved)
	if err != nil || after.IsZero() { // After of the zero time would protect nothing
		panic("what was saved is no time")
	}
	_, node = start(after)
	fmt.Println(node.Next() > last)
	// Output:
	// 2026-01-01T12:00:00Z
	// true
}

// A process gives up its number: ids of the next 100 ms may still be minted, and then there are none.
func ExampleClock_EndAt() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	clock.EndAt(now.Add(100 * time.Millisecond))
	fmt.Println(node.TryNext())

	now = now.Add(time.Second)
	_, err = node.TryNext()
	fmt.Println(errors.Is(err, ids.ErrEnded))
	// Output:
	// 2006696907371474944 <nil>
	// true
}

// A time ahead of the clock is saved before it becomes the limit. So the process may crash at any
// moment: the next one starts after what was saved, past every id that this one can have issued.
func ExampleClock_Horizon() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }}) // After: what was saved
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	save := func(t time.Time) { fmt.Println("saved", t) } // on a disk, say, and synced
	var horizon time.Time
	renew := func() {
		horizon = clock.Horizon(10 * time.Second)
		save(horizon)
		clock.SetLimit(horizon)
	}
	look := func() { // every 100 ms, whether saving works or fails: one wrong reading holds nobody up for longer
		if now.Before(horizon) {
			clock.SetLimit(horizon) // again, which wakes who waits
		}
	}
	renew()
	look()
	fmt.Println(node.TryNext())

	now = now.Add(time.Minute) // in which nobody has called renew
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

// A limit in the past suspends version 1, version 6 and Snowflake. Version 7 goes on.
func ExampleClock_SetLimit() {
	clock := ids.NewClock(nil)
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	clock.SetLimit(time.Unix(0, 0))
	_, err = node.TryNext()
	fmt.Println(err)
	fmt.Println(ids.NewGenerator(&ids.GeneratorOptions{Clock: clock}).NewV7().Version())

	clock.SetLimit(time.Now().Add(time.Hour)) // a later one replaces it
	_, err = node.TryNext()
	fmt.Println(err)
	// Output:
	// ids: suspended by the limit of the clock
	// 7
	// <nil>
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
