// Quickstart makes an id of every kind, shows what is inside each, and parses a good id and a bad one:
//
//	go run ./examples/quickstart
//
// To make and inspect ids in a shell, see cmd/idgen.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run writes what the program has to show to out.
func run(out io.Writer) error {
	// A bad IDS_SNOWFLAKE_NODE is an error here. Without this line it is a panic at the first id.
	if _, err := snowflake.Default(); err != nil {
		return err
	}
	fmt.Fprint(out, "One id of every kind, and what is inside it\n\n")
	everyKind(out)

	fmt.Fprint(out, "\nReading an id from text\n\n")
	return reading(out)
}

// everyKind makes one id of each kind.
func everyKind(out io.Writer) {
	show := func(call string, id fmt.Stringer, inside string) {
		fmt.Fprintf(out, "  %-16s  %s\n  %-16s  %s\n", call, id, "", inside)
	}

	v7 := uuid.NewV7()
	made, _ := v7.Time()
	show("uuid.NewV7()", v7, clock(made)+", then random bits: the key for a database")

	v4 := uuid.NewV4()
	show("uuid.NewV4()", v4, "122 random bits, and nothing else: not even the time")

	v5 := uuid.NewV5(uuid.NamespaceDNS(), "example.com")
	show("uuid.NewV5(…)", v5, "the SHA-1 of the name example.com: the same everywhere, always")

	v3 := uuid.NewV3(uuid.NamespaceDNS(), "example.com")
	show("uuid.NewV3(…)", v3, "the MD5 of the same name, for systems that require it")

	v1 := uuid.NewV1()
	made, _ = v1.Time()
	sequence, _ := v1.ClockSequence()
	node, _ := v1.NodeID()
	show("uuid.NewV1()", v1, fmt.Sprintf("%s, clock sequence %d, node %x", clock(made), sequence, node))

	v6 := uuid.NewV6()
	made, _ = v6.Time()
	sequence, _ = v6.ClockSequence()
	node, _ = v6.NodeID()
	show("uuid.NewV6()", v6, fmt.Sprintf("%s, clock sequence %d, node %x", clock(made), sequence, node))

	v2 := uuid.NewV2(uuid.DomainPerson, 1000)
	domain, _ := v2.Domain()
	local, _ := v2.LocalID()
	node, _ = v2.NodeID()
	show("uuid.NewV2(…)", v2, fmt.Sprintf("%s %d, node %x, the time to 7 minutes", domain, local, node))

	v8 := uuid.NewV8([16]byte([]byte("sixteen of mine!")))
	show("uuid.NewV8(…)", v8, "122 bits of your own, here from the text sixteen of mine!")

	u := ulid.Make()
	show("ulid.Make()", u, clock(u.Time())+", then 80 random bits, in 26 letters and digits")

	s := snowflake.Next()
	in := snowflake.Twitter().Split(s)
	show("snowflake.Next()", s, fmt.Sprintf("%s, node %d, sequence %d, in 8 bytes", clock(in.Time), in.Node, in.Sequence))
	if _, ok := os.LookupEnv("IDS_SNOWFLAKE_NODE"); !ok {
		fmt.Fprintf(out, "  %-16s  (a random node: give each process its own in IDS_SNOWFLAKE_NODE)\n", "")
	}
}

// reading parses a good id and a bad one.
func reading(out io.Writer) error {
	good, err := uuid.Parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
	if err != nil {
		return err
	}
	made, _ := good.Time()
	fmt.Fprintf(out, "  017F22E2-79B0-7CC3-98C4-DC0C0C07398F  good: version %d, made %s\n", good.Version(), clock(made))

	_, err = uuid.Parse("017F22E2-79B0-7CC3-98C4-DC0C0CO7398F")
	if err == nil {
		return errors.New("a bad UUID was accepted")
	}
	fmt.Fprintf(out, "  017F22E2-79B0-7CC3-98C4-DC0C0CO7398F  bad:  %v\n", err)
	return nil
}

// clock returns t to the millisecond.
func clock(t time.Time) string { return t.Format("2006-01-02 15:04:05.000 UTC") }
