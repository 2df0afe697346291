package sqlc

import (
	"context"
	"database/sql"
	_ "embed"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/orm/sqlc/postgres"
	"github.com/oneclock/ids/examples/orm/sqlc/sqlite"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	_ "modernc.org/sqlite" // driver "sqlite"
)

//go:embed sqlite/schema.sql
var sqliteSchema string

//go:embed postgres/schema.sql
var postgresSchema string

// check compares what a query gave with what was wanted.
func check[T any](t *testing.T, what string, got T, err error, want T) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, %v, want %v", what, got, err, want)
	}
}

// TestSQLite stores an order with everything and orders with NULL wherever there may be one. Their ULIDs look like
// numbers: the types of the schema keep them text.
func TestSQLite(t *testing.T) {
	ctx := t.Context()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "sqlc.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, sqliteSchema); err != nil {
		t.Fatal(err)
	}
	q := sqlite.New(db)
	digest := uuid.NewV4().Binary()
	var orders []sqlite.Order
	for i, text := range []string{"00000000000000000000000000", "01234567890123456789012345", "0123456789012345678901E123"} {
		event := ulid.MustParse(text)
		order := sqlite.CreateOrderParams{ID: uuid.NewV7(), Event: event, Number: snowflake.Next(), Digest: digest, Trace: ulid.Make().Binary()}
		if i > 0 {
			order.Parent = uuid.Null{ID: order.ID, Valid: true}
			order.Cause = ulid.Null{ID: event, Valid: true}
			order.Previous = snowflake.Null{ID: order.Number, Valid: true}
			order.Refund = &digest
		}
		created, err := q.CreateOrder(ctx, order)
		check(t, "CreateOrder", sqlite.CreateOrderParams(created), err, order)
		orders = append(orders, created)
	}
	some, err := q.ListOrders(ctx, []uuid.UUID{orders[2].ID, orders[0].ID, uuid.NewV7()})
	check(t, "ListOrders", some, err, []sqlite.Order{orders[0], orders[2]})
}

// TestPostgres does the same in PostgreSQL, with pgx.
func TestPostgres(t *testing.T) {
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, dbserver.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, postgresSchema); err != nil {
		t.Fatal(err)
	}
	q := postgres.New(conn)
	var orders []postgres.Order
	for i := range 3 {
		order := postgres.CreateOrderParams{ID: uuid.NewV7(), Event: ulid.Make(), Number: snowflake.Next()}
		if i > 0 {
			order.Parent = uuid.Null{ID: order.ID, Valid: true}
			order.Cause = ulid.Null{ID: order.Event, Valid: true}
			order.Previous = snowflake.Null{ID: order.Number, Valid: true}
		}
		created, err := q.CreateOrder(ctx, order)
		check(t, "CreateOrder", postgres.CreateOrderParams(created), err, order)
		orders = append(orders, created)
	}
	some, err := q.ListOrders(ctx, []uuid.UUID{orders[2].ID, orders[0].ID, uuid.NewV7()})
	check(t, "ListOrders", some, err, []postgres.Order{orders[0], orders[2]})
}
