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

// parse sets dst to the id that s holds as text. On an error dst keeps its value. Each case writes
// to dst itself: to copy an id that was just written as two halves makes the processor wait.
func parse(dst any, s string) (err error) {
	switch p := dst.(type) {
	case *UUID:
		err = p.parse(s)
	case *ULID:
		err = p.parse(s)
	case *Snowflake:
		var v Snowflake
		if v, err = ParseSnowflake(s); err == nil {
			*p = v
		}
	case *Binary[UUID]:
		err = parse(&p.ID, s)
	case *Binary[ULID]:
		err = parse(&p.ID, s)
	}
	return err
}

// inJSON returns the first of the problems of an id in JSON. Structs that embed the id have it too.
func (UUID) inJSON() problem      { return uuidJSON }
func (ULID) inJSON() problem      { return ulidJSON }
func (Snowflake) inJSON() problem { return snowflakeJSON }

func (Binary[T]) inJSON() problem {
	if _, ok := any((*T)(nil)).(*UUID); ok {
		return uuidJSON
	}
	return ulidJSON
}

// jsonProblem returns the first of the problems of any id in JSON.
func jsonProblem(id any) problem {
	if id, ok := id.(interface{ inJSON() problem }); ok {
		return id.inJSON()
	}
	return otherJSON
}

// unquote returns what is within the quotes of a JSON string, unescaped into buf if that has room
// for all of it. Otherwise it is longer than what the caller accepts. p is the first of the problems of
// the id in JSON.
func unquote(data, buf []byte, p problem) ([]byte, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return nil, parseError(p, 0)
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
			return nil, parseError(p+badEscape, n)
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

// must returns v, or panics with err.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
