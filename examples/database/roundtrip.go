package main

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oneclock/ids"
)

// roundTrip is one thing that a user stores and wants back, with the Go type that does it.
type roundTrip struct {
	name string
	run  func(ctx context.Context) error
}

// columns names the column types of an engine.
type columns struct{ bytes, uuidText, ulidText, integer string }

// trips counts the round trips that have been made.
var trips atomic.Int64

// tripTable returns the name of the table of one more round trip. Each has its own, since
// drivers remember what they learned of a table when they prepared a query.
func tripTable() string { return fmt.Sprintf("ids_example_trip_%d", trips.Add(1)) }

// commonRoundTrips are what every engine makes through database/sql.
func commonRoundTrips(e *sqlEngine, c columns) []roundTrip {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	bu, bl := binaryUUID(u), binaryULID(l)
	return []roundTrip{
		// Plain values. UUID and ULID write text, Binary writes 16 bytes, Snowflake an integer.
		trip(e, "UUID as text", c.uuidText, u, ids.NilUUID(), ids.MaxUUID()),
		trip(e, "ULID as text", c.ulidText, l),
		trip(e, "Binary[UUID] as 16 bytes", c.bytes, bu, binaryUUID(ids.NilUUID()), binaryUUID(ids.MaxUUID())),
		trip(e, "Binary[ULID] as 16 bytes", c.bytes, bl),
		trip(e, "Snowflake as an integer", c.integer, s, 0, 1<<63-1),

		// NULL in its three Go forms.
		trip(e, "Null[UUID] with NULL", c.uuidText, ids.Null[ids.UUID]{ID: u, Valid: true}, ids.Null[ids.UUID]{}),
		trip(e, "Null[ULID] with NULL", c.ulidText, ids.Null[ids.ULID]{ID: l, Valid: true}, ids.Null[ids.ULID]{}),
		trip(e, "Null[Snowflake] with NULL", c.integer, ids.Null[ids.Snowflake]{ID: s, Valid: true}, ids.Null[ids.Snowflake]{}),
		trip(e, "sql.Null[UUID] with NULL", c.uuidText, sql.Null[ids.UUID]{V: u, Valid: true}, sql.Null[ids.UUID]{}),
		trip(e, "sql.Null[Snowflake] with NULL", c.integer, sql.Null[ids.Snowflake]{V: s, Valid: true}, sql.Null[ids.Snowflake]{}),
		trip(e, "sql.Null[Binary[UUID]] with NULL", c.bytes, sql.Null[ids.Binary[ids.UUID]]{V: bu, Valid: true}, sql.Null[ids.Binary[ids.UUID]]{}),
		trip(e, "*UUID with NULL", c.uuidText, &u, nil),
		trip(e, "*ULID with NULL", c.ulidText, &l, nil),
		trip(e, "*Snowflake with NULL", c.integer, &s, nil),
		trip(e, "*Binary[ULID] with NULL", c.bytes, &bl, nil),
		refusesNull[ids.UUID](e, c.uuidText),
		refusesNull[ids.Snowflake](e, c.integer),

		// IN takes a placeholder for each value.
		inList(e, "UUID as text", c.uuidText, ids.AppendV7(nil, 5)),
		inList(e, "Binary[UUID]", c.bytes, binaries(ids.AppendV7(nil, 5), binaryUUID)),
		inList(e, "Binary[ULID]", c.bytes, binaries(ids.AppendULID(nil, 5), binaryULID)),
		inList(e, "Snowflake", c.integer, []ids.Snowflake{ids.NextSnowflake(), ids.NextSnowflake(), ids.NextSnowflake(), ids.NextSnowflake()}),
	}
}

// binaries turns a run of ids into one that is written as 16 bytes each, with wrap as
// [binaryUUID] or [binaryULID].
func binaries[T, B any](run []T, wrap func(T) B) []B {
	out := make([]B, len(run))
	for i, id := range run {
		out[i] = wrap(id)
	}
	return out
}

