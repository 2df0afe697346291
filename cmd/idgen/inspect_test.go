package main

import (
	"encoding/json"
	"math/big"
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
			96 00001100 00000111 00111001 10001111 RRRRRRRR RRRRRRRR RRRRRRRR RRRRRRRR`},
		{"017F22E2-79B0-7802-98C4-DC0C0C07398F", "F rand_a 12 bits 2050 (0.500 ms if a fraction, as in package ids)"},
		{"urn:uuid:C232AB00-9414-11EC-B3C8-9F6BDECED846", `
			UUID of version 1 c232ab00-9414-11ec-b3c8-9f6bdeced846
			T time 60 bits 2022-02-22T19:22:22.0000000Z (100 ns)
			S clock sequence 14 bits 13256
			N node 48 bits 9f:6b:de:ce:d8:46 (the multicast bit is set: random)
			64 10110011 11001000 10011111 01101011 AASSSSSS SSSSSSSS NNNNNNNN NNNNNNNN`},
		{"000003e8-9414-21ec-8501-021122334455", `
			UUID of version 2 000003e8-9414-21ec-8501-021122334455
			L local id 32 bits 1000
			T time 28 bits 2022-02-22T19:16:56Z (and the 429 s that follow)
			S sequence 6 bits 5
			D domain 8 bits 1 (group)
			N node 48 bits 02:11:22:33:44:55 (the multicast bit is clear: the address of a network card)`},
		{"5df418813aed351588a72f4a814cf09e", "H hash 122 bits 0x177d06204ebb54548a72f4a814cf09e (MD5 of a namespace and a name)"},
		{"2ed6657d-e927-568b-95e1-2665a8aea6a2", "H hash 122 bits 0x0bb5995f7a49da2d5e12665a8aea6a2 (SHA-1 of a namespace and a name)"},
		{"919108f7-52d1-4320-9bac-f847db4148a8", `
			UUID of version 4 919108f7-52d1-4320-9bac-f847db4148a8
			R random 122 bits 0x2464423dd4b44c81bacf847db4148a8`},
		{"2489E9AD-2EE2-4E00-CEC9-32D5F69181C0", `
			UUID of variant Microsoft 2489e9ad-2ee2-4e00-cec9-32d5f69181c0
			X bits 128 bits 2489e9ad2ee24e00cec932d5f69181c0 (not in a layout of RFC 9562)`},
		{"00000000-0000-0000-0000-000000000000", "Nil UUID 00000000-0000-0000-0000-000000000000"},
		{"ffffffff-ffff-ffff-ffff-ffffffffffff", `
			Max UUID ffffffff-ffff-ffff-ffff-ffffffffffff
			1 max 128 bits ffffffffffffffffffffffffffffffff`},
		{"01arz3ndektsv4rrffq69g5fav", `
			ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV
			as a UUID 01563e3a-b5d3-d676-4c61-efb99302bd5b, base58 1AaLyDYFxmKZxXbNo18znE, hex 01563e3ab5d3d6764c61efb99302bd5b
			T time 48 bits 2016-07-30T23:54:10.259Z
			R random 80 bits 0xd6764c61efb99302bd5b`},
		{"order_01fwhe4ydgfk1shh6w1g60eecf", `
			TypeID, UUID of version 7 order_01fwhe4ydgfk1shh6w1g60eecf
			as a UUID 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, base58 1BihbxwwQ4NZZpKRH9JDCz, hex 017f22e279b07cc398c4dc0c0c07398f
			_ prefix no bits order
			T time 48 bits 2022-02-22T19:22:22.000Z`},
		{"1BihbxwwQ4NZZpKRH9JDCz", "base32 01FWHE4YDGFK1SHH6W1G60EECF, base58 1BihbxwwQ4NZZpKRH9JDCz (as given), hex 017f22e279b07cc398c4dc0c0c07398f"},
		{"1541815603606036480", `
			Snowflake 1541815603606036480
			base32 1ASD13XH1F800, hex 0x1565a11f6217a000
			in the layout of twitter: plausible
			T time 41 bits 2022-06-28T16:07:40.105Z
			N node 10 bits 378 (datacenter 11, worker 26)
			S sequence 12 bits 0
			0 00010101 01100101 10100001 00011111 0TTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
			32 01100010 00010111 10100000 00000000 TTTTTTTT TTNNNNNN NNNNSSSS SSSSSSSS
			T time 40 bits 2017-06-21T04:19:24.445Z
			N shard 13 bits 1512
			T time 39 bits 2043-10-15T12:01:53.620Z
			N machine 16 bits 40960`},
		{"175928847299244039", `
			in the layout of discord: plausible
			T time 41 bits 2016-04-30T11:18:25.796Z
			N node 10 bits 63 (worker 1, process 31)
			S sequence 12 bits 7`},
		{"0X1565A11F6217A000", "base32 1ASD13XH1F800, hex 0x1565a11f6217a000 (as given)"},
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
	}
}

// TestInspectWhole compares all that is printed of an id.
func TestInspectWhole(t *testing.T) {
	for args, want := range map[string]string{
		"inspect -layout sonyflake 9223372036854775807": `Snowflake  9223372036854775807
  base32 7ZZZZZZZZZZZZ, hex 0x7fffffffffffffff

  in the layout of sonyflake: not plausible, since that time is in the future

    0  sign              1 bit   0
    T  time             39 bits  2188-11-16T03:28:58.870Z
    S  sequence          8 bits  255
    N  machine          16 bits  65535

      0  01111111 11111111 11111111 11111111   0TTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
     32  11111111 11111111 11111111 11111111   TTTTTTTT SSSSSSSS NNNNNNNN NNNNNNNN

`,
		"inspect -json -layout twitter 5": `{"kind":"snowflake","id":"5","forms":{"base32":"0000000000005","hex":"0x0000000000000005","text":"5"},` +
			`"views":[{"layout":"twitter","plausible":false,"time":"2010-11-04T01:42:54.657Z","unix_ms":1288834974657,"fields":[{"name":"sign","bits":[[0,0]],"hex":"0",` +
			`"value":"0"},{"name":"time","bits":[[1,41]],"hex":"00000000000","value":"2010-11-04T01:42:54.657Z"},{"name":"node","bits":[[42,51]],` +
			`"hex":"000","value":"0","note":"datacenter 0, worker 0"},{"name":"sequence","bits":[[52,63]],"hex":"005","value":"5"}]}]}` + "\n",
		"inspect -json 1ec9414c-232a-6b00-b3c8-9f6bdeced846": `{"kind":"uuid","id":"1ec9414c-232a-6b00-b3c8-9f6bdeced846","version":6,"variant":"RFC 9562","forms":{"base32":"0YS50MR8SADC0B7J4ZDFFCXP26",` +
			`"base58":"4oVbpzb8BpnTH1mg11dmWd","braces":"{1ec9414c-232a-6b00-b3c8-9f6bdeced846}","hex":"1ec9414c232a6b00b3c89f6bdeced846",` +
			`"text":"1ec9414c-232a-6b00-b3c8-9f6bdeced846","typeid":"0ys50mr8sadc0b7j4zdffcxp26","urn":"urn:uuid:1ec9414c-232a-6b00-b3c8-9f6bdeced846"},` +
			`"views":[{"time":"2022-02-22T19:22:22.0000000Z","unix_ms":1645557742000,"fields":[{"name":"time","bits":[[0,47],[52,63]],"hex":"1ec9414c232ab00",` +
			`"value":"2022-02-22T19:22:22.0000000Z","note":"100 ns"},{"name":"version","bits":[[48,51]],"hex":"6","value":"6"},{"name":"variant",` +
			`"bits":[[64,65]],"hex":"2","value":"2","note":"RFC 9562"},{"name":"clock sequence","bits":[[66,79]],"hex":"33c8","value":"13256"},` +
			`{"name":"node","bits":[[80,127]],"hex":"9f6bdeced846","value":"9f:6b:de:ce:d8:46","note":"the multicast bit is set: random"}]}]}` + "\n",
	} {
		if status, got, errs := try("", strings.Fields(args)...); status != 0 || got != want || errs != "" {
			t.Errorf("idgen %s: status %d, %s%swant\n%s", args, status, got, errs, want)
		}
	}
}

// TestInspectLine checks what is printed as one line, and that a time has as many decimals in each of them as in JSON.
func TestInspectLine(t *testing.T) {
	timeBits := map[string]string{ // whose pieces are put together in another order than they are in the id
		"c232ab00-9414-11ec-b3c8-9f6bdeced846": "1ec9414c232ab00",
		"1ec9414c-232a-6b00-b3c8-9f6bdeced846": "1ec9414c232ab00",
		"000003e8-9414-21ec-8501-021122334455": "1ec9414",
	}
	isTime := func(f field) bool { return f.Name == "time" }
	const early, late = "that time is the first second of the layout", "that time is in the future"
	for _, test := range []struct{ id, title, made, doubt string }{
		{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "UUID of version 7", "2022-02-22T19:22:22.000Z", ""},
		{"order_01fwhe4ydgfk1shh6w1g60eecf", "TypeID, UUID of version 7", "2022-02-22T19:22:22.000Z", ""},
		{"c232ab00-9414-11ec-b3c8-9f6bdeced846", "UUID of version 1", "2022-02-22T19:22:22.0000000Z", ""},
		{"1ec9414c-232a-6b00-b3c8-9f6bdeced846", "UUID of version 6", "2022-02-22T19:22:22.0000000Z", ""},
		{"000003e8-9414-21ec-8501-021122334455", "UUID of version 2", "2022-02-22T19:16:56Z", ""},
		{"919108f7-52d1-4320-9bac-f847db4148a8", "UUID of version 4", "", ""},
		{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "ULID", "2016-07-30T23:54:10.259Z", ""},
		{"1541815603606036480", "Snowflake in the layout of twitter", "2022-06-28T16:07:40.105Z", ""},
		{"-layout Discord 175928847299117063", "Snowflake in the layout of discord", "2016-04-30T11:18:25.796Z", ""},
		{"-layout INSTAGRAM 175928847299117063", "Snowflake in the layout of instagram", "2012-04-23T14:46:14.619Z", ""},
		{"-layout sonyflake 175928847299117063", "Snowflake in the layout of sonyflake", "2017-12-27T16:16:04.490Z", ""},
		{"-layout 2025-01-01,10ms,16,8,nodelast 17592884729911706", "Snowflake in the layout of 2025-01-01,10ms,16,8,nodelast", "2025-05-02T08:49:36.440Z", ""},
		{"-layout 2021-01-01T00:00:00Z,1us,0,12 175928847299117063", "Snowflake in the layout of 2021-01-01T00:00:00Z,1us,0,12", "2022-05-13T02:56:18.735136000Z", ""},
		{"-layout 2021-01-01T00:00:00.0005Z,1ms,10,12 4194304000", "Snowflake in the layout of 2021-01-01T00:00:00.0005Z,1ms,10,12", "2021-01-01T00:00:01.000500000Z", ""},
		{"-layout 2021-01-01T00:00:00Z,1s,4,0 17592884729", "Snowflake in the layout of 2021-01-01T00:00:00Z,1s,4,0", "2055-11-05T08:01:35.000Z", late},
		// Numbers that a database has counted.
		{"5", "Snowflake in the layout of twitter", "2010-11-04T01:42:54.657Z", early},
		{"4194303999", "Snowflake in the layout of twitter", "2010-11-04T01:42:55.656Z", early},
		{"4194304000", "Snowflake in the layout of twitter", "2010-11-04T01:42:55.657Z", ""},
		{"-layout sonyflake 9223372036854775807", "Snowflake in the layout of sonyflake", "2188-11-16T03:28:58.870Z", late},
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
		for _, v := range r.Views {
			if strings.HasSuffix(test.title, v.Layout) && v.Time != test.made {
				t.Errorf("inspect -json %s: time %q, want %q", test.id, v.Time, test.made)
			}
			n, _ := new(big.Int).SetString(strings.TrimPrefix(r.Forms["hex"], "0x"), 16)
			checkCover(t, n, 4*len(strings.TrimPrefix(r.Forms["hex"], "0x")), v)
			made, err := time.Parse(time.RFC3339, v.Time)
			if (v.UnixMS != nil) != (err == nil) || err == nil && *v.UnixMS != made.UnixMilli() && test.title != "UUID of version 2" {
				t.Errorf("inspect -json %s: unix_ms %v of %s", test.id, v.UnixMS, v.Time)
			}
			if want := timeBits[test.id]; want != "" && v.Fields[slices.IndexFunc(v.Fields, isTime)].Hex != want {
				t.Errorf("inspect -json %s: fields %v, want time %s", test.id, v.Fields, want)
			}
		}
		if test.made == "" {
			continue
		}
		note := ""
		if test.id[0] != '-' && strings.HasPrefix(test.title, "Snowflake") {
			note = assumed
		}
		if _, got, errs := try("", append([]string{"inspect", "-field", "Time"}, args...)...); got != test.made+"\n" || errs != note {
			t.Errorf("inspect -field Time %s: %q, %q, want %q, %q", test.id, got, errs, test.made, note)
		}
	}
}

const assumed = "idgen: note: without -layout, the field is that of a Snowflake of twitter\n"

// TestOlderDrafts checks what is said of a version 7 whose time is more than a year ahead.
func TestOlderDrafts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is 2000-01-01
		for at, older := range map[string]bool{"2001-01-01T00:00:00Z": false, "2001-01-01T00:00:00.001Z": true} {
			got := strings.Join(must(t, "", "inspect", must(t, "", "uuid7", "-at", at)[0]), "\n")
			if strings.Contains(got, "(in the future; as older drafts, ") != older {
				t.Errorf("at %s: %s", at, got)
			}
		}
		got := strings.Join(must(t, "", "inspect", "order_06bsd9c5scewf8005vnha68hz1"), "\n")
		if !strings.Contains(got, "2191-11-23T07:54:38.252Z  (in the future; as older drafts, such as Python's uuid7, have it: 2024-03-04T10:58:41Z)\n") {
			t.Error(got)
		}
	})
}

// TestInspectField checks the fields of ids, and what is said of an id that does not have the field.
func TestInspectField(t *testing.T) {
	const order = "order_01fwhe4ydgfk1shh6w1g60eecf"
	const fields = "it has time, version, rand_a, variant, rand_b and unix_ms\n"
	for _, test := range []struct {
		args, stdin string
		status      int
		out, errs   string
	}{
		{"prefix " + order, "", 0, "order\n", ""},
		{"prefix -as typeid " + order[len("order_"):], "", 1, "", `idgen: argument 1: a TypeID, UUID of version 7 has no field "prefix"; ` + fields},
		{"time ffffffff-ffff-ffff-ffff-ffffffffffff", "", 1, "", "idgen: argument 1: a Max UUID has no field \"time\"; it has max\n"},
		{"node", "7\n8\n", 0, "0\n0\n", assumed}, // once
		{"sequence -", "1ec9414c-232a-6b00-b3c8-9f6bdeced846\n000003e8-9414-21ec-8501-021122334455\n", 1, "\n5\n",
			`idgen: line 1: a UUID of version 6 has no field "sequence"; it has time, version, variant, "clock sequence", node and unix_ms` +
				"\nidgen: 1 of 2 lines was bad\n"},
	} {
		status, out, errs := try(test.stdin, append([]string{"inspect", "-field"}, strings.Fields(test.args)...)...)
		if status != test.status || out != test.out || errs != test.errs {
			t.Errorf("inspect -field %s: status %d, %q, %q, want %q, %q", test.args, status, out, errs, test.out, test.errs)
		}
	}
	for name, want := range map[string]string{"clock sequence": "13256", "Clock-Sequence": "13256", "clock_sequence": "13256", "unix-ms": "1645557742000"} {
		if got := must(t, "1ec9414c-232a-6b00-b3c8-9f6bdeced846", "inspect", "-field", name); got[0] != want {
			t.Errorf("inspect -field %q: %q, want %s", name, got, want)
		}
	}
}

// TestLayoutOrder checks that the plausible layouts come first, with the clock of a bubble.
func TestLayoutOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// As of 2022-06-28T16:07:40.105Z in Twitter's layout, 2017 in Instagram's, 2026 in Discord's, 2043 in Sonyflake's.
		const id = ids.Snowflake(1541815603606036480)
		made := ids.TwitterLayout().Split(id).Time
		for _, test := range []struct {
			now       time.Time
			plausible int
			order     string
		}{
			{made.AddDate(0, 0, -1).Add(-time.Millisecond), 1, "instagram twitter discord sonyflake"},
			{made.AddDate(0, 0, -1), 2, "twitter instagram discord sonyflake"},
			{made.AddDate(10, 0, 0), 3, "twitter discord instagram sonyflake"},
			{made.AddDate(30, 0, 0), 4, "twitter discord instagram sonyflake"},
		} {
			time.Sleep(time.Until(test.now))
			var r report
			if err := json.Unmarshal([]byte(must(t, "", "inspect", "-json", id.String())[0]), &r); err != nil {
				t.Fatal(err)
			}
			var order []string
			for i, v := range r.Views {
				order = append(order, v.Layout)
				if *v.Plausible != (i < test.plausible) {
					t.Errorf("at %v: %s plausible: %v", test.now, v.Layout, *v.Plausible)
				}
			}
			if got := strings.Join(order, " "); got != test.order {
				t.Errorf("at %v: %s, want %s", test.now, got, test.order)
			}
		}
	})
}

// checkCover checks that the fields of a view have every bit of n once and hold its value.
func checkCover(t *testing.T, n *big.Int, bits int, v view) {
	t.Helper()
	seen := make([]int, bits)
	for _, f := range v.Fields {
		if f.Name == "prefix" && len(f.Bits) == 0 && f.Hex == "" {
			continue
		}
		value := new(big.Int)
		for _, b := range f.Bits { // the most significant piece first
			width := uint(b[1] - b[0] + 1)
			mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1))
			piece := new(big.Int).Rsh(n, uint(bits-1-b[1]))
			value.Or(value.Lsh(value, width), piece.And(piece, mask))
			for bit := b[0]; bit <= b[1]; bit++ {
				seen[bit]++
			}
		}
		if got, ok := new(big.Int).SetString(f.Hex, 16); !ok || got.Cmp(value) != 0 {
			t.Errorf("%x %s: the field %s is %s, want %x", n, v.Layout, f.Name, f.Hex, value)
		}
	}
	for bit, fields := range seen {
		if fields != 1 {
			t.Errorf("%x %s: bit %d is in %d fields", n, v.Layout, bit, fields)
		}
	}
}
