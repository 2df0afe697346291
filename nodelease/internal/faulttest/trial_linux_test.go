package faulttest_test

import (
	"cmp"
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
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
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

// A trial has groups mint in this process and in others while faults happen, and then looks for ids that occur twice.
type trial struct {
	fault     string        // what the row in nodelease/README.md says
	processes int           // besides this one, each with perProcess groups. They are killed and paused
	local     int           // groups in this process
	stay      bool          // every other group stays on the system's clock, to be measured. The others come and go
	scarce    bool          // there are fewer numbers than groups, none of which stays
	length    time.Duration // of the time with faults
	numbers   int64
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

// every makes a fault of a kind, with pauses between. do reports whether there was one.
func every(least, most time.Duration, kind string, do func(ctx context.Context, rng *rand.Rand) bool) fault {
	return func(ctx context.Context, tr *trial, rng *rand.Rand) {
		for ; ctx.Err() == nil; sleep(ctx, between(rng, least, most)) {
			if do(ctx, rng) {
				tr.count(kind)
			}
		}
	}
}

// share has 24 groups of this process share the numbers of a store. If there are fewer, none stays.
func share(t *testing.T, what string, j job, length time.Duration, faults ...fault) {
	t.Helper()
	t.Run(j.Name, func(t *testing.T) {
		tr := &trial{fault: what, local: 24, numbers: j.Numbers, ttl: j.TTL, length: length, job: func(int) job { return j }, faults: faults}
		tr.stay, tr.scarce = j.Numbers >= 24, j.Numbers < 24
		if tr.scarce {
			tr.expect = []string{"refused Takes"}
		}
		tr.run(t)
	})
}

func (tr *trial) run(t *testing.T) {
	t.Helper()
	tr.dir, tr.seed, tr.tally, tr.live = t.TempDir(), cmp.Or(*seedFlag, rand.Uint64()), map[string]int{}, map[int][]*record{}
	t.Logf("-seed %d", tr.seed)
	rng := rand.New(rand.NewPCG(tr.seed, 1))
	ctx, stopLocal := context.WithCancel(t.Context())
	defer stopLocal()
	var local sync.WaitGroup
	mine := tr.newJob(t, -1, tr.local)
	mine.observe = func(e nodelease.Event) {
		if tr.scarce && errors.Is(e.Err, nodelease.ErrNoNumber) && e.Kind == nodelease.Failed {
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
	j.Numbers, j.TTL, j.Stay, j.Scarce, j.Seed = tr.numbers, tr.ttl, tr.stay, tr.scarce, tr.seed+uint64(tr.jobs)
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
	j.Numbers, j.TTL = tr.numbers, tr.ttl
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, closeStore, err := j.open(ctx)
	if err != nil {
		return 10 * time.Second, err
	}
	defer closeStore()
	began := time.Now()
	g, err := s.Take(ctx, nodelease.Request{Now: began})
	took = time.Since(began)
	if err == nil {
		err = g.Lease.Release(ctx, g.Horizon)
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
		parts := ids.TwitterLayout().Split(id)
		nodes[parts.Node] = true
		if i == 0 || id != all[i-1] {
			continue
		}
		if twice++; !parts.Time.After(tr.forgot) {
			continue
		}
		if bad++; bad <= 10 {
			t.Errorf("%d twice: node %d at %v", id, parts.Node, parts.Time)
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

// TestEtcdCrowd and TestPostgresCrowd start more minters at once than there are numbers, and reset connections
// while the minters close.
func TestEtcdCrowd(t *testing.T) {
	alone(t)
	n := servers.NewNetwork(t)
	endpoints, links, _ := etcdtest.Start(t, n, 3).Proxies(t, "minter")
	crowd(t, n, job{Etcd: endpoints}, links...)
}

func TestPostgresCrowd(t *testing.T) {
	alone(t)
	n := servers.NewNetwork(t)
	_, address := pgtest.Start(t)
	url := pgtest.URL(n.Proxy(t, "minter", "postgres", address, nil))
	crowd(t, n, job{Postgres: url}, servers.Link{From: "minter", To: "postgres"})
}

// crowd has a sixth more minters than numbers start at once. It closes those that have a number: those that have none
// get theirs.
func crowd(t *testing.T, n *servers.Network, j job, links ...servers.Link) {
	numbers := map[bool]int{false: 256, true: 32}[testing.Short()]
	minters := numbers * 300 / 256
	j.Name, j.Numbers, j.TTL = "crowd", int64(numbers), 15*time.Second
	s, closeStore, err := j.open(t.Context())
	must.Do(t, err)
	defer closeStore()
	var waiting, failures atomic.Int64
	opts := &nodelease.Options{Observe: func(e nodelease.Event) {
		switch {
		case e.Kind == nodelease.Failed && errors.Is(e.Err, nodelease.ErrNoNumber):
			waiting.Add(1)
		case e.Kind == nodelease.Failed:
			failures.Add(1)
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	all := make(chan *nodelease.Minter, minters)
	for range minters {
		m := must.Get(nodelease.NewMinter(s, opts))(t)
		go func() {
			if _, err := m.NextContext(ctx); err != nil {
				t.Errorf("NextContext: %v", err)
			}
			all <- m
		}()
	}
	var first []*nodelease.Minter
	holders := map[int64]bool{}
	for range numbers {
		m := <-all
		first = append(first, m)
		if number, ok := m.Number(); ok && holders[number] {
			t.Errorf("two minters have the number %d", number)
		} else if ok {
			holders[number] = true
		}
	}
	t.Logf("%d minters, %d numbers: all had one after %v, %d times none could be had, %d requests failed", minters, numbers,
		time.Since(began).Round(time.Millisecond), waiting.Load(), failures.Load())
	began = time.Now()
	var closed sync.WaitGroup
	var kept atomic.Int64
	closed.Go(func() {
		for range 10 {
			n.Reset(links...)
			sleep(ctx, 20*time.Millisecond)
		}
	})
	for _, m := range first {
		closed.Go(func() {
			if err := m.Close(); err != nil {
				t.Logf("Close: %v", err)
				kept.Add(1)
			}
		})
	}
	closed.Wait()
	t.Logf("closed after %v, with connections reset 10 times: %d requests failed", time.Since(began).Round(time.Millisecond), failures.Load())
	for range minters - numbers {
		if err := (<-all).Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if kept.Load() > int64(numbers/10) { // a machine that is busy may need more than 5 s for a few
		t.Errorf("%d of %d numbers were not handed back", kept.Load(), numbers)
	}
	for range numbers - int(kept.Load()) { // all are free
		if _, err := s.Take(ctx, nodelease.Request{Now: time.Now()}); err != nil {
			t.Fatalf("Take after all Closes: %v", err)
		}
	}
}

// TestPostgresPutBack and TestEtcdPutBack put the store back to a backup under live minters, as a restored one is: ids
// repeat until each holder's next renewal, and not afterwards.
func TestPostgresPutBack(t *testing.T) {
	alone(t)
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	j := job{Postgres: pgtest.URL(address), Name: "back", Numbers: 26, TTL: ttl}
	_, closeStore, err := j.open(t.Context())
	must.Do(t, err)
	closeStore()
	must.Get(pool.Exec(t.Context(), `create table backup as table back`))(t)
	share(t, "PostgreSQL: put back to a backup", j, duration(15*time.Second, 3*time.Second, 3*time.Second),
		putBack(func(ctx context.Context) {
			_, err := pool.Exec(ctx, `begin; delete from back; insert into back table backup; commit`, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Error(err)
			}
		}))
}

// putBack is the fault that restore makes, once, when the minters had time for horizons.
func putBack(restore func(ctx context.Context)) fault {
	return func(ctx context.Context, tr *trial, _ *rand.Rand) {
		sleep(ctx, tr.ttl)
		restore(ctx)
		tr.count("restores")
		tr.forgot = time.Now().Add(tr.ttl)
		<-ctx.Done()
	}
}

func TestEtcdPutBack(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t), 3)
	backups := t.TempDir()
	// move has all members stop, copies their data to the backups or back, and has them start again.
	move := func(back bool) {
		for _, m := range cluster.Members {
			m.Stop(syscall.SIGKILL)
		}
		for _, m := range cluster.Members {
			from, to := m.Data, filepath.Join(backups, m.Name)
			if back {
				from, to = to, from
			}
			if err := os.RemoveAll(to); err != nil {
				t.Error(err)
			}
			if out, err := exec.Command("cp", "-a", "--sparse=always", from, to).CombinedOutput(); err != nil {
				t.Errorf("cp: %v: %s", err, out)
			}
			m.Start(t)
		}
		for _, m := range cluster.Members {
			awaitMember(t, m)
		}
	}
	j := job{Etcd: cluster.Endpoints(), Name: "back", Numbers: 26, TTL: 5 * time.Second} // longer than the members are down
	_, closeStore, err := j.open(t.Context())
	must.Do(t, err)
	closeStore()
	move(false)
	share(t, "etcd: put back to a backup", j, duration(30*time.Second, 8*time.Second, 8*time.Second),
		putBack(func(context.Context) { move(true) }))
}
