// Command ids prints how many ns its first version 7 takes.
package main

import (
	"time"

	"github.com/oneclock/ids/uuid"
)

func main() {
	began := time.Now()
	u := uuid.NewV7()
	println(time.Since(began).Nanoseconds(), u[0])
}
