package database

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
)

// TestJSONInSQL makes JSON in a database. In it, Snowflakes are numbers, which a float64, such as
// JavaScript's numbers, rounds to other numbers, unless the statement or the program converts them
// to text.
func TestJSONInSQL(t *testing.T) {
	const id = ids.Snowflake(1541815603606036481)
	rounded := func(t *testing.T, d *database, query string, want bool, args ...any) {
		t.Helper()
		got, err := read[string](t, d, query, args...)
		must.Do(t, err)
		var v any
		must.Do(t, json.Unmarshal([]byte(strings.Trim(got[0], "[]")), &v))
		if object, is := v.(map[string]any); is {
			v = object["id"]
		}
		if n, number := v.(float64); number != want || number && ids.Snowflake(n) == id || !number && v != id.String() {
			t.Errorf("%s makes %s", query, got)
		}
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		d := pgxDatabase(connect(t, dbserver.Postgres(t), pgx.QueryExecModeCacheStatement))
		const from = "::text FROM (SELECT $1::bigint AS id) o"
		rounded(t, d, "SELECT row_to_json(o)"+from, true, id)
		rounded(t, d, "SELECT jsonb_agg(id)"+from, true, id)
		rounded(t, d, "SELECT jsonb_agg(id::text)"+from, false, id)
		rounded(t, d, "SELECT row_to_json(o)::text FROM (SELECT $1::bigint::text AS id) o", false, id)
		rounded(t, d, "SELECT $1::jsonb::text", true, id)
		rounded(t, d, "SELECT $1::jsonb::text", false, strconv.Quote(id.String()))
		rounded(t, d, "SELECT $1::jsonb::text", false, map[string]any{"id": id})
		if _, err := read[string](t, d, "SELECT $1::jsonb::text", ids.NewV7()); err == nil {
			t.Error("a UUID alone is taken for jsonb")
		}
	})
	t.Run("SQLite", func(t *testing.T) {
		d := openSQL(t, "sqlite", ":memory:")
		rounded(t, d, "SELECT json_object('id', ?)", true, id)
		rounded(t, d, "SELECT json_object('id', cast(? AS text))", false, id)
	})
}
