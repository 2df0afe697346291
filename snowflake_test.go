package ids_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestSnowflakeVectors takes published ids apart, puts them together again, and mints them at
// their time.
func TestSnowflakeVectors(t *testing.T) {
	for _, c := range []struct {
		id     string
		layout ids.SnowflakeLayout
		parts  ids.SnowflakeParts
	}{
		{"1541815603606036480", ids.TwitterLayout(), ids.SnowflakeParts{
			Time: time.Date(2022, 6, 28, 16, 7, 40, 105e6, time.UTC), Node: 378, Sequence: 0}},
		{"175928847299117063", ids.DiscordLayout(), ids.SnowflakeParts{
			Time: time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC), Node: 1 << 5, Sequence: 7}},
	} {
		s, err := ids.ParseSnowflake(c.id)
		if err != nil || s.String() != c.id {
			t.Errorf("ParseSnowflake(%s) = %v, %v", c.id, s, err)
		}
		if got := c.layout.Split(s); got != c.parts {
			t.Errorf("Split(%s) = %v, want %v", c.id, got, c.parts)
		}
		if got, err := c.layout.Compose(c.parts); got != s || err != nil {
			t.Errorf("Compose(%v) = %v, %v, want %s", c.parts, got, err, c.id)
		}
		n := newNode(t, c.parts.Node, &ids.SnowflakeOptions{Layout: c.layout, Clock: stopped(c.parts.Time)})
		minted := n.Append(nil, int(c.parts.Sequence)+1)
		if got := minted[len(minted)-1]; got != s {
			t.Errorf("minted %v, want %s", got, c.id)
		}
	}
	s := ids.Snowflake(1541815603606036480)
	parts := partsOf(s)
	datacenter, worker := ids.TwitterDatacenterWorker(parts.Node)
	if parts != (ids.SnowflakeParts{Time: time.Date(2022, 6, 28, 16, 7, 40, 105e6, time.UTC), Node: 378}) || datacenter != 11 || worker != 26 {
		t.Errorf("%v: %v, datacenter %d, worker %d", s, parts, datacenter, worker)
	}
}

// TestNegativeSnowflake writes Snowflakes that only a conversion makes: as the integers that they
// are, in each form alike.
func TestNegativeSnowflake(t *testing.T) {
	for v, want := range map[ids.Snowflake]string{-1: "-1", -10: "-10", math.MinInt64: "-9223372036854775808"} {
		appended, err := v.AppendText([]byte("x"))
		quoted, err2 := v.MarshalJSON()
		if v.String() != want || string(appended) != "x"+want || string(quoted) != `"`+want+`"` || err != nil || err2 != nil {
			t.Errorf("String %s, AppendText %s, MarshalJSON %s, want %s", v, appended, quoted, want)
		}
	}
	// Base32, which has no sign, writes the 64 bits, and does not read them.
	if s := ids.Snowflake(-1); s.Base32() != "FZZZZZZZZZZZZ" {
		t.Errorf("Snowflake(-1): %q", s.Base32())
	}
}

// TestTwitterNumber goes through all node numbers, and past their ends, there and back.
func TestTwitterNumber(t *testing.T) {
	next := int64(0)
	for d := range int64(32) {
		for w := range int64(32) {
			if number, err := ids.TwitterNumber(d, w); number != next || err != nil {
				t.Errorf("TwitterNumber(%d, %d) = %d, %v, want %d", d, w, number, err, next)
			}
			if gotD, gotW := ids.TwitterDatacenterWorker(next); gotD != d || gotW != w {
				t.Errorf("TwitterDatacenterWorker(%d) = %d, %d, want %d, %d", next, gotD, gotW, d, w)
			}
			next++
		}
	}
	for _, c := range []struct {
		d, w    int64
		message string
	}{
		{-1, 0, "datacenter -1 is not within 0 to 31"},
		{32, 0, "datacenter 32 is not within 0 to 31"},
		{math.MinInt64, 0, "datacenter -9223372036854775808 is not within 0 to 31"},
		{0, -1, "worker -1 is not within 0 to 31"},
		{0, 32, "worker 32 is not within 0 to 31"},
		{0, math.MaxInt64, "worker 9223372036854775807 is not within 0 to 31"},
		{64, 64, "datacenter 64 is not within 0 to 31"},
	} {
		number, err := ids.TwitterNumber(c.d, c.w)
		if !errors.Is(err, ids.ErrRange) || number != 0 || err.Error() != "ids: "+c.message {
			t.Errorf("TwitterNumber(%d, %d) = %d, %v, want %q", c.d, c.w, number, err, c.message)
		}
	}
	// A number that no Snowflake of the layout has is of a datacenter that there is not.
	for _, number := range []int64{-1, -32, -1024, 1024, 1055, math.MinInt64, math.MaxInt64} {
		d, w := ids.TwitterDatacenterWorker(number)
		if d >= 0 && d <= 31 || w < 0 || w > 31 {
			t.Errorf("TwitterDatacenterWorker(%d) = %d, %d", number, d, w)
		}
	}
}

