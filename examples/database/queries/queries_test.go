// Package queries tests statements that the pages of the repository show, in PostgreSQL and MariaDB.
package queries

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	_ "modernc.org/sqlite"             // driver "sqlite"

	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/internal/docs"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

// open opens a new database.
func open(t *testing.T, driver string) *sql.DB {
	t.Helper()
	source := ":memory:"
	switch driver {
	case "pgx":
		source = dbserver.Postgres(t)
	case "mysql":
		source = dbserver.MariaDB(t)
	}
	db, err := sql.Open(driver, source)
	must.Do(t, err)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1) // which has the temporary tables
	return db
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs.Root(t), "docs", name))
	must.Do(t, err)
	return string(text)
}

// TestTimeInSQL computes the times of ids in databases, with the expressions of docs/storing.md.
func TestTimeInSQL(t *testing.T) {
	storing := strings.ReplaceAll(page(t, "storing.md"), `\|`, "|")
	at := time.Date(2026, 1, 31, 12, 30, 45, 678e6, time.UTC)
	v7, err := uuid.NewV7At(at)
	must.Do(t, err)
	number, err := snowflake.Twitter().Compose(snowflake.Parts{Time: at, Node: 7, Sequence: 5})
	must.Do(t, err)
	const micros, mysqlMicros = "SELECT (extract(epoch FROM %s) * 1000000)::bigint FROM (SELECT $1::%s AS id) t",
		"SELECT CAST(%s * 1000000 AS SIGNED) FROM (SELECT CAST(? AS %s) AS id) t"
	for _, test := range []struct {
		driver, query, expression, column string
		id                                any
	}{
		{"pgx", micros, `to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`, "uuid", v7},
		{"pgx", micros, `to_timestamp(('x' || encode(substring(id FOR 6), 'hex'))::bit(48)::bigint / 1000.0)`, "bytea", v7.Binary()},
		{"pgx", micros, `to_timestamp(((id >> 22) + 1288834974657) / 1000.0)`, "bigint", number},
		{"mysql", mysqlMicros, `conv(hex(left(id, 6)), 16, 10) / 1000`, "BINARY(16)", v7.Binary()},
	} {
		t.Run(test.driver+" "+test.column, func(t *testing.T) {
			if !strings.Contains(storing, "`"+test.expression+"`") {
				t.Errorf("the page does not have %s", test.expression)
			}
			var got int64
			if err := open(t, test.driver).QueryRowContext(t.Context(), fmt.Sprintf(test.query, test.expression, test.column), test.id).Scan(&got); err != nil || got != at.UnixMicro() {
				t.Errorf("%s is %d (%v), want %d", test.expression, got, err, at.UnixMicro())
			}
		})
	}
}

// TestNodeInSQL asks databases which nodes the ids of a table have, by the statement of docs/operations.md.
func TestNodeInSQL(t *testing.T) {
	query := regexp.MustCompile("(?m)^ *SELECT .* FROM orders .*$").FindString(page(t, "operations.md"))
	at := time.Date(2026, 1, 31, 12, 30, 45, 0, time.UTC)
	for _, driver := range []string{"pgx", "mysql", "sqlite"} {
		t.Run(driver, func(t *testing.T) {
			db := open(t, driver)
			_, err := db.ExecContext(t.Context(), `CREATE TEMPORARY TABLE orders (id bigint PRIMARY KEY)`)
			must.Do(t, err)
			var latest snowflake.ID
			for i, node := range []int64{7, 1023, 7} {
				id, err := snowflake.Twitter().Compose(snowflake.Parts{Time: at, Node: node, Sequence: int64(i)})
				must.Do(t, err)
				_, err = db.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO orders (id) VALUES (%d)`, id))
				must.Do(t, err)
				latest = id
			}
			var node, n int64
			var max snowflake.ID
			if err := db.QueryRowContext(t.Context(), query).Scan(&node, &n, &max); err != nil || node != 7 || n != 2 || max != latest {
				t.Errorf("node %d, %d ids, the latest %d (%v); want 7, 2, %d", node, n, max, err, latest)
			}
		})
	}
}
