package pgstore_test

// Tests of a store's connections.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// dials counts the connections of a store, which are identified by a name.
type dials struct {
	atomic.Int64
	name string
}

// options returns options with which d counts the connections.
func (d *dials) options(o pgstore.Options) *pgstore.Options {
	o.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		d.Add(1)
		c.RuntimeParams["application_name"] = d.name
		return nil
	}
	return &o
}

// open waits until the given number of connections is open.
func (d *dials) open(t *testing.T, pool *pgxpool.Pool, want int) {
	t.Helper()
	must.Soon(t, func() error {
		var n int
		err := pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity where application_name = $1`, d.name).Scan(&n)
		if err == nil && n != want {
			err = fmt.Errorf("%d connections are open, want %d", n, want)
		}
		return err
	})
}

// TestConnections ends connections. A store keeps one connection, and opens another for a call that
// finds it dead or in use.
func TestConnections(t *testing.T) {
	t.Parallel()
	server, address := pgtest.Start(t)
	pool := pgtest.Open(t, address)
	dialled := &dials{name: "kept"}
	opts := dialled.options(pgstore.Options{Numbers: 8, TTL: time.Minute})
	_, err := pgstore.New(t.Context(), pgtest.URL(address), opts)
	must.Fail(t, "New before Init", err, nodelease.ErrRefused)
	dialled.open(t, pool, 0)
	s := mustNew(t, pgtest.URL(address), opts)
	dialled.open(t, pool, 1)
	if n := dialled.Load(); n != 3 {
		t.Errorf("New, Init and New have dialled %d times", n)
	}

	tx := must.Get(pool.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), `lock table node_lease`))(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { suite.Take(t, s) })
	}
	dialled.open(t, pool, 6) // no Take waits for another one
	must.Do(t, tx.Rollback(t.Context()))
	all.Wait()
	dialled.open(t, pool, 1)

	l := suite.Take(t, s).Lease
	now := time.Now().Truncate(time.Microsecond)
	extend := func() error { return l.Extend(t.Context(), now) }
	calls := []func() error{extend, func() error { suite.Take(t, s); return nil }, func() error { return l.Release(t.Context(), now) }}
	for i, call := range calls {
		pgtest.Exec(t, pool, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kept'`)
		dialled.open(t, pool, 0)
		before := dialled.Load()
		must.Do(t, call())
		if n := dialled.Load() - before; n != 1 {
			t.Errorf("call %d after the end of the connection has dialled %d times", i, n)
		}
	}

	pgtest.Exec(t, pool, `update node_lease set expires = 'epoch' where number >= 0`)
	pgtest.Exec(t, pool, `create function quit() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid(), 10000); return new; end $$`)
	pgtest.Exec(t, pool, `create trigger quit before update on node_lease for each row execute function quit()`)
	before := dialled.Load()
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	// The store opens a new connection to undo the Take.
	if must.Fail(t, "Take", err, nil, "57P01", address+": "); dialled.Load() != before+1 {
		t.Errorf("a Take whose connection has ended under it has dialled %d times", dialled.Load()-before)
	}
	pgtest.Exec(t, pool, `drop trigger quit on node_lease`)

	for range 2 {
		l = suite.Restarts(t, s, server, syscall.SIGQUIT, pool.Ping)
	}

	suite.Closes(t, s, l, server)
	dialled.open(t, pool, 0)
}

// TestLateLogin uses a server whose logins take 3 s each. A Minter gets its number, and a renewal
// over a new connection succeeds, even if each call has only 2 s.
func TestLateLogin(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t, "-c", "post_auth_delay=3")
	s := mustNew(t, pgtest.URL(address), &pgstore.Options{Numbers: 1, TTL: time.Minute})
	l, pool := suite.Take(t, s).Lease, pgtest.Open(t, address)
	for _, timeout := range []time.Duration{time.Minute, 2 * time.Second} {
		pgtest.Exec(t, pool, endOthers)
		must.Soon(t, func() error {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			return l.Extend(ctx, time.Now().Truncate(time.Microsecond))
		})
	}
}

// endOthers ends all connections but one.
const endOthers = `select pg_terminate_backend(pid, 10000) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`

