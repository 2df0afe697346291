package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFileRoundTrip saves horizons, and loads each from its file and from nothing else: the file
// is refused if any bit differs or its end is missing.
func TestFileRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	at := time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)
	end := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	for _, want := range []time.Time{{}, at, at.Truncate(time.Second), end} {
		if err := save(path, want); err != nil {
			t.Fatal(err)
		}
		if got, err := load(path); err != nil || got != want {
			t.Fatalf("loaded %v, %v, want %v", got, err, want)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			if got, err := decode(data[:i]); err == nil {
				t.Errorf("torn after %d bytes: %v", i, got)
			}
			for bit := range 8 {
				bad := append([]byte(nil), data...)
				bad[i] ^= 1 << bit
				if got, err := decode(bad); err == nil {
					t.Errorf("with bit %d of byte %d flipped: %v", bit, i, got)
				}
			}
		}
	}
}

// TestFarHorizon checks that a year that RFC 3339 has no form for is refused, and leaves the file
// as it is.
func TestFarHorizon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	want := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	if err := save(path, want); err != nil {
		t.Fatal(err)
	}
	if err := save(path, want.AddDate(8000, 0, 0)); err == nil {
		t.Error("the year 10026 is saved")
	}
	if got, err := load(path); err != nil || got != want {
		t.Errorf("loaded %v, %v, want %v", got, err, want)
	}
}

// TestUnusableFiles checks that a keeper refuses every file that holds no horizon, says why, and
// leaves the file as it is.
func TestUnusableFiles(t *testing.T) {
	needLock(t)
	path := filepath.Join(t.TempDir(), "file")
	good, err := encode(time.Unix(1e9, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, data, says string }{
		{"empty", "", "empty"},
		{"zeros", strings.Repeat("\x00", 200), "torn, or of another kind"},
		{"torn in the header", string(good[:10]), "torn, or of another kind"},
		{"torn in the time", string(good[:len(header)+10]), "no time"},
		{"torn in the checksum", string(good[:len(good)-2]), "checksum"},
		{"twice", string(good) + string(good), "checksum"},
		{"text", "1e9\n2e9\n", "another kind"},
		{"a time alone", "2026-03-14T15:09:26Z\n", "another kind"},
		{"of another version", strings.Replace(string(good), "horizon 1", "horizon 2", 1), "another kind"},
		{"changed by hand", strings.Replace(string(good), "2001", "2000", 1), "checksum"},
	} {
		if err := os.WriteFile(path, []byte(test.data), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, init := range []bool{false, true} {
			k, err := OpenKeeper(path, KeeperOptions{Init: init})
			if k != nil || !errors.Is(err, ErrBadFile) {
				t.Errorf("%s: %v", test.name, err)
			} else if says := err.Error(); !strings.Contains(says, test.says) || !strings.Contains(says, path) {
				t.Errorf("%s: %v", test.name, err)
			}
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != test.data {
			t.Errorf("%s: the file is now %q, %v", test.name, left, err)
		}
	}
}
