package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

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
	{[]string{"clock sequence", "ord"}, sequenceIn},
	{[]string{"node"}, nodeIn},
}

// accessors are the accessors of each scheme.
var accessors = map[string][]accessor{
	"uuid-v1.svg": gregorian,
	"uuid-v6.svg": gregorian,
	"uuid-v2.svg": {
		{[]string{"time_mid", "time_high"}, timeIn},
		{[]string{"node"}, nodeIn},
		{[]string{"local id"}, func(u ids.UUID) any { v, ok := u.LocalID(); return fmt.Sprint(v, ok) }},
		{[]string{"domain"}, func(u ids.UUID) any { v, ok := u.Domain(); return fmt.Sprint(uint8(v), ok) }},
	},
	"uuid-v7.svg":    {{[]string{"unix_ts_ms"}, timeIn}},
	"uuid-v4.svg":    nil, // of these TestFree checks the bits
	"uuid-v3-v5.svg": nil,
	"uuid-v8.svg":    nil,
	"ulid.svg": {
		{[]string{"time"}, func(u ids.UUID) any { return ids.ULID(u).Time() }},
		{[]string{"random"}, func(u ids.UUID) any { return ids.ULID(u).Entropy() }},
	},
}

func timeIn(u ids.UUID) any     { v, ok := u.Time(); return fmt.Sprint(v, ok) }
func sequenceIn(u ids.UUID) any { v, ok := u.ClockSequence(); return fmt.Sprint(v, ok) }
func nodeIn(u ids.UUID) any     { v, ok := u.NodeID(); return fmt.Sprint(v, ok) }

// TestAccessors turns each bit of each example, and checks that this changes what the accessor
// of its field returns, and nothing else.
func TestAccessors(t *testing.T) {
	for _, s := range schemes() {
		all, ok := accessors[s.file]
		if !ok {
			t.Fatalf("%s is not checked", s.file)
		}
		var id ids.UUID
		if s.charBits == 5 {
			id = ids.MustParseULID(s.example).UUID()
		} else {
			id = ids.MustParseUUID(s.example)
		}
		for bit := range 128 {
			name, fixed := fieldOf(s.fields, bit)
			turned := id
			turned[bit/8] ^= 0x80 >> (bit % 8)
			if fixed {
				if turned.Version() == id.Version() && turned.Variant() == id.Variant() {
					t.Errorf("%s: bit %d is not of version or variant", s.title, bit)
				}
				continue
			}
			if s.charBits == 4 && (turned.Version() != id.Version() || turned.Variant() != id.Variant()) {
				t.Errorf("%s: bit %d is of version or variant, not of %s", s.title, bit, name)
			}
			for _, a := range all {
				if changed := a.get(turned) != a.get(id); changed != slices.Contains(a.fields, name) {
					t.Errorf("%s: bit %d, of %s, changes what is read from %q: %v", s.title, bit, name, a.fields, changed)
				}
			}
		}
	}
}

// TestFixed checks the bits that never change against what is in the examples.
func TestFixed(t *testing.T) {
	for _, s := range schemes() {
		if s.charBits != 4 {
			continue
		}
		id, bit := ids.MustParseUUID(s.example), 0
		for _, f := range s.fields {
			for i, want := range f.value {
				if got := '0' + rune(id[(bit+i)/8]>>(7-(bit+i)%8)&1); got != want {
					t.Errorf("%s: bit %d is %c, want %c", s.title, bit+i, got, want)
				}
			}
			bit += f.bits
		}
	}
}

