package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestFieldsCover checks, on random ids, that the fields of each view have every bit once and
// hold its value, by putting the id together again from them.
func TestFieldsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var in strings.Builder
	var want []ident
	add := func(id ident) {
		fmt.Fprintln(&in, id)
		want = append(want, id)
	}
	for version := range 16 {
		for variant := range 16 {
			u := ids.UUID(bytes.Repeat([]byte{0}, 16))
			for i := range u {
				u[i] = byte(random.Uint32())
			}
			u[6], u[8] = u[6]&0xf|byte(version<<4), u[8]&0xf|byte(variant<<4)
			add(u)
			add(u.ULID())
			if s := ids.Snowflake(random.Int64()); s.String() != "" {
				add(s)
			}
		}
	}
	add(ids.NilUUID())
	add(ids.MaxUUID())
	add(ids.Snowflake(0))
	for i, line := range must(t, in.String(), "inspect", "-json") {
		var r report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		id := want[i]
		if r.ID != id.String() || r.Line != i+1 {
			t.Errorf("line %d is id %s, want %d of %s", r.Line, r.ID, i+1, id)
		}
		if u, ok := id.(ids.UUID); ok && (r.Kind != "uuid" || r.Variant != u.Variant().String() ||
			(r.Version == nil) != (u.Variant() != ids.VariantRFC9562) || r.Version != nil && *r.Version != u.Version()) {
			t.Errorf("%s: %s", id, line)
		}
		for _, v := range r.Views {
			checkCover(t, id, v)
		}
		for form, text := range r.Forms {
			ways, err := readingsAs(form)
			if err != nil {
				t.Fatal(err)
			}
			back, _, err := ways.read(text)
			if err != nil || !bytes.Equal(bytesOf(back), bytesOf(id)) {
				t.Errorf("%s as %s %s: read as %v, %v", id, form, text, back, err)
			}
		}
	}
}

func checkCover(t *testing.T, id ident, v jsonView) {
	t.Helper()
	bits := len(bytesOf(id)) * 8
	sum, seen := new(big.Int), make([]bool, bits)
	for _, f := range v.Fields {
		value, ok := new(big.Int).SetString(f.Hex, 16)
		if !ok {
			t.Fatalf("%s: %s is %q", id, f.Name, f.Hex)
		}
		// The last piece has the lowest bits of the value.
		for _, span := range slices.Backward(f.Bits) {
			from, to := span[0], span[1]
			width := uint(to - from + 1)
			mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1))
			piece := new(big.Int).And(value, mask)
			sum.Add(sum, piece.Lsh(piece, uint(bits-1-to)))
			value.Rsh(value, width)
			for bit := from; bit <= to; bit++ {
				if seen[bit] {
					t.Errorf("%s: bit %d is in two fields", id, bit)
				}
				seen[bit] = true
			}
		}
	}
	for bit, ok := range seen {
		if !ok {
			t.Errorf("%s: bit %d is in no field", id, bit)
		}
	}
	if want := new(big.Int).SetBytes(bytesOf(id)); sum.Cmp(want) != 0 {
		t.Errorf("%s %s: the fields make %x, want %x", id, v.Layout, sum, want)
	}
}

// TestTimeBits checks the order in which the pieces of a time are put together.
func TestTimeBits(t *testing.T) {
	for id, want := range map[string]string{
		"c232ab00-9414-11ec-b3c8-9f6bdeced846": "1ec9414c232ab00", // of version 1
		"1ec9414c-232a-6b00-b3c8-9f6bdeced846": "1ec9414c232ab00", // of version 6
		"000003e8-9414-21ec-8501-021122334455": "1ec9414",         // of version 2
	} {
		for _, f := range viewUUID(ids.MustParseUUID(id)).fields {
			u := ids.MustParseUUID(id)
			if got := hexOf(u[:], f.spans); f.key == 'T' && got != want {
				t.Errorf("%s has time %s, want %s", id, got, want)
			}
		}
	}
}

// TestSnowflakeFields checks the values of fields against package ids, in every layout.
func TestSnowflakeFields(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s := ids.Snowflake(random.Int64())
		for _, l := range layouts {
			parts := l.Split(s)
			v := viewSnowflake(s, l, time.Now())
			for _, f := range v.fields {
				var want string
				switch f.key {
				case 'T':
					want = parts.Time.Format("2006-01-02T15:04:05.000Z")
				case 'N':
					want = fmt.Sprint(parts.Node)
				case 'S':
					want = fmt.Sprint(parts.Sequence)
				default:
					continue
				}
				if f.value != want {
					t.Errorf("%d in the layout of %s: %s %s, want %s", s, l.name, f.name, f.value, want)
				}
				value, _ := new(big.Int).SetString(hexOf(bytesOf(s), f.spans), 16)
				if f.key != 'T' && value.String() != want {
					t.Errorf("%d in the layout of %s: the bits of %s are %s, want %s", s, l.name, f.name, value, want)
				}
			}
		}
	}
}
