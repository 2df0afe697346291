package database

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
)

// The statements in docs/storing.md that convert a text column to UUIDs.
const (
	retype = `ALTER TABLE orders ALTER id TYPE uuid USING id::uuid`
	unhex  = `UPDATE orders SET bytes = unhex(replace(id, '-', ''))`
	noUUID = `SELECT id FROM orders WHERE length(id) <> 36`
)

// textColumn creates a table with a text column, and queries the values that are not UUIDs.
func textColumn(t *testing.T, d *database, good []string, bad ...string) {
	t.Helper()
	for _, statement := range []string{retype, unhex, noUUID} {
		if !strings.Contains(page(t, "storing.md"), "`"+statement+"`") {
			t.Errorf("the page does not have %s", statement)
		}
	}
	must.Do(t, d.exec(t.Context(), "DROP TABLE IF EXISTS orders"))
	must.Do(t, d.exec(t.Context(), "CREATE TABLE orders (id varchar(40))"))
	for _, text := range append(slices.Clone(good), bad...) {
		must.Do(t, d.exec(t.Context(), "INSERT INTO orders (id) VALUES ("+d.param(1)+")", text))
	}
	found, err := read[string](t, d, noUUID)
	same(t, found, bad, err)
}

// TestFromTextToBytes converts a text column to UUIDs or bytes. PostgreSQL rejects text that is not
// a UUID. The other databases convert such text to NULL or to other bytes.
func TestFromTextToBytes(t *testing.T) {
	u, v := ids.NewV7(), ids.NewV4()
	good := []string{u.String(), strings.ToUpper(v.String())}
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		d := pgxDatabase(connect(t, dbserver.Postgres(t), pgx.QueryExecModeExec))
		textColumn(t, d, good, "nonsense")
		if err := d.exec(t.Context(), retype); err == nil || !strings.Contains(err.Error(), "invalid input syntax for type uuid") {
			t.Errorf("a column with nonsense: error %v", err)
		}
		textColumn(t, d, good)
		must.Do(t, d.exec(t.Context(), retype))
		got, err := read[ids.UUID](t, d, "SELECT id FROM orders ORDER BY id = $1 DESC", u)
		same(t, got, []ids.UUID{u, v}, err)
	})
	move := func(t *testing.T, d *database, column string) {
		textColumn(t, d, good, "nonsense", "abc")
		must.Do(t, d.exec(t.Context(), "ALTER TABLE orders ADD bytes "+column))
		must.Do(t, d.exec(t.Context(), unhex))
		got, err := read[ids.UUID](t, d, "SELECT bytes FROM orders WHERE length(id) = 36 ORDER BY bytes = ? DESC", u.Binary())
		same(t, got, []ids.UUID{u, v}, err)
		null, err := read[string](t, d, "SELECT id FROM orders WHERE bytes IS NULL ORDER BY id")
		if column == "BLOB" {
			same(t, null, []string{"abc", "nonsense"}, err)
			return
		}
		same(t, null, []string{"nonsense"}, err)
		padded, err := read[ids.UUID](t, d, "SELECT bytes FROM orders WHERE id = 'abc'")
		same(t, padded, []ids.UUID{{0: 0x0a, 1: 0xbc}}, err)
	}
	t.Run("MariaDB", func(t *testing.T) {
		t.Parallel()
		move(t, openSQL(t, "mysql", dbserver.MariaDB(t)), "BINARY(16)")
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		move(t, openSQL(t, "sqlite", filepath.Join(t.TempDir(), "text.db")), "BLOB")
	})
}
