package mysqlstore_test

// Tests of the store with real servers.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/mysqlstore"
	"github.com/oneclock/ids/nodelease/storekit"
	"github.com/oneclock/ids/nodelease/storetest"
)

// mustNew returns a store and initializes it if necessary.
func mustNew(t *testing.T, dsn string, opts *mysqlstore.Options) *mysqlstore.Store {
	t.Helper()
	s := must.Get(suite.Open(t.Context(), mysqlstore.Init, mysqlstore.New, dsn, opts))(t)
	t.Cleanup(s.Close)
	return s
}

// kind returns the kind of store that the suite tests, in the database that a DSN names.
func kind(t *testing.T, dsn string) suite.Kind {
	db := must.Get(sql.Open("mysql", dsn))(t)
	t.Cleanup(func() { db.Close() })
	options := func(o suite.Options) *mysqlstore.Options {
		return &mysqlstore.Options{Table: o.Name, Holder: o.Holder, Numbers: o.Numbers, TTL: o.TTL, Layout: o.Layout}
	}
	k := suite.Table("mysqlstore", func(sql string) error { _, err := db.ExecContext(t.Context(), sql); return err })
	k.Init = func(o suite.Options) error { return mysqlstore.Init(t.Context(), dsn, options(o)) }
	k.New = func(o suite.Options) (nodelease.Store, error) {
		s, err := mysqlstore.New(t.Context(), dsn, options(o))
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
	return k
}

// scan returns the single value of a query's result as a string.
func scan(t *testing.T, db *sql.DB, query string) (text string) {
	t.Helper()
	must.Do(t, db.QueryRowContext(t.Context(), query).Scan(&text))
	return text
}

// noTransaction returns an error if a transaction is open.
func noTransaction(t *testing.T, db *sql.DB) error {
	t.Helper()
	refresh()
	if n := scan(t, db, `select count(*) from information_schema.innodb_trx`); n != "0" {
		return fmt.Errorf("%s transactions are open", n)
	}
	return nil
}

// refresh makes the next query return InnoDB's current transactions and locks. InnoDB refreshes
// them only if they were not read for 100 ms.
func refresh() { time.Sleep(200 * time.Millisecond) }

// mariaDB reports whether a server is MariaDB, not MySQL.
func mariaDB(t *testing.T, db *sql.DB) bool {
	t.Helper()
	return strings.Contains(scan(t, db, `select version()`), "MariaDB")
}

func TestMySQL(t *testing.T) {
	t.Parallel()
	_, dsn := mytest.Start(t)
	db := mytest.Open(t, dsn)
	t.Logf("version %s", scan(t, db, `select version()`))
	level := "transaction_isolation"
	if mariaDB(t, db) {
		level = "tx_isolation"
	}
	for name, parameters := range map[string]string{
		"plain": "",
		"others": "clientFoundRows=true&parseTime=true&loc=Europe%2FBerlin&time_zone='-9:30'&" +
			"sql_mode='ANSI,NO_BACKSLASH_ESCAPES'&" + level + "='SERIALIZABLE'",
	} {
		t.Run("store, "+name, func(t *testing.T) {
			kind(t, mytest.With(dsn, parameters)).Run(t)
		})
	}
	t.Run("defaults", func(t *testing.T) {
		mustNew(t, dsn, nil)
		g := suite.Take(t, mustNew(t, dsn, &mysqlstore.Options{Holder: "ich ' \\ \" 😀"}))
		row := scan(t, db, fmt.Sprintf(`select concat_ws(' ', count(*), min(number), max(number), max(if(number = %d, holder, null))) from node_lease`, g.Number))
		if row != `1025 -1 1023 ich ' \ " 😀` {
			t.Errorf("rows, from and to, and holder: %s", row)
		}
	})
	k := kind(t, dsn)
	t.Run("all create the table at once", func(t *testing.T) {
		mytest.Exec(t, db, "create database `Own ä`")
		k.AtOnce(t, suite.Options{Name: "Own ä.it's `one` \"\\", Numbers: 1500, Layout: ids.SonyflakeLayout()})
	})
	t.Run("made", k.Made)
	t.Run("clocks", k.Clocks)
	t.Run("at rest", k.AtRest)
	t.Run("beside", func(t *testing.T) { testBeside(t, db, dsn) })
	t.Run("locked", func(t *testing.T) {
		k.Locked(t, func(table string) func() error {
			tx := must.Get(db.BeginTx(t.Context(), nil))(t)
			must.Get(tx.ExecContext(t.Context(), `select * from `+table+` where number = 0 for update`))(t)
			return tx.Rollback
		})
	})
	t.Run("sessions", func(t *testing.T) { testSessions(t, db, dsn, level) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, db, dsn) })
	t.Run("settings", func(t *testing.T) { testSettings(t, db, dsn) })
	t.Run("warnings", func(t *testing.T) { testWarnings(t, db, dsn) })
	t.Run("between", func(t *testing.T) { testBetween(t, db, dsn) })
	t.Run("takes", func(t *testing.T) { testTakes(t, db, dsn) })
	t.Run("commit", func(t *testing.T) { testCommit(t, dsn) })
	t.Run("autocommit", func(t *testing.T) { testAutocommit(t, db, dsn) })
	t.Run("by hand", func(t *testing.T) { testByHand(t, db, dsn) })
	t.Run("few rights", func(t *testing.T) {
		mytest.Exec(t, db, `create database closed`)
		// The server would use this anonymous user in place of few.
		mytest.Exec(t, db, `drop user if exists ''@localhost`)
		mytest.Exec(t, db, `create user few`)
		k.FewRights(t, kind(t, mytest.At(t, dsn, "", "few")), func(right string) {
			mytest.Exec(t, db, `grant `+right+` on closed.numbers to few`)
		})
	})
	t.Run("table", func(t *testing.T) { testTable(t, db, dsn) })
	t.Run("bad options", func(t *testing.T) { testBadOptions(t, dsn) })
	t.Run("tries again", func(t *testing.T) { testAgain(t, dsn) })
}

