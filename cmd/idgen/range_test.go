package main

// Tests of the range command.

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestRange checks the bounds and the SQL condition. The condition is omitted for a form that a
// database sorts differently or does not support.
func TestRange(t *testing.T) {
	const none = "none, because -to is after the last possible ID"
	for _, test := range []struct{ args, times, least, end, literal string }{
		{"-from 2022-02-22T19:22:22Z -to 2022-02-22T20:22:22.001+01:00 UUID7", "2022-02-22T19:22:22.000Z 2022-02-22T19:22:22.001Z",
			"017f22e2-79b0-7000-8000-000000000000", "017f22e2-79b1-7000-8000-000000000000", "'%s'"},
		{"ulid -from 2022-02-22 -to 2022-02-22", "2022-02-22T00:00:00.000Z 2022-02-23T00:00:00.000Z",
			"01FWFBMK000000000000000000", "01FWHY1A000000000000000000", "'%s'"},
		{"ulid -from 2022-02 -to 2022-02 -format base58", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"1BhzKLjeKy85j36vNaXc31", "1BiuKzNhG5hAaFBLvijfMZ", ""},
		{"uuid7 -from 2022-02 -to 2022-02 -format hex", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"017eb294c00070008000000000000000", "017f42c6d00070008000000000000000", `x'%s'|'\x%s'::bytea`},
		{"uuid6 -from 2022-02-22T19:22:22.0000001Z -to 2022-02-22T19:22:22.0000002Z", "2022-02-22T19:22:22.0000001Z 2022-02-22T19:22:22.0000002Z",
			"1ec9414c-232a-6b01-8000-000000000000", "1ec9414c-232a-6b02-8000-000000000000", "'%s'"},
		{"uuid6 -from 1500-01-01 -to 1582-10-15", "1500-01-01T00:00:00.0000000Z 1582-10-16T00:00:00.0000000Z",
			"00000000-0000-6000-8000-000000000000", "00000c92-a69c-6000-8000-000000000000", "'%s'"},
		{"uuid6 -from 5236-03-31T21:21:00.6846975Z -to 5236-04", "5236-03-31T21:21:00.6846975Z 5236-05-01T00:00:00.0000000Z",
			"ffffffff-ffff-6fff-8000-000000000000", none, "'%s'"},
		{"uuid7 -from 2022-02 -to 2022-02 -prefix order", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"order_01fts99g00e008000000000000", "order_01fx1cdm00e008000000000000", "'%s'"},
		{"uuid7 -from 2022-02 -to 2022-02 -format base32", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"01FTS99G00E008000000000000", "01FX1CDM00E008000000000000", "'%s'"},
		{"uuid7 -from 2022-02 -to 2022-02 -format typeid", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"01fts99g00e008000000000000", "01fx1cdm00e008000000000000", "'%s'"},
		{"-from 2022-06-28T16:07:40.105Z -to 2022-06-28T16:07:40.106999Z snowflake", "2022-06-28T16:07:40.105Z 2022-06-28T16:07:40.106Z",
			"1541815603604488192", "1541815603608682496", "%s"},
		{"-from 2016-04-30T11:18:25.796Z -to 2016-04-30T11:18:25.797Z snowflake -layout discord -format hex", "2016-04-30T11:18:25.796Z 2016-04-30T11:18:25.797Z",
			"0x0271065ac1000000", "0x0271065ac1400000", ""},
		// A range may begin before the first possible ID and end after the last one.
		{"uuid7 -from 1960-01-01 -to 1970-01-01T00:00:00.001Z", "1960-01-01T00:00:00.000Z 1970-01-01T00:00:00.001Z",
			"00000000-0000-7000-8000-000000000000", "00000000-0001-7000-8000-000000000000", "'%s'"},
		{"snowflake -layout sonyflake -from 2188-11-16T03:28:58.879Z -to 2999-01-01", "2188-11-16T03:28:58.879Z 2999-01-02T00:00:00.000Z",
			"9223372036837998592", none, "%s"},
		{"snowflake -from 2080-07-10T17:30:30.207Z -to 2080-07-10T17:30:30.208Z", "2080-07-10T17:30:30.207Z 2080-07-10T17:30:30.208Z",
			"9223372036846387200", "9223372036850581504", "%s"},
		{"snowflake -from 2080-07-10T17:30:30.208Z -to 2081-01", "2080-07-10T17:30:30.208Z 2081-02-01T00:00:00.000Z", "9223372036850581504", none, "%s"},
	} {
		times, end := strings.Fields(test.times), test.end
		conditions, column := "", ""
		for literal := range strings.SplitSeq(test.literal, "|") {
			condition := "id >= " + strings.Replace(literal, "%s", test.least, 1)
			if end != none {
				condition += " AND id < " + strings.Replace(literal, "%s", end, 1)
			}
			conditions += "SQL    " + condition + "\n"
			column += strings.ReplaceAll(condition, "id ", "t.id_1 ") + "\n"
		}
		if end != none {
			end += "  (not included)"
		}
		want := fmt.Sprintf("from   %s\nto     %s  (not included)\nfirst  %s\nend    %s\n", times[0], times[1], test.least, end)
		alone := row{"range -column t.id_1 " + test.args, "", 0, column, ""}
		if test.literal == "" {
			form := test.args[strings.LastIndex(test.args, " ")+1:]
			conditions, alone = "", row{alone.args, "", 2, "", "-format " + form + " has no literal that every database sorts like the IDs"}
		}
		check(t, []row{{"range " + test.args, "", 0, want + conditions, ""}, alone})
	}
	const year, outside = " -from 2026-01-01 -to 2026-12", "there are no IDs of that time, but only from "
	const empty = "there is no ID from 2026-01-01T00:00:00.001Z to 2026-01-01T00:00:00.009Z; the time -to is not included"
	check(t, []row{
		{"range -xml", "", 2, "", "flag provided but not defined: -xml"},
		{"range" + year, "", 2, "", "range requires one kind (uuid6, uuid7, ulid or snowflake), not 0"},
		{"range uuid1" + year, "", 2, "", `range does not support "uuid1", only uuid6, uuid7, ulid and snowflake`},
		{"range uuid7 -format guid" + year, "", 2, "", "IDs in the form guid do not sort by time, so they have no bounds"},
		{"range ulid -format base64" + year, "", 2, "", "IDs in the form base64 do not sort by time, so they have no bounds"},
		{"range uuid6 -from 1500-01-01 -to 1582-10-14", "", 2, "", outside + "1582-10-15T00:00:00.0000000Z to 5236-03-31T21:21:00.6846975Z"},
		{"range uuid7 -from 2026-01-01", "", 2, "", "range requires -from and -to"},
		{"range uuid7 -to 2026-01-01", "", 2, "", "range requires -from and -to"},
		{"range uuid7 -from 2026-01-02 -to 2026-01-01", "", 2, "", "-to must be after -from, because the time -to is not included"},
		{"range uuid7 -layout twitter" + year, "", 2, "", "-layout is only for snowflake"},
		{"range snowflake -format urn" + year, "", 2, "", "a Snowflake cannot be written as urn, which is for 128 bits"},
		{"range uuid7 -from 1960-01-01 -to 1969-12-31", "", 2, "", outside + "1970-01-01T00:00:00.000Z to 10889-08-02T05:31:50.655Z"},
		{"range snowflake -from 2010-01-01 -to 2010-11-04T01:42:54.657Z", "", 2, "", outside + "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z"},
		{"range snowflake -from 2080-07-10T17:30:30.209Z -to 2081-01", "", 2, "", outside + "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z"},
		{"range snowflake -layout sonyflake -from 2026-01-01T00:00:00.001Z -to 2026-01-01T00:00:00.009Z", "", 2, "", empty},
	})
}

