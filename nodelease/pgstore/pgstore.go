// Package pgstore leases Snowflake node numbers from PostgreSQL, for [github.com/oneclock/ids/nodelease].
//
// TLS, authentication and the size of the pool are the pool's: see [pgxpool.ParseConfig], and [Configure],
// which its configuration needs. A process needs one connection at a time for each Minter. The pool may lead
// to PgBouncer, in any of its modes: the store prepares no statements.
//
// A server that forgets what it has committed makes ids repeat: one that is restored from a backup, or a
// replica that was not synchronous. Stop all minters before such a step, and start them a window later.
package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/storekit"
)

// Options are the options of [New]. The zero value is the default. All processes that share a table
// must agree on Nodes.
type Options struct {
	// Table is the table's name, which may begin with its schema and a dot. Empty means node_lease.
	// Ids of two kinds or layouts need two tables.
	Table string
	// Holder is the name in the table beside the number held, for people who look. Empty means the
	// host's name and the process's number.
	Holder string
	// Nodes is how many numbers there are: 0 to Nodes-1. Zero means 1,024.
	Nodes int64
	// TTL is how long a number is kept for a holder that falls silent, at least a second. Zero means 15 s.
	TTL time.Duration
	// Init declares the first start: New makes the table and the rows that are missing, and returns an error
	// that matches [fs.ErrExist] if nothing is. Without it, New and Take refuse what is not complete: a store
	// that has lost marks would let ids repeat. More Nodes than before are a first start too. After a loss,
	// stop all minters, and declare it a window later.
	Init bool
	// Layout is that of the ids, for Init. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// NoFsync allows a server with fsync=off, for tests: a crash of its machine makes ids repeat.
	NoFsync bool
}

// Store is a [nodelease.Store] in one PostgreSQL table, with a row for each node number. Leases end by
// the server's clock. The column token, which is random for each Take, says whose the row is: also after
// the server was put back to a backup, where a count would occur again. In the row of the number -1, the
// column holder has the version of the schema and the layout of the ids. Make one with [New].
type Store struct {
	pool                                  *pgxpool.Pool
	mode                                  pgx.QueryExecMode
	opts                                  Options
	take, extend, release, giveBack, look string // statements
}

// maxName is how many bytes of a name PostgreSQL keeps.
const maxName = 63

// A timestamptz holds microseconds: the Minter makes no finer marks. NULL is the zero time. The
// fillfactor keeps updates within their pages.
const createTable = `
create table if not exists %s (
	node     integer     primary key,
	token    text        not null default '',
	holder   text        not null default '',
	expires  timestamptz not null default 'epoch',
	mark     timestamptz
) with (fillfactor = 50)`

// durable holds always. It has the transaction wait until its commit is on the disks of the server and of its
// synchronous standbys, and the server say if it has not, where the connection's settings are not to. Where
// the server lacks a setting it is null, and so none of these.
const durable = `case when current_setting('synchronous_commit', true) in ('off', 'local', 'remote_write')
	then set_config('synchronous_commit', 'on', true) = 'on' else true end
and case when current_setting('client_min_messages', true) in ('error', 'fatal', 'panic')
	then set_config('client_min_messages', 'warning', true) = 'warning' else true end`

// takeRow skips rows that another session is taking at this moment, and prefers as storekit.Prefer
// does: greatest ignores NULL. It finds none if the caller's clock or layout is wrong, or a row missing.
const takeRow = `
with free as (
	select node from %[1]s
	where node >= 0 and node < $1 and expires <= clock_timestamp()
		and $2::timestamptz between clock_timestamp() - interval '24 hours' and clock_timestamp() + interval '24 hours'
		and exists (select from %[1]s where node = -1 and holder = $6)
		and (select count(*) from %[1]s where node >= 0 and node < $1) = $1
	order by case when mark <= $2::timestamptz and mark > interval '24 hours' + (
			select percentile_disc(0.5) within group (order by mark) from %[1]s where node >= 0 and node < $1
		) then 0 else 1 end, greatest(mark, $2::timestamptz), random()
	limit 1
	for update skip locked
)
update %[1]s l
set token = $5, holder = $3, expires = clock_timestamp() + $4::interval
from free where l.node = free.node and ` + durable + `
returning l.node, l.mark, (select count(*) - 1 from %[1]s where node >= 0 and node < $1 and expires <= clock_timestamp())`

