// Command empty is what the other programs here are without an id.
package main

import "time"

func main() {
	began := time.Now()
	println(time.Since(began).Nanoseconds())
}
