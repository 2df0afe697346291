package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oneclock/ids"
)

// batch is how many ids are made at a time.
const batch = 256

// runs returns the command of a scheme whose ids appendRun appends. If at is not nil, it returns an id of a given
// time, and most of them differ.
func runs[T ident](appendRun func([]T, int) []T, at func(time.Time) (T, error), most int) func(*tool, []string) error {
	return func(t *tool, args []string) error {
		fs := mintFlags()
		if at != nil {
			fs.addAt()
		}
		_, write, err := t.parse(fs, args)
		if err != nil {
			return err
		}
		if fs.at == nil {
			return mint(t, *fs.n, write, appendRun)
		}
		return mintAt(t, *fs.n, most, write, func(int) (T, error) { return at(*fs.at) })
	}
}

// oneByOne returns a function that appends what next returns.
func oneByOne[T ident](next func() T) func([]T, int) []T {
	return func(dst []T, n int) []T {
		for range n {
			dst = append(dst, next())
		}
		return dst
	}
}

// mint writes n ids, one a line, after the note on them if there is one.
func mint[T ident](t *tool, n int, write form, appendRun func([]T, int) []T) error {
	ids, line := make([]T, batch), make([]byte, 0, 64)
	if _, err := write(line, ids[0]); err != nil { // the scheme does not have the form
		return err
	}
	if n > 0 {
		fmt.Fprint(t.errs, t.note)
	}
	for left := n; left > 0; left -= len(ids) {
		ids = appendRun(ids[:0], min(left, batch))
		for _, id := range ids {
			line, _ = write(line[:0], id) // it has the form, as the first has
			if _, err := t.out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// mintAt writes n ids of one time, of which there are not more than most. The function next returns the id of a number
// from 0.
func mintAt[T ident](t *tool, n, most int, write form, next func(i int) (T, error)) error {
	if n > most {
		return usagef("-n %d is too many: %s makes only %d ids of one time", n, t.name, most)
	}
	if _, err := next(0); err != nil {
		return usageError(strings.TrimPrefix(err.Error(), "ids: "))
	}
	made := 0
	return mint(t, n, write, oneByOne(func() T {
		id, _ := next(made) // it has the time, as the first has
		made++
		return id
	}))
}

// snowflake mints Snowflakes.
func (t *tool) snowflake(args []string) error {
	fs := mintFlags()
	var number *string // nil: not given
	fs.Func("node", "", func(s string) error {
		number = &s
		return nil
	})
	layout := fs.addLayout()
	fs.addAt()
	_, write, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	l := (*layout)[0]
	id, err := t.nodeNumber(number, l.SnowflakeLayout)
	if err != nil {
		return err
	}
	if fs.at != nil {
		return mintAt(t, *fs.n, 1<<min(l.SequenceBits, strconv.IntSize-2), write, func(i int) (ids.Snowflake, error) {
			return l.Compose(ids.SnowflakeParts{Time: *fs.at, Node: id, Sequence: int64(i)})
		})
	}
	node, err := ids.NewSnowflakeNode(id, &ids.SnowflakeOptions{Layout: l.SnowflakeLayout})
	if err != nil {
		return usageError(err.Error())
	}
	return mint(t, *fs.n, write, node.Append)
}

// nodeNumber returns the number that is given, or the one in the environment, or a random one, with a note.
func (t *tool) nodeNumber(given *string, l ids.SnowflakeLayout) (int64, error) {
	from := "-node"
	if given == nil {
		from = "IDS_SNOWFLAKE_NODE"
		value, ok := os.LookupEnv(from)
		if !ok && l.NodeBits == 0 {
			return 0, nil // the one node
		}
		if !ok {
			var b [8]byte
			rand.Read(b[:])
			n := int64(binary.BigEndian.Uint64(b[:]) >> (64 - l.NodeBits))
			const note = "idgen: note: node %d is random: another process may have it too. Give each its own by -node or $IDS_SNOWFLAKE_NODE\n"
			t.note = fmt.Sprintf(note, n)
			return n, nil
		}
		given = &value
	}
	n, err := strconv.ParseUint(*given, 10, 63)
	if err != nil || n > 1<<l.NodeBits-1 {
		return 0, usagef("%s must be a number from 0 to %d, not %s", from, int64(1)<<l.NodeBits-1, quoted(*given))
	}
	return int64(n), nil
}

// domains are the domains of version 2 by name, with the local id of whoever runs the program. It
// is negative if there is none.
var domains = map[string]struct {
	domain ids.Domain
	own    func() int
}{
	"person": {ids.DomainPerson, os.Getuid},
	"group":  {ids.DomainGroup, os.Getgid},
	"org":    {ids.DomainOrg, func() int { return -1 }},
}

// uuid2 mints UUIDs of version 2.
func (t *tool) uuid2(args []string) error {
	fs := mintFlags()
	domain := fs.choice("domain", "person", []string{"person", "group", "org"})
	local := fs.String("local", "", "")
	_, write, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	d := domains[*domain]
	if *local == "" {
		own := d.own()
		if own < 0 {
			return usagef("-domain %s needs -local NUMBER", *domain)
		}
		*local = strconv.Itoa(own)
	}
	id, err := strconv.ParseUint(*local, 10, 32)
	if err != nil {
		return usagef("-local must be a number from 0 to 4294967295, not %s", quoted(*local))
	}
	// The sequence of version 2 has 6 bits.
	if *fs.n > 64 {
		return usagef("-n %d is too many: version 2 has only 64 ids for each 7 minutes", *fs.n)
	}
	return mint(t, *fs.n, write, oneByOne(func() ids.UUID { return ids.NewV2(d.domain, uint32(id)) }))
}

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
		t.aligned = true
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
	t.aligned = true
	return t.inputs(data, func(in input) error {
		bits, err := ids.ParseUUID(in.text)
		if err != nil {
			return refused(err, "32 hexadecimal digits", 0)
		}
		return t.write(write, ids.NewV8(bits))
	})
}
