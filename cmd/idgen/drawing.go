package main

import (
	"fmt"
	"io"
	"slices"
)

// draw writes a view: its fields as a table, then each bit and below it the letter of its field.
func (v view) draw(out io.Writer, id []byte) {
	for _, f := range v.fields {
		fmt.Fprintf(out, "    %c  %-14s  %s  %s", f.key, f.name, size(f.spans), f.value)
		if f.note != "" {
			fmt.Fprintf(out, "  (%s)", f.note)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	digits, keys := make([]byte, len(id)*8), v.keys(len(id)*8)
	for i := range digits {
		digits[i] = '0' + bit(id, i)
	}
	for row := 0; row < len(digits); row += 32 {
		fmt.Fprintf(out, "  %5d  %s   %s\n", row, inBytes(digits[row:row+32]), inBytes(keys[row:row+32]))
	}
}

// inBytes returns 32 characters with a space between each eight.
func inBytes(b []byte) string {
	return string(b[:8]) + " " + string(b[8:16]) + " " + string(b[16:24]) + " " + string(b[24:])
}

// keys returns the letter of each bit.
func (v view) keys(bits int) []byte {
	keys := make([]byte, bits)
	for _, f := range v.fields {
		for _, s := range f.spans {
			for i := s.from; i <= s.to; i++ {
				keys[i] = f.key
			}
		}
	}
	return keys
}

// size returns how many bits there are in spans, in words of one width.
func size(spans []span) string {
	n := 0
	for _, s := range spans {
		n += s.to - s.from + 1
	}
	switch n {
	case 0:
		return " no bits"
	case 1:
		return "  1 bit "
	}
	return fmt.Sprintf("%3d bits", n)
}

// bit returns bit i of an id.
func bit(id []byte, i int) byte { return id[i/8] >> (7 - i%8) & 1 }

// hexOf returns the bits of spans as one number in hexadecimal, without leading digits that no
// bit is in.
func hexOf(id []byte, spans []span) string {
	var digits []byte
	var digit, n byte
	for _, s := range slices.Backward(spans) {
		for i := s.to; i >= s.from; i-- {
			digit |= bit(id, i) << n
			if n++; n == 4 {
				digits = append(digits, "0123456789abcdef"[digit])
				digit, n = 0, 0
			}
		}
	}
	if n > 0 {
		digits = append(digits, "0123456789abcdef"[digit])
	}
	slices.Reverse(digits)
	return string(digits)
}
