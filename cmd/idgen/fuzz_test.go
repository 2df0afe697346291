package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/oneclock/ids"
)

// FuzzInspect gives anything to idgen inspect, as a line of its input and as an argument, beside an
// oracle that reads ids with regular expressions and math/big.
func FuzzInspect(f *testing.F) {
	for _, s := range []string{
		"017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "urn:uuid:C232AB00-9414-11EC-B3C8-9F6BDECED846", "{1EC9414C-232A-6B00-B3C8-9F6BDECED846}",
		"5df418813aed351588a72f4a814cf09e", "01arz3ndektsv4rrffq69g5fav", "1AaLyDYFxmKZxXbNo18znE", "1541815603606036480", "4aaW4SzAyQK",
		"1ASD13XH1F800", "0X1565A11F6217A000", "9223372036854775808", "-1", " \"1\"\t", "\"", "x\x1b[31mred", "\xff", "a/b.txt",
		"80000000000000000000000000", "0xffffffffffffffff", "017F22E2-79B0-7CC3C9-84-DC0C0C07398F", "5df418813aed351588a72f4a8N4cf09e", `\x017f22e279b07cc398c4dc0c0c07398f`, "0X017F22E279B07CC398C4DC0C0C07398F",
		"zzzzzzzzzzz", "z\u017f", "1234567890123456789012", "urn:uuid:{1EC9414C-232A-6B00-B3C8-9F6BDECED8}",
	} {
		f.Add(s, "")
		f.Add(s, "ulid")
	}
	for _, s := range []string{"order_01h455vb4pex5vsknk084sn02q", "a__b_7zzzzzzzzzzzzzzzzzzzzzzzzz", "user_8zzzzzzzzzzzzzzzzzzzzzzzzz", "_0", "A_01h455vb4pex5vsknk084sn02q"} {
		f.Add(s, "typeid")
	}
	f.Add("1", "Hex")
	f.Add("1", "\x1b]0;title\a")
	// All versions and variants.
	for i := range 64 {
		u := ids.NewV5(ids.NamespaceDNS(), fmt.Sprint(i))
		u[6], u[8] = u[6]&0xf|byte(i<<2&0xf0), u[8]&0x3f|byte(i<<6)
		f.Add(u.String(), "")
		f.Add(u.ULID().String(), "")
		f.Add(fmt.Sprint(binary.BigEndian.Uint64(u[:])>>1), "")
	}
	f.Fuzz(func(t *testing.T, text, as string) {
		if _, _, errs := try(text, "inspect", "-as", as); !printable(errs) {
			t.Fatalf("%q as %q: errors %q", text, as, errs)
		}
		if text == "" || text == "-" || strings.ContainsAny(text, "\n\r") || strings.HasPrefix(text, "\ufeff") || len(text) > longest {
			return // other lines, or none, or read only as a line
		}
		kind, usual, n := oracle(text)
		status, out, errs := try(text, "inspect", "-json")
		status2, out2, errs2 := try(text, "inspect")
		status3, out3, errs3 := try("", "inspect", "--", text)
		if status2 != status || status3 != status || out3 != out2 || !printable(out2) || !printable(errs) || !printable(errs3) || errs2 != errs {
			t.Fatalf("%q:\n%d, %q, %q\n%d, %q, %q\n%d, %q, %q", text, status, out, errs, status2, out2, errs2, status3, out3, errs3)
		}
		if kind == "" {
			if status != 1 || out+out2 != "" || !strings.HasPrefix(errs, "idgen: line 1") || strings.Count(errs+errs3, "\n") != 2 {
				t.Fatalf("%q is no id: %d, %q, %q, %q", text, status, out, errs, errs3)
			}
			return
		}
		var r report
		if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 || errs != "" || !strings.Contains(out2, usual) {
			t.Fatalf("%q: %d, %q, %q, %v", text, status, out, errs, err)
		}
		bits, hex := 128, fmt.Sprintf("%032x", n)
		if kind == "snowflake" {
			bits, hex = 64, fmt.Sprintf("0x%016x", n)
		}
		if r.Line != 1 || r.Kind != kind || r.ID != usual || r.Forms["hex"] != hex {
			t.Fatalf("%q is a %s of %x, not %+v", text, kind, n, r)
		}
		if u, err := ids.ParseUUID(hex); err == nil && kind != "ulid" && (r.Variant != u.Variant().String() ||
			(r.Version == nil) != (u.Variant() != ids.VariantRFC9562) || r.Version != nil && *r.Version != u.Version()) {
			t.Fatalf("%q: version and variant of %+v", text, r)
		}
		for _, v := range r.Views {
			checkCover(t, n, bits, v)
		}
		for form, text := range r.Forms {
			if back := must(t, text, "convert", "-as", form, "-format", "hex"); back[0] != r.Forms["hex"] {
				t.Fatalf("%q: %s %q is read as %s, want %s", r.ID, form, text, back[0], r.Forms["hex"])
			}
		}
	})
}

