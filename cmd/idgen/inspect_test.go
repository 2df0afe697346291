package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

func TestInspect(t *testing.T) {
	for _, test := range []struct {
		id   string
		want string // lines that the output has, of fields separated by one blank
	}{
		{"017F22E2-79B0-7CC3-98C4-DC0C0C07398F", `
			UUID of version 7 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
			T time 48 bits 2022-02-22T19:22:22.000Z
			V version 4 bits 7
			F rand_a 12 bits 3267 (0.798 ms if a fraction, as in package ids)
			A variant 2 bits 2 (RFC 9562)
			R rand_b 62 bits 0x18c4dc0c0c07398f (random)
			0 00000001 01111111 00100010 11100010 TTTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
			32 01111001 10110000 01111100 11000011 TTTTTTTT TTTTTTTT VVVVFFFF FFFFFFFF
			64 10011000 11000100 11011100 00001100 AARRRRRR RRRRRRRR RRRRRRRR RRRRRRRR
			96 00001100 00000111 00111001 10001111 RRRRRRRR RRRRRRRR RRRRRRRR RRRRRRRR`},
		{"urn:uuid:C232AB00-9414-11EC-B3C8-9F6BDECED846", `
			UUID of version 1 c232ab00-9414-11ec-b3c8-9f6bdeced846
			T time 60 bits 2022-02-22T19:22:22.0000000Z (100 ns)
			S clock sequence 14 bits 13256
			N node 48 bits 9f:6b:de:ce:d8:46 (the multicast bit is set: random)
			32 10010100 00010100 00010001 11101100 TTTTTTTT TTTTTTTT VVVVTTTT TTTTTTTT
			64 10110011 11001000 10011111 01101011 AASSSSSS SSSSSSSS NNNNNNNN NNNNNNNN`},
		{"{1EC9414C-232A-6B00-B3C8-9F6BDECED846}", `
			UUID of version 6 1ec9414c-232a-6b00-b3c8-9f6bdeced846
			T time 60 bits 2022-02-22T19:22:22.0000000Z (100 ns)
			S clock sequence 14 bits 13256`},
		{"000003e8-9414-21ec-8501-021122334455", `
			UUID of version 2 000003e8-9414-21ec-8501-021122334455
			L local id 32 bits 1000
			T time 28 bits 2022-02-22T19:16:56Z (and the 429 s that follow)
			S sequence 6 bits 5
			D domain 8 bits 1 (group)
			N node 48 bits 02:11:22:33:44:55 (the multicast bit is clear: the address of a network card)`},
		{"5df418813aed351588a72f4a814cf09e", `
			UUID of version 3 5df41881-3aed-3515-88a7-2f4a814cf09e
			H hash 122 bits 0x177d06204ebb54548a72f4a814cf09e (MD5 of a namespace and a name)`},
		{"919108f7-52d1-4320-9bac-f847db4148a8", `
			UUID of version 4 919108f7-52d1-4320-9bac-f847db4148a8
			R random 122 bits 0x2464423dd4b44c81bacf847db4148a8`},
		{"2ed6657d-e927-568b-95e1-2665a8aea6a2", `
			UUID of version 5 2ed6657d-e927-568b-95e1-2665a8aea6a2`},
		{"2489E9AD-2EE2-8E00-8EC9-32D5F69181C0", `
			UUID of version 8 2489e9ad-2ee2-8e00-8ec9-32d5f69181c0
			V version 4 bits 8`},
		{"2489E9AD-2EE2-9E00-8EC9-32D5F69181C0", "UUID of version 9 2489e9ad-2ee2-9e00-8ec9-32d5f69181c0"},
		{"2489E9AD-2EE2-4E00-CEC9-32D5F69181C0", `
			UUID of variant Microsoft 2489e9ad-2ee2-4e00-cec9-32d5f69181c0
			X bits 128 bits 2489e9ad2ee24e00cec932d5f69181c0 (not in a layout of RFC 9562)`},
		{"00000000-0000-0000-0000-000000000000", "Nil UUID 00000000-0000-0000-0000-000000000000"},
		{"ffffffff-ffff-ffff-ffff-ffffffffffff", "Max UUID ffffffff-ffff-ffff-ffff-ffffffffffff"},
		{"01arz3ndektsv4rrffq69g5fav", `
			ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV
			as a UUID 01563e3a-b5d3-d676-4c61-efb99302bd5b, base58 1AaLyDYFxmKZxXbNo18znE, hex 01563e3ab5d3d6764c61efb99302bd5b
			T time 48 bits 2016-07-30T23:54:10.259Z
			R random 80 bits 0xd6764c61efb99302bd5b
			32 10110101 11010011 11010110 01110110 TTTTTTTT TTTTTTTT RRRRRRRR RRRRRRRR`},
		{"7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "T time 48 bits 10889-08-02T05:31:50.655Z"},
		{"1541815603606036480", `
			Snowflake 1541815603606036480
			base32 1ASD13XH1F800, base58 4aaW4SzAyQK, hex 0x1565a11f6217a000
			in the layout of twitter: plausible
			T time 41 bits 2022-06-28T16:07:40.105Z
			N node 10 bits 378 (datacenter 11, worker 26)
			S sequence 12 bits 0
			0 00010101 01100101 10100001 00011111 0TTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
			32 01100010 00010111 10100000 00000000 TTTTTTTT TTNNNNNN NNNNSSSS SSSSSSSS`},
		{"175928847299117063", `
			in the layout of discord: plausible
			T time 41 bits 2016-04-30T11:18:25.796Z
			N node 10 bits 32 (worker 1, process 0)
			S sequence 12 bits 7`},
		{"4aaW4SzAyQK", "base32 1ASD13XH1F800, base58 4aaW4SzAyQK (as given), hex 0x1565a11f6217a000"},
		{"1asd13xh1f800", "base32 1ASD13XH1F800 (as given), base58 4aaW4SzAyQK, hex 0x1565a11f6217a000"},
		{"0X1565A11F6217A000", "base32 1ASD13XH1F800, base58 4aaW4SzAyQK, hex 0x1565a11f6217a000 (as given)"},
		{"9223372036854775807", "S sequence 12 bits 4095"},
	} {
		var lines []string
		for _, line := range must(t, "", "inspect", test.id) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		out := "\n" + strings.Join(lines, "\n") + "\n"
		for want := range strings.Lines(test.want) {
			if want = strings.TrimSpace(want); !strings.Contains(out, "\n"+want+"\n") {
				t.Errorf("inspect %s lacks %q:%s", test.id, want, out)
			}
		}
		// The same from standard input.
		if got, want := must(t, test.id+"\n", "inspect"), must(t, "", "inspect", test.id); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("inspect %s from standard input: %q", test.id, got)
		}
	}
}

