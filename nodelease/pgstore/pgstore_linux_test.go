package pgstore_test

import (
	"cmp"
	"context"
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

	"github.com/jackc/pgx/v5"
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

// mustNew returns a store, which it makes unless somebody has made it.
func mustNew(t *testing.T, pool *pgxpool.Pool, opts *pgstore.Options) *pgstore.Store {
	t.Helper()
	return must.Get(servers.Open(
		func() error { return pgstore.Init(t.Context(), pool, opts) },
		func() (*pgstore.Store, error) { return pgstore.New(t.Context(), pool, opts) },
	))(t)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	pgtest.Exec(t, pool, `alter database postgres set datestyle = 'German'`) // of connections to come

	for mode, more := range map[string]string{"exec": "", "simple_protocol": "&DateStyle=SQL"} {
		t.Run("store, "+mode, func(t *testing.T) {
			pool := pgtest.Open(t, address, "&pool_max_conns=40&default_query_exec_mode="+mode+more)
			storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
				opts := &pgstore.Options{Table: t.Name(), Numbers: 2, TTL: 2 * time.Second}
				return mustNew(t, pool, opts), mustNew(t, pool, opts)
			})
			t.Run("nothing", func(t *testing.T) {}) // waits for the parallel ones
		})
	}
	t.Run("defaults", func(t *testing.T) {
		mustNew(t, pool, nil)
		g := mustTake(t, mustNew(t, pool, &pgstore.Options{Holder: "me"}), time.Now())
		var rows, least, most int
		must.Do(t, pool.QueryRow(t.Context(), `select count(*), min(number), max(number) from node_lease`).Scan(&rows, &least, &most))
		if rows != 1025 || least != -1 || most != 1023 {
			t.Errorf("%d rows from %d to %d", rows, least, most)
		}
		var row string
		must.Do(t, pool.QueryRow(t.Context(), `select holder || length(token) from node_lease where number = $1`, g.Number).Scan(&row))
		if row != "me36" {
			t.Errorf("row %q", row)
		}
	})
	t.Run("all create the table at once", func(t *testing.T) {
		pgtest.Exec(t, pool, `create schema "Own"`)
		var all sync.WaitGroup
		var made atomic.Int64
		for range 8 {
			all.Go(func() {
				err := pgstore.Init(t.Context(), pgtest.Open(t, address), &pgstore.Options{Table: `Own.it's "one"`, Numbers: 16})
				if err == nil {
					made.Add(1)
				} else if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		mustNew(t, pool, &pgstore.Options{Table: `Own.it's "one"`, Numbers: 32}) // and one sees more of them
		var rows int
		must.Do(t, pool.QueryRow(t.Context(), `select count(*) from "Own"."it's ""one"""`).Scan(&rows))
		if rows != 33 || made.Load() != 1 {
			t.Errorf("%d rows, made by %d", rows, made.Load())
		}
	})
	t.Run("few rights", func(t *testing.T) { testFewRights(t, address, pool) })
	t.Run("durability", func(t *testing.T) { testDurability(t, address, pool) })
	t.Run("table", func(t *testing.T) { testTable(t, pool) })
	t.Run("warnings", func(t *testing.T) { testWarnings(t, address, pool) })
	t.Run("cut off", func(t *testing.T) { testCutOff(t, pool) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, pool) })
	t.Run("bad options", func(t *testing.T) { testBadOptions(t, pool) })
	near, far := servers.Link{From: "minter", To: "postgres"}, servers.Link{From: "postgres", To: "minter"}
	distant := pgtest.Open(t, n.Proxy(t, "minter", "postgres", address, nil))
	t.Run("minting stops first", func(t *testing.T) {
		s := mustNew(t, distant, &pgstore.Options{Table: "cut", Numbers: 1, TTL: 3 * time.Second})
		servers.StopsFirst(t, n, s, func() (free bool, err error) {
			err = pool.QueryRow(t.Context(), `select expires <= clock_timestamp() from cut where number = 0`).Scan(&free)
			return free, err
		}, near, far)
	})
	t.Run("lost answers", func(t *testing.T) {
		// One request a call.
		own := pgtest.Open(t, n.Proxy(t, "minter", "postgres", address, nil), "&default_query_exec_mode=simple_protocol")
		testLostAnswers(t, n, pool, own, near, far)
	})
}

// testFewRights has a user who may do more and more of what Init and New need.
func testFewRights(t *testing.T, address string, pool *pgxpool.Pool) {
	pgtest.Exec(t, pool, `create schema closed; create role few login; grant usage on schema closed to few`)
	poor := pgtest.Open(t, address, "&user=few")
	denied := func(what string, err error) {
		t.Helper()
		must.Fail(t, "a table that cannot be "+what, err, nil, "permission denied")
	}
	denied("created", pgstore.Init(t.Context(), poor, &pgstore.Options{Table: "closed.numbers", Numbers: 4}))
	mustNew(t, pool, &pgstore.Options{Table: "closed.numbers", Numbers: 4})
	_, err := pgstore.New(t.Context(), poor, &pgstore.Options{Table: "closed.numbers", Numbers: 4})
	denied("read", err)
	pgtest.Exec(t, pool, `grant select, update on closed.numbers to few`)
	denied("filled up", pgstore.Init(t.Context(), poor, &pgstore.Options{Table: "closed.numbers", Numbers: 5}))
	s := must.Get(pgstore.New(t.Context(), poor, &pgstore.Options{Table: "closed.numbers", Numbers: 4}))(t)
	mustTake(t, s, time.Now())
}

// testBadOptions has names and a holder that PostgreSQL cannot keep.
func testBadOptions(t *testing.T, pool *pgxpool.Pool) {
	const missing = "prepare the table missing.table: there is no such table; if this is the first start, and only then, call pgstore.Init, or run leases init"
	open := func(opts *pgstore.Options) error { _, err := pgstore.New(t.Context(), pool, opts); return err }
	create := func(opts *pgstore.Options) error { return pgstore.Init(t.Context(), pool, opts) }
	for want, opts := range map[string]*pgstore.Options{
		"Options.Numbers -1 is not within 1 to 1048576":              {Numbers: -1},
		"Options.Numbers 1025 does not fit the layout":               {Numbers: 1025},
		"Options.Numbers 65537 does not fit the layout":              {Numbers: 65537, Layout: ids.SonyflakeLayout()},
		`Options.Table "a..b" has an empty name`:                     {Table: "a..b"},
		`Options.Holder "a\x00b" is not UTF-8 without a NUL`:         {Holder: "a\x00b"},
		`Options.Table "a\x00b" is not UTF-8 without a NUL`:          {Table: "own.a\x00b"},
		"PostgreSQL would cut the name to 63 bytes":                  {Table: "own." + strings.Repeat("ä", 32)},
		"prepare the table x" + strings.Repeat(".x", 99) + ": ERROR": {Table: "x" + strings.Repeat(".x", 99)},
	} {
		must.Fail(t, fmt.Sprintf("%+v", opts), open(opts), nil, want)
		must.Fail(t, fmt.Sprintf("%+v", opts), create(opts), nil, want)
	}
	must.Fail(t, "a database", create(&pgstore.Options{Table: "a.b.c"}), nil, "prepare the table a.b.c: ERROR: cross-database references")
	must.Fail(t, "a schema that is missing", create(&pgstore.Options{Table: "missing.other"}), nil, "prepare the table missing.other: ERROR")
	must.Fail(t, "a table that is missing", open(&pgstore.Options{Table: "missing.table"}), nodelease.ErrRefused, missing)
	_, err := pgstore.New(t.Context(), nil, nil)
	must.Fail(t, "nil pool", err, nil, "nil Pool")
}

// testTable has a table that is not there, that others have made, and that loses rows.
func testTable(t *testing.T, pool *pgxpool.Pool) {
	open := func(opts pgstore.Options) error { _, err := pgstore.New(t.Context(), pool, &opts); return err }
	create := func(opts pgstore.Options) error { return pgstore.Init(t.Context(), pool, &opts) }
	// refused checks an error twice: for what it says, and for what it matches.
	refused := func(what string, err, is error, texts ...string) {
		t.Helper()
		must.Fail(t, what, err, nodelease.ErrRefused, texts...)
		must.Fail(t, what, err, is)
	}
	rows := pgstore.Options{Table: "rows", Numbers: 3}
	refused("no table", open(rows), fs.ErrNotExist, "there is no such table", "call pgstore.Init, or run leases init")
	var made bool
	must.Do(t, pool.QueryRow(t.Context(), `select to_regclass('rows') is not null`).Scan(&made))
	if made {
		t.Error("New has made the table")
	}
	must.Do(t, create(rows))
	must.Fail(t, "a second first start", create(rows), fs.ErrExist, "nothing is missing")
	more := pgstore.Options{Table: "rows", Numbers: 5}
	refused("more numbers", open(more), fs.ErrNotExist, "of 5 rows 2 are missing")
	must.Do(t, create(more))
	s := must.Get(pgstore.New(t.Context(), pool, &rows))(t)
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now(), Layout: ids.SonyflakeLayout()})
	must.Fail(t, "Take for another layout", err, nodelease.ErrRefused,
		"tick 1ms, 10 node bits, 12 sequence bits, node first", "tick 10ms, 16 node bits, 8 sequence bits, node last")
	other := pgstore.Options{Table: "rows", Numbers: 5, Layout: ids.SonyflakeLayout()}
	must.Fail(t, "New for another layout", open(other), nodelease.ErrRefused, "tick 1ms", "tick 10ms")
	other.Numbers = 9
	must.Fail(t, "a first start with another layout", create(other), nodelease.ErrRefused, "tick 1ms", "tick 10ms")

	a, b := mustTake(t, s, time.Now()), mustTake(t, s, time.Now())
	if a.Free != 2 || b.Free != 1 || !a.FreeKnown || !b.FreeKnown {
		t.Errorf("%d and %d numbers were free, want 2 and 1", a.Free, b.Free)
	}
	pgtest.Exec(t, pool, `delete from rows where number = `+fmt.Sprint(a.Number))
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	refused("Take without a row", err, fs.ErrNotExist, "of 3 rows 1 are missing")
	refused("New without a row", open(rows), fs.ErrNotExist, "of 3 rows 1 are missing")
	must.Fail(t, "Extend without a row", a.Lease.Extend(t.Context(), time.Now()), nodelease.ErrLost)
	must.Do(t, create(rows))
	pgtest.Exec(t, pool, `delete from rows where number = -1`)
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	refused("Take without the layout", err, fs.ErrNotExist, "no row of the number -1")
	pgtest.Exec(t, pool, `truncate rows`)
	refused("New of an empty table", open(rows), fs.ErrNotExist, "of 3 rows 3 are missing")

	for table, columns := range map[string]string{
		"old":    "node integer primary key, fence bigint, expires timestamptz, mark timestamptz",
		"tokens": "node integer primary key, token text, holder text, expires timestamptz, mark timestamptz",
	} {
		pgtest.Exec(t, pool, `create table `+table+` (`+columns+`)`)
		for _, err := range []error{open(pgstore.Options{Table: table}), create(pgstore.Options{Table: table})} {
			must.Fail(t, "an earlier table", err, nodelease.ErrRefused,
				"prepare the table "+table+": it is of an earlier shape of this package (it has a column mark): close its minters")
		}
	}
	pgtest.Exec(t, pool, `create table foreigner (number integer primary key, note text)`)
	for _, err := range []error{open(pgstore.Options{Table: "foreigner"}), create(pgstore.Options{Table: "foreigner"})} {
		must.Fail(t, "a table of others", err, nodelease.ErrRefused, `column "token" does not exist`, "another version of package nodelease")
	}
	one := pgstore.Options{Table: "newer", Numbers: 1}
	must.Do(t, create(one))
	s = must.Get(pgstore.New(t.Context(), pool, &one))(t)
	for _, test := range []struct {
		header string
		texts  []string
	}{
		{"schema 3: x", []string{`"schema 3: x"`, "keeps schema 2", "another version of package nodelease"}},
		{"schema 1: x", []string{"the column holder of the number -1 is of an earlier shape of this package", `"schema 1: x"`}},
	} {
		pgtest.Exec(t, pool, `update newer set holder = '`+test.header+`' where number = -1`)
		_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
		for _, err := range []error{err, open(one), create(one)} {
			must.Fail(t, test.header, err, nodelease.ErrRefused, test.texts...)
		}
	}
}

