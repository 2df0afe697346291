package main

import (
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

func TestConvert(t *testing.T) {
	const (
		v1, v6 = "c232ab00-9414-11ec-b3c8-9f6bdeced846", "1ec9414c-232a-6b00-b3c8-9f6bdeced846"
		v7     = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
		asULID = "01FWHE4YDGFK1SHH6W1G60EECF"
	)
	for _, test := range []struct {
		args string
		want string
	}{
		{"-to uuid6 " + v1, v6},
		{"-to uuid1 " + v6, v1},
		{"-to uuid1 " + v1, v1},
		{"-to uuid6 -format base32 " + v1, ids.MustParseUUID(v6).ULID().String()},
		{"-to ulid " + v7, asULID},
		{"-to uuid " + asULID, v7},
		{"-to uuid " + strings.ToLower(asULID), v7},
		{"-to ulid " + asULID, asULID},
		{"-to uuid " + v7, v7},
		{"-as uuid " + asULID, v7},
		{"-as uuid -to uuid6 " + ids.MustParseUUID(v1).ULID().String(), v6},
		{"-as ulid 017f22e279b07cc398c4dc0c0c07398f", asULID},
		{"-as ulid 1BihbxwwQ4NZZpKRH9JDCz", asULID},
		{"-as base58 1BihbxwwQ4NZZpKRH9JDCz", v7},
		{`-as json "` + v7 + `"`, v7},
		{"1BihbxwwQ4NZZpKRH9JDCz", v7},
		{strings.ToUpper(v7), v7},
		{"URN:UUID:" + strings.ToUpper(v7), v7},
		{"{" + v7 + "}", v7},
		{"-format hex " + v7, "017f22e279b07cc398c4dc0c0c07398f"},
		{"-format urn 017f22e279b07cc398c4dc0c0c07398f", "urn:uuid:" + v7},
		{v7 + " -format braces", "{" + v7 + "}"},
		{"-format json " + v7, `"` + v7 + `"`},
		{"-format json 1541815603606036480", `"1541815603606036480"`},
		{`"1541815603606036480"`, `1541815603606036480`},
		{"-format base32 1541815603606036480", "1ASD13XH1F800"},
		{"-format base58 1ASD13XH1F800", "4aaW4SzAyQK"},
		{"-format hex 4aaW4SzAyQK", "0x1565a11f6217a000"},
		{"0x1565a11f6217a000", "1541815603606036480"},
		{"-format hex 0", "0x0000000000000000"},
		{"-format hex 9223372036854775807", "0x7fffffffffffffff"},
		// Digits alone are decimal unless told otherwise.
		{"12345678912", "12345678912"},
		{"-as base58 12345678912", func() string { s, _ := ids.ParseSnowflakeBase58("12345678912"); return s.String() }()},
		{"1234567890123", "1234567890123"},
		{"-as base32 1234567890123", func() string { s, _ := ids.ParseSnowflakeBase32("1234567890123"); return s.String() }()},
		{"00000000000000000000000000", "00000000000000000000000000"},
		{"00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000"},
		{"1111111111111111111111", "00000000-0000-0000-0000-000000000000"},
	} {
		got := must(t, "", append([]string{"convert"}, strings.Fields(test.args)...)...)
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("convert %s: %q, want %q", test.args, got, test.want)
		}
	}
}

// TestRefused checks the place and the reason that are told for bad ids.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		args, id string
		want     string // after "idgen: line 1"
	}{
		{"", "x", ", byte 1: id: none has a length of 1"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", ", byte 35: id: none has a length of 35"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff", ", byte 37: id: none has a length of 37"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", ", byte 35: UUID: "},
		{"", "  017f22e2-79b0-7cc3-98c4_dc0c0c07398f ", ", byte 25: UUID: "},
		{"", "\t\"{017f22e2-79b0-7cc3-98c4-dc0c0c07398f)\"", ", byte 39: UUID: "},
		{"", "urn:uuie:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ", byte 7: UUID: "},
		{"", "01ARZ3NDEKTSV4RRFFQ69G5FAU", ", byte 25: ULID: "},
		{"", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", ", byte 0: ULID: "},
		{"", "zzzzzzzzzzzzzzzzzzzzzz", ", byte 0: UUID: Base58 above 128 bits"},
		{"", "4aaW4SzAyQ0", ", byte 10: Snowflake: not a Base58 digit"},
		{"", "9223372036854775808", ", byte 0: Snowflake: above 9223372036854775807"},
		{"", "99999999999999999999", ", byte 20: Snowflake: length 20, want 1 to 19"},
		{"", "-1", ", byte 0: Snowflake: negative"},
		{"", "+1", ", byte 0: id: not a character of an id"},
		{"", "0x1", ", byte 3: id: none has a length of 3"},
		{"", "0x1565a11f6217a0 0", ", byte 16: Snowflake: not a hexadecimal digit"},
		{"", "0x1565a11f6217a0\x100", ", byte 16: Snowflake: not a hexadecimal digit"},
		{"", "0x8000000000000000", ", byte 2: Snowflake: above 63 bits"},
		{"", "1 2", ", byte 1: id: not a character of an id"},
		{"", "\x00", ", byte 0: id: not a character of an id"},
		{"", "abc\x1b[31m", ", byte 3: id: not a character of an id"},
		{"", "１２", ", byte 0: id: not a character of an id"},
		{"", "\xff\xfe", ", byte 0: id: not a character of an id"},
		{"", `""`, ", byte 0: id: not a character of an id"},
		{"", "  ", ", byte 2: id: none has a length of 0"},
		{"-as uuid", "1541815603606036480", ", byte 19: id: none has a length of 19"},
		{"-as base58", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ", byte 26: id: none has a length of 26"},
		{"-to ulid", "1541815603606036480", ": a Snowflake, which has 64 bits where 128 are needed"},
		{"-to uuid", "1541815603606036480", ": a Snowflake, which has 64 bits where 128 are needed"},
		{"-to uuid1", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": a ULID, of which no bits tell a version"},
		{"-to uuid6", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ": not of version 1 or 6, and only those become version 6"},
		{"-format urn", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": only a UUID can be written as urn"},
	} {
		args := append([]string{"convert"}, strings.Fields(test.args)...)
		status, out, errs := try(test.id+"\n", args...)
		if status != 1 || out != "" || !strings.HasPrefix(errs, "idgen: line 1"+test.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("convert %s %q: status %d, %q, %q; want %q", test.args, test.id, status, out, errs, test.want)
		}
		status, out, errs = try("", append(args, "--", "0", test.id)...)
		if test.args != "" {
			continue // 0 is refused as well
		}
		if status != 1 || out != "0\n" || !strings.HasPrefix(errs, "idgen: argument 2"+test.want) {
			t.Errorf("convert %s %q as an argument: status %d, %q, %q; want %q", test.args, test.id, status, out, errs, test.want)
		}
	}
	if status, _, errs := try("", "inspect", ""); status != 1 || errs != "idgen: argument 1, byte 0: id: none has a length of 0\n" {
		t.Errorf("an empty argument: status %d, %q", status, errs)
	}
}