// TestInspectLine checks what is printed as one line, and that a time has as many decimals in each of them as in JSON.
func TestInspectLine(t *testing.T) {
	for _, test := range []struct{ id, title, made, doubt string }{
		{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "UUID of version 7", "2022-02-22T19:22:22.000Z", ""},
		{"c232ab00-9414-11ec-b3c8-9f6bdeced846", "UUID of version 1", "2022-02-22T19:22:22.0000000Z", ""},
		{"000003e8-9414-21ec-8501-021122334455", "UUID of version 2", "2022-02-22T19:16:56Z", ""},
		{"919108f7-52d1-4320-9bac-f847db4148a8", "UUID of version 4", "", ""},
		{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "ULID", "2016-07-30T23:54:10.259Z", ""},
		{"1541815603606036480", "Snowflake in the layout of twitter", "2022-06-28T16:07:40.105Z", ""},
		{"-layout sonyflake 175928847299117063", "Snowflake in the layout of sonyflake", "2017-12-27T16:16:04.490Z", ""},
		// Numbers that a database has counted.
		{"5", "Snowflake in the layout of twitter", "2010-11-04T01:42:54.657Z", "that time is the first second of the layout"},
		{"4194303999", "Snowflake in the layout of twitter", "2010-11-04T01:42:55.656Z", "that time is the first second of the layout"},
		{"4194304000", "Snowflake in the layout of twitter", "2010-11-04T01:42:55.657Z", ""},
		{"-layout sonyflake 9223372036854775807", "Snowflake in the layout of sonyflake", "2188-11-16T03:28:58.870Z", "that time is in the future"},
	} {
		args := strings.Fields(test.id)
		want := args[len(args)-1] + "  " + test.title
		if test.made != "" {
			want += "  " + test.made
		}
		if test.doubt != "" {
			want += "  not plausible, since " + test.doubt
		}
		if got := must(t, "", append([]string{"inspect", "-brief"}, args...)...); len(got) != 1 || got[0] != want {
			t.Errorf("inspect -brief %s: %q, want %q", test.id, got, want)
		}
		var r report
		if err := json.Unmarshal([]byte(must(t, "", append([]string{"inspect", "-json"}, args...)...)[0]), &r); err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(r.Views, func(v jsonView) bool { return strings.HasSuffix(test.title, v.Layout) }); r.Views[i].Time != test.made {
			t.Errorf("inspect -json %s: time %q, want %q", test.id, r.Views[i].Time, test.made)
		}
		if test.made == "" {
			continue
		}
		if got := must(t, "", append([]string{"inspect", "-field", "Time"}, args...)...); len(got) != 1 || got[0] != test.made {
			t.Errorf("inspect -field Time %s: %q, want %q", test.id, got, test.made)
		}
	}
	// Standard input may be named, and an id without the field is refused as a bad one is.
	status, out, errs := try("1ec9414c-232a-6b00-b3c8-9f6bdeced846\n919108f7-52d1-4320-9bac-f847db4148a8\n", "inspect", "-field", "clock sequence", "-")
	const want = "idgen: line 2: a UUID of version 4 has no field \"clock sequence\"; it has random, version and variant\nidgen: 1 of 2 lines was bad\n"
	if status != 1 || out != "13256\n" || errs != want {
		t.Errorf("inspect -field \"clock sequence\" -: status %d, %q, %q, want %q", status, out, errs, want)
	}
}

