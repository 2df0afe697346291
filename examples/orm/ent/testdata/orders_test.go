// Package ent_test is compiled by TestEnt, together with the code that ent generates from the schema.
package ent_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
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

func newDigest() schema.BinaryUUID {
	return schema.BinaryUUID{Binary: ids.Binary[ids.UUID]{ID: ids.NewV4()}}
}

// create begins an order with the two fields that have no default.
func create(client *ent.Client) *ent.OrderCreate {
	return client.Order.Create().
		SetDigest(newDigest()).
		SetTrace(schema.BinaryULID{Binary: ids.Binary[ids.ULID]{ID: ids.NewULID()}})
}

// checkSame compares the fields of two orders, through JSON: it shows pointers as what they point to, and leaves out
// what ent keeps in an order besides its fields.
func checkSame(t *testing.T, what string, got, want *ent.Order) {
	t.Helper()
	gotJSON, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(gotJSON, wantJSON) {
		t.Errorf("%s: got %s, want %s", what, gotJSON, wantJSON)
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
		SetReplyTo(first.Event).
		SetNext(first.Number).
		SetRefund(newDigest()).
		SetParent(schema.NullUUID{Null: ids.Null[ids.UUID]{ID: first.ID, Valid: true}}).
		SetCause(schema.NullULID{Null: ids.Null[ids.ULID]{ID: first.Event, Valid: true}}).
		SetPrevious(schema.NullSnowflake{Null: ids.Null[ids.Snowflake]{ID: first.Number, Valid: true}}).
		SaveX(ctx)
	checkNull(t, client.Order.GetX(ctx, first.ID))

	for _, want := range []*ent.Order{first, second} {
		checkSame(t, "Get", client.Order.GetX(ctx, want.ID), want)
		checkSame(t, "by event", client.Order.Query().Where(order.Event(want.Event)).OnlyX(ctx), want)
		checkSame(t, "by number", client.Order.Query().Where(order.Number(want.Number)).OnlyX(ctx), want)
		checkSame(t, "by digest", client.Order.Query().Where(order.DigestEQ(want.Digest)).OnlyX(ctx), want)
		checkSame(t, "by trace", client.Order.Query().Where(order.TraceEQ(want.Trace)).OnlyX(ctx), want)
	}
	checkSame(t, "by root", client.Order.Query().Where(order.RootEQ(first.ID)).OnlyX(ctx), second)
	checkSame(t, "no root", client.Order.Query().Where(order.RootIsNil()).OnlyX(ctx), first)
	checkSame(t, "by reply_to", client.Order.Query().Where(order.ReplyToIn(first.Event, second.Event)).OnlyX(ctx), second)
	checkSame(t, "by next", client.Order.Query().Where(order.NextIn(first.Number, second.Number)).OnlyX(ctx), second)
	checkSame(t, "by refund", client.Order.Query().Where(order.RefundIn(*second.Refund, newDigest())).OnlyX(ctx), second)
	checkSame(t, "by parent", client.Order.Query().Where(order.ParentEQ(second.Parent)).OnlyX(ctx), second)
	checkSame(t, "no parent", client.Order.Query().Where(order.ParentIsNil()).OnlyX(ctx), first)
	checkSame(t, "by cause", client.Order.Query().Where(order.CauseEQ(second.Cause)).OnlyX(ctx), second)
	checkSame(t, "by previous", client.Order.Query().Where(order.PreviousEQ(second.Previous)).OnlyX(ctx), second)

	// An update to NULL, in both ways that a Null has, and back.
	second.Update().
		ClearRoot().ClearReplyTo().ClearNext().ClearRefund().
		ClearParent().SetCause(schema.NullULID{}).SetPrevious(schema.NullSnowflake{}).
		ExecX(ctx)
	cleared := client.Order.GetX(ctx, second.ID)
	checkNull(t, cleared)
	if n := client.Order.Query().Where(order.ParentIsNil(), order.CauseIsNil(), order.PreviousIsNil()).CountX(ctx); n != 2 {
		t.Errorf("%d orders with NULL in them, want 2", n)
	}
	cleared.Update().
		SetNillableRoot(second.Root).SetNillableReplyTo(second.ReplyTo).SetNillableNext(second.Next).SetNillableRefund(second.Refund).
		SetParent(second.Parent).SetCause(second.Cause).SetPrevious(second.Previous).
		ExecX(ctx)
	checkSame(t, "set again", client.Order.GetX(ctx, second.ID), second)
}

// checkNull wants an order that is NULL wherever it can be.
func checkNull(t *testing.T, o *ent.Order) {
	t.Helper()
	if o.Root != nil || o.ReplyTo != nil || o.Next != nil || o.Refund != nil || o.Parent.Valid || o.Cause.Valid || o.Previous.Valid {
		t.Errorf("not NULL everywhere: %v", o)
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
