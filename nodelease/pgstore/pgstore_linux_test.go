package pgstore_test

// Tests of the store with real servers.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/pgstore"
	"github.com/oneclock/ids/nodelease/storekit"
	"github.com/oneclock/ids/nodelease/storetest"
)

// mustNew returns a store and initializes it if necessary.
func mustNew(t *testing.T, url string, opts *pgstore.Options) *pgstore.Store {
	t.Helper()
	s := must.Get(suite.Open(t.Context(), pgstore.Init, pgstore.New, url, opts))(t)
	t.Cleanup(s.Close)
	return s
}

// kind returns the kind of store that the suite tests, in the database that a URL names.
func kind(t *testing.T, url string) suite.Kind {
	pool := must.Get(pgxpool.New(t.Context(), url))(t)
	t.Cleanup(pool.Close)
	options := func(o suite.Options) *pgstore.Options {
		return &pgstore.Options{Table: o.Name, Holder: o.Holder, Numbers: o.Numbers, TTL: o.TTL, Layout: o.Layout}
	}
	k := suite.Table("pgstore", func(sql string) error { _, err := pool.Exec(t.Context(), sql); return err })
	k.Init = func(o suite.Options) error { return pgstore.Init(t.Context(), url, options(o)) }
	k.New = func(o suite.Options) (nodelease.Store, error) {
		s, err := pgstore.New(t.Context(), url, options(o))
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
	return k
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t)
	pool, url := pgtest.Open(t, address), pgtest.URL(address)
	pgtest.Exec(t, pool, `alter database postgres set datestyle = 'German'`) // for later connections

	t.Run("store", kind(t, url).Run)
	t.Run("defaults", func(t *testing.T) {
		mustNew(t, url, nil)
		g := suite.Take(t, mustNew(t, url, &pgstore.Options{Holder: "me"}))
		var row string
		must.Do(t, pool.QueryRow(t.Context(), `select concat_ws(' ', count(*), min(number), max(number),
			max(holder || length(token)) filter (where number = $1)) from node_lease`, g.Number).Scan(&row))
		if row != "1025 -1 1023 me36" {
			t.Errorf("rows, from and to, and the holder's: %s", row)
		}
	})
	k := kind(t, url)
	t.Run("all create the table at once", func(t *testing.T) {
		pgtest.Exec(t, pool, `create schema "Own"`)
		k.AtOnce(t, suite.Options{Name: `Own.it's "one"`, Numbers: 16})
	})
	t.Run("made", k.Made)
	t.Run("clocks", k.Clocks)
	t.Run("at rest", k.AtRest)
	t.Run("beside", func(t *testing.T) { testBeside(t, url, pool) })
	t.Run("few rights", func(t *testing.T) {
		pgtest.Exec(t, pool, `create schema closed; create role few login; grant usage on schema closed to few`)
		k.FewRights(t, kind(t, url+"&user=few"), func(right string) {
			pgtest.Exec(t, pool, `grant `+right+` on closed.numbers to few`)
		})
	})
	t.Run("refusals", func(t *testing.T) { testRefusals(t, url, pool) })
	t.Run("durability", func(t *testing.T) { testDurability(t, address, pool) })
	t.Run("table", func(t *testing.T) { testTable(t, url, pool) })
	t.Run("restored", func(t *testing.T) { testRestored(t, url, pool) })
	t.Run("warnings", func(t *testing.T) { testWarnings(t, url, pool) })
	t.Run("cut off", func(t *testing.T) { testCutOff(t, url, pool) })
	t.Run("bad options", func(t *testing.T) { testBadOptions(t, url) })
	t.Run("by hand", func(t *testing.T) { testByHand(t, url, pool) })
}

