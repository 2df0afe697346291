package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

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
		{"-to uuid " + asULID, v7},
		{"-as uuid -to uuid6 " + ids.MustParseUUID(v1).ULID().String(), v6},
		{`\x017F22e279b07cc398c4dc0c0c07398f`, v7},
		{`-as ulid \x017f22e279b07cc398c4dc0c0c07398f`, asULID},
		{"-as base58 1BihbxwwQ4NZZpKRH9JDCz", v7},
		{v7 + " -format braces", "{" + v7 + "}"},
		{"-format json " + v7, `"` + v7 + `"`},
		{"-format hex 1ASD13XH1F800", "0x1565a11f6217a000"},
		{"-to uuid a_b_" + digits, v7},
		{"-prefix user order_" + digits, "user_" + digits},
		{"-prefix user " + asULID, "user_" + digits},
		{"-format typeid " + asULID, digits},
		{"-format base32 order_" + digits, asULID},
		{"-as typeid -to uuid " + digits, v7},
		{"order_00000000000000000000000000", "order_00000000000000000000000000"}, // 32 characters, as the digits of a UUID
		// Digits alone are decimal unless told otherwise.
		{"-as base32 1000990140000", "1152931709486891008"},
		{"-as text 1000990140000", "1000990140000"},
		{"00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000"},
		{"1111111111111111111111", "00000000-0000-0000-0000-000000000000"},
	} {
		got := must(t, "", append([]string{"convert"}, strings.Fields(test.args)...)...)
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("convert %s: %q, want %q", test.args, got, test.want)
		}
	}
}

