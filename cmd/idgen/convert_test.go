package main

// Tests of the convert command, and of text that is not an ID.

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
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
		noSnow  = "not a Snowflake in hexadecimal, which is 0x and 16 digits up to 7fffffffffffffff"
		neither = "typeid: neither a letter a to z of a prefix nor an underscore within one at byte 0"
		noBits  = "a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID"
		either  = "13 digits may be a Snowflake in decimal, in hexadecimal or in Base32; use -as text or -as base32"
		or64    = "22 characters may be Base58 or Base64; use -as base58, -as base64 or == at the end"
		others  = "; idgen reads Bitcoin's alphabet, not those of shortuuid, short-uuid and Base62 (for a ULID in Base58, use -as ulid, and for other bits, -as base58)"
		noV58   = "not a UUID of version 1 to 8 in Base58" + others
		ordered = "the bytes in this form are in order, so it needs no -as guid; if they were swapped before it was written, " +
			"as SMBIOS's may be, run: idgen convert -format guid TEXT | idgen convert"
		no64   = "not 128 bits in Base64"
		noList = "not a list of 16 numbers from 0 to 255, such as [1 127 ... 143]; an argument needs quotes"
	)
	for _, test := range []struct{ args, id, want string }{ // want is the output line or the error
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
		{"-to Hex", v7, "017f22e279b07cc398c4dc0c0c07398f"},
		{"-to hex -format hex", v7, "017f22e279b07cc398c4dc0c0c07398f"},
		{"-to uuid6 -format hex", v1, "1ec9414c232a6b00b3c89f6bdeced846"},
		{"-to typeid", asULID, digits},
		{"-to base32 -format text", "1541815603606036480", "1ASD13XH1F800"},
		{"-as urn -format urn", "urn:uuid:" + v7, "urn:uuid:" + v7},
		{"-format hex", "1ASD13XH1F800", "0x1565a11f6217a000"},
		{"-as hex", "0X1565A11F6217A000", "1541815603606036480"},
		{"-prefix user", "order_" + digits, "user_" + digits},
		{"-prefix user", asULID, "user_" + digits},
		{"-format typeid", asULID, digits},
		{"-format base32", "order_" + digits, asULID},
		{"-as typeid -to uuid", digits, v7},
		{"", "order_00000000000000000000000000", "order_00000000000000000000000000"}, // 32 characters, like the digits of a UUID
		{"-format guid", "00112233-4455-6677-8899-aabbccddeeff", "33221100554477668899aabbccddeeff"},
		{"-as guid", "0x33221100554477668899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
		// Bytes in Microsoft's order, in each form in which other programs print them.
		{"-as guid", "33221100554477668899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as guid", `\x33221100554477668899AABBCCDDEEFF`, "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as guid", "MyIRAFVEd2aImaq7zN3u/w==", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as guid", "MyIRAFVEd2aImaq7zN3u_w==", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as guid", "[51 34 17 0 85 68 119 102 136 153 170 187 204 221 238 255]", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as guid -to guid", "[51, 34, 17, 0, 85, 68, 119, 102, 136, 153, 170, 187, 204, 221, 238, 255]", "33221100554477668899aabbccddeeff"},
		{"-as guid", "MyIRAFVEd2aImaq7zN3u/w", or64},
		{"-as guid", "33221100-5544-7766-8899-aabbccddeeff", ordered},
		{"-format guid", "33221100-5544-7766-8899-aabbccddeeff", "00112233445566778899aabbccddeeff"}, // the first of the two commands in the error
		{"-as guid", "{33221100-5544-7766-8899-aabbccddeeff}", ordered},
		{"-as guid", "urn:uuid:33221100-5544-7766-8899-aabbccddeeff", ordered},
		{"-as guid", asULID, ordered},
		{"-as guid", "1BihbxwwQ4NZZpKRH9JDCz", ordered},
		{"-as guid", "33221100-5544-7766-8899-aabbccddeefg", "not a form of guid: length 36"},
		{"-as guid", "7", "not a form of guid: length 1"},
		{"-format decimal", "00112233-4455-6677-8899-aabbccddeeff", "88962710306127702866241727433142015"},
		{"-as decimal", "88962710306127702866241727433142015", "00112233-4455-6677-8899-aabbccddeeff"},
		{"-as decimal -format hex", "340282366920938463463374607431768211455", "ffffffffffffffffffffffffffffffff"},
		{"-as decimal", "340282366920938463463374607431768211456", "the number has more than 128 bits"},
		{"-as decimal", "-1", "not a form of decimal: length 2"},
		{"-format base64", v7, "AX8i4nmwfMOYxNwMDAc5jw=="},
		{"-format base64", "fbff22e2-79b0-7cc3-98c4-dc0c0c07398f", "+/8i4nmwfMOYxNwMDAc5jw=="},
		{"", "AX8i4nmwfMOYxNwMDAc5jw==", v7},
		{"-as uuid", "-_8i4nmwfMOYxNwMDAc5jw==", "fbff22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"-as ulid", "AX8i4nmwfMOYxNwMDAc5jw==", asULID},
		{"-as base64", "AX8i4nmwfMOYxNwMDAc5jw==", v7},
		{"-as base64", "AX8i4nmwfMOYxNwMDAc5jw", v7},
		{"-as base64", "+/8i4nmwfMOYxNwMDAc5jw", "fbff22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"-as base64", "-_8i4nmwfMOYxNwMDAc5jw", "fbff22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"-as base64", "-/8i4nmwfMOYxNwMDAc5jw", "illegal base64 data at input byte 1"}, // characters from two alphabets
		{"-as base64", "AX8i4nmwfMOYxNwMDAc5jx", "illegal base64 data at input byte 20"},
		{"", "AX8i4nmwfMOYxNwMDAc5jx==", "illegal base64 data at input byte 20"},
		{"-as base64", "AX8i4nmwfMOYxNwMDA\r\rc5", `not a form of base64: length 22, with "\r" at byte 18`},
		{"", "AX8i4nmwfMOYxNwMDA\r\rc5==", no64},
		{"-as base64", "AX8i4nmwfMOYxNwMDAc5==", `not a form of base64: length 22, with "=" at byte 20`},
		{"-as base64", "AX8i4nmwfMOYxNwMDAc5jw=", "not a form of base64: length 23, with \"=\" at byte 22"},
		// Text that may be Base64 is not read as Base58 or as a TypeID.
		{"", "AX8i4nmwfMOYxNwMDAc5jw", or64},
		{"-as ulid", "WKNzmBve3qfwtsTN3yyHTA", or64},
		{"-as base58", "WKNzmBve3qfwtsTN3yyHTA", "ed69f6e6-4592-7000-a378-bf96948293ed"},
		{"", "_f8i4nmwfMOYxNwMDAc5jw", or64},
		// A UUID in Base58 is recognized by its version. Any other 22 characters are in a different
		// alphabet or need -as.
		{"", "1BihbxwwQ4NZZpKRH9JDCz", v7},
		{"", "1111111111111111111111", "00000000-0000-0000-0000-000000000000"},
		{"", "YcVfxkQb6JRzqk5kF2tNLv", "ffffffff-ffff-ffff-ffff-ffffffffffff"},
		{"", "1Bk6tksKgSrXSGE31wZYKp", "01800000-0000-1000-bfff-ffffffffffff"},
		{"", "1Bk6tksKnjorLHEsFTDuR1", "01800000-0000-8000-8000-000000000000"},
		{"", "1Bk6tksKodwnGypYNsQ61u", noV58}, // version 9
		{"", "1Bk6tksKfYiQngbUE7pSbq", noV58}, // version 0
		{"", "1Bk6tksKmqfsiMtyCw9zXq", noV58}, // version 7, variant NCS
		{"", "1Bk6tksKmqg76Ti5nScdwD", noV58}, // version 7, variant Microsoft
		{"", "5vHqLc9etTWW3AVrEJvBez", noV58}, // shortuuid's 160427e7-f28e-40ee-9f7a-d473721488c8
		{"-as uuid", "5vHqLc9etTWW3AVrEJvBez", noV58},
		{"-as base58", "5vHqLc9etTWW3AVrEJvBez", "27d55931-6886-6357-34e2-7f251deffebb"},
		{"", "1AaLyDYFxmKZxXbNo18znE", noV58},
		{"-as ulid", "1AaLyDYFxmKZxXbNo18znE", "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{"-as base58", "1AaLyDYFxmKZxXbNo18zn0", "parsing UUID: not a Base58 digit at byte 21"},
		{"", "1AaLyDYFxmKZxXbNo18zn0", "parsing UUID: not a Base58 digit at byte 21" + others},
		// The decimal values of 16 bytes.
		{"", "[1 127 34 226 121 176 124 195 152 196 220 12 12 7 57 143]", v7},
		{"", "[1, 127, 34, 226, 121, 176, 124, 195, 152, 196, 220, 12, 12, 7, 57, 143]", v7},
		{"-as ulid", "[1,127,34,226,121,176,124,195,152,196,220,12,12,7,57,143]", asULID},
		{"", "[1 127 34 226 121 176 124 195 152 196 220 12 12 7 57 14", noList}, // truncated
		{"", "[1 127 34 226 121 176 124 195 152 196 220 12 12 7 57]", noList},
		{"", "[1 127 34 226 121 176 124 195 152 196 220 12 12 7 57 143 0]", noList},
		{"", "[1 127 34 226 121 176 124 195 152 196 220 12 12 7 57 256]", noList},
		{"", "[1 127 34 226 121 176 124 195 152 196 220 12 12 7 57 -1]", noList},
		{"", "[", noList},
		// The characters that databases write around hexadecimal digits.
		{"", `\\x017F22e279b07cc398c4dc0c0c07398f`, v7},
		{"", "X'017F22E279B07CC398C4DC0C0C07398F'", v7},
		{"-as hex", "x'017f22e279b07cc398c4dc0c0c07398f'", v7},
		{"-as ulid", `'\x017f22e279b07cc398c4dc0c0c07398f'::bytea`, asULID},
		{"-as guid", "X'33221100554477668899AABBCCDDEEFF'", "00112233-4455-6677-8899-aabbccddeeff"},
		{"", "x'017f22e279b07cc398c4dc0c0c07398g'", noHex + "31"},
		{"", "x'017f22e279b07cc398c4dc0c0c07398f", `not an ID: length 34, with "'" at byte 1`},
		{"", "x'017f22e279b07cc398c4dc0c0c0739'", `not an ID: length 33, with "'" at byte 1`},
		{"", `\\\x017f22e279b07cc398c4dc0c0c07398f`, `not an ID: length 36, with "\\" at byte 0`},
		{"-as uuid", v7, v7},
		{"-as uuid", "urn:uuid:" + v7, v7},
		{"-as uuid", "{" + v7 + "}", v7},
		{"-as uuid", "1BihbxwwQ4NZZpKRH9JDCz", v7},
		{"-as ulid", asULID, asULID},
		{"-as typeid", "order_" + digits, "order_" + digits},
		{"-as snowflake", "1541815603606036480", "1541815603606036480"},
		{"-as snowflake", "1ASD13XH1F800", "1541815603606036480"},
		{"-as snowflake", "0x1565a11f6217a000", "1541815603606036480"},
		// Text with only digits is decimal, unless -as selects another form or the text has the
		// length of another ID.
		{"-as base32", "1000990140000", "1152931709486891008"},
		{"-as text", "1000990140000", "1000990140000"},
		{"-as base32", "0x3ccd432acbf", "1048648670949749103"},
		{"-as base32", "1ABCDEF123456", "1526031377066201254"},
		{"", "00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000"},

		{"", "x", noID},
		{"-to uuid", "x", noID},
		{"", `""`, `not an ID: length 2, with "\"" at byte 0`},
		{"", `"17`, `not an ID: length 3, with "\"" at byte 0`},
		{"", `17"`, `not an ID: length 3, with "\"" at byte 2`},
		{"", `'17"`, `not an ID: length 4, with "'" at byte 0`},
		{"", "'" + v7 + "'", v7}, // a literal in SQL
		{"-as ulid", v7, "not a form of ulid: length 36"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", noHex + "35"},
		{"", `  "017f22e2-79b0-7cc3-98c4-dc0c0c07398g"`, noHex + "35"},
		{"", ` \x017f22e279b07cc398c4dc0c0c07398g`, noHex + "31"},
		{"", `\y017f22e279b07cc398c4dc0c0c073980`, `not an ID: length 34, with "\\" at byte 0`},
		{"-as guid", "0x017f22e279b07cc398c4dc0c0c07398g", noHex + "31"},
		{"", "urn:uuie:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "parsing UUID: prefix is not urn:uuid: at byte 7"},
		{"-as uuid", " 01ARZ3NDEKTSV4RRFFQ69G5FAU", "parsing ULID: not a Crockford Base32 digit at byte 25"},
		{"", "0x1565a11f6217a0g0", noSnow},
		{"", "001565a11f6217a0f0", noSnow},
		{"", "0x8000000000000000", noSnow},
		{"", "9223372036854775808", "parsing Snowflake: above 9223372036854775807"},
		{"", "-1", "parsing Snowflake: negative"},
		{"-as snowflake", " 1000990140000", either},
		{"", "1000990140000", either},
		{"", "0x3ccd432acbf", either},
		{"-as snowflake", "0X3CCD432ACBF", either},
		{"", "1abcdef123456", either},
		{"-as hex", "0x3ccd432acbf", "not a form of hex: length 13"},
		{"", "_01h455vb4pex5vsknk084sn02q", neither},
		{"", "order_1", "typeid: length 1, want 26 after the prefix"},
		{"-as typeid", "01h455vb4pex5vsknk084sn02Q", "typeid: not a Crockford Base32 digit in lower case at byte 25"},
		{"-prefix order", "7", "only a UUID or a ULID can have a prefix"},
		{"-format typeid", "7", "a Snowflake cannot be written as typeid, which is for 128 bits"},
		{"-format urn", "7", "a Snowflake cannot be written as urn, which is for 128 bits"},
		{"-to uuid", "1541815603606036480", noBits},
		{"-to uuid1", ids.MustParseUUID(v6).ULID().String(), "only a version 1 or 6 UUID can be converted to uuid1"},
		{"-to uuid6", v7, "only a version 1 or 6 UUID can be converted to uuid6"},
	} {
		r := row{"convert " + test.args, "\n" + test.id + "\n", 0, "\n" + test.want + "\n", ""}
		if strings.Contains(test.want, " ") {
			r = row{r.args, r.stdin, 1, "\n\n", "line 2: " + test.want}
		}
		check(t, []row{r})
	}
	check(t, []row{
		{"convert -to uuid7", "", 2, "", `invalid value "uuid7" for flag -to: must be one of uuid, ulid, uuid1, uuid6, text, base32, base58, hex, urn, braces, typeid, guid, decimal, base64`},
		{"convert -to hex -format base58 7", "", 2, "", "-to hex and -format base58 select different forms; use one of them"},
		{"convert \ufeff7 7\x00 " + strings.Repeat("7", 60_000), "", 1, "", `"\ufeff7": not an ID: length 4, with "\ufeff" at byte 0` + "\n" +
			`"7\x00": UTF-16; convert it to UTF-8 first, for example with iconv -f UTF-16 -t UTF-8` + "\n" + `"` + strings.Repeat("7", 80) + `": parsing Snowflake: length over 45, want 1 to 19`},
		{"convert -- -1 -2", "", 1, "", "\"-1\": parsing Snowflake: negative\n\"-2\": parsing Snowflake: negative"},
		{"convert 8 -format hex -- 7", "", 0, "0x0000000000000008\n0x0000000000000007\n", ""},
	})
}

// TestNoID checks the errors for text that is not an ID but can be recognized as something else.
func TestNoID(t *testing.T) {
	const (
		v7      = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
		utf16   = "UTF-16; convert it to UTF-8 first, for example with iconv -f UTF-16 -t UTF-8"
		nul     = `NUL in the line; if each of several texts ends with NUL, convert them to lines first, with tr '\0' '\n'`
		json    = "JSON; extract the IDs first, for example with jq -r .id (jq before 1.7 rounds a Snowflake that is a number)"
		rounded = "a rounded number, as spreadsheets write it; its last digits are lost"
		decimal = "a UUID in decimal needs -as decimal; a Snowflake has at most 19 digits"
		objects = "24 hexadecimal digits may be a MongoDB ObjectID, which idgen does not read"
		xid     = "20 digits and letters up to v may be an xid, which idgen does not read"
		ksuid   = "27 digits and letters may be a KSUID, which idgen does not read"
		list    = `a list; put each ID on its own line first, for example with tr -s '[], ' '\n'`
		bigInt  = "a JavaScript BigInt; remove the n"
		number  = "1541815603606036480"
		event   = "01FWHE4YDGFK1SHH6W1G60EECF"
	)
	odd := func(length int, char string, at int) string {
		return fmt.Sprintf("not an ID: length %d, with %q at byte %d", length, char, at)
	}
	columns := func(between string, at int, cut string) string {
		return fmt.Sprintf("%q at byte %d; if the line has columns, extract one first, for example with %s", between, at, cut)
	}
	for text, want := range map[string]string{
		"\xff\xfe0\x001\x00\r\x00":         utf16, // the first line of a file, and the second line, which begins with the rest of a line ending
		"\x000\x001\x00\r\x00":             utf16,
		"\x00":                             utf16, // the last line
		"\xfe\xff\x000\x001\x00\r\x00":     utf16, // big-endian
		"\x000\x001":                       utf16,
		v7 + "\x00" + v7 + "\x00":          nul,
		v7 + "\x00":                        nul,
		`{"id":"` + v7 + `"}`:              json,
		`[{"id": "` + v7 + `"}]`:           json,
		`"id": "` + v7 + `",`:              json,
		`["` + v7 + `"]`:                   json,
		`[ "` + v7 + `" ]`:                 json,
		`{ "id" : "` + v7 + `" }`:          json,
		"[" + v7 + " " + v7 + "]":          list, // as Go prints a slice
		"[" + v7 + "]":                     list,
		"[" + number + ", " + number + "]": list,
		"[object Object]":                  "not a list of 16 numbers from 0 to 255, such as [1 127 ... 143]; an argument needs quotes",
		number + "n":                       bigInt, // as long as an xid
		"7n":                               bigInt,
		"n":                                "not an ID: length 1; a UUID has 36, a ULID 26 and a Snowflake 1 to 19 (for other forms, run: idgen help inspect)",
		// Text that happens to have the length of an ID in some form.
		number + "\u200b":                      odd(22, "\u200b", 19),
		"ID=" + number:                         odd(22, "=", 2),
		"<@" + number + ">":                    odd(22, "<", 0),
		number + ".00":                         odd(22, ".", 19),
		"\u201c" + event + "\u201d":            odd(32, "\u201c", 0),
		"<id>" + v7 + "</id>":                  odd(45, "<", 0),
		v7[:8] + "\u2026" + v7[:25]:            odd(36, "\u2026", 8),
		"id=" + event[3:]:                      odd(26, "=", 2),
		"<" + number[:11] + ">":                odd(13, "<", 0),
		"<" + number[:16] + ">":                odd(18, "<", 0),
		`{"v":"7"}0123456789abcdefghij`:        json, // as long as a UUID in hex, a TypeID and a URN
		`{"v":"a_01h455vb4pex5vsknk"}`:         json,
		`{"v":"` + v7 + `"}12`:                 json,
		v7 + ",":                               columns(",", 36, "cut -d ',' -f N"),
		"a,b":                                  columns(",", 1, "cut -d ',' -f N"),
		`"a b","` + v7 + `"`:                   columns(",", 4, "cut -d ',' -f N"), // without the outer quotes
		"7;x y":                                columns(";", 1, "cut -d ';' -f N"),
		"7|x y":                                columns("|", 1, "cut -d '|' -f N"),
		"7\tx, y":                              columns("\t", 1, "cut -f N"),
		"7  x":                                 columns(" ", 1, "awk '{print $N}'"),
		"0123456789 123456789 123456789 12345": columns(" ", 10, "awk '{print $N}'"), // as long as a UUID
		"1.5418156036060365E+18":               rounded,                              // as long as a UUID in Base58
		"1,54182E+18":                          rounded,
		"1.54182e18":                           rounded,
		"1.5":                                  `not an ID: length 3, with "." at byte 1`,
		"99999999999999999999":                 decimal,
		"340282366920938463463374607431768211455": decimal,
		"340282366920938463463374607431768211456": "parsing Snowflake: length 39, want 1 to 19",
		"9223372036854775808":                     "parsing Snowflake: above 9223372036854775807",
		"507f1f77bcf86cd799439011":                objects,
		"507F1F77BCF86CD799439011":                objects,
		"507f1f77bcf86cd79943901g":                "not an ID: length 24; a UUID has 36, a ULID 26 and a Snowflake 1 to 19 (for other forms, run: idgen help inspect)",
		"9m4e2mr0ui3e8a215n4g":                    xid,
		"9m4e2mr0ui3e8a215n4w":                    "not an ID: length 20; a UUID has 36, a ULID 26 and a Snowflake 1 to 19 (for other forms, run: idgen help inspect)",
		"0ujtsYcgvSTl8PAuAdqWYSMnLOv":             ksuid,
		"0ujtsYcgvSTl8PAuAdqWYSMnLO-":             "not an ID: length 27; a UUID has 36, a ULID 26 and a Snowflake 1 to 19 (for other forms, run: idgen help inspect)",
	} {
		if _, err := read(text, ""); err == nil || err.Error() != want && err.Error() != "ids: "+want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		// The error does not depend on -as.
		if _, err := read(text, "uuid"); err == nil || !strings.Contains(want, "not an ID") && !strings.Contains(want, "parsing") && err.Error() != want {
			t.Errorf("%q as a UUID: %v, want %s", text, err, want)
		}
	}
	// Many IDs without a line ending between them fill the buffer.
	check(t, []row{
		{"convert", strings.Repeat(v7+"\x00", 10_000), 1, "\n", "line 1: " + nul},
		{"uuid5", strings.Repeat("a name\x00", 10_000), 1, "\n", "line 1: " + nul},
		{"convert", "\xff\xfe" + strings.Repeat("7\x00", 50_000), 1, "\n", "line 1: " + utf16},
		{"convert", strings.Repeat(v7+",", 10_000), 1, "\n", "line 1: the line is longer than 65535 bytes"},
	})
}

// TestOtherAlphabets reads UUIDs as 22 characters in the alphabets of other libraries. Nearly all
// of these UUIDs are rejected, and the help text warns of the rest. UUIDs in Bitcoin's alphabet are
// rejected only if they may be Base64.
func TestOtherAlphabets(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for name, digits := range map[string]string{
		"Bitcoin":               "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
		"shortuuid":             "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
		"short-uuid":            "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ",
		"Base62, digits first":  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
		"Base62, letters first": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	} {
		const texts = 4_000
		wrong := 0
		for i := range texts {
			u := ids.MinV7At(time.UnixMilli(1_790_000_000_000 + random.Int64N(1<<32)))
			if i%2 == 0 {
				binary.BigEndian.PutUint64(u[:], random.Uint64()&^0xf000|0x4000)
			}
			binary.BigEndian.PutUint64(u[8:], random.Uint64()>>2|1<<63)
			text, n, digit := "", new(big.Int).SetBytes(u[:]), new(big.Int)
			for range 22 {
				n.DivMod(n, big.NewInt(int64(len(digits))), digit)
				text = digits[digit.Int64():][:1] + text
			}
			got, err := read(text, "")
			_, err64 := parseBase64(text)
			switch {
			case name == "Bitcoin" && (err == nil) != (err64 != nil):
				t.Fatalf("%s: %v", text, err)
			case err == nil && got.bits != u:
				wrong++
			case err != nil && err64 != nil && !strings.Contains(err.Error(), "shortuuid"):
				t.Fatalf("%s of %s: %v", text, name, err)
			}
		}
		if wrong > texts/8 || name == "Bitcoin" && wrong > 0 { // 2 to 16%, depending on their time
			t.Errorf("of %d texts of %s %d are read as another id", texts, name, wrong)
		}
	}
}

// TestEveryForm reads IDs with all kinds of times, and IDs from other libraries, in each of their
// forms, with and without -as. An ID is read correctly, or is rejected if it may be one of two IDs.
// It is never read as a different ID, except in the forms that look like another form.
func TestEveryForm(t *testing.T) {
	random, refused, texts := rand.New(rand.NewPCG(1, 2)), map[string]int{}, map[string]int{}
	for range 3_000 {
		number := ids.Snowflake(random.Int64N(1<<41) << 22) // in Twitter's layout, with node 0
		u := ids.MinV7At(time.UnixMilli(random.Int64N(1 << 42)))
		if random.IntN(2) == 0 {
			binary.BigEndian.PutUint64(u[:], random.Uint64()&^0xf000|0x4000)
		}
		binary.BigEndian.PutUint64(u[8:], random.Uint64()>>2|1<<63)
		ulid := ids.MinULIDAt(time.UnixMilli(random.Int64N(1 << 42)))
		binary.BigEndian.PutUint64(ulid[8:], random.Uint64())
		ulid[6], ulid[7] = byte(random.Uint32()), byte(random.Uint32())
		for _, id := range []ident{identOf(number), identOf(u), identOf(ulid), {kind: "typeid", bits: u, prefix: "order"}} {
			known := formsOf(id)
			if id.kind == "uuid" {
				standard, list := known["base64"], fmt.Sprint([16]byte(u))
				known["base64 for URLs"] = strings.NewReplacer("+", "-", "/", "_").Replace(standard)
				known["base64 without its end"] = standard[:22]
				known["base64 for URLs without its end"] = known["base64 for URLs"][:22]
				known["list"], known["list with commas"] = list, strings.ReplaceAll(list, " ", ", ")
				known[`hex with \x`], known["hex with 0x"] = `\x`+known["hex"], "0x"+known["hex"]
				known[`hex with \\x`], known["hex of SQL"] = `\\x`+known["hex"], "X'"+known["hex"]+"'"
				for i, literal := range literals("uuid7", "hex", known["hex"]) {
					known[fmt.Sprint("hex of range ", i)] = literal
				}
				guid := swapped(u)
				known["guid in base64"], known["guid with 0x"] = base64.StdEncoding.EncodeToString(guid), "0x"+known["guid"]
				known["guid as a list"] = fmt.Sprint(guid)
				known["upper case"], known["quotes"] = strings.ToUpper(known["text"]), `"`+known["text"]+`"`
			}
			for form, text := range known {
				word, _, _ := strings.Cut(form, " ")
				for _, as := range []string{"", id.kind, word} {
					named := as == word && slices.Contains(formNames(), as)
					if as == word && !named || !named && (word == "guid" || word == "decimal") {
						continue
					}
					texts[id.kind+" in "+form]++
					switch got, err := read(text, as); {
					case err == nil && (got.number != id.number || got.bits != id.bits):
						t.Fatalf("%s of form %s, as %q, is read as %v, want %v", text, form, as, got, id)
					case err != nil && !named && (len(text) == 22 || len(text) == 13): // may be a different ID
						refused[id.kind+" in "+form]++
					case err != nil && as != "typeid" && as != "ulid" && as != "uuid":
						t.Fatalf("%s of form %s, as %q: %v, want %v", text, form, as, err, id)
					}
				}
			}
		}
	}
	// The form is not named with -as. 22 characters may be Base64, the Base58 of a ULID is rarely
	// that of a UUID, and -as typeid has no such form.
	for form, share := range map[string]float64{
		"uuid in base58": 0.2, "typeid in base58": 0.5, "ulid in base58": 0.5, "snowflake in base32": 0.01,
		"uuid in base64 without its end": 0.7, "uuid in base64 for URLs without its end": 0.7,
	} {
		if got := float64(refused[form]) / float64(texts[form]); got > share || got == 0 {
			t.Errorf("of %d texts, %s, %d are refused", texts[form], form, refused[form])
		}
		delete(refused, form)
	}
	if len(refused) > 0 {
		t.Errorf("refused: %v", refused)
	}
}
