package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A lab tries the mutants of one package.
type lab struct {
	target
	root string
	code *code

	work   string       // a directory of its own
	binary string       // the woven tests
	raced  string       // the same with the race detector, if there are mutants for it
	same   map[int]bool // the mutants whose instructions are the same

	tests map[string]*test // by name
	unfit map[string]*test // those that fail when woven

	mu      sync.Mutex
	killers map[string]map[string]int // by function: how many mutants a test has killed
	passes  map[string]int            // how often a test that has killed passed without a mutant

	alone sync.Mutex // guards tree
	tree  string     // a copy of the repository, which has one mutant at a time
}

// A test is what is known of one.
type test struct {
	cost    time.Duration // of the processor
	reaches string        // a profile of coverage, without what it does not reach
}

// goCommand returns what the go command prints.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out), nil
}

// newLab finds the mutants of a package.
func newLab(root string, t target) (*lab, error) {
	l := &lab{target: t, root: root, killers: make(map[string]map[string]int), passes: make(map[string]int)}
	if *tests != "" {
		l.others = nil
	}
	packages, err := goCommand(l.path(), "list", "-deps", "-export", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{if not (or .DepOnly .Standard)}}{{join .GoFiles \" \"}}{{end}}", ".", "os", "strconv")
	if err != nil {
		return nil, err
	}
	exports := make(map[string]string)
	l.code = &code{dir: t.dir}
	var files []string
	for line := range strings.Lines(packages) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if exports[f[0]] = f[1]; f[2] != "" {
			l.code.path, files = f[0], strings.Fields(f[2])
		}
	}
	l.code.imports = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return l, l.code.find(files, root)
}

// path returns the directory of the package.
func (l *lab) path() string { return filepath.Join(l.root, l.dir) }

// try tries mutants of the package.
func (l *lab) try(mutants []*mutant, known map[string]bool, verdicts *record) (err error) {
	if l.work, err = os.MkdirTemp("", "mutate-"); err != nil {
		return err
	}
	defer os.RemoveAll(l.work)
	var tried, outside []*mutant
	for _, m := range mutants {
		switch {
		case known[m.name]:
			verdicts.add(m, equivalent, "")
		case m.fn == nil:
			outside = append(outside, m)
		default:
			tried = append(tried, m)
		}
	}
	tried = append(tried, outside...) // last, since they need builds
	if len(tried) == 0 {
		return nil
	}
	if err := l.build(tried); err != nil {
		return err
	}
	each(*workers, tried, func(_ int, m *mutant) {
		verdict, by, failed := l.judge(m)
		if failed == nil {
			verdicts.add(m, verdict, by)
			return
		}
		l.mu.Lock()
		err = failed
		l.mu.Unlock()
	})
	return err
}

