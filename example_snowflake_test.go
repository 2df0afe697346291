package ids_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/oneclock/ids"
)

func ExampleNextSnowflake() {
	a, b := ids.NextSnowflake(), ids.NextSnowflake()
	layout := ids.TwitterLayout()
	fmt.Println(a < b, layout.Split(a).Node == layout.Split(b).Node)
	// Output: true true
}

// A program that calls it first refuses a bad IDS_SNOWFLAKE_NODE when it starts.
func ExampleDefaultSnowflakeNode() {
	node, err := ids.DefaultSnowflakeNode()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(node.Layout().Split(ids.NextSnowflake()).Node == node.Number())
	// Output: true
}

func ExampleSetDefaultSnowflakeNode() {
	node, err := ids.NewSnowflakeNode(378, nil)
	if err != nil {
		panic(err)
	}
	ids.SetDefaultSnowflakeNode(node)
	defer ids.SetDefaultSnowflakeNode(nil) // which is for tests
	fmt.Println(node.Layout().Split(ids.NextSnowflake()).Node)
	// Output: 378
}

func ExampleNewSnowflakeNode() {
	node, err := ids.NewSnowflakeNode(42, &ids.SnowflakeOptions{Layout: ids.SonyflakeLayout()})
	if err != nil {
		panic(err)
	}
	parts := node.Layout().Split(node.Next())
	fmt.Println(parts.Node)

	_, err = ids.NewSnowflakeNode(1024, nil)
	fmt.Println(err, errors.Is(err, ids.ErrRange))
	// Output:
	// 42
	// ids: Snowflake node 1024 is not within 0 to 1023 true
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

	now = now.Add(-time.Minute) // somebody sets the clock back
	_, err = node.TryNext()
	fmt.Println(err, errors.Is(err, ids.ErrClockBehind))
	fmt.Println(node.Next()) // goes on from the latest id instead
	// Output:
	// 2006696907371474944 <nil>
	// ids: the wall clock is behind the ids: it was set back, or stands still true
	// 2006696907371474945
}

// A worker that mints until it is told to stop, though the limit of its clock withholds ids.
func ExampleSnowflakeNode_NextContext() {
	clock, limit := ids.NewLimitedClock(nil)
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		panic(err)
	}
	full := errors.New("no space left on device")
	limit.Set(noon, full) // which has passed

	ctx, cancel := context.WithTimeout(context.Background(), 250*time.Millisecond)
	defer cancel()
	_, err = node.NextContext(ctx)
	fmt.Println(err)
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.Is(err, ids.ErrWithheld), errors.Is(err, full))
	// Output:
	// ids: no Snowflake: context deadline exceeded: ids: withheld: no space left on device
	// true true true
}

// A program that runs in many processes has its number in the environment, and hears in main if that
// is missing. The clock may be that of a clockfile.
func ExampleSetDefaultSnowflakeNodeFromEnv() {
	os.Setenv("IDS_SNOWFLAKE_NODE", "1234") // as the deployment does
	ids.SetDefaultSnowflakeNode(nil)        // other examples have made one

	opts := &ids.SnowflakeOptions{Layout: ids.SonyflakeLayout(), Clock: ids.NewClock(nil)}
	node, err := ids.SetDefaultSnowflakeNodeFromEnv(opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(node.Number(), node.Layout().Split(ids.NextSnowflake()).Node)

	_, err = ids.SetDefaultSnowflakeNodeFromEnv(opts) // on another clock that could make the same ids again
	fmt.Println(err)

	ids.SetDefaultSnowflakeNode(nil)
	os.Unsetenv("IDS_SNOWFLAKE_NODE")
	// Output:
	// 1234 1234
	// ids: there is a default Snowflake node already, set or made for a Snowflake: call SetDefaultSnowflakeNodeFromEnv once, first in main
}

func ExampleTwitterNumber() {
	number, err := ids.TwitterNumber(11, 26)
	fmt.Println(number, err)

	_, err = ids.TwitterNumber(32, 0)
	fmt.Println(err, errors.Is(err, ids.ErrRange))
	// Output:
	// 378 <nil>
	// ids: datacenter 32 is not within 0 to 31 true
}

func ExampleTwitterDatacenterWorker() {
	parts := ids.TwitterLayout().Split(1541815603606036480)
	datacenter, worker := ids.TwitterDatacenterWorker(parts.Node)
	fmt.Println(parts.Time, datacenter, worker, parts.Sequence)
	// Output: 2022-06-28 16:07:40.105 +0000 UTC 11 26 0
}

// Two programs compare what their configurations say.
func ExampleSnowflakeLayout_Equal() {
	here, there := ids.DiscordLayout(), ids.DiscordLayout()
	there.Epoch = there.Epoch.In(time.FixedZone("east", 3600)) // the same instant
	fmt.Println(here == there, here.Equal(there))
	fmt.Println(ids.TwitterLayout().Equal(ids.SnowflakeLayout{})) // the zero value is Twitter's
	// Output:
	// false true
	// true
}

// How long a layout lasts.
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
		SequenceBits: 16, // 65,536 ids in a millisecond
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

func ExampleSnowflakeLayout_MinAt() {
	// SELECT … WHERE id BETWEEN $1 AND $2
	layout := ids.DiscordLayout()
	fmt.Println(layout.MinAt(noon))
	fmt.Println(layout.MaxAt(noon.Add(time.Hour)))
	// Output:
	// 1456255637913600000
	// 1456270737412194303
}

func ExampleInstagramLayout() {
	parts := ids.InstagramLayout().Split(3804094371839255809)
	fmt.Println(parts.Time, parts.Node, parts.Sequence)
	// Output: 2026-01-06 12:43:29.172 +0000 UTC 681 257
}

func ExampleParseSnowflake() {
	s, err := ids.ParseSnowflake("1541815603606036480")
	fmt.Println(s, err)

	_, err = ids.ParseSnowflake("9223372036854775808")
	fmt.Println(err)
	// Output:
	// 1541815603606036480 <nil>
	// ids: parsing Snowflake: above 9223372036854775807
}

func ExampleMustParseSnowflake() {
	s := ids.MustParseSnowflake("1541815603606036480")
	fmt.Println(ids.TwitterLayout().Split(s).Time)
	// Output: 2022-06-28 16:07:40.105 +0000 UTC
}

func ExampleParseSnowflakeBase32() {
	s := ids.Snowflake(1541815603606036480)
	fmt.Println(s.Base32())
	fmt.Println(ids.ParseSnowflakeBase32(s.Base32()))
	// Output:
	// 1ASD13XH1F800
	// 1541815603606036480 <nil>
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
