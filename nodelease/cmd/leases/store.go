package main

// A store as an operator sees it, whatever its kind.

import (
	"context"
	"errors"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/storekit"
)

type options struct {
	url, table, prefix string
	numbers            int64
	layout             *ids.SnowflakeLayout // nil if none is given
}

// A store is any kind of store, as an operator sees it.
type store interface {
	// init declares the first start, with ids of a layout.
	init(ctx context.Context, layout ids.SnowflakeLayout) error
	// read returns what the store holds. Where nothing was made yet, it is nothing.
	read(ctx context.Context) (*contents, error)
	// settings returns what is wrong with the servers, and with the rights of the user, also beside an error.
	settings(ctx context.Context) ([]string, error)
	close()
}

type contents struct {
	header  string // the version of the schema and the layout
	place   string // where it is
	now     time.Time
	numbers []number // that the store knows, in ascending order
}

func (c *contents) unmade() string {
	return c.place + " is missing: if nothing was made yet, leases init makes it"
}

type number struct {
	number  int64
	holder  string    // "" unless it is held
	expires time.Time // if it is held
	horizon time.Time
	missing bool // the horizon, or it is no time
}

// retired reports whether somebody holds n by hand, for good.
func (n *number) retired(now time.Time) bool { return n.expires.Sub(now) > storekit.MaxTTL }

// errTold is the error where check tells by other means what is wrong, as that there is no row of the number -1.
var errTold = errors.New("told")

// swallowed says whether an update of the row of the number -1, which nobody holds, fails or changes nothing. token reads a
// column of it, and update changes that by one statement that commits itself.
func swallowed(token func() (string, error), update func(token string) error) (l faults.List) {
	before, err := token()
	if err == nil {
		err = update(ids.NewV4().String())
	}
	after := ""
	if err == nil {
		after, err = token()
	}
	switch {
	case err == errTold:
	case err != nil:
		l.Add(faults.Lasting, "the row of the number -1 cannot be changed: %v", err)
	case after == before:
		l.Add(faults.Lasting, "an update of the row of the number -1 has changed nothing: a trigger, a rule or row security swallows it, and no number can be taken")
	}
	return l
}
