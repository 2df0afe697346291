package faulttest_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// TestEtcdCrowd and TestPostgresCrowd start more minters at once than there are numbers, and reset connections
// while the minters close.
func TestEtcdCrowd(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n)
	client := cluster.Open(t)
	defer client.Close()
	var links []servers.Link
	var endpoints []string
	for _, m := range cluster.Members {
		endpoints = append(endpoints, n.Proxy(t, "minter", m.Name, m.Client, nil))
		links = append(links, servers.Link{From: "minter", To: m.Name})
	}
	far := etcdtest.Open(t, endpoints)
	defer far.Close()
	crowd(t, etcdStore(t, far, "/crowd", crowdNumbers(), loadTTL), func() { n.Reset(links...) })
}

func TestPostgresCrowd(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	_, address := pgtest.Start(t)
	pool := openPool(t, n.Proxy(t, "minter", "postgres", address, nil), "crowd", "&pool_max_conns=20")
	crowd(t, postgresStore(t, pool, crowdNumbers(), loadTTL), func() { n.Reset(servers.Link{From: "minter", To: "postgres"}) })
}

func crowdNumbers() int64 {
	if testing.Short() {
		return 32
	}
	return 256
}

// crowd has a fifth more minters than numbers start at once. It closes those that have a number: those that have none
// get theirs.
func crowd(t *testing.T, s nodelease.Store, reset func()) {
	numbers := int(crowdNumbers())
	var waiting, failures atomic.Int64
	opts := &nodelease.Options{Observe: func(e nodelease.Event) {
		switch {
		case e.Kind == nodelease.Failed && errors.Is(e.Err, nodelease.ErrNoNode):
			waiting.Add(1)
		case e.Kind == nodelease.Failed:
			failures.Add(1)
		}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	all := make(chan *nodelease.Minter, 2*numbers)
	for range numbers * 300 / 256 {
		m, err := nodelease.NewMinter(s, opts)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if _, err := m.Next(ctx); err != nil {
				t.Errorf("Next: %v", err)
			}
			all <- m
		}()
	}
	var first []*nodelease.Minter
	for range numbers {
		first = append(first, <-all)
	}
	t.Logf("%d minters, %d numbers: all had one after %v, %d times none could be had, %d requests failed", numbers*300/256, numbers,
		time.Since(began).Round(time.Millisecond), waiting.Load(), failures.Load())
	began = time.Now()
	var closed sync.WaitGroup
	var kept atomic.Int64
	closed.Go(func() {
		for range 10 {
			reset()
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
	for range numbers*300/256 - numbers {
		m := <-all
		closed.Go(func() {
			if err := m.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	closed.Wait()
	if kept.Load() > int64(numbers/10) { // a machine that is busy may need more than 5 s for a few
		t.Errorf("%d of %d numbers were not handed back", kept.Load(), numbers)
	}
	for range numbers - int(kept.Load()) { // all are free
		if _, err := s.Take(ctx, time.Now()); err != nil {
			t.Fatalf("Take after all Closes: %v", err)
		}
	}
}

// TestPostgresPutBack puts the server back to a backup under live minters, as a restored one is: ids repeat until
// each holder's next renewal, and not afterwards.
func TestPostgresPutBack(t *testing.T) {
	alone(t)
	_, address := pgtest.Start(t)
	pool := openPool(t, address, "back", "&pool_max_conns=10")
	const ttl = 2 * time.Second
	s := postgresStore(t, pool, 26, ttl)
	if _, err := pool.Exec(t.Context(), `create table backup as table node_lease`); err != nil {
		t.Fatal(err)
	}
	scenario{
		fault: "PostgreSQL: put back to a backup, minters running", ttl: ttl, length: duration(15*time.Second, 3*time.Second, 3*time.Second),
		store: same(s), forgets: true,
		inject: func(ctx context.Context, f *faults) {
			sleep(ctx, 2*ttl/3)
			_, err := pool.Exec(ctx, `begin; delete from node_lease; insert into node_lease table backup; commit`, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Error(err)
			}
			f.count("restores")
			f.calm(time.Now().Add(ttl))
			<-ctx.Done()
		},
	}.run(t)
}
