package pgstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
	"github.com/oneclock/ids/nodelease/storetest"
)

func openPool(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool := must.Get(pgtest.Connect(t.Context(), url))(t)
	t.Cleanup(pool.Close)
	return pool
}

func mustExec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// mustNew returns a store, after a first start if it is the first.
func mustNew(t *testing.T, pool *pgxpool.Pool, opts *pgstore.Options) *pgstore.Store {
	t.Helper()
	var own pgstore.Options
	if opts != nil {
		own = *opts
	}
	return must.Get(servers.First(func(first bool) (*pgstore.Store, error) {
		own.Init = first
		return pgstore.New(t.Context(), pool, &own)
	}))(t)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	_, address := pgtest.Start(t)
	url := pgtest.URL(address)
	pool := openPool(t, url)

	for _, mode := range []string{"exec", "simple_protocol"} {
		t.Run("store, "+mode, func(t *testing.T) {
			pool := openPool(t, url+"&pool_max_conns=40&default_query_exec_mode="+mode)
			storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
				opts := &pgstore.Options{Table: t.Name(), Nodes: 2, TTL: 2 * time.Second}
				return mustNew(t, pool, opts), mustNew(t, pool, opts)
			})
			t.Run("nothing", func(t *testing.T) {}) // waits for the parallel ones
		})
	}
	t.Run("defaults", func(t *testing.T) {
		mustNew(t, pool, nil)
		l := mustTake(t, mustNew(t, pool, &pgstore.Options{Holder: "me"}), time.Now())
		var rows, least, most int
		must.Do(t, pool.QueryRow(t.Context(), `select count(*), min(node), max(node) from node_lease`).Scan(&rows, &least, &most))
		if rows != 1025 || least != -1 || most != 1023 {
			t.Errorf("%d rows from %d to %d", rows, least, most)
		}
		var row string
		must.Do(t, pool.QueryRow(t.Context(), `select holder || length(token) from node_lease where node = $1`, l.Node()).Scan(&row))
		if row != "me36" {
			t.Errorf("row %q", row)
		}
	})
	t.Run("all create the table at once", func(t *testing.T) {
		mustExec(t, pool, `create schema "Own"`)
		var all sync.WaitGroup
		var made atomic.Int64
		for range 8 {
			all.Go(func() {
				_, err := pgstore.New(t.Context(), openPool(t, url), &pgstore.Options{Table: `Own.it's "one"`, Nodes: 16, Init: true})
				if err == nil {
					made.Add(1)
				} else if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		mustNew(t, pool, &pgstore.Options{Table: `Own.it's "one"`, Nodes: 32}) // and one sees more of them
		var rows int
		must.Do(t, pool.QueryRow(t.Context(), `select count(*) from "Own"."it's ""one"""`).Scan(&rows))
		if rows != 33 || made.Load() != 1 {
			t.Errorf("%d rows, made by %d", rows, made.Load())
		}
	})
	t.Run("few rights", func(t *testing.T) { testFewRights(t, url, pool) })
	t.Run("durability", func(t *testing.T) { testDurability(t, url, pool) })
	t.Run("table", func(t *testing.T) { testTable(t, pool) })
	t.Run("warnings", func(t *testing.T) { testWarnings(t, url, pool) })
	t.Run("cut off", func(t *testing.T) { testCutOff(t, pool) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, pool) })
	t.Run("bad options", func(t *testing.T) { testBadOptions(t, pool) })
	near, far := servers.Link{From: "minter", To: "postgres"}, servers.Link{From: "postgres", To: "minter"}
	distant := pgtest.Open(t, n.Proxy(t, "minter", "postgres", address, nil))
	t.Run("minting stops first", func(t *testing.T) {
		s := mustNew(t, distant, &pgstore.Options{Table: "cut", Nodes: 1, TTL: 3 * time.Second})
		servers.StopsFirst(t, n, s, func() (free bool, err error) {
			err = pool.QueryRow(t.Context(), `select expires <= clock_timestamp() from cut where node = 0`).Scan(&free)
			return free, err
		}, near, far)
	})
	t.Run("lost answers", func(t *testing.T) {
		// One request a call.
		own := openPool(t, pgtest.URL(n.Proxy(t, "minter", "postgres", address, nil))+"&default_query_exec_mode=simple_protocol")
		testLostAnswers(t, n, pool, own, near, far)
	})
}

// testFewRights has a user who may do more and more of what New needs.
func testFewRights(t *testing.T, url string, pool *pgxpool.Pool) {
	mustExec(t, pool, `create schema closed; create role few login; grant usage on schema closed to few`)
	poor := openPool(t, strings.Replace(url, "test@", "few@", 1))
	denied := func(what string, nodes int64, init bool) {
		t.Helper()
		_, err := pgstore.New(t.Context(), poor, &pgstore.Options{Table: "closed.numbers", Nodes: nodes, Init: init})
		must.Fail(t, "a table that cannot be "+what, err, nil, "permission denied")
	}
	denied("created", 0, true)
	mustNew(t, pool, &pgstore.Options{Table: "closed.numbers"})
	denied("read", 0, false)
	mustExec(t, pool, `grant select, update on closed.numbers to few`)
	denied("filled up", 1025, true)
	s := must.Get(pgstore.New(t.Context(), poor, &pgstore.Options{Table: "closed.numbers"}))(t)
	mustTake(t, s, time.Now())
}

// testBadOptions has names and a holder that PostgreSQL cannot keep.
func testBadOptions(t *testing.T, pool *pgxpool.Pool) {
	const missing = "prepare the table missing.table: there is no such table; if this is the first start, and only then, set Options.Init once"
	for want, opts := range map[string]*pgstore.Options{
		"Options.Nodes -1 is not within 1 to 1048576":               {Nodes: -1},
		`Options.Holder "a\x00b" is not UTF-8 without a NUL`:        {Holder: "a\x00b"},
		`Options.Table "a\x00b" is not UTF-8 without a NUL`:         {Table: "own.a\x00b"},
		"PostgreSQL would cut the name to 63 bytes":                 {Table: "own." + strings.Repeat("ä", 32)},
		"prepare the table a.b.c: ERROR: cross-database references": {Table: "a.b.c", Init: true},
		missing:                                  {Table: "missing.table"},
		"prepare the table missing.other: ERROR": {Table: "missing.other", Init: true},
		"prepare the table " + strings.Repeat("x.", 100) + ": ERROR": {Table: strings.Repeat("x.", 100)},
	} {
		_, err := pgstore.New(t.Context(), pool, opts)
		must.Fail(t, fmt.Sprintf("%+v", opts), err, nil, want)
	}
	_, err := pgstore.New(t.Context(), nil, nil)
	must.Fail(t, "nil pool", err, nil, "nil Pool")
}

// testTable has a table that is not there, that others have made, and that loses rows.
func testTable(t *testing.T, pool *pgxpool.Pool) {
	create := func(opts pgstore.Options) error { _, err := pgstore.New(t.Context(), pool, &opts); return err }
	first := pgstore.Options{Table: "rows", Nodes: 3, Init: true}
	later := pgstore.Options{Table: "rows", Nodes: 3}
	must.Fail(t, "no table", create(later), fs.ErrNotExist, "there is no such table", "set Options.Init once")
	must.Do(t, create(first))
	must.Fail(t, "a second first start", create(first), fs.ErrExist, "nothing is missing")
	more := pgstore.Options{Table: "rows", Nodes: 5}
	must.Fail(t, "more numbers", create(more), fs.ErrNotExist, "of 5 rows 2 are missing")
	more.Init = true
	must.Do(t, create(more))
	s := must.Get(pgstore.New(t.Context(), pool, &later))(t)
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now(), Layout: ids.SonyflakeLayout()})
	must.Fail(t, "Take for another layout", err, nil,
		"tick 1ms, 10 node bits, 12 sequence bits, node first", "tick 10ms, 16 node bits, 8 sequence bits, node last")
	other := pgstore.Options{Table: "rows", Nodes: 9, Init: true, Layout: ids.SonyflakeLayout()}
	must.Fail(t, "a first start with another layout", create(other), nil, "tick 1ms", "tick 10ms")

	a, b := mustTake(t, s, time.Now()), mustTake(t, s, time.Now())
	if a.Free() != 2 || b.Free() != 1 {
		t.Errorf("%d and %d numbers were free, want 2 and 1", a.Free(), b.Free())
	}
	mustExec(t, pool, `delete from rows where node = `+fmt.Sprint(a.Node()))
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take without a row", err, fs.ErrNotExist, "of 3 rows 1 are missing")
	must.Fail(t, "New without a row", create(later), fs.ErrNotExist, "of 3 rows 1 are missing")
	must.Fail(t, "Extend without a row", a.Extend(t.Context(), time.Now()), nodelease.ErrLost)
	must.Do(t, create(first))
	mustExec(t, pool, `delete from rows where node = -1`)
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take without the layout", err, fs.ErrNotExist, "no row of the node -1")
	mustExec(t, pool, `truncate rows`)
	must.Fail(t, "New of an empty table", create(later), fs.ErrNotExist, "of 3 rows 3 are missing")

	mustExec(t, pool, `create table old (node integer primary key, fence bigint, expires timestamptz, mark timestamptz)`)
	must.Fail(t, "an old table", create(pgstore.Options{Table: "old"}), nil,
		`column "token" does not exist`, "another version of package nodelease")
	must.Do(t, create(pgstore.Options{Table: "newer", Nodes: 1, Init: true}))
	mustExec(t, pool, `update newer set holder = 'schema 2: x' where node = -1`)
	s = must.Get(pgstore.New(t.Context(), pool, &pgstore.Options{Table: "newer", Nodes: 1}))(t)
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "a newer schema", err, nil, `"schema 2: x"`, `"schema 1: epoch`, "another version of package nodelease")
}

