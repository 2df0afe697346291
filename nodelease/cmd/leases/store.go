package main

// This file defines the operations that the commands need. They are the same for all kinds of
// stores.

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
	layout             *ids.SnowflakeLayout // nil if -layout is not set
}

// store is the interface through which the commands create and inspect stores of all kinds.
type store interface {
	// init creates the store for IDs with the given layout. The operator runs it before the first
	// process starts.
	init(ctx context.Context, layout ids.SnowflakeLayout) error
	// read returns the contents of the store. The contents are empty if the store has not been
	// created.
	read(ctx context.Context) (*contents, error)
	// settings returns the faults that it finds in the state and settings of the servers, and in
	// the database user's privileges. It may return both faults and an error.
	settings(ctx context.Context) ([]string, error)
	close()
}

type contents struct {
	header  string // schema version and layout; empty if missing
	place   string // where the header is, or the name of a missing table
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

// retired reports whether an operator has retired n. The lease of a retired number has more than
// storekit.MaxTTL left, which is more than a process's lease can have.
func (n *number) retired(now time.Time) bool { return n.expires.Sub(now) > storekit.MaxTTL }

// errReported replaces an error that the check command reports elsewhere, such as the error for a
// missing row with the number -1.
var errReported = errors.New("reported")

// checkUpdate updates the row with the number -1, which no process holds, and returns a fault if
// the update fails or changes nothing. It calls token to read a column of that row. It calls update
// to change that column in a single statement that commits by itself.
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
