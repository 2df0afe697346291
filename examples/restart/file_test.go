package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestFileRoundTrip writes states, and reads each back from the file and from nothing less than
// the file.
func TestFileRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	at := time.Date(2026, 3, 14, 15, 9, 26, 535_897_900, time.UTC)
	for _, want := range []ids.ClockState{{Sequence: 4}, {Time: at}, {Time: at, Sequence: 0x3ffc}, {Time: at, Sequence: 4, Floor: at.Add(-time.Hour)}} {
		if err := writeState(path, "node 7", want); err != nil {
			t.Fatal(err)
		}
		if got, err := readState(path, "node 7"); err != nil || got != want {
			t.Fatalf("read %v, %v, want %v", got, err, want)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := len(data) - 1 // without the newline
		for i := range whole {
			if got, err := parseState(data[:i], "node 7"); err == nil {
				t.Errorf("torn after %d bytes: %v", i, got)
			}
			for bit := range 8 {
				bad := append([]byte(nil), data...)
				bad[i] ^= 1 << bit
				// A letter of another case may leave a key what it was.
				if got, err := parseState(bad, "node 7"); err == nil && got != want {
					t.Errorf("with bit %d of byte %d flipped: %v, want %v", bit, i, got, want)
				}
			}
		}
	}
}

// TestUnusableFiles checks that a keeper refuses every file that is not its own, says why, and
// leaves the file as it is.
func TestUnusableFiles(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "state")
	if err := writeState(path, "node 8", ids.ClockState{Time: time.Unix(1e9, 0)}); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, data, says string }{
		{"empty", "", "empty"},
		{"zeros", strings.Repeat("\x00", 200), "torn"},
		{"torn", string(foreign[:len(foreign)/2]), "torn"},
		{"twice", string(foreign) + string(foreign), "torn"},
		{"text", "1e9\n2e9\n", "another kind"},
		{"other JSON", `{"Time":"2026-03-14T15:09:26Z","Sequence":4}`, "another kind"},
		{"null", "null", "another kind"},
		{"changed by hand", strings.Replace(string(foreign), `"Sequence":0`, `"Sequence":8`, 1), "checksum"},
		{"of another owner", string(foreign), `belongs to "node 8", not to "node 7"`},
	} {
		if err := os.WriteFile(path, []byte(test.data), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, init := range []bool{false, true} {
			k, err := OpenKeeper(path, KeeperOptions{Owner: "node 7", Init: init})
			if k != nil || !errors.Is(err, ErrBadState) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", test.name, err)
			}
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != test.data {
			t.Errorf("%s: the file is now %q, %v", test.name, left, err)
		}
	}
}
