package main

import (
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// conversions are the kinds that ids can be converted to.
var conversions = map[string]func(ident) (ident, error){
	"":     func(id ident) (ident, error) { return id, nil },
	"uuid": func(id ident) (ident, error) { return asUUID(id) },
	"ulid": func(id ident) (ident, error) {
		u, err := asUUID(id)
		return u.ULID(), err
	},
	"uuid1": func(id ident) (ident, error) { return sameTime(id, 1, ids.UUID.ToV1) },
	"uuid6": func(id ident) (ident, error) { return sameTime(id, 6, ids.UUID.ToV6) },
}

// asUUID returns the UUID with the bits of id.
func asUUID(id ident) (ids.UUID, error) {
	if u, ok := uuidOf(id); ok {
		return u, nil
	}
	if l, ok := id.(ids.ULID); ok {
		return l.UUID(), nil
	}
	return ids.UUID{}, errors.New("a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID")
}

// uuidOf returns the UUID that id is, with or without a prefix, and whether it is one.
func uuidOf(id ident) (u ids.UUID, ok bool) {
	switch id := id.(type) {
	case ids.UUID:
		return id, true
	case typeID:
		return id.UUID, true
	}
	return u, false
}

// sameTime returns the UUID of the given version with the time, clock sequence and node of id.
func sameTime(id ident, version int, convert func(ids.UUID) (ids.UUID, bool)) (ident, error) {
	u, err := asUUID(id)
	if err != nil {
		return nil, err
	}
	if _, ok := id.(ids.ULID); ok {
		return nil, errors.New("a ULID has no version, and only versions 1 and 6 can be converted to each other")
	}
	v, ok := convert(u)
	if !ok {
		this := fmt.Sprintf("version %d", u.Version())
		if u.Variant() != ids.VariantRFC9562 {
			this = "a UUID without a version"
		}
		return nil, fmt.Errorf("only versions 1 and 6 can be converted to version %d; this is %s", version, this)
	}
	return v, nil
}

// convert writes ids in another form or as another kind.
func (t *tool) convert(args []string) error {
	fs := formFlags()
	to := fs.choice("to", "", []string{"uuid", "ulid", "uuid1", "uuid6"})
	as := fs.addAs()
	texts, write, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	turn, ways := conversions[*to], readingsAs(*as)
	t.aligned = true
	return t.inputs(texts, func(in input) error {
		id, _, err := ways.read(in.text)
		if err != nil {
			return err
		}
		if id, err = turn(id); err != nil {
			return err
		}
		return t.write(write, id)
	})
}

// An ident is an id of any scheme: an ids.UUID, an ids.ULID, an ids.Snowflake or a typeID.
type ident interface {
	encoding.TextAppender
	fmt.Stringer
}

// A typeID is a UUID with a valid prefix, or none.
type typeID struct {
	ids.UUID
	prefix string
}

func (id typeID) AppendText(dst []byte) ([]byte, error) {
	text, err := typeid.Join(id.prefix, id.UUID)
	return append(dst, text...), err
}

func (id typeID) String() string {
	text, _ := id.AppendText(nil) // the prefix is valid
	return string(text)
}

// A form appends an id as text.
type form func(dst []byte, id ident) ([]byte, error)

// forms are the forms by name.
var forms = map[string]form{
	"text": func(dst []byte, id ident) ([]byte, error) { return id.AppendText(dst) },
	"base58": func(dst []byte, id ident) ([]byte, error) {
		if wide, ok := id.(interface{ Base58() string }); ok {
			return append(dst, wide.Base58()...), nil
		}
		return dst, usageError("only a UUID or a ULID can be written as base58: it is for 128 bits")
	},
	"base32": func(dst []byte, id ident) ([]byte, error) {
		if s, ok := id.(ids.Snowflake); ok {
			return append(dst, s.Base32()...), nil
		}
		u, err := asUUID(id)
		return append(dst, u.ULID().String()...), err
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
		if u, ok := uuidOf(id); ok {
			return append(dst, u.URN()...), nil
		}
		return dst, usageError("only a UUID can be written as urn")
	},
	"braces": func(dst []byte, id ident) ([]byte, error) {
		if u, ok := uuidOf(id); ok {
			return append(dst, "{"+u.String()+"}"...), nil
		}
		return dst, usageError("only a UUID can be written in braces")
	},
	"typeid": func(dst []byte, id ident) ([]byte, error) {
		if _, ok := id.(typeID); ok {
			return id.AppendText(dst)
		}
		u, err := asUUID(id)
		if err != nil {
			return dst, usageError("only a UUID or a ULID can be written as typeid")
		}
		return typeID{UUID: u}.AppendText(dst)
	},
}

// formNames are the names of the forms, in the order in which they are shown.
var formNames = []string{"text", "base32", "base58", "hex", "json", "urn", "braces", "typeid"}

// prefixForms are the names of the forms that have the prefix of a TypeID.
var prefixForms = []string{"text", "json", "typeid"}

// form returns the form that the options ask for. With a prefix the id is a TypeID, whatever it was before.
func (fs *flags) form() (form, error) {
	write := forms[*fs.format]
	if *fs.prefix == "" {
		return write, nil
	}
	if _, err := typeid.Join(*fs.prefix, ids.UUID{}); err != nil {
		return nil, usagef("-prefix %s: %s", quoted(*fs.prefix), strings.TrimPrefix(err.Error(), "typeid: "))
	}
	if !slices.Contains(prefixForms, *fs.format) {
		return nil, usagef("-format %s has no prefix: leave out -prefix, or use -format %s", *fs.format, listed(prefixForms, "or"))
	}
	return func(dst []byte, id ident) ([]byte, error) {
		u, err := asUUID(id)
		if err != nil {
			return dst, usageError("only a UUID or a ULID can have a prefix")
		}
		return write(dst, typeID{u, *fs.prefix})
	}, nil
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
	case typeID:
		return id.UUID[:]
	}
	b, _ := id.(ids.Snowflake).MarshalBinary() // the error is always nil
	return b
}
