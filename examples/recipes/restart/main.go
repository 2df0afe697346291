// Restart prints Snowflakes that are never repeated, however the program ends and whatever its clock shows when it
// starts again: package clockfile keeps a time in a file.
//
//	go run ./examples/recipes/restart -first-start                 # once: makes the file
//	IDS_SNOWFLAKE_NODE=7 go run ./examples/recipes/restart         # from then on
//
// Tests of package clockfile start such a program again and again with its clock set back.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

func main() {
	log.SetFlags(0)
	path := flag.String("file", "ids.clock", "the file with the time, on a disk that stays")
	first := flag.Bool("first-start", false, "make the file and end: once for each node number, never at each start")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var err error
	if *first {
		err = firstStart(*path)
	} else {
		err = run(ctx, *path)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		log.Fatal(err)
	case err != nil: // SIGTERM, and the last save if it failed: even so no id will be repeated
		log.Print("ends: ", err)
	}
}

func firstStart(path string) error {
	f, err := clockfile.Open(path, &clockfile.Options{Init: true}) // refuses if there is a file
	if err != nil {
		return err
	}
	return f.Close()
}

func run(ctx context.Context, path string) (err error) { // main calls it, and ends when it returns
	ctx, end := context.WithCancelCause(ctx)
	f, err := clockfile.Open(path, &clockfile.Options{Report: func(err error) {
		log.Println("saving the clock (nil is success):", err)
		if errors.Is(err, clockfile.ErrLost) {
			end(err) // no id comes until the next start
		}
	}})
	if err != nil {
		return err // also if there is no file
	}
	defer func() { err = errors.Join(err, f.Close()) }() // there are no Snowflakes afterwards
	if err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: f.Clock()}); err != nil {
		return err // IDS_SNOWFLAKE_NODE is missing or bad, or there is a default node already
	}
	node, err := snowflake.Default()
	if err != nil {
		return err
	}
	for {
		id, err := node.NextContext(ctx) // ends with ctx: Next would wait until the disk has room
		if err != nil {
			return err // after SIGTERM it is no failure
		}
		work(id)
	}
}

// work stands for what your program does.
func work(id snowflake.ID) {
	fmt.Println(id)
	time.Sleep(time.Millisecond)
}
