// Package pgstore leases Snowflake node numbers from PostgreSQL, for [github.com/oneclock/ids/nodelease].
//
// A store has a connection of its own. The URL names the server, the user and TLS, as [pgx.ParseConfig] reads it;
// [Options.BeforeConnect] has what a URL cannot say. A call that finds the connection taken, as where several Minters share
// a store, makes another one for itself. The URL may lead to PgBouncer: the store prepares no statements, and sets nothing in a
// session.
//
// A server that forgets what it has committed makes ids repeat: one that is restored from a backup, or a
// replica that was not synchronous. Stop all minters before such a step, and start them a window later, and once
// every clock has passed the newest id in your tables.
package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
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

// Options are the options of [Init] and [New]. The zero value is the default. All processes that share a table
// must agree on Numbers and Layout.
type Options struct {
	// Table is the table's name. Empty means node_lease. It may begin with its schema and a dot: without
	// it, the search_path of each connection decides, and processes with two tables of one name repeat
	// ids. Names are taken as they are, case and all. Two layouts need two tables.
	Table string
	// Holder is the name in the table beside the number held, for people who look. Empty means the
	// host's name and the process's number.
	Holder string
	// Numbers is how many numbers there are: 0 to Numbers-1. Zero means 1,024. At most 1,048,576, and no more than ids
	// of Layout can have.
	Numbers int64
	// TTL is how long a number is kept for a holder that falls silent, a second to 365 days. Zero means 15 s.
	TTL time.Duration
	// Layout is that of the ids. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// AllowNoFsync allows a server with fsync=off, for tests: a crash of its machine makes ids repeat.
	AllowNoFsync bool
	// BeforeConnect, unless it is nil, is called before each connection is made. It may change its copy
	// of the URL's configuration: a Password from a file or a token, a DialFunc, a TLSConfig. A TLSConfig
	// that it sets or changes holds for every host, and no connection is tried without it, except
	// through a Unix socket. What it sets in Fallbacks stays. Set a new TLSConfig for another CA,
	// because under sslmode=verify-ca the old one keeps checking against the URL's.
	//
	// Its context ends with the call that needs the connection. The call then no longer waits for it, so
	// each call that finds it hanging leaves a goroutine behind until it returns. It must be safe for
	// concurrent use. A panic in it ends the program, because it runs in a goroutine of its own.
	BeforeConnect func(context.Context, *pgx.ConnConfig) error
}

// Store is a [nodelease.Store] in one PostgreSQL table, with a row for each number. Leases end by
// the server's clock. The column token, which is random for each Take, says whose the row is: also after
// the server was put back to a backup, where a count would occur again. In the row of the number -1, the
// column holder has the version of the schema and the layout of the ids. Make one with [New].
type Store struct {
	opts   Options
	config *pgx.ConnConfig // of the URL
	conns  *conns.Conns[*conn]
	table  string // quoted
}

// A timestamptz holds microseconds: the Minter makes no finer horizons. NULL is the zero time. The
// fillfactor keeps updates within their pages.
const createTable = `
create table if not exists %s (
	number   integer     primary key,
	token    text        not null default '',
	holder   text        not null default '',
	expires  timestamptz not null default 'epoch',
	horizon  timestamptz
) with (fillfactor = 50)`

// durable holds always. It has the transaction wait until its commit is on the disks of the server and of its
// synchronous standbys, and the server say if it has not, where the connection's settings are not to. Where
// the server lacks a setting it is null, and so none of these.
const durable = `case when current_setting('synchronous_commit', true) in ('off', 'local', 'remote_write')
	then set_config('synchronous_commit', 'on', true) = 'on' else true end
and case when current_setting('client_min_messages', true) in ('error', 'fatal', 'panic')
	then set_config('client_min_messages', 'warning', true) = 'warning' else true end`

