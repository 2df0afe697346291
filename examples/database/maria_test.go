package database

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
)

// TestBytesInMariaDB passes 16 bytes to MariaDB's own type for UUIDs, which expects text. A
// condition finds nothing, and only SHOW WARNINGS shows the reason.
func TestBytesInMariaDB(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("mysql", dbserver.MariaDB(t))
	must.Do(t, err)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // warnings belong to a connection
	d := sqlDatabase(db, func(int) string { return "?" })
	id := ids.NewV7()
	at, _ := id.Time()
	for name, bytes := range map[string]func(ids.UUID) any{
		"id.Binary()": func(id ids.UUID) any { return id.Binary() },
		"id[:]":       func(id ids.UUID) any { return id[:] },
	} {
		table := d.table(t, "UUID NOT NULL", []any{id})
		changed := func(query string, arg any) int64 {
			t.Helper()
			result, err := db.ExecContext(t.Context(), query, arg)
			must.Do(t, err)
			n, err := result.RowsAffected()
			must.Do(t, err)
			return n
		}
		for condition, arg := range map[string]ids.UUID{" WHERE id = ?": id, " WHERE id >= ?": ids.MinV7At(at), " WHERE id IN (?)": id} {
			found, err := read[ids.UUID](t, d, "SELECT id FROM "+table+condition, arg)
			same(t, found, []ids.UUID{id}, err)
			found, err = read[ids.UUID](t, d, "SELECT id FROM "+table+condition, bytes(arg))
			same(t, found, nil, err)
		}
		var level, text string
		var code int
		rows, err := db.QueryContext(t.Context(), "SELECT id FROM "+table+" WHERE id = ?", bytes(id))
		must.Do(t, err)
		must.Do(t, rows.Close())
		must.Do(t, db.QueryRowContext(t.Context(), "SHOW WARNINGS").Scan(&level, &code, &text))
		if code != 1292 || !strings.Contains(text, "Incorrect uuid value") {
			t.Errorf("%s: the warning is %d %s", name, code, text)
		}
		if n := changed("UPDATE "+table+" SET n = 7 WHERE id = ?", bytes(id)); n != 0 {
			t.Errorf("%s: an update finds %d rows", name, n)
		}
		if n := changed("DELETE FROM "+table+" WHERE id = ?", bytes(id)); n != 0 {
			t.Errorf("%s: a delete finds %d rows", name, n)
		}
		if _, err := db.ExecContext(t.Context(), "INSERT INTO "+table+" (n, id) VALUES (1, ?)", bytes(id)); err == nil {
			t.Errorf("%s: it can be inserted", name)
		}
		if n := changed("INSERT IGNORE INTO "+table+" (n, id) VALUES (2, ?)", bytes(id)); n != 1 {
			t.Errorf("%s: INSERT IGNORE adds %d rows", name, n)
		}
		got, err := read[ids.UUID](t, d, "SELECT id FROM "+table+" WHERE n = 2")
		same(t, got, []ids.UUID{{}}, err)
		if n := changed("DELETE FROM "+table+" WHERE id = ?", id); n != 1 { // the ID itself
			t.Errorf("%s: by the id a delete finds %d rows", name, n)
		}
	}
}
