package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oneclock/ids"
)

// pgSQLRoundTrips are the round trips of PostgreSQL through database/sql: the common ones, and what only
// PostgreSQL has.
func pgSQLRoundTrips(e *pgSQLEngine) []roundTrip {
	v7, ulids := ids.AppendV7(nil, 5), ids.AppendULID(nil, 5)
	snowflakes := []ids.Snowflake{ids.NextSnowflake(), ids.NextSnowflake(), ids.NextSnowflake()}
	common := commonRoundTrips(&e.sqlEngine, columns{bytes: "bytea", uuidText: "uuid", ulidText: `text COLLATE "C"`, integer: "bigint"})
	return append(common,
		trip(&e.sqlEngine, "UUID in a text column", "text", v7[0]),
		trip(&e.sqlEngine, "Binary[UUID] in a uuid column", "uuid", binaryUUID(v7[0])),
		anyArray(e, "UUID", "uuid", v7),
		anyArray(e, "ULID as text", `text COLLATE "C"`, ulids),
		anyArray(e, "Binary[ULID] as bytea", "bytea", binaries(ulids, binaryULID)),
		anyArray(e, "Snowflake", "bigint", snowflakes),
		roundTrip{"ULID in a uuid column, converted by UUID() and ULID()", func(ctx context.Context) error {
			id := ids.NewULID()
			return e.inTripTable(ctx, "uuid", []any{id.UUID()}, func(table string) error {
				var got ids.UUID
				err := e.db.QueryRowContext(ctx, "SELECT id FROM "+table).Scan(&got)
				return same(got.ULID(), id, err)
			})
		}},
		roundTrip{"[]UUID as uuid[]", func(ctx context.Context) error {
			return e.inTripTable(ctx, "uuid[]", []any{v7}, func(table string) error {
				// An argument needs nothing. A scan needs pgx's help, since database/sql has no
				// arrays.
				m := pgtype.NewMap()
				registerIDs(m)
				m.RegisterDefaultPgType(new([]ids.UUID), "_uuid")
				var got []ids.UUID
				err := e.db.QueryRowContext(ctx, "SELECT id FROM "+table).Scan(m.SQLScanner(&got))
				return same(got, v7, err)
			})
		}},
	)
}

// anyArray finds all values but the first by = ANY of one array argument, which needs no
// placeholder for each value.
func anyArray[T any](e *pgSQLEngine, name, column string, values []T) roundTrip {
	return roundTrip{"= ANY($1) with a slice of " + name, func(ctx context.Context) error {
		return e.inTripTable(ctx, column, boxed(values), func(table string) error {
			want := values[1:]
			got, err := queryColumn[T](ctx, e.db, "SELECT id FROM "+table+" WHERE id = ANY($1) ORDER BY id", want)
			return same(got, want, err)
		})
	}}
}

// pgxRoundTrips are those through pgx itself, with registerIDs.
func pgxRoundTrips(e *pgxEngine) []roundTrip {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	v7, ulids := ids.AppendV7(nil, 5), ids.AppendULID(nil, 5)
	snowflakes := []ids.Snowflake{ids.NextSnowflake(), ids.NextSnowflake(), ids.NextSnowflake()}
	return []roundTrip{
		pgxTrip(e, "UUID as uuid", "uuid", u, ids.NilUUID(), ids.MaxUUID()),
		pgxTrip(e, "ULID as uuid", "uuid", l),
		pgxTrip(e, "UUID as text", "text", u),
		pgxTrip(e, "ULID as text", "text", l),
		pgxTrip(e, "Binary[UUID] as bytea", "bytea", binaryUUID(u)),
		pgxTrip(e, "Snowflake as bigint", "bigint", s, 0, 1<<63-1),

		pgxTrip(e, "Null[UUID] with NULL", "uuid", ids.Null[ids.UUID]{ID: u, Valid: true}, ids.Null[ids.UUID]{}),
		pgxTrip(e, "Null[ULID] with NULL, as text", "text", ids.Null[ids.ULID]{ID: l, Valid: true}, ids.Null[ids.ULID]{}),
		pgxTrip(e, "Null[ULID] with NULL, as uuid", "uuid", ids.Null[ids.ULID]{ID: l, Valid: true}, ids.Null[ids.ULID]{}),
		pgxTrip(e, "Null[Snowflake] with NULL", "bigint", ids.Null[ids.Snowflake]{ID: s, Valid: true}, ids.Null[ids.Snowflake]{}),
		pgxTrip(e, "*UUID with NULL", "uuid", &u, nil),
		pgxTrip(e, "*ULID with NULL, as uuid", "uuid", &l, nil),
		pgxTrip(e, "*Snowflake with NULL", "bigint", &s, nil),

		// Arrays: a column of arrays, and = ANY of one.
		pgxTrip(e, "[]UUID as uuid[]", "uuid[]", v7, nil),
		pgxTrip(e, "[]ULID as uuid[]", "uuid[]", ulids, nil),
		pgxTrip(e, "[]ULID as text[]", "text[]", ulids),
		pgxTrip(e, "[]Snowflake as bigint[]", "bigint[]", snowflakes, nil),
		pgxTrip(e, "[]*UUID as uuid[] with NULLs inside", "uuid[]", []*ids.UUID{&u, nil}),
		pgxAnyArray(e, "UUID", "uuid", v7),
		pgxAnyArray(e, "ULID as uuid", "uuid", ulids),
		pgxAnyArray(e, "Snowflake", "bigint", snowflakes),

		{"COPY of a struct with every type", e.copyStructs},
		{"the simple protocol, where arguments travel as text", e.simpleProtocol},
	}
}

