package main

// This file implements the check command, which searches for faults that can cause duplicate IDs or
// stop ID generation.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/storekit"
)

// maxAhead is the maximum amount by which a horizon may be ahead of the clock. It equals the
// maximum of [nodelease.Options.Window], except for layouts whose tick is longer than 14.4 min.
const maxAhead = 24 * time.Hour

// nodeBits finds the number of node bits in a header.
var nodeBits = regexp.MustCompile(`, (\d+) node bits`)

// check writes its findings to out and returns the number of lines that contain findings. Each line
// contains one finding, or combines several similar findings. Even if check returns an error, it
// writes the findings that it has collected.
func check(ctx context.Context, s store, o *options, out io.Writer) (findings int, err error) {
	before := time.Now()
	c, err := s.read(ctx)
	var skew time.Duration
	if err == nil {
		// skew is a lower bound for the difference between the clocks, because the store read its
		// clock at an unknown time during the call.
		skew = max(before.Sub(c.now), time.Until(c.now))
	}
	all, failure := s.settings(ctx)
	more := map[string]int{}     // number of further findings, by the text of the first
	first := map[string]string{} // text of the first finding for each format
	report := func(format string, args ...any) {
		if text, reported := first[format]; reported {
			more[text]++
			return
		}
		first[format] = fmt.Sprintf(format, args...)
		all = append(all, first[format])
	}
	present, free := int64(0), int64(0)
	switch {
	case err == nil:
		present, free = checkContents(c, o, report)
	case errors.Is(err, nodelease.ErrRefused) && len(all) > 0: // the findings include the reason
		err = nil
	}
	if skew > time.Second {
		report("this machine's clock and the server's clock differ by %v", skew.Round(time.Millisecond))
	}
	var text strings.Builder
	for _, finding := range all {
		fmt.Fprint(&text, "- ", finding)
		if n := more[finding]; n > 0 {
			fmt.Fprintf(&text, " (%d more like this)", n)
		}
		text.WriteByte('\n')
	}
	err = cmp.Or(err, failure)
	if len(all) == 0 && err == nil {
		fmt.Fprintf(&text, "nothing found: %d numbers, %d of them free; %s\n", present, free, c.header)
	}
	_, failure = io.WriteString(out, text.String())
	return len(all), cmp.Or(err, failure)
}

// checkContents reports faults in the header and the numbers. It returns how many of the expected
// numbers are present, and how many of those are free.
func checkContents(c *contents, o *options, report func(format string, args ...any)) (present, free int64) {
	if c.header == "" {
		report("%s", c.notCreated())
		if len(c.numbers) == 0 {
			return 0, 0
		}
	} else {
		err := storekit.CheckVersion(c.place, c.header)
		if o.layout != nil {
			err = storekit.CheckHeader(c.place, c.header, storekit.Header(*o.layout))
		}
		if err != nil {
			report("%v", err)
		}
	}
	if found := nodeBits.FindStringSubmatch(c.header); found != nil {
		if bits, err := strconv.Atoi(found[1]); err == nil && o.numbers > 1<<bits {
			report("-numbers is %d, but the layout has only %d; no ID can have the others", o.numbers, 1<<bits)
		}
	}
	if n := len(c.numbers); n > 0 && c.numbers[n-1].number >= o.numbers {
		report("the store has numbers up to %d, but -numbers is %d; give all processes the same Options.Numbers", c.numbers[n-1].number, o.numbers)
	}
	for _, n := range c.numbers {
		if n.number >= o.numbers {
			break
		}
		present++
		if n.holder == "" {
			free++
		}
		switch lead := n.horizon.Sub(c.now); {
		case n.missing:
			report("the horizon of number %d is missing or is not a time", n.number)
		case lead > maxAhead:
			report("the horizon of number %d is %v ahead, because a clock was wrong; IDs of that time may exist", n.number, ahead(n.horizon, c.now))
		case n.holder != "" && !n.retired(c.now) && lead < 0:
			report("the horizon of number %d passed %v ago although %q holds it; its writes fail, or its clock is behind the store's",
				n.number, ahead(c.now, n.horizon), n.holder)
		}
	}
	if present < o.numbers {
		report("%d of %d numbers are missing with their horizons; if there should be fewer, set -numbers", o.numbers-present, o.numbers)
	}
	if free < present/20 {
		report("only %d of %d numbers are free", free, present)
	}
	return present, free
}
