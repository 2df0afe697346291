package main

// Tests of the inspect command.

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestInspect compares lines of the output for an ID. Fields are separated by one space before the
// comparison.
func TestInspect(t *testing.T) {
	for _, test := range []struct{ id, want string }{
		{"017F22E2-79B0-7CC3-98C4-DC0C0C07398F", `
			017f22e2-79b0-7cc3-98c4-dc0c0c07398f UUID of version 7 2022-02-22T19:22:22.000Z
			as guid e2227f01b079c37c98c4dc0c0c07398f
			T time 2022-02-22T19:22:22.000Z
			F rand_a 3267 (0.798 ms if it is a fraction, as in package ids)
			R rand_b 0x18c4dc0c0c07398f (random)
			V version 7
			A variant 2 (RFC 9562)
			0 00000001 01111111 00100010 11100010 TTTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
			32 01111001 10110000 01111100 11000011 TTTTTTTT TTTTTTTT VVVVFFFF FFFFFFFF
			64 10011000 11000100 11011100 00001100 AARRRRRR RRRRRRRR RRRRRRRR RRRRRRRR
			96 00001100 00000111 00111001 10001111 RRRRRRRR RRRRRRRR RRRRRRRR RRRRRRRR`},
		{"017F22E2-79B0-7802-98C4-DC0C0C07398F", "F rand_a 2050 (0.500 ms if it is a fraction, as in package ids)"},
		{"urn:uuid:C232AB00-9414-11EC-B3C8-9F6BDECED846", `
			c232ab00-9414-11ec-b3c8-9f6bdeced846 UUID of version 1 2022-02-22T19:22:22.0000000Z
			T time 2022-02-22T19:22:22.0000000Z (100 ns)
			S clock sequence 13256
			N node 9f:6b:de:ce:d8:46 (the multicast bit is set, as in a random node)
			32 10010100 00010100 00010001 11101100 TTTTTTTT TTTTTTTT VVVVTTTT TTTTTTTT
			64 10110011 11001000 10011111 01101011 AASSSSSS SSSSSSSS NNNNNNNN NNNNNNNN`},
		{"1ec9414c-232a-6b00-b3c8-9f6bdeced846", "1ec9414c-232a-6b00-b3c8-9f6bdeced846 UUID of version 6 2022-02-22T19:22:22.0000000Z"},
		{"000003e8-9414-21ec-8501-021122334455", `
			000003e8-9414-21ec-8501-021122334455 UUID of version 2 2022-02-22T19:16:56Z
			L local id 1000
			T time 2022-02-22T19:16:56Z (and the following 429 s)
			S sequence 5
			D domain 1 (group)
			N node 02:11:22:33:44:55 (the multicast bit is clear, as in the address of a network card)
			0 00000000 00000000 00000011 11101000 LLLLLLLL LLLLLLLL LLLLLLLL LLLLLLLL
			32 10010100 00010100 00100001 11101100 TTTTTTTT TTTTTTTT VVVVTTTT TTTTTTTT
			64 10000101 00000001 00000010 00010001 AASSSSSS DDDDDDDD NNNNNNNN NNNNNNNN`},
		{"000003e8-9414-21ec-bf01-021122334455", "S sequence 63"},
		{"5df418813aed351588a72f4a814cf09e", "H hash 0x177d06204ebb54548a72f4a814cf09e (MD5 of a namespace and a name)"},
		{"2ed6657d-e927-568b-95e1-2665a8aea6a2", "H hash 0x0bb5995f7a49da2d5e12665a8aea6a2 (SHA-1 of a namespace and a name)"},
		{"919108f7-52d1-4320-9bac-f847db4148a8", `
			919108f7-52d1-4320-9bac-f847db4148a8 UUID of version 4
			R random 0x2464423dd4b44c81bacf847db4148a8
			32 01010010 11010001 01000011 00100000 RRRRRRRR RRRRRRRR VVVVRRRR RRRRRRRR`},
		{"919108f7-52d1-8320-9bac-f847db4148a8", "C custom 0x2464423dd4b44c81bacf847db4148a8 (known only to its maker)"},
		{"919108f7-52d1-9320-9bac-f847db4148a8", "X bits 0x2464423dd4b44c81bacf847db4148a8 (RFC 9562 defines no such version)"},
		{"2489E9AD-2EE2-4E00-CEC9-32D5F69181C0", `
			2489e9ad-2ee2-4e00-cec9-32d5f69181c0 UUID of variant Microsoft
			X bits 0x2489e9ad2ee24e00cec932d5f69181c0 (not in a layout of RFC 9562)`},
		{"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000 Nil UUID\n0 nil 0"},
		{"ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff Max UUID\n1 max 0xffffffffffffffffffffffffffffffff"},
		{"01arz3ndektsv4rrffq69g5fav", `
			01ARZ3NDEKTSV4RRFFQ69G5FAV ULID 2016-07-30T23:54:10.259Z
			as base58 1AaLyDYFxmKZxXbNo18znE
			R random 0xd6764c61efb99302bd5b
			32 10110101 11010011 11010110 01110110 TTTTTTTT TTTTTTTT RRRRRRRR RRRRRRRR`},
		{"order_01fwhe4ydgfk1shh6w1g60eecf", `
			order_01fwhe4ydgfk1shh6w1g60eecf TypeID, UUID of version 7 2022-02-22T19:22:22.000Z
			as urn urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f
			_ prefix order`},
		{"1541815603606036480", `
			1541815603606036480 Snowflake in the layout of twitter 2022-06-28T16:07:40.105Z
			as base32 1ASD13XH1F800
			0 sign 0
			N node 378 (datacenter 11, worker 26)
			S sequence 0
			0 00010101 01100101 10100001 00011111 0TTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
			32 01100010 00010111 10100000 00000000 TTTTTTTT TTNNNNNN NNNNSSSS SSSSSSSS
			1541815603606036480 Snowflake in the layout of instagram 2017-06-21T04:19:24.445Z
			N node 1512
			1541815603606036480 Snowflake in the layout of sonyflake 2043-10-15T12:01:53.620Z not plausible, because the time is in the future
			32 01100010 00010111 10100000 00000000 TTTTTTTT SSSSSSSS NNNNNNNN NNNNNNNN
			N node 40960`},
		{"175928847299244039", `
			175928847299244039 Snowflake in the layout of discord 2016-04-30T11:18:25.796Z
			N node 63 (worker 1, process 31)
			S sequence 7`},
	} {
		var lines []string
		for _, line := range must(t, "", "inspect", test.id) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		out, parts := "\n"+strings.Join(lines, "\n")+"\n", 4
		if strings.Contains(out, "layout of sonyflake") {
			parts = 4 + 3*3 // the forms are printed only once
		}
		if n := strings.Count(out, "\n\n"); n != parts || strings.Count(out, "\nas text ") != 1 {
			t.Errorf("inspect %s has %d parts, want %d:%s", test.id, n, parts, out)
		}
		for want := range strings.Lines(test.want) {
			if want = strings.TrimSpace(want); !strings.Contains(out, "\n"+want+"\n") {
				t.Errorf("inspect %s lacks %q:%s", test.id, want, out)
			}
		}
	}
}

