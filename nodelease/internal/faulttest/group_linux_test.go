package faulttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// childVariable holds the job of a process that is to mint instead of testing.
const childVariable = "NODELEASE_TEST_JOB"

// A job is some groups of goroutines of one process that mint over one set of connections. Each
// group has a Minter of its own.
type job struct {
	Etcd     []string // addresses
	Postgres string   // a URL
	Nodes    int64
	TTL      time.Duration
	Seed     uint64
	Files    []string // one for each group: where it records its ids
}

// perFile bounds the ids of a group.
const perFile = 1 << 20

// record keeps ids in a file that is mapped into memory: what a process recorded survives its
// SIGKILL.
type record struct {
	count *atomic.Int64
	ids   []int64
}

func openRecord(name string) (*record, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const size = 8 * (perFile + 1)
	if err := f.Truncate(size); err != nil {
		return nil, err
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	return &record{
		count: (*atomic.Int64)(unsafe.Pointer(&b[0])),
		ids:   unsafe.Slice((*int64)(unsafe.Pointer(&b[8])), perFile),
	}, nil
}

// add records an id, and reports whether there is room for more.
func (r *record) add(id ids.Snowflake) bool {
	i := r.count.Add(1) - 1
	if i < perFile {
		r.ids[i] = int64(id)
	}
	return i < perFile-1
}

// all returns what was recorded. A process that was killed may have left a hole.
func (r *record) all() []int64 { return r.ids[:min(r.count.Load(), perFile)] }

// open connects a job's process to its store.
func (j *job) open(ctx context.Context) (nodelease.Store, func(), error) {
	if j.Postgres != "" {
		pool, err := pgxpool.New(ctx, j.Postgres)
		if err != nil {
			return nil, nil, err
		}
		s, err := pgstore.New(ctx, pool, &pgstore.Options{Holder: "test", Nodes: j.Nodes, TTL: j.TTL})
		if err != nil {
			pool.Close()
			return nil, nil, err
		}
		return s, pool.Close, nil
	}
	client, err := clientv3.New(etcdtest.Config(j.Etcd))
	if err != nil {
		return nil, nil, err
	}
	s, err := etcdstore.New(client, &etcdstore.Options{Prefix: "/test", Holder: "test", Nodes: j.Nodes, TTL: j.TTL})
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	return s, func() { client.Close() }, nil
}

// run mints until ctx ends, then hands the numbers back.
func (j *job) run(ctx context.Context) error {
	store, closeStore, err := j.open(ctx)
	for err != nil { // a store that is down just now
		if sleep(ctx, 200*time.Millisecond); ctx.Err() != nil {
			return nil
		}
		store, closeStore, err = j.open(ctx)
	}
	defer closeStore()
	var groups sync.WaitGroup
	failed := make([]error, len(j.Files))
	for i, file := range j.Files {
		groups.Go(func() { failed[i] = j.group(ctx, store, file, rand.New(rand.NewPCG(j.Seed, uint64(i)))) })
	}
	groups.Wait()
	return errors.Join(failed...)
}

// group mints with one Minter after another, each from two goroutines.
func (j *job) group(ctx context.Context, store nodelease.Store, file string, rng *rand.Rand) error {
	r, err := openRecord(file)
	if err != nil {
		return err
	}
	now := skewed(rng)
	for room := true; room && ctx.Err() == nil; {
		m, err := nodelease.NewMinter(store, &nodelease.Options{Window: time.Second + time.Duration(rng.Int64N(int64(4*j.TTL))), Now: now})
		if err != nil {
			return err
		}
		life, cancel := context.WithTimeout(ctx, between(rng, 0, 5*j.TTL))
		var both sync.WaitGroup
		for range 2 {
			own := rand.New(rand.NewPCG(rng.Uint64(), 0))
			both.Go(func() {
				for life.Err() == nil {
					for range own.IntN(150) {
						var id ids.Snowflake
						var err error
						if own.IntN(10) == 0 {
							id, err = m.TryNext()
						} else {
							id, err = m.Next(life)
						}
						if err == nil && !r.add(id) {
							cancel()
						}
					}
					time.Sleep(5*time.Millisecond + time.Duration(own.IntN(20))*time.Millisecond)
				}
			})
		}
		both.Wait()
		cancel()
		room = r.count.Load() < perFile
		_ = m.Close() // fails while the store is away
	}
	return nil
}

// skewed returns a wall clock: for half of the groups the right one, for the others one that is
// off by up to 3 seconds or 5 minutes and steps, in both directions.
func skewed(rng *rand.Rand) func() time.Time {
	spread := []time.Duration{0, 0, 0, 0, 0, 3 * time.Second, 3 * time.Second, 3 * time.Second, 3 * time.Second, 5 * time.Minute}[rng.IntN(10)]
	if spread == 0 {
		return nil
	}
	own := rand.New(rand.NewPCG(rng.Uint64(), 0))
	draw := func() time.Duration { return between(own, -spread, spread) }
	var mu sync.Mutex
	offset, next := draw(), time.Now()
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if now.After(next) {
			offset, next = draw(), now.Add(between(own, 0, 20*time.Second))
		}
		return now.Add(offset)
	}
}

// runChild is the whole of a process that mints.
func runChild(text string) {
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err = j.run(ctx)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "minting process:", err)
		os.Exit(1)
	}
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		runChild(text)
		return
	}
	os.Exit(m.Run())
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
