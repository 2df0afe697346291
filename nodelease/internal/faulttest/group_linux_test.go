package faulttest_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// childVariable holds the job of a process that is to mint instead of testing.
const childVariable = "NODELEASE_TEST_JOB"

// A job is some groups of goroutines of one process that mint over one set of connections. Each
// group has a Minter of its own.
type job struct {
	Etcd         []string // addresses
	Postgres     string   // a URL
	Name         string   // of the prefix or the table
	Numbers      int64
	TTL          time.Duration
	Seed         uint64
	Stay, Scarce bool     // as in the trial
	Files        []string // one for each group: where it records its ids. Beside it is its log

	observe func(nodelease.Event) // nil in other processes
}

// perFile bounds the ids of a group.
const perFile = 1 << 20

// A record is a file to which the goroutines of a group append ids, each with the time: what a process has written
// survives its SIGKILL.
type record struct {
	name  string
	stays bool // the group has one Minter, on the system's clock
}

const entry = 16 // bytes: the id, and nanoseconds since 1970

// count returns how many ids there are.
func (r *record) count() int64 {
	info, err := os.Stat(r.name)
	if err != nil {
		return 0
	}
	return info.Size() / entry
}

// read returns the ids, and the longest time between two.
func (r *record) read() (all []ids.Snowflake, pause time.Duration, err error) {
	b, err := os.ReadFile(r.name)
	var times []int64
	for ; len(b) >= entry; b = b[entry:] {
		all = append(all, ids.Snowflake(binary.NativeEndian.Uint64(b)))
		times = append(times, int64(binary.NativeEndian.Uint64(b[8:])))
	}
	slices.Sort(times)
	for i := 1; i < len(times); i++ {
		pause = max(pause, time.Duration(times[i]-times[i-1]))
	}
	return all, pause, err
}

// open connects a job's process to its store, which the first one makes.
func (j *job) open(ctx context.Context) (nodelease.Store, func(), error) {
	if j.Postgres != "" {
		pool, err := pgtest.Connect(ctx, j.Postgres+"&pool_max_conns=10")
		if err != nil {
			return nil, nil, err
		}
		opts := &pgstore.Options{Table: j.Name, Holder: "test", Numbers: j.Numbers, TTL: j.TTL}
		s, err := servers.Open(func() error { return pgstore.Init(ctx, pool, opts) },
			func() (nodelease.Store, error) { return pgstore.New(ctx, pool, opts) })
		if err != nil {
			pool.Close()
		}
		return s, pool.Close, err
	}
	client, err := clientv3.New(etcdtest.Config(j.Etcd))
	if err != nil {
		return nil, nil, err
	}
	opts := &etcdstore.Options{Prefix: "/" + j.Name, Holder: "test", Numbers: j.Numbers, TTL: j.TTL}
	s, err := servers.Open(func() error { return etcdstore.Init(ctx, client, opts) },
		func() (nodelease.Store, error) { return etcdstore.New(ctx, client, opts) })
	if err != nil {
		client.Close()
	}
	return s, func() { client.Close() }, err
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
	for i := range j.Files {
		groups.Go(func() { failed[i] = j.group(ctx, store, i, rand.New(rand.NewPCG(j.Seed, uint64(i)))) })
	}
	groups.Wait()
	return errors.Join(failed...)
}

// group mints with one Minter after another, each from two goroutines.
func (j *job) group(ctx context.Context, store nodelease.Store, i int, rng *rand.Rand) error {
	file, err := os.OpenFile(j.Files[i], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	var count atomic.Int64
	add := func(id ids.Snowflake) (more bool, err error) {
		b := binary.NativeEndian.AppendUint64(nil, uint64(id))
		_, err = file.Write(binary.NativeEndian.AppendUint64(b, uint64(time.Now().UnixNano())))
		return count.Add(1) < perFile, err
	}
	log, err := os.Create(j.Files[i] + ".log")
	if err != nil {
		return err
	}
	defer log.Close()
	logger := slog.New(slog.NewTextHandler(log, nil))
	var now func() time.Time
	stays := j.Stay && i%2 == 0
	if !stays {
		now = j.clock(rng)
	}
	for count.Load() < perFile && ctx.Err() == nil {
		window := time.Second + time.Duration(rng.Int64N(int64(4*j.TTL)))
		m, err := nodelease.NewMinter(store, &nodelease.Options{Window: window, Now: now, Logger: logger, Observe: j.observe})
		if err != nil {
			return err
		}
		span := between(rng, 0, 5*j.TTL)
		switch {
		case stays:
			span = time.Hour
		case j.Scarce:
			span /= 5
		}
		life, end := context.WithTimeout(ctx, span)
		var both sync.WaitGroup
		var failed [2]error
		for g := range failed {
			own := rand.New(rand.NewPCG(rng.Uint64(), 0))
			both.Go(func() { failed[g] = mint(life, end, m, add, own) })
		}
		both.Wait()
		end()
		if err := errors.Join(failed[:]...); err != nil {
			return err
		}
		_ = m.Close() // fails while the store is away
		if j.Scarce { // or it would take its number again before others ask
			sleep(ctx, between(rng, 0, j.TTL))
		}
	}
	return nil
}

// mint records batches of ids with a rest after each.
func mint(life context.Context, end func(), m *nodelease.Minter, add func(ids.Snowflake) (bool, error), rng *rand.Rand) error {
	for life.Err() == nil {
		for range rng.IntN(150) {
			call := func() (ids.Snowflake, error) { return m.NextContext(life) }
			if rng.IntN(10) == 0 {
				call = m.TryNext
			}
			id, err := call()
			switch {
			case err == nil:
				more, err := add(id)
				if err != nil {
					return err
				}
				if !more {
					end()
				}
			case errors.Is(err, ids.ErrWithheld), errors.Is(err, ids.ErrClockBehind), errors.Is(err, ids.ErrExhausted), life.Err() != nil:
			default:
				return err
			}
		}
		time.Sleep(between(rng, 5*time.Millisecond, 25*time.Millisecond))
	}
	return nil
}

// clock returns a wall clock that is off and steps, in both directions: by up to a second in a trial that measures,
// else by up to 3 seconds or 5 minutes, but for half of the groups, which have the right one.
func (j *job) clock(rng *rand.Rand) func() time.Time {
	spread := []time.Duration{0, 0, 0, 0, 0, 3 * time.Second, 3 * time.Second, 3 * time.Second, 3 * time.Second, 5 * time.Minute}[rng.IntN(10)]
	if j.Stay {
		spread = time.Second
	}
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
