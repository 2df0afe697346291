package main

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/oneclock/ids"
)

// namespaces are the namespaces of versions 3 and 5 by name.
var namespaces = map[string]ids.UUID{
	"dns":  ids.NamespaceDNS(),
	"url":  ids.NamespaceURL(),
	"oid":  ids.NamespaceOID(),
	"x500": ids.NamespaceX500(),
}

// named returns the command of a version that hashes a namespace and a name.
func named(make func(namespace ids.UUID, name string) ids.UUID) func(*tool, []string) error {
	return func(t *tool, args []string) error {
		fs := formFlags()
		namespace := fs.choice("namespace", "dns", nil)
		names, write, err := t.parse(fs, args)
		if err != nil {
			return err
		}
		space, ok := namespaces[strings.TrimPrefix(*namespace, "@")] // uuidgen has the names with an @
		if !ok {
			if space, err = ids.ParseUUID(*namespace); err != nil {
				return usagef("-namespace %s is not dns, url, oid, x500 or a UUID", quoted(*namespace))
			}
		}
		return t.names(names, func(in input) error {
			if !utf8.ValidString(in.text) || strings.ContainsRune(in.text, 0) { // as in UTF-16
				return errors.New("the name is not UTF-8 without a NUL")
			}
			return t.write(write, make(space, in.text))
		})
	}
}

// uuid8 makes UUIDs of version 8 from the given bits.
func (t *tool) uuid8(args []string) error {
	data, write, err := t.parse(formFlags(), args)
	if err != nil {
		return err
	}
	return t.inputs(data, func(in input) error {
		bits, err := ids.ParseUUID(in.text)
		if err != nil {
			return refused(err, "32 hexadecimal digits", 0)
		}
		return t.write(write, ids.NewV8(bits))
	})
}
