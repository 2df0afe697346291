package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

func mustTake(t *testing.T, s nodelease.Store, now time.Time) nodelease.Lease {
	t.Helper()
	l := must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t)
	return l
}

// testDurability has what lets a crash take a mark back.
func testDurability(t *testing.T, url string, pool *pgxpool.Pool) {
	for _, kind := range []string{"unlogged", "temporary"} {
		config := must.Get(pgxpool.ParseConfig(url))(t)
		config.MaxConns = 1 // a temporary table is a connection's own
		pgstore.Configure(config)
		own := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
		defer own.Close()
		mustExec(t, own, "create "+kind+" table "+kind+"1 (node integer)")
		_, err := pgstore.New(t.Context(), own, &pgstore.Options{Table: kind + "1"})
		must.Fail(t, kind, err, nil, "the table is unlogged or temporary")
	}

	// Each transaction of the store is durable, whatever the connection is set to, and whenever.
	mustNew(t, pool, &pgstore.Options{Table: "asynchronous", Nodes: 1})
	mustExec(t, pool, `create table settings (setting text)`)
	mustExec(t, pool, `create function note() returns trigger language plpgsql as
		$$ begin insert into settings values (current_setting('synchronous_commit')); return null; end $$`)
	mustExec(t, pool, `create constraint trigger note after update on asynchronous deferrable initially deferred
		for each row execute function note()`) // at the commit
	for setting, want := range map[string]string{
		"off": "on on on", "local": "on on on", "remote_write": "on on on", "on": "on on on",
		"remote_apply": "remote_apply remote_apply remote_apply",
	} {
		mustExec(t, pool, `truncate settings`)
		own := openPool(t, url+"&synchronous_commit="+setting)
		l := mustTake(t, mustNew(t, own, &pgstore.Options{Table: "asynchronous", Nodes: 1}), time.Now())
		mark := time.Now().Truncate(time.Microsecond)
		must.Do(t, errors.Join(l.Extend(t.Context(), mark), l.Release(t.Context(), mark)))
		var got string
		must.Do(t, pool.QueryRow(t.Context(), `select string_agg(setting, ' ') from settings`).Scan(&got))
		if got != want {
			t.Errorf("with synchronous_commit=%s the commits of the store had %q, want %q", setting, got, want)
		}
	}
}

// testCutOff has Takes whose context ends while they are under way, and one whose answer cannot be read. None
// keeps a number for nobody.
func testCutOff(t *testing.T, pool *pgxpool.Pool) {
	s := mustNew(t, pool, &pgstore.Options{Table: "cut_off", Nodes: 1})
	beside := mustNew(t, pool, &pgstore.Options{Table: "cut_off", Nodes: 9})
	held := func() (held bool) {
		must.Do(t, pool.QueryRow(t.Context(), `select expires > clock_timestamp() from cut_off where node = 0`).Scan(&held))
		return held
	}
	for i := range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
		l, err := s.Take(ctx, nodelease.Request{Now: time.Now()})
		cancel()
		if err == nil {
			err = l.Release(t.Context(), time.Time{})
		} else if errors.Is(err, nodelease.ErrNoNode) {
			t.Fatalf("Take %d was cut off and has kept the number", i-1)
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}

	// A lock holds the Take up for longer than it has.
	tx := must.Get(pool.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), `lock table cut_off`))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	began := time.Now()
	if l, err := s.Take(ctx, nodelease.Request{Now: time.Now()}); err == nil {
		t.Errorf("took node %d of a table that is locked", l.Node())
	} else if time.Since(began) > 3*time.Second {
		t.Errorf("Take returned %v after its context had ended", time.Since(began))
	}
	must.Do(t, tx.Rollback(t.Context()))
	if held() {
		t.Error("the number is held for nobody")
	}

	// The other holders keep theirs.
	mustExec(t, pool, `update cut_off set mark = 'infinity' where node = 0`)
	mustExec(t, pool, `update cut_off set token = node, expires = 'infinity' where node > 0`)
	for range 4 {
		if l, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()}); err == nil || held() {
			t.Errorf("a Take that cannot be read: %v, %v, held %v", l, err, held())
		}
	}
	_, err := beside.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take where all numbers but one without end are held", err, nil, "scan Infinity")
}

