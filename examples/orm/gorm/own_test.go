package gorm

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/glebarez/sqlite"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/orm/ent/schema"
	"github.com/oneclock/ids/typeid"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type user struct{}

func (user) Prefix() string { return "user" }

// A UserID is an ID type of the application, as on the pages.
type UserID struct{ ids.UUID }

// Row has an ID of some type, and a column with the name of the field that an application's ID type
// embeds.
type Row[T ids.Nullable] struct {
	ID     T           `gorm:"type:char(36)"`
	Parent ids.Null[T] `gorm:"type:char(36)"`
	UUID   string
}

func (Row[T]) TableName() string { return "rows" }

// TestLists finds and deletes by lists of IDs, in all ways that GORM accepts.
func TestLists(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Open(filepath.Join(t.TempDir(), "lists.db")))
	bare := func(_ string, list any) []any { return []any{list} }
	named := func(query string, list any) []any { return []any{query, list} }
	testLists(t, db, bare, func(u ids.UUID) ids.UUID { return u })
	testLists(t, db, bare, typeid.From[user])
	testLists(t, db, bare, func(u ids.UUID) schema.UserID { return schema.UserID(u) })
	testLists(t, db, named, func(u ids.UUID) typeid.ID[user] { return typeid.From[user](u) })
	testLists(t, db, named, func(u ids.UUID) UserID { return UserID{u} })
	testStructLists(t, db)
	testBinaries(t, db)
}

// testBinaries checks README's warning: a Binary is a struct, and its Value returns bytes, which
// GORM treats as a list of 16 IDs. If this test fails, README can drop the warning.
func testBinaries(t *testing.T, db *gorm.DB) {
	type Book struct {
		ID ids.Binary[ids.UUID]
	}
	quiet := db.Session(&gorm.Session{Logger: logger.Discard})
	a, b := ids.NewV7().Binary(), ids.NewV7().Binary()
	for what, c := range map[string]struct {
		conditions []any
		want       int // number of rows
	}{
		"an id": {[]any{a}, 0}, "a Null": {[]any{ids.Null[ids.Binary[ids.UUID]]{ID: a, Valid: true}}, 0},
		"a list": {[]any{[]ids.Binary[ids.UUID]{a, b}}, 0}, "a list of a zero id": {[]any{[]ids.Binary[ids.UUID]{{}}}, 2},
		"id = ?": {[]any{"id = ?", a}, 1}, "id IN ?": {[]any{"id IN ?", []ids.Binary[ids.UUID]{a, b}}, 2},
		"id IN ? of a zero id": {[]any{"id IN ?", []ids.Binary[ids.UUID]{{}}}, 0},
	} {
		migrate(t, db, &Book{})
		must.Do(t, db.Create([]Book{{a}, {b}}).Error)
		var found []Book
		err := quiet.Find(&found, c.conditions...).Error
		deleted := quiet.Delete(&Book{}, c.conditions...)
		if len(found) != c.want || err != nil && c.want > 0 || deleted.Error == nil && int(deleted.RowsAffected) != c.want {
			t.Errorf("%s: Find finds %d (%v), Delete deletes %d (%v), want %d", what, len(found), err, deleted.RowsAffected, deleted.Error, c.want)
		}
	}
}