// TestRefused checks what is said of a bad line, and where it is said to be wrong.
func TestRefused(t *testing.T) {
	const noPrefix = "neither a letter a to z of a prefix nor an underscore within one"
	const noVersion = "a ULID has no version, and only versions 1 and 6 can be converted to each other"
	for _, test := range []struct {
		args, id string
		want     string // after "idgen: line 2"
	}{
		{"", "x", ": not an id: no known form, length 1"},

		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", ", column 36: not a UUID: not a hexadecimal digit"},
		{"", "urn:uuie:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ", column 8: not a UUID: prefix is not urn:uuid:"},
		{"-as uuid", " 01ARZ3NDEKTSV4RRFFQ69G5FAU", ", column 27: not a UUID: not a Crockford Base32 digit"},
		{"", "1AaLyDYFxmKZxXbNo18zn0", ", column 22: not a UUID: not a Base58 digit"},
		{"", "\t0x1565a11f6217a0g0", ", column 18: not a Snowflake: not a hexadecimal digit"},

		{"", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", ": not a ULID: above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		{"", `""`, `, column 1: not an id: "\"" cannot occur in one`},
		{"", " 0x8000000000000000", ": not a Snowflake: above 7fffffffffffffff"},
		{"", "9223372036854775808", ": not a Snowflake: above 9223372036854775807"},

		{"", "  017f22e2-79b0-7cc3-98c4_dc0c0c07398f ", ", column 3: not a TypeID: " + noPrefix},
		{"", "_01h455vb4pex5vsknk084sn02q", ", column 1: not a TypeID: " + noPrefix},
		{"", " \"order_01h455vb4pex5vsknk084sn02U\"", ", column 34: not a TypeID: not a Crockford Base32 digit in lower case"},
		{"-as snowflake", " 1000990140000", ": not one Snowflake: 13 digits may be decimal or Base32; -as text or -as base32 says which"},
		{"", "0ujtsYcgvSTl8PAuAdqWYSMnLOv", ": not an id: no known form, length 27, as of a KSUID, which idgen does not read"},
		{"", ` \x017f22e279b07cc398c4dc0c0c07398g`, ", column 35: not a UUID: not a hexadecimal digit"},
		{"", "order_1", ": not a TypeID: length 1, want 26 after the prefix"},
		{"-as typeid", "01h455vb4pex5vsknk084sn02Q", ", column 26: not a TypeID: not a Crockford Base32 digit in lower case"},
		{"-prefix order", "7", ": only a UUID or a ULID can have a prefix"},
		{"-format typeid", "7", ": only a UUID or a ULID can be written as typeid"},
		{"-format base58", "7", ": only a UUID or a ULID can be written as base58: it is for 128 bits"},
		{"", "\t\"{017f22e2-79b0-7cc3-98c4-dc0c0c07398f)\"", `, column 40: not an id: ")" cannot occur in one`},
		{"", `"17`, `, column 1: not an id: "\"" cannot occur in one`},
		{"", "\xff\xfe", `, column 1: not an id: "\xff" cannot occur in one`},

		{"-to uuid", "1541815603606036480", ": a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID"},
		{"-to uuid1", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": " + noVersion},
		{"-to uuid6", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ": only versions 1 and 6 can be converted to version 6; this is version 7"},
		{"-to uuid1", "{ffffffff-ffff-ffff-ffff-ffffffffffff}",
			": only versions 1 and 6 can be converted to version 1; this is a UUID without a version"},
		{"-format urn", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": only a UUID can be written as urn"},
	} {
		args := append([]string{"convert"}, strings.Fields(test.args)...)
		want := "idgen: line 2" + test.want + "\n"
		if status, out, errs := try("\n"+test.id+"\n", args...); status != 1 || out != "\n\n" || errs != want {
			t.Errorf("convert %s %q: status %d, %q, %q; want %q", test.args, test.id, status, out, errs, want)
		}
	}
}

// TestRefusedArgument checks that a bad argument is repeated, but not more than its beginning.
func TestRefusedArgument(t *testing.T) {
	for _, test := range []struct{ command, arg, want string }{
		{"inspect", "", `: "" is not an id: no known form, length 0`},
		{"inspect", strings.Repeat("x", 48), `: "` + strings.Repeat("x", 48) + `" is not an id: no known form, length 48`},
		{"inspect", strings.Repeat("x", 49), `: "` + strings.Repeat("x", 48) + `…" is not an id: no known form, length 49`},
		{"convert", "01FWHE4YDGFK1SHH6W1G60EECU", `, column 26: "01FWHE4YDGFK1SHH6W1G60EECU" is not a ULID: not a Crockford Base32 digit`},
		{"convert", "-1", `: "-1" is not a Snowflake: negative`},
		{"convert", strings.Repeat("é", 1<<20), `, column 1: "` + strings.Repeat("é", 24) + `…" is not an id: "\u00e9" cannot occur in one`},
		{"uuid8", "5c146b143c52", `: "5c146b143c52" is not 32 hexadecimal digits: length 12`},
		{"uuid8", "5c146b143c528afd938a375d0df1fbfg",
			`, column 32: "5c146b143c528afd938a375d0df1fbfg" is not 32 hexadecimal digits: not a hexadecimal digit`},
		{"Convert", "missing.txt", `, column 8: "missing.txt" is not an id: "." cannot occur in one`},
	} {
		status, out, errs := try("", test.command, "--", test.arg)
		if want := "idgen: argument 1" + test.want + "\n"; status != 1 || out != "" || errs != want {
			t.Errorf("%s %.40q: status %d, %q, %q; want %q", test.command, test.arg, status, out, errs, want)
		}
	}
}

// TestEveryForm converts ids of all times in each of their forms, whose kind is not named: each is the id or is refused,
// and never another id.
func TestEveryForm(t *testing.T) {
	random, refused := rand.New(rand.NewPCG(1, 2)), 0
	for i := range 40_000 {
		number := ids.Snowflake(random.Int64N(1<<41) << 22) // of Twitter's layout, node 0
		u := ids.MinV7At(time.UnixMilli(random.Int64N(1 << 48)))
		binary.BigEndian.PutUint64(u[8:], random.Uint64()>>2|1<<63)
		all := []ident{number, u, u.ULID(), typeID{u, "order"}}
		if i%100 > 0 {
			all = all[:1] // 13 digits are rare
		}
		for _, id := range all {
			for name, write := range forms {
				text, err := write(nil, id)
				if err != nil {
					continue // it does not have the form
				}
				switch got, _, err := everyKind.read(string(text)); {
				case err != nil && id == number && isThirteenDigits(strings.Trim(string(text), `"`)):
					refused++
				case err != nil || !bytes.Equal(bytesOf(got), bytesOf(id)):
					t.Fatalf("%s of form %s is read as %v, %v, want %v", text, name, got, err, id)
				}
			}
		}
	}
	if refused < 1 || refused > 30 {
		t.Errorf("%d of 40,000 are refused, want some 5", refused)
	}
}
