package database

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/lib/pq"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// TestPQ passes IDs to PostgreSQL through lib/pq, which needs pq.Array to read an array, and sends
// the bytes of a Binary as text.
func TestPQ(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("postgres", dbserver.Postgres(t)+"&sslmode=disable")
	must.Do(t, err)
	t.Cleanup(func() { db.Close() })
	d := sqlDatabase(db, func(i int) string { return fmt.Sprintf("$%d", i) })
	all := v7s(t)
	trip(t, d, "UUID", "uuid", all...)
	trip(t, d, "Null[UUID]", "uuid", ids.Null[ids.UUID]{ID: all[0], Valid: true}, ids.Null[ids.UUID]{})
	trip(t, d, "Snowflake", "bigint", snowflakes(t)...)
	table := d.table(t, "uuid", boxed(all))
	got, err := read[ids.UUID](t, d, "SELECT id FROM "+table+" WHERE id = ANY($1) ORDER BY id", pq.Array(all[1:]))
	same(t, got, all[1:], err)
	// From lib/pq 1.11 on, a plain slice works, too.
	got, err = read[ids.UUID](t, d, "SELECT id FROM "+table+" WHERE id = ANY($1) ORDER BY id", all[1:])
	same(t, got, all[1:], err)
	lists, err := readBy(t, d, func(v *[]ids.UUID) any { return pq.Array(v) }, "SELECT array_agg(id ORDER BY id) FROM "+table)
	same(t, lists, [][]ids.UUID{all}, err)
	err = d.exec(t.Context(), "INSERT INTO "+table+" (n, id) VALUES (99, $1)", ids.MaxUUID().Binary())
	if err == nil || !strings.Contains(err.Error(), `invalid byte sequence for encoding "UTF8"`) {
		t.Errorf("a Binary in a uuid column: error %v", err)
	}
}

// TestBun stores IDs through bun, which needs the type of a column in a tag, and a Null for NULL.
// With nullzero on a plain ID, it stores the row and then returns an error, so that the caller
// assumes a failure.
func TestBun(t *testing.T) {
	t.Parallel()
	sqldb, err := sql.Open("pgx", dbserver.Postgres(t))
	must.Do(t, err)
	t.Cleanup(func() { sqldb.Close() })
	db := bun.NewDB(sqldb, pgdialect.New())

	type order struct {
		ID     ids.UUID           `bun:"id,pk,type:uuid"`
		Parent ids.Null[ids.UUID] `bun:"parent,type:uuid"`
		Number ids.Snowflake      `bun:"number"`
	}
	_, err = db.NewCreateTable().Model((*order)(nil)).Exec(t.Context())
	must.Do(t, err)
	first := order{ID: ids.NewV7(), Number: 65}
	second := order{ID: ids.NewV7(), Parent: ids.Null[ids.UUID]{ID: first.ID, Valid: true}, Number: 66}
	want := []order{first, second}
	_, err = db.NewInsert().Model(&want).Exec(t.Context())
	must.Do(t, err)
	var got []order
	err = db.NewSelect().Model(&got).Where("id IN (?)", bun.In([]ids.UUID{first.ID, second.ID})).Order("id").Scan(t.Context())
	same(t, got, []order{first, second}, err)

	type untagged struct {
		ID     ids.UUID
		Parent ids.Null[ids.UUID]
	}
	text := db.NewCreateTable().Model((*untagged)(nil)).String()
	if !strings.Contains(text, `"id" BYTEA`) || !strings.Contains(text, `"parent" JSONB`) {
		t.Errorf("without a tag bun makes %s", text)
	}

	type nullzero struct {
		bun.BaseModel `bun:"table:orders"`
		ID            ids.UUID `bun:"id,pk"`
		Parent        ids.UUID `bun:"parent,nullzero"`
	}
	_, err = db.NewInsert().Model(&nullzero{ID: ids.NewV7()}).Exec(t.Context())
	if err == nil || !strings.Contains(err.Error(), "NULL") {
		t.Errorf("nullzero: error %v", err)
	}
	n, err := db.NewSelect().Model((*order)(nil)).Count(t.Context())
	same(t, n, 3, err)
}
