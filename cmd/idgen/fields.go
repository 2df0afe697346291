package main

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/oneclock/ids"
)

// A field is some of the bits of an id.
type field struct {
	key   byte   // stands for it in the drawing
	name  string // in small letters
	spans []span // from the most significant
	value string
	note  string
}

// A span is a run of bits of which the first of the id has number 0.
type span struct{ from, to int } // both included

// A view is one way to see an id.
type view struct {
	title  string
	layout string // of a Snowflake
	doubt  string // of a Snowflake: why it is not plausible
	fields []field
}

// at returns the spans of a field in one piece.
func at(from, to int) []span { return []span{{from, to}} }

// rest are the bits of a UUID without its version and variant.
var rest = []span{{0, 47}, {52, 63}, {66, 127}}

// Times are shown as RFC 3339 has them, except that a ULID can be of a year with 5 digits. All of one kind of id have as
// many decimals.
const (
	toMilli  = "2006-01-02T15:04:05.000Z07:00"
	to100ns  = "2006-01-02T15:04:05.0000000Z07:00"
	toSecond = "2006-01-02T15:04:05Z07:00"
)

// value returns the value of a field, and "" if there is no such field.
func (v view) value(name string) string {
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// viewUUID says what is in a UUID.
func viewUUID(u ids.UUID) view {
	switch {
	case u == ids.NilUUID():
		return view{title: "Nil UUID", fields: []field{{'0', "nil", at(0, 127), "0", ""}}}
	case u == ids.MaxUUID():
		return view{title: "Max UUID", fields: []field{{'1', "max", at(0, 127), hex.EncodeToString(u[:]), ""}}}
	case u.Variant() != ids.VariantRFC9562:
		return view{title: "UUID of variant " + u.Variant().String(), fields: []field{
			{'X', "bits", at(0, 127), hex.EncodeToString(u[:]), "not in a layout of RFC 9562"}}}
	}
	v := view{title: fmt.Sprintf("UUID of version %d", u.Version())}
	made, _ := u.Time()
	version := field{'V', "version", at(48, 51), fmt.Sprint(u.Version()), ""}
	variant := field{'A', "variant", at(64, 65), "2", u.Variant().String()}
	switch u.Version() {
	case 1:
		v.fields = []field{{'T', "time", []span{{52, 63}, {32, 47}, {0, 31}}, made.Format(to100ns), "100 ns"},
			version, variant, clockSequence(u), node(u)}
	case 2:
		local, _ := u.LocalID()
		domain, _ := u.Domain()
		v.fields = []field{{'L', "local id", at(0, 31), fmt.Sprint(local), ""},
			{'T', "time", []span{{52, 63}, {32, 47}}, made.Format(toSecond), "and the 429 s that follow"},
			version, variant, {'S', "sequence", at(66, 71), fmt.Sprint(u[8] & 0x3f), ""},
			{'D', "domain", at(72, 79), fmt.Sprint(uint8(domain)), domain.String()}, node(u)}
	case 3:
		v.fields = hashed(version, variant, "MD5")
	case 4:
		v.fields = []field{{'R', "random", rest, "", ""}, version, variant}
	case 5:
		v.fields = hashed(version, variant, "SHA-1")
	case 6:
		v.fields = []field{{'T', "time", []span{{0, 47}, {52, 63}}, made.Format(to100ns), "100 ns"},
			version, variant, clockSequence(u), node(u)}
	case 7:
		fraction := int(u[6]&0xf)<<8 | int(u[7])
		v.fields = []field{{'T', "time", at(0, 47), made.Format(toMilli), ""}, version,
			{'F', "rand_a", at(52, 63), fmt.Sprint(fraction),
				fmt.Sprintf("%.3f ms if a fraction, as in package ids", float64(fraction)/4096)},
			variant, {'R', "rand_b", at(66, 127), "", "random"}}
	case 8:
		v.fields = []field{{'C', "custom", rest, "", "known to its maker only"}, version, variant}
	default:
		v.fields = []field{{'X', "bits", rest, "", "RFC 9562 has no such version"}, version, variant}
	}
	for i, f := range v.fields {
		if f.value == "" {
			v.fields[i].value = "0x" + hexOf(u[:], f.spans)
		}
	}
	return v
}

// hashed returns the fields of versions 3 and 5.
func hashed(version, variant field, hash string) []field {
	return []field{{'H', "hash", rest, "", hash + " of a namespace and a name"}, version, variant}
}

// clockSequence returns that field of versions 1 and 6.
func clockSequence(u ids.UUID) field {
	n, _ := u.ClockSequence()
	return field{'S', "clock sequence", at(66, 79), fmt.Sprint(n), ""}
}

// node returns that field of versions 1, 2 and 6.
func node(u ids.UUID) field {
	n, _ := u.NodeID()
	address := fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", n[0], n[1], n[2], n[3], n[4], n[5])
	note := "the multicast bit is clear: the address of a network card"
	if n[0]&1 != 0 {
		note = "the multicast bit is set: random"
	}
	return field{'N', "node", at(80, 127), address, note}
}

// viewULID says what is in a ULID.
func viewULID(u ids.ULID) view {
	return view{title: "ULID", fields: []field{
		{'T', "time", at(0, 47), u.Time().Format(toMilli), ""},
		{'R', "random", at(48, 127), "0x" + hexOf(u[:], at(48, 127)), ""},
	}}
}

// viewTypeID says what is in a TypeID. Its prefix is in its text alone.
func viewTypeID(id typeID) view {
	v := viewUUID(id.UUID)
	v.title = "TypeID, " + v.title
	if id.prefix != "" {
		v.fields = slices.Insert(v.fields, 0, field{'_', "prefix", nil, id.prefix, ""})
	}
	return v
}

// viewSnowflake says what is in a Snowflake of the given layout.
func viewSnowflake(s ids.Snowflake, l namedLayout, now time.Time) view {
	parts := l.Split(s)
	middle := 63 - l.NodeBits - l.SequenceBits // bits of the time
	node := field{'N', l.node, at(1+middle, middle+l.NodeBits), fmt.Sprint(parts.Node), ""}
	sequence := field{'S', "sequence", at(64-l.SequenceBits, 63), fmt.Sprint(parts.Sequence), ""}
	if l.note != nil {
		node.note = l.note(parts.Node)
	}
	v := view{title: "Snowflake in the layout of " + l.name, layout: l.name, doubt: l.doubt(parts.Time, now)}
	v.fields = []field{
		{'0', "sign", at(0, 0), "0", ""},
		{'T', "time", at(1, middle), parts.Time.Format(toMilli), ""},
		node, sequence,
	}
	if l.NodeLast {
		sequence.spans, node.spans = at(1+middle, middle+l.SequenceBits), at(64-l.NodeBits, 63)
		v.fields[2], v.fields[3] = sequence, node
	}
	return v
}
