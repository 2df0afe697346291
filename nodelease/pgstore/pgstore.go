// Package pgstore leases Snowflake node numbers from PostgreSQL, for
// [github.com/oneclock/ids/nodelease].
//
// TLS, authentication and the size of the pool are the pool's: see [pgxpool.ParseConfig]. A process
// needs one connection at a time for each Minter.
//
// A server that forgets what it has committed makes ids repeat: one without fsync, one that is
// restored from a backup, or a replica that was not synchronous. Stop all minters before such a
// step, and start them a window later.
package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

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
}

// Store is a [nodelease.Store] in one PostgreSQL table, with a row for each node number. Leases end by
// the server's clock. The column fence counts the times the number was taken or given back: it is the
// fencing token. Make one with [New].
type Store struct {
	pool                  *pgxpool.Pool
	opts                  Options
	take, extend, release string // statements
}

// A timestamptz holds microseconds: the Minter makes no finer marks. NULL is the zero time. The
// fillfactor keeps updates within their pages.
const createTable = `
create table if not exists %s (
	node     integer     primary key,
	fence    bigint      not null default 0,
	holder   text        not null default '',
	expires  timestamptz not null default 'epoch',
	mark     timestamptz
) with (fillfactor = 50)`

// takeRow skips rows that another session is taking at this moment, and prefers as storekit.Prefer
// does: greatest ignores NULL.
const takeRow = `
with free as (
	select node from %[1]s
	where node < $1 and expires <= clock_timestamp()
	order by greatest(mark, $2::timestamptz), random()
	limit 1
	for update skip locked
)
update %[1]s l
set fence = fence + 1, holder = $3, expires = clock_timestamp() + $4::interval
from free where l.node = free.node
returning l.node, l.fence, l.mark`

// The fence shuts out a holder that has lost its number, even if the row has expired and nobody else
// has wanted it yet. The comparison of marks shuts out a delayed statement of this holder, which would
// lower the mark again.
const extendRow = `
update %s set expires = clock_timestamp() + $4::interval, mark = $3::timestamptz
where node = $1 and fence = $2 and (mark is null or mark <= $3::timestamptz)`

const releaseRow = `
update %s set expires = 'epoch', mark = $3::timestamptz, fence = fence + 1, holder = ''
where node = $1 and fence = $2`

// New returns a store over pool. It creates the table and its rows if they are missing; where they
// exist, it needs no more than the right to select and update. It refuses a server that acknowledges a
// commit before the commit is durable, since a crash could take a mark back. Nil options mean the
// default. The pool stays the caller's, to be closed after the Minters.
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
	table := pgx.Identifier(strings.Split(s.opts.Table, ".")).Sanitize()
	s.take = fmt.Sprintf(takeRow, table)
	s.extend = fmt.Sprintf(extendRow, table)
	s.release = fmt.Sprintf(releaseRow, table)
	if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return s.prepare(ctx, tx, table) }); err != nil {
		return nil, fmt.Errorf("nodelease: postgres: prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// prepare checks the server and makes what is missing.
func (s *Store) prepare(ctx context.Context, tx pgx.Tx, table string) error {
	var commit string
	var exists bool
	err := tx.QueryRow(ctx, `select current_setting('synchronous_commit'), to_regclass($1) is not null`, table).
		Scan(&commit, &exists)
	if err != nil {
		return err
	}
	if commit == "off" {
		return errors.New("synchronous_commit is off: set it to on for this role or database")
	}
	if !exists {
		// Two sessions that create one table at the same moment collide in the catalogue: let
		// them queue.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext($1))`, table); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf(createTable, table)); err != nil {
			return err
		}
	}
	var rows int64
	count := `select count(*) from ` + table + ` where node >= 0 and node < $1`
	if err := tx.QueryRow(ctx, count, s.opts.Nodes).Scan(&rows); err != nil {
		return err
	}
	if rows < s.opts.Nodes {
		insert := `insert into ` + table + ` (node) select generate_series(0, $1::int - 1) on conflict do nothing`
		_, err = tx.Exec(ctx, insert, s.opts.Nodes)
	}
	return err
}

// Take implements [nodelease.Store].
func (s *Store) Take(ctx context.Context, now time.Time) (nodelease.Lease, error) {
	l := &lease{store: s}
	var mark zeronull.Timestamptz
	err := s.pool.QueryRow(ctx, s.take, s.opts.Nodes, now, s.opts.Holder, s.opts.TTL).Scan(&l.node, &l.fence, &mark)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nodelease.ErrNoNode
	}
	if err != nil {
		return nil, fmt.Errorf("nodelease: postgres: take a node: %w", err)
	}
	l.mark = time.Time(mark).UTC()
	return l, nil
}

type lease struct {
	store *Store
	node  int64
	mark  time.Time
	fence int64
}

func (l *lease) Node() int64        { return l.node }
func (l *lease) Mark() time.Time    { return l.mark }
func (l *lease) TTL() time.Duration { return l.store.opts.TTL }

// Extend implements [nodelease.Lease].
func (l *lease) Extend(ctx context.Context, mark time.Time) error {
	return l.update(ctx, l.store.extend, mark, l.store.opts.TTL)
}

// Release implements [nodelease.Lease].
func (l *lease) Release(ctx context.Context, mark time.Time) error {
	return l.update(ctx, l.store.release, mark)
}

func (l *lease) update(ctx context.Context, sql string, mark time.Time, more ...any) error {
	args := []any{l.node, l.fence, zeronull.Timestamptz(mark)}
	tag, err := l.store.pool.Exec(ctx, sql, append(args, more...)...)
	if err != nil {
		return fmt.Errorf("nodelease: postgres: update node %d: %w", l.node, err)
	}
	if tag.RowsAffected() == 0 {
		return nodelease.ErrLost
	}
	return nil
}
