package main

// This file contains the clock command. The command creates a file in the format of package
// clockfile, or shows the contents of an existing file.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/internal/horizonfile"
)

// clock creates a file in the format of package clockfile, or shows the contents of an existing
// file.
func (t *tool) clock(args []string) error {
	fs := newFlags()
	owner := fs.String("owner", "", "")
	words, err := fs.parse(args)
	if err != nil {
		return err
	}
	if len(words) != 2 {
		return usageError("clock requires create or show, and one path")
	}
	switch path := words[1]; {
	case strings.EqualFold(words[0], "create"):
		if err := clockfile.Create(path, &clockfile.Options{Owner: *owner}); err != nil || *owner != "" {
			return err
		}
		number := os.Getenv("IDS_SNOWFLAKE_NODE")
		// The user may paste the example into a shell, so only a number may be inserted into the
		// example.
		if _, err := strconv.Atoi(number); err != nil {
			number = "7"
		}
		fmt.Fprintf(t.errs, "idgen: note: without an owner, such as -owner 'orders, node %s', a program with another node number can open the file\n", number)
		return nil
	case !strings.EqualFold(words[0], "show"):
		return usagef("unknown clock command %q; use create or show", words[0])
	case *owner != "":
		return usageError("-owner is only for create")
	default:
		return t.showClock(path)
	}
}

// showClock shows the contents of a file in the format of package clockfile. It only reads the
// file, so the file may be in use.
func (t *tool) showClock(path string) error {
	found, err := readClock(path)
	if err != nil {
		return err
	}
	horizon := "none before the first start"
	if !found.None {
		ahead, where := time.Until(found.Horizon), "ahead of"
		if ahead < 0 {
			ahead, where = -ahead, "behind"
		}
		horizon = fmt.Sprintf("%s  (%v %s this machine's clock)", found.Horizon.UTC().Format(time.RFC3339Nano), ahead.Round(time.Millisecond), where)
	}
	owner := "any"
	if found.Owner != "" {
		owner = strconv.Quote(found.Owner) // any program may have written the file
	}
	_, err = fmt.Fprintf(t.out, "horizon  %s\nowner    %s\n", horizon, owner)
	for i, damaged := range found.Damaged {
		if damaged != nil && err == nil {
			_, err = fmt.Fprintf(t.out, "copy %d   not used: %v; the next save rewrites it\n", i+1, damaged)
		}
	}
	return err
}

// readClock reads the file at path. If that fails, or if one of the two copies in the file seems
// damaged, readClock reads the file again, because another process may have been writing to it.
func readClock(path string) (found horizonfile.Contents, err error) {
	path = filepath.Clean(path) // as package clockfile does
	info, err := horizonfile.Stat(path)
	if named := new(fs.PathError); err != nil && !errors.As(err, &named) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return found, err
	}
	f, err := os.Open(path)
	if err != nil {
		return found, err
	}
	defer f.Close()
	if found, err = horizonfile.Read(f, info.Size()); err != nil || found.Damaged != [2]error{} {
		time.Sleep(10 * time.Millisecond)
		found, err = horizonfile.Read(f, info.Size())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return found, err
}
