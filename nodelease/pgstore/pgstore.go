// Package pgstore leases Snowflake node numbers from PostgreSQL, for
// [github.com/oneclock/ids/nodelease].
//
// A store has its own connection. The URL specifies the server, the user and the TLS settings, in
// the form that [pgx.ParseConfig] reads, and [Options.BeforeConnect] is for settings that a URL
// cannot contain. If a call finds the connection in use, for example because several Minters share
// a store, the call opens another one for itself. The URL may lead to PgBouncer, because the store
// prepares no statements and changes no session settings.
//
// IDs repeat if a server forgets committed data, for example because it is restored from a backup,
// or because it is a replica that was not synchronous. Before such a step, stop all Minters. Start
// them again a window later ([nodelease.Options.Window]), and only when every clock has passed the
// newest ID in your tables.
package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/conns"
	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/internal/pgcheck"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Options are the options of [Init] and [New]. The zero value is the default. All processes that
// share a table must agree on Numbers and Layout.
type Options struct {
	// Table is the table's name. Empty means node_lease. The name may begin with its schema and a
	// dot. Without a schema, the search_path of each connection selects the table. If processes
	// then use two tables with the same name, IDs repeat. Names are used exactly as given,
	// including their case. Each layout needs its own table.
	Table string
	// Holder is the name that Take writes into a number's row, for people who look at the table.
	// Empty means the host's name and the process ID.
	Holder string
	// Numbers determines the node numbers in the store, which are 0 to Numbers-1. Zero means 1,024.
	// The maximum is 1,048,576, or the number of nodes that Layout allows if that is less.
	Numbers int64
	// TTL is how long the store keeps a number for a holder that no longer renews its lease. The
	// minimum is 1 s, and the maximum is 365 days. Zero means 15 s.
	TTL time.Duration
	// Layout is the layout of the IDs. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// AllowNoFsync allows a server with fsync=off, for tests. If the machine of such a server
	// crashes, IDs repeat.
	AllowNoFsync bool
	// BeforeConnect, if not nil, is called before each connection is made. It may change its copy
	// of the URL's configuration, for example to set a Password from a file or a token, a DialFunc
	// or a TLSConfig. If it sets or changes the TLSConfig, the result applies to every host, and no
	// connection is tried without it, except through a Unix socket. Changes that it makes to
	// Fallbacks are kept. To use a different CA, set a new TLSConfig, because with
	// sslmode=verify-ca the old one still checks against the URL's CA.
	//
	// The context of BeforeConnect ends with the call that needs the connection. That call then no
	// longer waits for BeforeConnect. So if BeforeConnect hangs, each such call leaves a goroutine
	// behind until BeforeConnect returns. BeforeConnect must be safe for concurrent use. A panic in
	// it ends the program, because it runs in its own goroutine.
	BeforeConnect func(context.Context, *pgx.ConnConfig) error
}

// Store is a [nodelease.Store] in one PostgreSQL table, with a row for each number. Leases end by
// the server's clock. The column token, which is random for each Take, identifies the row's holder
// even after the server was restored from a backup. A counter would not, because its values would
// be reused. In the row with the number -1, the column holder contains the schema version and the
// layout of the IDs. Make a Store with [New].
type Store struct {
	opts   Options
	config *pgx.ConnConfig // parsed from the URL
	conns  *conns.Conns[*conn]
	table  string // quoted
}

// A timestamptz has a precision of microseconds, and the Minter's horizons are no more precise.
// NULL means the zero time. The fillfactor leaves space in each page, so that updated rows stay in
// their pages.
const createTable = `
create table if not exists %s (
	number   integer     primary key,
	token    text        not null default '',
	holder   text        not null default '',
	expires  timestamptz not null default 'epoch',
	horizon  timestamptz
) with (fillfactor = 50)`

// durable is a condition that is always true. As a side effect, it strengthens the transaction's
// settings if the connection's settings are weaker. The transaction then waits until its commit is
// on the disks of the server and of its synchronous standbys, and the server warns if it has not
// waited for the standbys. If the server lacks a setting, the setting is NULL, which is none of the
// listed values.
const durable = `case when current_setting('synchronous_commit', true) in ('off', 'local', 'remote_write')
	then set_config('synchronous_commit', 'on', true) = 'on' else true end
and case when current_setting('client_min_messages', true) in ('error', 'fatal', 'panic')
	then set_config('client_min_messages', 'warning', true) = 'warning' else true end`

