package faulttest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// TestPostgresFaults is TestEtcdFaults, smaller, over a PostgreSQL server that crashes.
func TestPostgresFaults(t *testing.T) {
	n := servers.NewNetwork(t)
	s, address := pgtest.Start(t)
	var urls []string
	for i := range sides {
		urls = append(urls, pgtest.URL(n.Proxy(t, side(i), "postgres", address, nil)))
	}
	pool := pgtest.Open(t, address)
	(&trial{
		processes: 4, length: length(t),
		job:    func(i int) job { return job{Postgres: urls[i%sides]} },
		faults: []fault{linkFaults(n, "postgres"), restarts(t, s, syscall.SIGQUIT)},
		kinds:  7,
		held: func() (held int64, err error) {
			err = pool.QueryRow(t.Context(), `select count(*) from faults where number >= 0 and expires > clock_timestamp()`).Scan(&held)
			return held, err
		},
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
