package ids

import (
	"bytes"
	"fmt"
	"unsafe"
)

const (
	escape     = len(`\u00XX`) // the one form of escape in JSON that a character of an id has
	maxOwnText = 90            // the longest text of a type that embeds an id: a TypeID
)

// unquote returns what is within the quotes of a JSON string, unescaped into buf if that has room
// for all of it. Otherwise it is longer than what the caller accepts. The form is for errors.
func unquote(data, buf []byte, f form) ([]byte, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return nil, parseError(f, noQuotes, 0)
	}
	text := data[1 : len(data)-1]
	if len(text) > len(buf) || bytes.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	n := 0
	for ; len(text) > 0; n++ {
		if text[0] != '\\' {
			buf[n], text = text[0], text[1:]
			continue
		}
		if len(text) < escape || string(text[:4]) != `\u00` || hexValues[text[4]]|hexValues[text[5]] >= noDigit {
			return nil, parseError(f, badEscape, n)
		}
		buf[n], text = byte(hexValues[text[4]]<<4|hexValues[text[5]]), text[escape:]
	}
	return buf[:n], nil
}

// view returns b as a string without a copy, for calls that keep no part of it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// mustParse returns the id that s holds, or panics.
func mustParse[T any](parse func(s string) (T, error), s string) T {
	v, err := parse(s)
	if err != nil {
		panic(fmt.Errorf("%w: %q", err, s))
	}
	return v
}
