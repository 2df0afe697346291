// Mutate breaks the library on purpose, in one small way at a time, and runs the tests each time.
// A fault that no test sees names a promise that no test pins, or code that does nothing. It needs
// a Unix system:
//
//	go -C internal/lab run ./mutate                       # all files; takes hours, and etcd and PostgreSQL
//	go -C internal/lab run ./mutate lane.go clockfile     # a file, a package
//	go -C internal/lab run ./mutate -sample 100 -seed 7   # a sample
//	go -C internal/lab run ./mutate -run Model lane.go    # what some tests see
//	go -C internal/lab run ./mutate -list                 # the names of all, and which of the list are stale
//
// # How
//
// Each package is woven once: every function comes with a copy for each of its mutants, and a
// variable of the environment selects the one that runs. So a mutant costs no build, only tests.
// Those that call its function run, the quick ones and the ones that have found faults in the same
// function first. A test that fails must pass without the mutant, or its verdict does not count.
// What weaving itself breaks, such as tests of allocations, runs on its own build, in a copy of the
// repository; so do mutants outside functions, and the tests of other packages. No file of the library
// is touched, but a mutant may leave new files beside the tests. Mutants of locks run under the race
// detector.
//
// A mutant is killed by a test or by running too long; identical if the compiler makes the same
// instructions of it; equivalent if the list equivalent.txt says so, and why, in which case it is
// not tried but with -doubt; or it survives. The exit code is 1 if one does.
//
// # The list
//
// The name of a mutant has the line in it that it changes. When the line changes, names in the list
// become stale and do nothing. With -list the exit code is 1 if there are such names, and they are
// printed. No test asks: a change is merged without a look at the list.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A target is a package that is mutated.
type target struct {
	dir    string
	space  int     // GiB that a process of its tests may address
	others []other // what sees that its own tests do not
}

// An other is tests of another package, as a pattern of their names.
type other struct{ dir, tests string }

var published = []other{{"internal/docs", "Test(API|Doors)"}}

var targets = []target{
	{".", 8, published},
	{"uuid", 8, published},
	{"ulid", 8, published},
	{"snowflake", 8, published},
	{"internal/random", 8, []other{{".", ".*"}, {"internal/docs", "TestBubblesOfFIPS"}}},
	{"clockfile", 8, published},
	{"typeid", 8, published},
	{"cmd/idgen", 8, nil},
	{"nodelease", 8, []other{{"nodelease/storetest", ".*"}}},
	{"nodelease/internal/storekit", 8, nil},
	{"nodelease/etcdstore", 16, nil}, // the server maps 10 at once
	{"nodelease/pgstore", 8, nil},
}

var (
	sample  = flag.Int("sample", 0, "try a sample of this size; 0 means all")
	seed    = flag.Uint64("seed", 1, "seed of the sample")
	only    = flag.String("operators", "", "try only mutants of these operators, of token,name,narrow,operand,statement,lock,unit,order,field,error,slice,signed,when")
	doubt   = flag.Bool("doubt", false, "try the mutants in the list of equivalent ones too")
	list    = flag.Bool("list", false, "print the names of the mutants, and try none")
	log     = flag.String("log", "", "append the verdicts to this file, and skip the mutants that did not survive there")
	workers = flag.Int("workers", 2, "how many mutants are tried at a time")
	tests   = flag.String("run", "", "run only the package's own tests that match this pattern")
	long    = flag.Bool("long", false, "run the tests without -short")
)

