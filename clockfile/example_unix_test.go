// On Windows nobody can rename a file that is open.

//go:build unix && !aix && (!solaris || illumos)

package clockfile_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/oneclock/ids/clockfile"
)

// A health check asks Status, which mints no id. A server ends when the file is lost.
func ExampleFile_Lost() {
	path, remove := made("")
	defer remove()
	file, err := clockfile.Open(path, &clockfile.Options{Window: 100 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Status().Err)

	if err := os.Rename(path, path+".old"); err != nil { // while it is open
		log.Fatal(err)
	}
	<-file.Lost()
	fmt.Println(errors.Is(file.Status().Err, clockfile.ErrLost), errors.Is(file.Close(), clockfile.ErrLost))
	// Output:
	// <nil>
	// true true
}
