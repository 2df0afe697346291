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
	if err != nil {
		log.Fatal(err)
	}
}

func firstStart(path string) error {
	f, err := clockfile.Open(path, &clockfile.Options{Init: true}) // refuses if there is a file
	if err != nil {
		return err
	}
	return f.Close()
}

func run(ctx context.Context, path string) error { // main calls it, and ends when it returns
	f, err := clockfile.Open(path, nil) // refuses if there is no file
	if err != nil {
		return err
	}
	defer f.Close() // there are no Snowflakes afterwards
	if err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: f.Clock()}); err != nil {
		return err // IDS_SNOWFLAKE_NODE is missing, or not a number from 0 to 1023
	}
	return work(ctx) // calls snowflake.Next, until ctx ends on SIGTERM
}

// work stands for what your program does.
func work(ctx context.Context) error {
	for ctx.Err() == nil {
		fmt.Println(snowflake.Next())
		time.Sleep(time.Millisecond)
	}
	return nil
}
