package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// engine is one database reached through one driver.
type engine interface {
	// name says which database and driver this is, with the server's version.
	name() string
	// column returns the SQL type of a scheme's key.
	column(s scheme) string
	// create makes the empty table of a scheme, in place of one that an earlier run may have
	// left, and drop removes it.
	create(ctx context.Context, s scheme) error
	drop(ctx context.Context, s scheme) error
	// insert writes one batch in one transaction. Row i of the batch has the number first+i.
	insert(ctx context.Context, s scheme, keys []any, first int) error
	// between counts the rows whose key lies in lo..hi.
	between(ctx context.Context, s scheme, lo, hi any) (int, error)
	// unordered counts the rows whose number is lower than that of the row before it in the
	// order of the keys.
	unordered(ctx context.Context, s scheme) (int, error)
	// written returns the bytes that have gone into the write-ahead log (SQLite and PostgreSQL)
	// or the redo log (MariaDB, MySQL) since the server started.
	written(ctx context.Context) (int64, error)
	// size returns the bytes of the table and of the index on its primary key; where the table
	// is that index, index is 0.
	size(ctx context.Context, s scheme) (table, index int64, err error)
	// roundTrips returns what the engine must be able to store and give back.
	roundTrips() []roundTrip
	close() error
}

// sqlEngine holds what all engines behind database/sql have in common.
type sqlEngine struct {
	db    *sql.DB
	label string

	columnType  func(s scheme) string       // what the method column returns
	arg         func(s scheme, key any) any // key as an argument of a statement
	placeholder func(i int) string          // the i-th parameter, counted from 1
	tableSuffix string                      // what follows the closing parenthesis of CREATE TABLE
	afterBatch  func(context.Context) error // called after each commit, if not nil
}

// body is what each row carries besides its key: 64 bytes, so that a row has the size of a
// small real one.
var body = strings.Repeat("0123456789abcdef", 4)

// rowsPerStatement keeps the number of parameters below the smallest limit of the engines,
// 32,766 in SQLite.
const rowsPerStatement = 500

func (e *sqlEngine) name() string { return e.label }

func (e *sqlEngine) column(s scheme) string { return e.columnType(s) }

func (e *sqlEngine) close() error { return e.db.Close() }

func (e *sqlEngine) create(ctx context.Context, s scheme) error {
	if err := e.drop(ctx, s); err != nil {
		return err
	}
	_, err := e.db.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s (id %s NOT NULL PRIMARY KEY, n INTEGER NOT NULL, body VARCHAR(64) NOT NULL)%s",
		s.table(), e.column(s), e.tableSuffix))
	if err != nil {
		return fmt.Errorf("create %s: %w", s.table(), err)
	}
	return nil
}

func (e *sqlEngine) drop(ctx context.Context, s scheme) error {
	if _, err := e.db.ExecContext(ctx, "DROP TABLE IF EXISTS "+s.table()); err != nil {
		return fmt.Errorf("drop %s: %w", s.table(), err)
	}
	return nil
}

func (e *sqlEngine) insert(ctx context.Context, s scheme, keys []any, first int) error {
	if err := e.insertBatch(ctx, s, keys, first); err != nil {
		return fmt.Errorf("insert into %s: %w", s.table(), err)
	}
	if e.afterBatch != nil {
		return e.afterBatch(ctx)
	}
	return nil
}

func (e *sqlEngine) insertBatch(ctx context.Context, s scheme, keys []any, first int) error {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit

	var stmt *sql.Stmt // an INSERT of rowsPerStatement rows, and of the rest in the last round
	for prepared := 0; len(keys) > 0; {
		n := min(len(keys), rowsPerStatement)
		if n != prepared {
			if stmt, err = tx.PrepareContext(ctx, e.insertQuery(s, n)); err != nil {
				return err
			}
			defer stmt.Close()
			prepared = n
		}
		args := make([]any, 0, 3*n)
		for i, key := range keys[:n] {
			args = append(args, e.arg(s, key), first+i, body)
		}
		if _, err := stmt.ExecContext(ctx, args...); err != nil {
			return err
		}
		keys, first = keys[n:], first+n
	}
	return tx.Commit()
}

// insertQuery returns an INSERT of n rows.
func (e *sqlEngine) insertQuery(s scheme, n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%s, %s, %s)", e.placeholder(3*i+1), e.placeholder(3*i+2), e.placeholder(3*i+3))
	}
	return fmt.Sprintf("INSERT INTO %s (id, n, body) VALUES %s", s.table(), strings.Join(rows, ", "))
}

func (e *sqlEngine) between(ctx context.Context, s scheme, lo, hi any) (n int, err error) {
	// body is read so that the engine cannot answer from the index alone: a real query wants
	// the rows.
	query := fmt.Sprintf("SELECT count(body) FROM %s WHERE id BETWEEN %s AND %s", s.table(), e.placeholder(1), e.placeholder(2))
	if err := e.db.QueryRowContext(ctx, query, e.arg(s, lo), e.arg(s, hi)).Scan(&n); err != nil {
		return 0, fmt.Errorf("range of %s: %w", s.table(), err)
	}
	return n, nil
}

func (e *sqlEngine) unordered(ctx context.Context, s scheme) (n int, err error) {
	if err := e.db.QueryRowContext(ctx, unorderedQuery(s)).Scan(&n); err != nil {
		return 0, fmt.Errorf("order of %s: %w", s.table(), err)
	}
	return n, nil
}

func unorderedQuery(s scheme) string {
	return fmt.Sprintf("SELECT count(*) FROM (SELECT n, lag(n) OVER (ORDER BY id) AS before_it FROM %s) AS t WHERE n < before_it", s.table())
}
