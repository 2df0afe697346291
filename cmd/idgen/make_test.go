package main

// Tests of the commands that make IDs.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestMake checks the number, the version, the order and the time of the IDs in each format.
func TestMake(t *testing.T) {
	for format, test := range map[string]struct{ form, title string }{
		"uuid1": {"urn", "UUID of version 1"}, "uuid4": {"braces", "UUID of version 4"}, "uuid6": {"hex", "UUID of version 6"},
		"uuid7": {"text", "UUID of version 7"}, "ulid": {"text", "ULID"}, "snowflake": {"base32", "Snowflake in the layout of twitter"},
	} {
		t.Run(format, func(t *testing.T) {
			from := time.Now().Add(-time.Second)
			args := []string{format}
			if format == "snowflake" {
				args = append(args, "-node", "7")
			}
			lines := must(t, "", append(args, "-n", "1000", "-format", test.form)...)
			to := time.Now().Add(time.Second)
			var all []ident
			for _, line := range lines {
				id, err := read(line, test.form)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				v := views(id, layouts)[0]
				if made, _ := time.Parse(time.RFC3339, v.Time); format != "uuid4" && (made.Before(from) || made.After(to)) {
					t.Errorf("%s was made at %v, not within %v to %v", line, made, from, to)
				}
				if v.title != test.title {
					t.Errorf("%s is a %s, not of %s", line, v.title, format)
				}
				all = append(all, id)
			}
			if format != "uuid4" && format != "uuid1" && !slices.IsSortedFunc(all, func(a, b ident) int {
				return bytes.Compare(a.bits[:], b.bits[:]) + int(a.number-b.number)
			}) {
				t.Error("the ids do not ascend")
			}
			slices.Sort(lines)
			if len(slices.Compact(lines)) != 1000 {
				t.Error("they are not 1000, or they repeat")
			}
			if one := must(t, "", args...); len(one) != 1 {
				t.Errorf("%d lines without -n", len(one))
			}
		})
	}
	check(t, []row{
		{"uuid7 -n 0", "", 0, "", ""},
		{"uuid7 10", "", 2, "", `unexpected argument "10"; to make that many IDs, use -n 10`},
		{"ulid ten", "", 2, "", `unexpected argument "ten"`},
		{"uuid7 -n", "", 2, "", "flag needs an argument: -n"},
		{"uuid7 -n 18446744073709551615", "", 2, "", `invalid value "18446744073709551615" for flag -n: must be a number from 0 to 9223372036854775807`},
		{"uuid7 -n -1", "", 2, "", `invalid value "-1" for flag -n: must be a number from 0 to 9223372036854775807`},
		{"uuid7 -", "", 2, "", `unexpected argument "-"`},
		{"uuid7 -prefix Order", "", 2, "", `invalid value "Order" for flag -prefix: typeid: neither a letter a to z of a prefix nor an underscore within one at byte 0`},
		{"uuid7 -prefix order -format hex", "", 2, "", "-format hex cannot have a prefix"},
		{"snowflake -prefix order", "", 2, "", "only a UUID or a ULID can have a prefix"}, // without a note about the node
		{"snowflake -format urn", "", 2, "", "a Snowflake cannot be written as urn, which is for 128 bits"},
		{"uuid7 -format json", "", 2, "", `invalid value "json" for flag -format: must be one of text, base32, base58, hex, urn, braces, typeid, guid, decimal, base64`},
	})
}

