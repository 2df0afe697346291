package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A usageError is a mistake in the command line. It ends the program with status 2.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// flags are the options of a command.
type flags struct {
	*flag.FlagSet
	format, prefix *string    // nil: there are no such options
	n              *int       // nil: there is no such option
	at             *time.Time // nil: not given
}

func newFlags() *flags { return &flags{FlagSet: flag.NewFlagSet("", flag.ContinueOnError)} }

// formFlags returns the options -format and -prefix.
func formFlags() *flags {
	fs := newFlags()
	fs.format, fs.prefix = fs.choice("format", "text", formNames), fs.String("prefix", "", "")
	return fs
}

// mintFlags returns the options of every command that mints a number of ids.
func mintFlags() *flags {
	fs := formFlags()
	fs.n = fs.count("n")
	return fs
}

// addAt adds the option -at.
func (fs *flags) addAt() {
	fs.Func("at", "", func(s string) error {
		begin, _, err := parseTime("-at", s)
		fs.at = &begin
		return err
	})
}

// parse sets the options that are in args and returns the other arguments, and the form that the options ask
// for. A command that mints a number of ids takes no others.
func (t *tool) parse(fs *flags, args []string) (others []string, write form, err error) {
	others, err = t.split(fs, args)
	switch {
	case err != nil || fs.format == nil:
		return others, nil, err
	case fs.n != nil && len(others) > 0:
		return nil, nil, usagef("unexpected argument %s", quoted(others[0]))
	}
	write, err = fs.form()
	return others, write, err
}

// split sets the options that are in args and returns the other arguments. Options may stand
// before, between and after them; everything after "--" is an argument. The Parse method of a
// FlagSet stops at the first argument, and its errors do not say which options there are.
func (t *tool) split(fs *flags, args []string) (others []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(others, args[i+1:]...), nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			others = append(others, arg)
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if name == "h" || name == "help" {
			return nil, flag.ErrHelp
		}
		f := fs.Lookup(name)
		if f == nil && !ok && strings.Trim(name[1:], "0123456789") == "" { // -n3
			f, value, ok = fs.Lookup(name[:1]), name[1:], true
		}
		if f == nil {
			var names []string
			fs.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
			return nil, usagef("%s has no option %s; it has %s", t.name, shortened("-"+name), listed(names, "and"))
		}
		if yes, isBool := f.Value.(interface{ IsBoolFlag() bool }); !ok && isBool && yes.IsBoolFlag() {
			value, ok = "true", true
		}
		if !ok {
			if i++; i == len(args) {
				return nil, usagef("-%s needs a value", name)
			}
			value = args[i]
		}
		if err := f.Value.Set(value); err != nil {
			var usage usageError
			if errors.As(err, &usage) {
				return nil, usage
			}
			return nil, usagef("-%s is true or false, not %s", name, quoted(value))
		}
	}
	return others, nil
}

// choice adds an option whose value is one of some words, or any if words is nil. It is returned in lower case.
func (fs *flags) choice(name, value string, words []string) *string {
	normal := value
	fs.Func(name, "", func(s string) error {
		value = strings.ToLower(s)
		if words != nil && value != normal && !slices.Contains(words, value) {
			return usagef("-%s %s is not %s", name, quoted(value), listed(words, "or"))
		}
		return nil
	})
	return &value
}

// count adds an option whose value is a number of things, 1 by default.
func (fs *flags) count(name string) *int {
	n := 1
	fs.Func(name, "", func(s string) (err error) {
		n, err = strconv.Atoi(s)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			return usagef("-%s %s is not a whole number", name, quoted(s))
		case n < 0:
			return usagef("-%s must not be negative", name)
		case err != nil:
			return usagef("-%s %s is too large", name, quoted(s))
		}
		return nil
	})
	return &n
}

// listed returns "a, b and c", where last is "and".
func listed(words []string, last string) string {
	end := len(words) - 1
	if end < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:end], ", ") + " " + last + " " + words[end]
}

// quoted returns s in quotes, for a message: without control characters, and no more than its
// beginning if it is long.
func quoted(s string) string { return strconv.Quote(shortened(s)) }

// shortened returns s, or its beginning if it is longer than any id.
func shortened(s string) string {
	const most = 48
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// parseTime reads the value of an option that is a time: where it begins, and where it ends if it is a day or a
// month, which are in UTC. A duration counts from now.
func parseTime(option, s string) (begin, end time.Time, err error) {
	if begin, err = time.Parse(time.RFC3339, s); err == nil {
		return begin, begin, nil
	}
	if begin, err = time.Parse(time.DateOnly, s); err == nil {
		return begin, begin.AddDate(0, 0, 1), nil
	}
	if begin, err = time.Parse("2006-01", s); err == nil {
		return begin, begin.AddDate(0, 1, 0), nil
	}
	if s == "now" {
		s = "0s"
	}
	if ago, err := time.ParseDuration(s); err == nil {
		begin = time.Now().Add(ago)
		return begin, begin, nil
	}
	if s == "" {
		return begin, end, usageError(option + " is missing")
	}
	return begin, end, usagef("%s %s is not a time (2026-01-31T12:00:00Z), a date, a month, now or a span from now (-36h)", option, quoted(s))
}

// stamp returns a time to the millisecond: no kind of id tells more of it to range.
func stamp(t time.Time) string { return t.UTC().Format(toMilli) }
