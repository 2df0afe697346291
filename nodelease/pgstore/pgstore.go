// Package pgstore leases node numbers from PostgreSQL.
package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease"
)

// Store is a [nodelease.Store] in one PostgreSQL table, node_lease, with a row for each node
// number. Leases end by the server's clock. The column fence counts the times the number was
// taken or given back: it is the fencing token.
type Store struct {
	pool   *pgxpool.Pool
	holder string
	nodes  int64
	ttl    time.Duration
}

// A timestamptz holds microseconds: the Minter makes no finer marks. NULL is the zero time.
const createTable = `
create table if not exists node_lease (
	node     integer     primary key,
	fence    bigint      not null default 0,
	holder   text        not null default '',
	expires  timestamptz not null default 'epoch',
	mark     timestamptz
) with (fillfactor = 50)`

// New returns a store over pool and creates the table and its rows if they are
// missing. It refuses a server that acknowledges a commit before the commit is durable: a crash
// could take a mark back.
func New(ctx context.Context, pool *pgxpool.Pool, holder string, nodes int64, ttl time.Duration) (*Store, error) {
	s := &Store{pool: pool, holder: holder, nodes: nodes, ttl: ttl}
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var commit string
		if err := tx.QueryRow(ctx, `select current_setting('synchronous_commit')`).Scan(&commit); err != nil {
			return err
		}
		if commit == "off" {
			return errors.New("synchronous_commit is off: set it to on for this role or database")
		}
		// Two sessions that create one table at the same moment collide in the catalogue: let
		// them queue.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext('node_lease'))`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, createTable); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into node_lease (node) select generate_series(0, $1::int - 1) on conflict do nothing`, nodes)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("nodelease: postgres: create the table node_lease: %w", err)
	}
	return s, nil
}

// takeRow skips rows that another session is taking at this moment, and prefers as the function
// prefer does: greatest ignores NULL.
const takeRow = `
with free as (
	select node from node_lease
	where node < $1 and expires <= clock_timestamp()
	order by greatest(mark, $2), random()
	limit 1
	for update skip locked
)
update node_lease l
set fence = fence + 1, holder = $3, expires = clock_timestamp() + $4
from free where l.node = free.node
returning l.node, l.fence, l.mark`

// Take implements Store.
func (s *Store) Take(ctx context.Context, now time.Time) (nodelease.Lease, error) {
	l := &lease{store: s}
	var mark zeronull.Timestamptz
	err := s.pool.QueryRow(ctx, takeRow, s.nodes, now, s.holder, s.ttl).Scan(&l.node, &l.fence, &mark)
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
func (l *lease) TTL() time.Duration { return l.store.ttl }

// Extend implements Lease. The fence shuts out a holder that has lost its number, even if the
// row has expired and nobody else has wanted it yet. The comparison of marks shuts out a
// delayed statement of this holder, which would lower the mark again.
func (l *lease) Extend(ctx context.Context, mark time.Time) error {
	return l.update(ctx, `
		update node_lease set expires = clock_timestamp() + $4, mark = $3
		where node = $1 and fence = $2 and (mark is null or mark <= $3)`, mark, l.store.ttl)
}

// Release implements Lease.
func (l *lease) Release(ctx context.Context, mark time.Time) error {
	return l.update(ctx, `
		update node_lease set expires = 'epoch', mark = $3, fence = fence + 1, holder = ''
		where node = $1 and fence = $2`, mark)
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
