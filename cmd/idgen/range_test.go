package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRange checks the bounds, and the condition: of literals in quotes, or none for a form that a database sorts
// otherwise or does not know.
func TestRange(t *testing.T) {
	const none = "none: -to is after the last possible id"
	for _, test := range []struct{ args, times, least, end, literal string }{
		{"-from 2022-02-22T19:22:22Z -to 2022-02-22T20:22:22.001+01:00 UUID7", "2022-02-22T19:22:22.000Z 2022-02-22T19:22:22.001Z",
			"017f22e2-79b0-7000-8000-000000000000", "017f22e2-79b1-7000-8000-000000000000", "'%s'"},
		{"ulid -from 2022-02-22 -to 2022-02-22", "2022-02-22T00:00:00.000Z 2022-02-23T00:00:00.000Z",
			"01FWFBMK000000000000000000", "01FWHY1A000000000000000000", "'%s'"},
		{"ulid -from 2022-02 -to 2022-02 -format base58", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"1BhzKLjeKy85j36vNaXc31", "1BiuKzNhG5hAaFBLvijfMZ", ""},
		{"uuid7 -from 2022-02 -to 2022-02 -format hex", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"017eb294c00070008000000000000000", "017f42c6d00070008000000000000000", "x'%s'"},
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
		// A time before the scheme is in it from its beginning. A time after it is after all ids.
		{"uuid7 -from 1960-01-01 -to 1970-01-01T00:00:00.001Z", "1960-01-01T00:00:00.000Z 1970-01-01T00:00:00.001Z",
			"00000000-0000-7000-8000-000000000000", "00000000-0001-7000-8000-000000000000", "'%s'"},
		{"snowflake -layout sonyflake -from 2188-11-16T03:28:58.879Z -to 2999-01-01", "2188-11-16T03:28:58.879Z 2999-01-02T00:00:00.000Z",
			"9223372036837998592", none, "%s"},
		{"snowflake -from 2080-07-10T17:30:30.207Z -to 2080-07-10T17:30:30.208Z", "2080-07-10T17:30:30.207Z 2080-07-10T17:30:30.208Z",
			"9223372036846387200", "9223372036850581504", "%s"},
		{"snowflake -from 2080-07-10T17:30:30.208Z -to 2081-01", "2080-07-10T17:30:30.208Z 2081-02-01T00:00:00.000Z", "9223372036850581504", none, "%s"},
	} {
		times, end := strings.Fields(test.times), test.end
		condition := "SQL    id >= " + fmt.Sprintf(test.literal, test.least)
		if end != none {
			condition += " AND id < " + fmt.Sprintf(test.literal, end)
			end += "  (not included)"
		}
		want := fmt.Sprintf("from   %s\nto     %s  (not included)\nleast  %s\nend    %s\n", times[0], times[1], test.least, end)
		if test.literal != "" {
			want += condition + "\n"
		}
		check(t, []row{{"range " + test.args, "", 0, want, ""}})
	}
	const year, outside = " -from 2026-01-01 -to 2026-12", "there are no ids of that time, only from "
	const empty = "from 2026-01-01T00:00:00.001Z to 2026-01-01T00:00:00.009Z there is no id: -to is not included"
	check(t, []row{
		{"range -xml", "", 2, "", "flag provided but not defined: -xml"},
		{"range" + year, "", 2, "", "range takes one kind, uuid7, ulid or snowflake, not 0"},
		{"range uuid6" + year, "", 2, "", `range does not support "uuid6", only uuid7, ulid and snowflake`},
		{"range uuid7 -from 2026-01-01", "", 2, "", "range needs -from and -to"},
		{"range uuid7 -to 2026-01-01", "", 2, "", "range needs -from and -to"},
		{"range uuid7 -from 2026-01-02 -to 2026-01-01", "", 2, "", "-to must be after -from: it is not included"},
		{"range uuid7 -layout twitter" + year, "", 2, "", "-layout is for snowflake only"},
		{"range snowflake -format urn" + year, "", 2, "", "only a UUID or a ULID can be written as urn: it is for 128 bits"},
		{"range uuid7 -from 1960-01-01 -to 1969-12-31", "", 2, "", outside + "1970-01-01T00:00:00.000Z to 10889-08-02T05:31:50.655Z"},
		{"range snowflake -from 2010-01-01 -to 2010-11-04T01:42:54.657Z", "", 2, "", outside + "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z"},
		{"range snowflake -from 2080-07-10T17:30:30.209Z -to 2081-01", "", 2, "", outside + "2010-11-04T01:42:54.657Z to 2080-07-10T17:30:30.208Z"},
		{"range snowflake -layout sonyflake -from 2026-01-01T00:00:00.001Z -to 2026-01-01T00:00:00.009Z", "", 2, "", empty},
	})
}

// TestTimes checks when each way to write a time begins and ends, in a zone that is not UTC and with the clock of a bubble.
func TestTimes(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("UTC+5", 5*60*60)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(36 * time.Hour) // to noon of 2000-01-02
		for s, want := range map[string]string{
			"2026-01-31T12:00:00Z":         "2026-01-31T12:00:00.000Z 2026-01-31T12:00:00.000Z",
			"2026-01-31T12:00:00.25+05:00": "2026-01-31T07:00:00.250Z 2026-01-31T07:00:00.250Z",
			"2026-01-31":                   "2026-01-31T00:00:00.000Z 2026-02-01T00:00:00.000Z",
			"2024-02":                      "2024-02-01T00:00:00.000Z 2024-03-01T00:00:00.000Z",
			"2026-12":                      "2026-12-01T00:00:00.000Z 2027-01-01T00:00:00.000Z",
			"now":                          "2000-01-02T12:00:00.000Z 2000-01-02T12:00:00.000Z",
			"-36h":                         "2000-01-01T00:00:00.000Z 2000-01-01T00:00:00.000Z",
			"1h30m":                        "2000-01-02T13:30:00.000Z 2000-01-02T13:30:00.000Z",
		} {
			got, err := parseTime(s)
			if got := stamp(got.begin) + " " + stamp(got.end); err != nil || got != want {
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
