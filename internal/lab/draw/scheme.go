package main

import (
	"fmt"

	"github.com/oneclock/ids"
)

// A scheme is a kind of id of 128 bits.
type scheme struct {
	file, title, about string
	fields             []field
	keys               []key
	example            string
	charBits           int // that a character of the example stands for
}

// A field is a run of bits. Its width is in bits.
type field struct {
	kind, name string
	bits       int
	value      string // of bits that never change
}

// A key explains the fields of one kind, in the example.
type key struct{ kind, name, text string }

// variant returns the two bits that all UUIDs have.
func variant() field { return field{fixedKind, "var", 2, "10"} }

// version returns the four bits of a version.
func version(v int) field { return field{fixedKind, "version", 4, fmt.Sprintf("%04b", v)} }

// opaque returns the fields of a version whose other bits are all of one kind.
func opaque(kind, a, b, c string, v int) []field {
	return []field{{kind, a, 48, ""}, version(v), {kind, b, 12, ""}, variant(), {kind, c, 62, ""}}
}

// fixedKey returns the key of version and variant.
func fixedKey(v string) key {
	return key{fixedKind, "version, variant", v + ", and 10 for RFC 9562"}
}

// The example of each scheme, of RFC 9562 and of the specification of ULID where they have one.
const (
	exampleV1   = "c232ab00-9414-11ec-b3c8-9f6bdeced846"
	exampleV2   = "000003e8-9414-21ec-8500-9f6bdeced846"
	exampleV4   = "919108f7-52d1-4320-9bac-f847db4148a8"
	exampleV5   = "2ed6657d-e927-568b-95e1-2665a8aea6a2"
	exampleV6   = "1ec9414c-232a-6b00-b3c8-9f6bdeced846"
	exampleV7   = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	exampleV8   = "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0"
	exampleULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
)

