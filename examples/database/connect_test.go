package database

// How tests reach a database.

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oneclock/ids/examples/internal/must"
)

// A database is reached through database/sql or pgx, which differ little.
type database struct {
	exec  func(ctx context.Context, query string, args ...any) error
	query func(ctx context.Context, query string, args ...any) (r rows, end func(), err error)
	// param returns the i-th parameter of a statement, counted from 1.
	param func(i int) string
}

type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// openSQL opens a database whose parameters are question marks.
func openSQL(t *testing.T, driver, source string) *database {
	t.Helper()
	db, err := sql.Open(driver, source)
	must.Do(t, err)
	t.Cleanup(func() { db.Close() })
	return sqlDatabase(db, func(int) string { return "?" })
}

func sqlDatabase(db *sql.DB, param func(int) string) *database {
	return &database{
		exec: func(ctx context.Context, query string, args ...any) error {
			_, err := db.ExecContext(ctx, query, args...)
			return err
		},
		query: func(ctx context.Context, query string, args ...any) (rows, func(), error) {
			r, err := db.QueryContext(ctx, query, args...)
			if err == nil {
				err = r.Err()
			}
			return r, func() { r.Close() }, err
		},
		param: param,
	}
}

func pgxDatabase(pool *pgxpool.Pool) *database {
	return &database{
		exec: func(ctx context.Context, query string, args ...any) error {
			_, err := pool.Exec(ctx, query, args...)
			return err
		},
		query: func(ctx context.Context, query string, args ...any) (rows, func(), error) {
			r, err := pool.Query(ctx, query, args...)
			return r, func() { r.Close() }, err
		},
		param: func(i int) string { return fmt.Sprintf("$%d", i) },
	}
}

var tables atomic.Int64 // number of tables made

// table makes a table with the values in rows 0, 1, 2, … and returns its name. Each test has its
// own table, because drivers remember what they learned about a table when they prepared a query.
func (d *database) table(t *testing.T, column string, values []any) string {
	t.Helper()
	name := fmt.Sprintf("trip%d", tables.Add(1))
	must.Do(t, d.exec(t.Context(), fmt.Sprintf("CREATE TABLE %s (n INTEGER PRIMARY KEY, id %s)", name, column)))
	t.Cleanup(func() {
		if err := d.exec(context.Background(), "DROP TABLE "+name); err != nil {
			t.Error(err)
		}
	})
	for i, v := range values {
		if err := d.exec(t.Context(), fmt.Sprintf("INSERT INTO %s (n, id) VALUES (%s, %s)", name, d.param(1), d.param(2)), i, v); err != nil {
			t.Fatalf("insert %v: %v", v, err)
		}
	}
	return name
}

// read runs a query of one column and returns its rows, up to the first error.
func read[T any](t *testing.T, d *database, query string, args ...any) (out []T, err error) {
	t.Helper()
	return readBy(t, d, func(v *T) any { return v }, query, args...)
}

// readBy is like read, for columns that are not read by a *T.
func readBy[T any](t *testing.T, d *database, reader func(*T) any, query string, args ...any) (out []T, err error) {
	t.Helper()
	r, end, err := d.query(t.Context(), query, args...)
	if err != nil {
		return nil, err
	}
	defer end()
	for r.Next() {
		var v T
		if err := r.Scan(reader(&v)); err != nil {
			return append(out, v), err
		}
		out = append(out, v)
	}
	return out, r.Err()
}
