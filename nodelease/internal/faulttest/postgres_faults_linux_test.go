package faulttest_test

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
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
	crash := func(ctx context.Context, tr *trial, rng *rand.Rand) {
		for sleep(ctx, between(rng, time.Second, 6*time.Second)); ctx.Err() == nil; sleep(ctx, between(rng, time.Second, 6*time.Second)) {
			tr.count("server crashed")
			s.Stop(syscall.SIGQUIT) // at once, without a checkpoint
			sleep(ctx, between(rng, 0, 2*tr.ttl))
			s.Start(t)
		}
	}
	(&trial{
		fault: "PostgreSQL", processes: 4, local: 10, nodes: 52, ttl: ttl,
		length: duration(60*time.Second, 12*time.Second, 4*time.Second),
		job:    func(i int) job { return job{Postgres: urls[i%sides], Name: "faults"} },
		faults: []fault{linkFaults(n, "postgres"), crash},
		expect: append([]string{"minting process killed", "minting process paused", "server crashed"}, linkFaultKinds...),
	}).run(t)
	pool := pgtest.Open(t, address)
	allFree(t, func() (held int64, err error) {
		err = pool.QueryRow(t.Context(), `select count(*) from faults where node >= 0 and expires > clock_timestamp()`).Scan(&held)
		return held, err
	})
}
