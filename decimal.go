package ids

import (
	"encoding/binary"
	"strconv"
)

// maxDigits is how many decimal digits the largest Snowflake has.
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

// encodeDecimal writes v < 10^20 as 20 digits, and returns the offset of the first one that is
// not a leading zero.
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
