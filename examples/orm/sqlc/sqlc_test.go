package sqlc

import (
	"context"
	"database/sql"
	_ "embed"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oneclock/ids"
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

func openSQLite(t *testing.T) *sqlite.Queries {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "sqlc.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.ExecContext(t.Context(), sqliteSchema); err != nil {
		t.Fatal(err)
	}
	return sqlite.New(db)
}

func openPostgres(t *testing.T) *postgres.Queries {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dbserver.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), postgresSchema); err != nil {
		t.Fatal(err)
	}
	return postgres.New(conn)
}

// check compares what a query gave with what was wanted.
func check[T any](t *testing.T, what string, got T, err error, want T) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, %v, want %v", what, got, err, want)
	}
}

// hours returns n ids, one for each hour from start.
func hours(t *testing.T, start time.Time, n int) []ids.UUID {
	t.Helper()
	out := make([]ids.UUID, n)
	for i := range out {
		var err error
		if out[i], err = ids.NewV7At(start.Add(time.Duration(i) * time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func TestSQLite(t *testing.T) {
	ctx, q := t.Context(), openSQLite(t)
	all := hours(t, start, 10)
	var orders []sqlite.Order
	for i, id := range all {
		order := sqlite.CreateOrderParams{
			ID:     id,
			Event:  ids.NewULID(),
			Number: ids.NextSnowflake(),
			Digest: ids.NewV4().Binary(),
			Trace:  ulid.Binary{ID: ids.NewULID()},
		}
		if i > 0 { // the first has NULL wherever it can
			order.Parent = uuid.Null{ID: all[0], Valid: true}
			order.Cause = ulid.Null{ID: orders[0].Event, Valid: true}
			order.Previous = snowflake.Null{ID: orders[0].Number, Valid: true}
			order.Refund = &orders[0].Digest
		}
		created, err := q.CreateOrder(ctx, order)
		check(t, "CreateOrder", sqlite.CreateOrderParams(created), err, order)
		orders = append(orders, created)

		got, err := q.GetOrder(ctx, id)
		check(t, "GetOrder", got, err, created)
		got, err = q.GetOrderByDigest(ctx, created.Digest)
		check(t, "GetOrderByDigest", got, err, created)
	}
	some, err := q.ListOrders(ctx, []ids.UUID{all[7], all[2], ids.NewV7()})
	check(t, "ListOrders", some, err, []sqlite.Order{orders[2], orders[7]})
	between, err := q.ListOrdersBetween(ctx, sqlite.ListOrdersBetweenParams{
		From: ids.MinV7At(start.Add(3 * time.Hour)),
		To:   ids.MaxV7At(start.Add(5 * time.Hour)),
	})
	check(t, "ListOrdersBetween", between, err, all[3:6])
	children, err := q.ListOrdersOfParent(ctx, uuid.Null{ID: all[0], Valid: true})
	check(t, "ListOrdersOfParent", children, err, all[1:])
}

// TestSQLiteText stores the ULIDs that look like numbers: the types of the schema keep them text.
func TestSQLiteText(t *testing.T) {
	ctx, q := t.Context(), openSQLite(t)
	for _, text := range []string{"00000000000000000000000000", "01234567890123456789012345", "0123456789012345678901E123"} {
		event := ids.MustParseULID(text)
		order := sqlite.CreateOrderParams{ID: ids.NewV7(), Event: event, Number: ids.NextSnowflake(), Cause: ulid.Null{ID: event, Valid: true}}
		created, err := q.CreateOrder(ctx, order)
		check(t, text, sqlite.CreateOrderParams(created), err, order)
	}
}

func TestPostgres(t *testing.T) {
	ctx, q := t.Context(), openPostgres(t)
	all := hours(t, start, 10)
	var orders []postgres.Order
	var rest []postgres.CopyOrdersParams
	for i, id := range all {
		order := postgres.CreateOrderParams{ID: id, Event: ids.NewULID(), Number: ids.NextSnowflake()}
		if i == 0 { // the first has NULL wherever it can, and is inserted
			created, err := q.CreateOrder(ctx, order)
			check(t, "CreateOrder", postgres.CreateOrderParams(created), err, order)
		} else { // the others are copied
			order.Parent = uuid.Null{ID: all[0], Valid: true}
			order.Cause = ulid.Null{ID: orders[0].Event, Valid: true}
			order.Previous = snowflake.Null{ID: orders[0].Number, Valid: true}
			rest = append(rest, postgres.CopyOrdersParams(order))
		}
		orders = append(orders, postgres.Order(order))
	}
	n, err := q.CopyOrders(ctx, rest)
	check(t, "CopyOrders", n, err, int64(len(rest)))
	for i, want := range orders {
		got, err := q.GetOrder(ctx, all[i])
		check(t, "GetOrder", got, err, want)
	}
	some, err := q.ListOrders(ctx, []ids.UUID{all[7], all[2], ids.NewV7()})
	check(t, "ListOrders", some, err, []postgres.Order{orders[2], orders[7]})
	between, err := q.ListOrdersBetween(ctx, postgres.ListOrdersBetweenParams{
		From: ids.MinV7At(start.Add(3 * time.Hour)),
		To:   ids.MaxV7At(start.Add(5 * time.Hour)),
	})
	check(t, "ListOrdersBetween", between, err, all[3:6])
}
