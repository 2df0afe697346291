package horizonfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/horizonfile"
)

// TestMain sets a local time zone other than UTC, so that tests notice a time that is not in UTC.
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("UTC+5", 5*60*60)
	os.Exit(m.Run())
}

var march = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

// TestFormat checks the exact bytes of a file, which do not depend on the time zone, because the
// next version of the package must be able to read them.
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
		got := mustEncode(t, at, "orders, node 7")
		if got != want+strings.Repeat("\x00", 4096-len(want)) {
			t.Errorf("\n got: %s\nwant: %s", got, want)
		}
		file := fileOf(got, got)
		if len(file) != 69_632 || horizonfile.Size != 69_632 || string(file[65_536:]) != got {
			t.Errorf("the file has %d bytes", len(file))
		}
	}
}

// fileOf returns a file that contains two copies.
func fileOf(first, second string) []byte {
	file := make([]byte, horizonfile.Offset(1), horizonfile.Size)
	copy(file, first)
	return append(file, second...)
}

// read calls horizonfile.Read for a file that contains data.
func read(data []byte) (horizonfile.Contents, error) {
	return horizonfile.Read(bytes.NewReader(data), int64(len(data)))
}

// mustEncode returns a copy. The zero time means that there is no horizon.
func mustEncode(t *testing.T, at time.Time, owner string) string {
	t.Helper()
	data, err := horizonfile.Record{Horizon: at, None: at.IsZero(), Owner: owner}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLaterCopy checks that the copy with the later horizon is used, and that every horizon is
// later than a missing one.
func TestLaterCopy(t *testing.T) {
	none, early, late := mustEncode(t, time.Time{}, "none"), mustEncode(t, march, "early"), mustEncode(t, march.Add(1), "late")
	empty := strings.Repeat("\x00", 4096)
	for i, test := range [][3]string{
		{early, late, "late"}, {late, early, "late"}, {none, early, "early"}, {early, none, "early"}, {empty, none, "none"}, {late, empty, "late"}, {empty, early, "early"},
	} {
		if c, err := read(fileOf(test[0], test[1])); err != nil || c.Owner != test[2] {
			t.Errorf("pair %d: the copy of %q, %v, want %q", i, c.Owner, err, test[2])
		}
	}
}

// FuzzDecode reads arbitrary data as the lines of a copy, without and with a correct checksum, and
// compares the result with an oracle.
func FuzzDecode(f *testing.F) {
	const kind, horizon, owner = "github.com/oneclock/ids/clockfile ", "2026-03-14T15:09:26Z", `"a"`
	add := func(version, horizon, owner string) {
		f.Add([]byte(kind + version + "\nhorizon " + horizon + "\nowner " + owner + "\n"))
	}
	// Fields, most of which this package would write differently or not at all.
	for _, h := range []string{
		horizon, "2026-03-14T15:09:26.5Z", "2026-03-14T15:09:26.0Z", "2026-03-14T15:09:26.5000000009Z", "2026-03-14T15:09:26+00:00",
		"2026-03-14T17:09:26+02:00", " 2026-03-14T15:09:26Z", "2026-02-29T00:00:00Z", "10026-03-14T15:09:26Z",
		"9998-12-31T23:59:59.999999999Z", "9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0000-12-31T00:00:00Z", "none", "None", "none ", "",
	} {
		add("1", h, owner)
	}
	for _, o := range []string{
		`""`, `"\x00\u00e9\r\b\x7f\U0001f570\u2028"`, `"` + strings.Repeat(`\xff`, horizonfile.MaxOwner) + `"`, `"\x00\u00e9"`, "`a`", `'a'`, `"\x61"`, `"é"`, `"a"` + "\n", `"\`, `"` + strings.Repeat("a", horizonfile.MaxOwner+1) + `"`,
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

// checkDecode compares the record read from a file that contains these lines with the oracle's.
func checkDecode(t *testing.T, lines []byte) {
	t.Helper()
	if len(lines) > 4096 {
		return
	}
	given := string(lines) + strings.Repeat("\x00", 4096-len(lines))
	c, err := read(fileOf(given, given))
	want, ok := oracle(strings.TrimRight(given, "\x00"))
	matches := (err == nil) == ok && (ok || errors.Is(err, horizonfile.ErrCorrupt))
	if !matches || c.Record != want {
		t.Fatalf("%q is read as %+v, %v, want %+v, %v", lines, c.Record, err, want, ok)
	}
	if err != nil && len(err.Error()) > 300 {
		t.Fatalf("%q: the error has %d bytes", lines, len(err.Error()))
	}
}

// wellFormed matches the lines of a copy. The horizon is a UTC time of up to nanosecond precision,
// or none, and the owner is quoted.
var wellFormed = regexp.MustCompile(`^(github\.com/oneclock/ids/clockfile 1\n` +
	`horizon (none|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?Z)\n` +
	`owner ("[ -~]*")\n)crc32 ([0-9a-f]{8})\n$`)

// oracle returns the record in a copy, according to the description of the format.
func oracle(data string) (r horizonfile.Record, ok bool) {
	parts := wellFormed.FindStringSubmatch(data)
	if parts == nil || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(parts[1]))) != parts[4] {
		return r, false
	}
	var failed error
	if r.None = parts[2] == "none"; !r.None {
		r.Horizon, failed = time.Parse(time.RFC3339Nano, parts[2])
	}
	var err error
	r.Owner, err = strconv.Unquote(parts[3])
	if failed != nil || !r.None && (r.Horizon.IsZero() || r.Horizon.Year() < 1 || r.Horizon.Year() > 9998) ||
		err != nil || strconv.QuoteToASCII(r.Owner) != parts[3] || len(r.Owner) > 255 {
		return horizonfile.Record{}, false
	}
	return r, true
}

// TestStat calls Stat for a file, a link to a file, a dangling link, a link to itself, a directory
// and a path where nothing exists.
func TestStat(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := horizonfile.Stat(at("file")); err != nil || info.Size() != 4 {
		t.Errorf("a file: %v, %v", info, err)
	}
	if _, err := horizonfile.Stat(dir); !errors.Is(err, horizonfile.ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := horizonfile.Stat(at("none")); !errors.Is(err, fs.ErrNotExist) || errors.As(err, new(horizonfile.DanglingError)) {
		t.Errorf("nothing: %v", err)
	}
	none := at("none")
	if runtime.GOOS == "wasip1" { // whose links cannot have absolute targets
		none = "none"
	}
	for link, target := range map[string]string{"good": "file", "dangling": none, "second": "dangling", "loop": "loop"} {
		err := os.Symlink(target, at(link))
		if err == nil { // Wine makes no link, and reports no error
			_, err = os.Lstat(at(link))
		}
		if runtime.GOOS == "windows" && err != nil {
			t.Skip("Windows forbids links:", err)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if info, err := horizonfile.Stat(at("good")); err != nil || info.Size() != 4 {
		t.Errorf("a link to a file: %v, %v", info, err)
	}
	for _, link := range []string{"dangling", "second"} {
		var dangling horizonfile.DanglingError
		_, err := horizonfile.Stat(at(link))
		if !errors.As(err, &dangling) || dangling.Target != at("none") || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want one that names %s", link, err, at("none"))
		}
	}
	if _, err := horizonfile.Stat(at("loop")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to itself: %v", err)
	}
}