// lookAt tells why there was no row to take.
const lookAt = `select coalesce(max(holder) filter (where node = -1), ''), count(*) filter (where node >= 0 and node < $1),
	clock_timestamp() from %s`

// The token shuts out a holder that has lost its number, even if the row has expired and nobody else has wanted it
// yet. The comparison of marks shuts out a delayed statement of this holder, which would lower the mark again.
const extendRow = `
update %s set expires = clock_timestamp() + $4::interval, mark = $3::timestamptz
where node = $1 and token = $2 and (mark is null or mark <= $3::timestamptz) and ` + durable

const releaseRow = `
update %s set expires = 'epoch', mark = $3::timestamptz, token = '', holder = ''
where node = $1 and token = $2 and ` + durable

// giveRowBack undoes a Take that may have been carried out although its answer was lost.
const giveRowBack = `update %s set expires = 'epoch', token = '', holder = '' where token = $1`

// warning is the key under which a connection keeps the latest warning of the server.
const warning = "github.com/oneclock/ids/nodelease/pgstore.warning"

// Configure has the connections of a pool keep the server's warnings for the store, which [New] demands. Call
// it before [pgxpool.NewWithConfig]; OnNotice, if config has one, is called all the same.
//
// If somebody cancels the wait for a synchronous standby (pg_cancel_backend, statement_timeout), PostgreSQL
// commits, and only warns that the standby may not have the transaction. The store takes that for a failure.
// New has the server warn once, which its log has too.
func Configure(config *pgxpool.Config) {
	own := config.ConnConfig.OnNotice
	config.ConnConfig.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		if n.SeverityUnlocalized == "WARNING" {
			c.CustomData()[warning] = n.Message
		}
		if own != nil {
			own(c, n)
		}
	}
}

// with calls f with a connection, and returns an error if the server has warned meanwhile.
func (s *Store) with(ctx context.Context, f func(*pgx.Conn) error) error {
	return s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		kept := c.Conn().PgConn().CustomData()
		delete(kept, warning) // of another statement
		err := f(c.Conn())
		if message, ok := kept[warning]; ok && err == nil {
			err = fmt.Errorf("the server has warned, so what it did may not last: %s", message)
		}
		return err
	})
}

