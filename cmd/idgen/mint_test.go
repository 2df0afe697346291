package main

import (
	"bytes"
	"cmp"
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
	for scheme, test := range map[string]struct {
		version int
		form    string
	}{
		"uuid1": {1, "urn"}, "uuid4": {4, "braces"}, "uuid6": {6, "hex"}, "uuid7": {7, "text"}, "ulid": {0, "text"}, "snowflake": {0, "base32"},
	} {
		t.Run(scheme, func(t *testing.T) {
			from := time.Now().Add(-time.Second)
			lines := must(t, "", scheme, "-n", "1000", "-format", test.form)
			to := time.Now().Add(time.Second)
			if len(lines) != 1000 {
				t.Fatalf("%d lines", len(lines))
			}
			var all []ident
			for _, line := range lines {
				id, way, err := everyKind.read(line)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if made, _ := time.Parse(time.RFC3339, views(id, layouts)[0].Time); scheme != "uuid4" && (made.Before(from) || made.After(to)) {
					t.Errorf("%s was made at %v, not within %v to %v", line, made, from, to)
				}
				if u, ok := id.(ids.UUID); ok && u.Version() != test.version || way.kind != strings.TrimRight(scheme, "1467") || way.form != test.form {
					t.Errorf("%s is not of %s in the form %s", line, scheme, test.form)
				}
				all = append(all, id)
			}
			if scheme != "uuid4" && scheme != "uuid1" && !slices.IsSortedFunc(all, func(a, b ident) int {
				return bytes.Compare(bytesOf(a), bytesOf(b))
			}) {
				t.Error("the ids do not ascend")
			}
			slices.Sort(lines)
			if len(slices.Compact(lines)) != 1000 {
				t.Error("ids repeat")
			}
			if one := must(t, "", scheme); len(one) != 1 {
				t.Errorf("%d lines without -n", len(one))
			}
			if none := must(t, "", scheme, "-n", "0"); none != nil {
				t.Errorf("%q with -n 0", none)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	const site = "www.example.com"
	for _, test := range []struct {
		args, stdin string
		want        string
	}{
		{"uuid3 " + site, "", "5df41881-3aed-3515-88a7-2f4a814cf09e"},
		{"uuid5 " + site, "", "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
		{"uuid5 -namespace dns", site, "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
		{"uuid5", "\ufeff" + site + "\r\n", "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
		{"uuid5", "x\n\ufeff\ufeff" + site, ids.NewV5(ids.NamespaceDNS(), "x").String() + "\n2ed6657d-e927-568b-95e1-2665a8aea6a2"}, // as of cat a.csv empty.csv b.csv
		{"uuid5 \ufeff" + site, "", "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
		{"uuid5", "x\r\r\n", ids.NewV5(ids.NamespaceDNS(), "x\r").String()}, // one of them belongs to the end
		{"uuid5 -namespace 6BA7B810-9DAD-11D1-80B4-00C04FD430C8", site + "\r\n", "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
		{"uuid5 -namespace @Dns", site, "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
		{"uuid5 -", site, ids.NewV5(ids.NamespaceDNS(), "-").String()}, // a name, not standard input
		{"uuid8 -", "5c146b143c528afd938a375d0df1fbf6", "5c146b14-3c52-8afd-938a-375d0df1fbf6"},
		{"uuid5 -namespace url", site, ids.NewV5(ids.NamespaceURL(), site).String()},
		{"uuid5 -namespace oid", " 1.3 ", ids.NewV5(ids.NamespaceOID(), " 1.3 ").String()},
		{"uuid3 -namespace x500 -format urn", `"c=ch"`, ids.NewV3(ids.NamespaceX500(), `"c=ch"`).URN()},
		{"uuid8 -prefix a_b 017f22e279b08cc398c4dc0c0c07398f", "", "a_b_01fwhe4ydghk1shh6w1g60eecf"},
		{"uuid5 a -format base58 -- -b", "", ids.NewV5(ids.NamespaceDNS(), "a").Base58() + "\n" + ids.NewV5(ids.NamespaceDNS(), "-b").Base58()},
		{"uuid8 5c146b14-3c52-8afd-938a-375d0df1fbf6", "", "5c146b14-3c52-8afd-938a-375d0df1fbf6"},
		{"uuid8 00000000000000000000000000000000 FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "",
			"00000000-0000-8000-8000-000000000000\nffffffff-ffff-8fff-bfff-ffffffffffff"},
	} {
		got := strings.Join(must(t, test.stdin, strings.Fields(test.args)...), "\n")
		if got != test.want {
			t.Errorf("idgen %s: %q, want %q", test.args, got, test.want)
		}
	}
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
		{"", ids.DomainPerson, uint32(os.Getuid())},
		{"-domain group", ids.DomainGroup, uint32(os.Getgid())},
	} {
		if os.Getuid() < 0 && !strings.Contains(test.args, "-local") {
			continue // no such numbers on this system
		}
		for _, line := range must(t, "", append([]string{"uuid2"}, strings.Fields(test.args)...)...) {
			u := ids.MustParseUUID(line)
			domain, ok := u.Domain()
			local, _ := u.LocalID()
			if !ok || domain != test.domain || local != test.local {
				t.Errorf("uuid2 %s: %s has domain %v and local id %d", test.args, u, domain, local)
			}
		}
	}
}

// TestSnowflakeNode checks where the node number comes from.
func TestSnowflakeNode(t *testing.T) {
	for _, test := range []struct{ env, args, layout, want string }{
		{"", "-node 1023", "twitter", "1023"},
		{"5", "", "twitter", "5"},
		{"5", "-node 6", "twitter", "6"},
		{"", "-node 65535", "sonyflake", "65535"},
		{"", "-node 8191", "instagram", "8191"},
		{"1000", "-n 3", "discord", "1000"},
	} {
		t.Setenv("IDS_SNOWFLAKE_NODE", test.env)
		name := map[string]string{"sonyflake": "machine", "instagram": "shard"}[test.layout]
		minted := must(t, "", append([]string{"snowflake", "-layout", test.layout}, strings.Fields(test.args)...)...)
		for _, got := range must(t, strings.Join(minted, "\n"), "inspect", "-layout", test.layout, "-field", cmp.Or(name, "node")) {
			if got != test.want {
				t.Errorf("snowflake %s with %q in the environment: node %s, want %s", test.args, test.env, got, test.want)
			}
		}
	}
	for _, value := range []string{"1024", "web-3", ""} {
		t.Setenv("IDS_SNOWFLAKE_NODE", value)
		checkUsage(t, []string{"snowflake"}, fmt.Sprintf("IDS_SNOWFLAKE_NODE must be a number from 0 to 1023, not %q", value))
	}
	os.Unsetenv("IDS_SNOWFLAKE_NODE") // t.Setenv restores it
	// The note on a random node comes only with ids.
	checkUsage(t, []string{"snowflake", "-format", "urn", "-n", "0"}, "only a UUID can be written as urn")
	must(t, "", "snowflake", "-n", "0")
	must(t, "", "snowflake", "-layout", "2021-01-01,1s,0,12") // the one node needs no number
	if _, out, errs := try("", "snowflake", "-at", "2026-01", "-n", "600"); strings.Count(out, "\n") != 600 || strings.Count(errs, "idgen: note: node ") != 1 {
		t.Errorf("snowflake -at 2026-01 -n 600: %d lines, %q, want 600 and one note", strings.Count(out, "\n"), errs)
	}
	seen := map[int64]bool{}
	for range 40 {
		status, out, errs := try("", "snowflake", "-layout", "sonyflake") // of 16 bits
		s, _ := ids.ParseSnowflake(strings.TrimSpace(out))
		node := ids.SonyflakeLayout().Split(s).Node
		if want := fmt.Sprintf("idgen: note: node %d is random: ", node); status != 0 || !strings.HasPrefix(errs, want) {
			t.Fatalf("status %d, %q, %q, want %q", status, out, errs, want)
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
		all := must(t, "", append(strings.Fields(test.args), fmt.Sprint("-n", test.n))...)
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
}