// takeRow takes a free number. It skips rows that another session is taking at this moment. It
// prefers the same numbers as storekit.Prefer without a median. The median is not needed because
// the server has a clock. The function greatest ignores NULL. takeRow finds no row if the caller's
// clock or layout is wrong, if a row is missing, or if a column for times was altered.
const takeRow = `
with free as (
	select number from %[1]s
	where number >= 0 and number < $1 and expires <= clock_timestamp()
		and $2::timestamptz between clock_timestamp() - interval '24 hours' and clock_timestamp() + interval '24 hours'
		and exists (select from %[1]s where number = -1 and holder = $6)
		and (select count(*) from %[1]s where number >= 0 and number < $1) = $1
		and not exists (select from pg_attribute where attrelid = to_regclass($7) and ` + pgcheck.Rounding + `)
	order by greatest(horizon, $2::timestamptz), random()
	limit 1
	for update skip locked
)
update %[1]s l
set token = $5, holder = $3, expires = clock_timestamp() + $4::interval
from free where l.number = free.number and ` + durable + `
returning l.number, l.horizon, (select count(*) - 1 from %[1]s where number >= 0 and number < $1 and expires <= clock_timestamp())`

// readTable returns the table's contents, and fails if a column is missing.
const readTable = `select coalesce(max(holder) filter (where number = -1), ''), count(*) filter (where number >= 0 and number < $1),
	clock_timestamp() from (select number, token, holder, expires, horizon from %s) l`

// The token excludes a holder that has lost its number, even if the row has expired and no other
// holder has taken it yet. The comparison of horizons excludes a delayed statement from this
// holder, which would lower the horizon again.
const extendRow = `
update %s set expires = clock_timestamp() + $4::interval, horizon = $3::timestamptz
where number = $1 and token = $2 and (horizon is null or horizon <= $3::timestamptz) and ` + durable

const releaseRow = `
update %s set expires = 'epoch', horizon = $3::timestamptz, token = '', holder = ''
where number = $1 and token = $2 and ` + durable

// undoTake undoes a Take that may have been carried out although its answer was lost.
const undoTake = `update %s set expires = 'epoch', token = '', holder = '' where token = $1`

// conn is a connection and the latest warning on it.
type conn struct {
	*pgx.Conn
	warning string // latest warning for which mayLoseCommit is true
}

// Close ends the connection.
func (c *conn) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Conn.Close(ctx)
}

// dial makes a connection. It sets the store's own settings after BeforeConnect. Unless the URL has
// target_session_attrs, dial connects only to a server that accepts writes. If there are several
// hosts, it connects to the first one that does.
func (s *Store) dial(ctx context.Context) (*conn, error) {
	config := s.config.Copy()
	if s.opts.BeforeConnect != nil {
		was, from := config.TLSConfig, tlsOf(config, s.config)
		if err := s.opts.BeforeConnect(ctx, config); err != nil {
			return nil, fmt.Errorf("Options.BeforeConnect: %w", err)
		}
		spreadTLS(config, was, from)
	}
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if config.DefaultQueryExecMode != pgx.QueryExecModeSimpleProtocol {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec // prepares nothing
	}
	if config.RuntimeParams == nil {
		config.RuntimeParams = map[string]string{}
	}
	maps.DeleteFunc(config.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, "datestyle") })
	config.RuntimeParams["datestyle"] = "ISO" // the only style that pgx reads
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler { return deadline{c.Conn()} }
	c, onNotice := new(conn), config.OnNotice
	config.OnNotice = func(pg *pgconn.PgConn, n *pgconn.Notice) {
		if mayLoseCommit(n) {
			c.warning = n.Message
		}
		if onNotice != nil {
			onNotice(pg, n)
		}
	}
	var err error
	c.Conn, err = connect(ctx, config)
	return c, err
}

