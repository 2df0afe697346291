package main

// This file contains the commands that make IDs.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oneclock/ids"
)

// maker returns the command that makes IDs in one format. The command calls next for each ID. If
// the -at option is given, it calls the at function with the given time instead. The limit
// parameter is the maximum number of different IDs that can have the same time. If at is nil, the
// command has no -at option.
func maker[T any](next func() T, at func(time.Time) (T, error), limit int64) func(*tool, []string) error {
	return func(t *tool, args []string) error {
		fs := newFlags()
		n, when := fs.addCount(), &span{}
		if at != nil {
			when = fs.addTime("at")
		}
		if err := fs.parseOptions(args); err != nil {
			return err
		}
		if when.given {
			return t.make(fs, *n, limit, func() (any, error) { return at(when.begin) })
		}
		return t.make(fs, *n, math.MaxInt64, func() (any, error) { return next(), nil })
	}
}

// make generates n IDs by calling next, and writes them, one per line. If n exceeds limit, which is
// the maximum number of different IDs that next can return, make returns an error.
func (t *tool) make(fs *flags, n, limit int64, next func() (any, error)) error {
	if n > limit {
		return usagef("-n %d is too large; %s can make only %d IDs with one time", n, t.name, limit)
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

// maxAhead limits how far an ID's time can be ahead of the wall clock.
const maxAhead = 10 * time.Millisecond

// snowflake makes Snowflakes that all have the same node number.
func (t *tool) snowflake(args []string) error {
	fs := newFlags()
	n, when, layout, number := fs.addCount(), fs.addTime("at"), fs.addLayout(), fs.addNumber("node", -1, math.MaxInt64)
	if err := fs.parseOptions(args); err != nil {
		return err
	}
	// Check the form before printing a note about the node.
	if _, err := fs.write(ident{kind: "snowflake"}); err != nil {
		return usageError(err.Error())
	}
	l := (*layout)[0].SnowflakeLayout
	switch limit := int64(1)<<l.NodeBits - 1; {
	case *number > limit:
		return usagef("-node must be a number from 0 to %d, not %d", limit, *number)
	case limit == 0:
		*number = 0 // the only node
	case *number < 0:
		drawn, _ := rand.Int(rand.Reader, big.NewInt(limit+1)) // it never fails
		*number = drawn.Int64()
		fmt.Fprintf(t.errs, "idgen: note: node %d is random, so another process may use it too; set a different -node for each\n", *number)
	}
	if when.given {
		parts := ids.SnowflakeParts{Time: when.begin, Node: *number, Sequence: -1}
		return t.make(fs, *n, 1<<l.SequenceBits, func() (any, error) {
			parts.Sequence++
			return l.Compose(parts)
		})
	}
	// A call that makes an ID waits at most 20 ms. If ticks are longer, IDs can get ahead of the
	// wall clock.
	if l.Tick >= 20*time.Millisecond {
		fmt.Fprintf(t.errs, "idgen: note: the layout has ticks of 20 ms or more; if this run is stopped, the next run with node %d can make the same IDs\n", *number)
	}
	// The time in each ID from the previous run with this node number is at most begin, even if a
	// signal ended that run. If ticks are 20 ms or longer, IDs from that run can have later times.
	begin := time.Now().Add(maxAhead)
	time.Sleep(maxAhead)
	clock := ids.NewClock(&ids.ClockOptions{After: begin, MaxAhead: maxAhead})
	node, err := ids.NewSnowflakeNode(*number, &ids.SnowflakeOptions{Layout: l, Clock: clock})
	if err != nil {
		return usageError(err.Error())
	}
	var last ids.Snowflake
	err = t.make(fs, *n, math.MaxInt64, func() (id any, err error) {
		last, err = node.NextContext(context.Background())
		return last, err
	})
	t.out.Flush() // run reports its error
	// The variable end is a time after which another process can use this node number without
	// repeating an ID of this run, even if that process's clock is behind by maxAhead.
	end := l.Split(last).Time.Add(l.Tick + maxAhead)
	if wait := time.Until(end); wait < 3*time.Second {
		time.Sleep(wait)
	} else {
		fmt.Fprintf(t.errs, "idgen: note: until %s, another run with node %d can make the same IDs\n", end.Format(toMilli), *number)
	}
	return err
}

// namespaces maps the names of predefined namespaces to the namespaces for version 3 and 5 UUIDs.
var namespaces = map[string]ids.UUID{
	"dns":  ids.NamespaceDNS(),
	"url":  ids.NamespaceURL(),
	"oid":  ids.NamespaceOID(),
	"x500": ids.NamespaceX500(),
}

// named returns the command that makes UUIDs from a namespace and a name, with the given hash
// function.
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
				return errors.New("must be dns, url, oid, x500 or a UUID")
			}
			return nil
		})
		names, err := fs.parse(args)
		if err != nil {
			return err
		}
		return t.each(names, func(name string) (string, error) {
			if err := encoded(name); err != nil {
				return "", err
			}
			if !utf8.ValidString(name) {
				return "", errors.New("the name is not valid UTF-8")
			}
			return fs.write(identOf(hash(space, name)))
		})
	}
}

// uuid8 makes version 8 UUIDs from the given bits.
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
			return "", fmt.Errorf("%w; want 32 hexadecimal digits or a UUID", err)
		}
		return fs.write(identOf(ids.NewV8(id.bits)))
	})
}