// TestBeforeConnect tests hooks that change how the store connects, and the settings that the store
// makes anyway.
func TestBeforeConnect(t *testing.T) {
	t.Parallel()
	_, address := pgtest.Start(t)
	pool, url := pgtest.Open(t, address), pgtest.URL(address)
	mustNew(t, url, nil)
	open := func(before func(context.Context, *pgx.ConnConfig) error) (*pgstore.Store, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s, err := pgstore.New(ctx, url, &pgstore.Options{BeforeConnect: before})
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
	use := func(s *pgstore.Store) {
		t.Helper()
		g := suite.Take(t, s)
		now := time.Now().Truncate(time.Microsecond)
		must.Do(t, errors.Join(g.Lease.Extend(t.Context(), now), g.Lease.Release(t.Context(), now)))
	}
	t.Run("fails", func(t *testing.T) {
		_, err := open(func(context.Context, *pgx.ConnConfig) error { return errors.New("no token") })
		must.Fail(t, "no token", err, nil, "Options.BeforeConnect: no token")
		calls := 0
		s := must.Get(open(func(context.Context, *pgx.ConnConfig) error {
			if calls++; calls > 1 {
				return errors.New("no token")
			}
			return nil
		}))(t)
		pgtest.Exec(t, pool, endOthers)
		_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
		// No request was sent, so there is nothing to undo.
		if must.Fail(t, "no token", err, nil, "Options.BeforeConnect: no token"); calls != 2 {
			t.Errorf("for New and Take it was called %d times", calls)
		}
	})
	t.Run("hangs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		hangs, over := atomic.Bool{}, make(chan struct{})
		defer close(over)
		s := must.Get(open(func(context.Context, *pgx.ConnConfig) error {
			if hangs.Load() {
				cancel()
				<-over
			}
			return nil
		}))(t)
		l := suite.Take(t, s).Lease
		hangs.Store(true)
		pgtest.Exec(t, pool, endOthers)
		must.Fail(t, "it does not return", l.Extend(ctx, time.Now().Truncate(time.Microsecond)), context.Canceled, "connecting does not end")
		hangs.Store(false)
		must.Do(t, l.Release(t.Context(), time.Time{}))
	})
	// The store must not prepare statements, use another DateStyle, or use a standby.
	t.Run("is undone", func(t *testing.T) {
		pgtest.Exec(t, pool, `alter database postgres set datestyle = 'German'`)
		defer pgtest.Exec(t, pool, `alter database postgres reset datestyle`)
		for range 8 { // for all orders of a map's keys
			use(must.Get(open(func(_ context.Context, c *pgx.ConnConfig) error {
				c.DefaultQueryExecMode, c.RuntimeParams = pgx.QueryExecModeCacheStatement, map[string]string{"DATESTYLE": "SQL"}
				return nil
			}))(t))
		}
		use(must.Get(open(func(_ context.Context, c *pgx.ConnConfig) error { c.RuntimeParams = nil; return nil }))(t))
		_, err := open(func(_ context.Context, c *pgx.ConnConfig) error {
			c.RuntimeParams["default_transaction_read_only"] = "on"
			return nil
		})
		must.Fail(t, "a server that takes no writes", err, nil, "read only connection")
	})
	t.Run("a copy", func(t *testing.T) {
		for _, way := range []string{"the first", "the second"} {
			s := must.Get(open(func(_ context.Context, c *pgx.ConnConfig) error {
				if name := c.RuntimeParams["application_name"]; name != "" {
					t.Errorf("%s connection has what the former was given: %q", way, name)
				}
				c.RuntimeParams["application_name"] = way
				c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
					// A pooler may send such a warning during the login.
					c.OnNotice(nil, &pgconn.Notice{SeverityUnlocalized: "WARNING", Message: "old"})
					return nil
				}
				return nil
			}))(t)
			use(s)
			pgtest.Exec(t, pool, endOthers)
			use(s)
		}
	})
	t.Run("requests", func(t *testing.T) {
		var requests atomic.Int64
		s := must.Get(open(func(_ context.Context, c *pgx.ConnConfig) error {
			dial := c.DialFunc
			c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return counting{conn, &requests}, err
			}
			return nil
		}))(t)
		var l nodelease.Lease
		now := time.Now().Truncate(time.Microsecond)
		for i, call := range []func() error{
			func() error { l = suite.Take(t, s).Lease; return nil }, // first pings the connection
			func() error { return l.Extend(t.Context(), now) },
			func() error { return l.Release(t.Context(), now) },
		} {
			before := requests.Load()
			must.Do(t, call())
			if got, want := requests.Load()-before, []int64{2, 1, 1}[i]; got != want {
				t.Errorf("call %d is %d requests, want %d", i, got, want)
			}
		}
	})
	t.Run("two addresses", func(t *testing.T) { // the addresses share the time of each call
		var limit time.Duration
		s := must.Get(open(func(_ context.Context, c *pgx.ConnConfig) error {
			lookup, dial := c.LookupFunc, c.DialFunc
			c.LookupFunc = func(ctx context.Context, host string) ([]string, error) {
				ips, err := lookup(ctx, host)
				return append([]string{"192.0.2.1"}, ips...), err
			}
			c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				if !strings.HasPrefix(address, "192.0.2.1:") {
					return dial(ctx, network, address)
				}
				end, _ := ctx.Deadline()
				limit = time.Until(end)
				return nil, errRefused
			}
			return nil
		}))(t)
		var l nodelease.Lease
		for what, call := range []func(context.Context) error{
			func(ctx context.Context) error {
				g, err := s.Take(ctx, nodelease.Request{Now: time.Now()})
				l = g.Lease
				return err
			},
			func(ctx context.Context) error { return l.Extend(ctx, time.Now().Truncate(time.Microsecond)) },
			func(ctx context.Context) error { return l.Release(ctx, time.Time{}) },
		} {
			pgtest.Exec(t, pool, endOthers)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			limit = 0
			must.Do(t, call(ctx))
			if limit <= 0 || limit > 10500*time.Millisecond { // a Take has another second
				t.Errorf("call %d of 20 s: the first address has %v, want half", what, limit)
			}
		}
	})
	t.Run("no deadlines", func(t *testing.T) { // like a connection through SSH
		s := must.Get(open(func(_ context.Context, c *pgx.ConnConfig) error {
			dial := c.DialFunc
			c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return timeless{conn}, err
			}
			return nil
		}))(t)
		l := suite.Take(t, s).Lease
		tx := must.Get(pool.Begin(t.Context()))(t)
		defer tx.Rollback(context.Background()) // also if the test ends early
		must.Get(tx.Exec(t.Context(), `lock table node_lease`))(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		returned := make(chan error, 1)
		go func() { returned <- l.Extend(ctx, time.Now().Truncate(time.Microsecond)) }()
		must.Soon(t, func() error {
			return pool.QueryRow(t.Context(), `select 1 from pg_stat_activity where wait_event_type = 'Lock'`).Scan(new(int))
		})
		cancel()
		select {
		case err := <-returned:
			must.Fail(t, "a row that is locked", err, nil, "update number ", ": "+address+": ")
		case <-time.After(time.Minute):
			t.Error("Extend has not returned a minute after the end of its context")
		}
		must.Do(t, tx.Rollback(t.Context()))
		must.Do(t, l.Release(t.Context(), time.Time{}))
	})
}