// testLostAnswers has the server carry out what it was asked to while its answers get lost: it can be asked again.
func testLostAnswers(t *testing.T, n *servers.Network, pool, distant *pgxpool.Pool, near, far servers.Link) {
	s := mustNew(t, distant, &pgstore.Options{Table: "lost", Nodes: 1})
	l := mustTake(t, s, time.Now())
	now := time.Now().Truncate(time.Microsecond)
	for _, test := range []struct {
		name string
		mark time.Time
		call func(context.Context, time.Time) error
		want error // of the second call
	}{
		{"Extend", now.Add(time.Hour), l.Extend, nil},
		{"Extend", now.Add(2 * time.Hour), l.Extend, nil},
		{"Release", now, l.Release, nodelease.ErrLost},
	} {
		n.Set(true, far)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { failed <- test.call(ctx, test.mark) }()
		for began, mark := time.Now(), (time.Time{}); !mark.Equal(test.mark); {
			if time.Since(began) > 30*time.Second {
				t.Fatalf("%s was not carried out", test.name)
			}
			must.Do(t, pool.QueryRow(t.Context(), `select coalesce(mark, 'epoch') from lost where node = 0`).Scan(&mark))
		}
		cancel()
		must.Fail(t, test.name+" without an answer", <-failed, context.Canceled)
		n.Set(false, far)
		n.Reset(near)
		if err := test.call(t.Context(), test.mark); !errors.Is(err, test.want) {
			t.Errorf("%s once more: %v, want %v", test.name, err, test.want)
		}
	}
	if l := mustTake(t, s, time.Now()); !l.Mark().Equal(now) {
		t.Errorf("the mark is %v, want %v", l.Mark(), now)
	}
}

// testRefusals has what a Take must not answer with ErrNoNode, and the preference among marks.
func testRefusals(t *testing.T, pool *pgxpool.Pool) {
	s := mustNew(t, pool, &pgstore.Options{Table: "refusals", Nodes: 5})
	for by, want := range map[time.Duration]bool{-25 * time.Hour: false, -23 * time.Hour: true, 23 * time.Hour: true, 25 * time.Hour: false} {
		now := time.Now().Add(by)
		l, err := s.Take(t.Context(), nodelease.Request{Now: now})
		if want {
			must.Do(t, err)
			must.Do(t, l.Release(t.Context(), time.Time{}))
			continue
		}
		must.Fail(t, fmt.Sprint("a clock that is off by ", by), err, nil, "says "+now.UTC().Format(time.RFC3339)+", the server's 2")
	}

	// Of the marks that have passed, one that is more than a day later than the others comes first.
	mustExec(t, pool, `update refusals set mark = now() - interval '3 days' - node * interval '1 minute' where node between 0 and 3`)
	mustExec(t, pool, `update refusals set mark = now() - interval '1 hour' where node = 2`)
	for range 5 {
		l := mustTake(t, s, time.Now())
		if l.Node() != 2 {
			t.Errorf("took node %d, want 2", l.Node())
		}
		must.Do(t, l.Release(t.Context(), l.Mark()))
	}
}

// TestNoFsync starts a server that does not sync its disk.
func TestNoFsync(t *testing.T) {
	t.Parallel()
	server, address := pgtest.Start(t)
	server.Change(t, syscall.SIGINT, func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "-c", "fsync=off") })
	pool := pgtest.Open(t, address)
	_, err := pgstore.New(t.Context(), pool, &pgstore.Options{Init: true})
	must.Fail(t, "a server that does not sync its disk", err, nil, "for tests, set Options.NoFsync")
	mustTake(t, mustNew(t, pool, &pgstore.Options{NoFsync: true}), time.Now())
}

// TestRestored puts the table back to a backup under two holders, as a restored server does. The former holder
// notices at its next renewal, however high its mark is, and the present one keeps the number.
func TestRestored(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t)
	pool := openPool(t, pgtest.URL(address))
	s := mustNew(t, pool, &pgstore.Options{Nodes: 1})
	mustExec(t, pool, `create table backup as table node_lease`)
	former := mustTake(t, s, time.Now())
	must.Do(t, former.Extend(t.Context(), time.Now().Add(time.Minute).Truncate(time.Microsecond)))
	const putBack = `begin; delete from node_lease; insert into node_lease table backup; commit`
	must.Get(pool.Exec(t.Context(), putBack, pgx.QueryExecModeSimpleProtocol))(t)
	present := mustTake(t, s, time.Now())
	must.Do(t, present.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
	higher := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	must.Fail(t, "the former holder's renewal", former.Extend(t.Context(), higher), nodelease.ErrLost)
	must.Do(t, present.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
}

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
