// Package database stores IDs in PostgreSQL, MariaDB and SQLite and reads them back, in its tests.
package database

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver" // and driver "mysql"
	"github.com/oneclock/ids/examples/internal/must"
	_ "modernc.org/sqlite" // driver "sqlite"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	d := openSQL(t, "sqlite", filepath.Join(t.TempDir(), "ids.db"))
	testColumns(t, d, columns{bytes: "BLOB", uuidText: "TEXT", ulidText: "TEXT", integer: "INTEGER"})
	nodesInSQL(t, d)
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	d := openSQL(t, "mysql", dbserver.MariaDB(t))
	testColumns(t, d, columns{
		bytes:    "BINARY(16)",
		uuidText: "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
		ulidText: "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin",
		integer:  "BIGINT",
	})
	// 10.7 and later have a type for UUIDs, which accepts and returns text. It sorts versions 6 and
	// 7 by their bytes.
	trip(t, d, "UUID as UUID", "UUID", ids.NewV7(), ids.NilUUID(), ids.MaxUUID())
	// It does not store all version 8 UUIDs unchanged, nor all ULIDs of given times. If this test
	// fails, correct storing.md.
	for kind, all := range everyKind(t) {
		differ := changed(t, d, all)
		if unsafe := kind == "version 8" || kind == "ULIDs of given times"; (len(differ) > 0) != unsafe {
			t.Errorf("MariaDB's UUID changes %d of 1,000 of %s", len(differ), kind)
		}
		if len(differ) > 0 {
			table := d.table(t, "UUID", nil)
			err := d.exec(t.Context(), "INSERT INTO "+table+" (n, id) VALUES (1, ?)", differ[0])
			if err == nil || !strings.Contains(err.Error(), "Incorrect uuid value") {
				t.Errorf("%v of %s: error %v", differ[0], kind, err)
			}
			must.Do(t, d.exec(t.Context(), "INSERT IGNORE INTO "+table+" (n, id) VALUES (1, ?)", differ[0]))
			got, err := read[ids.Null[ids.UUID]](t, d, "SELECT id FROM "+table)
			// The Nil UUID only if the column is NOT NULL, as in changed.
			same(t, got, []ids.Null[ids.UUID]{{}}, err)
		}
	}
	u := ids.NewV7()
	text, err := read[string](t, d, "SELECT cast(id as uuid) FROM "+d.table(t, "BINARY(16)", []any{u.Binary()})+" WHERE id = unhex(replace('"+u.String()+"', '-', ''))")
	same(t, text, []string{u.String()}, err)
	timeInSQL(t, d, "SELECT CAST(%s * 1000000 AS SIGNED) FROM (SELECT CAST(? AS %s) AS id) t",
		`conv(hex(left(id, 6)), 16, 10) / 1000`, "BINARY(16)", v7s(t)[0].Binary())
	nodesInSQL(t, d)
	v6 := ids.NewV6() // a version 6 of today begins with 1f, a version 7 with 01
	span(t, d, "UUID as UUID", "UUID", append(v7s(t), v6), ids.MinV7At, ids.MaxV7At)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	pool := connect(t, dbserver.Postgres(t), pgx.QueryExecModeCacheStatement)
	t.Run("database/sql", func(t *testing.T) {
		d := sqlDatabase(stdlib.OpenDBFromPool(pool), func(i int) string { return fmt.Sprintf("$%d", i) })
		testColumns(t, d, columns{bytes: "bytea", uuidText: "uuid", ulidText: `text COLLATE "C"`, integer: "bigint"})
		testPostgresSQL(t, d)
	})
	t.Run("pgx", func(t *testing.T) { testPgx(t, pool) })
}

// columns are a database's column types for IDs.
type columns struct{ bytes, uuidText, ulidText, integer string }

// testColumns stores the types that every database accepts through database/sql. UUID and ULID are
// written as text, Binary as 16 bytes, and a Snowflake as an integer.
func testColumns(t *testing.T, d *database, c columns) {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	bu, bl := u.Binary(), l.Binary()
	trip(t, d, "UUID as text", c.uuidText, u, ids.NilUUID(), ids.MaxUUID())
	trip(t, d, "ULID as text", c.ulidText, l)
	trip(t, d, "Binary[UUID]", c.bytes, bu, ids.NilUUID().Binary(), ids.MaxUUID().Binary())
	trip(t, d, "Binary[ULID]", c.bytes, bl)
	trip(t, d, "Snowflake", c.integer, s, 0, 1<<63-1)

	// NULL in its three Go forms.
	trip(t, d, "Null[UUID]", c.uuidText, ids.Null[ids.UUID]{ID: u, Valid: true}, ids.Null[ids.UUID]{})
	trip(t, d, "Null[ULID]", c.ulidText, ids.Null[ids.ULID]{ID: l, Valid: true}, ids.Null[ids.ULID]{})
	trip(t, d, "Null[Snowflake]", c.integer, ids.Null[ids.Snowflake]{ID: s, Valid: true}, ids.Null[ids.Snowflake]{})
	trip(t, d, "Null[Binary[UUID]]", c.bytes, ids.Null[ids.Binary[ids.UUID]]{ID: bu, Valid: true}, ids.Null[ids.Binary[ids.UUID]]{})
	trip(t, d, "sql.Null[UUID]", c.uuidText, sql.Null[ids.UUID]{V: u, Valid: true}, sql.Null[ids.UUID]{})
	trip(t, d, "*UUID", c.uuidText, &u, nil)

	span(t, d, "UUID as text", c.uuidText, v7s(t), ids.MinV7At, ids.MaxV7At)
	span(t, d, "ULID as text", c.ulidText, ulids(t), ids.MinULIDAt, ids.MaxULIDAt)
	span(t, d, "Binary[UUID]", c.bytes, mapped(v7s(t), ids.UUID.Binary), after(ids.MinV7At, ids.UUID.Binary), after(ids.MaxV7At, ids.UUID.Binary))
	span(t, d, "Binary[ULID]", c.bytes, mapped(ulids(t), ids.ULID.Binary), after(ids.MinULIDAt, ids.ULID.Binary), after(ids.MaxULIDAt, ids.ULID.Binary))
	span(t, d, "Snowflake", c.integer, snowflakes(t), ids.TwitterLayout().MinAt, ids.TwitterLayout().MaxAt)
}

