package docs

import (
	"crypto/md5"
	"crypto/sha1"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	bitcoin   = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// published are vectors that others have published, as parts of lines of the file: RFC 9562 (appendices A and B and section 5),
// the ULID specification, X, Discord, Instagram and Sonyflake, Python's documentation, and spec/valid.yml of TypeID 0.3.0.
var published = []string{
	`"c232ab00-9414-11ec-b3c8-9f6bdeced846","bytes":"c232ab00941411ecb3c89f6bdeced846","version":1,"variant":"RFC 9562"`,
	`"time":"2022-02-22T19:22:22Z","clock_sequence":13256,"node":"9f6bdeced846","v6":"1ec9414c-232a-6b00-b3c8-9f6bdeced846"`,
	`"017f22e2-79b0-7cc3-98c4-dc0c0c07398f","bytes":"017f22e279b07cc398c4dc0c0c07398f","version":7,"variant":"RFC 9562"`,
	`{"version":3,"namespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"www.example.com","text":"5df41881-3aed-3515-88a7-2f4a814cf09e"}`,
	`{"version":5,"namespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"www.example.com","text":"2ed6657d-e927-568b-95e1-2665a8aea6a2"}`,
	`{"version":3,"namespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"python.org","text":"6fa459ea-ee8a-3ca4-894e-db77e160355e"}`,
	`{"version":5,"namespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","name":"python.org","text":"886313e1-3b8a-5372-9b90-0c9aee199e5d"}`,
	`"01ARZ3NDEKTSV4RRFFQ69G5FAV","bytes":"01563e3ab5d3d6764c61efb99302bd5b","milliseconds":1469922850259`,
	`"text":"01BX5ZZKBKACTAV9WEVGEMMVRZ"`, `"next":"01BX5ZZKBKACTAV9WEVGEMMVS0"`,
	`"7ZZZZZZZZZZZZZZZZZZZZZZZZZ","bytes":"ffffffffffffffffffffffffffffffff","milliseconds":281474976710655`,
	`{"scheme":"ulid","time":"2016-06-13T13:25:20.894Z","min":"01AN4Z07BY0000000000000000","max":"01AN4Z07BYZZZZZZZZZZZZZZZZ"}`,
	`"1541815603606036480","bytes":"1565a11f6217a000","time":"2022-06-28T16:07:40.105Z","node":378,"sequence":0`,
	`{"layout":"discord","text":"175928847299117063","bytes":"0271065ac1020007","time":"2016-04-30T11:18:25.796Z","node":32,"sequence":7`,
	`{"name":"twitter","epoch":"2010-11-04T01:42:54.657Z","tick_milliseconds":1,"node_bits":10,"sequence_bits":12,"node_last":false}`,
	`{"name":"discord","epoch":"2015-01-01T00:00:00Z","tick_milliseconds":1,"node_bits":10,"sequence_bits":12,"node_last":false}`,
	`{"name":"instagram","epoch":"2011-08-24T21:07:01.721Z","tick_milliseconds":1,"node_bits":13,"sequence_bits":10,"node_last":false}`,
	`{"name":"sonyflake","epoch":"2014-09-01T00:00:00Z","tick_milliseconds":10,"node_bits":16,"sequence_bits":8,"node_last":true}`,
	`{"prefix":"","uuid":"00000000-0000-0000-0000-00000000000a","text":"0000000000000000000000000a"}`,
	`{"prefix":"","uuid":"00000000-0000-0000-0000-000000000010","text":"0000000000000000000000000g"}`,
	`{"prefix":"","uuid":"00000000-0000-0000-0000-000000000020","text":"00000000000000000000000010"}`,
	`{"prefix":"","uuid":"ffffffff-ffff-ffff-ffff-ffffffffffff","text":"7zzzzzzzzzzzzzzzzzzzzzzzzz"}`,
	`{"prefix":"prefix","uuid":"0110c853-1d09-52d8-d73e-1194e95b5f19","text":"prefix_0123456789abcdefghjkmnpqrs"}`,
	`{"prefix":"prefix","uuid":"01890a5d-ac96-774b-bcce-b302099a8057","text":"prefix_01h455vb4pex5vsknk084sn02q"}`,
	`{"prefix":"pre_fix","uuid":"00000000-0000-0000-0000-000000000000","text":"pre_fix_00000000000000000000000000"}`,
}

// judgeVectors judges the vectors by slow arithmetic, without the library.
func judgeVectors(t *testing.T, v *vectors) {
	file := string(v.lines(t))
	for _, part := range published {
		if !strings.Contains(file, part) {
			t.Errorf("it does not have %s", part)
		}
	}
	for i := range v.UUID {
		v.UUID[i].judge(t)
	}
	for _, e := range v.Named {
		data := append(fromHex(e.Namespace).FillBytes(make([]byte, 16)), e.Name...)
		h := md5.New()
		if e.Version == 5 {
			h = sha1.New()
		}
		h.Write(data)
		sum := h.Sum(nil)[:16]
		sum[6], sum[8] = sum[6]&15|byte(e.Version)<<4, sum[8]&63|128
		same(t, e.Text, "hash", fmt.Sprintf("%x", sum), strings.ReplaceAll(e.Text, "-", ""))
	}
	for _, e := range v.ULID {
		n := fromBase(crockford, e.Text)
		random := field(n, 0, 80)
		same(t, e.Text, "bytes", e.Bytes, fmt.Sprintf("%032x", n))
		same(t, e.Text, "milliseconds", e.Milliseconds, field(n, 80, 48).Int64())
		same(t, e.Text, "random", e.Random, fmt.Sprintf("%020x", random))
		same(t, e.Text, "base58", fromBase(bitcoin, e.Base58).String(), n.String())
		next := ""
		if e.Random != strings.Repeat("f", 20) {
			next = toBase(crockford, 26, new(big.Int).Add(n, big.NewInt(1)))
		}
		same(t, e.Text, "next", e.Next, next)
	}
	for _, e := range v.TypeID {
		digits := strings.TrimPrefix(strings.TrimPrefix(e.Text, e.Prefix), map[bool]string{true: "", false: "_"}[e.Prefix == ""])
		same(t, e.Text, "digits", digits, strings.ToLower(toBase(crockford, 26, fromHex(e.UUID))))
	}
	judgeSnowflakes(t, v)
	for _, e := range v.Accepted {
		digits := strings.ToLower(strings.NewReplacer("urn:uuid:", "", "URN:UUID:", "", "-", "", "{", "", "}", "").Replace(e.Input))
		want := strings.ToLower(strings.ReplaceAll(e.Text, "-", ""))
		switch e.Form {
		case "Snowflake":
			digits = strings.TrimLeft(digits, "0")
		case "Snowflake Base32":
			digits = fromBase(crockford, strings.ToUpper(digits)).String()
		}
		same(t, e.Input, "text", want, digits)
	}
	for _, e := range v.Bad {
		reason, at := verdict(e.Form, e.Prefix, e.Input)
		same(t, e.Input, "reason", e.Reason, reason)
		if (e.Offset != nil) != (reason == "character") || e.Offset != nil && *e.Offset != at {
			t.Errorf("%s %q: offset %v, want %d", e.Form, e.Input, e.Offset, at)
		}
	}
}

// judge takes the fields out of the number that a UUID is.
func (e *uuidVector) judge(t *testing.T) {
	n := fromHex(e.Text)
	same(t, e.Text, "bytes", e.Bytes, strings.ReplaceAll(e.Text, "-", ""))
	same(t, e.Text, "version", int64(e.Version), field(n, 76, 4).Int64())
	variants := []string{"NCS", "NCS", "NCS", "NCS", "RFC 9562", "RFC 9562", "Microsoft", "Future"}
	same(t, e.Text, "variant", e.Variant, variants[field(n, 61, 3).Int64()])
	same(t, e.Text, "base32", e.Base32, toBase(crockford, 26, n))
	same(t, e.Text, "base58", e.Base58, toBase(bitcoin, 22, n))
	low, mid, high := field(n, 96, 32).Int64(), field(n, 80, 16).Int64(), field(n, 64, 12).Int64()
	gregorian, at, timed := int64(0), time.Time{}, e.Variant == "RFC 9562"
	switch e.Version {
	case 1:
		gregorian = high<<48 | mid<<32 | low
		same(t, e.Text, "v6", strings.ReplaceAll(e.V6, "-", ""), fmt.Sprintf("%012x6%03x%s", gregorian>>12, gregorian&0xfff, e.Bytes[16:]))
	case 2:
		gregorian = high<<48 | mid<<32
	case 6:
		gregorian = low<<28 | mid<<12 | high
	case 7:
		at = time.UnixMilli(low<<16 | mid)
	default:
		timed = false
	}
	if e.Version != 7 {
		at = time.Unix(gregorian/1e7-12219292800, gregorian%1e7*100)
	}
	want := ""
	if timed && at.UTC().Year() < 10000 {
		want = at.UTC().Format(time.RFC3339Nano)
	}
	same(t, e.Text, "time", e.Time, want)
	if slices.Contains([]int{1, 6}, e.Version) && timed {
		same(t, e.Text, "clock sequence", int64(*e.Sequence), field(n, 48, 14).Int64())
		same(t, e.Text, "node", e.Node, fmt.Sprintf("%012x", field(n, 0, 48)))
	}
}

// judgeSnowflakes takes Snowflakes apart, and judges all bounds.
func judgeSnowflakes(t *testing.T, v *vectors) {
	layouts := map[string]layoutVector{}
	for _, l := range v.Layout {
		layouts[l.Name] = l
	}
	ticks := func(l layoutVector, at string) int64 {
		from, _ := time.Parse(time.RFC3339Nano, l.Epoch)
		to, err := time.Parse(time.RFC3339Nano, at)
		if err != nil {
			t.Error(err)
		}
		ms := to.UnixMilli() - from.UnixMilli()
		last := int64(1)<<(63-l.NodeBits-l.SequenceBits) - 1
		return max(0, min(last, (ms-(ms%l.Milliseconds+l.Milliseconds)%l.Milliseconds)/l.Milliseconds))
	}
	for _, e := range v.Snowflake {
		l := layouts[e.Layout]
		nodeShift, sequenceShift := l.SequenceBits, 0
		if l.NodeLast {
			nodeShift, sequenceShift = 0, l.NodeBits
		}
		n := ticks(l, e.Time)<<(l.NodeBits+l.SequenceBits) | e.Node<<nodeShift | e.Sequence<<sequenceShift
		same(t, e.Text, "fields", e.Text, fmt.Sprint(n))
		same(t, e.Text, "bytes", e.Bytes, fmt.Sprintf("%016x", n))
		same(t, e.Text, "base32", e.Base32, toBase(crockford, 13, big.NewInt(n)))
	}
	milliseconds := layoutVector{Epoch: "1970-01-01T00:00:00Z", Milliseconds: 1, NodeBits: 15} // 48 bits of time
	for _, e := range v.Bounds {
		ms := ticks(milliseconds, e.Time)
		switch e.Scheme {
		case "uuid7":
			same(t, e.Time, "least", strings.ReplaceAll(e.Min, "-", ""), fmt.Sprintf("%012x70008%015x", ms, 0))
			same(t, e.Time, "greatest", strings.ReplaceAll(e.Max, "-", ""), fmt.Sprintf("%012x7fffb%s", ms, strings.Repeat("f", 15)))
		case "ulid":
			same(t, e.Time, "least", e.Min, toBase(crockford, 10, big.NewInt(ms))+strings.Repeat("0", 16))
			same(t, e.Time, "greatest", e.Max, toBase(crockford, 10, big.NewInt(ms))+strings.Repeat("Z", 16))
		default:
			l := layouts[e.Scheme]
			n := ticks(l, e.Time) << (l.NodeBits + l.SequenceBits)
			same(t, e.Time, "least", e.Min, fmt.Sprint(n))
			same(t, e.Time, "greatest", e.Max, fmt.Sprint(n+1<<(l.NodeBits+l.SequenceBits)-1))
		}
	}
}

// verdict says what is wrong with an input, and at which byte if that is a character.
func verdict(form, prefix, input string) (reason string, at int) {
	alphabet, width, bits, text := "0123456789", len(input), 63, input
	switch form {
	case "UUID":
		return verdictUUID(input)
	case "UUID Base58", "ULID Base58":
		alphabet, width, bits = bitcoin, 22, 128
	case "ULID":
		alphabet, width, bits, text = crockford, 26, 128, strings.ToUpper(input)
	case "Snowflake Base32":
		alphabet, width, text = crockford, 13, strings.ToUpper(input)
	case "Snowflake":
		width = max(1, min(width, 19))
	case "TypeID":
		alphabet, width, bits = strings.ToLower(crockford), 26, 128
		if prefix != "" {
			prefix += "_"
		}
		if !strings.HasPrefix(input, prefix) {
			return "prefix", 0
		}
		text = input[len(prefix):]
	}
	if len(text) != width {
		return "length", 0
	}
	for i := range len(text) {
		if !strings.Contains(alphabet, text[i:i+1]) {
			return "character", len(prefix) + i
		}
	}
	if fromBase(alphabet, text).BitLen() > bits {
		return "range", 0
	}
	return "nothing", 0
}

// verdictUUID is verdict for the four forms of a UUID.
func verdictUUID(input string) (reason string, at int) {
	for _, form := range []string{
		"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}", "urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
	} {
		if len(form) != len(input) {
			continue
		}
		for i := range form {
			allowed := form[i : i+1]
			if allowed == "x" {
				allowed = "0123456789abcdef"
			}
			if !strings.Contains(allowed, strings.ToLower(input[i:i+1])) {
				return "character", i
			}
		}
		return "nothing", 0
	}
	return "length", 0
}

func same[T comparable](t *testing.T, vector, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s %v, want %v", vector, what, got, want)
	}
}

// field returns some bits of n, from the low one on.
func field(n *big.Int, low, width uint) *big.Int {
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1))
	return mask.And(mask, new(big.Int).Rsh(n, low))
}

func fromHex(text string) *big.Int {
	n, _ := new(big.Int).SetString(strings.ReplaceAll(text, "-", ""), 16)
	return n
}

// fromBase reads digits, and toBase writes them.
func fromBase(alphabet, text string) *big.Int {
	n := new(big.Int)
	for i := range len(text) {
		n.Mul(n, big.NewInt(int64(len(alphabet))))
		n.Add(n, big.NewInt(int64(strings.IndexByte(alphabet, text[i]))))
	}
	return n
}

func toBase(alphabet string, width int, n *big.Int) string {
	digits, digit := make([]byte, width), new(big.Int)
	for i := range digits {
		n, digit = new(big.Int).DivMod(n, big.NewInt(int64(len(alphabet))), digit)
		digits[width-1-i] = alphabet[digit.Int64()]
	}
	return string(digits)
}
