// This file is a program written for Go's own package uuid (Go 1.27), except for one import path.
// If Go has that package, TestStdProgram runs the program with the original path.

package uuid_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/uuid"
)

// The types of the package's functions and methods.
var (
	_ func() uuid.UUID                        = uuid.New
	_ func() uuid.UUID                        = uuid.NewV4
	_ func() uuid.UUID                        = uuid.NewV7
	_ func(string) (uuid.UUID, error)         = uuid.Parse
	_ func(string) uuid.UUID                  = uuid.MustParse
	_ func() uuid.UUID                        = uuid.Nil
	_ func() uuid.UUID                        = uuid.Max
	_ func(uuid.UUID) string                  = uuid.UUID.String
	_ func(uuid.UUID, uuid.UUID) int          = uuid.UUID.Compare
	_ func(uuid.UUID, []byte) ([]byte, error) = uuid.UUID.AppendText
	_ func(uuid.UUID) ([]byte, error)         = uuid.UUID.MarshalText
	_ func(*uuid.UUID, []byte) error          = (*uuid.UUID).UnmarshalText
	_ encoding.TextAppender                   = uuid.UUID{}
	_ encoding.TextMarshaler                  = uuid.UUID{}
	_ encoding.TextUnmarshaler                = (*uuid.UUID)(nil)
	_ fmt.Stringer                            = uuid.UUID{}
	_ [16]byte                                = uuid.UUID{}
	_ map[uuid.UUID]bool                      // comparable
)

const stdText = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"

var stdUUID = uuid.UUID{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}

func TestStdNew(t *testing.T) {
	for name, c := range map[string]struct {
		make    func() uuid.UUID
		version byte
	}{"New": {uuid.New, 4}, "NewV4": {uuid.NewV4, 4}, "NewV7": {uuid.NewV7, 7}} {
		seen := map[uuid.UUID]bool{}
		for range 1000 {
			u := c.make()
			if u[6]>>4 != c.version || u[8]>>6 != 2 {
				t.Fatalf("%s: %v", name, u)
			}
			seen[u] = true
		}
		if len(seen) != 1000 {
			t.Errorf("%s: %d distinct of 1000", name, len(seen))
		}
	}
}

func TestStdText(t *testing.T) {
	if got := stdUUID.String(); got != stdText {
		t.Errorf("String() = %q", got)
	}
	if got, err := stdUUID.MarshalText(); string(got) != stdText || err != nil {
		t.Errorf("MarshalText() = %q, %v", got, err)
	}
	if got, err := stdUUID.AppendText([]byte("urn:uuid:")); string(got) != "urn:uuid:"+stdText || err != nil {
		t.Errorf("AppendText() = %q, %v", got, err)
	}
	if got := fmt.Sprintf("%s %v", stdUUID, &stdUUID); got != stdText+" "+stdText {
		t.Errorf("Sprintf: %q", got)
	}
	b, err := json.Marshal(map[uuid.UUID]*uuid.UUID{stdUUID: &stdUUID})
	if string(b) != `{"`+stdText+`":"`+stdText+`"}` || err != nil {
		t.Errorf("json.Marshal: %s, %v", b, err)
	}
	var back map[uuid.UUID]uuid.UUID
	if err := json.Unmarshal(b, &back); err != nil || back[stdUUID] != stdUUID {
		t.Errorf("json.Unmarshal: %v, %v", back, err)
	}
}

