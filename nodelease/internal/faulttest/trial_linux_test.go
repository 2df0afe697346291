package faulttest_test

import (
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

var (
	longFlag = flag.Bool("long", false, "run each trial for long, and one after the other")
	seedFlag = flag.Uint64("seed", 0, "seed of the faults (0: a new one)")
)

// length returns how long a trial lasts. Unless it is long, it shares the machine with others.
func length(t *testing.T) time.Duration {
	if *longFlag {
		return time.Minute
	}
	t.Parallel()
	if testing.Short() {
		return 5 * time.Second
	}
	return 12 * time.Second
}

// ttl is short, so that leases end while a test waits.
const ttl = 2 * time.Second

// A trial has groups mint in this process and in others while faults happen, and then looks for ids that occur twice.
type trial struct {
	processes int             // each with perProcess groups. They are killed and paused
	length    time.Duration   // of the time with faults
	job       func(i int) job // how the i-th process reaches the store
	faults    []fault
	held      func() (int64, error) // how many numbers are held

	dir      string
	seed     uint64
	mu       sync.Mutex
	jobs     int
	files    []record
	children []*servers.Server
	live     [][]record     // by child
	tally    map[string]int // of faults
}

// A fault makes one fault after another until ctx ends, and then mends them all.
type fault func(ctx context.Context, tr *trial, rng *rand.Rand)

// With ten, on a machine with thirty programs for each processor, leases of 2 s ended faster than etcd granted new ones.
const perProcess = 4

func (tr *trial) run(t *testing.T) {
	t.Helper()
	tr.dir, tr.seed, tr.tally, tr.live = t.TempDir(), cmp.Or(*seedFlag, rand.Uint64()), map[string]int{}, make([][]record, tr.processes)
	t.Logf("-seed %d", tr.seed)
	rng := rand.New(rand.NewPCG(tr.seed, 1))
	for i := range tr.processes {
		c := &servers.Server{Log: filepath.Join(tr.dir, fmt.Sprintf("process%d.log", i))}
		t.Cleanup(func() { c.Stop(syscall.SIGKILL) })
		tr.children = append(tr.children, c)
		tr.startChild(t, i)
	}
	tr.progress(t, "at the start")

	ctx, calm := context.WithTimeout(t.Context(), tr.length)
	defer calm()
	var faults sync.WaitGroup
	for half := range 2 {
		tr.faults = append(tr.faults, func(ctx context.Context, tr *trial, rng *rand.Rand) { tr.processFaults(ctx, t, rng, half) })
	}
	for _, f := range tr.faults {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		faults.Go(func() { f(ctx, tr, own) })
	}
	faults.Wait()
	tr.progress(t, "after the last fault")
	for _, c := range tr.children {
		c.Stop(syscall.SIGTERM)
		if text := c.Tail(); strings.Contains(text, failure) {
			t.Errorf("a minting process wrote: %s", text)
		}
	}
	tr.check(t)
	must.Soon(t, func() error { // after their TTL those of processes that were killed are free
		held, err := tr.held()
		if err == nil && held > 0 {
			err = fmt.Errorf("%d numbers are still held", held)
		}
		return err
	})
}

// startChild starts the i-th process with a new job.
func (tr *trial) startChild(t *testing.T, i int) {
	j := tr.job(i)
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.jobs++
	j.Numbers, j.Seed = int64(tr.processes*perProcess+2), tr.seed+uint64(tr.jobs)
	for g := range perProcess {
		r := record(filepath.Join(tr.dir, fmt.Sprintf("ids%d.%d", tr.jobs, g)))
		if err := os.WriteFile(string(r), nil, 0o644); err != nil {
			t.Error(err)
		}
		j.Files = append(j.Files, r)
	}
	tr.files, tr.live[i] = append(tr.files, j.Files...), j.Files
	text, err := json.Marshal(j)
	if err != nil {
		t.Error(err)
	}
	tr.children[i].Command = func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"="+string(text))
		return cmd
	}
	tr.children[i].Start(t)
}

// processFaults kills and pauses minting processes, of which it has every other one.
func (tr *trial) processFaults(ctx context.Context, t *testing.T, rng *rand.Rand, half int) {
	for ; ctx.Err() == nil; sleep(ctx, between(rng, 200*time.Millisecond, 1500*time.Millisecond)) {
		i := rng.IntN(len(tr.children)/2)*2 + half
		if rng.IntN(2) == 0 {
			tr.count("minting process killed")
			tr.children[i].Stop(syscall.SIGKILL)
			tr.startChild(t, i)
		} else {
			tr.count("minting process paused")
			tr.children[i].Signal(syscall.SIGSTOP)
			sleep(ctx, between(rng, 0, 3*ttl))
			tr.children[i].Signal(syscall.SIGCONT)
		}
	}
}

// progress waits until each group has minted, or can mint no more. On a machine that is busy the store may be too slow
// to mint with for a while.
func (tr *trial) progress(t *testing.T, when string) {
	t.Helper()
	limit := time.Now().Add(4 * time.Minute)
	for i, files := range tr.live {
		for _, r := range files {
			for before := r.count(); r.count() == before && before < perFile; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatalf("%s the group %s has minted nothing for 4 minutes. The end of the log:\n%s", when, r, tr.children[i].Tail())
				}
			}
		}
	}
}

func (tr *trial) count(fault string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.tally[fault]++
}

// check looks for ids that occur twice, and logs what there was.
func (tr *trial) check(t *testing.T) {
	t.Helper()
	var all []ids.Snowflake
	for _, r := range tr.files {
		own, err := r.read()
		if err != nil {
			t.Error(err)
		}
		all = append(all, own...)
	}
	slices.Sort(all)
	twice := 0
	for i, id := range all {
		if i == 0 || id != all[i-1] {
			continue
		}
		if twice++; twice <= 10 {
			t.Errorf("%d of number %d twice", id, ids.TwitterLayout().Split(id).Node)
		}
	}
	t.Logf("%d ids, %d twice, of %d groups; faults: %v", len(all), twice, len(tr.files), tr.tally)
	if twice > 0 || len(all) == 0 {
		t.Errorf("seed %d: of %d ids %d occur twice", tr.seed, len(all), twice)
	}
}
