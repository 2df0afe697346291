package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/internal/horizonfile"
)

// clock makes the file of package clockfile, or shows what it holds.
func (t *tool) clock(args []string) error {
	fs := newFlags()
	owner := fs.String("owner", "", "")
	words, _, err := t.parse(fs, args)
	if err != nil {
		return err
	}
	if len(words) != 2 {
		return usageError("clock takes create or show, and then one path")
	}
	switch path := words[1]; {
	case strings.EqualFold(words[0], "create"):
		return clockfile.Create(path, *owner)
	case !strings.EqualFold(words[0], "show"):
		return usagef("clock can create and show, not %s", quoted(words[0]))
	case *owner != "":
		return usageError("-owner is for create only")
	default:
		return t.showClock(path)
	}
}

// showClock shows a file that may be in use: it only reads it.
func (t *tool) showClock(path string) error {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	data, err := horizonfile.Read(file)
	if err != nil {
		return err
	}
	found, err := horizonfile.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	horizon := "none, as before the first start"
	if !found.None {
		ahead, where := time.Until(found.Horizon), "ahead of"
		if ahead < 0 {
			ahead, where = -ahead, "behind"
		}
		horizon = fmt.Sprintf("%s  (%v %s the clock here)", found.Horizon.UTC().Format(time.RFC3339Nano), ahead.Round(time.Millisecond), where)
	}
	_, err = fmt.Fprintf(t.out, "horizon  %s\nowner    %s\n", horizon, cmp.Or(found.Owner, "any"))
	return err
}
