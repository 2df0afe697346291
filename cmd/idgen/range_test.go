package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRange(t *testing.T) {
	for _, test := range []struct{ args, want, note string }{
		{"-from 2022-02-22T19:22:22Z -to 2022-02-22T20:22:22+01:00 uuid7", `
			from      2022-02-22T19:22:22.000Z
			to        2022-02-22T19:22:22.000Z
			least     017f22e2-79b0-7000-8000-000000000000
			greatest  017f22e2-79b0-7fff-bfff-ffffffffffff
			SQL       id BETWEEN '017f22e2-79b0-7000-8000-000000000000' AND '017f22e2-79b0-7fff-bfff-ffffffffffff'`, ""},
		{"ulid -from 2022-02-22 -to 2022-02-22", `
			from      2022-02-22T00:00:00.000Z
			to        2022-02-22T23:59:59.999Z
			least     01FWFBMK000000000000000000
			greatest  01FWHY19ZZZZZZZZZZZZZZZZZZ
			SQL       id BETWEEN '01FWFBMK000000000000000000' AND '01FWHY19ZZZZZZZZZZZZZZZZZZ'`, ""},
		{"-from 2022-06-28T16:07:40.105Z -to 2022-06-28T16:07:40.105999Z snowflake", `
			from      2022-06-28T16:07:40.105Z
			to        2022-06-28T16:07:40.105Z
			least     1541815603604488192
			greatest  1541815603608682495
			SQL       id BETWEEN 1541815603604488192 AND 1541815603608682495`, ""},
		{"-from 2016-04-30T11:18:25.796Z -to 2016-04-30T11:18:25.796Z snowflake -layout discord -format hex", `
			from      2016-04-30T11:18:25.796Z
			to        2016-04-30T11:18:25.796Z
			least     0x0271065ac1000000
			greatest  0x0271065ac13fffff
			SQL       id BETWEEN '0x0271065ac1000000' AND '0x0271065ac13fffff'`, ""},
		{"-from 2024-02-29 -to 2024-02-29 snowflake -layout sonyflake", `
			from      2024-02-29T00:00:00.000Z
			to        2024-02-29T23:59:59.999Z
			least     502704447160320000
			greatest  502849402306559999
			SQL       id BETWEEN 502704447160320000 AND 502849402306559999`, ""},
		// A time outside the scheme is moved into it.
		{"uuid7 -from 1960-01-01 -to 1970-01-01T00:00:00Z", `
			from      1970-01-01T00:00:00.000Z
			to        1970-01-01T00:00:00.000Z
			least     00000000-0000-7000-8000-000000000000
			greatest  00000000-0000-7fff-bfff-ffffffffffff
			SQL       id BETWEEN '00000000-0000-7000-8000-000000000000' AND '00000000-0000-7fff-bfff-ffffffffffff'`,
			"idgen: note: -from is before the first possible id; using 1970-01-01T00:00:00.000Z\n"},
		{"snowflake -layout sonyflake -from 1000-01-01 -to 2999-01-01", `
			from      2014-09-01T00:00:00.000Z
			to        2188-11-16T03:28:58.879Z
			least     0
			greatest  9223372036854775807
			SQL       id BETWEEN 0 AND 9223372036854775807`,
			"idgen: note: -from is before the first possible id; using 2014-09-01T00:00:00.000Z\n" +
				"idgen: note: -to is after the last possible id; using 2188-11-16T03:28:58.879Z\n"},
	} {
		want := strings.TrimPrefix(strings.ReplaceAll(test.want, "\t", ""), "\n") + "\n"
		status, got, note := try("", append([]string{"range"}, strings.Fields(test.args)...)...)
		if status != 0 || got != want || note != test.note {
			t.Errorf("range %s: status %d, %s%swant\n%s%s", test.args, status, got, note, want, test.note)
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