// TestFree checks which bits differ between the least and the greatest of some ids against the
// fields that are drawn for them.
func TestFree(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	zeros := ids.NewGenerator(&ids.GeneratorOptions{Random: constant(0)})
	ones := ids.NewGenerator(&ids.GeneratorOptions{Random: constant(0xff)})
	v7 := func(g *ids.Generator) ids.UUID {
		u, err := g.NewV7At(at)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	var hashes ids.UUID
	first := ids.NewV5(ids.NamespaceDNS(), "")
	for n := range 100 {
		for i, b := range ids.NewV5(ids.NamespaceDNS(), fmt.Sprint(n)) {
			hashes[i] |= b ^ first[i]
		}
	}
	w := newWorld()
	var places ids.UUID
	v1 := w.generator.NewV1()
	for range 3 {
		for i, b := range w.generator.NewV1() {
			places[i] |= b ^ v1[i]
		}
	}
	for _, test := range []struct {
		file, kind string
		got        ids.UUID
	}{
		{"uuid-v4.svg", randomKind, xor(zeros.NewV4(), ones.NewV4())},
		{"uuid-v7.svg", randomKind, xor(v7(zeros), v7(ones))},
		{"uuid-v7.svg", randomKind + fractionKind, xor(ids.MinV7At(at), ids.MaxV7At(at))},
		{"uuid-v8.svg", customKind, xor(ids.NewV8([16]byte{}), ids.NewV8(ids.MaxUUID()))},
		{"uuid-v3-v5.svg", hashKind, hashes},
		{"ulid.svg", randomKind, xor(ids.MinULIDAt(at).UUID(), ids.MaxULIDAt(at).UUID())},
		{"uuid-v1.svg", ordinalKind, places},
	} {
		for _, s := range schemes() {
			if s.file != test.file {
				continue
			}
			for bit := range 128 {
				free := test.got[bit/8]&(0x80>>(bit%8)) != 0
				kind := s.kindAt(bit)
				if want := kind == test.kind || test.kind == randomKind+fractionKind && (kind == randomKind || kind == fractionKind); free != want {
					t.Errorf("%s: bit %d, of %s, is free: %v", s.title, bit, kind, free)
				}
			}
		}
	}
}

// TestSequence makes version 1 follow the clock back again and again. Then two ids of one tick
// differ in bits of the sequence alone, and in all of them.
func TestSequence(t *testing.T) {
	w := newWorld()
	first := w.generator.NewV1()
	var changed ids.UUID
	for range 2100 { // more than half of the 4,096 sequences, so that the top bit changes too
		w.now = start.Add(-time.Second)
		w.generator.NewV1()
		w.now = start
		for i, b := range xor(first, w.generator.NewV1()) {
			changed[i] |= b
		}
	}
	s := schemes()[0]
	for bit := range 128 {
		if is := changed[bit/8]&(0x80>>(bit%8)) != 0; is != (s.kindAt(bit) == sequenceKind) {
			t.Errorf("bit %d, of %s, changes with the sequence: %v", bit, s.kindAt(bit), is)
		}
	}
}

func xor(a, b ids.UUID) ids.UUID {
	for i := range a {
		a[i] ^= b[i]
	}
	return a
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

// TestHistory checks what the picture of the clock says in words, in the run that it shows.
func TestHistory(t *testing.T) {
	for _, l := range lanes() {
		want := map[string][2]bool{"UUID version 1": {true, true}, "Snowflake": {false, false}}
		steps, ok := want[l.name]
		if !ok {
			steps = [2]bool{false, true}
		}
		for i, s := range stepsBack {
			if got := l.follows(s); got != steps[i] {
				t.Errorf("%s follows the step at %.0f s: %v", l.name, s.real, got)
			}
		}
		for i, m := range l.moments {
			switch {
			case m.shown < wall(m.real)-0.01:
				t.Errorf("%s: at %.1f s the id tells %.3f s, which the clock has left behind", l.name, m.real, m.shown)
			case i > 0 && m.shown < l.moments[i-1].shown && !(l.follows(stepsBack[0]) && near(m, stepsBack[0]) || l.follows(stepsBack[1]) && near(m, stepsBack[1])):
				t.Errorf("%s: the time goes back at %.1f s", l.name, m.real)
			}
		}
	}
	tolerance := 10.0
	if stepsBack[0].by >= tolerance || stepsBack[1].by <= tolerance {
		t.Error("the steps are not to both sides of the tolerance")
	}
	// ULID shares the panel of version 7.
	w := newWorld()
	for n := range int(historyEnd/historyStep) + 1 {
		w.now = start.Add(time.Duration(wall(float64(n)*historyStep) * float64(time.Second)))
		v7, _ := w.generator.NewV7().Time()
		if ulid := w.generator.NewULID().Time(); !v7.Equal(ulid) {
			t.Errorf("at %v version 7 tells %v and ULID %v", w.now, v7, ulid)
		}
	}
	v1, snowflake, v7Ticks, ulidTicks := bursts()
	for i := range burst {
		if want := (place{int64(i / 4), int64(i % 4)}); v1[i] != want {
			t.Errorf("version 1, id %d is at %+v, want %+v", i, v1[i], want)
		}
		if want := (place{0, int64(i)}); snowflake[i] != want {
			t.Errorf("Snowflake %d is at %+v, want %+v", i, snowflake[i], want)
		}
	}
	if v7Ticks != 1 || ulidTicks != 1 {
		t.Errorf("%d ticks of version 7, %d of ULID", v7Ticks, ulidTicks)
	}
}

// near reports whether m is at the step.
func near(m moment, s stepBack) bool { return math.Abs(m.real-s.real) < historyStep*1.5 }
