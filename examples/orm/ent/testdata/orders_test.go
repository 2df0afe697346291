// Package ent_test is compiled by TestEnt, together with the code that ent generates from the schema.
package ent_test

import (
	"database/sql"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver" // and driver "mysql"
	"github.com/oneclock/ids/examples/orm/ent"
	"github.com/oneclock/ids/examples/orm/ent/order"
	"github.com/oneclock/ids/examples/orm/ent/predicate"
	"github.com/oneclock/ids/examples/orm/ent/schema"
	_ "modernc.org/sqlite" // driver "sqlite"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	testEngine(t, dialect.SQLite, "sqlite", "file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "ent.db"))+"?_pragma=foreign_keys(1)", columns{
		query: "SELECT typeof(id), length(id), typeof(event), length(event), typeof(number), typeof(digest), length(digest) FROM orders",
		want:  "text 36 text 26 integer blob 16",
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	testEngine(t, dialect.Postgres, "pgx", dbserver.Postgres(t), columns{
		query: "SELECT pg_typeof(id), pg_typeof(event), length(event), pg_typeof(number), pg_typeof(digest), length(digest) FROM orders",
		want:  "uuid character varying 26 bigint bytea 16",
	})
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	// ent wants the driver to parse times, whether there are any or not.
	testEngine(t, dialect.MySQL, "mysql", dbserver.MariaDB(t)+"?parseTime=true", columns{
		query: "SELECT length(id), length(event), number > 0, length(digest), " +
			"(SELECT group_concat(column_type ORDER BY column_name) FROM information_schema.columns WHERE table_name = 'orders' AND column_name IN ('id', 'event', 'number', 'digest')) FROM orders",
		want: "36 26 1 16 binary(16),varchar(255),uuid,bigint(20)",
	})
}

// columns is a query that tells how the columns of the only order are stored, and its answer.
type columns struct{ query, want string }

// testEngine runs the tests on a database, each in empty tables.
func testEngine(t *testing.T, dialectName, driver, source string, c columns) {
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	client := ent.NewClient(ent.Driver(entsql.OpenDB(dialectName, db)))
	t.Cleanup(func() { client.Close() })
	for name, test := range map[string]func(t *testing.T){
		"fields":  func(t *testing.T) { testFields(t, client) },
		"range":   func(t *testing.T) { testRangeByTime(t, client) },
		"columns": func(t *testing.T) { testColumns(t, client, db, c) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := client.Schema.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			client.Order.Delete().ExecX(t.Context())
			test(t)
		})
	}
}

// create begins an order with the field that has no default.
func create(client *ent.Client) *ent.OrderCreate { return client.Order.Create().SetDigest(newDigest()) }

func newDigest() schema.BinaryUUID {
	return schema.BinaryUUID{Binary: ids.Binary[ids.UUID]{ID: ids.NewV4()}}
}

// checkSame compares the fields of two orders, by their text, which shows pointers as what they point to.
func checkSame(t *testing.T, what string, got, want *ent.Order) {
	t.Helper()
	if got.String() != want.String() {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func testFields(t *testing.T, client *ent.Client) {
	ctx := t.Context()
	// The id, event and number come from the defaults of the schema. What is not set is NULL.
	first := create(client).SaveX(ctx)
	if first.ID.Version() != 7 || first.Event.IsZero() || first.Number == 0 {
		t.Errorf("defaults: got %v", first)
	}
	second := create(client).
		SetRoot(first.ID).
		SetRefund(newDigest()).
		SetParent(schema.NullUUID{Null: ids.Null[ids.UUID]{ID: first.ID, Valid: true}}).
		SetPrevious(schema.NullSnowflake{Null: ids.Null[ids.Snowflake]{ID: first.Number, Valid: true}}).
		SaveX(ctx)
	for _, want := range []*ent.Order{first, second} {
		checkSame(t, "Get", client.Order.GetX(ctx, want.ID), want)
		checkSame(t, "by event", client.Order.Query().Where(order.EventIn(want.Event, ids.NewULID())).OnlyX(ctx), want)
		checkSame(t, "by number", client.Order.Query().Where(order.Number(want.Number)).OnlyX(ctx), want)
		checkSame(t, "by digest", client.Order.Query().Where(order.DigestIn(want.Digest, newDigest())).OnlyX(ctx), want)
	}
	checkSame(t, "by root", client.Order.Query().Where(order.RootEQ(first.ID)).OnlyX(ctx), second)
	checkSame(t, "no root", client.Order.Query().Where(order.RootIsNil()).OnlyX(ctx), first)
	checkSame(t, "by refund", client.Order.Query().Where(order.RefundEQ(*second.Refund)).OnlyX(ctx), second)
	checkSame(t, "by parent", client.Order.Query().Where(order.ParentEQ(second.Parent)).OnlyX(ctx), second)
	checkSame(t, "by previous", client.Order.Query().Where(order.PreviousEQ(second.Previous)).OnlyX(ctx), second)

	// An update to NULL, in both ways that a Null has.
	second.Update().ClearRoot().ClearRefund().ClearParent().SetPrevious(schema.NullSnowflake{}).ExecX(ctx)
	null := []predicate.Order{order.RootIsNil(), order.RefundIsNil(), order.ParentIsNil(), order.PreviousIsNil()}
	if n := client.Order.Query().Where(null...).CountX(ctx); n != 2 {
		t.Errorf("%d orders are NULL wherever they may be, want 2", n)
	}
}

func testRangeByTime(t *testing.T, client *ent.Client) {
	ctx := t.Context()
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	var all []ids.UUID
	for hour := range 10 {
		id, err := ids.NewV7At(start.Add(time.Duration(hour) * time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		create(client).SetID(id).SaveX(ctx)
		all = append(all, id)
	}
	got := client.Order.Query().
		Where(order.IDGTE(ids.MinV7At(start.Add(3*time.Hour))), order.IDLTE(ids.MaxV7At(start.Add(5*time.Hour)))).
		Order(order.ByID()).
		IDsX(ctx)
	if !reflect.DeepEqual(got, all[3:6]) {
		t.Errorf("got %v, want %v", got, all[3:6])
	}
	if got := client.Order.Query().Where(order.IDIn(all[7], all[2])).Order(order.ByID()).IDsX(ctx); !reflect.DeepEqual(got, []ids.UUID{all[2], all[7]}) {
		t.Errorf("IN list: got %v", got)
	}
}

// testColumns checks that the 16 bytes are bytes in the database and that the rest is what the types write.
func testColumns(t *testing.T, client *ent.Client, db *sql.DB, c columns) {
	create(client).SaveX(t.Context())
	rows, err := db.QueryContext(t.Context(), c.query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	words, targets := make([]string, len(names)), make([]any, len(names))
	for i := range words {
		targets[i] = &words[i]
	}
	if !rows.Next() {
		t.Fatalf("no order: %v", rows.Err())
	}
	if err := rows.Scan(targets...); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(words, " "); got != c.want {
		t.Errorf("stored as %s, want %s", got, c.want)
	}
}
