package main

// This file contains the ID fields that the inspect command shows.

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// A field is a group of an ID's bits, or the prefix of a TypeID.
type field struct {
	key   byte     // character that marks the field's bits in the drawing
	Name  string   `json:"name"`  // in lower case
	Bits  [][2]int `json:"bits"`  // first and last bit of each piece; empty for a prefix
	Value string   `json:"value"` // by default, the field's bits in hexadecimal
	Note  string   `json:"note,omitempty"`
}

// A view is an interpretation of an ID. The fields Layout, Plausible and doubt are set only for
// Snowflakes.
type view struct {
	title      string
	bits, keys string  // in bits, each bit as 0 or 1; in keys, the key of each bit's field
	doubt      string  // reason why the view is not plausible, or empty
	Layout     string  `json:"layout,omitempty"`
	Plausible  *bool   `json:"plausible,omitempty"`
	Time       string  `json:"time,omitempty"`    // value of the field "time"
	UnixMS     *int64  `json:"unix_ms,omitempty"` // in ms, rounded down; nil on overflow or without a time
	Fields     []field `json:"fields"`
}

// newView returns a view of an ID's bytes. The ID's pieces are listed in widths, in order. Each
// piece is written as the key of its field, followed by the number of bits, as in "T48 R80".
func newView(title string, id []byte, widths string) *view {
	v := &view{title: title, bits: fmt.Sprintf("%0*b", len(id)*8, new(big.Int).SetBytes(id))}
	for piece := range strings.FieldsSeq(widths) {
		n, _ := strconv.Atoi(piece[1:])
		v.keys += strings.Repeat(piece[:1], n)
	}
	return v
}

// add adds the field with the given key if at least one bit has that key. If value is empty, add
// uses the field's bits in hexadecimal as the value.
func (v *view) add(key byte, name, value, note string) {
	f := field{key: key, Name: name, Value: value, Note: note}
	var digits []byte
	for i := range v.keys {
		if v.keys[i] != key {
			continue
		}
		if i == 0 || v.keys[i-1] != key {
			f.Bits = append(f.Bits, [2]int{i})
		}
		f.Bits[len(f.Bits)-1][1] = i
		digits = append(digits, v.bits[i])
	}
	if value == "" {
		n, _ := new(big.Int).SetString(string(digits), 2)
		f.Value = fmt.Sprintf("0x%0*x", (len(digits)+3)/4, n)
	}
	if f.Bits != nil {
		v.Fields = append(v.Fields, f)
	}
}

// addTime adds the field "time" with the time in the given format, and sets Time and UnixMS.
func (v *view) addTime(made time.Time, decimals, note string) {
	v.Time = made.Format(decimals)
	// The number of milliseconds may overflow an int64.
	if ms := made.UnixMilli(); time.UnixMilli(ms).In(made.Location()).Year() == made.Year() {
		v.UnixMS = &ms
	}
	v.add('T', "time", v.Time, note)
}

// These time formats follow RFC 3339, except that a year can have more than four digits. All times
// from the same kind of ID are shown with the same number of decimal places. For Snowflakes, that
// number depends on the layout.
const (
	toNano   = "2006-01-02T15:04:05.000000000Z07:00"
	toMilli  = "2006-01-02T15:04:05.000Z07:00"
	to100ns  = "2006-01-02T15:04:05.0000000Z07:00"
	toSecond = "2006-01-02T15:04:05Z07:00"
)

// heading returns a line with the ID, the view's title and the time. If the view is not plausible,
// the line also contains the reason.
func (v *view) heading(id ident) string {
	line := id.String() + "  " + v.title
	if v.Time != "" {
		line += "  " + v.Time
	}
	if v.doubt != "" {
		line += "  not plausible, because " + v.doubt
	}
	return line
}

// value returns the value of the field with the given name. Names are case-insensitive, and - or _
// may replace a space.
func (v *view) value(name string) (string, error) {
	spaced := strings.NewReplacer("-", " ", "_", " ").Replace
	all := v.Fields
	if v.UnixMS != nil {
		all = append(slices.Clip(all), field{Name: "unix_ms", Value: strconv.FormatInt(*v.UnixMS, 10)})
	}
	var names []string
	for _, f := range all {
		if spaced(f.Name) == spaced(strings.ToLower(name)) {
			return f.Value, nil
		}
		names = append(names, strconv.Quote(f.Name))
	}
	return "", fmt.Errorf("a %s has no field %q; it has %s", v.title, name, strings.Join(names, ", "))
}

// views returns the views of an ID. A Snowflake has one view for each of the given layouts, in the
// same order. Any other ID has one view.
func views(id ident, candidates []namedLayout) (all []*view) {
	switch id.kind {
	case "uuid":
		return []*view{viewUUID(id.bits)}
	case "ulid":
		u := id.bits.ULID()
		v := newView("ULID", u[:], "T48 R80")
		v.addTime(u.Time(), toMilli, "")
		v.add('R', "random", "", "")
		return []*view{v}
	case "typeid": // the bits of a TypeID do not contain its prefix
		v := viewUUID(id.bits)
		v.title = "TypeID, " + v.title
		if id.prefix != "" {
			v.Fields = slices.Insert(v.Fields, 0, field{key: '_', Name: "prefix", Bits: [][2]int{}, Value: id.prefix})
		}
		return []*view{v}
	}
	for _, l := range candidates {
		all = append(all, viewSnowflake(id.number, l, time.Now()))
	}
	return all
}

