// These systems have no lock for the file that ends with the process, so that no example can run on them.

//go:build !(js || plan9 || wasip1)

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
)

// A program whose Snowflakes are never repeated, whenever it is killed. Init is for its first start.
func Example() {
	dir, err := os.MkdirTemp("", "clockfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	file, err := clockfile.Open(filepath.Join(dir, "clock"), &clockfile.Options{Init: true})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: file.Clock()})
	if err != nil {
		log.Fatal(err)
	}
	ids.SetDefaultSnowflakeNode(node)

	fmt.Println(ids.NextSnowflake().Node())
	// Output: 7
}

// The next process starts after the latest id, although its wall clock is an hour behind.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "clockfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clock")

	mint := func(opts *clockfile.Options) ids.Snowflake {
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

	first := mint(&clockfile.Options{Init: true, Owner: "orders, node 7"})
	second := mint(&clockfile.Options{ClockOptions: behind, Owner: "orders, node 7"})
	fmt.Println(second > first)

	_, err = clockfile.Open(path, &clockfile.Options{Owner: "orders, node 8"})
	fmt.Println(errors.Is(err, clockfile.ErrOwner))
	_, err = clockfile.Open(path, &clockfile.Options{Init: true})
	fmt.Println(errors.Is(err, fs.ErrExist))
	// Output:
	// true
	// true
	// true
}

// Versions 1 and 6 with a fixed node need the clock in their Generator.
func ExampleFile_Clock() {
	dir, err := os.MkdirTemp("", "clockfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	file, err := clockfile.Open(filepath.Join(dir, "clock"), &clockfile.Options{Init: true})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: file.Clock(), Node: [6]byte{0x02, 0x00, 0x5e, 0x10, 0x00, 0x01}})
	node, _ := g.NewV6().NodeID()
	fmt.Printf("%x\n", node)
	// Output: 02005e100001
}
