package main

// This file contains an operator's view of a store, which is the same for all kinds of stores.

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
	layout             *ids.SnowflakeLayout // nil without -layout
}

// A store is an operator's view of a store of any kind.
type store interface {
	// init creates the store for IDs in the given layout. The operator calls it before the first
	// process starts.
	init(ctx context.Context, layout ids.SnowflakeLayout) error
	// read returns the contents of the store. The contents are empty if the store has not been
	// created.
	read(ctx context.Context) (*contents, error)
	// settings returns the faults of the servers and of the database user's privileges. It may
	// return faults together with an error.
	settings(ctx context.Context) ([]string, error)
	close()
}

type contents struct {
	header  string // version of the schema, and the layout; empty if missing
	place   string // place of the header, or name of a missing table
	now     time.Time
	numbers []number // numbers in the store, in ascending order
}

func (c *contents) notCreated() string {
	return c.place + " is missing; if the store has not been created yet, run: leases init"
}

type number struct {
	number  int64
	holder  string    // empty if the number is free
	expires time.Time // end of the lease, if the number is held
	horizon time.Time
	missing bool // the horizon is missing or is not a time
}

// retired reports whether an operator holds n permanently. A permanent lease ends later than the
// lease of any process.
func (n *number) retired(now time.Time) bool { return n.expires.Sub(now) > storekit.MaxTTL }

// errReported replaces an error that check reports in a different way, for example because the row
// with the number -1 is missing.
var errReported = errors.New("reported")

// checkUpdate returns a fault if an update of the row with the number -1 fails or changes nothing.
// No process holds that number. The function token reads a column of that row, and update changes
// this column in a single statement, which commits by itself.
func checkUpdate(token func() (string, error), update func(token string) error) (l faults.List) {
	before, err := token()
	if err == nil {
		err = update(ids.NewV4().String())
	}
	after := ""
	if err == nil {
		after, err = token()
	}
	switch {
	case err == errReported:
	case err != nil:
		l.Add(faults.Lasting, "the row of the number -1 cannot be changed: %v", err)
	case after == before:
		l.Add(faults.Lasting, "an update of the row of the number -1 changed nothing, because a trigger, a rule or row security discards it; no number can be taken")
	}
	return l
}
