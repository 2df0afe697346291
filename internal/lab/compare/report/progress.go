package report

import (
	"fmt"
	"os"
	"time"
)

// Progress returns a function that shows how far a program is: in one line that is written over
// and over on a terminal, and elsewhere in a line every ten seconds.
func Progress(out *os.File) func(line string) {
	info, err := out.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return func(line string) { fmt.Fprintf(out, "\r\x1b[K%s", line) }
	}
	var last time.Time
	return func(line string) {
		if time.Since(last) >= 10*time.Second {
			last = time.Now()
			fmt.Fprintln(out, line)
		}
	}
}
