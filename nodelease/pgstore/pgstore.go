// Package pgstore leases Snowflake node numbers from PostgreSQL, for
// [github.com/oneclock/ids/nodelease].
//
// Each store has its own connection. If that connection is in use, for example because several
// Minters share the store, a call opens an additional one. The URL passed to [New] or [Init]
// specifies the server, the user and the TLS settings, in a form that [pgx.ParseConfig] accepts.
// [Options.BeforeConnect] is for settings that a URL cannot contain. The URL may point to
// PgBouncer, because the store uses no prepared statements and changes no session settings.
//
// IDs can repeat if the server loses committed data, for example because it was restored from a
// backup, or because it is a promoted replica that was not synchronous. Stop all Minters before you
// restore a backup or promote such a replica. Restart them only after one window
// ([nodelease.Options.Window]) has elapsed and every clock has passed the time of the newest ID in
// your tables.
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

// Options configures [Init] and [New]. The zero value selects the defaults. All processes that
// share a table must use the same Numbers and Layout.
type Options struct {
	// Table is the table's name. Empty means node_lease. The name may be qualified with a schema
	// name, as in schema.table. Without a schema, each connection's search_path determines which
	// table is used. If processes use different tables with the same name, IDs can repeat. Names
	// are used exactly as given, including their case. Each layout needs its own table.
	Table string
	// Holder is a name for the process. Take writes it to the row of the leased number, to help
	// people who inspect the table. If Holder is empty, Take writes the host name and the process
	// ID.
	Holder string
	// Numbers is the size of the store, which contains the node numbers from 0 to Numbers-1. Zero
	// means 1,024. The maximum is 1,048,576 or the number of nodes that Layout allows, whichever is
	// less.
	Numbers int64
	// TTL is how long a lease lasts if its holder does not renew it. The minimum is 1 s, and the
	// maximum is 365 days. Zero means 15 s.
	TTL time.Duration
	// Layout is the layout of the IDs. The zero value means Twitter's layout.
	Layout ids.SnowflakeLayout
	// AllowNoFsync allows a server with fsync=off. It is meant for tests. If the machine that runs
	// such a server crashes, IDs can repeat.
	AllowNoFsync bool
	// BeforeConnect, if not nil, is called before each connection is made. It receives a copy of
	// the configuration from the URL and may change that copy. For example, it can set a DialFunc,
	// a TLSConfig, or a Password that is a token or was read from a file. If BeforeConnect sets or
	// changes the TLSConfig, that TLSConfig applies to every host. The driver then uses this
	// TLSConfig for every attempt to connect, except through a Unix socket. Changes that
	// BeforeConnect makes to Fallbacks are preserved. To use a different CA, set a new TLSConfig.
	// With sslmode=verify-ca, the old TLSConfig would still verify certificates against the CA from
	// the URL.
	//
	// The context passed to BeforeConnect is done when the call that needs the connection is
	// canceled or times out. The call then stops waiting for BeforeConnect. So if BeforeConnect
	// hangs, each such call leaves a goroutine behind until BeforeConnect returns. BeforeConnect
	// must be safe for concurrent use. A panic in BeforeConnect ends the program. The caller cannot
	// recover from it, because BeforeConnect runs in its own goroutine.
	BeforeConnect func(context.Context, *pgx.ConnConfig) error
}

// Store is a [nodelease.Store] in one PostgreSQL table, with a row for each number. The server's
// clock determines when leases expire. The token column identifies the row's holder. Each Take
// generates a random token, which identifies the holder even after the server is restored from a
// backup. A counter would not do so, because its values would be reused after the restore. In the
// row with the number -1, the holder column contains the schema version and the layout of the IDs.
// Use [New] to create a Store.
type Store struct {
	opts   Options
	config *pgx.ConnConfig // parsed from the URL
	conns  *conns.Conns[*conn]
	table  string // quoted
}

// A timestamptz has microsecond precision, which is enough for a Minter's horizons. A NULL horizon
// means the zero time. The fillfactor leaves free space in each page, so that updated rows stay in
// their pages.
const createTable = `
create table if not exists %s (
	number   integer     primary key,
	token    text        not null default '',
	holder   text        not null default '',
	expires  timestamptz not null default 'epoch',
	horizon  timestamptz
) with (fillfactor = 50)`

