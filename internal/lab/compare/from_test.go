package compare

// Checks of the pages in docs/from.

import (
	"os"
	"testing"
	"time"

	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
)

// TestFromDiffers checks the claims in docs/from about IDs that are read without an error, by the
// other library or this one, but mean a different ID or a different time. The list of differences
// contains the other inputs, and cmd/idsvet runs programs before and after their move.
func TestFromDiffers(t *testing.T) {
	var null google.NullUUID
	if err := null.Scan(""); err != nil || !null.Valid || null.UUID != google.Nil {
		t.Errorf("an empty text makes google's NullUUID %v, %v", null, err)
	}
	for _, text := range []string{"0000000000COMPACTEDHEADX0L", "0000000000I000000000000000", "0000000000U000000000000000"} {
		there := oklog.MustParse(text)
		if _, err := ulid.Parse(text); err == nil {
			t.Errorf("%s is accepted here", text)
		}
		if here := ulid.MustParse(there.String()); oklog.ULID(here) != there {
			t.Errorf("%s: what oklog prints is read as %s, want %s", text, here, there)
		}
	}
	next := snowflake.ID(must(usualSony.NextID())) // from version 2, which counts from 2025
	from2025 := snowflake.Sonyflake()
	from2025.Epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	if wrong, right := time.Since(snowflake.Sonyflake().Split(next).Time), time.Since(from2025.Split(next).Time); wrong < 10*365*24*time.Hour || right > time.Minute {
		t.Errorf("a Sonyflake of now is %v old here, and with the epoch of the page %v", wrong, right)
	}
}

func readFile(path string) string { return string(must(os.ReadFile(path))) }