// schemes returns all schemes of 128 bits.
func schemes() []scheme {
	v1, v2, v7 := ids.MustParseUUID(exampleV1), ids.MustParseUUID(exampleV2), ids.MustParseUUID(exampleV7)
	ulid := ids.MustParseULID(exampleULID)
	local, _ := v2.LocalID()
	domain, _ := v2.Domain()
	sequence, _ := v1.ClockSequence()
	node, _ := v1.NodeID()
	nodeText := fmt.Sprintf("48 bits that tell machines apart, random unless given: % x", node)
	gregorian := key{timeKind, "time", "60 bits of 100 ns since 1582-10-15: " + timeOf(v1, "2006-01-02 15:04:05.0000000")}
	sequenceKey := key{sequenceKind, "clock sequence",
		fmt.Sprintf("12 bits, changed when the clock is followed back: %d of 4096", sequence>>2)}
	ordinalKey := key{ordinalKind, "ordinal",
		fmt.Sprintf("2 bits for the ids of one tick: %d. To others, the low bits of the clock sequence", sequence&3)}
	sequenceFields := []field{variant(), {sequenceKind, "clock sequence", 12, ""}, {ordinalKind, "ord", 2, ""}, {nodeKind, "node", 48, ""}}

	return []scheme{
		{"uuid-v1.svg", "UUID version 1", "time and node, in an order that does not sort",
			append([]field{{timeKind, "time_low", 32, ""}, {timeKind, "time_mid", 16, ""}, version(1), {timeKind, "time_high", 12, ""}},
				sequenceFields...),
			[]key{gregorian, fixedKey("0001"), sequenceKey, ordinalKey, {nodeKind, "node", nodeText}}, exampleV1, 4},
		{"uuid-v2.svg", "UUID version 2", "a user or group of a system, for DCE Security",
			[]field{{localKind, "local id", 32, ""}, {timeKind, "time_mid", 16, ""}, version(2), {timeKind, "time_high", 12, ""},
				variant(), {sequenceKind, "sequence", 6, ""}, {localKind, "domain", 8, ""}, {nodeKind, "node", 48, ""}},
			[]key{{localKind, "local id, domain", fmt.Sprintf("of 32 and 8 bits: %d and %d, the %s with that number", local, domain, domain)},
				{timeKind, "time", "28 bits, of spans of 7 min 9.5 s: from " + timeOf(v2, "2006-01-02 15:04:05")}, fixedKey("0010"),
				{sequenceKind, "sequence", "6 bits for the ids of one span"}, {nodeKind, "node", nodeText}}, exampleV2, 4},
		{"uuid-v3-v5.svg", "UUID versions 3 and 5", "the same id from the same name, everywhere",
			opaque(hashKind, "hash", "hash", "hash", 5),
			[]key{{hashKind, "hash", "122 bits of the SHA-1 (version 5) or MD5 (version 3) of a namespace and a name:"},
				{"", "", "the namespace of DNS and www.example.com"},
				{fixedKind, "version, variant", "0101, or 0011 in version 3, and 10 for RFC 9562"}}, exampleV5, 4},
		{"uuid-v4.svg", "UUID version 4", "random: it does not tell when it was made",
			opaque(randomKind, "random", "random", "random", 4),
			[]key{{randomKind, "random", "122 bits from crypto/rand"}, fixedKey("0100")}, exampleV4, 4},
		{"uuid-v6.svg", "UUID version 6", "the fields of version 1 in an order that sorts",
			append([]field{{timeKind, "time_high", 32, ""}, {timeKind, "time_mid", 16, ""}, version(6), {timeKind, "time_low", 12, ""}},
				sequenceFields...),
			[]key{gregorian, fixedKey("0110"), sequenceKey, ordinalKey, {nodeKind, "node", nodeText}}, exampleV6, 4},
		{"uuid-v7.svg", "UUID version 7", "sorts by time: for keys of databases",
			[]field{{timeKind, "unix_ts_ms", 48, ""}, version(7), {fractionKind, "rand_a", 12, ""}, variant(), {randomKind, "rand_b", 62, ""}},
			[]key{{timeKind, "unix_ts_ms", "48 bits of milliseconds since 1970: " + timeOf(v7, "2006-01-02 15:04:05.000")},
				fixedKey("0111"),
				{fractionKind, "rand_a", "12 bits: the fraction of the millisecond, in 1/4096; others may fill it at random"},
				{randomKind, "rand_b", "62 bits: random in a new tick, then raised by a random stride"}}, exampleV7, 4},
		{"uuid-v8.svg", "UUID version 8", "bits of one's own",
			opaque(customKind, "custom_a", "custom_b", "custom_c", 8),
			[]key{{customKind, "custom", "122 bits, of which only the maker knows the meaning"}, fixedKey("1000")}, exampleV8, 4},
		{"ulid.svg", "ULID", "sorts by time, in 26 letters and digits",
			[]field{{timeKind, "time", 48, ""}, {randomKind, "random", 16, ""}, {randomKind, "random", 64, ""}},
			[]key{{timeKind, "time", "48 bits of milliseconds since 1970: " + ulid.Time().Format("2006-01-02 15:04:05.000")},
				{randomKind, "random", "80 bits: random in a new millisecond, then raised by a random stride, or by 1"}}, exampleULID, 5},
	}
}

// timeOf returns the time in u.
func timeOf(u ids.UUID, layout string) string {
	t, ok := u.Time()
	if !ok {
		panic("no time in " + u.String())
	}
	return t.Format(layout)
}

// A flake is a layout of Snowflakes.
type flake struct {
	name   string
	layout ids.SnowflakeLayout
	node   string // what its users call the node
}

// flakes returns the layouts.
func flakes() []flake {
	return []flake{
		{"Twitter", ids.TwitterLayout(), "node"},
		{"Discord", ids.DiscordLayout(), "node"},
		{"Instagram", ids.InstagramLayout(), "shard"},
		{"Sonyflake", ids.SonyflakeLayout(), "machine"},
	}
}

// fields returns the fields of the layout.
func (f flake) fields() []field {
	l := f.layout
	node, sequence := field{nodeKind, f.node, l.NodeBits, ""}, field{sequenceKind, "sequence", l.SequenceBits, ""}
	if l.NodeLast {
		node, sequence = sequence, node
	}
	return []field{{fixedKind, "", 1, "0"}, {timeKind, "time", 63 - l.NodeBits - l.SequenceBits, ""}, node, sequence}
}