// testByHand follows the instructions of docs/operations.md.
func testByHand(t *testing.T, url string, pool *pgxpool.Pool) {
	pgtest.Exec(t, pool, `create table orders (id bigint)`)
	pgtest.Exec(t, pool, `insert into orders values (2126361493141196800)`)
	var newest time.Time
	must.Do(t, pool.QueryRow(t.Context(), suite.Advised(t, "SELECT to_timestamp")).Scan(&newest))
	if want := time.Date(2026, 11, 27, 17, 4, 20, 508e6, time.UTC); !newest.Equal(want) {
		t.Errorf("the newest id is of %v, want %v", newest, want)
	}
	mustNew(t, url, nil)
	tx := must.Get(pool.Begin(t.Context()))(t)
	defer tx.Rollback(t.Context())
	var pid, blocking string
	must.Do(t, tx.QueryRow(t.Context(), `select pg_backend_pid()::text from node_lease where number = 7 for update`).Scan(&pid))
	var waiting sync.WaitGroup
	defer waiting.Wait()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	for range 2 { // the second statement also waits for the first
		waiting.Go(func() { _, _ = pool.Exec(ctx, `update node_lease set holder = 'x' where number = 7`) })
	}
	must.Soon(t, func() error {
		return pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity where wait_event_type = 'Lock' having count(*) = 2`).Scan(new(int))
	})
	must.Do(t, pool.QueryRow(t.Context(), `select string_agg(pid::text, ' ') from (`+suite.Advised(t, "SELECT pid, usename")+`) s`).Scan(&blocking))
	if blocking != pid {
		t.Errorf("the row is locked by %s, and the page's statement says %s", pid, blocking)
	}
	pgtest.Exec(t, pool, `create role operator`)
	pgtest.Exec(t, pool, `alter role operator set idle_in_transaction_session_timeout = '1min'`)
}

// TestSilence lets the network fall silent.
func TestSilence(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	storetest.Silence(t, storetest.Network{
		Server: address,
		Open: func(t *testing.T, address string) nodelease.Store {
			return mustNew(t, pgtest.URL(address), &pgstore.Options{Table: fmt.Sprintf("s%x", ids.NewV4().ULID()), Numbers: 2, TTL: time.Minute})
		},
		Left: func() error {
			var n int
			err := pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity
				where pid <> pg_backend_pid() and (state like 'idle in%' or wait_event_type = 'Lock')`).Scan(&n)
			if err == nil && n > 0 {
				err = fmt.Errorf("%d sessions are in a transaction or wait for a lock", n)
			}
			return err
		},
	})
}

// testBadOptions tests names that PostgreSQL cannot keep, and a missing schema.
func testBadOptions(t *testing.T, url string) {
	k := kind(t, url)
	k.BadOptions(t, map[string]suite.Options{
		`Options.Table ".b" has an empty name`:              {Name: ".b"},
		`Options.Table "a\x00b" is not UTF-8 without a NUL`: {Name: "own.a\x00b"},
		"PostgreSQL would cut the name to 63 bytes":         {Name: "own." + strings.Repeat("ä", 32)},
		`Options.Table "a.b.c" has more than a schema`:      {Name: "a.b.c"},
	})
	must.Fail(t, "a schema that is missing", k.Init(suite.Options{Name: "missing.other"}), nil, "prepare the table missing.other: ERROR")
	_, err := k.New(suite.Options{Name: "missing.table"})
	must.Fail(t, "a schema that is missing", err, nodelease.ErrRefused, "prepare the table missing.table: there is no such table")
}

// testRefusals tests the faults that New and Take of all stores must refuse.
func testRefusals(t *testing.T, url string, pool *pgxpool.Pool) {
	exec := func(format string, args ...any) error {
		_, err := pool.Exec(t.Context(), fmt.Sprintf(format, args...))
		return err
	}
	options := func(l ids.SnowflakeLayout) *pgstore.Options {
		return &pgstore.Options{Table: "refused", Numbers: 3, TTL: time.Minute, Layout: l}
	}
	first := func(l ids.SnowflakeLayout) error { return pgstore.Init(t.Context(), url, options(l)) }
	again := func() error { return first(ids.SnowflakeLayout{}) }
	harm := func(do, undo string) func(int64) (func() error, error) {
		return func(int64) (func() error, error) { return func() error { return exec("%s", undo) }, exec("%s", do) }
	}
	must.Do(t, exec("create role holder login"))
	readOnly := func(on string) error {
		err := errors.Join(exec("alter system set default_transaction_read_only = %s", on), exec("select pg_reload_conf()"))
		must.Soon(t, func() error {
			return pool.QueryRow(t.Context(), `select where current_setting('default_transaction_read_only') = $1`, on).Scan()
		})
		return err
	}
	storetest.Refusals(t, storetest.Place{
		Init: func(l ids.SnowflakeLayout) error {
			err := first(l)
			if err == nil {
				err = exec("grant select, update on refused to holder")
			}
			return err
		},
		New: func(l ids.SnowflakeLayout) (nodelease.Store, error) {
			s, err := pgstore.New(t.Context(), url+"&user=holder", options(l))
			if err == nil {
				t.Cleanup(s.Close)
			}
			return s, err
		},
		Harm: map[storetest.Harm]func(int64) (func() error, error){
			storetest.NoHeader: func(int64) (func() error, error) { return again, exec("delete from refused where number = -1") },
			"an empty header": func(int64) (func() error, error) {
				return again, exec("update refused set holder = '' where number = -1")
			},
			storetest.OtherVersion: harm("update refused set holder = 'schema 3: x' where number = -1",
				"update refused set holder = '"+storekit.Header(ids.SnowflakeLayout{})+"' where number = -1"),
			storetest.NoNumber: func(held int64) (func() error, error) {
				return again, exec("delete from refused where number = %d", (held+1)%3)
			},
			storetest.NoRead:  harm("revoke select on refused from holder", "grant select on refused to holder"),
			storetest.NoWrite: harm("revoke update on refused from holder", "grant update on refused to holder"),
			"rights to columns": harm("revoke update on refused from holder; grant update (token, holder, horizon) on refused to holder",
				"grant update (expires) on refused to holder"),
			storetest.NoWrites:         func(int64) (func() error, error) { return func() error { return readOnly("off") }, readOnly("on") },
			"a column that cuts times": harm("alter table refused alter expires type timestamptz(3)", "alter table refused alter expires type timestamptz"),
		},
	})
}

