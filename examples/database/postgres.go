package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oneclock/ids"
)

// pgServer is what both PostgreSQL engines share: the server.
type pgServer struct {
	pool *pgxpool.Pool
	rows int // inserted since the last checkpoint
	// noCheckpoint is true when the role may not run CHECKPOINT.
	noCheckpoint bool
}

// pgxEngine reaches PostgreSQL through pgx itself and inserts with COPY.
type pgxEngine struct {
	*pgServer
	label string
}

// pgSQLEngine reaches PostgreSQL through database/sql and inserts with INSERT, as the other
// engines do.
type pgSQLEngine struct {
	*pgServer
	sqlEngine
}

// openPostgres connects to the server of a URL like
// "postgres://user:password@127.0.0.1:5432/database" in both ways. Closing the second engine
// closes the connections of both.
func openPostgres(ctx context.Context, url string) (*pgxEngine, *pgSQLEngine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("postgres: %w", err)
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerIDs(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, fmt.Errorf("postgres: %w", err)
	}
	var version string
	if err := pool.QueryRow(ctx, "SELECT split_part(current_setting('server_version'), ' ', 1)").Scan(&version); err != nil {
		pool.Close()
		return nil, nil, fmt.Errorf("postgres: %w", err)
	}
	server := &pgServer{pool: pool}
	native := &pgxEngine{server, "PostgreSQL " + version + ", pgx with COPY"}
	viaSQL := &pgSQLEngine{server, sqlEngine{
		db:          stdlib.OpenDBFromPool(pool),
		label:       "PostgreSQL " + version + ", database/sql over pgx with INSERT",
		columnType:  pgColumn,
		arg:         uuidArg,
		placeholder: func(i int) string { return fmt.Sprintf("$%d", i) },
	}}
	return native, viaSQL, nil
}

// pgColumn stores text in the collation "C", which compares bytes: the order of the ids.
func pgColumn(s scheme) string {
	switch s.form {
	case formText:
		return `text COLLATE "C"`
	case formInteger:
		return "bigint"
	}
	return "uuid"
}

// uuidArg writes a ULID to a uuid column as the UUID with the same 16 bytes. The codec of
// registerIDs makes this unnecessary for arguments, but database/sql scans a uuid as UUID text,
// which is not a ULID: converting both ways is even.
func uuidArg(s scheme, key any) any {
	if id, ok := key.(ids.ULID); ok && s.form == formBytes {
		return id.UUID()
	}
	return key
}

// rowsPerCheckpoint is how often added asks for a checkpoint.
const rowsPerCheckpoint = 100_000

// added makes the server's checkpoints come by rows instead of by minutes, so that runs
// compare: the first change to a page after a checkpoint puts the whole page into the
// write-ahead log, which is what random keys cost a busy server.
func (s *pgServer) added(ctx context.Context, n int) error {
	if s.rows += n; s.rows < rowsPerCheckpoint || s.noCheckpoint {
		return nil
	}
	return s.checkpoint(ctx)
}

func (s *pgServer) checkpoint(ctx context.Context) error {
	s.rows = 0
	_, err := s.pool.Exec(ctx, "CHECKPOINT")
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "42501" { // insufficient_privilege
		s.noCheckpoint = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("postgres: checkpoint: %w", err)
	}
	return nil
}

func (s *pgServer) written(ctx context.Context) (n int64, err error) {
	if err := s.pool.QueryRow(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint").Scan(&n); err != nil {
		return 0, fmt.Errorf("postgres: position of the write-ahead log: %w", err)
	}
	return n, nil
}

func (s *pgServer) size(ctx context.Context, sch scheme) (table, index int64, err error) {
	const query = "SELECT pg_relation_size($1::text::regclass), pg_relation_size($2::text::regclass)"
	if err := s.pool.QueryRow(ctx, query, sch.table(), sch.table()+"_pkey").Scan(&table, &index); err != nil {
		return 0, 0, fmt.Errorf("size of %s: %w", sch.table(), err)
	}
	return table, index, nil
}

func (e *pgSQLEngine) insert(ctx context.Context, s scheme, keys []any, first int) error {
	if err := e.sqlEngine.insert(ctx, s, keys, first); err != nil {
		return err
	}
	return e.added(ctx, len(keys))
}

func (e *pgSQLEngine) create(ctx context.Context, s scheme) error {
	if err := e.sqlEngine.create(ctx, s); err != nil {
		return err
	}
	return e.checkpoint(ctx)
}

func (e *pgSQLEngine) roundTrips() []roundTrip { return pgSQLRoundTrips(e) }

func (e *pgSQLEngine) close() error {
	err := e.db.Close()
	e.pool.Close()
	return err
}

func (e *pgxEngine) name() string { return e.label }

func (e *pgxEngine) column(s scheme) string { return pgColumn(s) }

func (e *pgxEngine) create(ctx context.Context, s scheme) error {
	if err := e.drop(ctx, s); err != nil {
		return err
	}
	_, err := e.pool.Exec(ctx, fmt.Sprintf("CREATE TABLE %s (id %s PRIMARY KEY, n integer NOT NULL, body varchar(64) NOT NULL)", s.table(), e.column(s)))
	if err != nil {
		return fmt.Errorf("create %s: %w", s.table(), err)
	}
	return e.checkpoint(ctx)
}

func (e *pgxEngine) drop(ctx context.Context, s scheme) error {
	if _, err := e.pool.Exec(ctx, "DROP TABLE IF EXISTS "+s.table()); err != nil {
		return fmt.Errorf("drop %s: %w", s.table(), err)
	}
	return nil
}

// insert copies the batch. COPY is one statement and so one transaction.
func (e *pgxEngine) insert(ctx context.Context, s scheme, keys []any, first int) error {
	rows := pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) { return []any{keys[i], first + i, body}, nil })
	if _, err := e.pool.CopyFrom(ctx, pgx.Identifier{s.table()}, []string{"id", "n", "body"}, rows); err != nil {
		return fmt.Errorf("copy into %s: %w", s.table(), err)
	}
	return e.added(ctx, len(keys))
}

func (e *pgxEngine) between(ctx context.Context, s scheme, lo, hi any) (n int, err error) {
	query := fmt.Sprintf("SELECT count(body) FROM %s WHERE id BETWEEN $1 AND $2", s.table())
	if err := e.pool.QueryRow(ctx, query, lo, hi).Scan(&n); err != nil {
		return 0, fmt.Errorf("range of %s: %w", s.table(), err)
	}
	return n, nil
}

func (e *pgxEngine) unordered(ctx context.Context, s scheme) (n int, err error) {
	if err := e.pool.QueryRow(ctx, unorderedQuery(s)).Scan(&n); err != nil {
		return 0, fmt.Errorf("order of %s: %w", s.table(), err)
	}
	return n, nil
}

func (e *pgxEngine) roundTrips() []roundTrip { return pgxRoundTrips(e) }

// close leaves the connections to the database/sql engine, which shares them.
func (e *pgxEngine) close() error { return nil }
