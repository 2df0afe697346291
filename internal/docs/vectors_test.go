package docs

// The test of testdata/vectors.json.

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// vectors is the contents of testdata/vectors.json, which docs/vectors.md describes.
type vectors struct {
	UUID      []*uuidVector      `json:"uuid"`
	Encoded   []*encodedVector   `json:"encoded"`
	Named     []*namedVector     `json:"named"`
	ULID      []*ulidVector      `json:"ulid"`
	Layout    []*layoutVector    `json:"layout"`
	Snowflake []*snowflakeVector `json:"snowflake"`
	TypeID    []*typeidVector    `json:"typeid"`
	Bounds    []*boundsVector    `json:"bounds"`
	Accepted  []*acceptedVector  `json:"accepted"`
	Bad       []*badVector       `json:"bad"`
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
	encodedVector struct {
		Text      string `json:"text"`
		Bytes     string `json:"bytes"`
		GUID      string `json:"guid"`
		High      string `json:"high"`
		Low       string `json:"low"`
		Base64URL string `json:"base64url"`
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

// promised are rows, or parts of rows, that others have published and that no other test computes.
// They are from Python's documentation, .NET's documentation, spec/valid.yml of TypeID 0.3.0, the
// ULID specification, and X's and Discord's documentation. -update must not change them. Those of
// RFC 9562 are in published_test.go.
var promised = []string{
	`"00112233-4455-6677-8899-aabbccddeeff","bytes":"00112233445566778899aabbccddeeff","guid":"33221100554477668899aabbccddeeff"`,
	`{"version":3,"namespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"python.org","text":"6fa459ea-ee8a-3ca4-894e-db77e160355e"}`,
	`{"version":5,"namespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"python.org","text":"886313e1-3b8a-5372-9b90-0c9aee199e5d"}`,
	`"01ARZ3NDEKTSV4RRFFQ69G5FAV","bytes":"01563e3ab5d3d6764c61efb99302bd5b","milliseconds":1469922850259`,
	`"7ZZZZZZZZZZZZZZZZZZZZZZZZZ","bytes":"ffffffffffffffffffffffffffffffff","milliseconds":281474976710655`,
	`"scheme":"ulid","time":"2016-06-13T13:25:20.894Z","min":"01AN4Z07BY0000000000000000"`,
	`"twitter","text":"1541815603606036480","bytes":"1565a11f6217a000","time":"2022-06-28T16:07:40.105Z","node":378,"sequence":0`,
	`"discord","text":"175928847299117063","bytes":"0271065ac1020007","time":"2016-04-30T11:18:25.796Z","node":32,"sequence":7`,
	`{"prefix":"","uuid":"00000000-0000-0000-0000-00000000000a","text":"0000000000000000000000000a"}`,
	`{"prefix":"","uuid":"00000000-0000-0000-0000-000000000010","text":"0000000000000000000000000g"}`,
	`{"prefix":"","uuid":"00000000-0000-0000-0000-000000000020","text":"00000000000000000000000010"}`,
	`{"prefix":"","uuid":"ffffffff-ffff-ffff-ffff-ffffffffffff","text":"7zzzzzzzzzzzzzzzzzzzzzzzzz"}`,
	`{"prefix":"prefix","uuid":"0110c853-1d09-52d8-d73e-1194e95b5f19","text":"prefix_0123456789abcdefghjkmnpqrs"}`,
	`{"prefix":"prefix","uuid":"01890a5d-ac96-774b-bcce-b302099a8057","text":"prefix_01h455vb4pex5vsknk084sn02q"}`,
	`{"prefix":"pre_fix","uuid":"00000000-0000-0000-0000-000000000000","text":"pre_fix_00000000000000000000000000"}`,
}

// TestVectors recomputes each row of testdata/vectors.json from the row's inputs and compares the
// results. With -update, it writes the computed rows, so a new row needs only its inputs.
func TestVectors(t *testing.T) {
	path := filepath.Join(Root(t), "testdata", "vectors.json")
	text := read(t, path)
	var v vectors
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	v.compute(t)
	want := v.lines(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		text = want
	}
	if text != want {
		for line := range strings.Lines(text) {
			if !strings.Contains(want, strings.TrimSuffix(strings.TrimSpace(line), ",")) {
				t.Errorf("the library does not make of it what the file says: %s", line)
			}
		}
		t.Errorf("%s differs from what the library does; if that is meant, go test ./internal/docs -run TestVectors -update writes it anew", path)
	}
	for _, part := range promised {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not have %s", path, part)
		}
	}
}

// lines returns v as JSON, with one vector on each line.
func (v *vectors) lines(t *testing.T) string {
	var groups []string
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		var rows []string
		for j := range s.Field(i).Len() {
			row, err := json.Marshal(s.Field(i).Index(j).Interface())
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, string(row))
		}
		groups = append(groups, fmt.Sprintf("  %q: [\n    %s\n  ]", s.Type().Field(i).Tag.Get("json"), strings.Join(rows, ",\n    ")))
	}
	return "{\n" + strings.Join(groups, ",\n") + "\n}\n"
}

// parsers contains each form's parser. The result formats the parsed ID as the library does.
var parsers = map[string]func(string) (fmt.Stringer, error){
	"UUID": reads(ids.ParseUUID), "UUID Base58": reads(ids.ParseUUIDBase58),
	"ULID": reads(ids.ParseULID), "ULID Base58": reads(ids.ParseULIDBase58),
	"Snowflake": reads(ids.ParseSnowflake), "Snowflake Base32": reads(ids.ParseSnowflakeBase32),
	"TypeID": reads(typeid.Parse[vectorKind]),
}

