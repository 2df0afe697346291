package main

import (
	"errors"
	"fmt"

	"github.com/oneclock/ids"
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
