package main

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// A field is some of the bits of an id.
type field struct {
	key   byte     // stands for it in the drawing
	Name  string   `json:"name"`  // in small letters
	Bits  [][2]int `json:"bits"`  // first and last of each piece, the most significant piece first; none of a prefix
	Hex   string   `json:"hex"`   // of Bits
	Value string   `json:"value"` // by default as Hex
	Note  string   `json:"note,omitempty"`
}

// newField returns a field of an id.
func newField(id []byte, key byte, name string, bits [][2]int, value, note string) field {
	hex := hexOf(id, bits)
	return field{key, name, bits, hex, cmp.Or(value, "0x"+hex), note}
}

// A view is one way to see an id. Layout, plausible and doubt are of a Snowflake.
type view struct {
	title     string
	doubt     string  // why it is not plausible
	Layout    string  `json:"layout,omitempty"`
	Plausible *bool   `json:"plausible,omitempty"`
	Time      string  `json:"time,omitempty"`    // the value of that field
	UnixMS    *int64  `json:"unix_ms,omitempty"` // the same time, rounded down
	Fields    []field `json:"fields"`
}

// at returns the bits of a field in one piece.
func at(from, to int) [][2]int { return [][2]int{{from, to}} }

// rest are the bits of a UUID without its version and variant.
var rest = [][2]int{{0, 47}, {52, 63}, {66, 127}}

// Times are shown as RFC 3339 has them, except that a ULID can be of a year with 5 digits. All of one kind of id have as
// many decimals.
const (
	toNano   = "2006-01-02T15:04:05.000000000Z07:00"
	toMilli  = "2006-01-02T15:04:05.000Z07:00"
	to100ns  = "2006-01-02T15:04:05.0000000Z07:00"
	toSecond = "2006-01-02T15:04:05Z07:00"
)

// value returns the value of a field, and "" if there is no such field. Names are the same in upper and lower case, and
// with - or _ in place of a space.
func (v view) value(name string) string {
	spaced := strings.NewReplacer("-", " ", "_", " ").Replace
	name = spaced(strings.ToLower(name))
	for _, f := range v.Fields {
		if spaced(f.Name) == name {
			return f.Value
		}
	}
	if name == "unix ms" && v.UnixMS != nil {
		return strconv.FormatInt(*v.UnixMS, 10)
	}
	return ""
}

// viewUUID says what is in a UUID.
func viewUUID(u ids.UUID, now time.Time) view {
	f := func(key byte, name string, bits [][2]int, value, note string) field {
		return newField(u[:], key, name, bits, value, note)
	}
	one := func(title string, f field) view { return view{title: title, Fields: []field{f}} }
	switch {
	case u == ids.NilUUID():
		return one("Nil UUID", f('0', "nil", at(0, 127), "0", ""))
	case u == ids.MaxUUID():
		return one("Max UUID", f('1', "max", at(0, 127), hex.EncodeToString(u[:]), ""))
	case u.Variant() != ids.VariantRFC9562:
		return one("UUID of variant "+u.Variant().String(),
			f('X', "bits", at(0, 127), hex.EncodeToString(u[:]), "not in a layout of RFC 9562"))
	}
	v := view{title: fmt.Sprintf("UUID of version %d", u.Version())}
	made, ok := u.Time()
	if ok {
		v.UnixMS = milliOf(made)
	}
	version := f('V', "version", at(48, 51), fmt.Sprint(u.Version()), "")
	variant := f('A', "variant", at(64, 65), "2", u.Variant().String())
	n, _ := u.ClockSequence()
	clockSequence := f('S', "clock sequence", at(66, 79), fmt.Sprint(n), "")
	switch u.Version() {
	case 1:
		v.Fields = []field{f('T', "time", [][2]int{{52, 63}, {32, 47}, {0, 31}}, made.Format(to100ns), "100 ns"),
			version, variant, clockSequence, node(u)}
	case 2:
		local, _ := u.LocalID()
		domain, _ := u.Domain()
		v.Fields = []field{f('L', "local id", at(0, 31), fmt.Sprint(local), ""),
			f('T', "time", [][2]int{{52, 63}, {32, 47}}, made.Format(toSecond), "and the 429 s that follow"),
			version, variant, f('S', "sequence", at(66, 71), fmt.Sprint(u[8]&0x3f), ""),
			f('D', "domain", at(72, 79), fmt.Sprint(uint8(domain)), domain.String()), node(u)}
	case 3:
		v.Fields = []field{f('H', "hash", rest, "", "MD5 of a namespace and a name"), version, variant}
	case 4:
		v.Fields = []field{f('R', "random", rest, "", ""), version, variant}
	case 5:
		v.Fields = []field{f('H', "hash", rest, "", "SHA-1 of a namespace and a name"), version, variant}
	case 6:
		v.Fields = []field{f('T', "time", [][2]int{{0, 47}, {52, 63}}, made.Format(to100ns), "100 ns"),
			version, variant, clockSequence, node(u)}
	case 7:
		fraction := int(u[6]&0xf)<<8 | int(u[7])
		older := ""
		if made.After(now.AddDate(1, 0, 0)) {
			seconds := int64(binary.BigEndian.Uint64(u[:8]) >> 28)
			older = "in the future; as older drafts, such as Python's uuid7, have it: " + time.Unix(seconds, 0).UTC().Format(toSecond)
		}
		v.Fields = []field{f('T', "time", at(0, 47), made.Format(toMilli), older), version,
			f('F', "rand_a", at(52, 63), fmt.Sprint(fraction),
				fmt.Sprintf("%.3f ms if a fraction, as in package ids", float64(fraction)/4096)),
			variant, f('R', "rand_b", at(66, 127), "", "random")}
	case 8:
		v.Fields = []field{f('C', "custom", rest, "", "known to its maker only"), version, variant}
	default:
		v.Fields = []field{f('X', "bits", rest, "", "RFC 9562 has no such version"), version, variant}
	}
	return v
}

