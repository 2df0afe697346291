package ids_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/oneclock/ids"
)

// The wall clock is set by hand, to show the effect of setting it back.
func ExampleNewClock() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock})

	a := g.NewV7()
	now = now.Add(-time.Second) // within Tolerance: IDs keep ascending
	b := g.NewV7()
	now = now.Add(-time.Hour) // beyond Tolerance: IDs follow the clock
	c := g.NewV7()

	fmt.Println(a.Compare(b), b.Compare(c))
	at, _ := c.Time()
	fmt.Println(at)
	// Output:
	// -1 1
	// 2026-01-01 10:59:59 +0000 UTC
}

// A process that makes no more IDs saves the time of its latest ID. The next process starts after
// it, although its wall clock is an hour behind. After a crash, nothing is saved; see
// NewLimitedClock.
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
	saved := clock.Latest().Format(time.RFC3339Nano)
	fmt.Println(saved)

	now = now.Add(-time.Hour)
	after, err := time.Parse(time.RFC3339Nano, saved)
	if err != nil || after.IsZero() { // a zero After would protect nothing
		panic("what was saved is no time")
	}
	_, node = start(after)
	fmt.Println(node.Next() > last)
	// Output:
	// 2026-01-01T12:00:00Z
	// true
}

// A process saves a time ahead of its IDs before it makes one, and again before that time is
// reached. So it may crash at any moment. The next process starts after the saved time, past every
// ID that this process can have made.
func ExampleNewLimitedClock() {
	now := noon
	disk := "2026-01-01T12:00:03Z" // saved by the previous process, which has crashed
	load := func() time.Time {
		after, err := time.Parse(time.RFC3339Nano, disk)
		if err != nil || after.IsZero() { // a zero After would protect nothing
			panic("what was saved is no time")
		}
		return after
	}
	save := func(t time.Time) error { // and sync it
		disk = t.Format(time.RFC3339Nano)
		return nil
	}

	clock, limit := ids.NewLimitedClock(&ids.ClockOptions{Now: func() time.Time { return now }, After: load()})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	var saved time.Time
	var cause error  // reason why saved is not later
	keep := func() { // call it before the first ID, and then every 100 ms
		const window = 10 * time.Second
		next := limit.NextHorizon(window)
		if next.Sub(saved) > window/2 || next.After(saved) && clock.Ahead() > 0 {
			if cause = save(next); cause == nil {
				saved = next
			}
		}
		// Set the limit even if it is the same. This wakes calls that wait because of one wrong
		// reading.
		limit.Set(saved, cause)
	}
	keep()
	fmt.Println("saved", disk)
	id := node.Next()
	fmt.Println(ids.TwitterLayout().Split(id).Time, clock.Ahead())

	now = now.Add(time.Minute) // in which nothing called keep
	_, err = node.TryNext()
	fmt.Println(errors.Is(err, ids.ErrWithheld))
	keep()
	fmt.Println("saved", disk)
	fmt.Println(node.Next() > id)
	// Output:
	// saved 2026-01-01T12:00:10Z
	// 2026-01-01 12:00:03.001 +0000 UTC 3.001s
	// true
	// saved 2026-01-01T12:01:10Z
	// true
}

// Until the first limit, and beyond each later limit, versions 1 and 6 and Snowflakes are withheld,
// and the errors contain the reason. Version 7 continues.
func ExampleClockLimit_Set() {
	clock, limit := ids.NewLimitedClock(nil)
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	try := func() {
		_, err := node.TryNext()
		fmt.Println(err)
	}
	try()
	fmt.Println(ids.NewGenerator(&ids.GeneratorOptions{Clock: clock}).NewV7().Version())

	limit.Set(time.Now().Add(time.Hour), nil) // the saved time
	try()
	limit.Set(noon, errors.New("no space left on device")) // a time in the past
	try()
	// Output:
	// ids: withheld: the clock has no limit yet: call ClockLimit.Set
	// 7
	// <nil>
	// ids: withheld: no space left on device
}

// A process gives up its number, for example after the loss of its lease. IDs of the next 100 ms
// may still be made, and then none. The errors of later calls contain the reason.
func ExampleClockLimit_EndAt() {
	now := noon
	clock, limit := ids.NewLimitedClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	limit.Set(now.Add(10*time.Second), nil)
	limit.EndAt(now.Add(100*time.Millisecond), errors.New("another process has number 7"))
	fmt.Println(node.TryNext())

	now = now.Add(time.Second)
	_, err = node.TryNext()
	fmt.Println(err)
	fmt.Println(errors.Is(err, ids.ErrEnded))
	// Output:
	// 2006696907371474944 <nil>
	// ids: ended: another process has number 7
	// true
}

// The horizon is ahead of the wall clock by the window. If IDs are ahead of the wall clock, for
// example after it was set back, the horizon is ahead of them by a hundredth of the window.
func ExampleClockLimit_NextHorizon() {
	now := noon
	clock, limit := ids.NewLimitedClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	limit.Set(now, nil)
	node.Next()
	fmt.Println(limit.NextHorizon(10 * time.Second))
	now = now.Add(-time.Hour)
	fmt.Println(limit.NextHorizon(10 * time.Second))
	// Output:
	// 2026-01-01 12:00:10 +0000 UTC
	// 2026-01-01 12:00:00.1 +0000 UTC
}

// A gauge for a dashboard that shows how far IDs are ahead of the wall clock.
func ExampleClock_Ahead() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	node.Next()
	fmt.Println(clock.Ahead())
	now = now.Add(-5 * time.Second) // the wall clock is set back
	fmt.Println(clock.Ahead())
	// Output:
	// 0s
	// 5s
}

