package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"math/big"
	"os"
	"strconv"

	"github.com/oneclock/ids"
)

// batch is how many ids are minted between two looks at the progress and at the output.
const batch = 256

// mintFlags are the flags of every command that mints a number of ids.
type mintFlags struct {
	*flag.FlagSet
	n      *int
	format *string
}

func newMintFlags() mintFlags {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	return mintFlags{fs, fs.Int("n", 1, ""), fs.String("format", "text", "")}
}

// parse parses the flags of a command that takes no other arguments.
func (fs mintFlags) parse(args []string) (form, error) {
	others, err := parseFlags(fs.FlagSet, args)
	switch {
	case err != nil:
		return nil, err
	case len(others) > 0:
		return nil, usageError(fmt.Sprintf("no argument is expected, but there is %q", others[0]))
	case *fs.n < 0:
		return nil, usageError(fmt.Sprintf("-n %d is negative", *fs.n))
	}
	return formNamed(*fs.format)
}

// runs returns the command of a scheme whose ids appendRun appends.
func runs[T ident](appendRun func([]T, int) []T) func(*tool, []string) error {
	return func(t *tool, args []string) error {
		fs := newMintFlags()
		write, err := fs.parse(args)
		if err != nil {
			return err
		}
		return mint(t, *fs.n, write, appendRun)
	}
}

// each returns the command of a scheme whose ids next returns one by one.
func each[T ident](next func() T) func(*tool, []string) error { return runs(oneByOne(next)) }

// oneByOne returns a function that appends what next returns.
func oneByOne[T ident](next func() T) func([]T, int) []T {
	return func(dst []T, n int) []T {
		for range n {
			dst = append(dst, next())
		}
		return dst
	}
}

// mint writes n ids, one a line.
func mint[T ident](t *tool, n int, write form, appendRun func([]T, int) []T) error {
	p := t.newProgress(n)
	defer p.clear()
	ids, line := make([]T, 0, batch), make([]byte, 0, 64)
	for left := n; left > 0; left -= len(ids) {
		ids = appendRun(ids[:0], min(left, batch))
		for _, id := range ids {
			var err error
			if line, err = write(line[:0], id); err != nil {
				return err
			}
			if _, err = t.out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		p.at(n - left + len(ids))
	}
	return nil
}

// snowflake mints Snowflakes.
func (t *tool) snowflake(args []string) error {
	fs := newMintFlags()
	number := fs.String("node", "", "")
	layout := fs.String("layout", "twitter", "")
	write, err := fs.parse(args)
	if err != nil {
		return err
	}
	l, err := layoutNamed(*layout)
	if err != nil {
		return err
	}
	id, err := nodeNumber(*number, l.SnowflakeLayout)
	if err != nil {
		return err
	}
	node, err := ids.NewSnowflakeNode(id, &ids.SnowflakeOptions{Layout: l.SnowflakeLayout})
	if err != nil {
		return usageError(err.Error())
	}
	return mint(t, *fs.n, write, node.Append)
}

// nodeNumber returns the number that is given, or that in the environment, or else a random one.
func nodeNumber(given string, l ids.SnowflakeLayout) (int64, error) {
	from := "-node"
	if given == "" {
		const variable = "IDS_SNOWFLAKE_NODE"
		from, given = variable, os.Getenv(variable)
	}
	if given == "" {
		n, err := rand.Int(rand.Reader, big.NewInt(1<<l.NodeBits))
		if err != nil {
			return 0, err
		}
		return n.Int64(), nil
	}
	n, err := strconv.ParseInt(given, 10, 64)
	if end := int64(1)<<l.NodeBits - 1; err != nil || n < 0 || n > end {
		return 0, usageError(fmt.Sprintf("%s %q is no number from 0 to %d", from, given, end))
	}
	return n, nil
}

// domains are the domains of version 2 by name, with the local id of whoever runs the program,
// below 0 if there is none.
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
	fs := newMintFlags()
	domain := fs.String("domain", "person", "")
	local := fs.String("local", "", "")
	write, err := fs.parse(args)
	if err != nil {
		return err
	}
	d, ok := domains[*domain]
	if !ok {
		return usageError(fmt.Sprintf("-domain %q is not person, group or org", *domain))
	}
	if *local == "" {
		own := d.own()
		if own < 0 {
			return usageError(fmt.Sprintf("-local is needed: there is no number to take for the domain %s", *domain))
		}
		*local = strconv.Itoa(own)
	}
	id, err := strconv.ParseUint(*local, 10, 32)
	if err != nil {
		return usageError(fmt.Sprintf("-local %q is no number from 0 to 4294967295", *local))
	}
	// The sequence of version 2 has 6 bits.
	if *fs.n > 64 {
		return usageError(fmt.Sprintf("-n %d: there are only 64 ids of version 2 in some 7 minutes", *fs.n))
	}
	return mint(t, *fs.n, write, oneByOne(func() ids.UUID { return ids.NewV2(d.domain, uint32(id)) }))
}
