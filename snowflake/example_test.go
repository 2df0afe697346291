package snowflake_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/oneclock/ids/snowflake"
)

func Example() {
	node, err := snowflake.NewNode(7, nil) // or SetDefaultFromEnv, which reads the number
	if err != nil {
		log.Fatal(err)
	}
	a, b := node.Next(), node.Next()
	fmt.Println(a < b, node.Layout().Split(a).Node)
	// Output: true 7
}

// A program that calls Default first reports an invalid IDS_SNOWFLAKE_NODE at startup.
func ExampleDefault() {
	node, err := snowflake.Default()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(node.Layout().Split(snowflake.Next()).Node == node.Number())
	// Output: true
}

// A process that knows its node number sets it once, before it generates IDs.
func ExampleSetDefault() {
	node, err := snowflake.NewNode(378, nil)
	if err != nil {
		panic(err)
	}
	snowflake.SetDefault(node)
	fmt.Println(node.Layout().Split(snowflake.Next()).Node)
	// Output: 378
}

// A program that runs in many processes gets its node number from the environment, and exits if the
// number is missing.
func ExampleSetDefaultFromEnv() {
	os.Setenv("IDS_SNOWFLAKE_NODE", "42") // as the deployment does
	defer os.Unsetenv("IDS_SNOWFLAKE_NODE")
	snowflake.SetDefault(nil) // another example may have set a default node

	node, err := snowflake.SetDefaultFromEnv(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(node.Number(), node.Layout().Split(snowflake.Next()).Node)
	snowflake.SetDefault(nil)
	// Output: 42 42
}

func ExampleNewNode() {
	node, err := snowflake.NewNode(65_000, &snowflake.Options{Layout: snowflake.Sonyflake()})
	if err != nil {
		panic(err)
	}
	a, b := node.Next(), node.Next()
	fmt.Println(a < b, node.Layout().Split(a).Node)

	_, err = snowflake.NewNode(65_536, &snowflake.Options{Layout: snowflake.Sonyflake()})
	fmt.Println(err, errors.Is(err, snowflake.ErrRange))
	// Output:
	// true 65000
	// ids: Snowflake node 65536 is not within 0 to 65535 true
}

func ExampleNode_tryNext() {
	node, err := snowflake.NewNode(1, nil)
	if err != nil {
		panic(err)
	}
	_, err = node.TryNext()
	switch {
	case err == nil:
		fmt.Println("made")
	case errors.Is(err, snowflake.ErrExhausted), errors.Is(err, snowflake.ErrWithheld):
		fmt.Println("later:", err) // ErrWithheld has a cause
	}
	// Output: made
}

func ExampleTwitterNumber() {
	number, err := snowflake.TwitterNumber(11, 26)
	fmt.Println(number, err)

	_, err = snowflake.TwitterNumber(32, 0)
	fmt.Println(err)
	// Output:
	// 378 <nil>
	// ids: datacenter 32 is not within 0 to 31
}

func ExampleTwitterDatacenterWorker() {
	fmt.Println(snowflake.TwitterDatacenterWorker(378))
	// Output: 11 26
}

func ExampleLayout_split() {
	parts := snowflake.Discord().Split(175928847299117063)
	fmt.Println(parts.Time, parts.Node, parts.Sequence)

	id, err := snowflake.Discord().Compose(parts)
	fmt.Println(id, err)
	// Output:
	// 2016-04-30 11:18:25.796 +0000 UTC 32 7
	// 175928847299117063 <nil>
}

// The bounds of a database query for the IDs of one day.
func ExampleLayout_minAt() {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	layout := snowflake.Twitter()
	fmt.Println(layout.MinAt(day))
	fmt.Println(layout.MaxAt(day.AddDate(0, 0, 1).Add(-1)))
	// Output:
	// 2006515713438646272
	// 2006878101304246271
}

// A custom layout that counts seconds. Its IDs fit in 53 bits for a century, so JavaScript can
// represent them as numbers.
func ExampleLayout() {
	layout := snowflake.Layout{
		Epoch:        time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Tick:         time.Second,
		NodeBits:     6,
		SequenceBits: 15,
	}
	century := layout.MaxAt(layout.Epoch.AddDate(100, 0, 0))
	fmt.Println(century < 1<<53)
	// Output: true
}

func ExampleParse() {
	id, err := snowflake.Parse("1541815603606036480")
	fmt.Println(snowflake.Twitter().Split(id).Time, err)

	_, err = snowflake.Parse("0x1565")
	fmt.Println(err)
	// Output:
	// 2022-06-28 16:07:40.105 +0000 UTC <nil>
	// ids: parsing Snowflake: not a decimal digit at byte 1
}

func ExampleMustParse() {
	id := snowflake.MustParse("1541815603606036480")
	fmt.Println(snowflake.Twitter().Split(id).Node)
	// Output: 378
}

func ExampleParseBase32() {
	text := snowflake.ID(1541815603606036480).Base32()
	id, err := snowflake.ParseBase32(text)
	fmt.Println(text, id, err)
	// Output: 1ASD13XH1F800 1541815603606036480 <nil>
}

// In JSON, an ID is a string, because JavaScript rounds integers above 2^53. A number without
// quotes can be read, too.
func ExampleID_json() {
	b, err := json.Marshal(snowflake.ID(1541815603606036480))
	fmt.Println(string(b), err)
	// Output: "1541815603606036480" <nil>
}

// Null is NULL in a database and null in JSON.
func ExampleNull() {
	var id snowflake.Null
	err := id.Scan(int64(1541815603606036480))
	fmt.Println(id.ID, id.Valid, err)
	// Output: 1541815603606036480 true <nil>
}