// TestSilence lets the network fall silent. The store must not rely on the server's clients to end
// a lock.
func TestSilence(t *testing.T) {
	t.Parallel()
	_, dsn := mytest.Start(t)
	db := mytest.Open(t, dsn)
	storetest.Silence(t, storetest.Network{
		Server: mytest.Address(t, dsn),
		Open: func(t *testing.T, address string) nodelease.Store {
			return mustNew(t, mytest.At(t, dsn, address, ""), &mysqlstore.Options{Table: fmt.Sprintf("s%x", ids.NewV4().ULID()), Numbers: 2, TTL: time.Minute})
		},
		Left: func() error {
			return noTransaction(t, db)
		},
	})
}

// testSessions uses connections whose settings must change nothing.
func testSessions(t *testing.T, db *sql.DB, dsn, level string) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	empty := ""
	if mariaDB(t, db) {
		empty = "sql_mode='EMPTY_STRING_IS_NULL'"
	}
	for i, parameters := range []string{
		empty,
		"time_zone='-9:30'", "time_zone='%2B13:00'&parseTime=true&loc=America%2FNew_York", "clientFoundRows=true",
		"sql_mode=''", "sql_mode='TRADITIONAL'", "sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", "sql_mode='ANSI,IGNORE_SPACE,HIGH_NOT_PRECEDENCE'",
		level + "='READ-UNCOMMITTED'", level + "='READ-COMMITTED'", level + "='REPEATABLE-READ'",
		level + "='SERIALIZABLE'", "charset=latin1&interpolateParams=true", "sql_select_limit=1&sql_safe_updates=1",
		fmt.Sprintf("timestamp=%d", now.Unix()), // a clock that stands still: a second Extend changes nothing
	} {
		t.Run(parameters, func(t *testing.T) {
			opts := &mysqlstore.Options{Table: fmt.Sprint("session", i), Numbers: 1, Holder: "é'\\", TTL: 24 * time.Hour}
			s := mustNew(t, mytest.With(dsn, parameters), opts)
			row := func(what string) string {
				return scan(t, db, fmt.Sprintf(`select concat_ws(' ', holder, horizon, %s) from %s where number = 0`, what, opts.Table))
			}
			g := suite.Take(t, s)
			horizon := now.Add(24 * time.Hour)
			must.Do(t, errors.Join(g.Lease.Extend(t.Context(), horizon), g.Lease.Extend(t.Context(), horizon)))
			want := `é'\ ` + horizon.Format("2006-01-02 15:04:05.000000") + " 1"
			if got := row(`abs(timestampdiff(second, expires, utc_timestamp() + interval 1 day)) < 600`); got != want {
				t.Errorf("row %q, want %q", got, want)
			}
			must.Do(t, g.Lease.Release(t.Context(), now))
			if got := suite.Take(t, s).Horizon; !got.Equal(now) {
				t.Errorf("horizon %v, want %v", got, now)
			}
		})
	}
}