// TestRangeForms writes IDs with times in a time range, before it and after it, in each form that
// the range command accepts. Exactly the IDs in the time range are between the bounds. The IDs are
// compared as text or, if the form is a number, as numbers.
func TestRangeForms(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	bits := func(u ids.UUID) ids.UUID { // the last 62 bits are random
		binary.BigEndian.PutUint64(u[8:], random.Uint64()>>2|1<<63)
		return u
	}
	l := ids.TwitterLayout()
	for kind, at := range map[string]func(time.Time) any{
		"uuid6":     func(at time.Time) any { return bits(ids.MinV6At(at)) },
		"uuid7":     func(at time.Time) any { return bits(ids.MinV7At(at)) },
		"ulid":      func(at time.Time) any { return bits(ids.MinULIDAt(at).UUID()).ULID() },
		"snowflake": func(at time.Time) any { return l.MinAt(at) | ids.Snowflake(random.Int64N(1<<22)) },
	} {
		taken := ""
		for _, form := range formNames() {
			status, out, _ := try("", "range", "-from", "2026-01", "-to", "2026-01", kind, "-format", form)
			if status != 0 {
				continue
			}
			taken += form + " "
			words := strings.Fields(out)
			least, end := words[slices.Index(words, "first")+1], words[slices.Index(words, "end")+1]
			less := func(a, b string) bool {
				if form == "decimal" || kind == "snowflake" && form == "text" {
					return len(a) < len(b) || len(a) == len(b) && a < b
				}
				return a < b
			}
			for _, span := range []struct {
				begin, end time.Time
				in         bool
			}{{from.AddDate(-20, 0, 0), from, false}, {from, to, true}, {to, to.AddDate(40, 0, 0), false}} {
				for i := range 500 {
					made := span.begin.Add(time.Duration(random.Int64N(int64(span.end.Sub(span.begin)))))
					if i < 2 { // the first and the last time
						made = []time.Time{span.begin, span.end.Add(-time.Millisecond)}[i]
					}
					if made.Before(l.Epoch) {
						continue
					}
					text, err := identOf(at(made)).write(form)
					if in := !less(text, least) && less(text, end); err != nil || in != span.in {
						t.Fatalf("%s of %v in %s, %s, is between %s and %s: %v, %v", kind, made, form, text, least, end, in, err)
					}
				}
			}
		}
		want := "text base32 base58 hex urn braces typeid decimal "
		if kind == "snowflake" {
			want = "text base32 hex "
		}
		if taken != want {
			t.Errorf("range %s takes %s, want %s", kind, taken, want)
		}
	}
}

