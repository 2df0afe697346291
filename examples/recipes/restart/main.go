// Restart prints Snowflakes that never repeat. Package clockfile saves a time in a file. Therefore,
// IDs do not repeat however the program ends, and whatever time the clock shows when the program
// starts again.
//
//	export IDS_SNOWFLAKE_NODE=7
//	go run ./examples/recipes/restart -first-start   # once, to create the file
//	go run ./examples/recipes/restart                # from then on
//
// The tests of package clockfile repeatedly start such a program with its clock set back.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

func main() {
	log.SetFlags(0)
	path := flag.String("file", "ids.clock", "file with the time, on a persistent disk")
	first := flag.Bool("first-start", false, "make the file and exit; use it once for each node number, never at each start")
	flag.Parse()
	do := run
	if *first {
		do = firstStart
	}
	if err := do(*path); errors.Is(err, context.Canceled) {
		// The program was terminated by SIGTERM or SIGINT. If the last save failed, err also
		// contains the error from saving. Even then, no ID will be repeated.
		log.Print("ends: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
}

func firstStart(path string) error {
	// Check the number first, so that no file is created for an invalid number.
	if _, err := snowflake.SetDefaultFromEnv(nil); err != nil {
		return err
	}
	return clockfile.Create(path, &clockfile.Options{Owner: owner()}) // fails if the file exists
}

// owner identifies the service and its number, so that Open rejects a volume that belongs to a
// different number.
func owner() string { return "orders, node " + os.Getenv("IDS_SNOWFLAKE_NODE") }

func run(path string) (err error) { // main exits when run returns
	f, err := clockfile.Open(path, &clockfile.Options{Owner: owner(), Report: func(s clockfile.Status) { log.Print(s) }})
	if err != nil {
		return err // for example, because there is no file
	}
	defer func() { err = errors.Join(err, f.Close()) }() // permanently ends the clock after 100 ms
	node, err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return err // IDS_SNOWFLAKE_NODE is missing or invalid, or a default node exists
	}
	// Install the signal handler only after Open has returned, so that a signal can end the process
	// if Open hangs.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	for {
		// NextContext fails when ctx is done or the file is lost. If the file is lost, Next panics.
		id, err := node.NextContext(ctx)
		if err != nil {
			return err // after SIGTERM, err matches context.Canceled and is not a failure
		}
		work(id)
	}
}

// work is a placeholder for your program's work.
func work(id snowflake.ID) {
	fmt.Println(id)
	time.Sleep(time.Millisecond)
}
