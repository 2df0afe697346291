package main

// This file implements the list command, which shows the numbers in a store.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// ahead returns the time from now to t, or "-" if t is not later than now.
func ahead(t, now time.Time) string {
	switch d := t.Sub(now); {
	case d <= 0:
		return "-"
	case d == math.MaxInt64: // the longest Duration
		return "over 292 years"
	default:
		return d.Round(time.Second).String()
	}
}

// list shows the numbers that are held, and the free numbers whose horizon is in the future.
func list(ctx context.Context, s store, out io.Writer) error {
	c, err := s.read(ctx)
	if err != nil {
		return err
	}
	if c.header == "" && len(c.numbers) == 0 {
		return errors.New(c.notCreated())
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "number\tholder\texpires in\thorizon\tahead by")
	held, freeAhead := 0, 0
	for _, n := range c.numbers {
		switch {
		case n.holder != "":
			held++
		case n.horizon.After(c.now):
			freeAhead++
		default:
			continue
		}
		horizon := n.horizon.UTC().Format(time.RFC3339)
		if n.missing {
			horizon = "missing"
		} else if n.horizon.IsZero() {
			horizon = "none yet"
		}
		expires := ahead(n.expires, c.now)
		if n.retired(c.now) {
			expires = "never"
		}
		// QuoteToGraphic escapes control characters.
		holder := strings.Trim(strconv.QuoteToGraphic(cmp.Or(n.holder, "-")), `"`)
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", n.number, holder, expires, horizon, ahead(n.horizon, c.now))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d held, %d free (%d of them with a horizon ahead); %s\n", held, len(c.numbers)-held, freeAhead,
		cmp.Or(c.header, c.place+" is missing"))
	if c.header == "" && err == nil {
		err = errors.New(c.notCreated())
	}
	return err
}