// takeRow skips rows that another session is taking at this moment, and prefers as storekit.Prefer does without a median,
// which the server's clock makes needless: greatest ignores NULL. It finds none if the caller's clock or layout is wrong, a row is
// missing, or somebody has altered a column of times.
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

// readTable tells what the table holds, and that it has all columns.
const readTable = `select coalesce(max(holder) filter (where number = -1), ''), count(*) filter (where number >= 0 and number < $1),
	clock_timestamp() from (select number, token, holder, expires, horizon from %s) l`

// The token shuts out a holder that has lost its number, even if the row has expired and nobody else has wanted it
// yet. The comparison of horizons shuts out a delayed statement of this holder, which would lower the horizon again.
const extendRow = `
update %s set expires = clock_timestamp() + $4::interval, horizon = $3::timestamptz
where number = $1 and token = $2 and (horizon is null or horizon <= $3::timestamptz) and ` + durable

const releaseRow = `
update %s set expires = 'epoch', horizon = $3::timestamptz, token = '', holder = ''
where number = $1 and token = $2 and ` + durable

// undoTake undoes a Take that may have been carried out although its answer was lost.
const undoTake = `update %s set expires = 'epoch', token = '', holder = '' where token = $1`

// conn is a connection.
type conn struct {
	*pgx.Conn
	warning string // the latest that counts
}

// Close ends the connection.
func (c *conn) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Conn.Close(ctx)
}

// dial makes a connection. What the store needs is set after BeforeConnect. Unless the URL has target_session_attrs,
// connections are to a server that takes writes: of several hosts the first that does.
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
	config.RuntimeParams["datestyle"] = "ISO" // the only one that pgx reads
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

// mayLoseCommit reports whether n may say that a commit is not durable. If somebody cancels the wait for a synchronous standby
// (pg_cancel_backend, statement_timeout), PostgreSQL commits, and only warns that the standby may not have the transaction.
// The text is translated, the file is not. A server or pooler that tells none may mean any.
func mayLoseCommit(n *pgconn.Notice) bool {
	return n.SeverityUnlocalized == "WARNING" && (n.File == "" || strings.HasSuffix(n.File, "syncrep.c"))
}

// deadline ends what goes on over a connection when the context of a call ends. A connection that knows no deadlines, as one
// through SSH, it closes.
type deadline struct{ net.Conn }

func (d deadline) HandleCancel(context.Context) {
	if d.SetDeadline(time.Unix(1, 0)) != nil {
		d.Close()
	}
}

func (d deadline) HandleUnwatchAfterCancel() { _ = d.SetDeadline(time.Time{}) }

// withConn calls f with a connection, and takes a warning that counts for an error. The kept connection may be dead: if twice, f is
// called once more with another one, and otherwise the server is asked before.
func (s *Store) withConn(ctx context.Context, retry bool, f func(context.Context, *conn) error) error {
	return s.conns.Do(ctx, func(ctx context.Context, c *conn, kept bool) (again bool, err error) {
		if kept && !retry {
			if err := c.Ping(ctx); err != nil {
				return true, err
			}
		}
		c.warning = "" // of the login, as through a pooler
		err = f(ctx, c)
		if err == nil && c.warning != "" {
			err = fmt.Errorf("the server has warned, so what it did may not last: %s", c.warning)
		}
		if pgcheck.IsError(err, pgcheck.InsufficientPrivilege) {
			err = faults.Refused(err)
		}
		if err != nil && c.IsClosed() { // of several hosts, perhaps one that should not be used
			err = fmt.Errorf("%s: %w", c.PgConn().Conn().RemoteAddr(), err)
		}
		return retry && c.IsClosed(), err
	})
}

// Close closes the connection, without waiting for the server. Calls under way and later ones fail at once, so close the
// Minters before. A second call does nothing.
func (s *Store) Close() { s.conns.Close() }

