package faulttest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// TestPostgresFaults is TestEtcdFaults, smaller, over a PostgreSQL server that crashes.
func TestPostgresFaults(t *testing.T) {
	alone(t)
	n := servers.NewNetwork(t)
	s, address := pgtest.Start(t)
	var urls []string
	for i := range sides {
		urls = append(urls, pgtest.URL(n.Proxy(t, side(i), "postgres", address, nil)))
	}
	(&trial{
		fault: "PostgreSQL", processes: 4, local: 10, numbers: 52, ttl: ttl,
		length: duration(60*time.Second, 12*time.Second, 4*time.Second),
		job:    func(i int) job { return job{Postgres: urls[i%sides], Name: "faults"} },
		faults: []fault{linkFaults(n, "postgres"), restart(t, s, syscall.SIGQUIT, 2*ttl, 6*time.Second)},
		expect: append([]string{"minting process killed", "minting process paused", "restarts"}, linkFaultKinds...),
	}).run(t)
	pool := pgtest.Open(t, address)
	allFree(t, func() (held int64, err error) {
		err = pool.QueryRow(t.Context(), `select count(*) from faults where number >= 0 and expires > clock_timestamp()`).Scan(&held)
		return held, err
	})
}

// ttl is short, so that leases end while a test waits.
const ttl = 2 * time.Second

// TestPostgresMaintenance has minters go on while the server is restarted and its connections end.
func TestPostgresMaintenance(t *testing.T) {
	alone(t)
	server, address := pgtest.Start(t)
	length := duration(30*time.Second, 2*time.Second, time.Second)
	run := func(name, what string, numbers int64, faults ...fault) {
		share(t, "PostgreSQL: "+what, job{Postgres: pgtest.URL(address), Name: name, Numbers: numbers, TTL: ttl}, length, faults...)
	}
	run("none", "no fault", 26)
	run("taken", "all numbers taken, 24 minters share 12", 12)
	run("fast", "restarted, mode fast (SIGINT)", 26, restart(t, server, syscall.SIGINT, 100*time.Millisecond, 6*time.Second))
	run("immediate", "restarted, mode immediate (SIGQUIT: a crash)", 26, restart(t, server, syscall.SIGQUIT, 100*time.Millisecond, 6*time.Second))
	run("down", "down for up to two TTLs after a crash", 26, restart(t, server, syscall.SIGQUIT, 2*ttl, 12*time.Second))
	own := pgtest.Open(t, address)
	terminate := func(ctx context.Context, _ *rand.Rand) bool {
		_, err := own.Exec(ctx, `select pg_terminate_backend(pid) from pg_stat_activity
			where pid <> pg_backend_pid() and backend_type = 'client backend'`)
		return err == nil
	}
	run("terminated", "all connections ended by pg_terminate_backend", 26, every(20*time.Millisecond, 200*time.Millisecond, "all connections ended", terminate))
}

// restart stops a server by sig, SIGQUIT being a crash without a checkpoint, and starts it after up to down.
func restart(t *testing.T, server *servers.Server, sig os.Signal, down, up time.Duration) fault {
	return every(up/3, up, "restarts", func(ctx context.Context, rng *rand.Rand) bool {
		server.Stop(sig)
		sleep(ctx, between(rng, 0, down))
		server.Start(t)
		return true
	})
}

// TestPostgresClock has a server whose clock runs slow and fast: that ends leases late or early, and the margin of
// the Minter must allow for it.
func TestPostgresClock(t *testing.T) {
	alone(t)
	server, address := pgtest.Start(t)
	library, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil || len(library) == 0 {
		t.Skip("libfaketime is not installed (Debian: apt-get install faketime)")
	}
	for speed, want := range map[string]float64{"0.9": 0.9, "1.1": 1.1} {
		server.Change(t, syscall.SIGINT, func(cmd *exec.Cmd) {
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+library[0], "FAKETIME=+0 x"+speed)
		})
		must.Soon(t, func() error { return clockRuns(t, address, want) }) // a machine that is busy may need a few looks
		name := "clock_" + strings.ReplaceAll(speed, ".", "_")
		slept := func(ctx context.Context, tr *trial, _ *rand.Rand) { tr.count("all the time"); <-ctx.Done() }
		share(t, "PostgreSQL: the server's clock at "+speed+" of the speed", job{Postgres: pgtest.URL(address), Name: name, Numbers: 26, TTL: ttl},
			duration(20*time.Second, 2*time.Second, time.Second), slept)

		n := servers.NewNetwork(t)
		far := pgtest.Open(t, n.Proxy(t, "minter", "postgres", address, nil))
		opts := &pgstore.Options{Table: name + "_cut", Numbers: 1, TTL: 3 * time.Second}
		must.Do(t, pgstore.Init(t.Context(), far, opts))
		s := must.Get(pgstore.New(t.Context(), far, opts))(t)
		near := pgtest.Open(t, address)
		servers.StopsFirst(t, n, s, func() (free bool, err error) {
			err = near.QueryRow(t.Context(), `select expires <= clock_timestamp() from `+name+`_cut where number = 0`).Scan(&free)
			return free, err
		}, servers.Link{From: "minter", To: "postgres"}, servers.Link{From: "postgres", To: "minter"})
	}
}

// clockRuns compares a second of the server's with one of this process's.
func clockRuns(t *testing.T, address string, want float64) error {
	pool := pgtest.Open(t, address)
	var server, own [2]time.Time
	for i := range server {
		time.Sleep(time.Duration(i) * time.Second)
		must.Do(t, pool.QueryRow(t.Context(), `select clock_timestamp()`).Scan(&server[i]))
		own[i] = time.Now()
	}
	speed := float64(server[1].Sub(server[0])) / float64(own[1].Sub(own[0]))
	if speed < want-0.03 || speed > want+0.03 {
		return fmt.Errorf("the server's clock runs at %.3f, want %v", speed, want)
	}
	return nil
}