func reads[T fmt.Stringer](parse func(string) (T, error)) func(string) (fmt.Stringer, error) {
	return func(s string) (fmt.Stringer, error) { return parse(s) }
}

// vectorKind is a kind whose prefix compute sets.
type vectorKind struct{}

var vectorPrefix string

func (vectorKind) Prefix() string { return vectorPrefix }

// moment returns a time in RFC 3339 format, or "" after the year 9999, which that format cannot
// write.
func moment(at time.Time) string {
	if at.Year() > 9999 {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// compute sets the library's results for the inputs in each row.
func (v *vectors) compute(t *testing.T) {
	for _, e := range v.UUID {
		u := ids.MustParseUUID(e.Text)
		*e = uuidVector{Text: u.String(), Bytes: hex.EncodeToString(u[:]), Version: u.Version(), Variant: u.Variant().String(),
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
	}
	for _, e := range v.Encoded {
		u := ids.MustParseUUID(e.Text)
		guid := u
		slices.Reverse(guid[:4])
		slices.Reverse(guid[4:6])
		slices.Reverse(guid[6:8])
		high, low := int64(binary.BigEndian.Uint64(u[:8])), int64(binary.BigEndian.Uint64(u[8:]))
		*e = encodedVector{u.String(), hex.EncodeToString(u[:]), hex.EncodeToString(guid[:]), fmt.Sprint(high), fmt.Sprint(low),
			base64.RawURLEncoding.EncodeToString(u[:])}
	}
	for _, e := range v.Named {
		newUUID := map[int]func(ids.UUID, string) ids.UUID{3: ids.NewV3, 5: ids.NewV5}[e.Version]
		e.Text = newUUID(ids.MustParseUUID(e.Namespace), e.Name).String()
	}
	for _, e := range v.ULID {
		u := ids.MustParseULID(e.Text)
		random := u.Entropy()
		*e = ulidVector{Text: u.String(), Bytes: hex.EncodeToString(u[:]), Milliseconds: u.Time().UnixMilli(),
			Random: hex.EncodeToString(random[:]), Base58: u.Base58()}
		if next, ok := u.Increment(); ok {
			e.Next = next.String()
		}
	}
	layouts := map[string]ids.SnowflakeLayout{
		"twitter": ids.TwitterLayout(), "discord": ids.DiscordLayout(), "instagram": ids.InstagramLayout(), "sonyflake": ids.SonyflakeLayout(),
	}
	for _, e := range v.Layout {
		l, ok := layouts[e.Name]
		if !ok { // an application's own layout
			epoch, err := time.Parse(time.RFC3339Nano, e.Epoch)
			if err != nil {
				t.Error(err)
			}
			l = ids.SnowflakeLayout{Epoch: epoch, Tick: time.Duration(e.Milliseconds) * time.Millisecond,
				NodeBits: e.NodeBits, SequenceBits: e.SequenceBits, NodeLast: e.NodeLast}
			layouts[e.Name] = l
		}
		*e = layoutVector{e.Name, moment(l.Epoch), l.Tick.Milliseconds(), l.NodeBits, l.SequenceBits, l.NodeLast}
	}
	for _, e := range v.Snowflake {
		s := ids.MustParseSnowflake(e.Text)
		parts := layouts[e.Layout].Split(s)
		*e = snowflakeVector{e.Layout, s.String(), fmt.Sprintf("%016x", uint64(s)), moment(parts.Time), parts.Node, parts.Sequence, s.Base32()}
	}
	for _, e := range v.TypeID {
		vectorPrefix = e.Prefix
		e.Text = typeid.From[vectorKind](ids.MustParseUUID(e.UUID)).String()
	}
	for _, e := range v.Bounds {
		at, err := time.Parse(time.RFC3339Nano, e.Time)
		if err != nil {
			t.Error(err)
		}
		switch e.Scheme {
		case "uuid7":
			e.Min, e.Max = ids.MinV7At(at).String(), ids.MaxV7At(at).String()
		case "ulid":
			e.Min, e.Max = ids.MinULIDAt(at).String(), ids.MaxULIDAt(at).String()
		default:
			e.Min, e.Max = layouts[e.Scheme].MinAt(at).String(), layouts[e.Scheme].MaxAt(at).String()
		}
	}
	for _, e := range v.Accepted {
		id, err := parsers[e.Form](e.Input)
		if err != nil {
			t.Errorf("%s %q: %v", e.Form, e.Input, err)
		}
		e.Text = id.String()
	}
	for _, e := range v.Bad {
		e.compute(t)
	}
}

// compute sets the library's error for an invalid input.
func (e *badVector) compute(t *testing.T) {
	vectorPrefix = e.Prefix
	_, err := parsers[e.Form](e.Input)
	var where interface{ Offset() (int, bool) }
	if !errors.As(err, &where) {
		t.Errorf("%s %q: error %v", e.Form, e.Input, err)
		return
	}
	e.Offset = nil
	switch at, _ := where.Offset(); {
	case errors.Is(err, ids.ErrLength):
		e.Reason = "length"
	case errors.Is(err, ids.ErrRange):
		e.Reason = "range"
	case e.Form == "TypeID" && at < len(e.Prefix):
		e.Reason = "prefix"
	default:
		e.Reason, e.Offset = "character", &at
	}
}