// TestSnowflakeForms reads what is accepted, and names what is not, as text for people to check.
func TestSnowflakeForms(t *testing.T) {
	for s, want := range map[string]ids.Snowflake{
		"0": 0, "7": 7, "9223372036854775807": math.MaxInt64, "0000000000000000007": 7, "1541815603606036480": 1541815603606036480,
	} {
		if got, err := ids.ParseSnowflake(s); got != want || err != nil {
			t.Errorf("ParseSnowflake(%q) = %v, %v", s, got, err)
		}
		if got := ids.MustParseSnowflake(s); got != want {
			t.Errorf("MustParseSnowflake(%q) = %v", s, got)
		}
	}
	for _, c := range []struct {
		what, s string
		err     error
		at      int
	}{
		{"empty", "", ids.ErrLength, 0},
		{"below 0", "-1", ids.ErrRange, 0},
		{"2^63", "9223372036854775808", ids.ErrRange, 0},
		{"2^64 and 1, which wraps to 1", "18446744073709551617", ids.ErrLength, 20},
		{"20 digits with leading zeros", "00000000000000000007", ids.ErrLength, 20},
		{"plus sign", "+1", ids.ErrSyntax, 0},
		{"minus sign alone", "-", ids.ErrSyntax, 0},
		{"negative and not a number", "-12a4", ids.ErrSyntax, 3},
		{"space before", " 1", ids.ErrSyntax, 0},
		{"line feed", "1\n", ids.ErrSyntax, 1},
		{"exponent", "1e3", ids.ErrSyntax, 1},
		{"character after 9", "1:", ids.ErrSyntax, 1},
		{"letter after 20 digits", "12345678901234567890x", ids.ErrLength, 21},
		{"minus sign and a letter as the 19th digit", "-123456789012345678x", ids.ErrSyntax, 19},
		{"full-width digit", "\uff11", ids.ErrSyntax, 0},
		{"NUL", "1\x00", ids.ErrSyntax, 1},
		{"64 KiB of digits", strings.Repeat("1", 64<<10), ids.ErrLength, 45},
		{"minus sign and 64 KiB of digits", "-" + strings.Repeat("1", 64<<10), ids.ErrLength, 45},
	} {
		checkRefused(t, formSnowflake, c.s, c.err, c.at, ids.ParseSnowflake, ids.MustParseSnowflake)
	}
}