// testRefusals tests the faults that New and Take of all stores must refuse.
func testRefusals(t *testing.T, db *sql.DB, dsn string) {
	exec := func(format string, args ...any) error {
		_, err := db.ExecContext(t.Context(), fmt.Sprintf(format, args...))
		return err
	}
	options := func(l ids.SnowflakeLayout) *mysqlstore.Options {
		return &mysqlstore.Options{Table: "refusing.refused", Numbers: 3, TTL: time.Minute, Layout: l}
	}
	first := func(l ids.SnowflakeLayout) error { return mysqlstore.Init(t.Context(), dsn, options(l)) }
	again := func() error { return first(ids.SnowflakeLayout{}) }
	harm := func(do, undo string) func(int64) (func() error, error) {
		return func(int64) (func() error, error) { return func() error { return exec("%s", undo) }, exec("%s", do) }
	}
	// The server would use the anonymous user in place of holder.
	mytest.Exec(t, db, `drop user if exists ''@localhost; create user holder`)
	// In the database test, every user has all privileges.
	mytest.Exec(t, db, `create database refusing; grant select, update on refusing.* to holder`)
	storetest.Refusals(t, storetest.Place{
		Init: first,
		New: func(l ids.SnowflakeLayout) (nodelease.Store, error) {
			s, err := mysqlstore.New(t.Context(), mytest.At(t, dsn, "", "holder"), options(l))
			if err == nil {
				t.Cleanup(s.Close)
			}
			return s, err
		},
		Harm: map[storetest.Harm]func(int64) (func() error, error){
			storetest.NoHeader: func(int64) (func() error, error) {
				return again, exec("delete from refusing.refused where number = -1")
			},
			"an empty header": func(int64) (func() error, error) {
				return again, exec("update refusing.refused set holder = null where number = -1")
			},
			storetest.OtherVersion: harm("update refusing.refused set holder = 'schema 3: x' where number = -1",
				"update refusing.refused set holder = '"+storekit.Header(ids.SnowflakeLayout{})+"' where number = -1"),
			storetest.NoNumber: func(held int64) (func() error, error) {
				return again, exec("delete from refusing.refused where number = %d", (held+1)%3)
			},
			storetest.NoRead:   harm("revoke select on refusing.* from holder", "grant select on refusing.* to holder"),
			storetest.NoWrite:  harm("revoke update on refusing.* from holder", "grant update on refusing.* to holder"),
			storetest.NoWrites: harm("set global read_only = 1", "set global read_only = 0"),
		},
	})
}

// testSettings uses servers and connections that can lose commits, that accept no writes, or that
// do not show their settings.
func testSettings(t *testing.T, db *sql.DB, dsn string) {
	refused := func(opts *mysqlstore.Options, dsn, text string) {
		t.Helper()
		_, err := mysqlstore.New(t.Context(), dsn, opts)
		for _, err := range []error{err, mysqlstore.Init(t.Context(), dsn, opts)} {
			must.Fail(t, text, err, nil, text)
		}
	}
	mustNew(t, dsn, &mysqlstore.Options{Table: "settings"})
	lax := &mysqlstore.Options{Table: "settings", AllowNoFsync: true}
	for _, v := range []string{"0", "2"} {
		mytest.Exec(t, db, `set global innodb_flush_log_at_trx_commit = `+v)
		for _, dsn := range []string{dsn, mytest.With(dsn, "sql_select_limit=1")} {
			refused(nil, dsn, "innodb_flush_log_at_trx_commit is "+v+", so a crash can take horizons back")
			mustNew(t, dsn, lax)
		}
	}
	if mariaDB(t, db) {
		mytest.Exec(t, db, `set global innodb_flush_log_at_trx_commit = 3`)
		mustNew(t, dsn, &mysqlstore.Options{Table: "settings"})
	}
	mytest.Exec(t, db, `set global innodb_flush_log_at_trx_commit = 1`)
	mytest.Exec(t, db, `set global read_only = 1`)
	refused(lax, dsn, "read_only is ON, so nothing can be written")
	mytest.Exec(t, db, `set global read_only = 0`)
	// Some servers show settings as numbers.
	must.Get(mysqlstore.New(t.Context(), dsn, spied(lax, func(query string) string {
		return strings.Replace(query, `show variables like 'read_only'`, `select 'read_only', 0`, 1)
	})))(t).Close()
	readOnly := "transaction_read_only"
	if mariaDB(t, db) {
		readOnly = "tx_read_only"
	}
	refused(lax, mytest.With(dsn, readOnly+"=1"), "READ ONLY transaction")
	// completion_type: a commit begins a transaction, or ends the connection.
	for _, after := range []string{"1", "2"} {
		mustNew(t, mytest.With(dsn, "completion_type="+after), &mysqlstore.Options{Table: "completion" + after, Numbers: 1})
	}
	testReadOnly(t, db, dsn)
}

