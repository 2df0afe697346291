package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oneclock/ids"
)

// minted returns the command of a scheme whose ids next makes. If at is not nil, it makes an id of a given time, of which
// at most so many differ.
func minted[T any](next func() T, at func(time.Time) (T, error), most int64) func(*tool, []string) error {
	return func(t *tool, args []string) error {
		fs := newFlags()
		n, when := fs.addCount(), &span{}
		if at != nil {
			when = fs.addTime("at")
		}
		if err := fs.parseAlone(args); err != nil {
			return err
		}
		if when.given {
			return t.mint(fs, *n, most, func() (any, error) { return at(when.begin) })
		}
		return t.mint(fs, *n, math.MaxInt64, func() (any, error) { return next(), nil })
	}
}

// mint writes n ids, one a line. There are not more than most.
func (t *tool) mint(fs *flags, n, most int64, next func() (any, error)) error {
	if n > most {
		return usagef("-n %d is too many: %s makes only %d ids of one time", n, t.name, most)
	}
	for range n {
		id, err := next()
		if err != nil {
			return usageError(err.Error())
		}
		line, err := fs.write(identOf(id))
		if err != nil {
			return usageError(err.Error())
		}
		if err := t.print(line + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// snowflake mints Snowflakes.
func (t *tool) snowflake(args []string) error {
	fs := newFlags()
	n, when, layout := fs.addCount(), fs.addTime("at"), fs.addLayout()
	var number *string // nil: not given
	fs.Func("node", "", func(s string) error {
		number = &s
		return nil
	})
	if err := fs.parseAlone(args); err != nil {
		return err
	}
	l := (*layout)[0].SnowflakeLayout
	id, err := t.nodeNumber(number, l)
	if err != nil {
		return err
	}
	if when.given {
		parts := ids.SnowflakeParts{Time: when.begin, Node: id, Sequence: -1}
		return t.mint(fs, *n, 1<<l.SequenceBits, func() (any, error) {
			parts.Sequence++
			return l.Compose(parts)
		})
	}
	node, err := ids.NewSnowflakeNode(id, &ids.SnowflakeOptions{Layout: l})
	if err != nil {
		return usageError(err.Error())
	}
	return t.mint(fs, *n, math.MaxInt64, func() (any, error) { return node.Next(), nil })
}

// nodeNumber returns the number that is given, or the one in the environment, or a random one, with a note unless the
// environment asks for it.
func (t *tool) nodeNumber(given *string, l ids.SnowflakeLayout) (int64, error) {
	from := "-node"
	if given == nil {
		from = "IDS_SNOWFLAKE_NODE"
		value, ok := os.LookupEnv(from)
		if !ok && l.NodeBits == 0 {
			return 0, nil // the one node
		}
		if !ok || value == "random" {
			n, err := rand.Int(rand.Reader, big.NewInt(1<<l.NodeBits))
			if err != nil {
				return 0, err
			}
			if !ok {
				const note = "idgen: note: node %d is random: another process may have it too. Give each its own by -node or $IDS_SNOWFLAKE_NODE\n"
				fmt.Fprintf(t.errs, note, n)
			}
			return n.Int64(), nil
		}
		given = &value
	}
	n, err := strconv.ParseUint(*given, 10, 63)
	if err != nil || n > 1<<l.NodeBits-1 {
		return 0, usagef("%s must be a number from 0 to %d, not %q", from, int64(1)<<l.NodeBits-1, *given)
	}
	return int64(n), nil
}

// uuid2 mints UUIDs of version 2.
func (t *tool) uuid2(args []string) error {
	fs := newFlags()
	domains := []string{"person", "group", "org"} // by number
	n, domain, local := fs.addCount(), fs.addChoice("domain", "person", domains...), fs.addNumber("local", -1, math.MaxUint32)
	if err := fs.parseAlone(args); err != nil {
		return err
	}
	if *local < 0 {
		return usageError("uuid2 needs -local, the number of a person, a group or an org")
	}
	d := ids.Domain(slices.Index(domains, *domain))
	// The sequence of version 2 has 6 bits, and its time is that of some 7 minutes.
	return t.mint(fs, *n, 1<<6, func() (any, error) { return ids.NewV2(d, uint32(*local)), nil })
}

// namespaces are the namespaces of versions 3 and 5 by name.
var namespaces = map[string]ids.UUID{
	"dns":  ids.NamespaceDNS(),
	"url":  ids.NamespaceURL(),
	"oid":  ids.NamespaceOID(),
	"x500": ids.NamespaceX500(),
}

// named returns the command of a version that hashes a namespace and a name.
func named(hash func(namespace ids.UUID, name string) ids.UUID) func(*tool, []string) error {
	return func(t *tool, args []string) error {
		fs := newFlags()
		fs.addForm()
		space := ids.NamespaceDNS()
		fs.Func("namespace", "", func(s string) (err error) {
			var known bool
			if space, known = namespaces[strings.ToLower(s)]; known {
				return nil
			}
			if space, err = ids.ParseUUID(s); err != nil {
				return errors.New("it must be dns, url, oid, x500 or a UUID")
			}
			return nil
		})
		names, err := fs.parse(args)
		if err != nil {
			return err
		}
		return t.each(names, func(name string) (string, error) {
			if !utf8.ValidString(name) || strings.ContainsRune(name, 0) { // as in UTF-16
				return "", errors.New("the name is not UTF-8 without a NUL")
			}
			return fs.write(identOf(hash(space, name)))
		})
	}
}

// uuid8 makes UUIDs of version 8 from the given bits.
func (t *tool) uuid8(args []string) error {
	fs := newFlags()
	fs.addForm()
	data, err := fs.parse(args)
	if err != nil {
		return err
	}
	return t.each(data, func(text string) (string, error) {
		id, err := read(text, "uuid")
		if err != nil {
			return "", err
		}
		return fs.write(identOf(ids.NewV8(id.bits)))
	})
}