// checkCover checks that the fields of a view have every bit of n once and hold its value.
func checkCover(t *testing.T, n *big.Int, bits int, v view) {
	t.Helper()
	seen := make([]int, bits)
	for _, f := range v.Fields {
		if f.Name == "prefix" && len(f.Bits) == 0 && f.Hex == "" {
			continue
		}
		value := new(big.Int)
		for _, b := range f.Bits { // the most significant piece first
			width := uint(b[1] - b[0] + 1)
			mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1))
			piece := new(big.Int).Rsh(n, uint(bits-1-b[1]))
			value.Or(value.Lsh(value, width), piece.And(piece, mask))
			for bit := b[0]; bit <= b[1]; bit++ {
				seen[bit]++
			}
		}
		if got, ok := new(big.Int).SetString(f.Hex, 16); !ok || got.Cmp(value) != 0 {
			t.Errorf("%x %s: the field %s is %s, want %x", n, v.Layout, f.Name, f.Hex, value)
		}
	}
	for bit, fields := range seen {
		if fields != 1 {
			t.Errorf("%x %s: bit %d is in %d fields", n, v.Layout, bit, fields)
		}
	}
}

// printable reports whether a terminal shows s as it is: no character of it controls anything.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

const (
	hyphened  = `[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	bitcoin   = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// shapes are the texts that ids have, each with the digits of its number.
var shapes = []struct {
	kind, digits string
	text         *regexp.Regexp
}{
	{"snowflake", "0123456789", regexp.MustCompile(`^[0-9]{1,19}$`)},
	{"uuid", "0123456789ABCDEF", regexp.MustCompile(`^(0[xX]|\\x)[0-9a-fA-F]{32}$`)},
	{"snowflake", "0123456789ABCDEF", regexp.MustCompile(`^0[xX][0-9a-fA-F]{16}$`)},
	{"snowflake", crockford, regexp.MustCompile(`^(?i:[` + crockford + `]){13}$`)},
	{"uuid", "0123456789ABCDEF", regexp.MustCompile(`^(?i:[0-9a-f]{32}|(urn:uuid:)?` + hyphened + `|\{` + hyphened + `\})$`)},
	{"uuid", bitcoin, regexp.MustCompile(`^[` + bitcoin + `]{22}$`)},
	{"ulid", crockford, regexp.MustCompile(`^(?i:[` + crockford + `]){26}$`)},
}

// prefixed is the text that a TypeID has.
var prefixed = regexp.MustCompile(`^([a-z]|[a-z][a-z_]{0,61}[a-z])_([0-7][0-9a-hjkmnp-tv-z]{25})$`)

// oracle returns the kind, the usual text and the number of the id in a line, or "".
func oracle(line string) (kind, usual string, n *big.Int) {
	s := strings.Trim(line, " \t")
	if len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	if strings.Contains(s, "_") {
		if parts := prefixed.FindStringSubmatch(s); parts != nil {
			_, _, n = oracle(parts[2])
			return "typeid", s, n
		}
		return "", "", nil
	}
	for _, shape := range shapes {
		// (?i) takes the long s and the Kelvin sign for letters.
		if !shape.text.MatchString(s) || strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
			continue
		}
		if len(shape.digits) == 16 {
			s = strings.TrimPrefix(strings.TrimPrefix(strings.ToUpper(s), "0X"), `\X`)
			s = strings.TrimPrefix(s, "URN:UUID:")
			s = strings.Trim(strings.ReplaceAll(s, "-", ""), "{}")
		}
		if shape.digits == crockford {
			s = strings.ToUpper(s)
		}
		n = new(big.Int)
		for i := range len(s) {
			n.Mul(n, big.NewInt(int64(len(shape.digits))))
			n.Add(n, big.NewInt(int64(strings.IndexByte(shape.digits, s[i]))))
		}
		if n.BitLen() > map[string]int{"snowflake": 63, "uuid": 128, "ulid": 128}[shape.kind] {
			return "", "", nil
		}
		return shape.kind, spelled(shape.kind, n), n
	}
	return "", "", nil
}

// spelled returns the usual text of an id.
func spelled(kind string, n *big.Int) string {
	switch kind {
	case "uuid":
		s := fmt.Sprintf("%032x", n)
		return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
	case "ulid":
		var text []byte
		for rest := n; len(text) < 26; rest = new(big.Int).Rsh(rest, 5) {
			text = append(text, crockford[new(big.Int).And(rest, big.NewInt(31)).Int64()])
		}
		slices.Reverse(text)
		return string(text)
	}
	return n.String()
}