// TestLayoutOrder checks that the plausible layouts come first, with the clock of a bubble.
func TestLayoutOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// As of 2022-06-28T16:07:40.105Z in Twitter's layout, 2017 in Instagram's, 2026 in
		// Discord's, 2043 in Sonyflake's.
		const id = "1541815603606036480"
		made := ids.Snowflake(1541815603606036480).Time()
		for _, test := range []struct {
			now   time.Time
			order string
		}{
			{made.AddDate(0, 0, -1).Add(-time.Millisecond), "instagram twitter discord sonyflake"},
			{made.AddDate(0, 0, -1), "twitter instagram discord sonyflake"},
			{made.AddDate(10, 0, 0), "twitter discord instagram sonyflake"},
			{made.AddDate(30, 0, 0), "twitter discord instagram sonyflake"},
		} {
			time.Sleep(time.Until(test.now))
			var r report
			if err := json.Unmarshal([]byte(must(t, "", "inspect", "-json", id)[0]), &r); err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, v := range r.Views {
				order = append(order, v.Layout)
				when, err := time.Parse(time.RFC3339Nano, v.Time)
				if err != nil {
					t.Fatal(err)
				}
				if want := !when.After(test.now.AddDate(0, 0, 1)); *v.Plausible != want {
					t.Errorf("at %v: %s plausible: %v", test.now, v.Layout, *v.Plausible)
				}
			}
			if got := strings.Join(order, " "); got != test.order {
				t.Errorf("at %v: %s, want %s", test.now, got, test.order)
			}
		}
	})
}

// TestInspectLayout checks that a Snowflake is shown in the given layout alone, and what is not a
// Snowflake as without it.
func TestInspectLayout(t *testing.T) {
	const snowflake, other = "175928847299117063", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	for layout, made := range map[string]string{
		"twitter": "2012-03-03T13:01:20.453Z", "Discord": "2016-04-30T11:18:25.796Z",
		"INSTAGRAM": "2012-04-23T14:46:14.619Z", "sonyflake": "2017-12-27T16:16:04.490Z",
	} {
		name := strings.ToLower(layout)
		out := strings.Join(must(t, "", "inspect", "-layout", layout, snowflake), "\n")
		if strings.Count(out, "in the layout of") != 1 || !strings.Contains(out, "in the layout of "+name+": plausible") {
			t.Errorf("inspect -layout %s:\n%s", layout, out)
		}
		var r report
		if err := json.Unmarshal([]byte(must(t, snowflake, "inspect", "-json", "-layout", layout)[0]), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Views) != 1 || r.Views[0].Layout != name || r.Views[0].Time != made {
			t.Errorf("inspect -json -layout %s: %+v, want the time %s", layout, r.Views, made)
		}
		if got, want := must(t, "", "inspect", "-layout", layout, other), must(t, "", "inspect", other); !slices.Equal(got, want) {
			t.Errorf("inspect -layout %s %s: %q, want %q", layout, other, got, want)
		}
	}
}
