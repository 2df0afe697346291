package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

func TestMain(m *testing.M) { program.Main(m, main) }

// TestNode checks what the program says of a bad node number, and of none, in a process of its own.
func TestNode(t *testing.T) {
	const random = "(a random node: give each process its own in IDS_SNOWFLAKE_NODE)\n"
	for _, test := range []struct{ value, out, errs string }{
		{"IDS_SNOWFLAKE_NODE=web-3", "", "quickstart: ids: environment variable IDS_SNOWFLAKE_NODE is \"web-3\", not a number from 0 to 1023\n"},
		{"IDS_SNOWFLAKE_NODE=", "", "quickstart: ids: environment variable IDS_SNOWFLAKE_NODE is \"\", not a number from 0 to 1023\n"},
		{"IDS_OTHER=", random, ""},
	} {
		out, errs, err := program.Start(t, test.value).End()
		if (err != nil) != (test.errs != "") || errs != test.errs || (test.out == "") != (out == "") || !strings.Contains(out, test.out) {
			t.Errorf("%s: %v, %s, %s", test.value, err, out, errs)
		}
	}
}

// TestRun checks the facts in the output of one run.
func TestRun(t *testing.T) {
	t.Setenv("IDS_SNOWFLAKE_NODE", "308")
	var out bytes.Buffer
	from := time.Now()
	must.Do(t, run(&out))
	to := time.Now()
	text := out.String()

	// Each id, as the output has it: the call, the id, and a line on what is inside.
	shown := map[string][2]string{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+\.\w+)\(.*?\) +(\S+)\n +(.+)$`).FindAllStringSubmatch(text, -1) {
		shown[m[1]] = [2]string{m[2], m[3]}
	}
	told := func(call, want string) {
		t.Helper()
		if !strings.Contains(shown[call][1], want) {
			t.Errorf("%s: %q does not tell %q", call, shown[call][1], want)
		}
	}
	checkTime := func(call string, made time.Time) {
		t.Helper()
		told(call, made.Format("2006-01-02 15:04:05.000 UTC"))
		// An id may be 10 ms ahead, and its time is cut to a millisecond.
		if made.Before(from.Add(-10*time.Millisecond)) || made.After(to.Add(10*time.Millisecond)) {
			t.Errorf("%s: made at %v, which is not within %v to %v", call, made, from, to)
		}
	}
	for version := 1; version <= 8; version++ {
		call := fmt.Sprint("uuid.NewV", version)
		id, err := ids.ParseUUID(shown[call][0])
		if err != nil || id.Version() != version {
			t.Errorf("%s: %q is not a UUID of version %d: %v", call, shown[call][0], version, err)
			continue
		}
		if made, ok := id.Time(); ok && version != 2 {
			checkTime(call, made)
		}
		if sequence, ok := id.ClockSequence(); ok {
			told(call, fmt.Sprintf("clock sequence %d,", sequence))
		}
		if node, ok := id.NodeID(); ok {
			told(call, fmt.Sprintf("node %x", node))
		}
		if local, ok := id.LocalID(); ok {
			told(call, fmt.Sprintf("person %d, ", local))
		}
	}
	const name = "example.com"
	for call, want := range map[string]ids.UUID{"uuid.NewV3": ids.NewV3(ids.NamespaceDNS(), name), "uuid.NewV5": ids.NewV5(ids.NamespaceDNS(), name)} {
		if shown[call][0] != want.String() {
			t.Errorf("%s is %s, want %v", call, shown[call][0], want)
		}
	}
	u, err := ids.ParseULID(shown["ulid.Make"][0])
	must.Do(t, err)
	checkTime("ulid.Make", u.Time())
	s, err := ids.ParseSnowflake(shown["snowflake.Next"][0])
	must.Do(t, err)
	in := ids.TwitterLayout().Split(s)
	checkTime("snowflake.Next", in.Time)
	told("snowflake.Next", fmt.Sprintf("node 308, sequence %d,", in.Sequence))
	if strings.Contains(text, "random node") {
		t.Error("the node is given, but is called random")
	}
	for _, want := range []string{
		`  017F22E2-79B0-7CC3-98C4-DC0C0C07398F  good: version 7, made 2022-02-22 19:22:22.000 UTC\n`,
		`  017F22E2-79B0-7CC3-98C4-DC0C0CO7398F  bad:  ids: parsing UUID: .* at byte 30\n`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the output lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
