package faulttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

var longFlag = flag.Bool("long", false, "run each trial for long, and one after the other, so that what it measures is its own")

// alone has a test share the machine with others unless it is there to measure.
func alone(t *testing.T) {
	if !*longFlag {
		t.Parallel()
	}
}

// duration returns how long a part of a test lasts: with -long, by default, and with -short.
func duration(long, normal, short time.Duration) time.Duration {
	switch {
	case *longFlag:
		return long
	case testing.Short():
		return short
	}
	return normal
}

// A trial has groups mint in this process and in others while faults happen, and then looks for
// ids that occur twice.
type trial struct {
	fault     string        // what the row in nodelease/README.md says
	processes int           // besides this one, each with perProcess groups. They are killed and paused
	local     int           // groups in this process
	stay      bool          // every other group stays on the system's clock, to be measured. The others come and go
	scarce    bool          // there are fewer numbers than groups, none of which stays
	length    time.Duration // of the time with faults
	nodes     int64
	ttl       time.Duration
	job       func(i int) job // how the i-th process reaches the store
	faults    []fault
	expect    []string // the faults that a long run must have had

	dir    string
	seed   uint64
	mu     sync.Mutex
	jobs   int
	files  []*record
	live   map[int][]*record // by process; this one is -1
	tally  map[string]int    // of faults
	forgot time.Time         // ids up to this time may occur twice, since the store has forgotten what it had
}

// A fault makes one fault after another until ctx ends, and then mends them all.
type fault func(ctx context.Context, tr *trial, rng *rand.Rand)

const perProcess = 10

// share has 24 groups of this process share the numbers of a store. If there are fewer, none stays.
func share(t *testing.T, what string, j job, length time.Duration, faults ...fault) {
	t.Helper()
	t.Run(j.Name, func(t *testing.T) {
		tr := &trial{fault: what, local: 24, nodes: j.Nodes, ttl: j.TTL, length: length, job: func(int) job { return j }, faults: faults}
		tr.stay, tr.scarce = j.Nodes >= 24, j.Nodes < 24
		if tr.scarce {
			tr.expect = []string{"refused Takes"}
		}
		tr.run(t)
	})
}

func (tr *trial) run(t *testing.T) {
	t.Helper()
	tr.dir, tr.seed, tr.tally, tr.live = t.TempDir(), drawSeed(t), map[string]int{}, map[int][]*record{}
	rng := rand.New(rand.NewPCG(tr.seed, 1))

	ctx, stopLocal := context.WithCancel(t.Context())
	defer stopLocal()
	var local sync.WaitGroup
	mine := tr.newJob(t, -1, tr.local)
	mine.observe = func(e nodelease.Event) {
		if tr.scarce && errors.Is(e.Err, nodelease.ErrNoNode) && e.Kind == nodelease.Failed {
			tr.count("refused Takes")
		}
	}
	local.Go(func() {
		if err := mine.run(ctx); err != nil {
			t.Error(err)
		}
	})
	children := make([]*servers.Server, tr.processes)
	for i := range children {
		children[i] = &servers.Server{Log: filepath.Join(tr.dir, fmt.Sprintf("process%d.log", i))}
		t.Cleanup(func() { children[i].Stop(syscall.SIGKILL) })
		tr.startChild(t, i, children[i])
	}
	tr.progress(t, "at the start")

	faulty, calm := context.WithTimeout(t.Context(), tr.length)
	var faults sync.WaitGroup
	for half := range min(2, tr.processes) {
		tr.faults = append(tr.faults, func(ctx context.Context, tr *trial, rng *rand.Rand) { tr.processFaults(ctx, t, rng, children, half) })
	}
	for _, f := range tr.faults {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		faults.Go(func() { f(faulty, tr, own) })
	}
	<-faulty.Done()
	calm()
	faults.Wait()
	tr.progress(t, "after the last fault")
	stopLocal()
	for _, c := range children {
		c.Stop(syscall.SIGTERM)
		if text := c.Tail(); text != "" {
			t.Errorf("a minting process wrote: %s", text)
		}
	}
	local.Wait()
	tr.check(t)
}

// newJob returns a new job of the i-th process, whose records are open for reading.
func (tr *trial) newJob(t *testing.T, i, groups int) *job {
	j := tr.job(i + 1)
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.jobs++
	j.Nodes, j.TTL, j.Stay, j.Scarce, j.Seed = tr.nodes, tr.ttl, tr.stay, tr.scarce, tr.seed+uint64(tr.jobs)
	tr.live[i] = nil
	for g := range groups {
		r := &record{filepath.Join(tr.dir, fmt.Sprintf("ids%d.%d", tr.jobs, g)), tr.stay && g%2 == 0}
		if err := os.WriteFile(r.name, nil, 0o644); err != nil {
			t.Error(err)
		}
		j.Files = append(j.Files, r.name)
		tr.files, tr.live[i] = append(tr.files, r), append(tr.live[i], r)
	}
	return &j
}

