package main

// This file contains the convert command, which writes an ID in a different form or as a different
// kind of ID.

import (
	"errors"
	"fmt"
	"slices"

	"github.com/oneclock/ids"
)

// convert writes IDs in a different form or as a different kind of ID.
func (t *tool) convert(args []string) error {
	fs := newFlags()
	fs.addForm()
	read, to := fs.addAs(), fs.addChoice("to", "", append([]string{"uuid", "ulid", "uuid1", "uuid6"}, formNames()...)...)
	texts, err := fs.parse(args)
	if err != nil {
		return err
	}
	if slices.Contains(formNames(), *to) {
		if *fs.form != "text" && *fs.form != *to {
			return usagef("-to %s and -format %s select different forms; use one of them", *to, *fs.form)
		}
		*fs.form, *to = *to, ""
	}
	return t.each(texts, func(text string) (string, error) {
		id, err := read(text)
		if err == nil && *to != "" {
			id, err = id.to(*to)
		}
		if err != nil {
			return "", err
		}
		return fs.write(id)
	})
}

// to converts an ID to a different kind. A conversion to uuid1 or uuid6 preserves the
// time, the clock sequence and the node. A conversion to uuid or ulid preserves the ID's bits.
func (id ident) to(kind string) (ident, error) {
	if id.kind == "snowflake" {
		return id, errors.New("a Snowflake has only 64 bits, so it cannot be converted to a UUID or a ULID")
	}
	convert := ids.UUID.ToV1
	switch kind {
	case "uuid", "ulid":
		id.kind = kind
		return id, nil
	case "uuid6":
		convert = ids.UUID.ToV6
	}
	u, ok := convert(id.bits)
	if !ok || id.kind == "ulid" {
		return id, fmt.Errorf("only a version 1 or 6 UUID can be converted to %s", kind)
	}
	return identOf(u), nil
}