func TestStdParse(t *testing.T) {
	for s, want := range map[string]uuid.UUID{
		"00000000-0000-0000-0000-000000000000":          uuid.Nil(),
		"ffffffff-ffff-ffff-ffff-ffffffffffff":          uuid.Max(),
		stdText:                                         stdUUID,
		"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6":          stdUUID,
		"{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}":        stdUUID,
		"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6": stdUUID,
		"f81d4fae7dec11d0a76500a0c91e6bf6":              stdUUID,
		"f81D4FAE7dec11d0A76500a0c91e6BF6":              stdUUID,
	} {
		if got, err := uuid.Parse(s); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v", s, got, err)
		}
		if got := uuid.MustParse(s); got != want {
			t.Errorf("MustParse(%q) = %v", s, got)
		}
		var got uuid.UUID
		if err := got.UnmarshalText([]byte(s)); got != want || err != nil {
			t.Errorf("UnmarshalText(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", "f", stdText[1:], stdText + "6", "{" + stdText, stdText + "}", "urn:uuid:{" + stdText + "}",
		"uuid:" + stdText, "urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae7dec11d0a76500a0c91e6bf6}",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fae+7dec+11d0+a765+00a0c91e6bf6", "f81d4faeg7dec11d0a76500a0c91e6bf",
		" " + stdText, stdText + "\n", "(" + stdText + ")",
	} {
		if got, err := uuid.Parse(s); err == nil || got != uuid.Nil() {
			t.Errorf("Parse(%q) = %v, %v", s, got, err)
		}
		got := stdUUID
		if err := got.UnmarshalText([]byte(s)); err == nil || got != stdUUID {
			t.Errorf("UnmarshalText(%q) = %v, %v", s, got, err)
		}
		func() {
			defer func() {
				if err, ok := recover().(error); !ok {
					t.Errorf("MustParse(%q) panics with %v", s, err)
				}
			}()
			uuid.MustParse(s)
		}()
	}
}

func TestStdCompare(t *testing.T) {
	if (uuid.UUID{}) != uuid.Nil() {
		t.Error("the zero value is not Nil")
	}
	sorted := []uuid.UUID{uuid.Nil(), {15: 1}, {14: 1}, {8: 0x7f}, {8: 0x80}, {0: 1}, stdUUID, uuid.Max()}
	for i, u := range sorted {
		for j, v := range sorted {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := u.Compare(v); got != want {
				t.Errorf("%v.Compare(%v) = %d, want %d", u, v, got, want)
			}
		}
	}
	if !slices.IsSortedFunc(sorted, uuid.UUID.Compare) {
		t.Error("not sorted")
	}
}

// stdMilli checks that the time in a new version 7 UUID is the present millisecond, exactly.
func stdMilli(t *testing.T) {
	t.Helper()
	u := uuid.NewV7()
	got := int64(u[0])<<40 | int64(u[1])<<32 | int64(u[2])<<24 | int64(u[3])<<16 | int64(u[4])<<8 | int64(u[5])
	if want := time.Now().UnixMilli(); got != want {
		t.Errorf("at %v, NewV7() = %v: millisecond %d, want %d", time.Now(), u, got, want)
	}
}

func TestStdBubbles(t *testing.T) {
	uuid.NewV7() // outside of a bubble, at the real time
	synctest.Test(t, func(t *testing.T) {
		stdMilli(t)
		for _, d := range []time.Duration{time.Hour, time.Second - 1, 2, time.Millisecond - 1, 1, 24 * 365 * time.Hour} {
			time.Sleep(d)
			stdMilli(t)
		}
	})
	// The next bubble begins at the same time as the previous one, which is a year earlier.
	synctest.Test(t, stdMilli)
}

func TestStdOrder(t *testing.T) {
	uuid.NewV7()
	synctest.Test(t, func(t *testing.T) {
		last := uuid.NewV7()
		for range 4 {
			for range 10_000 {
				u := uuid.NewV7()
				if u.Compare(last) <= 0 {
					t.Fatalf("%v follows %v", u, last)
				}
				last = u
			}
			time.Sleep(time.Millisecond)
		}
	})
}

func TestStdConcurrent(t *testing.T) {
	const each = 2000
	ids := make([][]uuid.UUID, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			for range each {
				ids[i] = append(ids[i], uuid.NewV7())
			}
		})
	}
	wg.Wait()
	all := map[uuid.UUID]bool{}
	for _, run := range ids {
		if !slices.IsSortedFunc(run, uuid.UUID.Compare) {
			t.Error("the UUIDs of one goroutine are not in order")
		}
		for _, u := range run {
			all[u] = true
		}
	}
	if len(all) != len(ids)*each {
		t.Errorf("%d distinct of %d", len(all), len(ids)*each)
	}
}