// counting is a connection that counts the bytes sent.
type counting struct {
	net.Conn
	sent *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) { c.sent.Add(1); return c.Conn.Write(b) }

// timeless is a connection without deadlines.
type timeless struct{ net.Conn }

func (timeless) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (timeless) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (timeless) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// TestURLs tests valid URLs, and passwords that no error may show. It sets environment variables.
func TestURLs(t *testing.T) {
	_, address := pgtest.Start(t)
	url := pgtest.URL(address)
	mustNew(t, url, nil)
	host, port, _ := strings.Cut(address, ":")
	mustNew(t, url+"&pool_max_conns=3&pool_max_conn_lifetime=1m", nil)
	mustNew(t, "host="+host+" port="+port+" user=test dbname=postgres sslmode=disable", nil)
	for name, value := range map[string]string{"HOST": host, "PORT": port, "USER": "test", "DATABASE": "postgres", "SSLMODE": "disable"} {
		t.Setenv("PG"+name, value)
	}
	mustNew(t, "", nil)
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t) // never accepts a connection
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must.Get(pgstore.New(ctx, pgtest.URL(silent.Addr().String()+","+address)+"&connect_timeout=3", nil))(t).Close()
	for _, url := range []string{
		"postgres://me:s3cret@127.0.0.1:1/x", "postgres://me:s3cret@127.0.0.1/x?sslmode=no", "postgres://me:s3cret@[::1/x", "postgres://me:s3cret@h:port/x",
		"postgres://me:s3cret%zz@127.0.0.1:1/x", "postgres://me:s3 cret@127.0.0.1:1/x", "postgres:///x?password=s3cret&sslmode=no",
		"host=127.0.0.1 port=1 user=me password=s3cret", "host=127.0.0.1 port=a password='s3cret'", "password=s3cret x", "password='s3cret", "me:s3cret@h/x",
		"host=127.0.0.1 port=1 user=me password = s3cret sslmode=no", "host = h password = 's3cret' sslmode = no", "password=x s3cret=1 s3cret cret=2",
		"postgres://me@h/x?s3cret", "postgres://me:s3@cret@h/x", "postgres://me:s3@cret:x@h/x", "postgres://me@h/x?sslmode=s3cret", "postgres://me@h/x?connect_timeout=s3cret",
		"postgres://me@h/x?target_session_attrs=s3cret (cret)", "postgres://me@h/x?sslrootcert=s3cret:cret", "postgres://me@h/x?default_query_exec_mode=s3cret",
	} {
		_, err := pgstore.New(t.Context(), url, nil)
		for _, err := range []error{err, pgstore.Init(t.Context(), url, nil)} {
			if err == nil || strings.Contains(err.Error(), "s3") || strings.Contains(err.Error(), "cret") {
				t.Errorf("%s: error %v, want one without the password", url, err)
			}
		}
	}
}