// New returns a store in the database that a URL names, such as postgres://minter@db.example.com/orders, or a text such as
// "host=db.example.com user=minter dbname=orders". Where that says nothing, or is empty, the variables of psql count
// (PGHOST, PGPASSFILE and so on). What it says to package pgxpool, such as pool_max_conns, is ignored. Close the store after
// the Minters.
//
// A login at one address has the time of the call, and at most 30 s. Several addresses, of several hosts
// or of one name, share that time: each has its part of what is left, and at least 2 s. With
// connect_timeout, each address has that time instead; 0 means the default.
//
// New needs no more than the right to select and update, and makes nothing: if the user lacks that, or if the table is not
// complete, of another version or for another layout, the error matches [nodelease.ErrRefused]. So it does for what lets a
// crash take a horizon back: an unlogged table, a view, and a server with fsync=off. Where synchronous_commit is weaker
// than on, the store's own transactions set it. Nil options mean the default.
func New(ctx context.Context, url string, opts *Options) (*Store, error) {
	s, err := open(ctx, url, opts, false)
	if err != nil {
		return nil, fmt.Errorf("nodelease: postgres: %w", err)
	}
	return s, nil
}

// Init makes the store, once, before the first process starts: the table, and the rows that are missing. More Numbers
// than before are made by Init too. If nothing is missing, it returns an error that matches [io/fs.ErrExist]; if
// the table is of another version or layout, one that matches [nodelease.ErrRefused]. It needs a transaction, which
// PgBouncer's pool_mode statement refuses.
//
// Do not call it at every start. New and Take refuse a table that is not complete, since a store that has lost
// horizons would let ids repeat: after such a loss, stop all minters, and call Init a window later, and once every clock has
// passed the newest id in your tables.
func Init(ctx context.Context, url string, opts *Options) error {
	s, err := open(ctx, url, opts, true)
	if err != nil {
		return fmt.Errorf("nodelease: postgres: %w", err)
	}
	s.Close()
	return nil
}

// open returns a store whose table it has looked at, or made the first time.
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
		found, err := s.read(ctx, c) // without a transaction, which PgBouncer's pool_mode statement would refuse
		if err == nil {
			err = s.checkComplete(found, s.opts.Layout)
		}
		return err
	})
	if err != nil { // no connection is kept
		return nil, fmt.Errorf("prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// querier is a connection, or a transaction.
type querier interface {
	pgcheck.Asker
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// contents is what a table holds.
type contents struct {
	header string
	rows   int64
	now    time.Time // the server's
}

// read returns what the table holds, or nil if there is none. It returns an error if the store must refuse the server, the rights
// or the table.
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
		err = faults.Refused(fmt.Errorf("%w: another version of package nodelease made the table, or somebody else", err))
	}
	return c, err
}

// checkComplete returns an error if c, as read returns it, is not complete, or of another version or layout.
func (s *Store) checkComplete(c *contents, l ids.SnowflakeLayout) error {
	switch {
	case c == nil:
		return storekit.Missing("there is no such table", hint)
	case c.rows < s.opts.Numbers:
		return storekit.Missing(fmt.Sprintf("of %d rows %d are missing", s.opts.Numbers, s.opts.Numbers-c.rows), hint)
	case c.header == "":
		return storekit.Missing("there is no row of the number -1", hint)
	}
	return storekit.CheckHeader(headerPlace, c.header, storekit.Header(l))
}

// fill makes what is missing.
func (s *Store) fill(ctx context.Context, tx pgx.Tx) error {
	// Two sessions that create one table at the same moment collide in the catalogue: they queue.
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

// grace is how long a Take goes on after its context has ended: cut off at once, it could be carried out
// all the same, and keep a number for nobody.
const grace = time.Second

// Take implements [nodelease.Store]. It refuses a Now that is more than 24 h from the server's clock: the
// clock of one machine must not push the times of number after number. It refuses a layout that is not that of
// the ids, and any number while a row is missing.
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

// explainNone says why there was no row to take.
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