// TestNamed checks versions 3, 5 and 8, and the ways to pass names.
func TestNamed(t *testing.T) {
	const site, of3, of5 = "www.example.com", "5df41881-3aed-3515-88a7-2f4a814cf09e\n", "2ed6657d-e927-568b-95e1-2665a8aea6a2\n"
	check(t, []row{
		{"uuid3 " + site, "", 0, of3, ""},
		{"uuid5", "\ufeff" + site, 0, of5, ""},
		{"uuid5 \ufeff" + site, "", 0, ids.NewV5(ids.NamespaceDNS(), "\ufeff"+site).String() + "\n", ""}, // an argument is not changed
		{"uuid5 -namespace 6BA7B810-9DAD-11D1-80B4-00C04FD430C8", site, 0, of5, ""},
		{"uuid5 -namespace Dns", site, 0, of5, ""},
		{"uuid5 -namespace com", "", 2, "", `invalid value "com" for flag -namespace: must be dns, url, oid, x500 or a UUID`},
		{"uuid5 -namespace url", site, 0, ids.NewV5(ids.NamespaceURL(), site).String() + "\n", ""},
		{"uuid5 -namespace oid", " 1.3 ", 0, ids.NewV5(ids.NamespaceOID(), " 1.3 ").String() + "\n", ""},
		{"uuid3 -namespace x500 -format urn", `"c=ch"`, 0, ids.NewV3(ids.NamespaceX500(), `"c=ch"`).URN() + "\n", ""},
		{"uuid5 a -format base58 -- -b --", "", 0, ids.NewV5(ids.NamespaceDNS(), "a").Base58() + "\n" + ids.NewV5(ids.NamespaceDNS(), "-b").Base58() + "\n" +
			ids.NewV5(ids.NamespaceDNS(), "--").Base58() + "\n", ""},
		{"uuid5 -", "", 0, ids.NewV5(ids.NamespaceDNS(), "-").String() + "\n", ""},
		{"uuid8 -xml", "", 2, "", "flag provided but not defined: -xml"},
		{"uuid8 -prefix a_b 017f22e279b08cc398c4dc0c0c07398f", "", 0, "a_b_01fwhe4ydghk1shh6w1g60eecf\n", ""},
		{"uuid8 00000000000000000000000000000000 FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "", 0,
			"00000000-0000-8000-8000-000000000000\nffffffff-ffff-8fff-bfff-ffffffffffff\n", ""},
		{"uuid8 5c146b143c528afd938a375d0df1fbfg", "", 1, "", `"5c146b143c528afd938a375d0df1fbfg": parsing UUID: not a hexadecimal digit at byte 31; want 32 hexadecimal digits or a UUID`},
		{"uuid8 12345", "", 1, "", `"12345": not a form of uuid: length 5; want 32 hexadecimal digits or a UUID`},
	})
}

// TestSnowflakeNode checks that the node number comes from the command line or is random. It is not
// taken from the environment, which may belong to a server.
func TestSnowflakeNode(t *testing.T) {
	for _, value := range []string{"5", "random", "1024", ""} {
		t.Setenv("IDS_SNOWFLAKE_NODE", value)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
			for _, test := range []struct{ args, layout, want string }{
				{"-node 1023", "twitter", "1023"}, {"-node 0", "twitter", "0"}, {"-node 65535", "sonyflake", "65535"}, {"-n 3 -node 1000", "discord", "1000"},
			} {
				made := must(t, "", append([]string{"snowflake", "-layout", test.layout}, strings.Fields(test.args)...)...)
				for _, got := range must(t, strings.Join(made, "\n"), "inspect", "-layout", test.layout, "-field", "node") {
					if got != test.want {
						t.Errorf("snowflake %s with %q in the environment: node %s, want %s", test.args, value, got, test.want)
					}
				}
			}
		})
	}
	must(t, "", "snowflake", "-layout", "2021-01-01,1s,0,12", "-at", "2026-01") // the only node needs no number
	check(t, []row{
		{"snowflake -xml", "", 2, "", "flag provided but not defined: -xml"},
		{"snowflake -node 1024", "", 2, "", "-node must be a number from 0 to 1023, not 1024"},
		{"snowflake -layout 2021-01-01,1s,0,12 -node 1", "", 2, "", "-node must be a number from 0 to 0, not 1"},
		{"snowflake -node web-3", "", 2, "", `invalid value "web-3" for flag -node: must be a number from 0 to 9223372036854775807`},
	})
	if status, out, errs := try("", "snowflake", "-node", "0", "-layout", "1970-01-01,1ms,40,20"); status != 2 || out != "" || !strings.Contains(errs, " is after the last tick ") {
		t.Errorf("snowflake of a layout that is over: status %d, %q, %q", status, out, errs)
	}
	t.Setenv("IDS_SNOWFLAKE_NODE", "5")
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		seen := map[int64]bool{}
		for range 40 {
			status, out, errs := try("", "snowflake", "-layout", "sonyflake") // nodes have 16 bits
			s, _ := ids.ParseSnowflake(strings.TrimSpace(out))
			node := ids.SonyflakeLayout().Split(s).Node
			want := fmt.Sprintf("idgen: note: node %d is random, so another process may use it too; set a different -node for each\n", node)
			if status != 0 || errs != want {
				t.Fatalf("status %d, %q, %q, want %q", status, out, errs, want)
			}
			seen[node] = true
		}
		if len(seen) < 35 || slices.Max(slices.Collect(maps.Keys(seen))) < 1<<15 { // some nodes must be in the upper half
			t.Errorf("40 nodes drawn at random are %v", seen)
		}
	})
}