// New returns a store over pool, whose configuration [Configure] has seen. It needs no more than the right to select
// and update, except with Options.Init. It refuses what lets a crash take a mark back: an unlogged table, and a
// server with fsync=off. Where synchronous_commit is weaker than on, the store's own transactions set it. Nil options
// mean the default. The pool stays the caller's, to be closed after the Minters.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (*Store, error) {
	if pool == nil {
		return nil, errors.New("nodelease: postgres: nil Pool")
	}
	s := &Store{pool: pool, mode: pgx.QueryExecModeExec}
	if pool.Config().ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		s.mode = pgx.QueryExecModeSimpleProtocol
	}
	if opts != nil {
		s.opts = *opts
	}
	if err := storekit.Complete(&s.opts.Holder, &s.opts.Nodes, &s.opts.TTL); err != nil {
		return nil, fmt.Errorf("nodelease: postgres: %w", err)
	}
	if s.opts.Table == "" {
		s.opts.Table = "node_lease"
	}
	names := strings.Split(s.opts.Table, ".")
	for _, name := range names {
		if err := storekit.CheckText("Options.Table", name); err != nil {
			return nil, fmt.Errorf("nodelease: postgres: %w", err)
		}
		if len(name) > maxName {
			return nil, fmt.Errorf("nodelease: postgres: Options.Table %q: PostgreSQL would cut the name to %d bytes", name, maxName)
		}
	}
	table := pgx.Identifier(names).Sanitize()
	for statement, sql := range map[*string]string{
		&s.take: takeRow, &s.extend: extendRow, &s.release: releaseRow, &s.giveBack: giveRowBack, &s.look: lookAt,
	} {
		*statement = fmt.Sprintf(sql, table)
	}
	if err := s.hears(ctx); err != nil {
		return nil, fmt.Errorf("nodelease: postgres: %w", err)
	}
	err := s.with(ctx, func(c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return s.prepare(ctx, tx, table) })
	})
	if err != nil {
		return nil, fmt.Errorf("nodelease: postgres: prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// hears has the server warn, and returns an error if the store does not hear of it.
func (s *Store) hears(ctx context.Context) error {
	return s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		kept := c.Conn().PgConn().CustomData()
		delete(kept, warning)
		_, err := c.Exec(ctx, `do $$ begin
			perform set_config('client_min_messages', 'warning', true);
			raise warning 'nodelease tries whether it hears of warnings';
		end $$`, s.mode)
		if err != nil {
			return fmt.Errorf("have the server warn: %w", err)
		}
		if kept[warning] == nil {
			return errors.New("the pool does not keep the server's warnings: call pgstore.Configure with its *pgxpool.Config before pgxpool.NewWithConfig")
		}
		return nil
	})
}