// testLists stores five rows, and passes GORM lists of their IDs in the conditions that the
// function conditions makes.
func testLists[T ids.Nullable](t *testing.T, db *gorm.DB, conditions func(query string, list any) []any, from func(ids.UUID) T) {
	t.Helper()
	migrate(t, db, &Row[T]{})
	var all []T
	for i, u := range ids.AppendV7(nil, 5) {
		id := from(u)
		all = append(all, id)
		row := Row[T]{ID: id, Parent: ids.Null[T]{ID: all[0], Valid: i > 0}}
		must.Do(t, db.Create(&row).Error)
	}
	check := func(what string, tx *gorm.DB, want ...T) {
		t.Helper()
		var rows []Row[T]
		err := tx.Order("id").Find(&rows).Error
		got := make([]T, len(rows))
		for i, row := range rows {
			got[i] = row.ID
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%T: %s: rows %v, %v, want %v", *new(T), what, got, err, want)
		}
	}
	in, notIn := conditions("id IN ?", all[1:3]), conditions("id IN ?", []T{*new(T)})
	check("list", db.Where(in[0], in[1:]...), all[1:3]...)
	check("Not", db.Not(in[0], in[1:]...), all[0], all[3], all[4])
	check("list of one zero id", db.Where(notIn[0], notIn[1:]...))
	check("by Null", db.Where("parent = ?", ids.Null[T]{ID: all[0], Valid: true}), all[1:]...)
	check("by map", db.Where(map[string]any{"id": all[3:]}), all[3:]...)

	var found []Row[T]
	if err := db.Find(&found, in...).Error; err != nil || len(found) != 2 || found[1].Parent.ID != all[0] {
		t.Errorf("%T: Find: %v, %v, want the rows of %v", *new(T), found, err, all[1:3])
	}
	var row Row[T]
	if err := db.First(&row, all[4]).Error; err != nil || row.ID != all[4] {
		t.Errorf("%T: First: %v, %v, want that of %v", *new(T), row.ID, err, all[4])
	}
	if err := db.Delete(&Row[T]{}, notIn...).Error; err != nil {
		t.Errorf("%T: Delete of one zero id: %v", *new(T), err)
	}
	check("after Delete of a zero id", db, all...)
	if err := db.Delete(&Row[T]{}, in...).Error; err != nil {
		t.Errorf("%T: Delete: %v", *new(T), err)
	}
	check("after Delete", db, all[0], all[3], all[4])
}

// testStructLists checks the pages' warning: GORM treats a list of structs as conditions on the
// columns named like their fields. If this test fails, the pages can drop the warning.
func testStructLists(t *testing.T, db *gorm.DB) {
	migrate(t, db, &Row[UserID]{})
	first, second := UserID{ids.NewV7()}, UserID{ids.NewV7()}
	for _, row := range []Row[UserID]{{ID: first, UUID: second.String()}, {ID: second}} {
		must.Do(t, db.Create(&row).Error)
	}
	quiet := db.Session(&gorm.Session{Logger: logger.Discard})
	for what, c := range map[string]struct {
		conditions []any
		want       int // number of rows
	}{
		"a zero id finds all rows": {[]any{[]UserID{{}}}, 2}, "an id finds the row of another": {[]any{[]UserID{second}}, 1},
		"two ids find nothing": {[]any{[]UserID{first, second}}, 0},
		// An empty list alone is no condition, whatever its type. In a condition, it finds nothing.
		"an empty list finds all rows": {[]any{[]ids.UUID{}}, 2}, "id IN ? of an empty list finds nothing": {[]any{"id IN ?", []ids.UUID{}}, 0},
	} {
		var rows []Row[UserID]
		if err := quiet.Find(&rows, c.conditions...).Error; err != nil || len(rows) != c.want || len(rows) == 1 && rows[0].ID != first {
			t.Errorf("%s: not so: %v, %v", what, rows, err)
		}
	}
}

// TestMissing stores rows without an ID.
func TestMissing(t *testing.T) {
	t.Parallel()
	db := open(t, sqlite.Open(filepath.Join(t.TempDir(), "missing.db")))
	type Plain struct {
		ID     ids.UUID `gorm:"type:char(36)"`
		Number ids.Snowflake
	}
	migrate(t, db, &Plain{}, &Hooked{})
	var plain Plain
	if err := db.Create(&Plain{}).Error; err != nil || db.First(&plain).Error != nil || !plain.ID.IsZero() || plain.Number != 0 {
		t.Errorf("without a hook: %v, %v, want the Nil UUID and 0, of which README warns", plain, err)
	}
	var hooked Hooked
	if err := db.Create(&Hooked{}).Error; err != nil || db.First(&hooked).Error != nil || hooked.ID.Version() != 7 {
		t.Errorf("with a hook: %v, %v, want an id of version 7", hooked, err)
	}

	// With a default, GORM leaves a zero ID to the database.
	type Defaulted struct {
		ID ids.UUID `gorm:"type:uuid;default:gen_random_uuid()"`
	}
	db = open(t, postgres.Open(dbserver.Postgres(t)))
	migrate(t, db, &Defaulted{})
	var row Defaulted
	if err := db.Create(&row).Error; err != nil || row.ID.Version() != 4 {
		t.Errorf("with a default: %v, %v, want an id of version 4", row, err)
	}
}

// Hooked makes its own ID if it is missing.
type Hooked struct {
	ID ids.UUID `gorm:"type:char(36)"`
}

func (h *Hooked) BeforeCreate(*gorm.DB) error {
	if h.ID.IsZero() {
		h.ID = ids.NewV7()
	}
	return nil
}