// TestTimes checks the start and the end of each form of time, in a time zone that is not UTC and
// with the clock of a bubble.
func TestTimes(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("UTC+5", 5*60*60)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(36 * time.Hour) // until noon on 2000-01-02
		for s, want := range map[string]string{
			"2026-01-31T12:00:00Z":         "2026-01-31T12:00:00.000Z 2026-01-31T12:00:00.000Z",
			"2026-01-31T12:00:00.25+05:00": "2026-01-31T07:00:00.250Z 2026-01-31T07:00:00.250Z",
			"2026-01-31":                   "2026-01-31T00:00:00.000Z 2026-02-01T00:00:00.000Z",
			"2024-02":                      "2024-02-01T00:00:00.000Z 2024-03-01T00:00:00.000Z",
			"2026-12":                      "2026-12-01T00:00:00.000Z 2027-01-01T00:00:00.000Z",
			"now":                          "2000-01-02T12:00:00.000Z 2000-01-02T12:00:00.000Z",
			"NOW":                          "2000-01-02T12:00:00.000Z 2000-01-02T12:00:00.000Z",
			"-36h":                         "2000-01-01T00:00:00.000Z 2000-01-01T00:00:00.000Z",
			"1h30m":                        "2000-01-02T13:30:00.000Z 2000-01-02T13:30:00.000Z",
		} {
			got, err := parseTime(s)
			if got := got.begin.UTC().Format(toMilli) + " " + got.end.UTC().Format(toMilli); err != nil || got != want {
				t.Errorf("%s is %s, %v, want %s", s, got, err, want)
			}
		}
		got := strings.Join(must(t, "", "inspect", "-brief", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "01FWHE4YDGFK1SHH6W1G60EECF",
			"c232ab00-9414-11ec-b3c8-9f6bdeced846", "1541815603606036480"), "\n")
		if strings.Count(got, "Z") != 4 {
			t.Errorf("inspect -brief: %s, want times of UTC", got)
		}
	})
}
