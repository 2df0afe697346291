package faulttest_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/mysqlstore"
	"github.com/oneclock/ids/nodelease/pgstore"
)

const (
	childVariable = "NODELEASE_TEST_JOB" // holds the job of a process that is to mint instead of testing
	failure       = "minting failed:"    // begins what such a process says last
)

// A job is some groups of goroutines of one process that mint over one set of connections. Each
// group has a Minter of its own.
type job struct {
	Etcd     []string // addresses
	Postgres string   // a URL
	MySQL    string   // a DSN
	Numbers  int64
	Seed     uint64
	Files    []record // one for each group
}

// perFile bounds the ids of a group.
const perFile = 1 << 20

// A record is a file to which the goroutines of a group append ids, of 8 bytes each: what a process has written survives
// its SIGKILL.
type record string

// count returns how many ids there are.
func (r record) count() int64 {
	info, err := os.Stat(string(r))
	if err != nil {
		return 0
	}
	return info.Size() / 8
}

// read returns the ids.
func (r record) read() (all []ids.Snowflake, err error) {
	b, err := os.ReadFile(string(r))
	for ; len(b) >= 8; b = b[8:] {
		all = append(all, ids.Snowflake(binary.NativeEndian.Uint64(b)))
	}
	return all, err
}

// connect returns what opens a job's store, which the first process makes, and what ends its connections.
func (j *job) connect(ctx context.Context) (open func() (nodelease.Store, error), end func()) {
	opts := pgstore.Options{Table: "faults", Holder: "test", Numbers: j.Numbers, TTL: ttl}
	switch {
	case j.Postgres != "":
		pool, err := pgtest.Connect(ctx, j.Postgres+"&pool_max_conns=10")
		check(err)
		return func() (nodelease.Store, error) { return suite.Open(ctx, pgstore.Init, pgstore.New, pool, &opts) }, pool.Close
	case j.MySQL != "":
		db, err := sql.Open("mysql", j.MySQL)
		check(err)
		db.SetMaxOpenConns(10)
		db.SetMaxIdleConns(10)
		own := mysqlstore.Options(opts)
		return func() (nodelease.Store, error) { return suite.Open(ctx, mysqlstore.Init, mysqlstore.New, db, &own) }, func() { db.Close() }
	}
	client, err := clientv3.New(etcdtest.Config(j.Etcd))
	check(err)
	own := etcdstore.Options{Prefix: "/faults", Holder: "test", Numbers: j.Numbers, TTL: ttl}
	return func() (nodelease.Store, error) { return suite.Open(ctx, etcdstore.Init, etcdstore.New, client, &own) }, func() { client.Close() }
}

// run mints until ctx ends, then hands the numbers back.
func (j *job) run(ctx context.Context) {
	open, end := j.connect(ctx)
	defer end()
	store, err := open()
	for err != nil { // a store that is down just now
		if sleep(ctx, 200*time.Millisecond); ctx.Err() != nil {
			return
		}
		store, err = open()
	}
	var groups sync.WaitGroup
	for i, file := range j.Files {
		groups.Go(func() { mint(ctx, store, file, rand.New(rand.NewPCG(j.Seed, uint64(i)))) })
	}
	groups.Wait()
}

// mint mints with one Minter after another, each from two goroutines.
func mint(ctx context.Context, store nodelease.Store, r record, rng *rand.Rand) {
	file, err := os.OpenFile(string(r), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	check(err)
	defer file.Close()
	now := clock(rng)
	for r.count() < perFile && ctx.Err() == nil {
		window := time.Second + time.Duration(rng.Int64N(int64(4*ttl)))
		m, err := nodelease.NewMinter(store, &nodelease.Options{Window: window, Now: now, Logger: slog.With("group", r)})
		check(err)
		life, end := context.WithTimeout(ctx, between(rng, 0, 5*ttl))
		var both sync.WaitGroup
		for range 2 {
			own := rand.New(rand.NewPCG(rng.Uint64(), 0))
			both.Go(func() {
				for life.Err() == nil && r.count() < perFile {
					batch(life, m, file, own)
					time.Sleep(between(own, 5*time.Millisecond, 25*time.Millisecond))
				}
			})
		}
		both.Wait()
		end()
		_ = m.Close() // fails while the store is away
	}
}

// batch records some ids.
func batch(life context.Context, m *nodelease.Minter, file *os.File, rng *rand.Rand) {
	for range rng.IntN(150) {
		next := m.NextContext
		if rng.IntN(10) == 0 {
			next = func(context.Context) (ids.Snowflake, error) { return m.TryNext() }
		}
		id, err := next(life)
		switch {
		case err == nil:
			_, err := file.Write(binary.NativeEndian.AppendUint64(nil, uint64(id)))
			check(err)
		case errors.Is(err, ids.ErrWithheld), errors.Is(err, ids.ErrClockBehind), errors.Is(err, ids.ErrExhausted), life.Err() != nil:
		default:
			check(err)
		}
	}
}

// check ends a process at an error.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, failure, err)
		os.Exit(1)
	}
}

// clock returns a wall clock that is off and steps, in both directions by up to 3 seconds or 5 minutes, but for half of
// the groups, which have the right one.
func clock(rng *rand.Rand) func() time.Time {
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

// TestMain mints instead of testing in a process that has a job.
func TestMain(m *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var j job
	check(json.Unmarshal([]byte(text), &j))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	j.run(ctx)
	stop()
}

func between(rng *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(rng.Int64N(int64(high-low)))
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
