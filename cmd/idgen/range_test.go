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
	for _, test := range []struct{ args, times, least, end, literal, note string }{
		{"-from 2022-02-22T19:22:22Z -to 2022-02-22T20:22:22.001+01:00 uuid7", "2022-02-22T19:22:22.000Z 2022-02-22T19:22:22.001Z",
			"017f22e2-79b0-7000-8000-000000000000", "017f22e2-79b1-7000-8000-000000000000", "'%s'", ""},
		{"ulid -from 2022-02-22 -to 2022-02-22", "2022-02-22T00:00:00.000Z 2022-02-23T00:00:00.000Z",
			"01FWFBMK000000000000000000", "01FWHY1A000000000000000000", "'%s'", ""},
		{"ulid -from 2022-02 -to 2022-02 -format base58", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"1BhzKLjeKy85j36vNaXc31", "1BiuKzNhG5hAaFBLvijfMZ", "", ""},
		{"uuid7 -from 2022-02 -to 2022-02 -prefix order", "2022-02-01T00:00:00.000Z 2022-03-01T00:00:00.000Z",
			"order_01fts99g00e008000000000000", "order_01fx1cdm00e008000000000000", "'%s'", ""},
		{"-from 2022-06-28T16:07:40.105Z -to 2022-06-28T16:07:40.106999Z snowflake", "2022-06-28T16:07:40.105Z 2022-06-28T16:07:40.106Z",
			"1541815603604488192", "1541815603608682496", "%s", ""},
		{"-from 2016-04-30T11:18:25.796Z -to 2016-04-30T11:18:25.797Z snowflake -layout discord -format hex", "2016-04-30T11:18:25.796Z 2016-04-30T11:18:25.797Z",
			"0x0271065ac1000000", "0x0271065ac1400000", "", ""},
		{"-from 2024-02-29 -to 2024-02-29 snowflake -layout sonyflake", "2024-02-29T00:00:00.000Z 2024-03-01T00:00:00.000Z",
			"502704447160320000", "502849402306560000", "%s", ""},
		// A time before the scheme is moved into it. A time after it is after all ids.
		{"uuid7 -from 1960-01-01 -to 1970-01-01T00:00:00.001Z", "1970-01-01T00:00:00.000Z 1970-01-01T00:00:00.001Z",
			"00000000-0000-7000-8000-000000000000", "00000000-0001-7000-8000-000000000000", "'%s'",
			"idgen: note: -from is before the first possible id; using 1970-01-01T00:00:00.000Z\n"},
		{"snowflake -layout sonyflake -from 2188-11-16T03:28:58.879Z -to 2999-01-01", "2188-11-16T03:28:58.879Z 2999-01-02T00:00:00.000Z",
			"9223372036837998592", "", "%s",
			"idgen: note: -to is after the last possible id, of 2188-11-16T03:28:58.879Z; no id is the end\n"},
		{"snowflake -from 2080-07-10T17:30:30.207Z -to 2080-07-10T17:30:30.208Z", "2080-07-10T17:30:30.207Z 2080-07-10T17:30:30.208Z",
			"9223372036846387200", "9223372036850581504", "%s", ""},
	} {
		times := strings.Fields(test.times)
		want := fmt.Sprintf("from   %s\nto     %s  (not included)\nleast  %s\n", times[0], times[1], test.least)
		condition := "SQL    id >= " + test.literal
		if test.end != "" {
			want += "end    " + test.end + "  (not included)\n"
			condition += " AND id < " + test.literal
		}
		if condition += "\n"; test.literal != "" {
			want += strings.Replace(strings.Replace(condition, "%s", test.least, 1), "%s", test.end, 1)
		}
		status, got, note := try("", append([]string{"range"}, strings.Fields(test.args)...)...)
		if status != 0 || got != want || note != test.note {
			t.Errorf("range %s: status %d, %s%swant\n%s%s", test.args, status, got, note, want, test.note)
		}
	}
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
			begin, end, err := parseTime("-x", s)
			if got := stamp(begin) + " " + stamp(end); err != nil || got != want {
				t.Errorf("%s is %s, %v, want %s", s, got, err, want)
			}
		}
		got := strings.Join(must(t, "", "range", "-from", "1999-12-31", "-to", "now", "uuid7"), "\n")
		if !strings.Contains(got, "from   1999-12-31T00:00:00.000Z\nto     2000-01-02T12:00:00.000Z ") {
			t.Errorf("range -from 1999-12-31 -to now: %s", got)
		}
		got = strings.Join(must(t, "", "inspect", "-brief", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "01FWHE4YDGFK1SHH6W1G60EECF",
			"c232ab00-9414-11ec-b3c8-9f6bdeced846", "1541815603606036480"), "\n")
		if strings.Count(got, "Z") != 4 {
			t.Errorf("inspect -brief: %s, want times of UTC", got)
		}
	})
}

// TestRangeJSON also checks that a time after the last one is the last.
func TestRangeJSON(t *testing.T) {
	const want = `{"scheme":"snowflake","from":"2080-07-01T00:00:00.000Z","to":"3000-01-01T00:00:00.000Z","least":"9219846178206646272"}` + "\n"
	status, out, _ := try("", strings.Fields("range -format json -from 2080-07 -to 2999-12 SNOWFLAKE")...)
	if status != 0 || out != want {
		t.Errorf("status %d, %swant %s", status, out, want)
	}
}