func binaryUUID(id ids.UUID) ids.Binary[ids.UUID] { return ids.Binary[ids.UUID]{ID: id} }

func binaryULID(id ids.ULID) ids.Binary[ids.ULID] { return ids.Binary[ids.ULID]{ID: id} }

// trip stores each value and reads it back into a variable of the same type.
func trip[T any](e *sqlEngine, name, column string, values ...T) roundTrip {
	return roundTrip{name, func(ctx context.Context) error {
		return e.inTripTable(ctx, column, boxed(values), func(table string) error {
			for i, want := range values {
				var got T
				query := fmt.Sprintf("SELECT id FROM %s WHERE n = %d", table, i)
				err := e.db.QueryRowContext(ctx, query).Scan(&got)
				if err := same(got, want, err); err != nil {
					return err
				}
			}
			return nil
		})
	}}
}

// refusesNull reads a NULL into a T that has no room for one: an error, and one that says what
// to use instead.
func refusesNull[T any](e *sqlEngine, column string) roundTrip {
	name := fmt.Sprintf("%v refuses NULL", reflect.TypeFor[T]())
	return roundTrip{name, func(ctx context.Context) error {
		return e.inTripTable(ctx, column, []any{nil}, func(table string) error {
			var got T
			err := e.db.QueryRowContext(ctx, "SELECT id FROM "+table).Scan(&got)
			if err == nil || !strings.Contains(err.Error(), "Null") {
				return fmt.Errorf("NULL gave %v and the error %v, want one that names ids.Null", got, err)
			}
			return nil
		})
	}}
}

// inList finds all values but the first, which are in ascending order, by an IN list.
func inList[T any](e *sqlEngine, name, column string, values []T) roundTrip {
	return roundTrip{"IN list of " + name, func(ctx context.Context) error {
		return e.inTripTable(ctx, column, boxed(values), func(table string) error {
			want := values[1:]
			places := make([]string, len(want))
			for i := range places {
				places[i] = e.placeholder(i + 1)
			}
			query := fmt.Sprintf("SELECT id FROM %s WHERE id IN (%s) ORDER BY id", table, strings.Join(places, ", "))
			got, err := queryColumn[T](ctx, e.db, query, boxed(want)...)
			return same(got, want, err)
		})
	}}
}

// same returns err, or an error when got is not what was wanted.
func same(got, want any, err error) error {
	if err == nil && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return err
}

// inTripTable stores the values in rows 0, 1, 2, … of a new table and calls f with its name.
func (e *sqlEngine) inTripTable(ctx context.Context, column string, values []any, f func(table string) error) error {
	exec := func(ctx context.Context, query string, args ...any) error {
		_, err := e.db.ExecContext(ctx, query, args...)
		return err
	}
	return withTripTable(ctx, exec, "n INTEGER PRIMARY KEY, id "+column, func(table string) error {
		insert := fmt.Sprintf("INSERT INTO %s (n, id) VALUES (%s, %s)", table, e.placeholder(1), e.placeholder(2))
		for i, v := range values {
			if err := exec(ctx, insert, i, v); err != nil {
				return fmt.Errorf("insert %v: %w", v, err)
			}
		}
		return f(table)
	})
}

// withTripTable creates a table, calls f with its name and drops it, even when ctx has been
// canceled meanwhile.
func withTripTable(ctx context.Context, exec func(ctx context.Context, query string, args ...any) error, columns string, f func(table string) error) (err error) {
	table := tripTable()
	if err := exec(ctx, "DROP TABLE IF EXISTS "+table); err != nil { // of a run that was killed
		return err
	}
	if err := exec(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", table, columns)); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if e := exec(ctx, "DROP TABLE "+table); err == nil {
			err = e
		}
	}()
	return f(table)
}

// queryColumn runs a query of one column and returns its rows.
func queryColumn[T any](ctx context.Context, db *sql.DB, query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
