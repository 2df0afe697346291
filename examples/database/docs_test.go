package database

import (
	"testing"

	"github.com/oneclock/ids/internal/docs"
)

// TestDocs compiles and runs the pages' code that uses database/sql, on SQLite.
func TestDocs(t *testing.T) {
	docs.Run(t, "examples/database", map[string]string{
		"ctx": "context.Background()",
		"db": `func() *sql.DB {
			var _ sqlite.Driver // registers "sqlite"
			db, err := sql.Open("sqlite", ":memory:")
			if err != nil {
				panic(err)
			}
			db.SetMaxOpenConns(1) // each would have a database of its own
			if _, err := db.Exec("CREATE TABLE orders (id BLOB PRIMARY KEY, parent BLOB, coupon TEXT, number INTEGER) STRICT"); err != nil {
				panic(err)
			}
			return db
		}()`,
	})
}
