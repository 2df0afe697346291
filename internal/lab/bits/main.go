package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	limit := flag.Float64("bytes", 0, "write this many bytes; 0 means without end")
	n := flag.Float64("count", 0, "count the bits of this many ids of each source, and write none")
	flag.Parse()
	all := sources()
	var names []string
	chosen := -1
	for i, s := range all {
		names = append(names, s.name)
		if flag.Arg(0) == s.name {
			chosen = i
		}
	}
	switch {
	case *n >= 1 && *n <= 1e12 && flag.NArg() == 0:
		if !countAll(all, int(*n)) {
			os.Exit(1)
		}
	case chosen >= 0 && flag.NArg() == 1 && *n == 0 && *limit >= 0 && *limit <= 1e15:
		if err := write(os.Stdout, all[chosen], int64(*limit)); err != nil {
			fmt.Fprintln(os.Stderr, "bits:", err)
			os.Exit(1)
		}
	default:
		fmt.Fprintf(os.Stderr, "bits: want -count N, from 1 to 1e12, or one of %s\n", strings.Join(names, ", "))
		os.Exit(2)
	}
}

// countAll prints what is counted of n numbers of each source, and reports whether all is well.
func countAll(all []source, n int) bool {
	fair := true
	fmt.Print(header)
	for _, s := range all {
		t := count(s, n)
		fmt.Print(t.row(s))
		if err := t.check(); err != nil {
			fmt.Fprintf(os.Stderr, "bits: %s: %v\n", s.name, err)
			fair = false
		}
	}
	return fair
}
