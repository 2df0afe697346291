package main

// This file contains the options that several commands share.

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// flags contains the options of a command.
type flags struct {
	*flag.FlagSet
	form   *string // value of -format
	prefix string  // value of -prefix
}

func newFlags() *flags {
	fs := &flags{FlagSet: flag.NewFlagSet("", flag.ContinueOnError)}
	fs.SetOutput(io.Discard)
	return fs
}

// parse parses the options in args and returns the other arguments. Options may come before,
// between and after the arguments. Everything after "--" is an argument.
func (fs *flags) parse(args []string) (others []string, err error) {
	for {
		err := fs.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil:
			return nil, usageError(err.Error())
		}
		rest := fs.Args()
		taken := len(args) - len(rest)
		if len(rest) == 0 || taken > 0 && args[taken-1] == "--" {
			return append(others, rest...), nil
		}
		others, args = append(others, rest[0]), rest[1:]
	}
}

// parseOptions is like parse, but returns an error if args contains anything other than options. If
// the first argument that is not an option is a number, the error suggests the option -n.
func (fs *flags) parseOptions(args []string) error {
	others, err := fs.parse(args)
	if err != nil || len(others) == 0 {
		return err
	}
	if isDigits(others[0]) {
		return usagef("unexpected argument %q; to make that many IDs, use -n %[1]s", others[0])
	}
	return usagef("unexpected argument %.80q", others[0])
}

// addChoice adds an option whose value must be one of the words. On the command line, the value is
// case-insensitive. All words must be in lowercase. The default is value, which need not be one of
// the words.
func (fs *flags) addChoice(name, value string, words ...string) *string {
	fs.Func(name, "", func(s string) error {
		value = strings.ToLower(s)
		if !slices.Contains(words, value) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		return nil
	})
	return &value
}

// addNumber adds an option whose value must be a number from 0 to limit. The default value may be
// outside that range.
func (fs *flags) addNumber(name string, value, limit int64) *int64 {
	fs.Func(name, "", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil || int64(n) > limit {
			return fmt.Errorf("must be a number from 0 to %d", limit)
		}
		value = int64(n)
		return nil
	})
	return &value
}

// addCount adds the options -n, -format and -prefix to a command that makes IDs. It returns a
// pointer to the value of -n, which is the number of IDs to make.
func (fs *flags) addCount() *int64 {
	fs.addForm()
	return fs.addNumber("n", 1, math.MaxInt64)
}

// addForm adds the options -format and -prefix.
func (fs *flags) addForm() {
	fs.form = fs.addChoice("format", "text", formNames()...)
	fs.Func("prefix", "", func(s string) error {
		fs.prefix = s
		_, err := typeid.Join(s, ids.UUID{})
		return err
	})
}

// write returns an ID in the form that the options select. With -prefix, any 128-bit ID becomes a
// TypeID with that prefix.
func (fs *flags) write(id ident) (string, error) {
	switch {
	case fs.prefix == "":
		return id.write(*fs.form)
	case id.kind == "snowflake":
		return "", errors.New("only a UUID or a ULID can have a prefix")
	case !slices.Contains([]string{"text", "typeid"}, *fs.form):
		return "", fmt.Errorf("-format %s cannot have a prefix", *fs.form)
	}
	id.kind, id.prefix = "typeid", fs.prefix
	return id.write(*fs.form)
}

// A span represents the value of an option such as -from, which is a time, a day or a month. For a
// day or a month, begin is the start of that day or month, and end is the start of the next one.
// For any other time, begin and end are equal.
type span struct {
	begin, end time.Time
	given      bool // the option is set
}

// addTime adds an option whose value is a time in a form that parseTime accepts.
func (fs *flags) addTime(name string) *span {
	value := &span{}
	fs.Func(name, "", func(s string) (err error) {
		*value, err = parseTime(s)
		return err
	})
	return value
}

// parseTime parses a time in the form of [time.RFC3339], a day, a month, the word "now" or a
// duration with a unit. A year can have more than four digits. Days and months are in UTC, and a
// duration is an offset from the current time.
func parseTime(s string) (span, error) {
	for _, w := range []struct {
		layout       string
		months, days int
	}{{time.RFC3339, 0, 0}, {time.DateOnly, 0, 1}, {"2006-01", 1, 0}} {
		if t, err := parseAnyYear(w.layout, s); err == nil {
			return span{t, t.AddDate(0, w.months, w.days), true}, nil
		}
	}
	if strings.EqualFold(s, "now") {
		s = "0s"
	}
	// The number 0 without a unit is rejected, because it may mean the beginning of 1970.
	if ago, err := time.ParseDuration(s); err == nil && !strings.HasSuffix(s, "0") {
		t := time.Now().Add(ago)
		return span{t, t, true}, nil
	}
	return span{}, errors.New("must be a time (2026-01-31T12:00:00Z), a date, a month, now or an offset from now (-36h)")
}

// parseAnyYear is like time.Parse, but also accepts years of five or more digits, which idgen
// prints for the latest times of some formats.
func parseAnyYear(layout, s string) (time.Time, error) {
	digits, rest, _ := strings.Cut(s, "-")
	year, err := strconv.Atoi(digits)
	if err != nil || len(digits) < 5 || !isDigits(digits) || digits[0] == '0' {
		return time.Parse(layout, s)
	}
	same := 2000 + year%400 // has the same calendar, which repeats every 400 years
	t, err := time.Parse(layout, strconv.Itoa(same)+"-"+rest)
	if err != nil {
		return t, err
	}
	if t = t.AddDate(year-same, 0, 0); t.Year() != year {
		return t, errors.New("year out of range")
	}
	return t, nil
}

// addLayout adds the option -layout and returns a list of layouts. With the option, the list
// contains only the selected layout. Without it, the list contains all named layouts.
func (fs *flags) addLayout() *[]namedLayout {
	selected := layouts
	fs.Func("layout", "", func(s string) error {
		for i, l := range layouts {
			if l.name == strings.ToLower(s) {
				selected = layouts[i : i+1]
				return nil
			}
		}
		own, err := parseLayout(s)
		selected = []namedLayout{{own, s, nil}}
		return err
	})
	return &selected
}