// TestSnowflakeJSON reads quoted and bare numbers, and writes quoted ones.
func TestSnowflakeJSON(t *testing.T) {
	const most = ids.Snowflake(math.MaxInt64)
	if b, err := json.Marshal(most); string(b) != `"9223372036854775807"` || err != nil {
		t.Errorf("json.Marshal = %s, %v", b, err)
	}
	for _, c := range []struct {
		data string
		want ids.Snowflake
	}{
		{`"9223372036854775807"`, most},
		{` 7 `, 7},
		{`"\u0031\u0032"`, 12}, // what some encoder may write
		{"null", 42},           // as encoding/json has it
	} {
		s := ids.Snowflake(42)
		if err := json.Unmarshal([]byte(c.data), &s); s != c.want || err != nil {
			t.Errorf("json.Unmarshal(%s) = %v, %v, want %v", c.data, s, err, c.want)
		}
	}
	// The string option, which integers need and a Snowflake does not, changes nothing.
	optional := struct {
		ID ids.Snowflake `json:",string"`
	}{most}
	if b, err := json.Marshal(optional); string(b) != `{"ID":"9223372036854775807"}` || err != nil {
		t.Errorf("json.Marshal with the string option = %s, %v", b, err)
	}
	if err := json.Unmarshal([]byte(`{"ID":"42"}`), &optional); optional.ID != 42 || err != nil {
		t.Errorf("json.Unmarshal with the string option = %v, %v", optional, err)
	}
	// What encoding/json does not hand over.
	for _, data := range []string{"", `"`, `"1`, `1"`, `"1"x`, " 1", `"\"`, `"\x31"1`, `"\x31"`, `"\061"`, `"\U00000031"`, `"1\\"`, `?f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`} {
		s := ids.Snowflake(42)
		if err := s.UnmarshalJSON([]byte(data)); !errors.Is(err, ids.ErrSyntax) || s != 42 {
			t.Errorf("UnmarshalJSON(%q) = %v, %v, want ErrSyntax", data, s, err)
		}
		var n ids.Null[ids.UUID]
		if err := n.UnmarshalJSON([]byte(data)); !errors.Is(err, ids.ErrSyntax) || n.Valid {
			t.Errorf("UnmarshalJSON(%q) into a Null = %v, %v, want ErrSyntax", data, n, err)
		}
	}
}

// TestJSONEscapes reads ids with each of their characters escaped, as encoding/json does, and
// names the first escape that no character of an id has, by its place within the quotes.
func TestJSONEscapes(t *testing.T) {
	const number = ids.Snowflake(math.MaxInt64)
	u := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	for _, format := range []string{`\u%04x`, `\u%04X`} {
		escape := func(s string) []byte {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, format, s[i])
			}
			return []byte(`"` + b.String() + `"`)
		}
		var s ids.Snowflake
		if err := s.UnmarshalJSON(escape(number.String())); s != number || err != nil {
			t.Errorf("escaped Snowflake: %v, %v", s, err)
		}
		if err := s.UnmarshalJSON(escape((-number).String())); !isOnly(err, ids.ErrRange) || s != number {
			t.Errorf("escaped negative Snowflake: %v, %v, want ErrRange", s, err)
		}
		for _, text := range []string{u.String(), u.URN(), strings.ToUpper(u.URN())} {
			var n ids.Null[ids.UUID]
			data := escape(text)
			if err := n.UnmarshalJSON(data); n.ID != u || err != nil {
				t.Errorf("escaped %s: %v, %v", text, n, err)
			}
			if allocs := testing.AllocsPerRun(100, func() { n.UnmarshalJSON(data) }); allocs != 0 {
				t.Errorf("escaped %s: %v allocations", text, allocs)
			}
		}
		var n ids.Null[ids.UUID]
		if err := n.UnmarshalJSON(escape(u.URN() + "0")); !isOnly(err, ids.ErrLength) || n.Valid {
			t.Errorf("escaped URN and a digit: %v, %v", n, err)
		}
	}
	for _, bad := range []string{`\n`, `\/`, `\"`, `\\`, `\x31`, `\061`, `\U00000031`, `\u0131`, `\u1031`, `\u00`, `\u003`, `\u00g1`, `\u003g`, `\u000g`, `\`} {
		s := ids.Snowflake(42)
		err := s.UnmarshalJSON([]byte(`"1\u0032` + bad + `"`))
		var pe *ids.ParseError
		if !errors.As(err, &pe) || pe.Scheme() != "Snowflake" || !isOnly(err, ids.ErrSyntax) || s != 42 {
			t.Errorf("escape %s: %v, %v", bad, s, err)
			continue
		}
		if offset, ok := pe.Offset(); offset != 2 || !ok {
			t.Errorf("escape %s: offset %d, %t, want 2", bad, offset, ok)
		}
	}
}