// TestSnowflakeRuns makes IDs in one run immediately after another, as a loop in a shell does. No
// ID repeats. Each run ends only when no process whose clock is a little behind can repeat its last
// ID. If this would take too long, the run prints a note instead.
func TestSnowflakeRuns(t *testing.T) {
	const stopped = "idgen: note: the layout has ticks of 20 ms or more; if this run is stopped, the next run with node 3 can make the same IDs\n"
	for _, layout := range []string{"twitter", "sonyflake", "2025-12-31,1us,10,12", "2021-01-01,20ms,10,2", "2021-01-01,1s,0,2"} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
			own, seen := newLayout(t, layout), map[string]bool{}
			for i := range 60 {
				n := min([]int{1, 3, 5000}[i%3], 20<<own.SequenceBits)
				if own.Tick == time.Second {
					n = 2 // more IDs would be too far ahead
				}
				status, out, errs := try("", "snowflake", "-node", "0", "-layout", layout, "-n", fmt.Sprint(n))
				if status != 0 || (errs == strings.ReplaceAll(stopped, "node 3", "node 0")) != (own.Tick >= 20*time.Millisecond) {
					t.Fatalf("%s: status %d, %q", layout, status, errs)
				}
				lines := strings.Fields(out)
				for _, id := range lines {
					if seen[id] {
						t.Fatalf("%s: run %d repeats %s", layout, i, id)
					}
					seen[id] = true
				}
				last, err := ids.ParseSnowflake(lines[len(lines)-1])
				if end := own.Split(last).Time.Add(own.Tick + 10*time.Millisecond); err != nil || end.After(time.Now()) {
					t.Fatalf("%s: run %d ends %v too early (%v)", layout, i, time.Until(end), err)
				}
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now() // 2000-01-01
		status, out, errs := try("", "snowflake", "-node", "3", "-layout", "1999-01-01,1h,3,3")
		const note = stopped + "idgen: note: until 2000-01-01T02:00:00.010Z, another run with node 3 can make the same IDs\n"
		if status != 0 || strings.Count(out, "\n") != 1 || errs != note || time.Since(begin) > 30*time.Millisecond {
			t.Errorf("status %d, %q, %q after %v, want %q", status, out, errs, time.Since(begin), note)
		}
	})
}

// newLayout returns a layout by name.
func newLayout(t *testing.T, name string) ids.SnowflakeLayout {
	fs := newFlags()
	layout := fs.addLayout()
	if err := fs.Parse([]string{"-layout", name}); err != nil {
		t.Fatal(err)
	}
	return (*layout)[0].SnowflakeLayout
}

// TestSnowflakeStopped starts a run when the reader of the previous run, for example head, has
// stopped reading and so ended that run. No ID repeats.
func TestSnowflakeStopped(t *testing.T) {
	for _, layout := range []string{"twitter", "sonyflake", "2021-01-01,1ms,19,3"} { // the last layout soon reaches its limit ahead of the clock
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
			seen := map[string]bool{}
			for i := range 20 {
				args := []string{"snowflake", "-node", "0", "-layout", layout, "-n", "50000"}
				stopped := &tool{out: bufio.NewWriter(&head{i, seen, t}), errs: io.Discard}
				func() {
					defer func() { recover() }() // the run ends immediately, as with SIGPIPE
					stopped.command(args)
				}()
			}
			if len(seen) < 20*10 {
				t.Errorf("%d ids", len(seen))
			}
		})
	}
}

// A head reads one more than the given number of pieces, and then ends the writer.
type head struct {
	pieces int
	seen   map[string]bool
	t      *testing.T
}

func (h *head) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if h.seen[string(line)] {
			h.t.Fatalf("%q repeats", line)
		}
		h.seen[string(line)] = true
	}
	if h.pieces--; h.pieces < 0 {
		panic("SIGPIPE")
	}
	return len(lines), nil
}

