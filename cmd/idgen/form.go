package main

import (
	"encoding"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/oneclock/ids"
)

// An ident is an id of any scheme: an ids.UUID, an ids.ULID or an ids.Snowflake.
type ident interface {
	encoding.TextAppender
	fmt.Stringer
	Base58() string
}

// A form appends an id as text.
type form func(dst []byte, id ident) ([]byte, error)

// forms are the forms by name.
var forms = map[string]form{
	"text":   func(dst []byte, id ident) ([]byte, error) { return id.AppendText(dst) },
	"base58": func(dst []byte, id ident) ([]byte, error) { return append(dst, id.Base58()...), nil },
	"base32": func(dst []byte, id ident) ([]byte, error) {
		switch id := id.(type) {
		case ids.UUID:
			return id.ULID().AppendText(dst)
		case ids.Snowflake:
			return append(dst, id.Base32()...), nil
		}
		return id.AppendText(dst)
	},
	"hex": func(dst []byte, id ident) ([]byte, error) {
		if s, ok := id.(ids.Snowflake); ok {
			return fmt.Appendf(dst, "%#016x", uint64(s)), nil
		}
		return hex.AppendEncode(dst, bytesOf(id)), nil
	},
	"json": func(dst []byte, id ident) ([]byte, error) {
		dst, err := id.AppendText(append(dst, '"'))
		return append(dst, '"'), err
	},
	"urn": func(dst []byte, id ident) ([]byte, error) {
		if u, ok := id.(ids.UUID); ok {
			return append(dst, u.URN()...), nil
		}
		return dst, usageError("only a UUID can be written as urn")
	},
	"braces": func(dst []byte, id ident) ([]byte, error) {
		if u, ok := id.(ids.UUID); ok {
			return append(dst, "{"+u.String()+"}"...), nil
		}
		return dst, usageError("only a UUID can be written in braces")
	},
}

// formNames are the names of the forms, in the order in which they are shown.
var formNames = []string{"text", "base32", "base58", "hex", "json", "urn", "braces"}

// formNamed returns the form of the given name.
func formNamed(name string) (form, error) {
	if !slices.Contains(formNames, name) {
		return nil, usagef("-format %s is not %s", quoted(name), listed(formNames, "or"))
	}
	return forms[name], nil
}

// write writes one id as a line.
func (t *tool) write(write form, id ident) error {
	line, err := write(t.out.AvailableBuffer(), id)
	if err == nil {
		_, err = t.out.Write(append(line, '\n'))
	}
	return err
}

// bytesOf returns the bytes of an id, 16 or 8.
func bytesOf(id ident) []byte {
	switch id := id.(type) {
	case ids.UUID:
		return id[:]
	case ids.ULID:
		return id[:]
	}
	b, _ := id.(ids.Snowflake).MarshalBinary() // the error is always nil
	return b
}
