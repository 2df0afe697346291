// Package queries tests statements that the pages of the repository show, in PostgreSQL and MariaDB.
package queries

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	_ "modernc.org/sqlite"             // driver "sqlite"

	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/internal/docs"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

// TestTimeInSQL computes the times of ids in databases, with the expressions of docs/storing.md.
func TestTimeInSQL(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docs.Root(t), "docs", "storing.md"))
	must.Do(t, err)
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
			if !strings.Contains(strings.ReplaceAll(string(page), `\|`, "|"), "`"+test.expression+"`") {
				t.Errorf("the page does not have %s", test.expression)
			}
			start := dbserver.Postgres
			if test.driver == "mysql" {
				start = dbserver.MariaDB
			}
			db, err := sql.Open(test.driver, start(t))
			must.Do(t, err)
			defer db.Close()
			var got int64
			if err := db.QueryRowContext(t.Context(), fmt.Sprintf(test.query, test.expression, test.column), test.id).Scan(&got); err != nil || got != at.UnixMicro() {
				t.Errorf("%s is %d (%v), want %d", test.expression, got, err, at.UnixMicro())
			}
		})
	}
}

// TestNodeInSQL asks databases which nodes the ids of a table have, by the statement of docs/operations.md.
func TestNodeInSQL(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docs.Root(t), "docs", "operations.md"))
	must.Do(t, err)
	query := regexp.MustCompile("(?m)^ *SELECT .* FROM orders .*$").FindString(string(page))
	at := time.Date(2026, 1, 31, 12, 30, 45, 0, time.UTC)
	for driver, start := range map[string]func(testing.TB) string{
		"pgx": dbserver.Postgres, "mysql": dbserver.MariaDB, "sqlite": func(testing.TB) string { return ":memory:" },
	} {
		t.Run(driver, func(t *testing.T) {
			db, err := sql.Open(driver, start(t))
			must.Do(t, err)
			defer db.Close()
			db.SetMaxOpenConns(1) // which has the temporary table
			_, err = db.ExecContext(t.Context(), `CREATE TEMPORARY TABLE orders (id bigint PRIMARY KEY)`)
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

// TestPostgresLists finds ids by a list in each mode of pgx, of which poolers need the last two, in a table with a
// partition for the ids of a month.
func TestPostgresLists(t *testing.T) {
	ctx, url := t.Context(), dbserver.Postgres(t)
	month := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var list []uuid.UUID
	for day := range 3 {
		id, err := uuid.NewV7At(month.AddDate(0, 0, 15*day))
		must.Do(t, err)
		list = append(list, id)
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		config, err := pgx.ParseConfig(url)
		must.Do(t, err)
		config.DefaultQueryExecMode = mode
		conn, err := pgx.ConnectConfig(ctx, config)
		must.Do(t, err)
		defer conn.Close(context.WithoutCancel(ctx))
		for _, statement := range []string{
			`CREATE TEMPORARY TABLE orders (id uuid PRIMARY KEY) PARTITION BY RANGE (id)`,
			fmt.Sprintf(`CREATE TEMPORARY TABLE orders_2026_01 PARTITION OF orders FOR VALUES FROM ('%s') TO ('%s')`,
				uuid.MinV7At(month), uuid.MinV7At(month.AddDate(0, 1, 0))),
		} {
			_, err := conn.Exec(ctx, statement)
			must.Do(t, err)
		}
		for _, id := range list {
			if _, err := conn.Exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, id); err != nil {
				t.Errorf("%v: an id alone: %v", mode, err)
			}
		}
		if got, err := find(ctx, conn, list[1:]); err != nil || !slices.Equal(got, list[1:]) {
			t.Errorf("%v: found %v (%v), want %v", mode, got, err, list[1:])
		}
		_, err = conn.Exec(ctx, `SELECT id FROM orders WHERE id = ANY($1)`, list)
		if plain := mode == pgx.QueryExecModeCacheStatement; plain != (err == nil) || err != nil && !strings.Contains(err.Error(), "cannot find encode plan") {
			t.Errorf("%v: a []uuid.UUID: %v", mode, err)
		}
		next := uuid.MinV7At(month.AddDate(0, 1, 0))
		if _, err := conn.Exec(ctx, `INSERT INTO orders (id) VALUES ($1)`, next); err == nil {
			t.Errorf("%v: the partition takes %v, of the month after", mode, next)
		}
	}
}

// find returns those of a list that are in the table, also where pgx does not know the types of arguments.
func find(ctx context.Context, conn *pgx.Conn, list []uuid.UUID) ([]uuid.UUID, error) {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = id.String()
	}
	rows, err := conn.Query(ctx, `SELECT id FROM orders WHERE id = ANY($1::uuid[]) ORDER BY id`, texts)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
