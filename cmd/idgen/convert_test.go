package main

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

func TestConvert(t *testing.T) {
	const (
		v1, v6  = "c232ab00-9414-11ec-b3c8-9f6bdeced846", "1ec9414c-232a-6b00-b3c8-9f6bdeced846"
		v7      = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
		asULID  = "01FWHE4YDGFK1SHH6W1G60EECF"
		digits  = "01fwhe4ydgfk1shh6w1g60eecf"
		noHex   = "parsing UUID: not a hexadecimal digit at byte "
		noSnow  = "not 0x and 16 hexadecimal digits of a Snowflake, up to 7fffffffffffffff"
		narrow  = "only a UUID or a ULID can be written as "
		neither = "typeid: neither a letter a to z of a prefix nor an underscore within one at byte 0"
		noBits  = "a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID"
		either  = "13 digits may be a Snowflake in decimal or in Base32; -as text or -as base32 says which"
	)
	for _, test := range []struct{ args, id, want string }{ // want is a line, or what is said of the id
		{"-to uuid6", v1, v6},
		{"-to uuid1", v6, v1},
		{"-as uuid -to uuid6", ids.MustParseUUID(v1).ULID().String(), v6},
		{"-to uuid", asULID, v7},
		{"-to ulid", v7, asULID},
		{"-to uuid", "a_b_" + digits, v7},
		{"", `\x017F22e279b07cc398c4dc0c0c07398f`, v7},
		{"-as ulid", "0X017f22e279b07cc398c4dc0c0c07398f", asULID},
		{"-as base58", "1BihbxwwQ4NZZpKRH9JDCz", v7},
		{"-as ulid", "1BihbxwwQ4NZZpKRH9JDCz", asULID},
		{"-as braces -format Braces", " \t{" + v7 + "}\t ", "{" + v7 + "}"},
		{"", `"7"`, "7"},
		{"-as json -format json", `"` + v7 + `"`, `"` + v7 + `"`},
		{"-format json", "7", `"7"`},
		{"-as urn -format urn", "urn:uuid:" + v7, "urn:uuid:" + v7},
		{"-format hex", "1ASD13XH1F800", "0x1565a11f6217a000"},
		{"-as hex", "0X1565A11F6217A000", "1541815603606036480"},
		{"-prefix user", "order_" + digits, "user_" + digits},
		{"-prefix user", asULID, "user_" + digits},
		{"-format typeid", asULID, digits},
		{"-format base32", "order_" + digits, asULID},
		{"-as typeid -to uuid", digits, v7},
		{"", "order_00000000000000000000000000", "order_00000000000000000000000000"}, // 32 characters, as the digits of a UUID
		{"-format guid", "00112233-4455-6677-8899-aabbccddeeff", "33221100554477668899aabbccddeeff"},
		{"-as guid", "0x33221100554477668899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-format decimal", "00112233-4455-6677-8899-aabbccddeeff", "88962710306127702866241727433142015"},
		{"-as decimal", "88962710306127702866241727433142015", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as decimal -format hex", "340282366920938463463374607431768211455", "ffffffffffffffffffffffffffffffff"},
		{"-as decimal", "340282366920938463463374607431768211456", "it has more than 128 bits"},
		{"-as decimal", "-1", "no known form of decimal, length 2"},
		{"-format base64url", v7, "AX8i4nmwfMOYxNwMDAc5jw"},
		{"-as base64url", "AX8i4nmwfMOYxNwMDAc5jw", v7},
		{"-as base64url", "AX8i4nmwfMOYxNwMDAc5jx", "illegal base64 data at input byte 20"},
		{"-as base64url", "AX8i4nmwfMOYxNwMDA\r\rc5", "it has less than 128 bits"},
		{"-as uuid", v7, v7},
		{"-as uuid", "urn:uuid:" + v7, v7},
		{"-as uuid", "{" + v7 + "}", v7},
		{"-as uuid", "1BihbxwwQ4NZZpKRH9JDCz", v7},
		{"-as ulid", asULID, asULID},
		{"-as typeid", "order_" + digits, "order_" + digits},
		{"-as snowflake", "1541815603606036480", "1541815603606036480"},
		{"-as snowflake", "1ASD13XH1F800", "1541815603606036480"},
		{"-as snowflake", "0x1565a11f6217a000", "1541815603606036480"},
		// Digits alone are decimal unless told otherwise, or as long as another id.
		{"-as base32", "1000990140000", "1152931709486891008"},
		{"-as text", "1000990140000", "1000990140000"},
		{"", "00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000"},
		{"", "1111111111111111111111", "00000000-0000-0000-0000-000000000000"},

		{"", "x", "no known form of an id, length 1"},
		{"-to uuid", "x", "no known form of an id, length 1"},
		{"", `""`, "no known form of an id, length 2"},
		{"", `"17`, "no known form of an id, length 3"},
		{"", `17"`, "no known form of an id, length 3"},
		{"-as ulid", v7, "no known form of ulid, length 36"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", noHex + "35"},
		{"", `  "017f22e2-79b0-7cc3-98c4-dc0c0c07398g"`, noHex + "35"},
		{"", ` \x017f22e279b07cc398c4dc0c0c07398g`, noHex + "31"},
		{"", `\y017f22e279b07cc398c4dc0c0c073980`, "no known form of an id, length 34"},
		{"-as guid", "0x017f22e279b07cc398c4dc0c0c07398g", noHex + "31"},
		{"", "urn:uuie:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "parsing UUID: prefix is not urn:uuid: at byte 7"},
		{"-as uuid", " 01ARZ3NDEKTSV4RRFFQ69G5FAU", "parsing ULID: not a Crockford Base32 digit at byte 25"},
		{"", "1AaLyDYFxmKZxXbNo18zn0", "parsing UUID: not a Base58 digit at byte 21"},
		{"", "0x1565a11f6217a0g0", noSnow},
		{"", "001565a11f6217a0f0", noSnow},
		{"", "0x8000000000000000", noSnow},
		{"", "9223372036854775808", "parsing Snowflake: above 9223372036854775807"},
		{"", "-1", "parsing Snowflake: negative"},
		{"-as snowflake", " 1000990140000", either},
		{"", "1000990140000", either},
		{"", "_01h455vb4pex5vsknk084sn02q", neither},
		{"", "order_1", "typeid: length 1, want 26 after the prefix"},
		{"-as typeid", "01h455vb4pex5vsknk084sn02Q", "typeid: not a Crockford Base32 digit in lower case at byte 25"},
		{"-prefix order", "7", "only a UUID or a ULID can have a prefix"},
		{"-format typeid", "7", narrow + "typeid: it is for 128 bits"},
		{"-format urn", "7", narrow + "urn: it is for 128 bits"},
		{"-to uuid", "1541815603606036480", noBits},
		{"-to uuid1", ids.MustParseUUID(v6).ULID().String(), "only a UUID of version 1 or 6 can be converted to uuid1"},
		{"-to uuid6", v7, "only a UUID of version 1 or 6 can be converted to uuid6"},
	} {
		r := row{"convert " + test.args, "\n" + test.id + "\n", 0, "\n" + test.want + "\n", ""}
		if strings.Contains(test.want, " ") {
			r = row{r.args, r.stdin, 1, "\n\n", "line 2: " + test.want}
		}
		check(t, []row{r})
	}
	check(t, []row{
		{"convert -to uuid7", "", 2, "", `invalid value "uuid7" for flag -to: it must be one of uuid, ulid, uuid1, uuid6`},
		{"convert -- -1 -2", "", 1, "", "\"-1\": parsing Snowflake: negative\n\"-2\": parsing Snowflake: negative"},
		{"convert 8 -format hex -- 7", "", 0, "0x0000000000000008\n0x0000000000000007\n", ""},
	})
}

// TestEveryForm converts ids of all times in each of their forms, whose kind is not named: each is the id or is refused,
// and never another id. A form that has to be named is read as itself.
func TestEveryForm(t *testing.T) {
	random, refused := rand.New(rand.NewPCG(1, 2)), 0
	for i := range 40_000 {
		number := ids.Snowflake(random.Int64N(1<<41) << 22) // of Twitter's layout, node 0
		u := ids.MinV7At(time.UnixMilli(random.Int64N(1 << 48)))
		binary.BigEndian.PutUint64(u[8:], random.Uint64()>>2|1<<63)
		all := []ident{identOf(number), identOf(u), identOf(u.ULID()), {kind: "typeid", bits: u, prefix: "order"}}
		if i%100 > 0 {
			all = all[:1] // 13 digits are rare
		}
		for _, id := range all {
			for form, text := range formsOf(id) {
				as := ""
				if form == "guid" || form == "decimal" || form == "base64url" {
					as = form
				}
				switch got, err := read(text, as); {
				case err != nil && strings.HasPrefix(err.Error(), "13 digits ") && id.kind == "snowflake":
					refused++
				case err != nil || got.number != id.number || got.bits != id.bits:
					t.Fatalf("%s of form %s is read as %v, %v, want %v", text, form, got, err, id)
				}
			}
		}
	}
	if refused < 1 || refused > 30 {
		t.Errorf("%d of 40,000 are refused, want some 5", refused)
	}
}