// viewUUID returns the view of a UUID.
func viewUUID(u ids.UUID) *view {
	simple := func(title, widths, name, value, note string) *view {
		v := newView(title, u[:], widths)
		v.add(widths[0], name, value, note)
		return v
	}
	title := fmt.Sprintf("UUID of version %d", u.Version())
	switch {
	case u == ids.NilUUID():
		return simple("Nil UUID", "0128", "nil", "0", "")
	case u == ids.MaxUUID():
		return simple("Max UUID", "1128", "max", "", "")
	case u.Variant() != ids.VariantRFC9562:
		return simple("UUID of variant "+u.Variant().String(), "X128", "bits", "", "not in a layout of RFC 9562")
	}
	made, _ := u.Time()
	var v *view
	switch u.Version() {
	case 1, 6:
		n, _ := u.ClockSequence()
		v = newView(title, u[:], "T48 V4 T12 A2 S14 N48")
		v.addTime(made, to100ns, "100 ns")
		v.add('S', "clock sequence", strconv.Itoa(n), "")
		v.addNode(u)
	case 2:
		local, _ := u.LocalID()
		domain, _ := u.Domain()
		v = newView(title, u[:], "L32 T16 V4 T12 A2 S6 D8 N48")
		v.add('L', "local id", fmt.Sprint(local), "")
		v.addTime(made, toSecond, "and the following 429 s")
		v.add('S', "sequence", fmt.Sprint(u[8]&0x3f), "")
		v.add('D', "domain", fmt.Sprint(uint8(domain)), domain.String())
		v.addNode(u)
	case 3:
		v = simple(title, "H48 V4 H12 A2 H62", "hash", "", "MD5 of a namespace and a name")
	case 4:
		v = simple(title, "R48 V4 R12 A2 R62", "random", "", "")
	case 5:
		v = simple(title, "H48 V4 H12 A2 H62", "hash", "", "SHA-1 of a namespace and a name")
	case 7:
		fraction := int(u[6]&0xf)<<8 | int(u[7])
		v = newView(title, u[:], "T48 V4 F12 A2 R62")
		v.addTime(made, toMilli, "")
		v.add('F', "rand_a", strconv.Itoa(fraction), fmt.Sprintf("%.3f ms if it is a fraction, as in package ids", float64(fraction)/4096))
		v.add('R', "rand_b", "", "random")
	case 8:
		v = simple(title, "C48 V4 C12 A2 C62", "custom", "", "known only to its maker")
	default:
		v = simple(title, "X48 V4 X12 A2 X62", "bits", "", "RFC 9562 defines no such version")
	}
	v.add('V', "version", strconv.Itoa(u.Version()), "")
	v.add('A', "variant", "2", u.Variant().String())
	return v
}

// addNode adds the node of a version 1, 2 or 6 UUID.
func (v *view) addNode(u ids.UUID) {
	note := "the multicast bit is clear, as in the address of a network card"
	if u[10]&1 != 0 {
		note = "the multicast bit is set, as in a random node"
	}
	v.add('N', "node", strings.ReplaceAll(fmt.Sprintf("% x", u[10:]), " ", ":"), note)
}

// viewSnowflake returns the view of a Snowflake in the layout l. It marks the view as not plausible
// if the view's time is more than a day after now, or less than a second after the layout's epoch.
func viewSnowflake(s ids.Snowflake, l namedLayout, now time.Time) *view {
	bytes, _ := s.MarshalBinary() // the error is always nil
	parts := l.Split(s)
	node, sequence := fmt.Sprintf("N%d", l.NodeBits), fmt.Sprintf("S%d", l.SequenceBits)
	if l.NodeLast {
		node, sequence = sequence, node
	}
	v := newView("Snowflake in the layout of "+l.name, bytes, fmt.Sprintf("01 T%d %s %s", 63-l.NodeBits-l.SequenceBits, node, sequence))
	v.Layout = l.name
	// A small number, such as a database counter, looks like a Snowflake that was made immediately
	// after the layout's epoch.
	switch {
	case parts.Time.After(now.AddDate(0, 0, 1)):
		v.doubt = "the time is in the future"
	case parts.Time.Before(l.Epoch.Add(time.Second)):
		v.doubt = "the time is in the first second of the layout"
	}
	plausible := v.doubt == ""
	v.Plausible = &plausible
	decimals, note := toMilli, ""
	if l.Tick%time.Millisecond != 0 || l.Epoch.Nanosecond()%1e6 != 0 {
		decimals = toNano
	}
	if l.note != nil {
		note = l.note(parts.Node)
	}
	v.add('0', "sign", "0", "")
	v.addTime(parts.Time, decimals, "")
	v.add('N', "node", strconv.FormatInt(parts.Node, 10), note)
	v.add('S', "sequence", strconv.FormatInt(parts.Sequence, 10), "")
	return v
}
