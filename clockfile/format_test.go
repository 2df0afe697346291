package clockfile_test

// Files for the tests of Open. The format has its own tests, in internal/horizonfile.

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/internal/horizonfile"
)

var march = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

// fileOf returns a file with two copies.
func fileOf(first, second string) []byte {
	file := make([]byte, clockfile.Second, clockfile.Size)
	copy(file, first)
	return append(file, second...)
}

// mustEncode returns a copy. The zero time means no horizon.
func mustEncode(t testing.TB, at time.Time, owner string) string {
	t.Helper()
	data, err := horizonfile.Record{Horizon: at, None: at.IsZero(), Owner: owner}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// corrupt returns files without a horizon, each with the text of its error.
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
		whole + "\n":                "both copies are intact, but it has 69633 bytes instead of 69632, as after an editor: truncate it to that size",
		"#" + whole:                 "has 69633 bytes of 69632, the first copy is damaged or of another kind",
		strings.Repeat("x", 3<<20):  "damaged or of another kind",
		strings.Repeat("\x00", 1e5): "damaged or of another kind",
		strings.Replace(strings.Replace(whole, "2026", "2025", 1), "crc32 0", "crc32 1", 2): "the first copy is damaged, the second one is damaged; create a new file only when ",
		both("clockfile 1", "clockfile 2"):                                                  "cannot be used: it was made by a newer version of package clockfile, in version 2 of the format, and this one reads version 1: start the newer program",
		both("2026-03-14T", "9999-03-14T"):                                                  "has a horizon in the year 9999, not in one from 1 to 9998",
		both("2026-03-14T15:09:26.535897932Z", "0001-01-01T00:00:00Z"):                      "the zero time",
	}
}

// again changes a copy and corrects its checksum.
func again(data, old, fresh string) string {
	text, _, _ := strings.Cut(data, "crc32")
	text = strings.Replace(text, old, fresh, 1)
	text += fmt.Sprintf("crc32 %08x\n", crc32.ChecksumIEEE([]byte(text)))
	return text + strings.Repeat("\x00", 4096-len(text))
}
