// Command report runs the benchmarks in package compare. It writes the results to docs/speed.md
// and, for developers of the library, to internal/lab/compare/README.md. It also draws a chart,
// docs/speed.svg, and inserts a link to the chart in README.md. On each page that it writes to, it
// replaces the text between the markers <!-- compare:begin --> and <!-- compare:end -->. The
// command takes about 4 minutes and needs an otherwise idle machine:
//
//	go -C internal/lab/compare run ./cmd/report
//	GOTOOLCHAIN=go1.27.0 go -C internal/lab/compare run ./cmd/report    includes Go's own package uuid
//
// In each round, one process runs all benchmarks once. If a benchmark were instead repeated several
// times in a row, a change in the machine's speed could affect only some libraries.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	count := flag.Int("count", 8, "run all benchmarks `n` times, one time after the other")
	benchtime := flag.String("benchtime", "30ms", "run each benchmark for `t` at a time, as go test -benchtime has it")
	flag.Parse()
	if flag.NArg() > 0 || *count < 1 {
		flag.Usage()
		os.Exit(2)
	}
	text, err := measure(*count, *benchtime)
	if err == nil {
		err = write(filepath.Join("..", "..", ".."), text, *benchtime)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// write parses the text output of the benchmarks, and writes the results to the pages and the
// chart. The root parameter is the root directory of the repository.
func write(root string, text []byte, benchtime string) error {
	r, err := read(bytes.NewReader(text))
	if err != nil {
		return err
	}
	versions, err := goOutput(append([]string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}, others...)...)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("Command: `GOTOOLCHAIN=%s go -C internal/lab/compare run ./cmd/report -count %d -benchtime %s`\n\n",
		r.config["toolchain"], r.rounds, benchtime)
	versions = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(versions), "github.com/", ""), "\n", ", ")
	line += "Measured " + r.machine()
	return errors.Join(put(filepath.Join(root, "docs", "speed.md"), line+", against\n"+versions+".\n"+r.how()+"\n\n"+r.page()),
		put(filepath.Join(root, "internal", "lab", "compare", "README.md"), line+".\n"+r.how()+"\n\n"+r.parts()),
		put(filepath.Join(root, "README.md"), pictureLink),
		os.WriteFile(filepath.Join(root, "docs", "speed.svg"), []byte(r.picture()), 0o600))
}

// put replaces the text between the markers in the file at path.
func put(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const begin, end = "<!-- compare:begin -->", "<!-- compare:end -->"
	before, rest, hasBegin := strings.Cut(string(page), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s does not have the markers %s and %s, in this order", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n\n"+strings.TrimSpace(text)+"\n\n"+end+after), 0o644)
}

// others lists the modules of the libraries that are measured in addition to this one.
var others = []string{
	"github.com/google/uuid", "github.com/gofrs/uuid/v5", "github.com/oklog/ulid/v2", "github.com/bwmarrin/snowflake",
	"github.com/sony/sonyflake/v2", "github.com/rs/xid", "github.com/segmentio/ksuid",
}

// measure runs all benchmarks count times, one round after the other, and returns their output.
func measure(count int, benchtime string) ([]byte, error) {
	temp, err := os.MkdirTemp("", "compare")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	for _, tags := range []string{"", "nostock"} {
		if _, err := goOutput("test", "-c", "-tags="+tags, "-o", filepath.Join(temp, "compare"+tags), "."); err != nil {
			return nil, err
		}
	}
	text := fmt.Appendf(nil, "toolchain: %s\nprocessors: %d\n", runtime.Version(), runtime.NumCPU())
	for n := range count {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", n+1, count)
		for _, v := range variants {
			cmd := exec.Command(filepath.Join(temp, "compare"+v.tags), "-test.run=^$", "-test.bench="+v.bench, "-test.benchtime="+benchtime, "-test.timeout=0")
			cmd.Env = append(os.Environ(), v.env)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return nil, fmt.Errorf("running the benchmarks: %w", err)
			}
			text = append(text, bytes.ReplaceAll(out, []byte("BenchmarkNew/"), []byte("Benchmark"+v.operation+"/"))...)
		}
	}
	return text, nil
}

// variants lists the ways to run the benchmarks. The first variant runs all of them. The other
// variants run only some of the New benchmarks. In the output of such a variant, measure replaces
// the operation New with the variant's operation.
var variants = []struct{ operation, tags, env, bench string }{
	{"New", "", "GODEBUG=", "."},
	{"NoAES", "", "GODEBUG=cpu.aes=off", "New/^(V4|V7|V7At|ULID)$/^ids$"},
	{"Nostock", "nostock", "GODEBUG=", "New/^(V4|V7|V7At|ULID)$/^ids$"},
}

// goOutput runs the go command with args and returns its standard output.
func goOutput(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
