package docs

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// vectors is testdata/vectors.json, which docs/vectors.md describes.
type vectors struct {
	UUID      []uuidVector      `json:"uuid"`
	Named     []namedVector     `json:"named"`
	ULID      []ulidVector      `json:"ulid"`
	Layout    []layoutVector    `json:"layout"`
	Snowflake []snowflakeVector `json:"snowflake"`
	TypeID    []typeidVector    `json:"typeid"`
	Bounds    []boundsVector    `json:"bounds"`
	Accepted  []acceptedVector  `json:"accepted"`
	Bad       []badVector       `json:"bad"`
}

type (
	uuidVector struct {
		Text     string `json:"text"`
		Bytes    string `json:"bytes"`
		Version  int    `json:"version"`
		Variant  string `json:"variant"`
		Time     string `json:"time,omitempty"`
		Sequence *int   `json:"clock_sequence,omitempty"`
		Node     string `json:"node,omitempty"`
		V6       string `json:"v6,omitempty"`
		Base32   string `json:"base32"`
		Base58   string `json:"base58"`
	}
	namedVector struct {
		Version   int    `json:"version"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		Text      string `json:"text"`
	}
	ulidVector struct {
		Text         string `json:"text"`
		Bytes        string `json:"bytes"`
		Milliseconds int64  `json:"milliseconds"`
		Random       string `json:"random"`
		Next         string `json:"next,omitempty"`
		Base58       string `json:"base58"`
	}
	layoutVector struct {
		Name         string `json:"name"`
		Epoch        string `json:"epoch"`
		Milliseconds int64  `json:"tick_milliseconds"`
		NodeBits     int    `json:"node_bits"`
		SequenceBits int    `json:"sequence_bits"`
		NodeLast     bool   `json:"node_last"`
	}
	snowflakeVector struct {
		Layout   string `json:"layout"`
		Text     string `json:"text"`
		Bytes    string `json:"bytes"`
		Time     string `json:"time"`
		Node     int64  `json:"node"`
		Sequence int64  `json:"sequence"`
		Base32   string `json:"base32"`
	}
	typeidVector struct {
		Prefix string `json:"prefix"`
		UUID   string `json:"uuid"`
		Text   string `json:"text"`
	}
	boundsVector struct {
		Scheme string `json:"scheme"`
		Time   string `json:"time"`
		Min    string `json:"min"`
		Max    string `json:"max"`
	}
	acceptedVector struct {
		Form  string `json:"form"`
		Input string `json:"input"`
		Text  string `json:"text"`
	}
	badVector struct {
		Form   string `json:"form"`
		Prefix string `json:"prefix,omitempty"`
		Input  string `json:"input"`
		Reason string `json:"reason"`
		Offset *int   `json:"offset,omitempty"`
	}
)

// TestVectors writes testdata/vectors.json if it runs with -update. Otherwise it compares the file with what the library
// does, and judgeVectors judges the file without the library.
func TestVectors(t *testing.T) {
	path := filepath.Join(Root(t), "testdata", "vectors.json")
	want := computed(t)
	if *update {
		if err := os.WriteFile(path, want.lines(t), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if !bytes.Equal(text, want.lines(t)) {
		t.Errorf("%s differs from what the library does; if that is meant, go test ./internal/docs -run TestVectors -update writes it anew", path)
	}
	var got vectors
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	judgeVectors(t, &got)
}

// lines returns v as JSON, with each vector on a line of its own.
func (v *vectors) lines(t *testing.T) []byte {
	var b bytes.Buffer
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		fmt.Fprintf(&b, "%s\n  %q: [", map[bool]string{true: "{", false: ","}[i == 0], s.Type().Field(i).Tag.Get("json"))
		for j := range s.Field(i).Len() {
			line, err := json.Marshal(s.Field(i).Index(j).Interface())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s\n    %s", map[bool]string{true: "", false: ","}[j == 0], line)
		}
		b.WriteString("\n  ]")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// Here come the inputs. What they stand for is known from elsewhere: see published.
var (
	vectorUUIDs = []string{
		"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"c232ab00-9414-11ec-b3c8-9f6bdeced846", "000003e8-cbb9-21ea-b201-00045a86c8a1", "5df41881-3aed-3515-88a7-2f4a814cf09e",
		"919108f7-52d1-4320-9bac-f847db4148a8", "2ed6657d-e927-568b-95e1-2665a8aea6a2", "1ec9414c-232a-6b00-b3c8-9f6bdeced846",
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0", "5c146b14-3c52-8afd-938a-375d0df1fbf6",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "13814000-1dd2-11b2-8000-000000000000", "00000000-0000-1000-8000-000000000001",
		"ffffffff-ffff-1fff-bfff-ffffffffffff", "00000000-0000-6000-8000-000000000000", "ffffffff-ffff-6fff-bfff-ffffffffffff",
		"00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff", "00000000-0000-7000-0000-000000000000",
		"01890a5d-ac96-774b-bcce-b302099a8057", "8f7a1b2c-3d4e-9f60-c172-8394a5b6c7d8", "00112233-4455-6677-e899-aabbccddeeff",
	}
	vectorNames = []namedVector{
		{3, "dns", "www.example.com", ""}, {5, "dns", "www.example.com", ""}, {3, "dns", "python.org", ""}, {5, "dns", "python.org", ""},
		{5, "url", "https://example.com/ü", ""}, {3, "oid", "", ""}, {5, "x500", strings.Repeat("x", 100), ""},
	}
	vectorULIDs = []string{
		"00000000000000000000000000", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRZ",
		"01BX5ZZKBKZZZZZZZZZZZZZZZX", "01BX5ZZKBKZZZZZZZZZZZZZZZZ", "01BX5ZZKBK000ZZZZZZZZZZZZZ", "0123456789ABCDEFGHJKMNPQRS",
		"01FWHE4YDGFK1SHH6W1G60EECF", "00000XSNJG0MQJHBF4QX1EFD6Y", "7ZZZZZZZZZ0000000000000000",
	}
	vectorSnowflakes = map[string][]ids.Snowflake{
		"twitter":   {0, 1, 1<<63 - 1, 1541815603606036480, 1<<22 - 1, 1 << 22, 29700859247},
		"discord":   {175928847299117063, 1<<63 - 1},
		"instagram": {1<<23 | 3<<10 | 2, 1<<63 - 1},
		"sonyflake": {1<<24 | 2<<16 | 3, 1<<63 - 1},
	}
	vectorLayouts = []struct {
		name   string
		layout ids.SnowflakeLayout
	}{
		{"twitter", ids.TwitterLayout()}, {"discord", ids.DiscordLayout()},
		{"instagram", ids.InstagramLayout()}, {"sonyflake", ids.SonyflakeLayout()},
	}
	vectorTimes = []time.Time{
		time.UnixMilli(0), time.UnixMilli(-1), time.UnixMilli(1465824320894), time.Date(2022, 2, 22, 19, 22, 22, 999_999_999, time.UTC),
		time.Date(2026, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	}
	vectorTypeIDs = []typeidVector{
		{"", "00000000-0000-0000-0000-000000000000", ""}, {"", "00000000-0000-0000-0000-000000000001", ""},
		{"", "00000000-0000-0000-0000-00000000000a", ""}, {"", "00000000-0000-0000-0000-000000000010", ""},
		{"", "00000000-0000-0000-0000-000000000020", ""}, {"", "ffffffff-ffff-ffff-ffff-ffffffffffff", ""},
		{"prefix", "0110c853-1d09-52d8-d73e-1194e95b5f19", ""}, {"prefix", "01890a5d-ac96-774b-bcce-b302099a8057", ""},
		{"pre_fix", "00000000-0000-0000-0000-000000000000", ""}, {strings.Repeat("abcdefg", 9), "01890a5d-ac96-774b-bcce-b302099a8057", ""},
	}
	vectorAccepted = []acceptedVector{
		{"UUID", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", ""}, {"UUID", "f81d4fae7dec11d0a76500a0c91e6bf6", ""},
		{"UUID", "{F81d4fae-7dec-11d0-a765-00a0c91e6bf6}", ""}, {"UUID", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", ""},
		{"UUID", "URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", ""}, {"ULID", "01arz3ndektsv4rrffq69g5fav", ""},
		{"Snowflake", "0000000000000000007", ""}, {"Snowflake Base32", "1av6qg32hg000", ""},
	}
	vectorBad = map[string][]string{
		"UUID": {
			"", "f81d4fae", "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a765-00a0c91e6bf60", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
			"g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae_7dec-11d0-a765-00a0c91e6bf6", "f81d4faee7dec-11d0-a765-00a0c91e6bf",
			"f81d4fae7dec11d0a76500a0c91e6b-6",
			"{f81d4fae-7dec-11d0-a765-00a0c91e6bf6)", "(f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "{f81d4fae7dec11d0a76500a0c91e6bf6}",
			"urn-uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6", " f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
			"f81d4fae-7dec-11d0-a765-00a0c91e6bｆ", "f81d4fae-7dec-11d0-a765-00a0c91e6b\x00f",
		},
		"UUID Base58": {
			"", strings.Repeat("1", 21), strings.Repeat("1", 23), strings.Repeat("z", 22), strings.Repeat("1", 21) + "0",
			strings.Repeat("1", 21) + "O", "YcVfxkQb6JRzqk5kF2tNLw",
		},
		"ULID": {
			"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAV0", "01ARZ3NDEKTSV4RRFFQ69G5FAU",
			"0IARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAO", "01ARZ3NDEKLSV4RRFFQ69G5FAV", "01ARZ3NDEK-SV4RRFFQ69G5FAV",
			"80000000000000000000000000", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "8000000000000000000000000U",
		},
		"ULID Base58": {strings.Repeat("1", 21), strings.Repeat("z", 22), strings.Repeat("1", 21) + "l"},
		"Snowflake": {
			"", "9223372036854775808", "9999999999999999999", "00000000000000000007", "+1", " 1", "1 ", "0x1", "1e3", "1_0", "1.0",
		},
		"Snowflake Base32": {"", "100000000000", "8000000000000", "ZZZZZZZZZZZZZ", "000000000000U", "00000000000000"},
	}
	// Those of the specification, each under the prefix that it seems to have.
	vectorBadTypeIDs = []string{
		"PREFIX_00000000000000000000000000", "12345_00000000000000000000000000", "pre.fix_00000000000000000000000000",
		"préfix_00000000000000000000000000", "  prefix_00000000000000000000000000",
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl_00000000000000000000000000",
		"_00000000000000000000000000", "_", "prefix_1234567890123456789012345", "prefix_123456789012345678901234567",
		"prefix_1234567890123456789012345 ", "prefix_0123456789ABCDEFGHJKMNPQRS", "prefix_123456789-123456789-123456",
		"prefix_ooooooiiiiiiuuuuuuulllllll", "prefix_i23456789ol23456789oi23456", "prefix_123456789-0123456789-0123456",
		"prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz", "_prefix_00000000000000000000000000", "prefix__00000000000000000000000000",
	}
)

// parsers has the reader of each form, and how the library writes what it has read.
var parsers = map[string]func(string) (fmt.Stringer, error){
	"UUID": reads(ids.ParseUUID), "UUID Base58": reads(ids.ParseUUIDBase58),
	"ULID": reads(ids.ParseULID), "ULID Base58": reads(ids.ParseULIDBase58),
	"Snowflake": reads(ids.ParseSnowflake), "Snowflake Base32": reads(ids.ParseSnowflakeBase32),
	"TypeID": reads(typeid.Parse[vectorKind]),
}

func reads[T fmt.Stringer](parse func(string) (T, error)) func(string) (fmt.Stringer, error) {
	return func(s string) (fmt.Stringer, error) { return parse(s) }
}

// vectorKind is a kind whose prefix computed sets.
type vectorKind struct{}

var vectorPrefix string

func (vectorKind) Prefix() string { return vectorPrefix }

// moment returns a time as RFC 3339 has it, or nothing after the year 9999, which that cannot write.
func moment(at time.Time) string {
	if at.Year() > 9999 {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// computed makes the vectors of the inputs with the library.
func computed(t *testing.T) *vectors {
	v := &vectors{}
	for _, text := range vectorUUIDs {
		u := ids.MustParseUUID(text)
		e := uuidVector{Text: u.String(), Bytes: hex.EncodeToString(u[:]), Version: u.Version(), Variant: u.Variant().String(),
			Base32: u.ULID().String(), Base58: u.Base58()}
		if at, ok := u.Time(); ok {
			e.Time = moment(at)
		}
		if seq, ok := u.ClockSequence(); ok {
			e.Sequence = &seq
		}
		if node, ok := u.NodeID(); ok {
			e.Node = hex.EncodeToString(node[:])
		}
		if v6, ok := u.ToV6(); ok {
			e.V6 = v6.String()
		}
		v.UUID = append(v.UUID, e)
	}
	namespaces := map[string]ids.UUID{
		"dns": ids.NamespaceDNS(), "url": ids.NamespaceURL(), "oid": ids.NamespaceOID(), "x500": ids.NamespaceX500(),
	}
	for _, e := range vectorNames {
		e.Text = map[int]func(ids.UUID, string) ids.UUID{3: ids.NewV3, 5: ids.NewV5}[e.Version](namespaces[e.Namespace], e.Name).String()
		e.Namespace = namespaces[e.Namespace].String()
		v.Named = append(v.Named, e)
	}
	for _, text := range vectorULIDs {
		u := ids.MustParseULID(text)
		random := u.Entropy()
		e := ulidVector{Text: u.String(), Bytes: hex.EncodeToString(u[:]), Milliseconds: u.Time().UnixMilli(),
			Random: hex.EncodeToString(random[:]), Base58: u.Base58()}
		if next, ok := u.Increment(); ok {
			e.Next = next.String()
		}
		v.ULID = append(v.ULID, e)
	}
	v.snowflakes()
	for _, e := range vectorTypeIDs {
		vectorPrefix = e.Prefix
		e.Text = typeid.From[vectorKind](ids.MustParseUUID(e.UUID)).String()
		v.TypeID = append(v.TypeID, e)
	}
	for _, e := range vectorAccepted {
		id, err := parsers[e.Form](e.Input)
		if err != nil {
			t.Errorf("%s %q: %v", e.Form, e.Input, err)
		}
		e.Text = id.String()
		v.Accepted = append(v.Accepted, e)
	}
	for _, form := range []string{"UUID", "UUID Base58", "ULID", "ULID Base58", "Snowflake", "Snowflake Base32"} {
		for _, input := range vectorBad[form] {
			v.bad(t, form, "", input)
		}
	}
	for _, input := range vectorBadTypeIDs {
		vectorPrefix = input[:strings.LastIndex(input, "_")]
		if typeid.CheckPrefix[vectorKind]() != nil {
			vectorPrefix = "prefix"
		}
		v.bad(t, "TypeID", vectorPrefix, input)
	}
	return v
}

// snowflakes adds the layouts, their ids, and the bounds of all schemes.
func (v *vectors) snowflakes() {
	for _, at := range vectorTimes {
		v.Bounds = append(v.Bounds, boundsVector{"uuid7", moment(at), ids.MinV7At(at).String(), ids.MaxV7At(at).String()},
			boundsVector{"ulid", moment(at), ids.MinULIDAt(at).String(), ids.MaxULIDAt(at).String()})
	}
	for _, l := range vectorLayouts {
		v.Layout = append(v.Layout, layoutVector{l.name, moment(l.layout.Epoch), l.layout.Tick.Milliseconds(),
			l.layout.NodeBits, l.layout.SequenceBits, l.layout.NodeLast})
		for _, s := range vectorSnowflakes[l.name] {
			parts, b := l.layout.Split(s), fmt.Sprintf("%016x", uint64(s))
			v.Snowflake = append(v.Snowflake, snowflakeVector{l.name, s.String(), b,
				moment(parts.Time), parts.Node, parts.Sequence, s.Base32()})
		}
		for _, at := range vectorTimes {
			v.Bounds = append(v.Bounds, boundsVector{l.name, moment(at), l.layout.MinAt(at).String(), l.layout.MaxAt(at).String()})
		}
	}
}

// bad adds what the library says of a bad input.
func (v *vectors) bad(t *testing.T, form, prefix, input string) {
	_, err := parsers[form](input)
	var where interface{ Offset() (int, bool) }
	if !errors.As(err, &where) {
		t.Errorf("%s %q: error %v", form, input, err)
		return
	}
	e := badVector{Form: form, Prefix: prefix, Input: input}
	switch at, _ := where.Offset(); {
	case errors.Is(err, ids.ErrLength):
		e.Reason = "length"
	case errors.Is(err, ids.ErrRange):
		e.Reason = "range"
	case form == "TypeID" && at < len(prefix):
		e.Reason = "prefix"
	default:
		e.Reason, e.Offset = "character", &at
	}
	v.Bad = append(v.Bad, e)
}
