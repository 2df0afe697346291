package pgstore_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// TestStandby stops the replication to a synchronous standby under a Minter, kills the primary and promotes the
// standby, on which a process takes the number whose clock is behind. No id occurs twice.
func TestStandby(t *testing.T) {
	for name, test := range map[string]struct {
		setting string
		cancel  bool // the waits for the standby
	}{"local": {"local", false}, "on, waits cancelled": {"on", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testStandby(t, test.setting, test.cancel)
		})
	}
}

func testStandby(t *testing.T, setting string, cancelled bool) {
	const ttl = 2 * time.Second
	primary, address := pgtest.Start(t)
	_, other := pgtest.StartStandby(t, address)
	pool := pgtest.Open(t, address)
	mustNew(t, pool, &pgstore.Options{Nodes: 1})
	mustExec(t, pool, `alter system set synchronous_standby_names = '*'`)
	mustExec(t, pool, `select pg_reload_conf()`)
	var sender int
	for limit := time.Now().Add(30 * time.Second); sender == 0; time.Sleep(20 * time.Millisecond) {
		err := pool.QueryRow(t.Context(), `select coalesce(max(pid), 0) from pg_stat_replication where sync_state = 'sync'`).Scan(&sender)
		if err != nil || time.Now().After(limit) {
			t.Fatalf("no synchronous standby: %v", err)
		}
	}
	seen := map[ids.Snowflake]bool{}
	// mint mints for a while under a clock that is set to begin.
	mint := func(pool *pgxpool.Pool, begin time.Time, long time.Duration, then func()) (twice int) {
		t.Helper()
		s := must.Get(pgstore.New(t.Context(), pool, &pgstore.Options{Nodes: 1, TTL: ttl}))(t)
		behind := time.Until(begin)
		m := must.Get(nodelease.NewMinter(s, &nodelease.Options{Window: ttl, Now: func() time.Time { return time.Now().Add(behind) }}))(t)
		defer m.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		must.Get(m.Next(ctx))(t)
		if then != nil {
			then()
		}
		for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
			id, err := m.TryNext()
			if err != nil && !errors.Is(err, ids.ErrSuspended) && !errors.Is(err, ids.ErrClockBackward) {
				t.Fatal(err)
			}
			if err == nil && seen[id] {
				twice++
			}
			seen[id] = err == nil || seen[id]
		}
		return twice
	}
	var stopped time.Time
	ctx, end := context.WithCancel(t.Context())
	defer end()
	mint(openPool(t, pgtest.URL(address)+"&synchronous_commit="+setting), time.Now(), 6*time.Second, func() {
		stopped = time.Now()
		must.Do(t, syscall.Kill(sender, syscall.SIGSTOP))
		if cancelled {
			go func() {
				for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
					_, _ = pool.Exec(ctx, `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
				}
			}()
		}
	})
	end()
	before := len(seen)
	primary.Stop(syscall.SIGKILL)
	_ = syscall.Kill(sender, syscall.SIGKILL)
	standby := pgtest.Open(t, other)
	mustExec(t, standby, `select pg_promote()`)
	mustExec(t, standby, `alter system reset synchronous_standby_names`)
	mustExec(t, standby, `select pg_reload_conf()`)
	twice := mint(standby, stopped.Add(ttl), 3*time.Second, nil)
	t.Logf("%d ids under the primary, %d under the standby, %d twice", before, len(seen)-before, twice)
	if twice > 0 || len(seen) == before {
		t.Errorf("%d of %d ids twice", twice, len(seen))
	}
}
