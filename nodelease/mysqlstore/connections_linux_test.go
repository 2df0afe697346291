package mysqlstore_test

// Tests of a store's connections.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/mysqlstore"
)

// open waits until the user leases has the given number of open connections.
func open(t *testing.T, db *sql.DB, want string) {
	t.Helper()
	waitForConnections(t, db, `user = 'leases'`, want)
}

// waitForConnections waits until the given number of open connections meet the condition.
func waitForConnections(t *testing.T, db *sql.DB, condition, want string) {
	t.Helper()
	must.Soon(t, func() error {
		var n string
		err := db.QueryRowContext(t.Context(), `select count(*) from information_schema.processlist where `+condition).Scan(&n)
		if err == nil && n != want {
			err = fmt.Errorf("%s connections with %s are open, want %s", n, condition, want)
		}
		return err
	})
}

// kill ends the newest connection that meets the condition. It waits until the server has closed
// the connection, because until then a call can still send a request on it.
func kill(t *testing.T, db *sql.DB, condition string) {
	t.Helper()
	id := scan(t, db, `select max(id) from information_schema.processlist where `+condition)
	mytest.Exec(t, db, `kill connection `+id)
	waitForConnections(t, db, `id = `+id, "0")
}

// TestConnections ends connections. A store keeps one connection, and opens another for a call that
// finds it dead or in use.
func TestConnections(t *testing.T) {
	t.Parallel()
	server, dsn := mytest.Start(t, "--skip-name-resolve")
	db := mytest.Open(t, dsn)
	mytest.Exec(t, db, `drop user if exists ''@localhost; create user leases; grant all on test.* to leases`)
	own := mytest.At(t, dsn, "", "leases")
	var dialled atomic.Int64
	// Each of six simultaneous Takes tries some of the numbers, and returns ErrNoNumber if the
	// other Takes have taken these.
	opts := &mysqlstore.Options{Table: "test.kept", Numbers: 256, TTL: time.Minute, BeforeConnect: func(context.Context, *mysql.Config) error {
		dialled.Add(1)
		return nil
	}}
	_, err := mysqlstore.New(t.Context(), own, opts)
	must.Fail(t, "New before Init", err, nodelease.ErrRefused)
	open(t, db, "0")
	s := mustNew(t, own, opts)
	open(t, db, "1")
	if n := dialled.Load(); n != 3 {
		t.Errorf("New, Init and New have dialled %d times", n)
	}

	locks := must.Get(db.Conn(t.Context()))(t)
	defer locks.Close()
	must.Get(locks.ExecContext(t.Context(), `lock tables test.kept write`))(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { suite.Take(t, s) })
	}
	open(t, db, "6") // no Take waits for another one
	must.Get(locks.ExecContext(t.Context(), `unlock tables`))(t)
	all.Wait()
	open(t, db, "1")

	l := suite.Take(t, s).Lease
	now := time.Now().UTC().Truncate(time.Microsecond)
	extend := func() error { return l.Extend(t.Context(), now) }
	calls := []func() error{extend, func() error { suite.Take(t, s); return nil }, func() error { return l.Release(t.Context(), now) }}
	for i, call := range calls {
		kill(t, db, `user = 'leases'`)
		before := dialled.Load()
		must.Do(t, call())
		if n := dialled.Load() - before; n != 1 {
			t.Errorf("call %d after the end of the connection has dialled %d times", i, n)
		}
	}

	mytest.Exec(t, db, `update test.kept set expires = '1970-01-01' where number >= 0`)
	takes := 0
	ended := must.Get(mysqlstore.New(t.Context(), dsn, spied(opts, func(query string) string {
		if strings.Contains(query, "set token = '") {
			takes++
			return `kill connection_id()`
		}
		return query
	})))(t)
	_, err = ended.Take(t.Context(), nodelease.Request{Now: time.Now()})
	if must.Fail(t, "Take", err, nil, "Error 1"); takes != 1 {
		t.Errorf("a Take whose connection has ended under it was made %d times", takes)
	}
	ended.Close()

	l = suite.Restarts(t, s, server, syscall.SIGKILL, db.PingContext)
	suite.Closes(t, s, l, server)
	open(t, db, "0")
}