// testTable tests a table that another program created.
func testTable(t *testing.T, url string, pool *pgxpool.Pool) {
	k, o := kind(t, url), suite.Options{Name: "foreigner"}
	pgtest.Exec(t, pool, `create table foreigner (number integer, note text)`)
	_, err := k.New(o)
	for _, err := range []error{err, k.Init(o)} {
		must.Fail(t, "foreigner", err, nodelease.ErrRefused, `column "token" does not exist`, "another version of package nodelease")
	}
	for _, column := range []string{"horizon timestamptz(0)", "horizon timestamptz(5)", "expires timestamp", "horizon text"} {
		o := suite.Options{Name: "rounded", Numbers: 2}
		must.Do(t, k.Init(o))
		before := must.Get(k.New(o))(t)
		name, kind, _ := strings.Cut(column, " ")
		pgtest.Exec(t, pool, `alter table rounded alter `+name+` drop default, alter `+name+` type `+kind)
		_, err := k.New(o)
		for _, err := range []error{err, k.Init(o)} {
			must.Fail(t, column, err, nodelease.ErrRefused, "prepare the table rounded: ", "the column "+name+" is t", "so horizons change")
		}
		if kind != "text" { // PostgreSQL cannot compare it with a time
			_, err = before.Take(t.Context(), nodelease.Request{Now: time.Now()})
			must.Fail(t, column, err, nodelease.ErrRefused, "take a number from the table rounded: ", "the column "+name+" is t")
		}
		pgtest.Exec(t, pool, `drop table rounded`)
	}
	same := suite.Options{Name: "six", Numbers: 2}
	must.Do(t, k.Init(same))
	pgtest.Exec(t, pool, `alter table six alter horizon type timestamptz(6)`)
	must.Get(k.New(same))(t)
}

// testWarnings tests warnings that are not about a standby.
func testWarnings(t *testing.T, url string, pool *pgxpool.Pool) {
	var heard []string
	s := mustNew(t, url+"&client_min_messages=error", &pgstore.Options{Table: "warned", Numbers: 2, BeforeConnect: func(_ context.Context, c *pgx.ConnConfig) error {
		c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { heard = append(heard, n.Severity+n.Message) }
		return nil
	}})
	l := suite.Take(t, s).Lease
	horizon := time.Now().Truncate(time.Microsecond)
	// A warning about something else, here from a trigger, changes nothing.
	pgtest.Exec(t, pool, `create function warn() returns trigger language plpgsql as
		$$ begin raise warning 'must be vacuumed'; return null; end $$`)
	pgtest.Exec(t, pool, `create constraint trigger warn after update on warned deferrable initially deferred
		for each row execute function warn()`)
	before := len(heard)
	must.Do(t, l.Extend(t.Context(), horizon))
	must.Do(t, l.Release(t.Context(), horizon))
	suite.Take(t, s)
	if len(heard) != before+3 {
		t.Errorf("the OnNotice of the configuration has heard %q", heard[before:])
	}
}

