package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestMint checks the number, the version, the order and the time of what each scheme mints.
func TestMint(t *testing.T) {
	t.Setenv("IDS_SNOWFLAKE_NODE", "7")
	for scheme, test := range map[string]struct{ form, title string }{
		"uuid1": {"urn", "UUID of version 1"}, "uuid4": {"braces", "UUID of version 4"}, "uuid6": {"hex", "UUID of version 6"},
		"uuid7": {"text", "UUID of version 7"}, "ulid": {"text", "ULID"}, "snowflake": {"base32", "Snowflake in the layout of twitter"},
	} {
		t.Run(scheme, func(t *testing.T) {
			from := time.Now().Add(-time.Second)
			lines := must(t, "", scheme, "-n", "1000", "-format", test.form)
			to := time.Now().Add(time.Second)
			var all []ident
			for _, line := range lines {
				id, err := read(line, test.form)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				v := views(id, layouts)[0]
				if made, _ := time.Parse(time.RFC3339, v.Time); scheme != "uuid4" && (made.Before(from) || made.After(to)) {
					t.Errorf("%s was made at %v, not within %v to %v", line, made, from, to)
				}
				if v.title != test.title {
					t.Errorf("%s is a %s, not of %s", line, v.title, scheme)
				}
				all = append(all, id)
			}
			if scheme != "uuid4" && scheme != "uuid1" && !slices.IsSortedFunc(all, func(a, b ident) int {
				return bytes.Compare(a.bits[:], b.bits[:]) + int(a.number-b.number)
			}) {
				t.Error("the ids do not ascend")
			}
			slices.Sort(lines)
			if len(slices.Compact(lines)) != 1000 {
				t.Error("they are not 1000, or they repeat")
			}
			if one := must(t, "", scheme); len(one) != 1 {
				t.Errorf("%d lines without -n", len(one))
			}
		})
	}
	check(t, []row{
		{"uuid7 -n 0", "", 0, "", ""},
		{"uuid7 -n", "", 2, "", "flag needs an argument: -n"},
		{"uuid7 -n 18446744073709551615", "", 2, "", `invalid value "18446744073709551615" for flag -n: it must be a number from 0 to 9223372036854775807`},
		{"uuid7 -n -1", "", 2, "", `invalid value "-1" for flag -n: it must be a number from 0 to 9223372036854775807`},
		{"uuid7 -", "", 2, "", `unexpected argument "-"`},
		{"uuid7 -prefix Order", "", 2, "", `invalid value "Order" for flag -prefix: typeid: neither a letter a to z of a prefix nor an underscore within one at byte 0`},
		{"uuid7 -prefix order -format hex", "", 2, "", "-format hex has no prefix"},
		{"snowflake -format urn", "", 2, "", "only a UUID or a ULID can be written as urn: it is for 128 bits"},
		{"uuid7 -format base64", "", 2, "", `invalid value "base64" for flag -format: it must be one of text, base32, base58, hex, json, urn, braces, typeid, guid, decimal, base64url`},
	})
}

// TestNamed checks versions 3, 5 and 8, and how names are given.
func TestNamed(t *testing.T) {
	const site, of3, of5 = "www.example.com", "5df41881-3aed-3515-88a7-2f4a814cf09e\n", "2ed6657d-e927-568b-95e1-2665a8aea6a2\n"
	check(t, []row{
		{"uuid3 " + site, "", 0, of3, ""},
		{"uuid5 \ufeff" + site, "", 0, of5, ""},
		{"uuid5 -namespace 6BA7B810-9DAD-11D1-80B4-00C04FD430C8", site, 0, of5, ""},
		{"uuid5 -namespace Dns", site, 0, of5, ""},
		{"uuid5 -namespace com", "", 2, "", `invalid value "com" for flag -namespace: it must be dns, url, oid, x500 or a UUID`},
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
		{"uuid8 5c146b143c528afd938a375d0df1fbfg", "", 1, "", `"5c146b143c528afd938a375d0df1fbfg": parsing UUID: not a hexadecimal digit at byte 31`},
	})
}

func TestVersion2(t *testing.T) {
	for _, test := range []struct {
		args   string
		domain ids.Domain
		local  uint32
	}{
		{"-local 7", ids.DomainPerson, 7},
		{"-domain group -local 4294967295", ids.DomainGroup, 4294967295},
		{"-domain org -local 0 -n 64", ids.DomainOrg, 0},
	} {
		for _, line := range must(t, "", append([]string{"uuid2"}, strings.Fields(test.args)...)...) {
			u := ids.MustParseUUID(line)
			domain, ok := u.Domain()
			local, _ := u.LocalID()
			if !ok || domain != test.domain || local != test.local {
				t.Errorf("uuid2 %s: %s has domain %v and local id %d", test.args, u, domain, local)
			}
		}
	}
	check(t, []row{
		{"uuid2", "", 2, "", "uuid2 needs -local, the number of a person, a group or an org"},
		{"uuid2 -local 7 8", "", 2, "", `unexpected argument "8"`},
		{"uuid2 -domain family", "", 2, "", `invalid value "family" for flag -domain: it must be one of person, group, org`},
		{"uuid2 -local 4294967296", "", 2, "", `invalid value "4294967296" for flag -local: it must be a number from 0 to 4294967295`},
		{"uuid2 -local 7 -n 65", "", 2, "", "-n 65 is too many: uuid2 makes only 64 ids of one time"},
	})
}