// TestInspectWhole compares the whole output, and the errors for each kind of mistake in a command
// line.
func TestInspectWhole(t *testing.T) {
	const ownLayout = "2025-01-01,10ms,16,8,nodelast"
	const form = "must be twitter, discord, instagram, sonyflake or EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12"
	const invalid = `invalid value "%s" for flag -layout: `
	layoutRow := func(layout, want string) row {
		return row{"inspect -layout=" + layout, "", 2, "", strings.Replace(invalid, "%s", layout, 1) + want}
	}
	const future, early = "  not plausible, because the time is in the future\n", "  not plausible, because the time is in the first second of the layout\n"
	check(t, []row{
		{"inspect -layout Discord 9223372036854775807", "", 0, "9223372036854775807  Snowflake in the layout of discord  2084-09-06T15:47:35.551Z" + future + `
  as base32        7ZZZZZZZZZZZZ
  as hex           0x7fffffffffffffff
  as text          9223372036854775807

  0  sign            0
  T  time            2084-09-06T15:47:35.551Z
  N  node            1023  (worker 31, process 31)
  S  sequence        4095

    0  01111111 11111111 11111111 11111111   0TTTTTTT TTTTTTTT TTTTTTTT TTTTTTTT
   32  11111111 11111111 11111111 11111111   TTTTTTTT TTNNNNNN NNNNSSSS SSSSSSSS

`, ""},
		{"inspect -json -layout twitter 5", "", 0, `{"kind":"snowflake","id":"5","forms":{"base32":"0000000000005","hex":"0x0000000000000005","text":"5"},` +
			`"views":[{"layout":"twitter","plausible":false,"time":"2010-11-04T01:42:54.657Z","unix_ms":1288834974657,"fields":[{"name":"sign","bits":[[0,0]],` +
			`"value":"0"},{"name":"time","bits":[[1,41]],"value":"2010-11-04T01:42:54.657Z"},{"name":"node","bits":[[42,51]],` +
			`"value":"0","note":"datacenter 0, worker 0"},{"name":"sequence","bits":[[52,63]],"value":"5"}]}]}` + "\n", ""},
		{"inspect -json a_0ys50mr8sadc0b7j4zdffcxp26", "", 0, `{"kind":"typeid","id":"a_0ys50mr8sadc0b7j4zdffcxp26","forms":{"base32":"0YS50MR8SADC0B7J4ZDFFCXP26",` +
			`"base58":"4oVbpzb8BpnTH1mg11dmWd","base64":"HslBTCMqawCzyJ9r3s7YRg==","braces":"{1ec9414c-232a-6b00-b3c8-9f6bdeced846}",` +
			`"decimal":"40921815930960820517455393747779901510","guid":"4c41c91e2a23006bb3c89f6bdeced846","hex":"1ec9414c232a6b00b3c89f6bdeced846",` +
			`"text":"a_0ys50mr8sadc0b7j4zdffcxp26","typeid":"a_0ys50mr8sadc0b7j4zdffcxp26","urn":"urn:uuid:1ec9414c-232a-6b00-b3c8-9f6bdeced846"},` +
			`"views":[{"time":"2022-02-22T19:22:22.0000000Z","unix_ms":1645557742000,"fields":[{"name":"prefix","bits":[],"value":"a"},` +
			`{"name":"time","bits":[[0,47],[52,63]],"value":"2022-02-22T19:22:22.0000000Z","note":"100 ns"},{"name":"clock sequence","bits":[[66,79]],"value":"13256"},` +
			`{"name":"node","bits":[[80,127]],"value":"9f:6b:de:ce:d8:46","note":"the multicast bit is set, as in a random node"},` +
			`{"name":"version","bits":[[48,51]],"value":"6"},{"name":"variant","bits":[[64,65]],"value":"2","note":"RFC 9562"}]}]}` + "\n", ""},

		{"inspect -brief 175928847299117063 order_01fwhe4ydgfk1shh6w1g60eecf 919108f7-52d1-4320-9bac-f847db4148a8", "", 0,
			"175928847299117063  Snowflake in the layout of twitter  2012-03-03T13:01:20.453Z\n" +
				"order_01fwhe4ydgfk1shh6w1g60eecf  TypeID, UUID of version 7  2022-02-22T19:22:22.000Z\n919108f7-52d1-4320-9bac-f847db4148a8  UUID of version 4\n", ""},
		{"inspect -brief -layout Discord 175928847299117063", "", 0, "175928847299117063  Snowflake in the layout of discord  2016-04-30T11:18:25.796Z\n", ""},
		{"inspect -brief -layout " + ownLayout + " 17592884729911706", "", 0, "17592884729911706  Snowflake in the layout of " + ownLayout + "  2025-05-02T08:49:36.440Z\n", ""},
		{"inspect -brief -layout 2021-01-01T00:00:00Z,1us,0,12 175928847299117063", "", 0,
			"175928847299117063  Snowflake in the layout of 2021-01-01T00:00:00Z,1us,0,12  2022-05-13T02:56:18.735136000Z\n", ""},
		{"inspect -brief -layout 2021-01-01T00:00:00.0005Z,1ms,10,12 4194304000", "", 0,
			"4194304000  Snowflake in the layout of 2021-01-01T00:00:00.0005Z,1ms,10,12  2021-01-01T00:00:01.000500000Z\n", ""},
		{"inspect -brief -layout 2021-01-01T00:00:00Z,1s,4,0 17592884729", "", 0, "17592884729  Snowflake in the layout of 2021-01-01T00:00:00Z,1s,4,0  2055-11-05T08:01:35.000Z" + future, ""},
		// Numbers from a counter in a database.
		{"inspect -brief 4194303999 4194304000", "", 0, "4194303999  Snowflake in the layout of twitter  2010-11-04T01:42:55.656Z" + early +
			"4194304000  Snowflake in the layout of twitter  2010-11-04T01:42:55.657Z\n", ""},

		{"inspect -field prefix order_01fwhe4ydgfk1shh6w1g60eecf", "", 0, "order\n", ""},
		{"inspect -field prefix -as typeid 01fwhe4ydgfk1shh6w1g60eecf", "", 1, "",
			`"01fwhe4ydgfk1shh6w1g60eecf": a TypeID, UUID of version 7 has no field "prefix"; it has "time", "rand_a", "rand_b", "version", "variant", "unix_ms"`},
		{"inspect -field time", "ffffffff-ffff-ffff-ffff-ffffffffffff", 1, "\n", `line 1: a Max UUID has no field "time"; it has "max"`},
		{"inspect -field time", "3309054197760000000\n", 0, "2035-11-04T07:42:54.657Z\n", "note: without -layout, Snowflakes are read in the layout twitter"}, // plausible in a different layout
		{"inspect -field node", "8\n7\n", 0, "0\n0\n", "note: without -layout, Snowflakes are read in the layout twitter"},                                    // once
		{"inspect -field Clock-Sequence 1ec9414c-232a-6b00-b3c8-9f6bdeced846", "", 0, "13256\n", ""},
		{"inspect -field unix-ms 1ec9414c-232a-6b00-b3c8-9f6bdeced846", "", 0, "1645557742000\n", ""},
		{"inspect -field sequence -layout " + ownLayout + " 17592884729911706", "", 0, "230\n", ""},

		{"inspect -field node -layout 2021-01-01T00:00:00Z,1us,0,12", "7", 1, "\n",
			`line 1: a Snowflake in the layout of 2021-01-01T00:00:00Z,1us,0,12 has no field "node"; it has "sign", "time", "sequence", "unix_ms"`},

		// An int64 that counts milliseconds overflows in the year 292278994.
		{"inspect -json -layout 2020-02-29T01:02:03.004Z,16ms,0,0 9223372036854775807", "", 0,
			`{"kind":"snowflake","id":"9223372036854775807","forms":{"base32":"7ZZZZZZZZZZZZ","hex":"0x7fffffffffffffff","text":"9223372036854775807"},"views":[` +
				`{"layout":"2020-02-29T01:02:03.004Z,16ms,0,0","plausible":false,"time":"2338218217-03-06T10:45:29.452Z","fields":[` +
				`{"name":"sign","bits":[[0,0]],"value":"0"},{"name":"time","bits":[[1,63]],"value":"2338218217-03-06T10:45:29.452Z"}]}]}` + "\n", ""},
		{"inspect -field unix_ms -layout 1970-01-01,4ms,0,0 2305843009213693951", "", 0, "9223372036854775804\n", ""},
		{"inspect -field unix_ms -layout 1970-01-01,4ms,0,0 2305843009213693952", "", 1, "",
			`"2305843009213693952": a Snowflake in the layout of 1970-01-01,4ms,0,0 has no field "unix_ms"; it has "sign", "time"`},

		{"inspect -json -brief", "", 2, "", "-brief, -field and -json are mutually exclusive"},
		{"inspect -json -field x", "", 2, "", "-brief, -field and -json are mutually exclusive"},
		{"inspect -brief -field x", "", 2, "", "-brief, -field and -json are mutually exclusive"},
		{"inspect -field= 7", "", 2, "", `invalid value "" for flag -field: must be the name of one field, such as time`},
		{"inspect -field time -field node 7", "", 2, "", `invalid value "node" for flag -field: must be the name of one field, such as time`},
		{"inspect -xml", "", 2, "", "flag provided but not defined: -xml"},
		layoutRow("", form), layoutRow("2021-01-01,1ms,10", form), layoutRow("2021-01-01,1ms,10,12,last", form),
		layoutRow("2021,1ms,10,12", `parsing time "2021" as "2006-01-02": cannot parse "" as "-"`),
		layoutRow("2021-01-01,1,10,12", `time: missing unit in duration "1"`),
		layoutRow("2021-01-01,1ms,ten,12", `strconv.Atoi: parsing "ten": invalid syntax`),
		layoutRow("2021-01-01,1ms,10,2.5", `strconv.Atoi: parsing "2.5": invalid syntax`),
		layoutRow("2021-01-01,1ms,62,1", "ids: SnowflakeLayout with 62 node bits and 1 sequence bits leaves no bit of 63 for the time"),
		layoutRow("0001-01-01,0s,0,0", "the tick is 0"),
	})
}