func main() {
	flag.Parse()
	if err := run(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run tries the mutants of the packages and files that are named.
func run(out *os.File, names []string) error {
	root, err := goCommand(".", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	module := strings.TrimSpace(root)
	root = filepath.Dir(filepath.Dir(module)) // of the repository
	known, err := readEquivalents(filepath.Join(module, "mutate", "equivalent.txt"))
	if err != nil {
		return err
	}
	if *doubt {
		clear(known)
	}
	verdicts, err := readLog(*log)
	if err != nil {
		return err
	}
	var all []*mutant
	labs := make(map[string]*lab)
	for _, t := range targets {
		if !wanted(names, t.dir, "") {
			continue
		}
		l, err := newLab(root, t)
		if err != nil {
			return err
		}
		labs[t.dir] = l
		for _, s := range l.code.files {
			for _, m := range s.mutants {
				if wanted(names, t.dir, s.base) && (*only == "" || slices.Contains(strings.Split(*only, ","), m.operator)) {
					all = append(all, m)
				}
			}
		}
	}
	if *sample > 0 && *sample < len(all) {
		rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:*sample]
	}
	if *list {
		for _, m := range all {
			fmt.Fprintln(out, m.name)
		}
		if old := stale(known, all); len(names) == 0 && *sample == 0 && *only == "" && len(old) > 0 {
			return fmt.Errorf("there are no such equivalent mutants:\n%s", strings.Join(old, "\n"))
		}
		return nil
	}
	for _, t := range targets {
		var own []*mutant
		for _, m := range all {
			if m.file.dir == t.dir && (verdicts.of[m.name] == "" || verdicts.of[m.name] == survived) {
				own = append(own, m)
			}
		}
		if len(own) > 0 {
			if err := labs[t.dir].try(own, known, verdicts); err != nil {
				return err
			}
		}
	}
	return verdicts.table(out, all)
}

// stale returns the names of equivalent mutants that are none of all.
func stale(known map[string]bool, all []*mutant) []string {
	known = maps.Clone(known)
	for _, m := range all {
		delete(known, m.name)
	}
	return slices.Sorted(maps.Keys(known))
}

// wanted reports whether names, if there are any, have a directory or a file of it. With no file
// it reports whether they have any of the directory.
func wanted(names []string, dir, file string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool {
		name = filepath.Clean(name)
		if strings.HasSuffix(name, ".go") {
			return filepath.Dir(name) == dir && (file == "" || filepath.Base(name) == file)
		}
		return name == dir
	})
}

// The verdicts.
const (
	killed     = "killed"
	identicals = "identical"
	equivalent = "equivalent"
	survived   = "survived"
)

// A record keeps the verdicts, in a file too if there is one.
type record struct {
	mu   sync.Mutex
	path string
	of   map[string]string
}

// readLog reads the verdicts of a former run.
func readLog(path string) (*record, error) {
	r := &record{path: path, of: make(map[string]string)}
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 {
			r.of[f[2]] = f[0]
		}
	}
	return r, err
}

// add records a verdict and the test that led to it.
func (r *record) add(m *mutant, verdict, by string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of[m.name] = verdict
	if file, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
		fmt.Fprintf(file, "%s\t%s\t%s\n", verdict, by, m.name)
		file.Close()
	}
	if verdict == survived {
		fmt.Fprintln(os.Stderr, verdict+":", m.name)
	}
}

// table prints how many mutants of each file have which verdict. The error says that some survived.
func (r *record) table(out *os.File, all []*mutant) error {
	count := make(map[string]map[string]int)
	total := make(map[string]int)
	for _, m := range all {
		file := filepath.ToSlash(filepath.Join(m.file.dir, m.file.base))
		if count[file] == nil {
			count[file] = make(map[string]int)
		}
		for _, c := range []map[string]int{count[file], total} {
			c["all"]++
			c[r.of[m.name]]++
		}
	}
	row := func(name string, c map[string]int) {
		score := 100.0
		if real := c[killed] + c[survived]; real > 0 {
			score = 100 * float64(c[killed]) / float64(real)
		}
		fmt.Fprintf(out, "%-30s %8d %8d %10d %11d %9d %7.1f %%\n", name, c["all"], c[killed], c[identicals], c[equivalent], c[survived], score)
	}
	fmt.Fprintf(out, "%-30s %8s %8s %10s %11s %9s %9s\n", "file", "mutants", killed, identicals, equivalent, survived, "score")
	for _, file := range slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	}) {
		row(file, count[file])
	}
	row("all", total)
	if total[survived] > 0 {
		return fmt.Errorf("%d mutants survived", total[survived])
	}
	return nil
}

// readEquivalents reads a list of names. They follow a reason, lines that begin with #; an empty line
// ends what it is the reason of.
func readEquivalents(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	known, reason := make(map[string]bool), false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || line[0] == '#':
			reason = line != ""
		case !reason || known[line]:
			return nil, fmt.Errorf("%s:%d: a name without a reason, or for the second time", path, i+1)
		default:
			known[line] = true
		}
	}
	return known, err
}