// testWarnings uses servers that hide settings, and users with too many privileges. The first Take
// reports this, once.
func testWarnings(t *testing.T, db *sql.DB, dsn string) {
	opts := &mysqlstore.Options{Table: "test.warnings"}
	mustNew(t, dsn, opts)
	warns := func(s *mysqlstore.Store, err error, want string) {
		t.Helper()
		must.Do(t, err)
		defer s.Close()
		suite.Take(t, s) // without Request.Warn
		told := ""
		for range 3 {
			_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now(), Warn: func(err error) { told += err.Error() + "\n" }})
			must.Do(t, err)
		}
		if want != "" {
			want = "nodelease: mysql: " + want + "\n"
		}
		if told != want {
			t.Errorf("told %q, want %q", told, want)
		}
	}
	// The server would use this anonymous user in place of the users below.
	mytest.Exec(t, db, `drop user if exists ''@localhost`)
	rights := map[string]string{"select": "", "process": "", "connection admin": "", "super": "SUPER", "read_only admin": "READ_ONLY ADMIN", "all": "ALL PRIVILEGES"}
	if !mariaDB(t, db) {
		rights = map[string]string{"select": "", "process": "", "super": "SUPER", "connection_admin": "CONNECTION_ADMIN", "all": "SUPER"}
	}
	for right, named := range rights {
		want := ""
		if named != "" {
			want = "the user may write while read_only is on (" + named + "), so a switchover can make IDs repeat: revoke that right"
		}
		for _, byRole := range []bool{false, true} {
			mytest.Exec(t, db, `create user strong; create role strength`)
			mytest.Exec(t, db, `grant select, update on test.* to strong`)
			if byRole && mariaDB(t, db) { // which also shows the privileges of roles
				mytest.Exec(t, db, `grant `+right+` on *.* to strength; grant strength to strong; set default role strength for strong`)
			} else {
				mytest.Exec(t, db, `grant `+right+` on *.* to strong`)
			}
			s, err := mysqlstore.New(t.Context(), mytest.At(t, dsn, "", "strong"), opts)
			warns(s, err, want)
			mytest.Exec(t, db, `drop user strong; drop role strength`)
		}
	}
	const hides = "the server does not show "
	mytest.Exec(t, db, `create user weak; grant select, update on test.* to weak`)
	for hidden, want := range map[string]string{
		"variables like 'innodb_flush_log_at_trx_commit'": hides + "innodb_flush_log_at_trx_commit: make sure that a crash loses no transaction",
		"variables like 'log_bin'":                        hides + "log_bin: make sure that a crash loses no transaction",
		"grants":                                          "read the user's rights: Error 1046 (3D000): No database selected: make sure that it cannot write while read_only is on",
	} {
		undone := false
		s, err := mysqlstore.New(t.Context(), mytest.At(t, dsn, "", "weak"), spied(opts, func(query string) string {
			if !undone && strings.Contains(query, " limit 0)") { // New starts again
				undone = true
				return `signal sqlstate '40001' set mysql_errno = 1213`
			}
			if query == "show grants" && hidden == "grants" {
				return "show tables" // fails, because no database is selected
			}
			return strings.ReplaceAll(query, "show "+hidden, "show variables like 'x'")
		}))
		warns(s, err, want)
	}
}

