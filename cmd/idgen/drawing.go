package main

import (
	"fmt"
	"io"
)

// draw writes a view: its fields as a table, then each bit and below it the letter of its field.
func (v view) draw(out io.Writer, id []byte) {
	digits, keys := make([]byte, len(id)*8), make([]byte, len(id)*8)
	for i := range digits {
		digits[i] = '0' + bit(id, i)
	}
	for _, f := range v.Fields {
		n := 0
		for _, piece := range f.Bits {
			for i := piece[0]; i <= piece[1]; i++ {
				keys[i] = f.key
				n++
			}
		}
		size := fmt.Sprintf("%3d bits", n)
		switch n {
		case 0:
			size = " no bits"
		case 1:
			size = "  1 bit "
		}
		fmt.Fprintf(out, "    %c  %-14s  %s  %s", f.key, f.Name, size, f.Value)
		if f.Note != "" {
			fmt.Fprintf(out, "  (%s)", f.Note)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	for row := 0; row < len(digits); row += 32 {
		fmt.Fprintf(out, "  %5d  %s   %s\n", row, inBytes(digits[row:row+32]), inBytes(keys[row:row+32]))
	}
}

// inBytes returns 32 characters with a space between each eight.
func inBytes(b []byte) string {
	return string(b[:8]) + " " + string(b[8:16]) + " " + string(b[16:24]) + " " + string(b[24:])
}

// bit returns bit i of an id.
func bit(id []byte, i int) byte { return id[i/8] >> (7 - i%8) & 1 }

// hexOf returns some bits of an id as one number in hexadecimal, without leading digits that no
// bit is in.
func hexOf(id []byte, bits [][2]int) string {
	n := 0
	for _, piece := range bits {
		n += piece[1] - piece[0] + 1
	}
	digits := make([]byte, (n+3)/4)
	for _, piece := range bits {
		for i := piece[0]; i <= piece[1]; i++ {
			digit := &digits[len(digits)-(n+3)/4]
			*digit = *digit<<1 | bit(id, i)
			n--
		}
	}
	for i, digit := range digits {
		digits[i] = "0123456789abcdef"[digit]
	}
	return string(digits)
}
