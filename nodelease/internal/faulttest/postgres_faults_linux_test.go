package faulttest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// TestPostgresFaults is TestEtcdFaults, smaller, over a PostgreSQL server that crashes.
func TestPostgresFaults(t *testing.T) {
	t.Parallel()
	const sides = 4
	n := servers.NewNetwork(t)
	s, address := pgtest.Start(t)
	var urls []string
	for side := range sides {
		urls = append(urls, pgtest.URL(n.Proxy(t, fmt.Sprintf("side%d", side), "postgres", address, nil))+"&pool_max_conns=10")
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
				s.Stop(syscall.SIGQUIT) // at once, without a checkpoint
				sleep(ctx, between(rng, 0, 2*tr.ttl))
				s.Start(t)
			}
		},
	)
	tr.run(t)

	pool, err := pgxpool.New(t.Context(), pgtest.URL(address))
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
