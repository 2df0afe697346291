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
		digits = "01fwhe4ydgfk1shh6w1g60eecf"
	)
	for _, test := range []struct {
		args string
		want string
	}{
		{"-to uuid6 " + v1, v6},
		{"-to uuid1 " + v6, v1},
		{"-to uuid6 -format base32 " + v1, ids.MustParseUUID(v6).ULID().String()},
		{"-to ulid " + v7, asULID},
		{"-to ulid " + asULID, asULID},
		{"-to uuid " + asULID, v7},
		{"-as uuid " + asULID, v7},
		{"-as uuid -to uuid6 " + ids.MustParseUUID(v1).ULID().String(), v6},
		{"-as ulid 017f22e279b07cc398c4dc0c0c07398f", asULID},
		{`\x017F22e279b07cc398c4dc0c0c07398f`, v7},
		{"0x017f22e279b07cc398c4dc0c0c07398f", v7},
		{`-as uuid 0X017F22E279B07CC398C4DC0C0C07398F`, v7},
		{`-as ulid \x017f22e279b07cc398c4dc0c0c07398f`, asULID},
		{"-as base58 1BihbxwwQ4NZZpKRH9JDCz", v7},
		{`-as json "` + v7 + `"`, v7},
		{"1BihbxwwQ4NZZpKRH9JDCz", v7},
		{"URN:UUID:" + strings.ToUpper(v7), v7},
		{"-format hex " + v7, "017f22e279b07cc398c4dc0c0c07398f"},
		{"-format urn 017f22e279b07cc398c4dc0c0c07398f", "urn:uuid:" + v7},
		{v7 + " -format braces", "{" + v7 + "}"},
		{"-format json " + v7, `"` + v7 + `"`},
		{"-format json 1541815603606036480", `"1541815603606036480"`},
		{"-format hex 1ASD13XH1F800", "0x1565a11f6217a000"},
		{"0x1565a11f6217a000", "1541815603606036480"},
		{"-format hex 9223372036854775807", "0x7fffffffffffffff"},
		{"-to uuid a_b_" + digits, v7},
		{"-to ulid order_" + digits, asULID},
		{"-to uuid6 order_" + strings.ToLower(ids.MustParseUUID(v1).ULID().String()), v6},
		{"-to uuid -prefix user order_" + digits, "user_" + digits},
		{"-prefix user order_" + digits, "user_" + digits},
		{"-prefix user " + asULID, "user_" + digits},
		{"-prefix user -format TypeID " + asULID, "user_" + digits},
		{"-prefix= -format hex " + v7, "017f22e279b07cc398c4dc0c0c07398f"},
		{"-format typeid " + asULID, digits},
		{"-format base32 order_" + digits, asULID},
		{"-format base58 order_" + digits, "1BihbxwwQ4NZZpKRH9JDCz"},
		{"-format urn order_" + digits, "urn:uuid:" + v7},
		{"-format braces order_" + digits, "{" + v7 + "}"},
		{"-as typeid -to uuid " + digits, v7},
		{"-as text -to uuid " + digits, v7},
		{"order_00000000000000000000000000", "order_00000000000000000000000000"}, // 32 characters, as the digits of a UUID
		// Digits alone are decimal unless told otherwise.
		{"12345678912", "12345678912"},
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