// TestUnixMSInZones inspects an ID whose time is in the next year in the local time zone.
func TestUnixMSInZones(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("UTC+9", 9*60*60)
	check(t, []row{{"inspect -field unix_ms 01HK0QCEG0K87K4SRJHBS6HHRF", "", 0, "1704052800000\n", ""}}) // 2023-12-31T20:00:00Z
}

// TestLayoutOrder checks, with the clock of a bubble, that the plausible layouts are printed first.
// For scripts, which compare IDs, Twitter's layout is always the first.
func TestLayoutOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The ID's time is 2022-06-28T16:07:40.105Z in Twitter's layout, and in 2017 in
		// Instagram's, 2026 in Discord's and 2043 in Sonyflake's.
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
			var order []string
			for _, line := range must(t, "", "inspect", id.String()) {
				if _, title, ok := strings.Cut(line, "  Snowflake in the layout of "); ok {
					layout, _, _ := strings.Cut(title, " ")
					if got := !strings.Contains(title, "not plausible"); got != (len(order) < test.plausible) {
						t.Errorf("at %v: %s plausible: %v", test.now, layout, got)
					}
					order = append(order, layout)
				}
			}
			if got := strings.Join(order, " "); got != test.order {
				t.Errorf("at %v: %s, want %s", test.now, got, test.order)
			}
			status, out, errs := try(id.String()+"\n7\n"+id.String()+"\n", "inspect", "-json")
			if status != 0 || errs != "idgen: note: without -layout, Snowflakes are read in the layout twitter\n" { // the note is printed once
				t.Errorf("inspect -json: status %d, %q", status, errs)
			}
			for line := range strings.Lines(out) {
				var r report
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatal(err)
				}
				order, plausible := "", 0
				for _, v := range r.Views {
					order += v.Layout + " "
					if *v.Plausible {
						plausible++
					}
				}
				if order != "twitter discord instagram sonyflake " || r.ID == id.String() && plausible != test.plausible {
					t.Errorf("at %v: inspect -json: %s, %d plausible, want %d", test.now, order, plausible, test.plausible)
				}
			}
		}
	})
}
