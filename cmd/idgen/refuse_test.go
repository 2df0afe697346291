package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestRefused checks what is said of a bad line, and where it is said to be wrong.
func TestRefused(t *testing.T) {
	const noPrefix = "neither a letter a to z of a prefix nor an underscore within one"
	const noVersion = "a ULID has no version, and only versions 1 and 6 can be converted to each other"
	for _, test := range []struct {
		args, id string
		want     string // after "idgen: line 2"
	}{
		{"", "x", ": not an id: it is not a number, and no other has 1 character"},
		{"", "nonsense", ": not an id: it is not a number, and no other has 8 characters"},
		{"", "0x1", ": not an id: it is not a number, and no other has 3 characters"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", ": not an id: none has 35 characters"},
		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff", ": not an id: none has 37 characters"},
		{"", "  ", ": not an id: it is blank"},
		{"-as uuid", "1541815603606036480", ": not a UUID: none has 19 characters"},
		{"-as base58", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": not an id of form base58: none has 26 characters"},
		{"-as Snowflake", "abc", ": not a Snowflake: it is not a number, and no other has 3 characters"},

		{"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", ", column 36: not a UUID: not a hexadecimal digit"},
		{"", "urn:uuie:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ", column 8: not a UUID: prefix is not urn:uuid:"},
		{"", "01ARZ3NDEKTSV4RRFFQ69G5FAU", ", column 26: not a ULID: not a Crockford Base32 digit"},
		{"-as uuid", " 01ARZ3NDEKTSV4RRFFQ69G5FAU", ", column 27: not a UUID: not a Crockford Base32 digit"},
		{"", "1AaLyDYFxmKZxXbNo18zn0", ", column 22: not a UUID: not a Base58 digit"},
		// Other libraries write a Snowflake in 11 digits of Base58.
		{"", "4aaW4SzAyQK", ": not an id: it is not a number, and no other has 11 characters"},
		{"-as Snowflake", "4aaW4SzAyQK", ": not a Snowflake: it is not a number, and no other has 11 characters"},
		{"-as base58", "4aaW4SzAyQK", ": not an id of form base58: none has 11 characters"},
		{"-as base58", "12345678912", ": not an id of form base58: none has 11 characters"},
		{"", "\t0x1565a11f6217a0g0", ", column 18: not a Snowflake: not a hexadecimal digit"},

		{"", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", ": not a ULID: above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		{"", "zzzzzzzzzzzzzzzzzzzzzz", ": not a UUID: Base58 above 128 bits"},
		{"", "9223372036854775808", ": not a Snowflake: above 9223372036854775807"},
		{"", "99999999999999999999", ": not a Snowflake: length 20, want 1 to 19"},
		{"", " -1", ": not a Snowflake: negative"},
		{"", " 0x8000000000000000", ": not a Snowflake: above 7fffffffffffffff"},

		{"", "  017f22e2-79b0-7cc3-98c4_dc0c0c07398f ", ", column 3: not a TypeID: " + noPrefix},
		{"", "_01h455vb4pex5vsknk084sn02q", ", column 1: not a TypeID: " + noPrefix},
		{"", " \"order_01h455vb4pex5vsknk084sn02U\"", ", column 34: not a TypeID: not a Crockford Base32 digit in lower case"},
		{"", "order_8zzzzzzzzzzzzzzzzzzzzzzzzz", ": not a TypeID: digits above 7zzzzzzzzzzzzzzzzzzzzzzzzz"},
		{"", "order_1", ": not a TypeID: length 1, want 26 after the prefix"},
		{"-as typeid", "01h455vb4pex5vsknk084sn02Q", ", column 26: not a TypeID: not a Crockford Base32 digit in lower case"},
		{"-as typeid", "01h455vb4pex5vsknk084sn02", ": not a TypeID: none has 25 characters"},
		{"-as ulid", "order_01h455vb4pex5vsknk084sn02", ": not a ULID: none has 31 characters"},
		{"-as base58", "a_b", ": not an id of form base58: none has 3 characters"},
		{"-prefix order", "7", ": only a UUID or a ULID can have a prefix"},
		{"-format typeid", "7", ": only a UUID or a ULID can be written as typeid"},
		{"-format base58", "7", ": only a UUID or a ULID can be written as base58: it is for 128 bits"},
		{"-to uuid1", "7", ": a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID"},
		{"", "\t\"{017f22e2-79b0-7cc3-98c4-dc0c0c07398f)\"", `, column 40: not an id: ")" cannot occur in one`},
		{"", "+1", `, column 1: not an id: "+" cannot occur in one`},
		{"", "1 2", `, column 2: not an id: " " cannot occur in one`},
		{"", "x234567890123456789", ": not an id: it is not a number, and no other has 19 characters"},
		{"", "x2345678901234567890", ": not an id: none has 20 characters"},
		{"", "001565a11f6217a000", ": not an id: it is not a number, and no other has 18 characters"}, // not 0x
		{"", "7~", `, column 2: not an id: "~" cannot occur in one`},
		{"", "7@", `, column 2: not an id: "@" cannot occur in one`},
		{"", "7[", `, column 2: not an id: "[" cannot occur in one`},
		{"", "7/", `, column 2: not an id: "/" cannot occur in one`},
		{"", "7;", `, column 2: not an id: ";" cannot occur in one`},
		{"", `17"`, `, column 3: not an id: "\"" cannot occur in one`},
		{"", `"17`, `, column 1: not an id: "\"" cannot occur in one`},
		{"", `""`, `, column 1: not an id: "\"" cannot occur in one`},
		{"", "0x1565a11f6217a0\x100", `, column 17: not an id: "\x10" cannot occur in one`},
		{"", "abc\x1b[31m", `, column 4: not an id: "\x1b" cannot occur in one`},
		{"", "1２", `, column 2: not an id: "\uff12" cannot occur in one`},
		{"", "\xff\xfe", `, column 1: not an id: "\xff" cannot occur in one`},
		{"", "\ufeff01ARZ3NDEKTSV4RRFFQ69G5FAV", `, column 1: not an id: "\ufeff" cannot occur in one`},
		{"-as ulid", "1.5", `, column 2: not a ULID: "." cannot occur in one`},

		{"-to ulid", "1541815603606036480", ": a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID"},
		{"-to uuid", "1541815603606036480", ": a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID"},
		{"-to uuid1", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": " + noVersion},
		{"-to uuid6", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ": only versions 1 and 6 can be converted to version 6; this is version 7"},
		{"-to uuid1", "{ffffffff-ffff-ffff-ffff-ffffffffffff}",
			": only versions 1 and 6 can be converted to version 1; this is a UUID without a version"},
		{"-format urn", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ": only a UUID can be written as urn"},
	} {
		args := append([]string{"convert"}, strings.Fields(test.args)...)
		want := "idgen: line 2" + test.want + "\n"
		if status, out, errs := try("\n"+test.id+"\n", args...); status != 1 || out != "" || errs != want {
			t.Errorf("convert %s %q: status %d, %q, %q; want %q", test.args, test.id, status, out, errs, want)
		}
	}
}

// TestRefusedArgument checks that a bad argument is repeated, but not more than its beginning.
func TestRefusedArgument(t *testing.T) {
	for _, test := range []struct{ command, arg, want string }{
		{"inspect", "", `: "" is not an id: it is blank`},
		{"inspect", strings.Repeat("x", 48), `: "` + strings.Repeat("x", 48) + `" is not an id: none has 48 characters`},
		{"inspect", strings.Repeat("x", 49), `: "` + strings.Repeat("x", 48) + `…" is not an id: none has 49 characters`},
		{"inspect", "nonsense", `: "nonsense" is not an id: it is not a number, and no other has 8 characters`},
		{"convert", "01FWHE4YDGFK1SHH6W1G60EECU", `, column 26: "01FWHE4YDGFK1SHH6W1G60EECU" is not a ULID: not a Crockford Base32 digit`},
		{"convert", "-1", `: "-1" is not a Snowflake: negative`},
		{"convert", "abc\x1b[31m", `, column 4: "abc\x1b[31m" is not an id: "\x1b" cannot occur in one`},
		{"convert", strings.Repeat("é", 1<<20), `, column 1: "` + strings.Repeat("é", 24) + `…" is not an id: "\u00e9" cannot occur in one`},
		{"uuid8", "5c146b143c52", `: "5c146b143c52" is not 32 hexadecimal digits: it has 12 characters`},
		{"uuid8", "5c146b143c528afd938a375d0df1fbfg",
			`, column 32: "5c146b143c528afd938a375d0df1fbfg" is not 32 hexadecimal digits: not a hexadecimal digit`},
		{"Convert", "missing.txt", `: "missing.txt" is not an id (to read a file: idgen convert < FILE)`},
		{"inspect", "dir/ids", `: "dir/ids" is not an id (to read a file: idgen inspect < FILE)`},
		{"inspect", `C:\ids`, `: "C:\\ids" is not an id (to read a file: idgen inspect < FILE)`},
	} {
		status, out, errs := try("", test.command, "--", test.arg)
		if want := "idgen: argument 1" + test.want + "\n"; status != 1 || out != "" || errs != want {
			t.Errorf("%s %.40q: status %d, %q, %q; want %q", test.command, test.arg, status, out, errs, want)
		}
	}
}

// TestFirstLine has the first line bad, which is not repeated, and a - beside another argument.
func TestFirstLine(t *testing.T) {
	if status, _, errs := try("x", "convert"); status != 1 || errs != "idgen: line 1: not an id: it is not a number, and no other has 1 character\n" {
		t.Errorf("status %d, %q", status, errs)
	}
	if status, out, errs := try("8", "convert", "-", "7"); status != 1 || out != "7\n" || !strings.HasPrefix(errs, `idgen: argument 1: "-" is not an id: `) {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

// TestTally checks the line that ends a run over several inputs of which some were bad.
func TestTally(t *testing.T) {
	many := strings.Repeat("7\n\n", 98_998) + strings.Repeat("?\n", 1001)
	for _, test := range []struct {
		stdin string
		args  string
		want  string // the last line, if it is a tally
	}{
		{"?\n", "", ""},
		{"\n?\n\n", "", ""},
		{"", "?", ""},
		{"7\n8\n", "", ""},
		{"7\n?\n", "", "1 of 2 lines was bad"},
		{"?\n?", "", "2 of 2 lines were bad"},
		{"?\n" + strings.Repeat("7", 1<<17), "", "2 of 2 lines were bad"},
		{many, "", "1,001 of 99,999 lines were bad"},
		{"", "7 ? 8", "1 of 3 arguments was bad"},
		{"", "? ? 8", "2 of 3 arguments were bad"},
	} {
		_, _, errs := try(test.stdin, append([]string{"convert"}, strings.Fields(test.args)...)...)
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		last := lines[len(lines)-1]
		if want := "idgen: " + test.want; strings.Contains(errs, " bad") != (test.want != "") || test.want != "" && last != want {
			t.Errorf("convert %s of %.20q: the last line is %q, want %q", test.args, test.stdin, last, want)
		}
	}
}

// TestPrompt checks that only somebody who sits at a terminal is told what to type.
func TestPrompt(t *testing.T) {
	for command, what := range map[string]string{"inspect": "ids", "convert": "ids", "uuid5": "names", "uuid8": "hexadecimal digits"} {
		for _, test := range []struct {
			ask  bool
			args []string
			want string
		}{
			{true, nil, fmt.Sprintf("reading %s from the terminal, one per line; end with %s\n", what, endOfInput())},
			{false, nil, ""},
			{true, []string{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}, ""},
		} {
			idgen, errs := newTool("")
			idgen.ask = test.ask
			if err := idgen.command(append([]string{command}, test.args...)); err != nil || errs.String() != test.want {
				t.Errorf("%s %q with a terminal %v: %v, %q, want %q", command, test.args, test.ask, err, errs, test.want)
			}
		}
	}
}
