package storetest_test

// Tests that Refusals finds stores that fail to refuse a fault.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/memstore"
	"github.com/oneclock/ids/nodelease/storetest"
)

// refuser is a kind of store that refuses correctly, except for one flaw.
type refuser struct {
	flaw string
	made bool
	harm storetest.Harm
	nodelease.Store
}

var (
	errNever = fmt.Errorf("%w: %w", nodelease.ErrRefused, fs.ErrNotExist)
	errHarm  = fmt.Errorf("%w: harmed", nodelease.ErrRefused)
	errLater = errors.New("no writes")
)

func (r *refuser) why(where string) error {
	switch {
	case r.harm == "", r.flaw == where+" takes "+string(r.harm):
		return nil
	case r.flaw == where+" means another "+string(r.harm):
		return map[bool]error{true: errHarm, false: errLater}[r.harm == storetest.NoWrites]
	case r.harm == storetest.NoWrites:
		return errLater
	case r.flaw == where+" has no number":
		return fmt.Errorf("%w: %w", nodelease.ErrRefused, nodelease.ErrNoNumber)
	}
	return errHarm
}

func (r *refuser) Take(ctx context.Context, q nodelease.Request) (nodelease.Grant, error) {
	if err := r.why("Take"); err != nil {
		return nodelease.Grant{}, err
	}
	g, err := r.Store.Take(ctx, q)
	g.Lease = refuserLease{r, g.Lease}
	return g, err
}

type refuserLease struct {
	r *refuser
	nodelease.Lease
}

func (l refuserLease) Extend(ctx context.Context, horizon time.Time) error {
	if l.r.harm != "" && l.r.flaw == "Extend loses" {
		return nodelease.ErrLost
	}
	if l.r.harm == storetest.NoNumber {
		return nil // the missing number is not this one
	}
	return l.r.why("Extend")
}

func (r *refuser) place() storetest.Place {
	p := storetest.Place{
		Init: func(l ids.SnowflakeLayout) error {
			switch {
			case !l.Equal(ids.SnowflakeLayout{}) && r.flaw != "Init of any layout":
				return errHarm
			case r.made && r.flaw != "Init again and again":
				return fs.ErrExist
			}
			r.made = true
			return nil
		},
		New: func(l ids.SnowflakeLayout) (nodelease.Store, error) {
			switch {
			case !r.made && r.flaw == "New makes it":
				r.made = true
			case !r.made && r.flaw == "New says nothing":
				return nil, errHarm
			case !r.made:
				return nil, errNever
			case !l.Equal(ids.SnowflakeLayout{}) && r.flaw != "New of any layout":
				return nil, errHarm
			}
			return r, r.why("New")
		},
		Harm: map[storetest.Harm]func(int64) (func() error, error){"its own": nil},
	}
	for _, h := range []storetest.Harm{storetest.NoHeader, storetest.OtherVersion, storetest.NoNumber, storetest.NoRead, storetest.NoWrite, storetest.NoWrites, "more"} {
		if r.flaw != "forgets "+string(h) {
			p.Harm[h] = func(int64) (func() error, error) {
				r.harm = h
				return func() error { r.harm = ""; return nil }, nil
			}
		}
	}
	return p
}

// TestRefusals plants one flaw at a time in the refusals of a kind of store. The list must find
// each flaw.
func TestRefusals(t *testing.T) {
	for _, flaw := range []string{
		"", "New takes a number is missing", "Init of any layout", "Init again and again", "New makes it", "New says nothing", "New of any layout",
		"New takes no header", "New takes another version", "New takes no right to read", "New takes no right to write", "New takes no writes", "New takes more",
		"Take takes no header", "Take takes another version", "Take takes a number is missing", "Take takes no right to read", "Take takes no right to write", "Take takes no writes",
		"New means another no right to write", "Take means another no right to write", "New means another no writes", "Take means another no writes", "Take has no number",
		"Extend loses", "Extend takes no right to write", "Extend takes no writes", "forgets no right to write", "forgets no writes",
	} {
		r := &refuser{flaw: flaw, Store: memstore.New(3, time.Minute)}
		err := storetest.Refused(t.Context(), r.place())
		if right := flaw == "" || strings.HasPrefix(flaw, "New takes a number"); (err == nil) != right {
			t.Errorf("%q: %v", flaw, err)
		}
	}
}