// testBetween lets the former holder of a number extend its lease after a Take has read that the
// lease has ended, but before the Take takes the number.
func testBetween(t *testing.T, db *sql.DB, dsn string) {
	const ended = `update between_ set expires = '2026-01-01'`
	opts := &mysqlstore.Options{Table: "between_", Numbers: 1}
	former := suite.Take(t, mustNew(t, dsn, opts)).Lease
	now := time.Now().UTC().Truncate(time.Microsecond)
	for name, then := range map[string]func(){
		"confirmed":      func() { must.Do(t, former.Extend(t.Context(), now)) },
		"and over again": func() { must.Do(t, former.Extend(t.Context(), now.Add(time.Hour))); mytest.Exec(t, db, ended) },
	} {
		must.Do(t, former.Extend(t.Context(), now))
		mytest.Exec(t, db, ended)
		own := spied(opts, func(query string) string {
			if strings.HasPrefix(query, "update") && strings.Contains(query, "token = '") {
				then()
			}
			return query
		})
		g, err := must.Get(mysqlstore.New(t.Context(), dsn, own))(t).Take(t.Context(), nodelease.Request{Now: now})
		if must.Fail(t, name, err, nodelease.ErrNoNumber); err == nil {
			t.Fatalf("%s: took the number with the horizon %v", name, g.Horizon)
		}
		now = now.Add(time.Hour)
	}
}

// testTakes cancels the context of each Take while the Take takes a number. The second Take finds
// the first number that it tries taken, as if another process had been faster.
func testTakes(t *testing.T, db *sql.DB, dsn string) {
	opts := &mysqlstore.Options{Table: "takes", Numbers: 4}
	mustNew(t, dsn, opts)
	updates, end := 0, func() {}
	s := must.Get(mysqlstore.New(t.Context(), dsn, spied(opts, func(query string) string {
		if strings.Contains(query, "token = '") {
			end()
			time.Sleep(10 * time.Millisecond) // time for the cancellation to take effect
			if updates++; updates == 2 {
				return strings.Replace(query, " where ", " where 1 = 0 and ", 1)
			}
		}
		return query
	})))(t)
	for _, free := range []int64{3, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		end = cancel
		if g := must.Get(s.Take(ctx, nodelease.Request{Now: time.Now()}))(t); g.Free != free {
			t.Errorf("after %d updates %d numbers are free, want %d", updates, g.Free, free)
		}
	}
}

// testCommit makes the commit of Init fail. Init must then have created nothing.
func testCommit(t *testing.T, dsn string) {
	opts := &mysqlstore.Options{Table: "commits", Numbers: 1}
	own := spied(opts, func(query string) string {
		if strings.HasPrefix(query, "commit") {
			return `signal sqlstate '45000' set message_text = 'the commit has failed'`
		}
		return query
	})
	must.Fail(t, "Init", mysqlstore.Init(t.Context(), dsn, own), nil, "the commit has failed")
	must.Do(t, mysqlstore.Init(t.Context(), dsn, opts))
}

