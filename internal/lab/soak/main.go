package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/oneclock/ids/internal/lab/markdown"
)

func main() {
	span := flag.Duration("for", 10*time.Minute, "mint all schemes for so long, and check the ids")
	calls := flag.Float64("order", 0, "instead, check the order of this many calls, one scheme at a time")
	disk := flag.Float64("disk", 48e9, "end early when the ids take this many bytes on disk")
	dir := flag.String("dir", "", "where to put the ids; the default is the system's directory for temporary files")
	write := flag.String("write", "", "put the summary between the markers of this file, instead of printing it")
	flag.Parse()
	name := "soak"
	if *calls > 0 {
		name = "order"
	}
	if flag.NArg() > 0 || *span <= 0 || !(*calls >= 0 && *calls <= 1e12) || !(*disk >= 1 && *disk <= 1e15) {
		fmt.Fprintln(os.Stderr, "soak: -for is positive, -order up to 1e12, -disk from 1 to 1e15, and there are no arguments")
		os.Exit(2)
	}
	if err := markdown.CanPut(*write, name); err != nil { // before anything is done in vain
		fail(err)
	}
	if *calls > 0 {
		s := &sweep{calls: int(*calls), size: historySize, log: os.Stderr}
		if err := s.run(); err != nil {
			fail(err)
		}
		if err := markdown.Put(*write, name, s.table()); err != nil {
			fail(err)
		}
		return
	}
	s, remove, err := newSoak(*span, int64(*disk), *dir)
	if err != nil {
		fail(err)
	}
	err = s.run()
	if e := remove(); err == nil {
		err = e
	}
	if err == nil {
		err = markdown.Put(*write, name, s.table())
	}
	if err != nil {
		fail(err)
	}
	if s.full {
		fmt.Fprintf(os.Stderr, "soak: ended after %v, since the disk had reached its limit: see -disk\n", s.lasted)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "soak:", err)
	os.Exit(1)
}