// each calls f for each item, by some workers at a time.
func each[T any](workers int, items []T, f func(worker int, item T)) {
	next := make(chan T)
	var done sync.WaitGroup
	for i := range workers {
		done.Go(func() {
			for item := range next {
				f(i, item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	done.Wait()
}

// build weaves the mutants into the package, and learns about its tests.
func (l *lab) build(mutants []*mutant) (err error) {
	replace := make(map[string]string)
	overlay := func(path string, text []byte) {
		replace[path] = filepath.Join(l.work, filepath.Base(path))
		err = cmp.Or(err, os.WriteFile(replace[path], text, 0o666))
	}
	overlay(filepath.Join(l.path(), prefix+".go"), fmt.Appendf(nil, selector, l.code.files[0].syntax.Name))
	for _, s := range l.code.files {
		text, _ := l.code.weave(s, mutants)
		overlay(s.path, text)
	}
	list, failed := json.Marshal(map[string]any{"Replace": replace})
	woven := filepath.Join(l.work, "woven.json")
	if err = cmp.Or(err, failed, os.WriteFile(woven, list, 0o666)); err != nil {
		return err
	}
	l.binary = filepath.Join(l.work, "woven.test")
	cmd := exec.Command("go", "test", "-vet=off", "-c", "-overlay", woven, "-gcflags="+l.code.path+"=-S", "-o", l.binary, ".")
	cmd.Dir = l.path()
	listing, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("building the woven tests: %w %s", err, complaint.Find(listing))
	}
	l.same = identical(string(listing))
	if slices.ContainsFunc(mutants, func(m *mutant) bool { return m.operator == lock }) {
		l.raced = filepath.Join(l.work, "raced.test")
		if _, err := goCommand(l.path(), "test", "-vet=off", "-race", "-c", "-overlay", woven, "-o", l.raced, "."); err != nil {
			return err
		}
	}

	covered := filepath.Join(l.work, "covered.test")
	if _, err = goCommand(l.path(), "test", "-c", "-cover", "-coverpkg=.", "-o", covered, "."); err != nil {
		return err
	}
	if l.tree, err = os.MkdirTemp(l.work, "tree-"); err != nil {
		return err
	}
	entries, _ := filepath.Glob(filepath.Join(l.root, "[^.]*"))
	if err := exec.Command("cp", append([]string{"-R", "-t", l.tree}, entries...)...).Run(); err != nil {
		return err
	}
	if by := l.strangers(); by != "" {
		return fmt.Errorf("a test fails without a mutant: %s", by)
	}
	for _, s := range l.code.files {
		if now, err := os.ReadFile(s.path); err != nil || !bytes.Equal(now, s.text) {
			return fmt.Errorf("%s has changed", s.path)
		}
	}
	if err := l.learn(covered); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d tests, and on builds of their own %v\n", l.code.path, len(l.tests), l.names(l.unfit))
	return nil
}

// learn runs each test alone, and then all of them woven.
func (l *lab) learn(covered string) error {
	l.tests, l.unfit = make(map[string]*test), make(map[string]*test)
	list, err := exec.Command(covered, "-test.list="+cmp.Or(*tests, ".")).Output()
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(strings.Fields(string(list)), func(name string) bool { return strings.HasPrefix(name, "Benchmark") })
	each(*workers, names, func(worker int, name string) {
		profile := filepath.Join(l.work, fmt.Sprintf("profile%d", worker))
		r := l.exec(l.path(), covered, 0, []string{name}, time.Hour, "-test.coverprofile="+profile)
		text, err := os.ReadFile(profile)
		l.mu.Lock()
		defer l.mu.Unlock()
		if r.by != "" || err != nil {
			l.unfit[name] = &test{cost: r.cost}
		} else {
			l.tests[name] = &test{r.cost, unreached.ReplaceAllString(string(text), "")}
		}
	})
	for {
		r := l.exec(l.path(), l.binary, 0, l.names(l.tests), time.Hour)
		if r.by == "" {
			break
		}
		if l.tests[r.by] == nil {
			return fmt.Errorf("the tests of %s fail when woven: %s", l.dir, r.by)
		}
		l.unfit[r.by] = l.tests[r.by]
		delete(l.tests, r.by)
	}
	if len(l.unfit) > 0 {
		plain := filepath.Join(l.work, "plain.test")
		if _, err := goCommand(l.path(), "test", "-c", "-o", plain, "."); err != nil {
			return err
		}
		if r := l.exec(l.path(), plain, 0, l.names(l.unfit), time.Hour); r.by != "" {
			return fmt.Errorf("a test of %s fails without a mutant: %s", l.dir, r.by)
		}
	}
	return nil
}

// names returns the names of tests, the quickest first.
func (l *lab) names(tests map[string]*test) []string {
	return slices.SortedFunc(maps.Keys(tests), func(a, b string) int {
		return cmp.Or(cmp.Compare(tests[a].cost, tests[b].cost), cmp.Compare(a, b))
	})
}

// reaching returns which of some tests run the mutant's function, as far as is known.
func (l *lab) reaching(m *mutant, tests map[string]*test) []string {
	if m.fn == nil {
		return nil
	}
	begin := l.code.fset.Position(m.fn.Body.Lbrace)
	block := fmt.Sprintf("/%s:%d.%d,", m.file.base, begin.Line, begin.Column)
	return slices.DeleteFunc(l.names(tests), func(name string) bool {
		return tests[name].reaches != "" && !strings.Contains(tests[name].reaches, block)
	})
}

// A result is how tests ended.
type result struct {
	by   string // the test that failed, or else what happened; "" if none did
	cost time.Duration
}

const tooLong = "(too long)" // what has failed instead of a test

var (
	failure   = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	unreached = regexp.MustCompile(`(?m)^.* 0\n`)
	complaint = regexp.MustCompile(`(?m)^\S+:\d+:\d+: .*`) // of the compiler
)

// exec runs tests of a binary with a mutant, for as long as the processor works for limit.
func (l *lab) exec(dir, binary string, id int, names []string, limit time.Duration, args ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second+10*min(limit, 5*time.Minute))
	defer cancel()
	space := strconv.Itoa(l.space << 20)
	if binary == l.raced {
		space = "unlimited" // the race detector has a shadow of all addresses
	}
	// The shell sets the bounds for the process of the test: seconds, and KiB.
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -t $1; ulimit -v $2; shift 2; exec nice -n 15 "$@"`, "sh",
		strconv.Itoa(int(limit/time.Second) + 1), space, binary, "-test.short=" + strconv.FormatBool(!*long), "-test.failfast",
		"-test.run=^(" + strings.Join(names, "|") + ")$"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), variable+"="+strconv.Itoa(id))
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	r := result{cost: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	switch m := failure.FindSubmatch(out); {
	case err == nil:
	case m != nil:
		r.by = string(m[1])
	case ctx.Err() != nil:
		r.by = tooLong
	case strings.HasPrefix(err.Error(), "signal: "):
		r.by = "(processor)"
	default:
		r.by = "(" + strings.Join(strings.Fields(string(out[:min(len(out), 60)])), " ") + ")"
	}
	return r
}

// judge tries one mutant.
func (l *lab) judge(m *mutant) (verdict, by string, err error) {
	if l.same[m.id] {
		return identicals, "", nil
	}
	if m.fn != nil {
		if by = l.kill(m, l.path(), l.woven(m), m.id, l.reaching(m, l.tests)); by != "" {
			return killed, by, nil
		}
	}
	// What is left needs a build of the mutant alone.
	names := l.reaching(m, l.unfit)
	if m.fn == nil {
		names = append(l.names(l.tests), l.names(l.unfit)...)
	}
	if len(names) == 0 && len(l.others) == 0 {
		return survived, "", nil
	}
	l.alone.Lock()
	defer l.alone.Unlock()
	path := filepath.Join(l.tree, l.dir, m.file.base)
	if err := os.WriteFile(path, m.apply(), 0o666); err != nil {
		return "", "", err
	}
	defer func() { err = cmp.Or(err, os.WriteFile(path, m.file.text, 0o666)) }()
	if len(names) > 0 {
		dir, binary := filepath.Join(l.tree, l.dir), filepath.Join(l.work, "alone.test")
		if _, err := goCommand(dir, "test", "-vet=off", "-c", "-o", binary, "."); err != nil {
			return killed, "(build)", nil // a test that does not compile
		}
		by = l.kill(m, dir, binary, 0, names)
	}
	if by = cmp.Or(by, l.strangers()); by != "" {
		return killed, by, nil
	}
	return survived, "", nil
}

// strangers runs the tests of other packages in the copy of the repository, and returns what fails.
func (l *lab) strangers() (by string) {
	binary := filepath.Join(l.work, "others.test")
	for _, o := range l.others {
		dir := filepath.Join(l.tree, o.dir)
		if _, err := goCommand(dir, "test", "-vet=off", "-c", "-o", binary, "."); err != nil {
			return o.dir + " (build)"
		}
		if r := l.exec(dir, binary, 0, []string{o.tests}, time.Minute); r.by != "" {
			return o.dir + " " + r.by
		}
	}
	return ""
}

// woven returns the woven tests that judge a mutant.
func (l *lab) woven(m *mutant) string {
	if m.operator == lock {
		return l.raced
	}
	return l.binary
}

// kill runs tests against a mutant, and returns the one that fails.
func (l *lab) kill(m *mutant, dir, binary string, id int, names []string) string {
	cost := func(name string) time.Duration { return cmp.Or(l.tests[name], l.unfit[name], new(test)).cost }
	where, _, _ := strings.Cut(m.name, ":")
	l.mu.Lock()
	best := maps.Clone(l.killers[where])
	l.mu.Unlock()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Or(best[b]-best[a], cmp.Compare(cost(a), cost(b))) })
	var groups [][]string
	for _, most := range []time.Duration{300 * time.Millisecond, 2 * time.Second, time.Hour} {
		n, sum := 0, time.Duration(0)
		for n < len(names) && sum < most {
			sum += cost(names[n])
			n++
		}
		groups, names = append(groups, names[:n]), names[n:]
	}
	for _, group := range groups {
		for len(group) > 0 {
			limit := 2 * time.Second
			for _, name := range group {
				limit += 4 * cost(name)
			}
			if m.operator == lock {
				limit *= 10 // the race detector takes that much longer
			}
			r := l.exec(dir, binary, id, group, limit)
			if r.by == "" {
				break
			}
			if !l.trusted(l.woven(m), r.by, group, limit) {
				group = slices.DeleteFunc(slices.Clone(group), func(name string) bool { return name == r.by })
				continue // that test fails without the mutant too, or the machine is too busy
			}
			l.mu.Lock()
			if l.killers[where] == nil {
				l.killers[where] = make(map[string]int)
			}
			l.killers[where][r.by]++
			l.mu.Unlock()
			return r.by
		}
	}
	return ""
}

// trusted reports whether the test by which a group has failed passes without a mutant, or all of the
// group if that took too long. It is asked a few times, since some tests fail only now and then.
func (l *lab) trusted(binary, by string, group []string, limit time.Duration) bool {
	l.mu.Lock()
	known := l.tests[by] == nil || l.passes[by] >= 3
	l.mu.Unlock()
	if by != tooLong {
		if known {
			return true
		}
		group = []string{by}
	}
	if l.exec(l.path(), binary, 0, group, limit).by != "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passes[by]++
	return true
}
