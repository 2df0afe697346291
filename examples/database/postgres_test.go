package database

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
)

// testPostgresSQL stores types that only PostgreSQL has, through database/sql.
func testPostgresSQL(t *testing.T, d *database) {
	trip(t, d, "UUID in a text column", "text", ids.NewV7())
	trip(t, d, "Binary[UUID] in a uuid column", "uuid", ids.NewV7().Binary())
	anyOf(t, d, "UUID", "uuid", v7s(t))
	anyOf(t, d, "ULID as text", `text COLLATE "C"`, ulids(t))
	anyOf(t, d, "Snowflake", "bigint", snowflakes(t))
	testConverted(t, d)
	t.Run("[]UUID as uuid[]", func(t *testing.T) {
		// An argument needs no help. A scan needs pgx's help, because database/sql has no arrays.
		m := pgtype.NewMap()
		m.RegisterDefaultPgType(new([]ids.UUID), "_uuid")
		want := v7s(t)
		got, err := readBy(t, d, func(v *[]ids.UUID) any { return m.SQLScanner(v) }, "SELECT id FROM "+d.table(t, "uuid[]", []any{want}))
		same(t, got, [][]ids.UUID{want}, err)
	})
}

// anyOf finds all but the first of some ascending IDs by = ANY with one array.
func anyOf[T any](t *testing.T, d *database, name, column string, all []T) {
	t.Run("= ANY($1) with a slice of "+name, func(t *testing.T) {
		got, err := read[T](t, d, "SELECT id FROM "+d.table(t, column, boxed(all))+" WHERE id = ANY($1) ORDER BY id", all[1:])
		same(t, got, all[1:], err)
	})
}

// testConverted stores a ULID in a uuid column, converted by UUID and ULID. The column does not
// accept the ULID's own text.
func testConverted(t *testing.T, d *database) {
	t.Run("ULID in a uuid column", func(t *testing.T) {
		id := ids.NewULID()
		table := d.table(t, "uuid", []any{id.UUID()})
		got, err := read[ids.UUID](t, d, "SELECT id FROM "+table)
		same(t, mapped(got, ids.UUID.ULID), []ids.ULID{id}, err)
		if err := d.exec(t.Context(), "INSERT INTO "+table+" (n, id) VALUES (1, $1)", id); err == nil {
			t.Error("a ULID that is not converted is accepted")
		}
	})
}

// testPgx stores IDs through pgx itself.
func testPgx(t *testing.T, pool *pgxpool.Pool) {
	d := pgxDatabase(pool)
	u := ids.NewV7()
	trip(t, d, "UUID as uuid", "uuid", u, ids.NilUUID(), ids.MaxUUID())
	trip(t, d, "Null[UUID]", "uuid", ids.Null[ids.UUID]{ID: u, Valid: true}, ids.Null[ids.UUID]{})
	trip(t, d, "[]UUID as uuid[]", "uuid[]", v7s(t), nil)
	trip(t, d, "[]Snowflake as bigint[]", "bigint[]", snowflakes(t), nil)
	trip(t, d, "[]*UUID with NULLs inside", "uuid[]", []*ids.UUID{&u, nil})
	anyOf(t, d, "UUID", "uuid", v7s(t))
	testConverted(t, d)
	const micros = "SELECT (extract(epoch FROM %s) * 1000000)::bigint FROM (SELECT $1::%s AS id) t"
	v7 := v7s(t)[0]
	timeInSQL(t, d, micros, `to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`, "uuid", v7)
	timeInSQL(t, d, micros, `to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`, "uuid", ulids(t)[0].UUID())
	timeInSQL(t, d, micros, `to_timestamp(('x' || encode(substring(id FOR 6), 'hex'))::bit(48)::bigint / 1000.0)`, "bytea", v7.Binary())
	timeInSQL(t, d, micros, `to_timestamp(((id >> 22) + 1288834974657) / 1000.0)`, "bigint", numbered(t, hour(0), 7, 5))
	nodesInSQL(t, d)
	t.Run("COPY", func(t *testing.T) { testCopy(t, pool) })
}

// testCopy writes rows with COPY and reads them back as structs, by the names of the columns.
func testCopy(t *testing.T, pool *pgxpool.Pool) {
	type order struct {
		ID     ids.UUID
		Event  ids.ULID
		Number ids.Snowflake
		Parent *ids.UUID
		Tags   []ids.UUID
	}
	want := make([]order, 100)
	for i := range want {
		want[i] = order{ID: ids.NewV7(), Event: ids.NewULID(), Number: ids.NextSnowflake(), Tags: ids.AppendV4(nil, 2)}
		if i > 0 {
			want[i].Parent = &want[i-1].ID
		}
	}
	ctx := t.Context()
	const types = "id uuid PRIMARY KEY, event text, number bigint, parent uuid, tags uuid[]"
	_, err := pool.Exec(ctx, "CREATE TABLE copied ("+types+")")
	must.Do(t, err)
	source := pgx.CopyFromSlice(len(want), func(i int) ([]any, error) {
		o := want[i]
		return []any{o.ID, o.Event, o.Number, o.Parent, o.Tags}, nil
	})
	columns := []string{"id", "event", "number", "parent", "tags"}
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"copied"}, columns, source)
	must.Do(t, err)
	r, _ := pool.Query(ctx, "SELECT * FROM copied ORDER BY id")
	got, err := pgx.CollectRows(r, pgx.RowToStructByName[order]) // also returns Query's error
	same(t, got, want, err)
}