// mayLoseCommit reports whether n may mean that a commit is not durable. If the wait for a
// synchronous standby is canceled, for example by pg_cancel_backend or statement_timeout,
// PostgreSQL commits anyway, and only warns that the standby may not have the transaction. The
// warning's text is translated, but its file name is not. If a server or a pooler omits the file
// name, mayLoseCommit returns true for every warning.
func mayLoseCommit(n *pgconn.Notice) bool {
	return n.SeverityUnlocalized == "WARNING" && (n.File == "" || strings.HasSuffix(n.File, "syncrep.c"))
}

// withConn calls f with a connection, and returns an error if the server sent a warning for which
// mayLoseCommit is true. The kept connection may be dead. If retry is true and f finds it dead,
// withConn calls f once more with another connection. If retry is false, withConn pings the server
// before it calls f.
func (s *Store) withConn(ctx context.Context, retry bool, f func(context.Context, *conn) error) error {
	return s.conns.Do(ctx, func(ctx context.Context, c *conn, kept bool) (again bool, err error) {
		if kept && !retry {
			if err := c.Ping(ctx); err != nil {
				return true, err
			}
		}
		c.warning = "" // drop a warning from the login, for example through a pooler
		err = f(ctx, c)
		if err == nil && c.warning != "" {
			err = fmt.Errorf("the server warned, so its commit may be lost: %s", c.warning)
		}
		if pgcheck.IsError(err, pgcheck.InsufficientPrivilege) {
			err = faults.Refused(err)
		}
		// Add the server's address. If there are several hosts, this may be one that should not be
		// used.
		if err != nil && c.IsClosed() {
			err = fmt.Errorf("%s: %w", c.PgConn().Conn().RemoteAddr(), err)
		}
		return retry && c.IsClosed(), err
	})
}

// Close closes the connection without waiting for the server. Calls in progress and later calls
// fail immediately, so close the Minters first. A second call does nothing.
func (s *Store) Close() { s.conns.Close() }

// New returns a store in the database that url specifies. url is a URL, such as
// postgres://minter@db.example.com/orders, or a connection string, such as "host=db.example.com
// user=minter dbname=orders". Values that url omits, or all values if url is empty, come from the
// environment variables of psql, such as PGHOST and PGPASSFILE. Settings for package pgxpool, such
// as pool_max_conns, are ignored. Close the store after the Minters.
//
// If there is only one address, a login may take as long as the call, but at most 30 s. If there
// are several addresses, for several hosts or for one host name, they share that time. Each gets
// its share of the time left, and at least 2 s if the call has that much time left. With more than
// 15 addresses, the limit is 2 s for each of them instead of 30 s. If connect_timeout is set, each
// address gets that time instead. A connect_timeout of 0 means the default.
//
// New needs only the rights to select and update, and creates nothing. The error matches
// [nodelease.ErrRefused] if the user lacks these rights, or if the table is incomplete, has a
// different version or is for a different layout. It also matches if a crash could set a horizon
// back, because the table is unlogged, because it is a view, or because the server has fsync=off.
// If synchronous_commit is weaker than on, the store sets it to on for its own transactions. Nil
// options mean the default.
func New(ctx context.Context, url string, opts *Options) (*Store, error) {
	s, err := open(ctx, url, opts, false)
	if err != nil {
		return nil, fmt.Errorf("nodelease: postgres: %w", err)
	}
	return s, nil
}

// Init initializes the store. Call it once, before the first process starts. It creates the table
// and the rows that are missing. To increase Numbers, call Init again with the new value. If
// nothing is missing, it returns an error that matches [io/fs.ErrExist]. If the table has a
// different version or layout, the error matches [nodelease.ErrRefused]. Init uses a transaction,
// which PgBouncer refuses if its pool_mode is statement.
//
// Do not call Init at every start. New and Take refuse an incomplete table, because a store that
// has lost horizons would let IDs repeat. After such a loss, stop all Minters. Call Init a window
// later, and only when every clock has passed the newest ID in your tables.
func Init(ctx context.Context, url string, opts *Options) error {
	s, err := open(ctx, url, opts, true)
	if err != nil {
		return fmt.Errorf("nodelease: postgres: %w", err)
	}
	s.Close()
	return nil
}

