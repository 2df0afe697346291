package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresBinary finds a program of the server, which Debian keeps out of the PATH.
func postgresBinary(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s is not installed (Debian: apt-get install postgresql)", name)
	}
	return slices.Max(found), nil
}

// unprivileged returns what makes a command run as somebody whom the server accepts, and that
// user's id. It refuses to run as root.
func unprivileged(t *testing.T) (*syscall.SysProcAttr, int) {
	if os.Getuid() != 0 {
		return new(syscall.SysProcAttr), os.Getuid()
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, uid
	}
	t.Skip("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
	return nil, 0
}

// startPostgres starts a server on loopback and returns it with its address.
func startPostgres(t *testing.T) (*server, string) {
	t.Helper()
	initdb, err := postgresBinary("initdb")
	if err != nil {
		t.Skip(err)
	}
	binary, err := postgresBinary("postgres")
	if err != nil {
		t.Skip(err)
	}
	attr, uid := unprivileged(t)
	// The parents of t.TempDir are closed to other users.
	dir, err := os.MkdirTemp("", "nodelease")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chown(dir, uid, -1); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	initialise := exec.Command(initdb, "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	initialise.SysProcAttr, initialise.Dir = attr, dir
	if out, err := initialise.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	address := freePorts(t, 1)[0]
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		log: filepath.Join(dir, "log"),
		command: func() *exec.Cmd {
			cmd := exec.Command(binary, "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
				"-c", "max_connections=200")
			cmd.Dir = dir
			own := *attr
			cmd.SysProcAttr = &own
			return cmd
		},
	}
	s.start(t)
	t.Cleanup(func() { s.stop(syscall.SIGQUIT) })
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		pool, err := pgxpool.New(t.Context(), postgresURL(address))
		if err != nil {
			t.Fatal(err)
		}
		err = pool.Ping(t.Context())
		pool.Close()
		if err == nil {
			return s, address
		}
		if time.Now().After(limit) {
			t.Fatalf("PostgreSQL does not answer: %v\n%s", err, s.tail())
		}
	}
}

func postgresURL(address string) string {
	return "postgres://test@" + address + "/postgres?sslmode=disable"
}

// TestPostgresFaults is TestEtcdFaults, smaller, over a PostgreSQL server that crashes.
func TestPostgresFaults(t *testing.T) {
	t.Parallel()
	const sides = 4
	n := newNetwork(t)
	s, address := startPostgres(t)
	var urls []string
	for side := range sides {
		urls = append(urls, postgresURL(n.proxy(t, fmt.Sprintf("side%d", side), "postgres", address, nil))+"&pool_max_conns=10")
	}
	tr := &trial{
		processes: 4, local: 10, want: 2_000_000, length: 25 * time.Second, nodes: 52, ttl: 2 * time.Second,
		job:    func(i int) job { return job{Postgres: urls[i%sides]} },
		expect: append([]string{"server crashed"}, linkFaultKinds...),
	}
	if testing.Short() {
		tr.want, tr.length = 200_000, 4*time.Second
	}
	tr.faults = append(tr.faults,
		func(ctx context.Context, rng *rand.Rand) { tr.linkFaults(ctx, rng, n, sides, []string{"postgres"}) },
		func(ctx context.Context, rng *rand.Rand) {
			for sleep(ctx, between(rng, time.Second, 6*time.Second)); ctx.Err() == nil; sleep(ctx, between(rng, time.Second, 6*time.Second)) {
				tr.count("server crashed")
				s.stop(syscall.SIGQUIT) // at once, without a checkpoint
				sleep(ctx, between(rng, 0, 2*tr.ttl))
				s.start(t)
			}
		},
	)
	tr.run(t)

	pool, err := pgxpool.New(t.Context(), postgresURL(address))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		var held int
		if err := pool.QueryRow(t.Context(), `select count(*) from node_lease where expires > clock_timestamp()`).Scan(&held); err != nil {
			t.Fatal(err)
		}
		if held == 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("%d numbers are still held", held)
		}
	}
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	_, address := startPostgres(t)
	// Each test has the table in a schema of its own.
	open := func(t *testing.T, address, schema, options string, nodes int64, ttl time.Duration) (*PostgresStore, error) {
		pool, err := pgxpool.New(t.Context(), postgresURL(address)+"&search_path="+schema+options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		if _, err := pool.Exec(t.Context(), "create schema if not exists "+schema); err != nil {
			t.Fatal(err)
		}
		return NewPostgresStore(t.Context(), pool, "test", nodes, ttl)
	}
	mustOpen := func(t *testing.T, address, schema, options string, nodes int64, ttl time.Duration) *PostgresStore {
		t.Helper()
		s, err := open(t, address, schema, options, nodes, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("asynchronous commit", func(t *testing.T) {
		if _, err := open(t, address, "asynchronous", "&synchronous_commit=off", 2, 2*time.Second); err == nil {
			t.Error("no error although a crash could take a mark back")
		}
	})
	t.Run("store", func(t *testing.T) { testStore(t, mustOpen(t, address, "store", "", 2, 2*time.Second)) })
	t.Run("minting stops first", func(t *testing.T) {
		near := mustOpen(t, address, "cut", "", 1, 3*time.Second)
		far := mustOpen(t, n.proxy(t, "minter", "postgres", address, nil), "cut", "", 1, 3*time.Second)
		testStopsFirst(t, far, func() (free bool) {
			if err := near.pool.QueryRow(t.Context(), `select expires <= clock_timestamp() from node_lease`).Scan(&free); err != nil {
				t.Fatal(err)
			}
			return free
		}, func(on bool) { n.set(on, link{"minter", "postgres"}, link{"postgres", "minter"}) })
	})
	t.Run("all numbers", func(t *testing.T) {
		numbers := 1024
		if testing.Short() {
			numbers = 64
		}
		testAllNumbers(t, mustOpen(t, address, "all_numbers", "&pool_max_conns=20", int64(numbers), 15*time.Second), numbers)
	})
	t.Run("program", func(t *testing.T) { testProgram(t, "-postgres", postgresURL(address)) })
}