// testAutocommit turns autocommit off in all sessions. Whatever is confirmed is committed anyway,
// and no transaction stays open.
func testAutocommit(t *testing.T, db *sql.DB, dsn string) {
	mytest.Exec(t, db, `set global autocommit = 0`)
	defer mytest.Exec(t, db, `set global autocommit = 1`)
	if auto := scan(t, mytest.Open(t, dsn), `select @@autocommit`); auto != "0" {
		t.Errorf("autocommit is %s", auto)
	}
	s := mustNew(t, dsn, &mysqlstore.Options{Table: "off", Numbers: 1})
	row := func() string {
		return scan(t, db, `select concat_ws(' ', horizon, expires > utc_timestamp()) from off where number = 0`)
	}
	g := suite.Take(t, s)
	if got := row(); got != "1" {
		t.Errorf("after Take: %s", got)
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	text := now.Format("2006-01-02 15:04:05.000000")
	must.Do(t, g.Lease.Extend(t.Context(), now))
	if got := row(); got != text+" 1" {
		t.Errorf("after Extend: %s", got)
	}
	// InnoDB may still update the new table's statistics in a transaction.
	must.Soon(t, func() error { return noTransaction(t, db) })
	must.Do(t, g.Lease.Release(t.Context(), now))
	if got := row(); got != text+" 0" {
		t.Errorf("after Release: %s", got)
	}
}

// testReadOnly turns a server into a replica, and into a primary again.
func testReadOnly(t *testing.T, db *sql.DB, dsn string) {
	mytest.Exec(t, db, `create user writer; grant select, update on test.* to writer`)
	opts := &mysqlstore.Options{Table: "test.replica", Numbers: 2}
	mustNew(t, dsn, opts)
	s := must.Get(mysqlstore.New(t.Context(), mytest.With(mytest.At(t, dsn, "", "writer"), "rejectReadOnly=true"), opts))(t)
	l := suite.Take(t, s).Lease
	mytest.Exec(t, db, `set global read_only = 1`)
	defer mytest.Exec(t, db, `set global read_only = 0`)
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	for _, err := range []error{err, l.Extend(t.Context(), time.Now().Truncate(time.Microsecond))} {
		must.Fail(t, "a server that was made read-only", err, nil, "running with the --read-only option")
	}
	must.Soon(t, func() error { // the store closes its connection, so the next call connects again
		if n := scan(t, db, `select count(*) from information_schema.processlist where user = 'writer'`); n != "0" {
			return fmt.Errorf("%s connections are open", n)
		}
		return nil
	})
	mytest.Exec(t, db, `set global read_only = 0`)
	must.Do(t, l.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
}

// spied returns options of a store whose statements are replaced by the results of see.
func spied(opts *mysqlstore.Options, see func(query string) string) *mysqlstore.Options {
	return opts.Wrapped(func(c driver.Connector) driver.Connector { return &spy{c, see} })
}

type spy struct {
	driver.Connector
	see func(query string) string
}

func (s *spy) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &spiedConn{c, s.see}, nil
}

type spiedConn struct {
	driver.Conn
	see func(query string) string
}

func (c *spiedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, c.see(query), args)
}

func (c *spiedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, c.see(query), args)
}

// TestBinaryLog starts servers that have other settings from the beginning.
func TestBinaryLog(t *testing.T) {
	t.Parallel()
	_, dsn := mytest.Start(t, "--log-bin", "--binlog-format=STATEMENT")
	db := mytest.Open(t, dsn)
	for _, v := range []string{"0", "1000"} {
		mytest.Exec(t, db, `set global sync_binlog = `+v)
		must.Fail(t, "sync_binlog", mysqlstore.Init(t.Context(), dsn, nil), nil, "sync_binlog is "+v+", so a crash can take horizons back")
	}
	mytest.Exec(t, db, `set global sync_binlog = 1`)
	s := mustNew(t, dsn, nil)

	// Requests of a call.
	questions := func() (n int) {
		must.Do(t, db.QueryRowContext(t.Context(), `show global status like 'Questions'`).Scan(new(string), &n))
		return n
	}
	// Wait until Init's connections have ended, because the server counts each end as a question.
	waitForConnections(t, db, `user = 'root'`, "2")
	var g nodelease.Grant
	for _, test := range []struct {
		name string
		want int
		call func() error
	}{
		{"Take", 3, func() (err error) { g, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()}); return err }},
		{"Extend", 2, func() error { return g.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)) }},
		{"Release", 2, func() error { return g.Lease.Release(t.Context(), time.Now().Truncate(time.Microsecond)) }},
	} {
		before := questions()
		must.Do(t, test.call())
		if got := questions() - before - 1; got != test.want {
			t.Errorf("%s is %d requests, want %d", test.name, got, test.want)
		}
	}

	_, dsn = mytest.Start(t, "--innodb-read-only")
	mytest.Open(t, dsn)
	_, err := mysqlstore.New(t.Context(), dsn, nil)
	must.Fail(t, "innodb_read_only", err, nil, "innodb_read_only is ON")
}