// TestSnowflakeNode checks where the node number comes from.
func TestSnowflakeNode(t *testing.T) {
	for _, test := range []struct{ env, args, layout, want string }{
		{"", "-node 1023", "twitter", "1023"},
		{"5", "", "twitter", "5"},
		{"5", "-node 6", "twitter", "6"},
		{"", "-node 65535", "sonyflake", "65535"},
		{"1000", "-n 3", "discord", "1000"},
	} {
		t.Setenv("IDS_SNOWFLAKE_NODE", test.env)
		minted := must(t, "", append([]string{"snowflake", "-layout", test.layout}, strings.Fields(test.args)...)...)
		for _, got := range must(t, strings.Join(minted, "\n"), "inspect", "-layout", test.layout, "-field", "node") {
			if got != test.want {
				t.Errorf("snowflake %s with %q in the environment: node %s, want %s", test.args, test.env, got, test.want)
			}
		}
	}
	check(t, []row{
		{"snowflake -xml", "", 2, "", "flag provided but not defined: -xml"},
		{"snowflake -node 1024", "", 2, "", `-node must be a number from 0 to 1023, not "1024"`},
		{"snowflake -layout 2021-01-01,1s,0,12", "", 2, "", `IDS_SNOWFLAKE_NODE must be a number from 0 to 0, not "1000"`},
	})
	if status, out, errs := try("", "snowflake", "-node", "0", "-layout", "1970-01-01,1ms,40,20"); status != 2 || out != "" || !strings.Contains(errs, " is after the last tick ") {
		t.Errorf("snowflake of a layout that is over: status %d, %q, %q", status, out, errs)
	}
	for _, value := range []string{"1024", "web-3", "", "Random"} {
		t.Setenv("IDS_SNOWFLAKE_NODE", value)
		check(t, []row{{"snowflake", "", 2, "", fmt.Sprintf("IDS_SNOWFLAKE_NODE must be a number from 0 to 1023, not %q", value)}})
	}
	os.Unsetenv("IDS_SNOWFLAKE_NODE")                         // t.Setenv restores it
	must(t, "", "snowflake", "-layout", "2021-01-01,1s,0,12") // the one node needs no number
	seen := map[int64]bool{}
	for i := range 40 {
		if i == 20 {
			os.Setenv("IDS_SNOWFLAKE_NODE", "random") // which needs no note
		}
		status, out, errs := try("", "snowflake", "-layout", "sonyflake") // of 16 bits
		s, _ := ids.ParseSnowflake(strings.TrimSpace(out))
		node := ids.SonyflakeLayout().Split(s).Node
		want := fmt.Sprintf("idgen: note: node %d is random: ", node)
		if noted := strings.HasPrefix(errs, want); status != 0 || noted != (i < 20) || !noted && errs != "" {
			t.Fatalf("status %d, %q, %q, want %q: %t", status, out, errs, want, i < 20)
		}
		seen[node] = true
	}
	if len(seen) < 35 || slices.Max(slices.Collect(maps.Keys(seen))) < 1<<15 { // the upper half
		t.Errorf("40 nodes drawn at random are %v", seen)
	}
}

// TestMintAt checks the time, the number and the difference of ids of a given time.
func TestMintAt(t *testing.T) {
	for _, test := range []struct {
		args, made string
		n          int // as many as there are
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
	// The same Snowflakes each time, whose sequences count from 0.
	at := ids.SnowflakeParts{Time: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), Node: 9}
	for _, got := range must(t, "", "snowflake", "-layout", "discord", "-node", "9", "-at", "2026-01-31", "-n", "3") {
		want, err := ids.DiscordLayout().Compose(at)
		if at.Sequence++; err != nil || got != want.String() {
			t.Errorf("sequence %d: %s, want %v, %v", at.Sequence-1, got, want, err)
		}
	}
	const noTime = "it is not a time (2026-01-31T12:00:00Z), a date, a month, now or a span from now (-36h)"
	check(t, []row{
		{"uuid4 -at now", "", 2, "", "flag provided but not defined: -at"},
		{"uuid7 -at 2026-02-30", "", 2, "", `invalid value "2026-02-30" for flag -at: ` + noTime},
		{"uuid7 -at 1969-12-31", "", 2, "", "time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z"},
		{"uuid7 -at 0001-01-01", "", 2, "", "time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z"},
		{"uuid1 -at 2026-01 -n 16385", "", 2, "", "-n 16385 is too many: uuid1 makes only 16384 ids of one time"},
		{"snowflake -node 7 -at 2026-01 -n 4097", "", 2, "", "-n 4097 is too many: snowflake makes only 4096 ids of one time"},
	})
}