// durable is an SQL condition that is used for its side effect. The condition is always true. If
// the connection's settings are too weak, evaluating the condition sets stronger ones for the
// current transaction. The commit then waits until the transaction is on disk on the server and on
// its synchronous standbys. If the server has not waited for the standbys, it sends a warning. If
// the server lacks a setting, current_setting returns NULL, which matches none of the listed
// values.
const durable = `case when current_setting('synchronous_commit', true) in ('off', 'local', 'remote_write')
	then set_config('synchronous_commit', 'on', true) = 'on' else true end
and case when current_setting('client_min_messages', true) in ('error', 'fatal', 'panic')
	then set_config('client_min_messages', 'warning', true) = 'warning' else true end`

// takeRow takes a free number. It skips rows that another session is taking at the same time. It
// considers the free rows in the order into which storekit.Prefer sorts numbers when the median is
// the zero time. No median is needed, because the statement compares the caller's clock with the
// server's. The SQL function greatest ignores NULL. takeRow finds no row if the caller's clock or
// layout is wrong, if a row is missing, or if the type of a time column was altered.
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

// readTable selects the header, the number of rows and the server's time. It fails if a column is
// missing.
const readTable = `select coalesce(max(holder) filter (where number = -1), ''), count(*) filter (where number >= 0 and number < $1),
	clock_timestamp() from (select number, token, holder, expires, horizon from %s) l`

// The condition on the token excludes a holder that has lost its number, even if the number is free
// again because the next holder's lease has expired. The condition on the horizon excludes a
// delayed statement that the current holder sent earlier. Such a statement would lower the horizon
// again.
const extendRow = `
update %s set expires = clock_timestamp() + $4::interval, horizon = $3::timestamptz
where number = $1 and token = $2 and (horizon is null or horizon <= $3::timestamptz) and ` + durable

const releaseRow = `
update %s set expires = 'epoch', horizon = $3::timestamptz, token = '', holder = ''
where number = $1 and token = $2 and ` + durable

// undoTake undoes a Take whose response was lost. The server may have carried out the Take.
const undoTake = `update %s set expires = 'epoch', token = '', holder = '' where token = $1`

// conn is a connection together with the latest warning that was received on it.
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

// dial makes a connection. It applies the store's own settings after it has called BeforeConnect.
// Unless the URL sets target_session_attrs, dial connects only to a server that accepts writes. If
// there are several hosts, it connects to the first one that accepts writes.
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
		config.DefaultQueryExecMode = pgx.QueryExecModeExec // uses no prepared statements
	}
	if config.RuntimeParams == nil {
		config.RuntimeParams = map[string]string{}
	}
	maps.DeleteFunc(config.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, "datestyle") })
	config.RuntimeParams["datestyle"] = "ISO" // the only style that pgx can parse
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

// mayLoseCommit reports whether n may be a warning that a commit is not durable. If the wait for a
// synchronous standby is canceled, for example by pg_cancel_backend or statement_timeout,
// PostgreSQL commits anyway, and only warns that the standby may not have the transaction. The text
// of the warning may be translated, so mayLoseCommit checks the name of the source file instead. If
// a server or a pooler omits the file name, mayLoseCommit returns true for every warning.
func mayLoseCommit(n *pgconn.Notice) bool {
	return n.SeverityUnlocalized == "WARNING" && (n.File == "" || strings.HasSuffix(n.File, "syncrep.c"))
}

// withConn calls f with a connection, and returns an error if the server sent a warning for which
// mayLoseCommit is true. An idle connection may be dead. If retry is true and f finds the
// connection dead, withConn calls f again with another connection. If retry is false, withConn
// pings the server before it calls f with an idle connection.
func (s *Store) withConn(ctx context.Context, retry bool, f func(context.Context, *conn) error) error {
	return s.conns.Do(ctx, func(ctx context.Context, c *conn, kept bool) (again bool, err error) {
		if kept && !retry {
			if err := c.Ping(ctx); err != nil {
				return true, err
			}
		}
		c.warning = "" // drop warnings that arrived during the login, for example from a pooler
		err = f(ctx, c)
		if err == nil && c.warning != "" {
			err = fmt.Errorf("the server warned, so its commit may be lost: %s", c.warning)
		}
		if pgcheck.IsError(err, pgcheck.InsufficientPrivilege) {
			err = faults.Refused(err)
		}
		// Add the server's address to the error. If there are several hosts, the address may show
		// that the wrong one was used.
		if err != nil && c.IsClosed() {
			err = fmt.Errorf("%s: %w", c.PgConn().Conn().RemoteAddr(), err)
		}
		return retry && c.IsClosed(), err
	})
}

// Close closes the connection without waiting for the server. Calls in progress and later calls
// fail immediately, so close the Minters first. A second call does nothing.
func (s *Store) Close() { s.conns.Close() }

