package clockfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/clockfile"
)

var march = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

// TestFormat pins the bytes of a file, whatever the zone: the next version of the package must read them.
func TestFormat(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("UTC+5", 5*60*60)
	const want = `github.com/oneclock/ids/clockfile 1
horizon 2026-03-14T15:09:26.535897932Z
owner "orders, node 7"
crc32 92b1fa60
`
	got, err := clockfile.Encode(march.In(time.FixedZone("", 3600)), "orders, node 7")
	if err != nil || string(got) != want {
		t.Errorf("%v\n got: %s\nwant: %s", err, got, want)
	}
	const wantNone = `github.com/oneclock/ids/clockfile 1
horizon none
owner "orders, node 7"
crc32 09859f21
`
	if got, err := clockfile.EncodeNone("orders, node 7"); err != nil || string(got) != wantNone {
		t.Errorf("%v\n got: %s\nwant: %s", err, got, wantNone)
	}
}

// TestFormatDamage checks that a file is refused if any bit differs or its end is missing.
func TestFormatDamage(t *testing.T) {
	for _, owner := range []string{"", "\"\\\n\x00\x7f\xff Größe 🕰 \u2028"} {
		dated, err := clockfile.Encode(march, owner)
		none, errNone := clockfile.EncodeNone(owner)
		must(t, err, errNone)
		for _, data := range [][]byte{dated, none} {
			for i := range data {
				if at, _, of, err := clockfile.Decode(data[:i]); err == nil {
					t.Errorf("torn after %d bytes: %v, %q", i, at, of)
				}
				for bit := range 8 {
					bad := bytes.Clone(data)
					bad[i] ^= 1 << bit
					if at, _, of, err := clockfile.Decode(bad); err == nil {
						t.Errorf("with bit %d of byte %d flipped: %v, %q", bit, i, at, of)
					}
				}
			}
		}
	}
}

// corrupt are files that hold no usable horizon, and what the error says of each.
func corrupt(t testing.TB) map[string]string {
	t.Helper()
	data, err := clockfile.Encode(march, "node 7")
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	return map[string]string{
		"":                                "empty",
		strings.Repeat("\x00", 200):       "torn or of another kind",
		strings.Repeat("x", 3<<20):        "torn or of another kind",
		good[:10]:                         "torn or of another kind",
		good[:60]:                         "no time",
		good[:len(good)-2]:                "checksum",
		good + good:                       "checksum",
		good + "\n":                       "checksum",
		good + strings.Repeat("x", 1<<20): "checksum",
		"1e9\n2e9\n":                      "of another kind",
		"2026-03-14T15:09:26Z\n":          "of another kind",
		strings.Replace(good, "clockfile 1", "clockfile 2", 1):  `was made by a newer version of this package, in version "2" of the format; this one reads version 1`,
		strings.Replace(good, "clockfile 1", "clockfile 10", 1): `made by a newer version of this package, in version "10"`,
		strings.Replace(good, "clockfile 1", "clockfile 0", 1):  `version "0" of the format, not 1`,
		strings.Replace(good, "2026", "2025", 1):                "checksum",
		strings.Replace(good, "node 7", "node 8", 1):            "checksum",
		strings.Replace(good, `"node 7"`, `node 7`, 1):          "no owner",
		strings.Replace(good, "horizon 2026", "horizon 26", 1):  "no time",
		strings.ReplaceAll(good, "\n", "\r\n"):                  "version",
	}
}