// testWarnings has pools that keep the server's warnings and some that do not.
func testWarnings(t *testing.T, address string, pool *pgxpool.Pool) {
	deaf := must.Get(pgxpool.New(t.Context(), pgtest.URL(address)))(t)
	defer deaf.Close()
	_, err := pgstore.New(t.Context(), deaf, nil)
	must.Fail(t, "a pool that nobody has configured", err, nil, "call pgstore.Configure with its *pgxpool.Config before pgxpool.NewWithConfig")

	config := must.Get(pgxpool.ParseConfig(pgtest.URL(address) + "&client_min_messages=error&pool_max_conns=1"))(t)
	var heard []string
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { heard = append(heard, n.Severity+n.Message) }
	pgstore.Configure(config)
	first := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer first.Close()
	copied := must.Get(pgxpool.NewWithConfig(t.Context(), first.Config()))(t)
	defer copied.Close()
	s := mustNew(t, copied, &pgstore.Options{Table: "warned", Numbers: 2})
	if len(heard) == 0 || !strings.HasPrefix(heard[0], "WARNINGnodelease tries") {
		t.Errorf("the OnNotice of the configuration has heard %q", heard)
	}
	l := mustTake(t, s, time.Now()).Lease
	horizon := time.Now().Truncate(time.Microsecond)
	pgtest.Exec(t, copied, `set client_min_messages = 'notice'; do $$ begin raise warning 'of another statement'; end $$;
		set client_min_messages = 'error'`)
	must.Do(t, l.Extend(t.Context(), horizon))

	// A warning of something else, here of a trigger, changes nothing.
	pgtest.Exec(t, pool, `create function warn() returns trigger language plpgsql as
		$$ begin raise warning 'must be vacuumed'; return null; end $$`)
	pgtest.Exec(t, pool, `create constraint trigger warn after update on warned deferrable initially deferred
		for each row execute function warn()`)
	calls := map[string]func() error{
		"Extend":  func() error { return l.Extend(t.Context(), horizon) },
		"Release": func() error { return l.Release(t.Context(), horizon) },
		"Take": func() (err error) {
			g, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
			l = cmp.Or(g.Lease, l)
			return err
		},
	}
	before := len(heard)
	for _, name := range []string{"Extend", "Release", "Take", "Extend"} {
		must.Do(t, calls[name]())
	}
	if len(heard) != before+4 {
		t.Errorf("the OnNotice of the configuration has heard %q", heard[before:])
	}

	// Nobody is the standby, and somebody cancels the waits for it.
	pgtest.WaitFor(t, pool, "nobody")
	ctx, end := context.WithCancel(t.Context())
	var canceller sync.WaitGroup
	canceller.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			_, _ = pool.Exec(ctx, `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
		}
	})
	for _, name := range []string{"Extend", "Take", "Release"} {
		must.Fail(t, name, calls[name](), nil, "may not last: canceling wait for synchronous replication")
	}
	end()
	canceller.Wait()
	pgtest.WaitFor(t, pool, "")
	pgtest.Exec(t, pool, `drop trigger warn on warned`)
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
	own := servers.FreePorts(1)[0]
	_, listen, _ := strings.Cut(own, ":")
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\npostgres = host=%s port=%s user=test\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n", host, port, listen)
	must.Do(t, os.WriteFile(config, []byte(text), 0o644))
	pooler := &servers.Server{Log: filepath.Join(dir, "log"), Command: func() *exec.Cmd { return run("pgbouncer", config) }}
	pooler.Start(t)
	t.Cleanup(func() { pooler.Stop(syscall.SIGKILL) })
	mustNew(t, pgtest.Open(t, own), &pgstore.Options{Numbers: 6})
	var all sync.WaitGroup
	var held sync.Map
	for range 6 {
		all.Go(func() {
			pool := pgtest.Open(t, own, "&pool_max_conns=3")
			s, err := pgstore.New(t.Context(), pool, &pgstore.Options{Numbers: 6})
			if err != nil {
				t.Errorf("New: %v", err)
				return
			}
			for round := range 20 {
				g, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
				if errors.Is(err, nodelease.ErrNoNumber) {
					continue // others were faster
				}
				if err != nil {
					t.Errorf("Take: %v", err)
					return
				}
				if _, twice := held.LoadOrStore(g.Number, true); twice {
					t.Errorf("number %d is held twice", g.Number)
				}
				horizon := time.Now().Truncate(time.Microsecond)
				if err := errors.Join(g.Lease.Extend(t.Context(), horizon), g.Lease.Extend(t.Context(), horizon.Add(time.Minute))); err != nil {
					t.Errorf("Extend in round %d: %v", round, err)
				}
				held.Delete(g.Number)
				if err := g.Lease.Release(t.Context(), horizon); err != nil {
					t.Errorf("Release: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func mustTake(t *testing.T, s nodelease.Store, now time.Time) nodelease.Grant {
	t.Helper()
	return must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t)
}

// testDurability has what lets a crash take a horizon back.
func testDurability(t *testing.T, address string, pool *pgxpool.Pool) {
	for _, kind := range []string{"unlogged", "temporary"} {
		own := pgtest.Open(t, address, "&pool_max_conns=1") // a temporary table is a connection's own
		pgtest.Exec(t, own, "create "+kind+" table "+kind+"1 (number integer)")
		_, err := pgstore.New(t.Context(), own, &pgstore.Options{Table: kind + "1"})
		must.Fail(t, kind, err, nil, "the table is unlogged or temporary")
	}
	err := pgstore.Init(t.Context(), pgtest.Open(t, address, "&search_path=pg_temp"), &pgstore.Options{Table: "path"})
	must.Fail(t, "a search_path that makes the table temporary", err, nil, "the table is unlogged or temporary")

	// Each transaction of the store is durable, whatever the connection is set to, and whenever.
	mustNew(t, pool, &pgstore.Options{Table: "asynchronous", Numbers: 1})
	pgtest.Exec(t, pool, `create table settings (setting text)`)
	pgtest.Exec(t, pool, `create function note() returns trigger language plpgsql as
		$$ begin insert into settings values (current_setting('synchronous_commit')); return null; end $$`)
	pgtest.Exec(t, pool, `create constraint trigger note after update on asynchronous deferrable initially deferred
		for each row execute function note()`) // at the commit
	for setting, want := range map[string]string{
		"off": "on on on", "local": "on on on", "remote_write": "on on on", "on": "on on on",
		"remote_apply": "remote_apply remote_apply remote_apply",
	} {
		pgtest.Exec(t, pool, `truncate settings`)
		own := pgtest.Open(t, address, "&synchronous_commit="+setting)
		l := mustTake(t, mustNew(t, own, &pgstore.Options{Table: "asynchronous", Numbers: 1}), time.Now()).Lease
		horizon := time.Now().Truncate(time.Microsecond)
		must.Do(t, errors.Join(l.Extend(t.Context(), horizon), l.Release(t.Context(), horizon)))
		var got string
		must.Do(t, pool.QueryRow(t.Context(), `select string_agg(setting, ' ') from settings`).Scan(&got))
		if got != want {
			t.Errorf("with synchronous_commit=%s the commits of the store had %q, want %q", setting, got, want)
		}
	}
}

// testCutOff has a Take that a lock holds up, and one whose answer cannot be read. None keeps a number for nobody.
func testCutOff(t *testing.T, pool *pgxpool.Pool) {
	s := mustNew(t, pool, &pgstore.Options{Table: "cut_off", Numbers: 1})
	beside := mustNew(t, pool, &pgstore.Options{Table: "cut_off", Numbers: 9})
	held := func() (held bool) {
		must.Do(t, pool.QueryRow(t.Context(), `select expires > clock_timestamp() from cut_off where number = 0`).Scan(&held))
		return held
	}

	// A lock holds the Take up for longer than it has.
	tx := must.Get(pool.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), `lock table cut_off`))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	began := time.Now()
	if g, err := s.Take(ctx, nodelease.Request{Now: time.Now()}); err == nil {
		t.Errorf("took number %d of a table that is locked", g.Number)
	} else if time.Since(began) > 3*time.Second {
		t.Errorf("Take returned %v after its context had ended", time.Since(began))
	}
	must.Do(t, tx.Rollback(t.Context()))
	if held() {
		t.Error("the number is held for nobody")
	}

	// The other holders keep theirs.
	pgtest.Exec(t, pool, `update cut_off set horizon = 'infinity' where number = 0`)
	pgtest.Exec(t, pool, `update cut_off set token = number, expires = 'infinity' where number > 0`)
	for range 4 {
		if g, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()}); err == nil || held() {
			t.Errorf("a Take that cannot be read: %v, %v, held %v", g, err, held())
		}
	}
	_, err := beside.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take where all numbers but one without end are held", err, nil, "scan Infinity")
}

// testLostAnswers has the server carry out what it was asked to while its answers get lost: it can be asked again.
func testLostAnswers(t *testing.T, n *servers.Network, pool, distant *pgxpool.Pool, near, far servers.Link) {
	s := mustNew(t, distant, &pgstore.Options{Table: "lost", Numbers: 1})
	l := mustTake(t, s, time.Now()).Lease
	now := time.Now().Truncate(time.Microsecond)
	for _, test := range []struct {
		name    string
		horizon time.Time
		call    func(context.Context, time.Time) error
		want    error // of the second call
	}{
		{"Extend", now.Add(time.Hour), l.Extend, nil},
		{"Extend", now.Add(2 * time.Hour), l.Extend, nil},
		{"Release", now, l.Release, nodelease.ErrLost},
	} {
		n.Set(true, far)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { failed <- test.call(ctx, test.horizon) }()
		must.Soon(t, func() error { // until the server has carried it out
			return pool.QueryRow(t.Context(), `select number from lost where number = 0 and horizon = $1`, test.horizon).Scan(new(int))
		})
		cancel()
		must.Fail(t, test.name+" without an answer", <-failed, context.Canceled)
		n.Set(false, far)
		n.Reset(near)
		if err := test.call(t.Context(), test.horizon); !errors.Is(err, test.want) {
			t.Errorf("%s once more: %v, want %v", test.name, err, test.want)
		}
	}
	if g := mustTake(t, s, time.Now()); !g.Horizon.Equal(now) {
		t.Errorf("the horizon is %v, want %v", g.Horizon, now)
	}
}

// testRefusals has what a Take must not answer with ErrNoNumber, and the preference among horizons.
func testRefusals(t *testing.T, pool *pgxpool.Pool) {
	s := mustNew(t, pool, &pgstore.Options{Table: "refusals", Numbers: 5})
	for by, want := range map[time.Duration]bool{-25 * time.Hour: false, -23 * time.Hour: true, 23 * time.Hour: true, 25 * time.Hour: false} {
		now := time.Now().Add(by)
		g, err := s.Take(t.Context(), nodelease.Request{Now: now})
		if want {
			must.Do(t, err)
			must.Do(t, g.Lease.Release(t.Context(), time.Time{}))
			continue
		}
		must.Fail(t, fmt.Sprint("a clock that is off by ", by), err, nil, "says "+now.UTC().Format(time.RFC3339)+", the server's 2")
	}

	// Of the horizons that have passed, one that is more than a day later than the others comes first.
	pgtest.Exec(t, pool, `update refusals set horizon = now() - interval '3 days' - number * interval '1 minute' where number between 0 and 3`)
	pgtest.Exec(t, pool, `update refusals set horizon = now() - interval '1 hour' where number = 2`)
	for range 5 {
		g := mustTake(t, s, time.Now())
		if g.Number != 2 {
			t.Errorf("took number %d, want 2", g.Number)
		}
		must.Do(t, g.Lease.Release(t.Context(), g.Horizon))
	}
}

// TestNoFsync starts a server that does not sync its disk.
func TestNoFsync(t *testing.T) {
	t.Parallel()
	server, address := pgtest.Start(t)
	server.Change(t, syscall.SIGINT, func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "-c", "fsync=off") })
	pool := pgtest.Open(t, address)
	err := pgstore.Init(t.Context(), pool, nil)
	must.Fail(t, "a server that does not sync its disk", err, nil, "for tests, set Options.AllowNoFsync")
	mustTake(t, mustNew(t, pool, &pgstore.Options{AllowNoFsync: true}), time.Now())
}

// TestRestored puts the table back to a backup under two holders, as a restored server does. The former holder
// notices at its next renewal, however high its horizon is, and the present one keeps the number.
func TestRestored(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	s := mustNew(t, pool, &pgstore.Options{Numbers: 1})
	pgtest.Exec(t, pool, `create table backup as table node_lease`)
	former := mustTake(t, s, time.Now())
	must.Do(t, former.Lease.Extend(t.Context(), time.Now().Add(time.Minute).Truncate(time.Microsecond)))
	const putBack = `begin; delete from node_lease; insert into node_lease table backup; commit`
	must.Get(pool.Exec(t.Context(), putBack, pgx.QueryExecModeSimpleProtocol))(t)
	present := mustTake(t, s, time.Now())
	must.Do(t, present.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
	higher := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	must.Fail(t, "the former holder's renewal", former.Lease.Extend(t.Context(), higher), nodelease.ErrLost)
	must.Do(t, present.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
}

// TestStandby stops the replication to a synchronous standby under a Minter, kills the primary and promotes the
// standby, on which a process takes the number whose clock is behind. No id occurs twice.
func TestStandby(t *testing.T) {
	for setting, cancelled := range map[string]bool{"local": false, "on": true} {
		t.Run(fmt.Sprintf("%s, waits cancelled %v", setting, cancelled), func(t *testing.T) {
			t.Parallel()
			testStandby(t, setting, cancelled)
		})
	}
}

// testStandby has synchronous_commit be setting, and may have somebody cancel the waits for the standby.
func testStandby(t *testing.T, setting string, cancelled bool) {
	const ttl = 2 * time.Second
	primary, address := pgtest.Start(t)
	_, other := pgtest.StartStandby(t, address, "standby")
	pool := pgtest.Open(t, address)
	mustNew(t, pool, &pgstore.Options{Numbers: 1})
	pgtest.WaitFor(t, pool, "*")
	var sender int
	must.Soon(t, func() error {
		return pool.QueryRow(t.Context(), `select pid from pg_stat_replication where sync_state = 'sync'`).Scan(&sender)
	})
	seen := map[ids.Snowflake]bool{}
	// mint mints for a while under a clock that is set to begin.
	mint := func(pool *pgxpool.Pool, begin time.Time, long time.Duration, then func()) (twice int) {
		t.Helper()
		s := must.Get(pgstore.New(t.Context(), pool, &pgstore.Options{Numbers: 1, TTL: ttl}))(t)
		behind := time.Until(begin)
		m := must.Get(nodelease.NewMinter(s, &nodelease.Options{Window: ttl, Now: func() time.Time { return time.Now().Add(behind) }}))(t)
		defer m.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		must.Get(m.NextContext(ctx))(t)
		if then != nil {
			then()
		}
		before := len(seen)
		for end := time.Now().Add(long); time.Now().Before(end) || len(seen) == before && ctx.Err() == nil; time.Sleep(200 * time.Microsecond) {
			id, err := m.TryNext()
			if err != nil && !errors.Is(err, ids.ErrWithheld) && !errors.Is(err, ids.ErrClockBehind) {
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
	// The standby, which takes no writes, is the first host.
	mint(pgtest.Open(t, other+","+address, "&synchronous_commit="+setting), time.Now(), 6*time.Second, func() {
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
	pgtest.Exec(t, pgtest.Open(t, other, pgtest.ReadOnly), `select pg_promote()`)
	standby := pgtest.Open(t, other)
	pgtest.WaitFor(t, standby, "")
	twice := mint(standby, stopped.Add(ttl), 3*time.Second, nil)
	t.Logf("%d ids under the primary, %d under the standby, %d twice", before, len(seen)-before, twice)
	if twice > 0 || len(seen) == before {
		t.Errorf("%d of %d ids twice", twice, len(seen))
	}
}
