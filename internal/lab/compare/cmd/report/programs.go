package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// programs are what first is measured in. Each prints the ns of its first version 7.
var programs = [][2]string{{"ids", "github.com/oneclock/ids"}, {"google", "github.com/google/uuid"}}

// initTrace is what Go prints of a package that is initialized, with GODEBUG=inittrace=1.
const initTrace = `(?m)^init %s @\S+ ms, (\S+) ms clock, (\S+) bytes, (\S+) allocs$`

// grown builds the programs in the folder temp, without what debuggers read, and writes what each grows by as results of benchmarks.
func grown(temp string) ([]byte, error) {
	if _, err := goOutput("build", "-trimpath", "-ldflags=-s -w", "-o", temp, "./testdata/first/..."); err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, name := range []string{"empty", "ids", "google"} {
		stat, err := os.Stat(filepath.Join(temp, name))
		if err != nil {
			return nil, err
		}
		sizes[name] = stat.Size()
	}
	var text []byte
	for _, p := range programs {
		text = fmt.Appendf(text, "BenchmarkFirst/size/%s 1 0 ns/op %d B/op\n", p[0], sizes[p[0]]-sizes["empty"])
	}
	return text, nil
}

// first runs the programs in the folder temp, and writes their initialization and their first version 7 alike.
func first(temp string) ([]byte, error) {
	var text []byte
	for _, p := range programs {
		cmd := exec.Command(filepath.Join(temp, p[0]))
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("running the program of %s: %w", p[0], err)
		}
		trace := regexp.MustCompile(fmt.Sprintf(initTrace, regexp.QuoteMeta(p[1]))).FindSubmatch(out)
		if trace == nil { // as of a package that has nothing to initialize
			trace = [][]byte{nil, []byte("0"), []byte("0"), []byte("0")}
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		took, _, _ := strings.Cut(lines[len(lines)-1], " ")
		text = fmt.Appendf(text, "BenchmarkFirst/init/%s 1 %se6 ns/op %s B/op %s allocs/op\nBenchmarkFirst/V7/%s 1 %s ns/op\n",
			p[0], trace[1], trace[2], trace[3], p[0], took)
	}
	return text, nil
}
