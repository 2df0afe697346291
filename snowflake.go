package ids

// This file contains the type Snowflake and its text and binary forms. The fields of a Snowflake
// are defined in layout.go, and the code that generates Snowflakes is in node.go.

import (
	"cmp"
	"encoding/binary"
	"strconv"
)

// Snowflake is a 63-bit integer that contains a time, a node number and a sequence. A
// [SnowflakeLayout] defines the widths of these fields, and its Split method returns their values.
// Snowflakes with the same layout sort by time. No Snowflake is negative. A negative number that
// was converted to a Snowflake can be encoded but not decoded.
//
// To define your own type, embed ids.Snowflake and nothing else in a struct. Do not embed
// snowflake.ID, because [Null] needs the field name Snowflake.
type Snowflake int64

// Compare returns -1 if s < t, 0 if they are equal and +1 if s > t.
func (s Snowflake) Compare(t Snowflake) int { return cmp.Compare(s, t) }

// IsZero reports whether s is 0. The omitzero option of package encoding/json uses it.
func (s Snowflake) IsZero() bool { return s == 0 }

// String returns s in decimal.
func (s Snowflake) String() string {
	return string(appendDecimal(make([]byte, 0, maxDigits+1), int64(s)))
}

// Base32 returns s as 13 characters of Crockford's Base32. These strings sort in the same order as
// the Snowflakes.
func (s Snowflake) Base32() string {
	var text [base32Len64]byte
	encodeBase32of64(&text, uint64(s))
	return string(text[:])
}

// AppendText appends s.String(). The error is always nil.
func (s Snowflake) AppendText(b []byte) ([]byte, error) { return appendDecimal(b, int64(s)), nil }

// textForm returns the form to report in errors about a Snowflake's text.
func (Snowflake) textForm() form { return snowflakeText }

// MarshalText returns s.String(). The error is always nil.
func (s Snowflake) MarshalText() ([]byte, error) { return s.AppendText(make([]byte, 0, 20)) }

// UnmarshalText sets s to the Snowflake that [ParseSnowflake] returns for text. After an error, s
// is unchanged.
func (s *Snowflake) UnmarshalText(text []byte) error { return s.parse(view(text)) }

// MarshalJSON returns s as a decimal number in quotes, because JavaScript rounds integers above
// 2^53. The error is always nil.
func (s Snowflake) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 22), '"')
	return append(appendDecimal(b, int64(s)), '"'), nil
}

// UnmarshalJSON reads a decimal number, with or without quotes. A JSON null leaves s unchanged; to
// detect a null, use a pointer or a [Null]. After an error, s is unchanged.
func (s *Snowflake) UnmarshalJSON(data []byte) (err error) {
	if string(data) == "null" {
		return nil
	}
	if len(data) == 0 || data[0] == '"' {
		var buf [(1 + maxDigits) * escape]byte // includes a sign, which has its own error
		if data, err = unquote(data, buf[:], snowflakeText); err != nil {
			return err
		}
	}
	return s.parse(view(data))
}

// AppendBinary appends the 8 bytes of s, big-endian. The error is always nil.
func (s Snowflake) AppendBinary(b []byte) ([]byte, error) {
	return binary.BigEndian.AppendUint64(b, uint64(s)), nil
}

// MarshalBinary returns the 8 bytes of s, big-endian. The error is always nil.
func (s Snowflake) MarshalBinary() ([]byte, error) { return s.AppendBinary(make([]byte, 0, 8)) }

// UnmarshalBinary sets s to the 8 bytes of data, big-endian. After an error, s is unchanged.
func (s *Snowflake) UnmarshalBinary(data []byte) error {
	if len(data) != 8 {
		return parseError(snowflakeBinary, wrongLength, len(data))
	}
	v := binary.BigEndian.Uint64(data)
	if v>>63 != 0 {
		return parseError(snowflakeBinary, negative, 0)
	}
	*s = Snowflake(v)
	return nil
}

// ParseSnowflake reads a decimal number of 1 to 19 digits, from 0 to 9223372036854775807. The error
// is a *[ParseError].
func ParseSnowflake(s string) (Snowflake, error) {
	start := 0
	if len(s) > 1 && s[0] == '-' {
		start = 1 // there is a separate error for a negative number
	}
	if len(s) == 0 || len(s) > start+maxDigits {
		return 0, parseError(snowflakeText, wrongLength, len(s))
	}
	var v uint64
	for i := start; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			if start > 0 {
				i = 0 // the sign is also wrong
			}
			return 0, parseError(snowflakeText, notDecimal, i)
		}
		v = v*10 + uint64(d)
	}
	switch {
	case start > 0:
		return 0, parseError(snowflakeText, negative, 0)
	case v>>63 != 0:
		return 0, parseError(snowflakeText, tooLarge, 0)
	}
	return Snowflake(v), nil
}

// parse sets s to the Snowflake in text. After an error, s is unchanged.
func (s *Snowflake) parse(text string) error {
	v, err := ParseSnowflake(text)
	if err == nil {
		*s = v
	}
	return err
}

// MustParseSnowflake is like [ParseSnowflake] but panics if s is invalid. The panic value is an
// error that quotes s.
func MustParseSnowflake(s string) Snowflake { return mustParse(ParseSnowflake, s) }

// ParseSnowflakeBase32 reads the 13 characters that [Snowflake.Base32] returns, in upper or lower
// case. The error is a *[ParseError].
func ParseSnowflakeBase32(s string) (Snowflake, error) {
	v, err := decodeBase32to64(s, snowflakeBase32)
	if v>>63 != 0 {
		return 0, parseError(snowflakeBase32, tooLarge, 0)
	}
	return Snowflake(v), err
}

// maxDigits is the number of decimal digits of the largest Snowflake.
const maxDigits = 19

var decimalPairs = [100]uint16(pairs("0123456789"))

// appendDecimal appends v in decimal.
func appendDecimal(b []byte, v int64) []byte {
	if v < 0 {
		return strconv.AppendInt(b, v, 10)
	}
	var text [maxDigits + 1]byte
	return append(b, text[encodeDecimal(&text, uint64(v)):]...)
}

// encodeDecimal writes v < 10^20 as 20 digits and returns the offset of the first digit that is not
// a leading zero.
func encodeDecimal(text *[maxDigits + 1]byte, v uint64) (start int) {
	le := binary.LittleEndian
	top, rest := v/1e16, v%1e16
	le.PutUint16(text[0:], decimalPairs[top/100])
	le.PutUint16(text[2:], decimalPairs[top%100])
	putDecimal((*[8]byte)(text[4:]), uint32(rest/1e8))
	putDecimal((*[8]byte)(text[12:]), uint32(rest%1e8))
	for start < maxDigits && text[start] == '0' {
		start++
	}
	return start
}

// putDecimal writes x < 10^8 as eight digits.
func putDecimal(text *[8]byte, x uint32) {
	le := binary.LittleEndian
	upper, lower := x/1e4, x%1e4
	le.PutUint16(text[0:], decimalPairs[upper/100])
	le.PutUint16(text[2:], decimalPairs[upper%100])
	le.PutUint16(text[4:], decimalPairs[lower/100])
	le.PutUint16(text[6:], decimalPairs[lower%100])
}
