// These systems have no file lock that is released when the process ends, so no example can run on
// them.

//go:build !(aix || js || plan9 || (solaris && !illumos) || wasip1)

package clockfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

// made returns the path of a new file in a new directory, and a function that removes both.
func made(owner string) (path string, remove func()) {
	dir, err := os.MkdirTemp("", "clockfile")
	if err == nil {
		path = filepath.Join(dir, "clock")
		err = clockfile.Create(path, &clockfile.Options{Owner: owner})
	}
	if err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

// A program with node number 7. Its Snowflakes do not repeat, however it ends.
func Example() {
	path, remove := made("orders, node 7") // by Create, before the first start
	defer remove()
	os.Setenv("IDS_SNOWFLAKE_NODE", "7")

	file, err := clockfile.Open(path, &clockfile.Options{Owner: "orders, node 7"})
	if err != nil {
		log.Fatal(err) // also if there is no file
	}
	defer file.Close() // in main, because it ends the clock
	node, err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: file.Clock()})
	if err != nil {
		log.Fatal(err)
	}
	id := node.Next()

	fmt.Println(node.Layout().Split(id).Node)
	// Output: 7
}

// Create creates the file of a node number once. A second call fails, because IDs could repeat.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "clockfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clock")

	const number = 7
	if _, err := snowflake.NewNode(number, nil); err != nil { // a wrong number gets no file
		log.Fatal(err)
	}
	_, err = clockfile.Open(path, nil)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	fmt.Println(clockfile.Create(path, &clockfile.Options{Owner: fmt.Sprint("orders, node ", number)}))
	fmt.Println(errors.Is(clockfile.Create(path, nil), fs.ErrExist))
	// Output:
	// true
	// <nil>
	// true
}

// The next process starts after the latest ID, although its wall clock is an hour behind.
func ExampleOpen() {
	path, remove := made("orders, node 7")
	defer remove()

	next := func(opts *clockfile.Options) ids.Snowflake {
		file, err := clockfile.Open(path, opts)
		if err != nil {
			log.Fatal(err)
		}
		defer file.Close()
		node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: file.Clock()})
		if err != nil {
			log.Fatal(err)
		}
		return node.Next()
	}
	behind := &ids.ClockOptions{Now: func() time.Time { return time.Now().Add(-time.Hour) }}

	first := next(nil)
	second := next(&clockfile.Options{ClockOptions: behind, Owner: "orders, node 7"})
	fmt.Println(second > first)

	_, err := clockfile.Open(path, &clockfile.Options{Owner: "orders, node 8"})
	fmt.Println(errors.Is(err, clockfile.ErrOwner))
	// Output:
	// true
	// true
}

// A Status prints as a log line.
func ExampleStatus_String() {
	s := clockfile.Status{Path: "/var/lib/orders/clock", Horizon: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)}
	fmt.Println(s)
	s.Err = errors.New("clockfile: /var/lib/orders/clock: write /var/lib/orders/clock: no space left on device")
	fmt.Println(s)
	// Output:
	// clockfile: /var/lib/orders/clock: saving works, up to 2026-03-14T15:09:26Z
	// clockfile: /var/lib/orders/clock: write /var/lib/orders/clock: no space left on device; no IDs after 2026-03-14T15:09:26Z until a save succeeds
}