// With a fixed clock and fixed random bytes, the IDs are the same in every run. This is for tests
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
		// A MAC address, if the IDs should contain one.
		NodeID: [6]byte{0x02, 0x00, 0x5e, 0x10, 0x00, 0x01},
	})
	u := g.NewV1()
	node, _ := u.NodeID()
	at, _ := u.Time()
	fmt.Printf("%x %v\n", node, at)
	// Output: 02005e100001 2026-01-01 12:00:00 +0000 UTC
}

// Monotonic ULIDs, as in the specification, can be guessed from each other.
func ExampleGenerator_NewULID() {
	g := ids.NewGenerator(&ids.GeneratorOptions{
		Clock:         ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return noon }}),
		ULIDMonotonic: true,
	})
	a, b := g.NewULID(), g.NewULID()
	next, _ := a.Increment()
	fmt.Println(b == next)
	// Output: true
}

// A virtual machine that was restored from a snapshot calls Reseed first.
func ExampleReseed() {
	ids.Reseed()
	fmt.Println(ids.NewV4().Version())
	// Output: 4
}

func ExampleNextSnowflake() {
	a, b := ids.NextSnowflake(), ids.NextSnowflake()
	layout := ids.TwitterLayout()
	fmt.Println(a < b, layout.Split(a).Node == layout.Split(b).Node)
	// Output: true true
}

func ExampleSnowflakeNode_Append() {
	node, err := ids.NewSnowflakeNode(1, nil)
	if err != nil {
		panic(err)
	}
	run := node.Append(nil, 1000)
	fmt.Println(len(run), slices.IsSorted(run))
	// Output: 1000 true
}

func ExampleSnowflakeNode_TryNext() {
	now := noon
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return now }})
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	fmt.Println(node.TryNext())

	now = now.Add(-time.Minute) // the clock is set back
	_, err = node.TryNext()
	fmt.Println(err, errors.Is(err, ids.ErrClockBehind))
	fmt.Println(node.Next()) // continues from the latest ID instead
	// Output:
	// 2006696907371474944 <nil>
	// ids: the wall clock is behind the IDs: it was set back or stands still true
	// 2006696907371474945
}

// A worker makes IDs until it is told to stop, although the limit of its clock withholds IDs.
func ExampleSnowflakeNode_NextContext() {
	clock, limit := ids.NewLimitedClock(nil)
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	full := errors.New("no space left on device")
	limit.Set(noon, full) // a time in the past

	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	_, err = node.NextContext(ctx)
	fmt.Println(err)
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.Is(err, ids.ErrWithheld), errors.Is(err, full))
	// Output:
	// ids: no Snowflake: context deadline exceeded: ids: withheld: no space left on device
	// true true true
}

// Two programs compare the layouts in their configurations.
func ExampleSnowflakeLayout_Equal() {
	here, there := ids.DiscordLayout(), ids.DiscordLayout()
	there.Epoch = there.Epoch.In(time.FixedZone("east", 3600)) // the same instant
	fmt.Println(here == there, here.Equal(there))
	// The zero value is Twitter's layout.
	fmt.Println(ids.TwitterLayout().Equal(ids.SnowflakeLayout{}))
	// Output:
	// false true
	// true
}

// The lifetime of a layout.
func ExampleSnowflakeLayout_Last() {
	fmt.Println(ids.TwitterLayout().Last())

	own := ids.SnowflakeLayout{Epoch: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Second, NodeBits: 16, SequenceBits: 16}
	fmt.Println(own.Last())
	// Output:
	// 2080-07-10 17:30:30.208 +0000 UTC
	// 2094-01-19 03:14:07 +0000 UTC
}

func ExampleSnowflakeLayout() {
	layout := ids.SnowflakeLayout{
		Epoch:        time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Tick:         time.Millisecond,
		NodeBits:     6,  // 64 nodes
		SequenceBits: 16, // 65,536 IDs in a millisecond
	}
	fmt.Println(layout.MinAt(noon), layout.MaxAt(noon))
	// Output: 181193932800000 181193936994303
}

func ExampleSnowflakeLayout_Compose() {
	layout := ids.TwitterLayout()
	s, err := layout.Compose(ids.SnowflakeParts{Time: noon, Node: 378, Sequence: 5})
	fmt.Println(s, err)

	parts := layout.Split(s)
	fmt.Println(parts.Time, parts.Node, parts.Sequence)
	// Output:
	// 2006696907372994565 <nil>
	// 2026-01-01 12:00:00 +0000 UTC 378 5
}

func ExampleInstagramLayout() {
	parts := ids.InstagramLayout().Split(3804094371839255809)
	fmt.Println(parts.Time, parts.Node, parts.Sequence)
	// Output: 2026-01-06 12:43:29.172 +0000 UTC 681 257
}

func ExampleSnowflake_UnmarshalJSON() {
	var pair [2]ids.Snowflake
	err := json.Unmarshal([]byte(`["1541815603606036480", 1541815603606036480]`), &pair)
	fmt.Println(pair, err)
	// Output: [1541815603606036480 1541815603606036480] <nil>
}

func ExampleSnowflake_Scan() {
	var s ids.Snowflake
	err := s.Scan(int64(1541815603606036480)) // as rows.Scan(&s) does for a BIGINT
	value, _ := s.Value()
	fmt.Printf("%v %v %T\n", s, err, value)
	// Output: 1541815603606036480 <nil> int64
}
