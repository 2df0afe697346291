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
	for at, want := range map[time.Time]string{march.In(time.FixedZone("", 3600)): `github.com/oneclock/ids/clockfile 1
horizon 2026-03-14T15:09:26.535897932Z
owner "orders, node 7"
crc32 92b1fa60
`, {}: `github.com/oneclock/ids/clockfile 1
horizon none
owner "orders, node 7"
crc32 09859f21
`} {
		got, err := clockfile.Encode(at, "orders, node 7")
		if err != nil || string(got) != want+strings.Repeat("\x00", 4096-len(want)) {
			t.Errorf("%v\n got: %s\nwant: %s", err, got, want)
		}
		file := fileOf(string(got), string(got))
		if len(file) != 69_632 || clockfile.Size != 69_632 || string(file[65_536:]) != string(got) {
			t.Errorf("the file has %d bytes", len(file))
		}
	}
}

// fileOf returns a file that has two copies.
func fileOf(first, second string) []byte {
	file := make([]byte, clockfile.Second, clockfile.Size)
	copy(file, first)
	return append(file, second...)
}

// read reads the bytes of a file.
func read(data []byte) (at time.Time, owner string, err error) {
	return clockfile.Read(bytes.NewReader(data), int64(len(data)))
}

func mustEncode(t testing.TB, at time.Time, owner string) string {
	t.Helper()
	data, err := clockfile.Encode(at, owner)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLaterCopy checks that the later horizon counts, and that any is later than none.
func TestLaterCopy(t *testing.T) {
	none, early, late := mustEncode(t, time.Time{}, "none"), mustEncode(t, march, "early"), mustEncode(t, march.Add(1), "late")
	empty := strings.Repeat("\x00", 4096)
	for i, test := range [][3]string{
		{early, late, "late"}, {late, early, "late"}, {none, early, "early"}, {early, none, "early"}, {empty, none, "none"}, {late, empty, "late"}, {empty, early, "early"},
	} {
		if _, owner, err := read(fileOf(test[0], test[1])); err != nil || owner != test[2] {
			t.Errorf("pair %d: the copy of %q, %v, want %q", i, owner, err, test[2])
		}
	}
}

// corrupt are files without a horizon, and what the error says of each.
func corrupt(t testing.TB) map[string]string {
	t.Helper()
	good := mustEncode(t, march, "node 7")
	whole := string(fileOf(good, good))
	both := func(old, fresh string) string {
		changed := again(good, old, fresh)
		return string(fileOf(changed, changed))
	}
	return map[string]string{
		"":                          "has 0 bytes of 69632",
		good:                        "has 4096 bytes of 69632",
		whole[:len(whole)-1]:        "has 69631 bytes of 69632, the first copy is intact, the second one is damaged",
		whole + "\n":                "both copies are intact, but it has 69633 bytes, not 69632, as after an editor: cut it to that size",
		"#" + whole:                 "has 69633 bytes of 69632, the first copy is damaged or of another kind",
		strings.Repeat("x", 3<<20):  "damaged or of another kind",
		strings.Repeat("\x00", 1e5): "damaged or of another kind",
		strings.Replace(strings.Replace(whole, "2026", "2025", 1), "crc32 0", "crc32 1", 2): "the first copy is damaged, the second one is damaged; make a new file only when ",
		both("clockfile 1", "clockfile 2"):                                                  "cannot be used: it was made by a newer version of package clockfile, in version 2 of the format, and this one reads version 1: start the newer program",
		both("2026-03-14T", "9999-03-14T"):                                                  "has a horizon in the year 9999, not in one from 1 to 9998",
		both("2026-03-14T15:09:26.535897932Z", "0001-01-01T00:00:00Z"):                      "the zero time",
	}
}

// again changes a copy, and has its checksum be right.
func again(data, old, fresh string) string {
	text, _, _ := strings.Cut(data, "crc32")
	text = strings.Replace(text, old, fresh, 1)
	text += fmt.Sprintf("crc32 %08x\n", crc32.ChecksumIEEE([]byte(text)))
	return text + strings.Repeat("\x00", 4096-len(text))
}

// FuzzDecode reads anything as the lines of a copy, as they are and under a checksum that is right, beside an oracle.
func FuzzDecode(f *testing.F) {
	const kind, horizon, owner = "github.com/oneclock/ids/clockfile ", "2026-03-14T15:09:26Z", `"a"`
	add := func(version, horizon, owner string) {
		f.Add([]byte(kind + version + "\nhorizon " + horizon + "\nowner " + owner + "\n"))
	}
	// What this package would write in another way, or not at all.
	for _, h := range []string{
		horizon, "2026-03-14T15:09:26.5Z", "2026-03-14T15:09:26.0Z", "2026-03-14T15:09:26.5000000009Z", "2026-03-14T15:09:26+00:00",
		"2026-03-14T17:09:26+02:00", " 2026-03-14T15:09:26Z", "2026-02-29T00:00:00Z", "10026-03-14T15:09:26Z",
		"9998-12-31T23:59:59.999999999Z", "9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0000-12-31T00:00:00Z", "none", "None", "none ", "",
	} {
		add("1", h, owner)
	}
	for _, o := range []string{
		`""`, `"\x00\u00e9\r\b\x7f\U0001f570\u2028"`, `"` + strings.Repeat(`\xff`, clockfile.MaxOwner) + `"`, `"\x00\u00e9"`, "`a`", `'a'`, `"\x61"`, `"é"`, `"a"` + "\n", `"\`, `"` + strings.Repeat("a", clockfile.MaxOwner+1) + `"`,
	} {
		add("1", horizon, o)
	}
	for _, version := range []string{"2", "1\n", "1 ", "01", "0", "-1"} {
		add(version, horizon, owner)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkDecode(t, data)
		checkDecode(t, fmt.Appendf(bytes.Clone(data), "crc32 %08x\n", crc32.ChecksumIEEE(data)))
	})
}

// checkDecode checks what is read of a file with these lines against the oracle.
func checkDecode(t *testing.T, lines []byte) {
	t.Helper()
	if len(lines) > 4096 {
		return
	}
	given := string(lines) + strings.Repeat("\x00", 4096-len(lines))
	at, owner, err := read(fileOf(given, given))
	wantAt, wantOwner, ok := oracle(strings.TrimRight(given, "\x00"))
	matches := (err == nil) == ok && (ok || errors.Is(err, clockfile.ErrCorrupt))
	if !matches || at != wantAt || owner != wantOwner {
		t.Fatalf("%q is read as %v, %q, %v, want %v, %q, %v", lines, at, owner, err, wantAt, wantOwner, ok)
	}
	if err != nil && len(err.Error()) > 300 {
		t.Fatalf("%q: the error has %d bytes", lines, len(err.Error()))
	}
}

// wellFormed are the lines of a time to the nanosecond in UTC, or none, and of an owner in quotes.
var wellFormed = regexp.MustCompile(`^(github\.com/oneclock/ids/clockfile 1\n` +
	`horizon (none|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z)\n` +
	`owner ("[ -~]*")\n)crc32 ([0-9a-f]{8})\n$`)

// oracle returns what a copy holds, by the description of its format.
func oracle(data string) (at time.Time, owner string, ok bool) {
	parts := wellFormed.FindStringSubmatch(data)
	if parts == nil || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(parts[1]))) != parts[4] {
		return at, "", false
	}
	var failed error
	if parts[2] != "none" {
		at, failed = time.Parse(time.RFC3339Nano, parts[2])
	}
	owner, err := strconv.Unquote(parts[3])
	if failed != nil || parts[2] != "none" && (at.IsZero() || at.Year() < 1 || at.Year() > 9998) ||
		err != nil || strconv.QuoteToASCII(owner) != parts[3] || len(owner) > 255 {
		return time.Time{}, "", false
	}
	return at, owner, true
}