// testBadOptions tests names and a holder that MySQL cannot keep, and a DSN without a server.
func testBadOptions(t *testing.T, dsn string) {
	k := kind(t, dsn)
	k.BadOptions(t, map[string]suite.Options{
		"Options.Holder has 256 characters: the maximum is 255":   {Holder: strings.Repeat("ä", 256)},
		`Options.Table "a\x00b" is not UTF-8 without a NUL`:       {Name: "own.a\x00b"},
		`": MySQL names have 1 to 64 characters`:                  {Name: "own." + strings.Repeat("ä", 65)},
		`Options.Table "😀": MySQL names have 1 to 64 characters`:  {Name: "own.😀"},
		`Options.Table "": MySQL names have 1 to 64 characters`:   {Name: "own."},
		`Options.Table "a ": MySQL names have 1 to 64 characters`: {Name: "a .b"},
		`Options.Table "a.b.c" has more than a database and`:      {Name: "a.b.c"},
	})
	absent := suite.Options{Name: "absent.table"}
	must.Fail(t, "a database that is missing", k.Init(absent), nil, "prepare the table absent.table: Error 1049", "Unknown database 'absent'")
	_, err := k.New(absent)
	must.Fail(t, "a database that is missing", err, nodelease.ErrRefused, "prepare the table absent.table: there is no such table")
	_, err = mysqlstore.New(t.Context(), mytest.At(t, dsn, servers.FreePorts(1)[0], ""), nil)
	must.Fail(t, "no server", err, syscall.ECONNREFUSED, "nodelease: mysql: prepare the table node_lease: dial tcp 127.0.0.1:")
}

// testTable tests tables that other programs have created or changed, and times that the table
// cannot store.
func testTable(t *testing.T, db *sql.DB, dsn string) {
	s := mustNew(t, dsn, &mysqlstore.Options{Table: "changed", Numbers: 2})
	l := suite.Take(t, s).Lease
	must.Fail(t, "a far horizon", l.Extend(t.Context(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), nil, "not within the years 1 to 9999")
	mytest.Exec(t, db, `update ignore changed set horizon = '0000-00-00' where number = 1`)
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "no time", err, nil, `the horizon of number 1 is not a time: "0000-00-00 00:00:00.000000"`)
	mytest.Exec(t, db, `update changed set horizon = null`)

	for _, column := range []string{"horizon datetime", "horizon datetime(5)", "horizon timestamp(6) null", "expires varchar(40)", "expires datetime not null"} {
		opts := &mysqlstore.Options{Table: "rounded", Numbers: 2}
		mustNew(t, dsn, opts)
		mytest.Exec(t, db, `alter table rounded modify `+column)
		_, err := mysqlstore.New(t.Context(), dsn, opts)
		words := strings.Fields(column)
		for _, err := range []error{err, mysqlstore.Init(t.Context(), dsn, opts)} {
			must.Fail(t, column, err, nodelease.ErrRefused, "prepare the table rounded: ", "the column "+words[0]+" is "+words[1]+", not datetime(6)")
		}
		mytest.Exec(t, db, `drop table rounded`)
	}

	mytest.Exec(t, db, `create view seen as select * from changed`)
	_, err = mysqlstore.New(t.Context(), dsn, &mysqlstore.Options{Table: "seen", Numbers: 2})
	for _, err := range []error{err, mysqlstore.Init(t.Context(), dsn, &mysqlstore.Options{Table: "seen", Numbers: 2})} {
		must.Fail(t, "a view", err, nodelease.ErrRefused, "the table is a view")
	}

	k := kind(t, dsn)
	mytest.Exec(t, db, `create table foreigner (number integer primary key, note text)`)
	for table, want := range map[string]string{"foreigner": "Unknown column 'token'", "changed": "the table's engine is MyISAM, not InnoDB"} {
		if table == "changed" {
			mytest.Exec(t, db, `alter table changed engine = MyISAM`)
		}
		_, err := k.New(suite.Options{Name: table})
		for _, err := range []error{err, k.Init(suite.Options{Name: table})} {
			must.Fail(t, table, err, nodelease.ErrRefused, "prepare the table "+table, want)
		}
	}
}

// testAgain makes the server roll back statements several times, as if they conflicted with other
// sessions.
func testAgain(t *testing.T, dsn string) {
	opts := &mysqlstore.Options{Table: "again", Numbers: 1}
	mustNew(t, dsn, opts)
	for _, code := range []string{"1213", "1205", "1020", "3101"} {
		strikes := 0
		s := must.Get(mysqlstore.New(t.Context(), dsn, spied(opts, func(query string) string {
			if strikes--; strikes >= 0 {
				return `signal sqlstate '40001' set mysql_errno = ` + code
			}
			return query
		})))(t)
		strikes = 3
		g := suite.Take(t, s)
		strikes = 3
		must.Do(t, g.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
		strikes = 100
		must.Fail(t, "no end", g.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)), nil, "Error "+code)
		strikes = 3
		must.Do(t, g.Lease.Release(t.Context(), time.Time{}))
	}
}