// TestPooler uses PgBouncer, which gives each session, transaction or statement one of a few
// connections to the server. In the mode transaction, the store uses the simple protocol.
func TestPooler(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t)
	for _, mode := range []string{"session", "transaction", "statement"} {
		url := pgtest.URL(pgtest.StartPooler(t, address, mode))
		t.Run(mode, func(t *testing.T) {
			o := suite.Options{Name: "pooled_" + mode, Numbers: 2, TTL: time.Minute}
			err := kind(t, url).Init(o)
			if mode == "statement" {
				must.Fail(t, "Init", err, nil, "transaction blocks not allowed")
				err = kind(t, pgtest.URL(address)).Init(o)
			}
			must.Do(t, err)
			s := must.Get(kind(t, url).New(o))(t)
			g, now := suite.Take(t, s), time.Now().Truncate(time.Microsecond)
			must.Do(t, g.Lease.Extend(t.Context(), now.Add(time.Hour)))
			must.Do(t, g.Lease.Release(t.Context(), now))
			for range 2 {
				if g2 := suite.Take(t, s); g2.Number == g.Number && !g2.Horizon.Equal(now) {
					t.Errorf("the horizon is %v, want %v", g2.Horizon, now)
				}
			}
			if mode == "transaction" {
				kind(t, url+"&default_query_exec_mode=simple_protocol&DateStyle=SQL").Run(t)
			}
		})
	}
}

// testDurability tests settings with which a crash could take a horizon back.
func testDurability(t *testing.T, address string, pool *pgxpool.Pool) {
	url := pgtest.URL(address)
	pgtest.Exec(t, pool, "create unlogged table unlogged1 (number integer)")
	_, err := pgstore.New(t.Context(), url, &pgstore.Options{Table: "unlogged1"})
	must.Fail(t, "unlogged", err, nodelease.ErrRefused, "the table is unlogged or temporary")
	pgtest.Exec(t, pool, "create view seen as select 1 as number, '' as token, '' as holder, now() as expires, now() as horizon from unlogged1")
	_, err = pgstore.New(t.Context(), url, &pgstore.Options{Table: "seen"})
	for _, err := range []error{err, pgstore.Init(t.Context(), url, &pgstore.Options{Table: "seen"})} {
		must.Fail(t, "a view", err, nodelease.ErrRefused, "the table is a view")
	}
	err = pgstore.Init(t.Context(), url+"&search_path=pg_temp", &pgstore.Options{Table: "path"})
	must.Fail(t, "a search_path that makes the table temporary", err, nil, "the table is unlogged or temporary")

	// Each of the store's transactions is durable, whatever the connection's settings are, and
	// whenever they were set.
	mustNew(t, url, &pgstore.Options{Table: "asynchronous", Numbers: 1})
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
		l := suite.Take(t, mustNew(t, url+"&client_min_messages=error&synchronous_commit="+setting, &pgstore.Options{Table: "asynchronous", Numbers: 1})).Lease
		horizon := time.Now().Truncate(time.Microsecond)
		must.Do(t, errors.Join(l.Extend(t.Context(), horizon), l.Release(t.Context(), horizon)))
		var got string
		must.Do(t, pool.QueryRow(t.Context(), `select string_agg(setting, ' ') from settings`).Scan(&got))
		if got != want {
			t.Errorf("with synchronous_commit=%s the commits of the store had %q, want %q", setting, got, want)
		}
	}
}

// testCutOff delays one Take by a lock, and makes the answers to other Takes unreadable. None of
// these Takes leaves a number held.
func testCutOff(t *testing.T, url string, pool *pgxpool.Pool) {
	kind(t, url).Locked(t, func(table string) func() error {
		tx := must.Get(pool.Begin(t.Context()))(t)
		must.Get(tx.Exec(t.Context(), `lock table `+table))(t)
		return func() error { return tx.Rollback(t.Context()) }
	})

	s := mustNew(t, url, &pgstore.Options{Table: "cut_off", Numbers: 1})
	beside := mustNew(t, url, &pgstore.Options{Table: "cut_off", Numbers: 9})
	held := func() (held bool) {
		must.Do(t, pool.QueryRow(t.Context(), `select expires > clock_timestamp() from cut_off where number = 0`).Scan(&held))
		return held
	}
	// The other holders keep their numbers.
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

// TestNoFsync uses a server that does not sync its disk.
func TestNoFsync(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t, "-c", "fsync=off")
	url := pgtest.URL(address)
	must.Fail(t, "fsync is off", pgstore.Init(t.Context(), url, nil), nil, "for tests, set Options.AllowNoFsync")
	suite.Take(t, mustNew(t, url, &pgstore.Options{AllowNoFsync: true}))
}