// open returns a store after checking its table or, if first is true, after creating the missing
// parts.
func open(ctx context.Context, url string, opts *Options, first bool) (*Store, error) {
	s := new(Store)
	if opts != nil {
		s.opts = *opts
	}
	if err := storekit.Complete(&s.opts.Holder, &s.opts.Numbers, &s.opts.TTL, s.opts.Layout); err != nil {
		return nil, err
	}
	s.opts.Table = cmp.Or(s.opts.Table, "node_lease")
	var err error
	if s.table, err = pgcheck.Table(s.opts.Table); err != nil {
		return nil, err
	}
	s.config, err = pgx.ParseConfig(url)
	if err = pgcheck.CheckURL(url, s.config, err); err != nil {
		return nil, err
	}
	maps.DeleteFunc(s.config.RuntimeParams, func(name, _ string) bool { return strings.HasPrefix(name, "pool_") })
	s.conns = conns.New(s.dial)
	err = s.withConn(ctx, false, func(ctx context.Context, c *conn) error {
		if first {
			return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return s.fill(ctx, tx) })
		}
		// There is no transaction, because PgBouncer refuses one if its pool_mode is statement.
		found, err := s.read(ctx, c)
		if err == nil {
			err = s.checkComplete(found, s.opts.Layout)
		}
		return err
	})
	if err != nil { // no connection is kept after an error
		return nil, fmt.Errorf("prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// querier is a connection or a transaction.
type querier interface {
	pgcheck.Asker
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// contents contains what read has found in a table.
type contents struct {
	header string
	rows   int64
	now    time.Time // the server's time
}

// read returns the table's contents, or nil if there is no table. It returns an error if the store
// must refuse the server, the user's rights or the table.
func (s *Store) read(ctx context.Context, a querier) (*contents, error) {
	all, err := pgcheck.Look(ctx, a, s.table)
	if err == nil {
		err = all.Err(s.opts.AllowNoFsync)
	}
	var there bool
	if err == nil {
		err = a.QueryRow(ctx, `select to_regclass($1) is not null`, s.table).Scan(&there)
	}
	if err != nil || !there {
		return nil, err
	}
	c := new(contents)
	err = a.QueryRow(ctx, fmt.Sprintf(readTable, s.table), s.opts.Numbers).Scan(&c.header, &c.rows, &c.now)
	if pgcheck.IsError(err, pgcheck.UndefinedColumn) {
		err = faults.Refused(fmt.Errorf("%w: another version of package nodelease made the table, or another program", err))
	}
	return c, err
}

// checkComplete returns an error if c, which read has returned, is nil, is incomplete, or has a
// different version or layout.
func (s *Store) checkComplete(c *contents, l ids.SnowflakeLayout) error {
	switch {
	case c == nil:
		return storekit.Missing("there is no such table", hint)
	case c.rows < s.opts.Numbers:
		return storekit.Missing(fmt.Sprintf("the table lacks %d of %d rows", s.opts.Numbers-c.rows, s.opts.Numbers), hint)
	case c.header == "":
		return storekit.Missing("there is no row of the number -1", hint)
	}
	return storekit.CheckHeader(headerPlace, c.header, storekit.Header(l))
}

// fill creates the missing parts.
func (s *Store) fill(ctx context.Context, tx pgx.Tx) error {
	// Two sessions that create the same table at the same time collide in the catalog, so they take
	// turns.
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext($1))`, s.table); err != nil {
		return err
	}
	c, err := s.read(ctx, tx)
	if err != nil {
		return err
	}
	if c == nil {
		if _, err := tx.Exec(ctx, fmt.Sprintf(createTable, s.table)); err != nil {
			return err
		}
		if c, err = s.read(ctx, tx); err != nil { // the search_path may have made it temporary
			return err
		}
	}
	own := storekit.Header(s.opts.Layout)
	if c.header != "" {
		if err := storekit.CheckHeader(headerPlace, c.header, own); err != nil {
			return err
		}
		if c.rows == s.opts.Numbers {
			return storekit.ErrMade
		}
	}
	_, err = tx.Exec(ctx, `insert into `+s.table+` as l (number, holder, expires)
		select n, case when n < 0 then $2::text else '' end, case when n < 0 then 'infinity'::timestamptz else 'epoch' end
		from generate_series(-1, $1::int - 1) n where `+durable+`
		on conflict (number) do update set holder = excluded.holder where l.number = -1 and l.holder = ''`, s.opts.Numbers, own)
	return err
}

const (
	hint        = "call pgstore.Init, or run leases init"
	headerPlace = "the column holder of the number -1"
)

// grace is how long a Take continues after its context has ended. If Take were cut off immediately,
// the server could still carry it out, and the number would stay leased although no process uses
// it.
const grace = time.Second

// Take implements [nodelease.Store]. It returns an error if r.Now differs from the server's clock
// by more than 24 h, so that the wrong clock of one machine cannot move the horizons of one number
// after another. It also returns an error if r.Layout differs from the layout of the store's IDs,
// or while a row is missing.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if ctx.Err() != nil {
		return nodelease.Grant{}, context.Cause(ctx)
	}
	graceCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if end, ok := ctx.Deadline(); ok { // for a login, which shares the time among addresses
		graceCtx, cancel = context.WithDeadline(graceCtx, end.Add(grace))
		defer cancel()
	}
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	l := &lease{store: s, token: ids.NewV4().String()}
	g := nodelease.Grant{TTL: s.opts.TTL, FreeKnown: true, Lease: l}
	var horizon zeronull.Timestamptz
	var sent, noRow bool
	err := s.withConn(graceCtx, false, func(ctx context.Context, c *conn) error {
		sent = true
		take := fmt.Sprintf(takeRow, s.table)
		err := c.QueryRow(ctx, take, s.opts.Numbers, r.Now, s.opts.Holder, s.opts.TTL, l.token, storekit.Header(r.Layout), s.table).
			Scan(&l.number, &horizon, &g.Free)
		if noRow = errors.Is(err, pgx.ErrNoRows); noRow {
			err = nil
		}
		return err
	})
	if noRow {
		return nodelease.Grant{}, s.explainNone(graceCtx, r)
	}
	if err != nil {
		if sent && !pgconn.SafeToRetry(err) { // it may have been carried out
			undoCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
			defer cancel()
			_ = s.withConn(undoCtx, true, func(ctx context.Context, c *conn) error {
				_, err := c.Exec(ctx, fmt.Sprintf(undoTake, s.table), l.token)
				return err
			})
		}
		return nodelease.Grant{}, fmt.Errorf("nodelease: postgres: take a number: %w", err)
	}
	g.Number, g.Horizon = l.number, time.Time(horizon).UTC()
	return g, nil
}

// explainNone returns the reason why there was no row to take.
func (s *Store) explainNone(ctx context.Context, r nodelease.Request) error {
	err := s.withConn(ctx, true, func(ctx context.Context, c *conn) error {
		found, err := s.read(ctx, c)
		if err == nil {
			err = s.checkComplete(found, r.Layout)
		}
		if err == nil {
			err = storekit.CheckNow(r.Now, "the server's", found.now)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("nodelease: postgres: take a number from the table %s: %w", s.opts.Table, err)
	}
	return nodelease.ErrNoNumber
}

type lease struct {
	store  *Store
	number int64
	token  string
}

// Extend implements [nodelease.Lease].
func (l *lease) Extend(ctx context.Context, horizon time.Time) error {
	return l.update(ctx, extendRow, horizon, l.store.opts.TTL)
}

// Release implements [nodelease.Lease].
func (l *lease) Release(ctx context.Context, horizon time.Time) error {
	return l.update(ctx, releaseRow, horizon)
}

func (l *lease) update(ctx context.Context, sql string, horizon time.Time, more ...any) error {
	args := []any{l.number, l.token, zeronull.Timestamptz(horizon)}
	var tag pgconn.CommandTag
	err := l.store.withConn(ctx, true, func(ctx context.Context, c *conn) (err error) {
		tag, err = c.Exec(ctx, fmt.Sprintf(sql, l.store.table), append(args, more...)...)
		return err
	})
	if err != nil {
		return fmt.Errorf("nodelease: postgres: update number %d: %w", l.number, err)
	}
	if tag.RowsAffected() == 0 {
		return nodelease.ErrLost
	}
	return nil
}
