package main

import (
	"time"

	"github.com/oneclock/ids"
)

// form is how a table stores a key.
type form int

const (
	formBytes   form = iota // 16 bytes: uuid, BINARY(16), BLOB
	formText                // the text form: 36 characters of a UUID, 26 of a ULID
	formInteger             // 64-bit integer
)

// scheme is one kind of key in one form of column. Each scheme gets a table of its own.
type scheme struct {
	name   string
	form   form
	length int // characters of the text form, 0 for the other forms

	// mint returns n new keys, each an [ids.UUID], [ids.ULID] or [ids.Snowflake].
	mint func(n int) []any
	// when returns the time in a key, and bounds the keys that enclose a span of time. Both are
	// nil for V4, which holds no time.
	when   func(key any) time.Time
	bounds func(from, to time.Time) (lo, hi any)
}

// schemes returns every scheme that the program compares, with Snowflakes minted by node.
func schemes(node *ids.SnowflakeNode) []scheme {
	mintV4 := func(n int) []any { return boxed(ids.AppendV4(nil, n)) }
	mintV7 := func(n int) []any { return boxed(ids.AppendV7(nil, n)) }
	mintULID := func(n int) []any { return boxed(ids.AppendULID(nil, n)) }

	whenV7 := func(key any) time.Time { t, _ := key.(ids.UUID).Time(); return t }
	whenULID := func(key any) time.Time { return key.(ids.ULID).Time() }

	boundsV7 := func(from, to time.Time) (any, any) { return ids.MinV7At(from), ids.MaxV7At(to) }
	boundsULID := func(from, to time.Time) (any, any) { return ids.MinULIDAt(from), ids.MaxULIDAt(to) }

	layout := node.Layout()
	return []scheme{
		{name: "v4", form: formBytes, mint: mintV4},
		{name: "v4_text", form: formText, length: 36, mint: mintV4},
		{name: "v7", form: formBytes, mint: mintV7, when: whenV7, bounds: boundsV7},
		{name: "v7_text", form: formText, length: 36, mint: mintV7, when: whenV7, bounds: boundsV7},
		{name: "ulid", form: formBytes, mint: mintULID, when: whenULID, bounds: boundsULID},
		{name: "ulid_text", form: formText, length: 26, mint: mintULID, when: whenULID, bounds: boundsULID},
		{
			name:   "snowflake",
			form:   formInteger,
			mint:   func(n int) []any { return boxed(node.Append(nil, n)) },
			when:   func(key any) time.Time { return layout.Split(key.(ids.Snowflake)).Time },
			bounds: func(from, to time.Time) (any, any) { return layout.MinAt(from), layout.MaxAt(to) },
		},
	}
}

// table returns the name of the scheme's table. The prefix keeps the program away from tables
// that are not its own.
func (s scheme) table() string { return "ids_example_" + s.name }

// binary wraps a UUID or a ULID so that it is written as 16 bytes instead of text.
func binary(key any) any {
	switch id := key.(type) {
	case ids.UUID:
		return binaryUUID(id)
	case ids.ULID:
		return binaryULID(id)
	}
	return key
}

// boxed turns a run of ids into values of type any, which is what drivers take.
func boxed[T any](run []T) []any {
	out := make([]any, len(run))
	for i, id := range run {
		out[i] = id
	}
	return out
}