// testRestored restores the table from a backup while a holder is running. Another holder then
// takes the same number. The next renewal by the former holder fails, however high its horizon is,
// and the present holder keeps the number.
func testRestored(t *testing.T, url string, pool *pgxpool.Pool) {
	s := mustNew(t, url, &pgstore.Options{Table: "restored", Numbers: 1})
	pgtest.Exec(t, pool, `create table backup as table restored`)
	former := suite.Take(t, s)
	must.Do(t, former.Lease.Extend(t.Context(), time.Now().Add(time.Minute).Truncate(time.Microsecond)))
	const putBack = `begin; delete from restored; insert into restored table backup; commit`
	must.Get(pool.Exec(t.Context(), putBack, pgx.QueryExecModeSimpleProtocol))(t)
	present := suite.Take(t, s)
	must.Do(t, present.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
	higher := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	must.Fail(t, "the former holder's renewal", former.Lease.Extend(t.Context(), higher), nodelease.ErrLost)
	must.Do(t, present.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
}

// TestStandby stops the replication to a synchronous standby and cancels the server's waits for it.
// The holder's connections are set to neither wait for the standby nor receive warnings. Every
// write that the standby does not have must fail. Then the test kills the primary and promotes the
// standby, which has the confirmed horizon.
func TestStandby(t *testing.T) {
	t.Parallel()
	primary, address := pgtest.Start(t)
	_, other := pgtest.StartStandby(t, address, "standby")
	pool := pgtest.Open(t, address)
	// The standby, which accepts no writes, is the first host.
	s := mustNew(t, pgtest.URL(other+","+address)+"&synchronous_commit=local&client_min_messages=error", &pgstore.Options{Numbers: 2})
	pgtest.WaitFor(t, pool, "*")
	must.Soon(t, func() error {
		return pool.QueryRow(t.Context(), `select from pg_stat_replication where sync_state = 'sync'`).Scan()
	})
	// Stop the receiver, not the sender, which may hold a lock on the primary.
	var receiver int
	must.Do(t, pgtest.Open(t, other, pgtest.ReadOnly).QueryRow(t.Context(), `select pid from pg_stat_wal_receiver`).Scan(&receiver))
	g := suite.Take(t, s)
	confirmed := time.Now().UTC().Truncate(time.Microsecond)
	must.Do(t, g.Lease.Extend(t.Context(), confirmed))

	must.Do(t, syscall.Kill(receiver, syscall.SIGSTOP))
	ctx, end := context.WithCancel(t.Context())
	var canceller sync.WaitGroup
	canceller.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			_, _ = pool.Exec(ctx, `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`)
		}
	})
	began := time.Now()
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	slow := time.Since(began) > time.Second
	for _, err := range []error{err, g.Lease.Extend(t.Context(), confirmed.Add(time.Hour)), g.Lease.Release(t.Context(), confirmed.Add(time.Hour))} {
		must.Fail(t, "a standby that does not answer", err, nil, "so its commit may be lost: canceling wait for synchronous replication")
	}
	end()
	canceller.Wait()
	pgtest.WaitFor(t, pool, "")
	if slow {
		t.Log("Take was slow, so it may have had too little time to release its number")
		pgtest.Exec(t, pool, `update node_lease set expires = 'epoch' where number >= 0`)
	}
	suite.Take(t, s) // no number is left held
	suite.Take(t, s)

	primary.Stop(syscall.SIGKILL)
	_ = syscall.Kill(receiver, syscall.SIGKILL)
	standby := pgtest.Open(t, other, pgtest.ReadOnly)
	must.Soon(t, func() error { // the standby may be restarting, because its receiver was killed
		_, err := standby.Exec(t.Context(), `select pg_promote()`)
		return err
	})
	var got time.Time
	must.Do(t, pgtest.Open(t, other, "&target_session_attrs=read-write").QueryRow(t.Context(), `select horizon from node_lease where number = $1`, g.Number).Scan(&got))
	if !got.Equal(confirmed) {
		t.Errorf("the standby has the horizon %v, want %v", got, confirmed)
	}
}

// TestWhichWarningsCount tests warnings of servers and poolers. A warning counts if it may be about
// a standby or names no file.
func TestWhichWarningsCount(t *testing.T) {
	for _, test := range []struct {
		severity, file string
		counts         bool
	}{
		{"WARNING", "syncrep.c", true}, {"WARNING", "src/backend/replication/syncrep.c", true}, {"WARNING", "", true},
		{"WARNING", "xact.c", false}, {"NOTICE", "syncrep.c", false}, {"NOTICE", "", false},
	} {
		if got := pgstore.MayLoseCommit(&pgconn.Notice{SeverityUnlocalized: test.severity, File: test.file}); got != test.counts {
			t.Errorf("%s of the file %q: counts %v, want %v", test.severity, test.file, got, test.counts)
		}
	}
}
