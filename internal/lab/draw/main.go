// Draw makes the pictures of the documentation: the bits of each scheme, and what each makes of
// a wall clock that is set back. It writes to the folder docs:
//
//	go -C internal/lab run ./draw
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// page shows the pictures, and lies beside them.
const page = "layouts.md"

func main() {
	dir := flag.String("dir", "../../docs", "folder to write to")
	flag.Parse()
	if _, err := os.Stat(filepath.Join(*dir, page)); err != nil {
		fmt.Fprintf(os.Stderr, "draw: %v: run it as go -C internal/lab run ./draw\n", err)
		os.Exit(1)
	}
	for name, picture := range pictures() {
		if err := os.WriteFile(filepath.Join(*dir, name), []byte(picture), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "draw:", err)
			os.Exit(1)
		}
	}
}

// pictures returns all pictures by the names of their files.
func pictures() map[string]string {
	all := map[string]string{
		"snowflake.svg": drawSnowflakes(),
		"clock.svg":     drawClock(),
	}
	for _, s := range schemes() {
		all[s.file] = s.draw()
	}
	return all
}