// FuzzDecode reads anything as a file, as it is and under a checksum that is right, beside an oracle.
func FuzzDecode(f *testing.F) {
	for data := range corrupt(f) {
		if len(data) < 4096 {
			f.Add([]byte(data))
		}
	}
	const kind, horizon, owner = "github.com/oneclock/ids/clockfile ", "2026-03-14T15:09:26Z", `"a"`
	add := func(version, horizon, owner string) {
		f.Add([]byte(kind + version + "\nhorizon " + horizon + "\nowner " + owner + "\n"))
	}
	// What this package would write in another way, or not at all.
	for _, h := range []string{
		horizon, "2026-03-14T15:09:26.5Z", "2026-03-14T15:09:26.0Z", "2026-03-14T15:09:26.5000000009Z", "2026-03-14T15:09:26+00:00",
		"2026-03-14T17:09:26+02:00", " 2026-03-14T15:09:26Z", "2026-02-29T00:00:00Z", "10026-03-14T15:09:26Z",
		"9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z", "none", "None", "none ", "",
	} {
		add("1", h, owner)
	}
	for _, o := range []string{
		`""`, `"\x00\u00e9"`, "`a`", `'a'`, `"\x61"`, `"é"`, `"a"` + "\n", `"\`, `"` + strings.Repeat("a", clockfile.MaxOwner+1) + `"`,
	} {
		add("1", horizon, o)
	}
	for _, version := range []string{"2", "1\n", "1 ", "00"} {
		add(version, horizon, owner)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkDecode(t, data)
		checkDecode(t, fmt.Appendf(bytes.Clone(data), "crc32 %08x\n", crc32.ChecksumIEEE(data)))
	})
}

// FuzzEncode writes any record and reads it back. A year of five digits, the zero time and a long owner have no form.
func FuzzEncode(f *testing.F) {
	for _, owner := range []string{"", "node 7", strings.Repeat("\xff", clockfile.MaxOwner), strings.Repeat("o", clockfile.MaxOwner+1),
		"\r\r", "0000\x7f", "\x01\x7f", "\b\b", "00000000", `""`, "Größe 🕰 \u2028"} {
		f.Add(march.Unix(), uint32(march.Nanosecond()), owner)
	}
	for _, at := range []time.Time{{}, march.Truncate(time.Second), time.Date(10000, 1, 1, 0, 0, 0, -1, time.UTC), march.AddDate(8000, 0, 0)} {
		f.Add(at.Unix(), uint32(at.Nanosecond()), "node 7")
	}
	f.Fuzz(func(t *testing.T, sec int64, nsec uint32, owner string) {
		at := time.Unix(sec, int64(nsec%1e9)).UTC()
		data, err := clockfile.Encode(at, owner)
		if fits := len(owner) <= clockfile.MaxOwner && at.Year() >= 0 && at.Year() <= 9999 && !at.IsZero(); fits != (err == nil) {
			t.Fatalf("%v, %q: %q, %v", at, owner, data, err)
		}
		if err != nil {
			return
		}
		if gotAt, none, gotOwner := checkDecode(t, data); gotAt != at || none || gotOwner != owner {
			t.Fatalf("%v, %q is written as %q and read as %v, %q", at, owner, data, gotAt, gotOwner)
		}
		data, err = clockfile.EncodeNone(owner)
		must(t, err)
		if gotAt, none, gotOwner := checkDecode(t, data); !gotAt.IsZero() || !none || gotOwner != owner {
			t.Fatalf("no horizon, %q is written as %q and read as %v, %q", owner, data, gotAt, gotOwner)
		}
	})
}

// checkDecode checks what is read of a file against the oracle, and returns it.
func checkDecode(t *testing.T, data []byte) (at time.Time, none bool, owner string) {
	t.Helper()
	given := string(data)
	at, none, owner, err := clockfile.Decode(data)
	wantAt, wantNone, wantOwner, ok := oracle(given)
	matches := (err == nil) == ok && (ok || errors.Is(err, clockfile.ErrCorrupt))
	if !matches || at != wantAt || none != wantNone || owner != wantOwner || string(data) != given {
		t.Fatalf("%q is read as %v, %v, %q, %v, want %v, %v, %q, %v", given, at, none, owner, err, wantAt, wantNone, wantOwner, ok)
	}
	if err != nil && len(err.Error()) > 200 {
		t.Fatalf("%q: the error has %d bytes", given, len(err.Error()))
	}
	return at, none, owner
}

// wellFormed is a file of a time to the nanosecond in UTC, or none, and of an owner in quotes.
var wellFormed = regexp.MustCompile(`^(github\.com/oneclock/ids/clockfile 1\n` +
	`horizon (none|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z)\n` +
	`owner ("[ -~]*")\n)crc32 ([0-9a-f]{8})\n$`)

// oracle returns what a file holds, by the description of its format.
func oracle(data string) (at time.Time, none bool, owner string, ok bool) {
	parts := wellFormed.FindStringSubmatch(data)
	if parts == nil || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(parts[1]))) != parts[4] {
		return at, false, "", false
	}
	none = parts[2] == "none"
	if !none {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, parts[2]); err != nil || at.IsZero() {
			return time.Time{}, false, "", false
		}
	}
	owner, err := strconv.Unquote(parts[3])
	if err != nil || strconv.QuoteToASCII(owner) != parts[3] || len(owner) > 255 {
		return time.Time{}, false, "", false
	}
	return at, none, owner, true
}
