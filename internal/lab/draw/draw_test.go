package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestCommitted checks that docs holds what the program makes, that this is XML, and that the page shows it.
func TestCommitted(t *testing.T) {
	const docs = "../../../docs"
	shown, err := os.ReadFile(filepath.Join(docs, page))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pictures() {
		got, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != want { // git may end lines so
			t.Errorf("docs/%s is not what the program makes (error %v): go -C internal/lab run ./draw", name, err)
		}
		if err := xml.Unmarshal([]byte(want), new(struct{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(string(shown), "]("+name+")") {
			t.Errorf("docs/%s does not show %s", page, name)
		}
	}
}

// fieldOf returns the name of the field that has a bit, and whether its value never changes.
func fieldOf(fields []field, bit int) (name string, fixed bool) {
	for _, f := range fields {
		if bit < f.bits {
			return f.name, f.value != ""
		}
		bit -= f.bits
	}
	return "", false
}

// An accessor is a function of the library, with the names of the fields that it reads.
type accessor struct {
	fields []string
	get    func(ids.UUID) any
}

// gregorian are the accessors of versions 1 and 6.
var gregorian = []accessor{
	{[]string{"time_low", "time_mid", "time_high"}, timeIn},
	{[]string{"clock sequence", "ord"}, func(u ids.UUID) any { v, ok := u.ClockSequence(); return fmt.Sprint(v, ok) }},
	{[]string{"node"}, nodeIn},
}

// accessors are the accessors of each scheme that has any.
var accessors = map[string][]accessor{
	"uuid-v1.svg": gregorian,
	"uuid-v6.svg": gregorian,
	"uuid-v2.svg": {
		{[]string{"time_mid", "time_high"}, timeIn},
		{[]string{"node"}, nodeIn},
		{[]string{"local id"}, func(u ids.UUID) any { v, ok := u.LocalID(); return fmt.Sprint(v, ok) }},
		{[]string{"domain"}, func(u ids.UUID) any { v, ok := u.Domain(); return fmt.Sprint(uint8(v), ok) }},
	},
	"uuid-v7.svg": {{[]string{"unix_ts_ms"}, timeIn}},
	"ulid.svg": {
		{[]string{"time"}, func(u ids.UUID) any { return ids.ULID(u).Time() }},
		{[]string{"random"}, func(u ids.UUID) any { return ids.ULID(u).Entropy() }},
	},
}

func timeIn(u ids.UUID) any { v, ok := u.Time(); return fmt.Sprint(v, ok) }
func nodeIn(u ids.UUID) any { v, ok := u.NodeID(); return fmt.Sprint(v, ok) }

// TestAccessors turns each bit of each example, and checks that this changes what the accessor of its
// field returns, and nothing else.
func TestAccessors(t *testing.T) {
	for _, s := range schemes() {
		id, err := ids.ParseUUID(s.example)
		if s.charBits == 5 {
			id, err = ids.MustParseULID(s.example).UUID(), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 128 {
			name, fixed := fieldOf(s.fields, bit)
			turned := id
			turned[bit/8] ^= 0x80 >> (bit % 8)
			if marked := turned.Version() != id.Version() || turned.Variant() != id.Variant(); s.charBits == 4 && marked != fixed {
				t.Errorf("%s: bit %d, of %s, changes version or variant: %v", s.title, bit, name, marked)
			}
			if fixed {
				continue
			}
			for _, a := range accessors[s.file] {
				if changed := a.get(turned) != a.get(id); changed != slices.Contains(a.fields, name) {
					t.Errorf("%s: bit %d, of %s, changes what is read from %q: %v", s.title, bit, name, a.fields, changed)
				}
			}
		}
	}
}

// TestFlakes turns each bit of a Snowflake in each layout, and checks what that changes.
func TestFlakes(t *testing.T) {
	for _, f := range flakes() {
		id := ids.Snowflake(1541815603606036480)
		for bit := 1; bit < 64; bit++ {
			was, is := f.layout.Split(id), f.layout.Split(id^1<<(63-bit))
			changed := ""
			if !was.Time.Equal(is.Time) {
				changed += "time"
			}
			if was.Node != is.Node {
				changed += f.node
			}
			if was.Sequence != is.Sequence {
				changed += "sequence"
			}
			if name, _ := fieldOf(f.fields(), bit); name != changed {
				t.Errorf("%s: bit %d, of %s, changes %s", f.name, bit, name, changed)
			}
		}
	}
}
