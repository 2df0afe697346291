package main

// This file defines the forms in which an ID can be written.

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// An ident is an ID of any kind.
type ident struct {
	kind   string        // uuid, ulid, typeid or snowflake
	bits   ids.UUID      // value of a UUID, a ULID or a TypeID
	prefix string        // prefix of a TypeID; valid or empty
	number ids.Snowflake // value of a Snowflake
}

// identOf converts a UUID, a ULID or a Snowflake to an ident. If id is an ident, identOf returns
// it unchanged.
func identOf(id any) ident {
	switch id := id.(type) {
	case ids.UUID:
		return ident{kind: "uuid", bits: id}
	case ids.ULID:
		return ident{kind: "ulid", bits: id.UUID()}
	case ids.Snowflake:
		return ident{kind: "snowflake", number: id}
	}
	return id.(ident)
}

// String returns the ID in the usual text form for its kind.
func (id ident) String() string {
	switch id.kind {
	case "ulid":
		return id.bits.ULID().String()
	case "typeid":
		text, _ := typeid.Join(id.prefix, id.bits) // the prefix is valid
		return text
	case "snowflake":
		return id.number.String()
	}
	return id.bits.String()
}

// forms lists the forms in which an ID can be written. Each form has one function for 128-bit IDs
// and one for Snowflakes.
var forms = []struct {
	name      string
	wide      func(ident) string
	snowflake func(ids.Snowflake) string // nil if Snowflakes have no such form
}{
	{"text", ident.String, ids.Snowflake.String},
	{"base32", func(id ident) string { return id.bits.ULID().String() }, ids.Snowflake.Base32},
	{"base58", func(id ident) string { return id.bits.Base58() }, nil},
	{"hex", func(id ident) string { return hex.EncodeToString(id.bits[:]) }, func(s ids.Snowflake) string { return fmt.Sprintf("%#016x", uint64(s)) }},
	{"urn", func(id ident) string { return id.bits.URN() }, nil},
	{"braces", func(id ident) string { return "{" + id.bits.String() + "}" }, nil},
	{"typeid", func(id ident) string { return ident{"typeid", id.bits, id.prefix, 0}.String() }, nil},
	{"guid", func(id ident) string { return hex.EncodeToString(swapped(id.bits)) }, nil},
	{"decimal", func(id ident) string { return new(big.Int).SetBytes(id.bits[:]).String() }, nil},
	{"base64", func(id ident) string { return base64.StdEncoding.EncodeToString(id.bits[:]) }, nil},
}

// formNames returns the names of the forms.
func formNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// write returns id in the given form.
func (id ident) write(form string) (string, error) {
	for _, f := range forms {
		switch {
		case f.name != form:
		case id.kind != "snowflake":
			return f.wide(id), nil
		case f.snowflake != nil:
			return f.snowflake(id.number), nil
		}
	}
	return "", fmt.Errorf("a Snowflake cannot be written as %s, which is for 128 bits", form)
}

// swapped converts the bytes of u from the usual order to Microsoft's order, or from Microsoft's
// order to the usual one.
func swapped(u ids.UUID) []byte {
	slices.Reverse(u[:4])
	slices.Reverse(u[4:6])
	slices.Reverse(u[6:8])
	return u[:]
}
