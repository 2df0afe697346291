package faulttest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// TestPostgresFaults is TestEtcdFaults, smaller, over a PostgreSQL server that crashes.
func TestPostgresFaults(t *testing.T) {
	s, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	sqlTrial(t, s, syscall.SIGQUIT, address, func(proxy string) job { return job{Postgres: pgtest.URL(proxy)} }, func() (held int64, err error) {
		err = pool.QueryRow(t.Context(), `select count(*) from faults where number >= 0 and expires > clock_timestamp()`).Scan(&held)
		return held, err
	})
}

// TestMySQLFaults is TestPostgresFaults over a MariaDB server that is killed.
func TestMySQLFaults(t *testing.T) {
	s, dsn := mytest.Start(t, "--skip-log-bin")
	db := mytest.Open(t, dsn)
	at := func(proxy string) job { return job{MySQL: mytest.At(t, dsn, proxy, "")} }
	sqlTrial(t, s, syscall.SIGKILL, mytest.Address(t, dsn), at, func() (held int64, err error) {
		err = db.QueryRowContext(t.Context(), `select count(*) from faults where number >= 0 and expires > utc_timestamp(6)`).Scan(&held)
		return held, err
	})
}

// sqlTrial has processes whose job is at a proxy share a server, which a signal makes crash.
func sqlTrial(t *testing.T, s *servers.Server, crash os.Signal, address string, at func(proxy string) job, held func() (int64, error)) {
	n := servers.NewNetwork(t)
	var proxies []string
	for i := range sides {
		proxies = append(proxies, n.Proxy(t, side(i), "server", address, nil))
	}
	(&trial{
		processes: 4, length: length(t),
		job:    func(i int) job { return at(proxies[i%sides]) },
		faults: []fault{linkFaults(n, "server"), restarts(t, s, crash)},
		held:   held,
	}).run(t)
}

// restarts stops a server by a signal that makes it crash, and starts it after up to two TTLs, again and again.
func restarts(t *testing.T, server *servers.Server, crash os.Signal) fault {
	return func(ctx context.Context, tr *trial, rng *rand.Rand) {
		for ; ctx.Err() == nil; sleep(ctx, between(rng, 2*time.Second, 6*time.Second)) {
			server.Stop(crash)
			sleep(ctx, between(rng, 0, 2*ttl))
			server.Start(t)
			tr.count("restarts")
		}
	}
}
