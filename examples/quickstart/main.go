// Quickstart generates IDs, prints some of their fields, compares two UUIDs, parses a UUID and
// encodes IDs as JSON. Run it with this command:
//
//	go run ./examples/quickstart
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// user defines a prefix. The text form of each typeid.ID[user] begins with user_.
type user struct{}

func (user) Prefix() string { return "user" }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run() error {
	// Time returns a time in UTC. Its second result is false for versions that contain no time,
	// such as version 4.
	const millisecond = "2006-01-02 15:04:05.000 UTC"
	v7 := uuid.NewV7()
	made, _ := v7.Time()
	fmt.Println("uuid.NewV7()     ", v7, " made", made.Format(millisecond))
	fmt.Println("uuid.NewV4()     ", uuid.NewV4(), " 122 random bits")
	fmt.Println("uuid.NewV5(…)    ", uuid.NewV5(uuid.NamespaceDNS(), "example.com"), " the same for example.com, always")

	u := ulid.Make()
	fmt.Println("ulid.Make()      ", u, " made", u.Time().Format(millisecond))
	fmt.Println("typeid.New[…]()  ", typeid.New[user](), " a version 7 UUID after the prefix of its kind")

	// Across all goroutines, each version 7 UUID is greater than the previous one. Rows with
	// version 7 keys therefore sort by time.
	fmt.Println("\nv7.Compare(…)    ", v7.Compare(uuid.NewV7()), " the next id is greater, as bytes and as text")

	// Parse accepts four text forms of a UUID. If a string is invalid, the error reports the
	// problem and its byte position. The second string below is invalid because the letter O is not
	// a digit.
	good, err := uuid.Parse("{017F22E2-79B0-7CC3-98C4-DC0C0C07398F}")
	if err != nil {
		return err
	}
	fmt.Println("uuid.Parse(…)    ", good, " version", good.Version())
	_, err = uuid.Parse("017f22e2-79b0-7cc3-98c4-dc0c0cO7398f")
	fmt.Println("uuid.Parse(…)    ", err)

	// Default reads the node number from the environment variable IDS_SNOWFLAKE_NODE. If the
	// variable is invalid, Default returns an error. Without the call to Default, Next would panic
	// instead. If the variable is not set, the number is chosen at random and logged. Give each
	// process its own number.
	if _, err := snowflake.Default(); err != nil {
		return err
	}
	s := snowflake.Next()
	in := snowflake.Twitter().Split(s)
	fmt.Printf("\nsnowflake.Next()  %v  made %s by node %d\n", s, in.Time.Format(millisecond), in.Node)

	// In JSON, each ID is a string. JavaScript would round a Snowflake that is a JSON number.
	type order struct {
		ID     uuid.UUID    `json:"id"`
		Event  ulid.ULID    `json:"event"`
		Number snowflake.ID `json:"number"`
	}
	text, err := json.Marshal(order{v7, u, s})
	if err != nil {
		return err
	}
	fmt.Printf("json.Marshal(…)   %s\n", text)

	fmt.Println("\nNext: recipes for databases, tests and node numbers: https://github.com/oneclock/ids#readme")
	fmt.Println("      make and inspect ids in a shell: go run github.com/oneclock/ids/cmd/idgen help")
	return nil
}