// TestMakeAt checks the time and the number of IDs with a given time, and that the IDs are
// different.
func TestMakeAt(t *testing.T) {
	for _, test := range []struct {
		args, made string
		n          int // number of IDs to make
	}{
		{"uuid7 -at 2022-02-22T19:22:22.123Z", "2022-02-22T19:22:22.123Z", 5000},
		{"ulid -at 2022-02-22T20:22:22+01:00", "2022-02-22T19:22:22.000Z", 5000},
		{"uuid1 -at 2022-02-22", "2022-02-22T00:00:00.0000000Z", 1 << 14},
		{"uuid6 -at 2022-02", "2022-02-01T00:00:00.0000000Z", 1 << 14},
		{"snowflake -node 1023 -at 2022-02-22", "2022-02-22T00:00:00.000Z", 4096},
		{"snowflake -node 7 -layout twitter -at 2010-11-04T01:42:54.657Z", "2010-11-04T01:42:54.657Z", 3},
	} {
		all := must(t, "", append(strings.Fields(test.args), fmt.Sprint("-n=", test.n))...)
		times := must(t, strings.Join(all, "\n"), "inspect", "-layout", "twitter", "-field", "time")
		if slices.Sort(all); len(slices.Compact(all)) != test.n || len(times) != test.n {
			t.Errorf("%s: %d ids, %d times, want %d", test.args, len(all), len(times), test.n)
		}
		if slices.Sort(times); times[0] != test.made || times[len(times)-1] != test.made {
			t.Errorf("%s: ids of %s to %s, want %s", test.args, times[0], times[len(times)-1], test.made)
		}
	}
	// The Snowflakes are the same in each run, and their sequence numbers start at 0.
	at := ids.SnowflakeParts{Time: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), Node: 9}
	for _, got := range must(t, "", "snowflake", "-layout", "discord", "-node", "9", "-at", "2026-01-31", "-n", "3") {
		want, err := ids.DiscordLayout().Compose(at)
		if at.Sequence++; err != nil || got != want.String() {
			t.Errorf("sequence %d: %s, want %v, %v", at.Sequence-1, got, want, err)
		}
	}
	const noTime = "must be a time (2026-01-31T12:00:00Z), a date, a month, now or an offset from now (-36h)"
	check(t, []row{
		{"uuid4 -at now", "", 2, "", "flag provided but not defined: -at"},
		{"uuid7 -at 0", "", 2, "", `invalid value "0" for flag -at: ` + noTime},
		{"uuid7 -at -0", "", 2, "", `invalid value "-0" for flag -at: ` + noTime},
		{"uuid7 -at 1700000000", "", 2, "", `invalid value "1700000000" for flag -at: ` + noTime},
		{"uuid7 -at 2026-02-30", "", 2, "", `invalid value "2026-02-30" for flag -at: ` + noTime},
		{"uuid7 -at 1969-12-31", "", 2, "", "time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z"},
		{"uuid7 -at 0001-01-01", "", 2, "", "time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z"},
		{"uuid1 -at 2026-01 -n 16385", "", 2, "", "-n 16385 is too large; uuid1 can make only 16384 IDs with one time"},
		{"snowflake -node 7 -at 2026-01 -n 4097", "", 2, "", "-n 4097 is too large; snowflake can make only 4096 IDs with one time"},
	})
}

// TestBoundsAt checks that -at accepts the last time that its error names, also in another time
// zone, and rejects later times.
func TestBoundsAt(t *testing.T) {
	bound := regexp.MustCompile(`[0-9]{4,}-[-0-9T:.]+Z`)
	for _, command := range []string{"uuid1", "uuid6", "uuid7", "ulid", "snowflake -node 0 -layout twitter", "snowflake -node 0 -layout 2021-01-01,1s,1,12"} {
		args := strings.Fields(command)
		_, _, errs := try("", append(args, "-at", "200000000-02-29")...)
		all := bound.FindAllString(errs, -1)
		if len(all) == 0 {
			t.Fatalf("%s: %q names no time", command, errs)
		}
		last := all[len(all)-1]
		for _, at := range []string{last, strings.TrimSuffix(last, "Z") + "+00:00"} {
			ids := must(t, "", append(args, "-at", at)...)
			layout := "twitter"
			if i := slices.Index(args, "-layout"); i > 0 {
				layout = args[i+1]
			}
			if times := must(t, ids[0], "inspect", "-layout", layout, "-field", "time"); len(times) != 1 || !strings.HasPrefix(times[0], strings.TrimSuffix(last, "Z")) {
				t.Errorf("%s -at %s: made at %q", command, at, times)
			}
		}
		year, rest, _ := strings.Cut(last, "-")
		n, _ := strconv.Atoi(year)
		if status, out, _ := try("", append(args, "-at", strconv.Itoa(n+1)+"-"+rest)...); status != 2 || out != "" {
			t.Errorf("%s: status %d, %q a year after %s", command, status, out, last)
		}
	}
	for at, want := range map[string]string{
		"12000-02-29": "12000-02-29T00:00:00Z", "12001-02-29": "", "10100-02-29": "", "10000-01": "10000-01-01T00:00:00Z", "9999-12-31": "9999-12-31T00:00:00Z",
		"010000-01-01": "", "+10000-01-01": "", "10000-13-01": "", "99999999999999999-01-01": "", "300000000000-01-01": "",
		"10000-01-01T01:00:00+02:00": "10000-01-01T01:00:00+02:00",
	} {
		span, err := parseTime(at)
		if got := span.begin.Format(time.RFC3339); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: %s, %v, want %q", at, got, err, want)
		}
	}
	if month, _ := parseTime("12000-02"); month.end.Sub(month.begin) != 29*24*time.Hour {
		t.Errorf("February 12000 is %v", month)
	}
}
