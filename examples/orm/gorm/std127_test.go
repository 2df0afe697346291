//go:build go1.27

package gorm

import (
	"path/filepath"
	"testing"
	std "uuid"

	"github.com/glebarez/sqlite"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// TestStd checks README's warning: GORM treats Go's own type as a list of 16 numbers unless there
// is an "id = ?".
func TestStd(t *testing.T) {
	t.Parallel()
	type Book struct {
		ID std.UUID `gorm:"type:text"`
	}
	db := open(t, sqlite.Open(filepath.Join(t.TempDir(), "std.db"))).Session(&gorm.Session{Logger: logger.Discard})
	migrate(t, db, &Book{})
	id := std.UUID(ids.NewV7())
	must.Do(t, db.Create(&Book{id}).Error)
	for want, conditions := range map[int64][]any{0: {id}, 1: {"id = ?", id}} {
		found, deleted := db.Find(&[]Book{}, conditions...), db.Delete(&Book{}, conditions...)
		if found.RowsAffected != want || deleted.RowsAffected != want {
			t.Errorf("%v: Find finds %d, Delete deletes %d, want %d", conditions, found.RowsAffected, deleted.RowsAffected, want)
		}
	}
}