func (tr *trial) startChild(t *testing.T, i int, s *servers.Server) {
	text, err := json.Marshal(tr.newJob(t, i, perProcess))
	if err != nil {
		t.Error(err)
	}
	s.Command = func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"="+string(text))
		return cmd
	}
	s.Start(t)
}

// processFaults kills and pauses minting processes, of which it has every other one.
func (tr *trial) processFaults(ctx context.Context, t *testing.T, rng *rand.Rand, children []*servers.Server, half int) {
	rest := func() { sleep(ctx, between(rng, 200*time.Millisecond, 1500*time.Millisecond)) }
	for rest(); ctx.Err() == nil; rest() {
		i := rng.IntN(len(children)/2)*2 + half
		if rng.IntN(2) == 0 {
			tr.count("minting process killed")
			children[i].Stop(syscall.SIGKILL)
			tr.startChild(t, i, children[i])
		} else {
			tr.count("minting process paused")
			children[i].Signal(syscall.SIGSTOP)
			sleep(ctx, between(rng, 0, 3*tr.ttl))
			children[i].Signal(syscall.SIGCONT)
		}
	}
}

// progress waits until each group has minted, or can mint no more. A store that takes half of a TTL for a Take is too
// slow to mint with: then it waits for longer.
func (tr *trial) progress(t *testing.T, when string) {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	before := map[*record]int64{}
	for _, files := range tr.live {
		for _, r := range files {
			before[r] = r.count()
		}
	}
	slow := 0
	for r, count := range before {
		for ; r.count() == count && count < perFile; time.Sleep(5 * time.Millisecond) {
			if time.Now().Before(limit) {
				continue
			}
			took, err := tr.take(t)
			if slow++; took > tr.ttl/2 && slow <= 4 {
				t.Logf("%s the store is overloaded: a Take ends after %v, with the error %v", when, took, err)
				limit = time.Now().Add(time.Minute)
				continue
			}
			log, _ := os.ReadFile(r.name + ".log")
			t.Fatalf("the group %s has minted nothing for a minute %s, at %v; a Take ends after %v, with the error %v. The end of its log:\n%s",
				r.name, when, time.Now(), took, err, log[max(0, len(log)-8000):])
		}
	}
}

// take returns how long a Take takes now, which finds a number or none.
func (tr *trial) take(t *testing.T) (took time.Duration, err error) {
	j := tr.job(0)
	j.Nodes, j.TTL = tr.nodes, tr.ttl
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, closeStore, err := j.open(ctx)
	if err != nil {
		return 10 * time.Second, err
	}
	defer closeStore()
	began := time.Now()
	l, err := s.Take(ctx, nodelease.Request{Now: began})
	took = time.Since(began)
	if err == nil {
		err = l.Release(ctx, l.Mark())
	}
	return took, err
}

func (tr *trial) count(fault string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.tally[fault]++
}

// check looks for ids that occur twice, and logs a row of a table in nodelease/README.md.
func (tr *trial) check(t *testing.T) {
	t.Helper()
	var all []ids.Snowflake
	var pause time.Duration
	for _, r := range tr.files {
		own, longest, err := r.read()
		if err != nil {
			t.Error(err)
		}
		if r.stays {
			pause = max(pause, longest)
		}
		all = append(all, own...)
	}
	slices.Sort(all)
	nodes := map[int64]bool{}
	twice, bad := 0, 0
	for i, id := range all {
		nodes[id.Node()] = true
		if i == 0 || id != all[i-1] {
			continue
		}
		if twice++; !id.Time().After(tr.forgot) {
			continue
		}
		if bad++; bad <= 10 {
			t.Errorf("%d twice: node %d at %v", id, id.Node(), id.Time())
		}
	}
	var injected []string
	for kind, n := range tr.tally {
		injected = append(injected, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(injected)
	t.Logf("ROW | %s | %s | %d ids, %d groups, %d numbers | %v | %d |", tr.fault, strings.Join(injected, ", "),
		len(all), len(tr.files), len(nodes), pause.Round(time.Millisecond), twice)
	if bad > 0 || len(all) == 0 {
		t.Errorf("seed %d: of %d ids %d occur twice", tr.seed, len(all), bad)
	}
	if len(tr.faults) > 0 && len(injected) == 0 {
		t.Error("no fault")
	}
	for _, fault := range tr.expect {
		if tr.tally[fault] == 0 && *longFlag {
			t.Errorf("no fault of the kind %q", fault)
		}
	}
}

func between(rng *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(rng.Int64N(int64(high-low)))
}

var seedFlag = flag.Uint64("seed", 0, "seed of the faults (0: a new one)")

// drawSeed returns the seed of the test's faults and writes it to its log.
func drawSeed(t *testing.T) uint64 {
	seed := *seedFlag
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed %d", seed)
	return seed
}