// testByHand follows the instructions of docs/nodes.md, over a connection that is not in UTC.
func testByHand(t *testing.T, db *sql.DB, dsn string) {
	mytest.Exec(t, db, `drop user if exists ''@localhost; create database orders`)
	opts := &mysqlstore.Options{Table: "orders.node_lease"}
	mustNew(t, dsn, opts)
	config := must.Get(mysql.ParseDSN(dsn))(t)
	config.DBName = "orders"
	hand := mytest.Open(t, config.FormatDSN(), "time_zone='-5:00'")
	page := string(must.Get(os.ReadFile("../../docs/nodes.md"))(t))
	for i, test := range []struct{ before, row, after string }{
		{"", "17", ""},
		{"token = 'x', holder = 'x', expires = '9999-12-31', horizon = '2020-01-01'", "17", "1970-01-01 00:00:00.000000 2020-01-01 00:00:00.000000"},
		{"expires = utc_timestamp(6) - interval 1 second", "17", "retired 9999-12-31 00:00:00.000000 2020-01-01 00:00:00.000000"},
		{"token = 'x', holder = 'retired', expires = '9999-12-31', horizon = null", "99", "1970-01-01 00:00:00.000000 in a minute"},
	} {
		if test.before != "" {
			mytest.Exec(t, db, `update orders.node_lease set `+test.before+` where number = `+test.row)
		}
		command := regexp.MustCompile(`(?m)^mysql (?:orders )?-e (?:'([^']+)'|"([^"]+)")`).FindAllStringSubmatch(page, -1)[i]
		mytest.Exec(t, hand, command[1]+command[2])
		got := scan(t, db, `select concat_ws(' ', token, holder, expires, if(abs(timestampdiff(second, horizon, utc_timestamp() + interval 1 minute)) < 20,
			'in a minute', horizon)) from orders.node_lease where number = `+test.row)
		if test.after != "" && got != test.after {
			t.Errorf("%s: the row %s is %q, want %q", command[0], test.row, got, test.after)
		}
	}
	// The user minter has the privileges that the page lists.
	suite.Take(t, must.Get(mysqlstore.New(t.Context(), mytest.At(t, dsn, "", "minter"), opts))(t))

	// The instructions of docs/operations.md.
	mytest.Exec(t, hand, `create table orders (id bigint); insert into orders values (2126361493141196800)`)
	if got := scan(t, hand, suite.Advised(t, "SELECT from_unixtime")); got != "2026-11-27 12:04:20.5080" {
		t.Errorf("the newest id is of %s", got)
	}
	if !mariaDB(t, db) {
		return // MySQL shows locks in other tables
	}
	tx := must.Get(db.BeginTx(t.Context(), nil))(t)
	defer tx.Rollback()
	var pid, blocking string
	must.Do(t, tx.QueryRowContext(t.Context(), `select connection_id() from orders.node_lease where number = 17 for update`).Scan(&pid))
	var waiting sync.WaitGroup
	defer waiting.Wait()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	for range 2 { // the second statement also waits for the first
		waiting.Go(func() { _, _ = db.ExecContext(ctx, `update orders.node_lease set holder = 'x' where number = 17`) })
	}
	must.Soon(t, func() error {
		refresh()
		return hand.QueryRowContext(t.Context(), `select count(distinct requesting_trx_id) w from information_schema.innodb_lock_waits having w = 2`).Scan(new(int))
	})
	must.Do(t, hand.QueryRowContext(t.Context(), `select group_concat(trx_mysql_thread_id) from (`+suite.Advised(t, "SELECT trx_mysql")+`) s`).Scan(&blocking))
	if blocking != pid {
		t.Errorf("the row is locked by %s, and the page's statement says %s", pid, blocking)
	}
	mytest.Exec(t, hand, `set global idle_transaction_timeout = 60; set global idle_transaction_timeout = 0`)
}