// pgxTrip stores each value and reads it back into a variable of the same type.
func pgxTrip[T any](e *pgxEngine, name, column string, values ...T) roundTrip {
	return roundTrip{name, func(ctx context.Context) error {
		return e.inTripTable(ctx, column, boxed(values), func(table string) error {
			for i, want := range values {
				var got T
				err := e.pool.QueryRow(ctx, "SELECT id FROM "+table+" WHERE n = $1", i).Scan(&got)
				if err := same(got, want, err); err != nil {
					return err
				}
			}
			return nil
		})
	}}
}

// pgxAnyArray finds all values but the first by = ANY of one array argument.
func pgxAnyArray[T any](e *pgxEngine, name, column string, values []T) roundTrip {
	return roundTrip{"= ANY($1) with a slice of " + name, func(ctx context.Context) error {
		return e.inTripTable(ctx, column, boxed(values), func(table string) error {
			want := values[1:]
			rows, _ := e.pool.Query(ctx, "SELECT id FROM "+table+" WHERE id = ANY($1) ORDER BY id", want)
			got, err := pgx.CollectRows(rows, pgx.RowTo[T]) // returns the error of Query too
			return same(got, want, err)
		})
	}}
}

// inTripTable stores the values in rows 0, 1, 2, … of a new table and calls f with its name.
func (e *pgxEngine) inTripTable(ctx context.Context, column string, values []any, f func(table string) error) error {
	return withTripTable(ctx, e.exec, "n integer PRIMARY KEY, id "+column, func(table string) error {
		for i, v := range values {
			if err := e.exec(ctx, "INSERT INTO "+table+" (n, id) VALUES ($1, $2)", i, v); err != nil {
				return fmt.Errorf("insert %v: %w", v, err)
			}
		}
		return f(table)
	})
}

func (e *pgxEngine) exec(ctx context.Context, query string, args ...any) error {
	_, err := e.pool.Exec(ctx, query, args...)
	return err
}

// copyStructs writes rows with COPY and reads them back as structs, by the names of the columns.
func (e *pgxEngine) copyStructs(ctx context.Context) error {
	type order struct {
		ID     ids.UUID
		Event  ids.ULID // in a uuid column
		Code   ids.ULID // in a text column
		Number ids.Snowflake
		Parent *ids.UUID
		Tags   []ids.UUID
	}
	want := make([]order, 100)
	for i := range want {
		want[i] = order{ID: ids.NewV7(), Event: ids.NewULID(), Code: ids.NewULID(), Number: ids.NextSnowflake(), Tags: ids.AppendV4(nil, 2)}
		if i > 0 {
			want[i].Parent = &want[i-1].ID
		}
	}
	columns := []string{"id", "event", "code", "number", "parent", "tags"}
	types := "id uuid PRIMARY KEY, event uuid, code text, number bigint, parent uuid, tags uuid[]"
	return withTripTable(ctx, e.exec, types, func(table string) error {
		source := pgx.CopyFromSlice(len(want), func(i int) ([]any, error) {
			o := want[i]
			return []any{o.ID, o.Event, o.Code, o.Number, o.Parent, o.Tags}, nil
		})
		if _, err := e.pool.CopyFrom(ctx, pgx.Identifier{table}, columns, source); err != nil {
			return err
		}
		rows, _ := e.pool.Query(ctx, "SELECT * FROM "+table+" ORDER BY id")
		got, err := pgx.CollectRows(rows, pgx.RowToStructByName[order])
		return same(got, want, err)
	})
}

// simpleProtocol sends the arguments inside the text of the query, as connection poolers that
// cannot prepare need it.
func (e *pgxEngine) simpleProtocol(ctx context.Context) error {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	var gotU ids.UUID
	var gotL ids.ULID
	var gotS ids.Snowflake
	err := e.pool.QueryRow(ctx, "SELECT $1::uuid, $2::uuid, $3::bigint", pgx.QueryExecModeSimpleProtocol, u, l.UUID(), s).Scan(&gotU, &gotL, &gotS)
	return same([]any{gotU, gotL, gotS}, []any{u, l, s}, err)
}
