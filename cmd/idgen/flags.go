package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
)

// A usageError is a mistake in the command line. It ends the program with status 2.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// parse sets the options that are in args and returns the other arguments. Options may stand
// before, between and after them; everything after "--" is an argument. The Parse method of a
// FlagSet stops at the first argument, and its errors do not say which options there are.
func (t *tool) parse(fs *flag.FlagSet, args []string) (others []string, err error) {
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
			return nil, usagef("%s has no option %s; it has %s", t.name, shortened("-"+name), optionsOf(fs))
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
			if usage, ok := errors.AsType[usageError](err); ok {
				return nil, usage
			}
			return nil, usagef("-%s is true or false, not %s", name, quoted(value))
		}
	}
	return others, nil
}

// optionsOf lists the options of a command.
func optionsOf(fs *flag.FlagSet) string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return listed(names, "and")
}

// word adds an option whose value is one of a few words, and returns the word in lower case.
func word(fs *flag.FlagSet, name, value string) *string {
	fs.Func(name, "", func(s string) error {
		value = strings.ToLower(s)
		return nil
	})
	return &value
}

// count adds an option whose value is a number of things, 1 by default.
func count(fs *flag.FlagSet, name string) *int {
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
