package faulttest_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// A trial has groups mint in this process and in others while faults happen, and then looks for
// ids that occur twice.
type trial struct {
	processes int           // besides this one, each with perProcess groups
	local     int           // groups in this process
	want      int           // ids, at least
	length    time.Duration // of the time with faults, at least
	nodes     int64
	ttl       time.Duration
	// job fills in how the i-th process reaches the store.
	job func(i int) job
	// faults make one fault after another until ctx ends, and then mend them all.
	faults []func(ctx context.Context, rng *rand.Rand)
	// expect are the faults that a full run must have had.
	expect []string

	dir   string
	seed  uint64
	mu    sync.Mutex
	jobs  int
	files []*record
	tally map[string]int
}

const perProcess = 10

func (tr *trial) run(t *testing.T) {
	tr.dir, tr.seed, tr.tally = t.TempDir(), drawSeed(t), map[string]int{}
	rng := rand.New(rand.NewPCG(tr.seed, 1))

	ctx, stopLocal := context.WithCancel(t.Context())
	defer stopLocal()
	var local sync.WaitGroup
	live := map[int][]*record{} // by process; this one is -1
	mine := tr.newJob(0, tr.local)
	live[-1] = tr.open(t, mine)
	local.Go(func() {
		if err := mine.run(ctx); err != nil {
			t.Error(err)
		}
	})
	children := make([]*servers.Server, tr.processes)
	start := func(i int) {
		j := tr.newJob(i+1, perProcess)
		files := tr.open(t, j)
		tr.mu.Lock()
		live[i] = files
		tr.mu.Unlock()
		text, err := json.Marshal(j)
		if err != nil {
			t.Error(err)
		}
		children[i].Command = func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"="+string(text))
			return cmd
		}
		children[i].Start(t)
	}
	for i := range children {
		children[i] = &servers.Server{Log: filepath.Join(tr.dir, fmt.Sprintf("process%d.log", i))}
		t.Cleanup(func() { children[i].Stop(syscall.SIGKILL) })
		start(i)
	}

	// Faults.
	faulty, calm := context.WithCancel(t.Context())
	defer calm()
	var faults sync.WaitGroup
	for half := range 2 {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		faults.Go(func() {
			rest := func() { sleep(faulty, between(own, 200*time.Millisecond, 1500*time.Millisecond)) }
			for rest(); faulty.Err() == nil; rest() {
				i := own.IntN(tr.processes/2)*2 + half
				if own.IntN(2) == 0 {
					tr.count("minting process killed")
					children[i].Stop(syscall.SIGKILL)
					start(i)
				} else {
					tr.count("minting process paused")
					children[i].Signal(syscall.SIGSTOP)
					sleep(faulty, between(own, 0, 3*tr.ttl))
					children[i].Signal(syscall.SIGCONT)
				}
			}
		})
	}
	for _, f := range tr.faults {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		faults.Go(func() { f(faulty, own) })
	}
	for began := time.Now(); time.Since(began) < tr.length || tr.minted() < tr.want && time.Since(began) < 2*tr.length; {
		time.Sleep(100 * time.Millisecond)
	}
	calm()
	faults.Wait()

	// Calm: every group goes on.
	before := map[*record]int64{}
	for _, files := range live {
		for _, r := range files {
			before[r] = r.count.Load()
		}
	}
	limit := time.Now().Add(30 * time.Second)
	for f, count := range before {
		for f.count.Load() == count && count < perFile {
			if time.Now().After(limit) {
				t.Fatalf("a group has minted nothing for 30s after the last fault")
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	stopLocal()
	for _, c := range children {
		c.Stop(syscall.SIGTERM)
		if b, err := os.ReadFile(c.Log); err != nil || len(b) > 0 {
			t.Errorf("a minting process wrote: %s (%v)", b, err)
		}
	}
	local.Wait()
	tr.check(t)
}

func (tr *trial) newJob(i, groups int) *job {
	j := tr.job(i)
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.jobs++
	j.Nodes, j.TTL, j.Seed = tr.nodes, tr.ttl, tr.seed+uint64(tr.jobs)
	for g := range groups {
		j.Files = append(j.Files, filepath.Join(tr.dir, fmt.Sprintf("ids%d.%d", tr.jobs, g)))
	}
	return &j
}

// open opens the records of a job for reading.
func (tr *trial) open(t *testing.T, j *job) (files []*record) {
	for _, name := range j.Files {
		r, err := openRecord(name)
		if err != nil {
			t.Error(err)
			continue
		}
		files = append(files, r)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.files = append(tr.files, files...)
	return files
}

func (tr *trial) count(fault string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.tally[fault]++
}

func (tr *trial) minted() (n int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, f := range tr.files {
		n += int(min(f.count.Load(), perFile))
	}
	return n
}

// check looks for ids that occur twice.
func (tr *trial) check(t *testing.T) {
	var all []int64
	for _, f := range tr.files {
		all = append(all, f.all()...)
	}
	slices.Sort(all)
	for len(all) > 0 && all[0] == 0 {
		all = all[1:] // holes
	}
	nodes := map[int64]bool{}
	twice := 0
	for i, id := range all {
		nodes[ids.Snowflake(id).Node()] = true
		if i > 0 && id == all[i-1] {
			if twice++; twice <= 10 {
				t.Errorf("%d twice: node %d at %v", id, ids.Snowflake(id).Node(), ids.Snowflake(id).Time())
			}
		}
	}
	t.Logf("%d ids under %d node numbers from %d groups, %d twice; %v", len(all), len(nodes), len(tr.files), twice, tr.tally)
	if twice > 0 {
		t.Errorf("seed %d: %d ids occur twice", tr.seed, twice)
	}
	if len(all) < tr.want {
		t.Errorf("%d ids, want at least %d", len(all), tr.want)
	}
	for _, fault := range append(tr.expect, "minting process killed", "minting process paused") {
		if tr.tally[fault] == 0 && !testing.Short() {
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