// node returns that field of versions 1, 2 and 6.
func node(u ids.UUID) field {
	n, _ := u.NodeID()
	address := fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", n[0], n[1], n[2], n[3], n[4], n[5])
	note := "the multicast bit is clear: the address of a network card"
	if n[0]&1 != 0 {
		note = "the multicast bit is set: random"
	}
	return newField(u[:], 'N', "node", at(80, 127), address, note)
}

// milliOf returns t in milliseconds since 1970.
func milliOf(t time.Time) *int64 {
	ms := t.UnixMilli()
	return &ms
}

// viewULID says what is in a ULID.
func viewULID(u ids.ULID) view {
	return view{title: "ULID", UnixMS: milliOf(u.Time()), Fields: []field{
		newField(u[:], 'T', "time", at(0, 47), u.Time().Format(toMilli), ""),
		newField(u[:], 'R', "random", at(48, 127), "", ""),
	}}
}

// viewTypeID says what is in a TypeID. Its prefix is in its text alone.
func viewTypeID(id typeID, now time.Time) view {
	v := viewUUID(id.UUID, now)
	v.title = "TypeID, " + v.title
	if id.prefix != "" {
		v.Fields = slices.Insert(v.Fields, 0, field{key: '_', Name: "prefix", Bits: [][2]int{}, Value: id.prefix})
	}
	return v
}

// viewSnowflake says what is in a Snowflake of the given layout.
func viewSnowflake(s ids.Snowflake, l namedLayout, now time.Time) view {
	id, parts := bytesOf(s), l.Split(s)
	middle := 63 - l.NodeBits - l.SequenceBits // bits of the time
	nodeAt, sequenceAt := at(1+middle, middle+l.NodeBits), at(64-l.SequenceBits, 63)
	if l.NodeLast {
		sequenceAt, nodeAt = at(1+middle, middle+l.SequenceBits), at(64-l.NodeBits, 63)
	}
	note := ""
	if l.note != nil {
		note = l.note(parts.Node)
	}
	doubt := l.doubt(parts.Time, now)
	plausible := doubt == ""
	decimals := toMilli
	if l.Tick%time.Millisecond != 0 || l.Epoch.Nanosecond()%1e6 != 0 {
		decimals = toNano
	}
	v := view{title: "Snowflake in the layout of " + l.name, doubt: doubt, Layout: l.name, Plausible: &plausible,
		UnixMS: milliOf(parts.Time), Fields: []field{
			newField(id, '0', "sign", at(0, 0), "0", ""),
			newField(id, 'T', "time", at(1, middle), parts.Time.Format(decimals), ""),
			newField(id, 'N', l.node, nodeAt, fmt.Sprint(parts.Node), note),
			newField(id, 'S', "sequence", sequenceAt, fmt.Sprint(parts.Sequence), ""),
		}}
	if l.NodeLast {
		slices.Reverse(v.Fields[2:])
	}
	v.Fields = slices.DeleteFunc(v.Fields, func(f field) bool { return f.Bits[0][0] > f.Bits[0][1] }) // of no bits
	return v
}

// A namedLayout is a layout of Snowflakes. One of the user's own has the name that it was given by.
type namedLayout struct {
	ids.SnowflakeLayout
	name string
	node string // what its users call the node
	note func(node int64) string
}

// layouts are the layouts that are known, the best known first.
var layouts = []namedLayout{
	{ids.TwitterLayout(), "twitter", "node", func(n int64) string {
		datacenter, worker := ids.TwitterDatacenterWorker(n)
		return fmt.Sprintf("datacenter %d, worker %d", datacenter, worker)
	}},
	{ids.DiscordLayout(), "discord", "node", func(n int64) string { return fmt.Sprintf("worker %d, process %d", n>>5, n&31) }},
	{ids.InstagramLayout(), "instagram", "shard", nil},
	{ids.SonyflakeLayout(), "sonyflake", "machine", nil},
}

// layoutNames returns the names of the layouts.
func layoutNames() (names []string) {
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return names
}

// addLayout adds the option -layout. The layout that is given stands alone; without it, there are all that are known.
func (fs *flags) addLayout() *[]namedLayout {
	some := layouts
	fs.Func("layout", "", func(s string) error {
		for i, l := range layouts {
			if l.name == strings.ToLower(s) {
				some = layouts[i : i+1]
				return nil
			}
		}
		own, err := parseLayout(s)
		if err != nil {
			return usagef("-layout %s is not %s, and %v", quoted(s), listed(layoutNames(), "or"), err)
		}
		some = []namedLayout{{own, s, "node", nil}}
		return nil
	})
	return &some
}

// doubt returns why a Snowflake of the given time is hardly one of this layout, or "". A small number, such as one that a
// database counts, looks like a Snowflake made when its layout began.
func (l namedLayout) doubt(made, now time.Time) string {
	switch {
	case made.After(now.AddDate(0, 0, 1)):
		return "that time is in the future"
	case made.Before(l.Epoch.Add(time.Second)):
		return "that time is the first second of the layout"
	}
	return ""
}
