// Machine prints Snowflakes. Several of its processes can run on the same machine. They share the
// machine's node numbers without a server. A directory contains a file for each number, and each
// process takes the first number that is free.
//
//	go run ./examples/recipes/machine -first-start    # once, to create the files
//	go run ./examples/recipes/machine                 # from then on
//
// A machine has 16 numbers, so at most 16 processes can run at a time. On a second machine, add
// -from 16 to both commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", ".", "directory with the files, on a persistent local disk")
	from := flag.Int64("from", 0, "first number of this machine; no other machine may have its numbers")
	count := flag.Int64("count", 16, "number of numbers of this machine")
	first := flag.Bool("first-start", false, "make the files and exit; use it once for each number, never at each start")
	flag.Parse()
	do := run
	if *first {
		do = firstStart
	}
	if err := do(*dir, *from, *count); errors.Is(err, context.Canceled) {
		// The program was terminated by SIGTERM or SIGINT. If the last save failed, err also
		// contains the error from saving. Even then, no ID will be repeated.
		log.Print("ends: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
}

func firstStart(dir string, from, count int64) error {
	for number := from; number < from+count; number++ {
		// Check the number first, so that no file is created for an invalid number.
		if _, err := snowflake.NewNode(number, nil); err != nil {
			return err
		}
		if err := clockfile.Create(file(dir, number)); err != nil { // fails if the file exists
			return err
		}
	}
	return nil
}

// file returns the path of a number's file, and options that specify the file's owner. Open rejects
// a renamed file, because the owner recorded in the file contains the file's original number.
func file(dir string, number int64) (path string, opts *clockfile.Options) {
	return filepath.Join(dir, fmt.Sprint(number, ".clock")),
		&clockfile.Options{Owner: fmt.Sprint("orders, node ", number), Report: func(s clockfile.Status) { log.Print(s) }}
}

// open opens the first file that no process has open. The file's number is in use until this
// process ends, however it ends.
func open(dir string, from, count int64) (*clockfile.File, int64, error) {
	for number := from; number < from+count; number++ {
		f, err := clockfile.Open(file(dir, number))
		if err == nil {
			return f, number, nil
		}
		if !errors.Is(err, clockfile.ErrLocked) {
			log.Print(err) // the number stays unused, for example because its file was lost
		}
	}
	return nil, 0, fmt.Errorf("none of the %d numbers in %s is free", count, dir)
}

func run(dir string, from, count int64) (err error) { // main exits when run returns
	f, number, err := open(dir, from, count)
	if err != nil {
		return err // let the supervisor restart the process
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// Install the signal handler only after Open has returned, so that a signal can end the process
	// if Open hangs.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	node, err := snowflake.NewNode(number, &snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return err
	}
	for {
		id, err := node.NextContext(ctx) // also fails if the file is lost
		if err != nil {
			return err
		}
		fmt.Println(id)
		time.Sleep(time.Millisecond) // your work
	}
}
