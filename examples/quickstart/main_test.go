package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/program"
	"github.com/oneclock/ids/typeid"
)

func TestMain(m *testing.M) { program.Main(m, main) }

// TestRun checks the facts in the output of one run, and the messages for an invalid node number
// and for none.
func TestRun(t *testing.T) {
	from := time.Now()
	out, says, err := program.Start(t, "IDS_SNOWFLAKE_NODE=308").End()
	to := time.Now()
	shown := map[string]string{} // by call, the ID that it printed
	for _, line := range regexp.MustCompile(`(?m)^([\w.]+).*\(.*\) +(\S+)`).FindAllStringSubmatch(out, -1) {
		shown[line[1]] = line[2]
	}
	// Text that cannot be parsed becomes the zero ID here, which has a different version and time.
	v7, _ := ids.ParseUUID(shown["uuid.NewV7"])
	v4, _ := ids.ParseUUID(shown["uuid.NewV4"])
	u, _ := ids.ParseULID(shown["ulid.Make"])
	s, _ := ids.ParseSnowflake(shown["snowflake.Next"])
	prefix, of, _ := typeid.Split(shown["typeid.New"])
	if err != nil || says != "" || v7.Version() != 7 || v4.Version() != 4 || prefix != "user" || of.Version() != 7 || of.Compare(v7) <= 0 {
		t.Errorf("%v, says %q and prints\n%s", err, says, out)
	}
	made, _ := v7.Time()
	in := ids.TwitterLayout().Split(s)
	for _, at := range []time.Time{made, u.Time(), in.Time} {
		// An ID may be 10 ms ahead, and its time is truncated to a millisecond.
		if at.Before(from.Add(-10*time.Millisecond)) || at.After(to.Add(10*time.Millisecond)) {
			t.Errorf("made at %v, which is not within %v to %v", at, from, to)
		}
	}
	const clock = "  made 2006-01-02 15:04:05.000 UTC"
	_, wrong := ids.ParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0cO7398f")
	for _, want := range []string{
		fmt.Sprint(v7, made.Format(clock), "\n"),
		fmt.Sprint(u, u.Time().Format(clock), "\n"),
		fmt.Sprint(s, in.Time.Format(clock), " by node 308\n"),
		fmt.Sprint(ids.NewV5(ids.NamespaceDNS(), "example.com"), "  the same for example.com, always\n"),
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f  version 7\n",
		wrong.Error() + "\n",
		fmt.Sprintf(`{"id":"%s","event":"%s","number":"%s"}`, v7, u, s),
		"v7.Compare(…)     -1  the next id is greater",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if _, says, err := program.Start(t, "IDS_SNOWFLAKE_NODE=web-3").End(); err == nil ||
		says != "quickstart: ids: environment variable IDS_SNOWFLAKE_NODE is \"web-3\", not a number from 0 to 1023\n" {
		t.Errorf("a bad number: %v, says %q", err, says)
	}
	// A program that ends immediately may not log the number that it has drawn.
	for variable, want := range map[string]string{
		"IDS_OTHER=":                "IDS_SNOWFLAKE_NODE is not set, so this process has the random Snowflake node number %s. ",
		"IDS_SNOWFLAKE_NODE=random": "",
	} {
		out, says, err := program.Start(t, variable).End()
		_, node, _ := strings.Cut(out, " by node ")
		node, _, _ = strings.Cut(node, "\n")
		if want = strings.ReplaceAll(want, "%s", node); err != nil || node == "" || says != "" && (want == "" || !strings.Contains(says, want)) {
			t.Errorf("%s: %v, says %q, want %q, and prints\n%s", variable, err, says, want, out)
		}
	}
}