// TestBeforeConnect tests hooks that change how the store connects, and the settings that the store
// makes anyway.
func TestBeforeConnect(t *testing.T) {
	t.Parallel()
	_, dsn := mytest.Start(t)
	db := mytest.Open(t, dsn)
	mustNew(t, dsn, nil)
	open := func(dsn string, before func(context.Context, *mysql.Config) error) (*mysqlstore.Store, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, err := mysqlstore.New(ctx, dsn, &mysqlstore.Options{BeforeConnect: before})
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
	t.Run("fails", func(t *testing.T) {
		_, err := open(dsn, func(context.Context, *mysql.Config) error { return errors.New("no token") })
		must.Fail(t, "no token", err, nil, "Options.BeforeConnect: no token")
	})
	t.Run("hangs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		hangs, over := atomic.Bool{}, make(chan struct{})
		defer close(over)
		s := must.Get(open(dsn, func(context.Context, *mysql.Config) error {
			if hangs.Load() {
				cancel()
				<-over
			}
			return nil
		}))(t)
		l := suite.Take(t, s).Lease
		hangs.Store(true)
		kill(t, db, `id <> connection_id()`)
		must.Fail(t, "it does not return", l.Extend(ctx, time.Now().Truncate(time.Microsecond)), context.Canceled, "connecting does not end")
		hangs.Store(false)
		must.Do(t, l.Release(t.Context(), time.Time{}))
	})
	t.Run("a copy", func(t *testing.T) {
		s := must.Get(open(dsn, func(_ context.Context, c *mysql.Config) error {
			if _, silent := c.Logger.(*mysql.NopLogger); !silent || c.ConnectionAttributes != "" {
				t.Errorf("a connection has the logger %T, and what the former was given: %q", c.Logger, c.ConnectionAttributes)
			}
			c.ConnectionAttributes = "way:first"
			return nil
		}))(t)
		for range 2 {
			suite.Take(t, s)
			kill(t, db, `id <> connection_id()`)
		}
	})
	t.Run("a whole configuration", func(t *testing.T) { // replaces the values from the DSN
		own := must.Get(mysql.ParseDSN(dsn))(t)
		var seen []*mysql.Config
		for range 2 {
			s := must.Get(open("", func(_ context.Context, c *mysql.Config) error {
				*c = *own
				c.RejectReadOnly = true
				seen = append(seen, c)
				return nil
			}))(t)
			g := suite.Take(t, s)
			now := time.Now().Truncate(time.Microsecond)
			must.Do(t, errors.Join(g.Lease.Extend(t.Context(), now), g.Lease.Release(t.Context(), now)))
		}
		if len(seen) != 2 || seen[0] == seen[1] || seen[0].RejectReadOnly {
			t.Errorf("configurations %v, want two, without RejectReadOnly", seen)
		}
	})
}

// TestTimeLimit uses servers that accept a connection but send nothing, and networks that drop
// everything.
func TestTimeLimit(t *testing.T) {
	for dsn, want := range map[string]time.Duration{"me@tcp(db)/x": 2 * time.Second, "me@tcp(db)/x?timeout=1s": time.Second, "me@tcp(db)/x?timeout=40s": 40 * time.Second} {
		for _, lost := range []bool{false, true} {
			must.Bubble(t, func(t *testing.T) {
				began := time.Now()
				_, err := mysqlstore.New(context.Background(), dsn, &mysqlstore.Options{BeforeConnect: func(_ context.Context, c *mysql.Config) error {
					c.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
						if lost {
							<-ctx.Done()
							return nil, ctx.Err()
						}
						client, server := net.Pipe()
						t.Cleanup(func() { server.Close() })
						return client, nil
					}
					return nil
				}})
				must.Fail(t, dsn, err, context.DeadlineExceeded, "no login within "+want.String())
				if took := time.Since(began); took != want {
					t.Errorf("%s: New returned after %v, want %v", dsn, took, want)
				}
			})
		}
	}
}

// TestEndedLogin uses a driver that returns a connection although the time for the login has ended.
// The real driver may have closed such a connection.
func TestEndedLogin(t *testing.T) {
	must.Bubble(t, func(t *testing.T) {
		ended := new(endedConn)
		opts := mysqlstore.Options{}.Wrapped(func(driver.Connector) driver.Connector { return ended })
		_, err := mysqlstore.New(context.Background(), "me@tcp(db)/x", opts)
		must.Fail(t, "New", err, context.DeadlineExceeded, "no login within 2s")
		if !ended.closed {
			t.Error("the connection is open")
		}
	})
}

// endedConn is a connection and its own connector.
type endedConn struct {
	driver.Connector
	driver.Conn
	closed bool
}

func (c *endedConn) Connect(ctx context.Context) (driver.Conn, error) { <-ctx.Done(); return c, nil }
func (c *endedConn) Prepare(string) (driver.Stmt, error)              { return nil, driver.ErrBadConn }
func (c *endedConn) Close() error                                     { c.closed = true; return nil }

// TestDSNs tests DSNs whose password no error may show.
func TestDSNs(t *testing.T) {
	for _, dsn := range []string{
		"me:s3cret@tcp(127.0.0.1:1)/x", "me:s3cret@tcp(127.0.0.1:1)", "me:s3cret@127.0.0.1:1/x", "me:s3cret/x", "me:s3cret/tcp(127.0.0.1:1)/x", "me:s3cret(/x",
		"me:s3cret@tcp(127.0.0.1:1)/x?tls=no", "me:s3cret@tcp(127.0.0.1:1)/x?timeout=2", "me:s3cret@tcp(127.0.0.1:1/x", "mysql://me:s3cret@127.0.0.1:1/x",
		"me:s3cret@/x?password=%zz", "@me:s3cret/x", "me@tcp:s3cret/x",
	} {
		_, err := mysqlstore.New(t.Context(), dsn, nil)
		for _, err := range []error{err, mysqlstore.Init(t.Context(), dsn, nil)} {
			if err == nil || strings.Contains(err.Error(), "s3") {
				t.Errorf("%s: error %v, want one without the password", dsn, err)
			}
		}
	}
	_, err := mysqlstore.New(t.Context(), "nowhere", nil)
	must.Fail(t, "a DSN", err, nil, "nodelease: mysql: the DSN does not have the form user:password@tcp(host:port)/database?name=value")
}