// testWarnings has pools that keep the server's warnings and some that do not.
func testWarnings(t *testing.T, url string, pool *pgxpool.Pool) {
	deaf := must.Get(pgxpool.New(t.Context(), url))(t)
	defer deaf.Close()
	_, err := pgstore.New(t.Context(), deaf, nil)
	must.Fail(t, "a pool that nobody has configured", err, nil, "call pgstore.Configure with its *pgxpool.Config before pgxpool.NewWithConfig")

	config := must.Get(pgxpool.ParseConfig(url + "&client_min_messages=error&pool_max_conns=1"))(t)
	var heard []string
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { heard = append(heard, n.Severity+n.Message) }
	pgstore.Configure(config)
	first := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer first.Close()
	copied := must.Get(pgxpool.NewWithConfig(t.Context(), first.Config()))(t)
	defer copied.Close()
	s := mustNew(t, copied, &pgstore.Options{Table: "warned", Nodes: 2})
	if len(heard) == 0 || !strings.HasPrefix(heard[0], "WARNINGnodelease tries") {
		t.Errorf("the OnNotice of the configuration has heard %q", heard)
	}
	l := mustTake(t, s, time.Now())
	mark := time.Now().Truncate(time.Microsecond)
	mustExec(t, copied, `set client_min_messages = 'notice'; do $$ begin raise warning 'of another statement'; end $$;
		set client_min_messages = 'error'`)
	must.Do(t, l.Extend(t.Context(), mark))

	// A trigger warns at the commit, as the server does where a wait for the standby is cancelled.
	mustExec(t, pool, `create function warn() returns trigger language plpgsql as
		$$ begin if new.node >= 0 then raise notice 'harmless'; raise warning 'may not have been replicated'; end if; return null; end $$`)
	mustExec(t, pool, `create constraint trigger warn after update on warned deferrable initially deferred
		for each row execute function warn()`)
	calls := map[string]func() error{
		"Extend":  func() error { return l.Extend(t.Context(), mark) },
		"Release": func() error { return l.Release(t.Context(), mark) },
		"Take":    func() error { _, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()}); return err },
	}
	for _, name := range []string{"Extend", "Take", "Release"} {
		must.Fail(t, name, calls[name](), nil, "may not last: may not have been replicated")
	}
	mustExec(t, pool, `drop trigger warn on warned`)
	mustTake(t, s, time.Now()) // none is held for nobody
	mustTake(t, s, time.Now())
}

