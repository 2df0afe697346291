// Package pgstore leases Snowflake node numbers from PostgreSQL, for
// [github.com/oneclock/ids/nodelease].
//
// TLS, authentication and the size of the pool are the pool's: see [pgxpool.ParseConfig]. A process
// needs one connection at a time for each Minter.
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
	// NoFsync allows a server with fsync=off, for tests: a crash of its machine makes ids repeat.
	NoFsync bool
}

// Store is a [nodelease.Store] in one PostgreSQL table, with a row for each node number. Leases end by
// the server's clock. The column token, which is random for each Take, says whose the row is: also after
// the server was put back to a backup, where a count would occur again. Make one with [New].
type Store struct {
	pool                                  *pgxpool.Pool
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

// durable holds always, and has the transaction wait for its commit to be durable where the connection's
// setting is not to. Where the server lacks the setting it is null, and so not 'off'.
const durable = `case current_setting('synchronous_commit', true)
	when 'off' then set_config('synchronous_commit', 'on', true) = 'on' else true end`

// takeRow skips rows that another session is taking at this moment, and prefers as storekit.Prefer
// does: greatest ignores NULL. It finds none if the caller's clock is wrong.
const takeRow = `
with free as (
	select node from %[1]s
	where node >= 0 and node < $1 and expires <= clock_timestamp()
		and $2::timestamptz between clock_timestamp() - interval '24 hours' and clock_timestamp() + interval '24 hours'
	order by case when mark <= $2::timestamptz and mark > interval '24 hours' + (
			select percentile_disc(0.5) within group (order by mark) from %[1]s where node >= 0 and node < $1
		) then 0 else 1 end, greatest(mark, $2::timestamptz), random()
	limit 1
	for update skip locked
)
update %[1]s l
set token = $5, holder = $3, expires = clock_timestamp() + $4::interval
from free where l.node = free.node and ` + durable + `
returning l.node, l.mark`

// lookAt tells why there was no row to take.
const lookAt = `select count(*), clock_timestamp() from %s where node >= 0 and node < $1`

// The token shuts out a holder that has lost its number, even if the row has expired and nobody else
// has wanted it yet. The comparison of marks shuts out a delayed statement of this holder, which would
// lower the mark again.
const extendRow = `
update %s set expires = clock_timestamp() + $4::interval, mark = $3::timestamptz
where node = $1 and token = $2 and (mark is null or mark <= $3::timestamptz) and ` + durable

const releaseRow = `
update %s set expires = 'epoch', mark = $3::timestamptz, token = '', holder = ''
where node = $1 and token = $2 and ` + durable

// giveRowBack undoes a Take that may have been carried out although its answer was lost.
const giveRowBack = `update %s set expires = 'epoch', token = '', holder = '' where token = $1`

// New returns a store over pool. It creates the table and its rows if they are missing; where they
// exist, it needs no more than the right to select and update. It refuses what lets a crash take a mark
// back: an unlogged table, and a server with fsync=off. Where synchronous_commit is off, the store's own
// transactions set it. Nil options mean the default. The pool stays the caller's, to be closed after the
// Minters.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (*Store, error) {
	if pool == nil {
		return nil, errors.New("nodelease: postgres: nil Pool")
	}
	s := &Store{pool: pool}
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
	if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return s.prepare(ctx, tx, table) }); err != nil {
		return nil, fmt.Errorf("nodelease: postgres: prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// prepare checks the server and makes what is missing.
func (s *Store) prepare(ctx context.Context, tx pgx.Tx, table string) error {
	var fsync, persistence string
	err := tx.QueryRow(ctx, `select coalesce(current_setting('fsync', true), ''),
		coalesce((select relpersistence::text from pg_class where oid = to_regclass($1)), '')`, table).Scan(&fsync, &persistence)
	switch {
	case err != nil:
		return err
	case fsync == "off" && !s.opts.NoFsync:
		return errors.New("fsync is off, so that a crash can take marks back, and ids repeat: for tests, set Options.NoFsync")
	case persistence == "":
		// Two sessions that create one table at the same moment collide in the catalogue: let
		// them queue.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext($1))`, table); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf(createTable, table)); err != nil {
			return err
		}
	case persistence != "p":
		return errors.New("the table is unlogged or temporary, so that a crash empties it, and ids repeat")
	}
	var rows int64
	var now time.Time
	if err := tx.QueryRow(ctx, s.look, s.opts.Nodes).Scan(&rows, &now); err != nil {
		return err
	}
	if rows < s.opts.Nodes {
		insert := `insert into ` + table + ` (node) select generate_series(0, $1::int - 1) on conflict do nothing`
		_, err = tx.Exec(ctx, insert, s.opts.Nodes)
	}
	return err
}

// grace is how long a Take goes on after its context has ended: cut off at once, it could be carried out
// all the same, and keep a number for nobody.
const grace = time.Second

// Take implements [nodelease.Store]. It refuses a Now that is more than 24 h from the server's clock: the
// clock of one machine must not push the times of number after number.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	l := &lease{store: s, token: ids.NewV4().String()}
	var mark zeronull.Timestamptz
	err := s.pool.QueryRow(late, s.take, s.opts.Nodes, r.Now, s.opts.Holder, s.opts.TTL, l.token).Scan(&l.node, &mark)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, s.none(late, r.Now)
	}
	if err != nil {
		if !pgconn.SafeToRetry(err) { // it may have been carried out
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
			defer cancel()
			_, _ = s.pool.Exec(last, s.giveBack, l.token)
		}
		return nil, fmt.Errorf("nodelease: postgres: take a node: %w", err)
	}
	l.mark = time.Time(mark).UTC()
	return l, nil
}

// none says why there was no row to take.
func (s *Store) none(ctx context.Context, now time.Time) error {
	var rows int64
	var server time.Time
	err := s.pool.QueryRow(ctx, s.look, s.opts.Nodes).Scan(&rows, &server)
	if err == nil {
		err = storekit.CheckNow(now, "the server's", server)
	}
	if err == nil && rows < s.opts.Nodes {
		err = fmt.Errorf("of %d rows %d are missing, and their marks with them: once no minter runs, New makes new ones",
			s.opts.Nodes, s.opts.Nodes-rows)
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
}

func (l *lease) Node() int64        { return l.node }
func (l *lease) Mark() time.Time    { return l.mark }
func (l *lease) TTL() time.Duration { return l.store.opts.TTL }
func (l *lease) Free() int64        { return -1 }

// Extend implements [nodelease.Lease].
func (l *lease) Extend(ctx context.Context, mark time.Time) error {
	return l.update(ctx, l.store.extend, mark, l.store.opts.TTL)
}

// Release implements [nodelease.Lease].
func (l *lease) Release(ctx context.Context, mark time.Time) error {
	return l.update(ctx, l.store.release, mark)
}

func (l *lease) update(ctx context.Context, sql string, mark time.Time, more ...any) error {
	args := []any{l.node, l.token, zeronull.Timestamptz(mark)}
	tag, err := l.store.pool.Exec(ctx, sql, append(args, more...)...)
	if err != nil {
		return fmt.Errorf("nodelease: postgres: update node %d: %w", l.node, err)
	}
	if tag.RowsAffected() == 0 {
		return nodelease.ErrLost
	}
	return nil
}
