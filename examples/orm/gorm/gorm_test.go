// Package gorm checks that IDs can be fields of GORM models without extra code.
package gorm

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/glebarez/sqlite" // GORM's dialect of SQLite, in pure Go
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// Order has a field of every type. The tags are only for AutoMigrate, which guesses a column's type
// from the value that the zero value stores; a Null stores NULL. README lists the guesses.
type Order struct {
	ID       ids.UUID `gorm:"type:char(36)"` // the primary key, because of its name
	Event    ids.ULID `gorm:"type:char(26)"`
	Number   ids.Snowflake
	Digest   ids.Binary[ids.UUID]
	Trace    ids.Binary[ids.ULID]
	Parent   ids.Null[ids.UUID] `gorm:"type:char(36)"`
	Cause    ids.Null[ids.ULID] `gorm:"type:char(26)"`
	Previous ids.Null[ids.Snowflake]
	Refund   *ids.UUID `gorm:"type:char(36)"`
	Replaces *ids.Binary[ids.UUID]
	Items    []Item
}

// Item belongs to an order by OrderID.
type Item struct {
	// Otherwise, AutoMigrate makes the column count by itself, as for any integer key.
	ID      ids.Snowflake `gorm:"autoIncrement:false"`
	OrderID ids.UUID      `gorm:"type:char(36)"`
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Open(filepath.Join(t.TempDir(), "gorm.db")))
	testModel(t, db)
	testGuesses(t, db, map[string]string{
		"id": "text", "event": "text", "number": "integer", "digest": "blob",
		"parent": "blob", "cause": "blob", "previous": "integer", "refund": "text",
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	db := open(t, postgres.Open(dbserver.Postgres(t)))
	testModel(t, db)
	testGuesses(t, db, map[string]string{
		"id": "text", "event": "text", "number": "int8", "digest": "bytea",
		"parent": "bytea", "cause": "bytea", "previous": "int8", "refund": "text",
	})
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	db := open(t, mysql.Open(dbserver.MariaDB(t)))
	testModel(t, db)
	testGuesses(t, db, map[string]string{
		"id": "varchar", "event": "longtext", "number": "bigint", "digest": "longblob",
		"parent": "longblob", "cause": "longblob", "previous": "bigint", "refund": "longtext",
	})

	// The smallest type for UUIDs that both MariaDB and MySQL have.
	type Native struct {
		ID ids.Binary[ids.UUID] `gorm:"type:binary(16)"`
	}
	migrate(t, db, &Native{})
	row, got := Native{ids.NewV7().Binary()}, Native{}
	must.Do(t, db.Create([]Native{{ids.NewV7().Binary()}, row}).Error)
	if err := db.First(&got, "id = ?", row.ID).Error; err != nil || got != row {
		t.Errorf("by binary(16): got %v, %v, want %v", got, err, row)
	}
}

func open(t *testing.T, dialector gorm.Dialector) *gorm.DB {
	t.Helper()
	db, err := gorm.Open(dialector, &gorm.Config{})
	must.Do(t, err)
	pool, err := db.DB()
	must.Do(t, err)
	t.Cleanup(func() { pool.Close() })
	return db
}

// migrate makes empty tables for the models.
func migrate(t *testing.T, db *gorm.DB, models ...any) {
	t.Helper()
	must.Do(t, db.Migrator().DropTable(models...))
	must.Do(t, db.AutoMigrate(models...))
}

func newOrder() Order {
	return Order{
		ID:     ids.NewV7(),
		Event:  ids.NewULID(),
		Number: ids.NextSnowflake(),
		Digest: ids.Binary[ids.UUID]{ID: ids.NewV4()},
		Trace:  ids.Binary[ids.ULID]{ID: ids.NewULID()},
	}
}

func testModel(t *testing.T, db *gorm.DB) {
	migrate(t, db, &Order{}, &Item{})
	// The first order has NULL wherever possible, the second one nowhere.
	first, second := newOrder(), newOrder()
	second.Parent = ids.Null[ids.UUID]{ID: first.ID, Valid: true}
	second.Cause = ids.Null[ids.ULID]{ID: first.Event, Valid: true}
	second.Previous = ids.Null[ids.Snowflake]{ID: first.Number, Valid: true}
	second.Refund = &first.ID
	second.Replaces = &first.Digest
	second.Items = []Item{{ID: ids.NextSnowflake()}, {ID: ids.NextSnowflake()}}
	first.Items = []Item{{ID: ids.NextSnowflake()}}
	must.Do(t, db.Create([]*Order{&first, &second}).Error)

	// find expects one order, with its items.
	find := func(what string, want Order, conds ...any) {
		t.Helper()
		var got []Order
		err := db.Preload("Items", func(db *gorm.DB) *gorm.DB { return db.Order("id") }).Find(&got, conds...).Error
		if err != nil || !reflect.DeepEqual(got, []Order{want}) {
			t.Errorf("%s: got %v, %v\nwant %v", what, got, err, want)
		}
	}
	for _, want := range []Order{first, second} {
		find("by primary key", want, want.ID)
		find("by event", want, "event = ?", want.Event)
		find("by digest", want, "digest = ?", want.Digest)
		find("by struct", want, &Order{Trace: want.Trace, Number: want.Number})
		find("by map", want, map[string]any{"event": want.Event, "digest": want.Digest})
		find("IN list of UUIDs", want, "id IN ?", []ids.UUID{ids.NewV7(), want.ID})
		find("IN list of ULIDs", want, "event IN ?", []ids.ULID{ids.NewULID(), want.Event})
		find("IN list of Snowflakes", want, "number IN ?", []ids.Snowflake{ids.NextSnowflake(), want.Number})
		find("IN list of Binaries", want, "digest IN ?", []ids.Binary[ids.UUID]{want.Digest})
		find("by its item", want, "id = (?)", db.Model(&Item{}).Select("order_id").Where("id = ?", want.Items[0].ID))
	}
	find("by Null", second, "parent = ?", second.Parent)
	find("by struct with Null", second, &Order{Cause: second.Cause})
	find("by pointer", second, "refund = ?", second.Refund)
	find("NULL", first, "parent IS NULL AND cause IS NULL AND previous IS NULL AND refund IS NULL AND replaces IS NULL")
}

// Untagged has the fields of Order without their tags.
type Untagged struct {
	ID       ids.UUID
	Event    ids.ULID
	Number   ids.Snowflake
	Digest   ids.Binary[ids.UUID]
	Parent   ids.Null[ids.UUID]
	Cause    ids.Null[ids.ULID]
	Previous ids.Null[ids.Snowflake]
	Refund   *ids.UUID
}

// testGuesses checks README's claims about the columns that AutoMigrate makes for fields without a
// tag.
func testGuesses(t *testing.T, db *gorm.DB, want map[string]string) {
	migrate(t, db, &Untagged{})
	columns, err := db.Migrator().ColumnTypes(&Untagged{})
	must.Do(t, err)
	got := map[string]string{}
	for _, c := range columns {
		got[c.Name()] = c.DatabaseTypeName()
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("columns of untagged fields: got %v, want %v", got, want)
	}
}
