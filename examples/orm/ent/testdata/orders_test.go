// Package ent_test is compiled by TestEnt, together with the code that ent generates from the schema.
package ent_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/orm/ent"
	"github.com/oneclock/ids/examples/orm/ent/order"
	"github.com/oneclock/ids/examples/orm/ent/predicate"
	"github.com/oneclock/ids/examples/orm/ent/schema"
	"github.com/oneclock/ids/examples/orm/ent/user"
	_ "modernc.org/sqlite" // driver "sqlite"
)

func TestOrders(t *testing.T) {
	ctx := t.Context()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "ent.db"))+"?_pragma=foreign_keys(1)")
	must.Do(t, err)
	client := ent.NewClient(ent.Driver(entsql.OpenDB(dialect.SQLite, db)))
	t.Cleanup(func() { client.Close() })
	must.Do(t, client.Schema.Create(ctx))

	// ID, event and number have the schema's defaults. Fields that are not set are NULL.
	newDigest := func() schema.BinaryUUID { return schema.BinaryUUID{Binary: ids.NewV4().Binary()} }
	create := func() *ent.OrderCreate { return client.Order.Create().SetDigest(newDigest()) }
	first := create().SaveX(ctx)
	if first.ID.Version() != 7 || first.Event.IsZero() || first.Number == 0 {
		t.Errorf("defaults: got %v", first)
	}
	second := create().
		SetRoot(first.ID).
		SetRefund(newDigest()).
		SetParent(schema.NullUUID{Null: ids.Null[ids.UUID]{ID: first.ID, Valid: true}}).
		SetPrevious(schema.NullSnowflake{Null: ids.Null[ids.Snowflake]{ID: first.Number, Valid: true}}).
		SaveX(ctx)
	check := func(want *ent.Order, where predicate.Order) {
		t.Helper()
		// The text shows the values behind pointers.
		if got := client.Order.Query().Where(where).OnlyX(ctx); got.String() != want.String() {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	for _, want := range []*ent.Order{first, second} {
		check(want, order.ID(want.ID))
		check(want, order.EventIn(want.Event, ids.NewULID()))
		check(want, order.Number(want.Number))
		check(want, order.DigestIn(want.Digest, newDigest()))
	}
	check(second, order.RootEQ(first.ID))
	check(first, order.And(order.RootIsNil(), order.RefundIsNil(), order.ParentIsNil(), order.PreviousIsNil()))
	check(second, order.RefundEQ(*second.Refund))
	check(second, order.ParentEQ(second.Parent))
	check(second, order.PreviousEQ(second.Previous))

	// An ID of its own type, an array.
	u := client.User.Create().SaveX(ctx)
	query := func() *ent.UserQuery { return client.User.Query().Where(user.IDIn(u.ID, schema.NewUserID())) }
	all := query().IDsX(ctx)
	if !query().ExistX(ctx) || len(all) != 1 || all[0] != u.ID || query().FirstIDX(ctx) != u.ID || query().OnlyIDX(ctx) != u.ID {
		t.Errorf("Exist, IDs %v, FirstID or OnlyID do not find %v", all, u.ID)
	}
	// A struct is found by a query, but not by the methods about which README warns.
	guest := client.Guest.Create().SetID(schema.GuestID{UUID: ids.NewV7()}).SaveX(ctx)
	if got := client.Guest.GetX(ctx, guest.ID); got.ID != guest.ID {
		t.Errorf("got %v, want %v", got, guest)
	}
	_, err = client.Guest.Query().Exist(ctx)
	_, err1 := client.Guest.Query().IDs(ctx)
	_, err2 := client.Guest.Query().FirstID(ctx)
	_, err3 := client.Guest.Query().OnlyID(ctx)
	for _, err := range []error{err, err1, err2, err3} {
		if err == nil || !strings.Contains(err.Error(), "missing struct field") {
			t.Errorf("an id that is a struct: error %v", err)
		}
	}

	// The 16 bytes are bytes in the database; the other fields are stored in their types' own
	// forms.
	var stored string
	must.Do(t, db.QueryRowContext(ctx, "SELECT concat_ws(' ', typeof(id), typeof(event), typeof(number), typeof(digest), length(digest)) FROM orders").Scan(&stored))
	if want := "text text integer blob 16"; stored != want {
		t.Errorf("stored as %s, want %s", stored, want)
	}
}