// everyKind returns 1,000 IDs of each version, and 1,000 ULIDs.
func everyKind(t *testing.T) map[string][]ids.UUID {
	t.Helper()
	kinds := map[string][]ids.UUID{}
	for range 1000 {
		random := ids.NewV4()
		at, err := ids.NewULIDAt(time.UnixMilli(int64(binary.BigEndian.Uint64(random[:]) >> 16)))
		must.Do(t, err)
		for kind, id := range map[string]ids.UUID{
			"version 1": ids.NewV1(), "version 2": ids.NewV2(ids.DomainOrg, 7), "version 3": ids.NewV3(random, ""), "version 4": random,
			"version 5": ids.NewV5(random, ""), "version 6": ids.NewV6(), "version 7": ids.NewV7(), "version 8": ids.NewV8(random),
			"ULIDs": ids.NewULID().UUID(), "ULIDs of given times": at.UUID(),
		} {
			kinds[kind] = append(kinds[kind], id)
		}
	}
	return kinds
}

// changed stores UUIDs in a column of MariaDB's own type and returns those that are different when
// read back.
func changed(t *testing.T, d *database, all []ids.UUID) (differ []ids.UUID) {
	t.Helper()
	table := d.table(t, "UUID NOT NULL", nil)
	values := make([]string, len(all))
	for n, id := range all {
		values[n] = fmt.Sprintf("(%d, '%s')", n, id)
	}
	must.Do(t, d.exec(t.Context(), "INSERT IGNORE INTO "+table+" (n, id) VALUES "+strings.Join(values, ", ")))
	got, err := read[ids.UUID](t, d, "SELECT id FROM "+table+" ORDER BY n")
	must.Do(t, err)
	for n, id := range got {
		if id != all[n] {
			differ = append(differ, all[n])
		}
	}
	return differ
}

// trip stores each value and reads it back into a variable of the same type.
func trip[T any](t *testing.T, d *database, name, column string, values ...T) {
	t.Run(name, func(t *testing.T) {
		table := d.table(t, column, boxed(values))
		got, err := read[T](t, d, "SELECT id FROM "+table+" ORDER BY n")
		same(t, got, values, err)
	})
}

// span stores IDs, one for each hour, in descending order. It reads the IDs of hours 3 to 5, all
// IDs in their order, and two IDs by a list.
func span[T any](t *testing.T, d *database, name, column string, all []T, first, last func(time.Time) T) {
	t.Run("span of "+name, func(t *testing.T) {
		stored := boxed(all)
		slices.Reverse(stored)
		table := d.table(t, column, stored)
		got, err := read[T](t, d, "SELECT id FROM "+table+" ORDER BY id")
		same(t, got, all, err)
		query := fmt.Sprintf("SELECT id FROM %s WHERE id BETWEEN %s AND %s ORDER BY id", table, d.param(1), d.param(2))
		got, err = read[T](t, d, query, first(hour(3)), last(hour(5)))
		same(t, got, all[3:6], err)
		query = fmt.Sprintf("SELECT id FROM %s WHERE id >= %s AND id < %s ORDER BY id", table, d.param(1), d.param(2))
		got, err = read[T](t, d, query, first(hour(3)), first(hour(6)))
		same(t, got, all[3:6], err)
		query = fmt.Sprintf("SELECT id FROM %s WHERE id < %s ORDER BY id DESC LIMIT 2", table, d.param(1))
		got, err = read[T](t, d, query, all[5]) // a page, newest first
		same(t, got, []T{all[4], all[3]}, err)
		query = fmt.Sprintf("SELECT id FROM %s WHERE id IN (%s, %s) ORDER BY id", table, d.param(1), d.param(2))
		got, err = read[T](t, d, query, all[3], all[4])
		same(t, got, all[3:5], err)
	})
}

// same compares the result of a query with the expected result.
func same[T any](t *testing.T, got, want T, err error) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// hours returns IDs made by at, one for each hour.
func hours[T any](t *testing.T, at func(time.Time) (T, error)) []T {
	t.Helper()
	all := make([]T, 10)
	for i := range all {
		var err error
		all[i], err = at(hour(i))
		must.Do(t, err)
	}
	return all
}

func hour(i int) time.Time { return time.Date(2026, time.January, 1, i, 30, 45, 678e6, time.UTC) }

func v7s(t *testing.T) []ids.UUID { return hours(t, ids.NewV7At) }

func ulids(t *testing.T) []ids.ULID { return hours(t, ids.NewULIDAt) }

func snowflakes(t *testing.T) []ids.Snowflake {
	return hours(t, func(at time.Time) (ids.Snowflake, error) {
		return ids.TwitterLayout().Compose(ids.SnowflakeParts{Time: at})
	})
}

// after returns a function that converts the result of f with turn.
func after[A, T, U any](f func(A) T, turn func(T) U) func(A) U {
	return func(a A) U { return turn(f(a)) }
}

func mapped[T, U any](all []T, turn func(T) U) []U {
	out := make([]U, len(all))
	for i, v := range all {
		out[i] = turn(v)
	}
	return out
}

// boxed converts a list to the arguments of a statement.
func boxed[T any](all []T) []any { return mapped(all, func(v T) any { return v }) }
