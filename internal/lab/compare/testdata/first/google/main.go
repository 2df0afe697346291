// Command google prints how many ns its first version 7 takes.
package main

import (
	"time"

	"github.com/google/uuid"
)

func main() {
	began := time.Now()
	u, _ := uuid.NewV7()
	println(time.Since(began).Nanoseconds(), u[0])
}
