package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

func TestRange(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"-from 2022-02-22T19:22:22Z -to 2022-02-22T20:22:22+01:00 uuid7", `
			from      2022-02-22T19:22:22.000Z
			to        2022-02-22T19:22:22.000Z
			least     017f22e2-79b0-7000-8000-000000000000
			greatest  017f22e2-79b0-7fff-bfff-ffffffffffff
			SQL       id BETWEEN '017f22e2-79b0-7000-8000-000000000000' AND '017f22e2-79b0-7fff-bfff-ffffffffffff'`},
		{"ulid -from 2022-02-22 -to 2022-02-22", `
			from      2022-02-22T00:00:00.000Z
			to        2022-02-22T23:59:59.999Z
			least     01FWFBMK000000000000000000
			greatest  01FWHY19ZZZZZZZZZZZZZZZZZZ
			SQL       id BETWEEN '01FWFBMK000000000000000000' AND '01FWHY19ZZZZZZZZZZZZZZZZZZ'`},
		{"-from 2022-06-28T16:07:40.105Z -to 2022-06-28T16:07:40.105999Z snowflake", `
			from      2022-06-28T16:07:40.105Z
			to        2022-06-28T16:07:40.105Z
			least     1541815603604488192
			greatest  1541815603608682495
			SQL       id BETWEEN 1541815603604488192 AND 1541815603608682495`},
		{"-from 2016-04-30T11:18:25.796Z -to 2016-04-30T11:18:25.796Z snowflake -layout discord -format hex", `
			from      2016-04-30T11:18:25.796Z
			to        2016-04-30T11:18:25.796Z
			least     0x0271065ac1000000
			greatest  0x0271065ac13fffff
			SQL       id BETWEEN '0x0271065ac1000000' AND '0x0271065ac13fffff'`},
	} {
		want := strings.ReplaceAll(strings.TrimSpace(test.want), "\t", "")
		if got := strings.Join(must(t, "", append([]string{"range"}, strings.Fields(test.args)...)...), "\n"); got != want {
			t.Errorf("range %s:\n%s\nwant:\n%s", test.args, got, want)
		}
	}
}

// TestRangeHolds checks that ids of the first and last moment are within the bounds, and those
// just outside are not, for each scheme.
func TestRangeHolds(t *testing.T) {
	from, to := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC).Add(-1)
	at := map[string]func(time.Time) string{
		"uuid7": func(t time.Time) string { u, _ := ids.NewV7At(t); return u.String() },
		"ulid":  func(t time.Time) string { u, _ := ids.NewULIDAt(t); return u.String() },
	}
	for _, l := range layouts {
		at["snowflake -layout "+l.name] = func(t time.Time) string {
			s, _ := l.Compose(ids.SnowflakeParts{Time: t, Node: 5, Sequence: 7})
			return s.Base32() // which sorts
		}
	}
	for scheme, mint := range at {
		args := append([]string{"range", "-from", "2024-02-29", "-to", "2024-02-29"}, strings.Fields(scheme)...)
		if strings.HasPrefix(scheme, "snowflake") {
			args = append(args, "-format", "base32")
		}
		lines := must(t, "", args...)
		least, greatest := strings.Fields(lines[2])[1], strings.Fields(lines[3])[1]
		for moment, want := range map[time.Time]bool{from.Add(-1): false, from: true, to: true, to.Add(1): false} {
			if id := mint(moment); (least <= id && id <= greatest) != want {
				t.Errorf("%s of %v within %s to %s: %v", id, moment, least, greatest, !want)
			}
		}
	}
}

func TestRangeJSON(t *testing.T) {
	var got struct{ Scheme, From, To, Least, Greatest string }
	line := must(t, "", "range", "-from", "2024-02-29", "-to", "9999-12-31T23:59:59-12:00", "uuid7", "-format", "json")[0]
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	if got.Scheme != "uuid7" || got.From != "2024-02-29T00:00:00.000Z" || got.To != "10000-01-01T11:59:59.000Z" ||
		!strings.HasSuffix(got.Least, "-7000-8000-000000000000") || !strings.HasSuffix(got.Greatest, "-7fff-bfff-ffffffffffff") {
		t.Errorf("%+v", got)
	}
}

// TestRangeClipped checks that a time outside the scheme is moved into it, and that this is said.
func TestRangeClipped(t *testing.T) {
	for _, test := range []struct{ args, least, greatest, note string }{
		{"uuid7 -from 1960-01-01 -to 1970-01-01T00:00:00Z", "00000000-0000-7000-8000-000000000000", "00000000-0000-7fff-bfff-ffffffffffff",
			"idgen: note: -from is before the first possible id; using 1970-01-01T00:00:00.000Z\n"},
		{"snowflake -layout sonyflake -from 1000-01-01 -to 2999-01-01", "0", "9223372036854775807",
			"idgen: note: -from is before the first possible id; using 2014-09-01T00:00:00.000Z\n" +
				"idgen: note: -to is after the last possible id; using 2188-11-16T03:28:58.879Z\n"},
	} {
		status, out, errs := try("", append([]string{"range"}, strings.Fields(test.args)...)...)
		if last := "to        2188-11-16T03:28:58.879Z\n"; strings.HasPrefix(test.args, "snowflake") && !strings.Contains(out, last) {
			t.Errorf("range %s lacks %q: %s", test.args, last, out)
		}
		if status != 0 || !strings.Contains(out, "least     "+test.least+"\n") || !strings.Contains(out, "greatest  "+test.greatest+"\n") || errs != test.note {
			t.Errorf("range %s: status %d, %s, %s", test.args, status, out, errs)
		}
	}
}