// TestPooler has six pools, each of several connections, work at once through PgBouncer, which gives each transaction
// one of two connections to the server.
func TestPooler(t *testing.T) {
	t.Parallel()
	dir, run := pgtest.Command(t, "pgbouncer")
	_, address := pgtest.Start(t)
	host, port, _ := strings.Cut(address, ":")
	own := servers.FreePorts(t, 1)[0]
	_, listen, _ := strings.Cut(own, ":")
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\npostgres = host=%s port=%s user=test\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n", host, port, listen)
	must.Do(t, os.WriteFile(config, []byte(text), 0o644))
	pooler := &servers.Server{Log: filepath.Join(dir, "log"), Command: func() *exec.Cmd { return run("pgbouncer", config) }}
	pooler.Start(t)
	t.Cleanup(func() { pooler.Stop(syscall.SIGKILL) })
	mustNew(t, pgtest.Open(t, own), &pgstore.Options{Nodes: 6})
	var all sync.WaitGroup
	var held sync.Map
	for range 6 {
		all.Go(func() {
			pool := openPool(t, pgtest.URL(own)+"&pool_max_conns=3")
			s, err := pgstore.New(t.Context(), pool, &pgstore.Options{Nodes: 6})
			if err != nil {
				t.Errorf("New: %v", err)
				return
			}
			for round := range 20 {
				l, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
				if errors.Is(err, nodelease.ErrNoNode) {
					continue // others were faster
				}
				if err != nil {
					t.Errorf("Take: %v", err)
					return
				}
				if _, twice := held.LoadOrStore(l.Node(), true); twice {
					t.Errorf("node %d is held twice", l.Node())
				}
				mark := time.Now().Truncate(time.Microsecond)
				if err := errors.Join(l.Extend(t.Context(), mark), l.Extend(t.Context(), mark.Add(time.Minute))); err != nil {
					t.Errorf("Extend in round %d: %v", round, err)
				}
				held.Delete(l.Node())
				if err := l.Release(t.Context(), mark); err != nil {
					t.Errorf("Release: %v", err)
				}
			}
		})
	}
	all.Wait()
}
