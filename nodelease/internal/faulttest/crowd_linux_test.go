package faulttest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// TestEtcdCrowd and TestPostgresCrowd start more minters at once than there are numbers, and reset connections
// while the minters close.
func TestEtcdCrowd(t *testing.T) {
	alone(t)
	n := servers.NewNetwork(t)
	endpoints, links, _ := etcdtest.Start(t, n).Proxies(t, "minter")
	crowd(t, n, job{Etcd: endpoints}, links...)
}

func TestPostgresCrowd(t *testing.T) {
	alone(t)
	n := servers.NewNetwork(t)
	_, address := pgtest.Start(t)
	url := pgtest.URL(n.Proxy(t, "minter", "postgres", address, nil))
	crowd(t, n, job{Postgres: url}, servers.Link{From: "minter", To: "postgres"})
}

// crowd has a sixth more minters than numbers start at once. It closes those that have a number: those that have none
// get theirs.
func crowd(t *testing.T, n *servers.Network, j job, links ...servers.Link) {
	numbers := map[bool]int{false: 256, true: 32}[testing.Short()]
	minters := numbers * 300 / 256
	j.Name, j.Nodes, j.TTL = "crowd", int64(numbers), 15*time.Second
	s, closeStore, err := j.open(t.Context())
	must.Do(t, err)
	defer closeStore()
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
	all := make(chan *nodelease.Minter, minters)
	for range minters {
		m := must.Get(nodelease.NewMinter(s, opts))(t)
		go func() {
			if _, err := m.Next(ctx); err != nil {
				t.Errorf("Next: %v", err)
			}
			all <- m
		}()
	}
	var first []*nodelease.Minter
	holders := map[int64]bool{}
	for range numbers {
		m := <-all
		first = append(first, m)
		if node, ok := m.Node(); ok && holders[node] {
			t.Errorf("two minters have the number %d", node)
		} else if ok {
			holders[node] = true
		}
	}
	t.Logf("%d minters, %d numbers: all had one after %v, %d times none could be had, %d requests failed", minters, numbers,
		time.Since(began).Round(time.Millisecond), waiting.Load(), failures.Load())
	began = time.Now()
	var closed sync.WaitGroup
	var kept atomic.Int64
	closed.Go(func() {
		for range 10 {
			n.Reset(links...)
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
	for range minters - numbers {
		if err := (<-all).Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if kept.Load() > int64(numbers/10) { // a machine that is busy may need more than 5 s for a few
		t.Errorf("%d of %d numbers were not handed back", kept.Load(), numbers)
	}
	for range numbers - int(kept.Load()) { // all are free
		if _, err := s.Take(ctx, nodelease.Request{Now: time.Now()}); err != nil {
			t.Fatalf("Take after all Closes: %v", err)
		}
	}
}

// TestPostgresPutBack and TestEtcdPutBack put the store back to a backup under live minters, as a restored one is: ids
// repeat until each holder's next renewal, and not afterwards.
func TestPostgresPutBack(t *testing.T) {
	alone(t)
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	j := job{Postgres: pgtest.URL(address), Name: "back", Nodes: 26, TTL: ttl}
	_, closeStore, err := j.open(t.Context())
	must.Do(t, err)
	closeStore()
	must.Get(pool.Exec(t.Context(), `create table backup as table back`))(t)
	share(t, "PostgreSQL: put back to a backup", j, duration(15*time.Second, 3*time.Second, 3*time.Second),
		putBack(func(ctx context.Context) {
			_, err := pool.Exec(ctx, `begin; delete from back; insert into back table backup; commit`, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Error(err)
			}
		}))
}

// putBack is the fault that restore makes, once, when the minters had time for marks.
func putBack(restore func(ctx context.Context)) fault {
	return func(ctx context.Context, tr *trial, _ *rand.Rand) {
		sleep(ctx, tr.ttl)
		restore(ctx)
		tr.count("restores")
		tr.forgot = time.Now().Add(tr.ttl)
		<-ctx.Done()
	}
}

func TestEtcdPutBack(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	backups := t.TempDir()
	// moved has all members stop, copies their data from or to the backups, and has them start again.
	moved := func(args func(data, backup string) []string) {
		for _, m := range cluster.Members {
			m.Stop(syscall.SIGKILL)
		}
		for _, m := range cluster.Members {
			if out, err := exec.Command("cp", args(m.Data, filepath.Join(backups, m.Name))...).CombinedOutput(); err != nil {
				t.Errorf("cp: %v: %s", err, out)
			}
			m.Start(t)
		}
		for _, m := range cluster.Members {
			awaitMember(t, m)
		}
	}
	j := job{Etcd: cluster.Endpoints(), Name: "back", Nodes: 26, TTL: 5 * time.Second} // longer than the members are down
	_, closeStore, err := j.open(t.Context())
	must.Do(t, err)
	closeStore()
	moved(func(data, backup string) []string { return []string{"-a", "--sparse=always", data, backup} })
	share(t, "etcd: put back to a backup", j, duration(30*time.Second, 8*time.Second, 8*time.Second),
		putBack(func(context.Context) {
			moved(func(data, backup string) []string {
				if err := os.RemoveAll(data); err != nil {
					t.Error(err)
				}
				return []string{"-a", "--sparse=always", backup, data}
			})
		}))
}
