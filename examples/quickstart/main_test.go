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
	for call, version := range map[string]int{"uuid.NewV1": 1, "uuid.NewV2": 2, "uuid.NewV3": 3, "uuid.NewV4": 4,
		"uuid.NewV5": 5, "uuid.NewV6": 6, "uuid.NewV7": 7, "uuid.NewV8": 8} {
		id, err := ids.ParseUUID(shown[call][0])
		if err != nil || id.Version() != version || id.Variant() != ids.VariantRFC9562 {
			t.Errorf("%s: %q is not a UUID of version %d: %v", call, shown[call][0], version, err)
			continue
		}
		inside := shown[call][1]
		if made, ok := id.Time(); ok && version != 2 {
			checkTime(t, call, inside, made, from, to)
		}
		if sequence, ok := id.ClockSequence(); ok && !strings.Contains(inside, fmt.Sprintf("clock sequence %d,", sequence)) {
			t.Errorf("%s: %q does not tell clock sequence %d", call, inside, sequence)
		}
		if node, ok := id.NodeID(); ok && !strings.Contains(inside, fmt.Sprintf("node %x", node)) {
			t.Errorf("%s: %q does not tell node %x", call, inside, node)
		}
	}
	if want := ids.NewV5(ids.NamespaceDNS(), "example.com").String(); shown["uuid.NewV5"][0] != want {
		t.Errorf("version 5 is %s, want %s", shown["uuid.NewV5"][0], want)
	}
	if want := ids.NewV3(ids.NamespaceDNS(), "example.com").String(); shown["uuid.NewV3"][0] != want {
		t.Errorf("version 3 is %s, want %s", shown["uuid.NewV3"][0], want)
	}
	if !strings.HasPrefix(shown["uuid.NewV2"][1], "person 1000, ") || !strings.HasPrefix(shown["uuid.NewV2"][0], "000003e8-") {
		t.Errorf("version 2 is %q", shown["uuid.NewV2"])
	}

	u, err := ids.ParseULID(shown["ulid.Make"][0])
	if err != nil {
		t.Errorf("ulid.Make: %v", err)
	}
	checkTime(t, "ulid.Make", shown["ulid.Make"][1], u.Time(), from, to)
	s, err := ids.ParseSnowflake(shown["snowflake.Next"][0])
	if err != nil {
		t.Errorf("snowflake.Next: %v", err)
	}
	in := ids.TwitterLayout().Split(s)
	checkTime(t, "snowflake.Next", shown["snowflake.Next"][1], in.Time, from, to)
	if want := fmt.Sprintf("node 308, sequence %d,", in.Sequence); !strings.Contains(shown["snowflake.Next"][1], want) || in.Node != 308 {
		t.Errorf("snowflake.Next: %q does not tell %q", shown["snowflake.Next"][1], want)
	}

	if strings.Contains(text, "random node") {
		t.Error("the node is given, but is called random")
	}

	for _, want := range []string{
		`  1000000 UUIDs of version 7 in \d\S*s: all distinct, all ascending\n`,
		`  1000000 Snowflakes in \d\S*s: all distinct, all ascending`,
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

// checkTime checks that inside begins with the time in an id, which must lie between from and
// to, give or take 10 ms: an id may be that far ahead, and its time is cut to a millisecond.
func checkTime(t *testing.T, call, inside string, made, from, to time.Time) {
	t.Helper()
	if !strings.HasPrefix(inside, made.Format("2006-01-02 15:04:05.000 UTC")) {
		t.Errorf("%s: %q does not begin with the time %v", call, inside, made)
	}
	if made.Before(from.Add(-10*time.Millisecond)) || made.After(to.Add(10*time.Millisecond)) {
		t.Errorf("%s: made at %v, which is not within %v to %v", call, made, from, to)
	}
}

// TestAscending checks the check.
func TestAscending(t *testing.T) {
	for _, test := range []struct {
		list []ids.Snowflake
		want bool
	}{
		{nil, true},
		{[]ids.Snowflake{7}, true},
		{[]ids.Snowflake{1, 2, 9}, true},
		{[]ids.Snowflake{1, 2, 2}, false},
		{[]ids.Snowflake{2, 1, 9}, false},
	} {
		if got := ascending(test.list); got != test.want {
			t.Errorf("ascending(%v) = %v", test.list, got)
		}
	}
}