// New returns a store in the database that url specifies. The url parameter is a URL, such as
// postgres://minter@db.example.com/orders, or a connection string, such as "host=db.example.com
// user=minter dbname=orders". Values that url omits, or all values if url is empty, come from the
// environment variables that psql uses, such as PGHOST and PGPASSFILE. Settings for package
// pgxpool, such as pool_max_conns, are ignored. Close the Minters before the store.
//
// If the server has only one address, the login may use all of the call's remaining time, but at
// most 30 s. If that time is not enough, the login of a Take, an Extend or a Release continues for
// up to 30 s, and a later call uses its connection, unless connect_timeout is set. If there are
// several hosts, or if a host name has several addresses, all addresses share that time. Each
// address gets an equal share of the time left, but at least 2 s if the call has that much time
// left. With more than 15 addresses, the login may take 2 s per address instead of at most 30 s in
// total. If connect_timeout is set, its value is the limit for each address instead. Setting
// connect_timeout to 0 is the same as not setting it.
//
// New needs only the SELECT and UPDATE privileges, and creates nothing. The error matches
// [nodelease.ErrRefused] if the user lacks one of these privileges, or if the table is incomplete,
// has a different version or is for a different layout. The error also matches ErrRefused if the
// table is unlogged, the table is a view or the server has fsync=off, because a crash could then
// set a horizon back. If the setting synchronous_commit is weaker than "on", the store sets it to
// "on" for its own transactions. If opts is nil, New uses the defaults.
func New(ctx context.Context, url string, opts *Options) (*Store, error) {
	s, err := open(ctx, url, opts, false)
	if err != nil {
		return nil, fmt.Errorf("nodelease: postgres: %w", err)
	}
	return s, nil
}

// Init initializes the store. Call it once, before the first process starts. If the table or some
// of its rows are missing, Init creates them. To increase Numbers, call Init again with the new
// value. If nothing is missing, Init returns an error that matches [io/fs.ErrExist]. If the table
// has a different version or layout, the error matches [nodelease.ErrRefused]. Init fails if it
// connects through a PgBouncer whose pool_mode is statement, because PgBouncer then refuses
// transactions, and Init uses one.
//
// Do not call Init each time a process starts. New and Take return an error if the table is
// incomplete, because the horizons in the missing rows may have been lost. Init would create these
// rows again without their horizons, and IDs could repeat. After such a loss, stop all Minters.
// Call Init only after one window has elapsed and every clock has passed the time of the newest ID
// in your tables.
func Init(ctx context.Context, url string, opts *Options) error {
	s, err := open(ctx, url, opts, true)
	if err != nil {
		return fmt.Errorf("nodelease: postgres: %w", err)
	}
	s.Close()
	return nil
}

// open returns a store. If first is true, open creates the missing parts of the table. Otherwise,
// it checks the table.
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
		// Do not use a transaction, because PgBouncer refuses transactions if its pool_mode is
		// statement.
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

// contents is the result of read.
type contents struct {
	header string
	rows   int64
	now    time.Time // the server's time
}

// read returns the contents of the table, or nil if there is no table. It returns an error if the
// store must not be used because of the server, the user's privileges or the table.
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

// checkComplete returns an error if the table is incomplete or has a different version or layout. A
// nil c means that there is no table, which is also an error.
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

// fill creates the table if it does not exist, and then inserts the missing rows.
func (s *Store) fill(ctx context.Context, tx pgx.Tx) error {
	// Let only one session at a time create the table, because two would conflict in the catalog.
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
		// The search_path may have caused the new table to be a temporary one. In this case, read
		// returns an error.
		if c, err = s.read(ctx, tx); err != nil {
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

// grace is the maximum time for which Take keeps trying to take a number after its context is done.
// If the result is then unknown, Take may use the same time again to undo it. If Take stopped
// immediately, the server might still lease the number. The number would then stay leased although
// no process uses it.
const grace = time.Second

// Take implements [nodelease.Store]. It returns an error if r.Now differs from the server's clock
// by more than 24 h. Otherwise, a machine with a wrong clock could move the horizons of many
// numbers, one after another. Take also returns an error if r.Layout differs from the layout of the
// store's IDs, or if a row is missing.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if ctx.Err() != nil {
		return nodelease.Grant{}, context.Cause(ctx)
	}
	graceCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if end, ok := ctx.Deadline(); ok { // lets a login divide the time among the addresses
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
		if sent && !pgconn.SafeToRetry(err) { // the server may have leased the number
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

// explainNone returns the error for a Take that found no row.
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