// prepare checks the server and the table. With Options.Init it makes what is missing.
func (s *Store) prepare(ctx context.Context, tx pgx.Tx, table string) error {
	if s.opts.Init { // two sessions that create one table at the same moment collide in the catalogue: they queue
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext($1))`, s.mode, table); err != nil {
			return err
		}
	}
	var fsync, persistence string
	err := tx.QueryRow(ctx, `select coalesce(current_setting('fsync', true), ''),
		coalesce((select relpersistence::text from pg_class where oid = to_regclass($1)), '')`, s.mode, table).Scan(&fsync, &persistence)
	switch {
	case err != nil:
		return err
	case fsync == "off" && !s.opts.NoFsync:
		return errors.New("fsync is off, so that a crash can take marks back, and ids repeat: for tests, set Options.NoFsync")
	case persistence == "" && s.opts.Init:
		if _, err := tx.Exec(ctx, fmt.Sprintf(createTable, table), s.mode); err != nil {
			return err
		}
	case persistence == "":
		return storekit.CheckInit(false, "there is no such table")
	case persistence != "p":
		return errors.New("the table is unlogged or temporary, so that a crash empties it, and ids repeat")
	}
	if _, err := tx.Exec(ctx, `select token, holder, expires, mark from `+table+` limit 0`, s.mode); err != nil {
		var missing *pgconn.PgError
		if errors.As(err, &missing) && missing.Code == undefinedColumn {
			err = fmt.Errorf("%w: another version of package nodelease made the table, or somebody else", err)
		}
		return err
	}
	var header string
	var rows int64
	var now time.Time
	if err := tx.QueryRow(ctx, s.look, s.mode, s.opts.Nodes).Scan(&header, &rows, &now); err != nil {
		return err
	}
	own := storekit.Header(s.opts.Layout)
	if s.opts.Init && header != "" {
		if err := storekit.CheckHeader(headerPlace, header, own); err != nil {
			return err
		}
	}
	if err := storekit.CheckInit(s.opts.Init, s.missing(header, rows)); err != nil || !s.opts.Init {
		return err
	}
	_, err = tx.Exec(ctx, `insert into `+table+` (node, holder, expires)
		select n, case when n < 0 then $2::text else '' end, case when n < 0 then 'infinity'::timestamptz else 'epoch' end
		from generate_series(-1, $1::int - 1) n where `+durable+` on conflict do nothing`, s.mode, s.opts.Nodes, own)
	return err
}

const (
	undefinedColumn = "42703" // SQLSTATE
	headerPlace     = "the column holder of the node -1"
)

// missing says what of a table's header and rows is missing, or nothing.
func (s *Store) missing(header string, rows int64) string {
	switch {
	case rows < s.opts.Nodes:
		return fmt.Sprintf("of %d rows %d are missing", s.opts.Nodes, s.opts.Nodes-rows)
	case header == "":
		return "there is no row of the node -1"
	}
	return ""
}

// grace is how long a Take goes on after its context has ended: cut off at once, it could be carried out
// all the same, and keep a number for nobody.
const grace = time.Second

// Take implements [nodelease.Store]. It refuses a Now that is more than 24 h from the server's clock: the
// clock of one machine must not push the times of number after number. It refuses a layout that is not that of
// the ids, and any number while a row is missing.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	l := &lease{store: s, token: ids.NewV4().String()}
	var mark zeronull.Timestamptz
	err := s.with(late, func(c *pgx.Conn) error {
		return c.QueryRow(late, s.take, s.mode, s.opts.Nodes, r.Now, s.opts.Holder, s.opts.TTL, l.token, storekit.Header(r.Layout)).
			Scan(&l.node, &mark, &l.free)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, s.none(late, r)
	}
	if err != nil {
		if !pgconn.SafeToRetry(err) { // it may have been carried out
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
			defer cancel()
			_, _ = s.pool.Exec(last, s.giveBack, s.mode, l.token)
		}
		return nil, fmt.Errorf("nodelease: postgres: take a node: %w", err)
	}
	l.mark = time.Time(mark).UTC()
	return l, nil
}

// none says why there was no row to take.
func (s *Store) none(ctx context.Context, r nodelease.Request) error {
	var header string
	var rows int64
	var server time.Time
	err := s.pool.QueryRow(ctx, s.look, s.mode, s.opts.Nodes).Scan(&header, &rows, &server)
	if err == nil {
		err = storekit.CheckInit(false, s.missing(header, rows))
	}
	if err == nil {
		err = storekit.CheckHeader(headerPlace, header, storekit.Header(r.Layout))
	}
	if err == nil {
		err = storekit.CheckNow(r.Now, "the server's", server)
	}
	if err != nil {
		return fmt.Errorf("nodelease: postgres: take a node from the table %s: %w", s.opts.Table, err)
	}
	return nodelease.ErrNoNode
}

type lease struct {
	store *Store
	node  int64
	mark  time.Time
	token string
	free  int64
}

func (l *lease) Node() int64        { return l.node }
func (l *lease) Mark() time.Time    { return l.mark }
func (l *lease) TTL() time.Duration { return l.store.opts.TTL }
func (l *lease) Free() int64        { return l.free }

// Extend implements [nodelease.Lease].
func (l *lease) Extend(ctx context.Context, mark time.Time) error {
	return l.update(ctx, l.store.extend, mark, l.store.opts.TTL)
}

// Release implements [nodelease.Lease].
func (l *lease) Release(ctx context.Context, mark time.Time) error {
	return l.update(ctx, l.store.release, mark)
}

func (l *lease) update(ctx context.Context, sql string, mark time.Time, more ...any) error {
	args := []any{l.store.mode, l.node, l.token, zeronull.Timestamptz(mark)}
	var tag pgconn.CommandTag
	err := l.store.with(ctx, func(c *pgx.Conn) (err error) {
		tag, err = c.Exec(ctx, sql, append(args, more...)...)
		return err
	})
	if err != nil {
		return fmt.Errorf("nodelease: postgres: update node %d: %w", l.node, err)
	}
	if tag.RowsAffected() == 0 {
		return nodelease.ErrLost
	}
	return nil
}
