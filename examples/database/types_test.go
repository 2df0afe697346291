package database

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/typeid"
)

type user struct{}

func (user) Prefix() string { return "user" }

type userID = typeid.ID[user]

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// connect returns pgx connections in the given mode.
func connect(t *testing.T, url string, mode pgx.QueryExecMode) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	must.Do(t, err)
	config.ConnConfig.DefaultQueryExecMode = mode
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must.Do(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// TestModes writes IDs to a uuid column in each mode of pgx. In the last two modes, which poolers
// need, PostgreSQL receives bytes as a bytea, which it does not accept as a uuid.
func TestModes(t *testing.T) {
	t.Parallel()
	url := dbserver.Postgres(t)
	for _, mode := range modes {
		pool := connect(t, url, mode)
		d := pgxDatabase(pool)
		untyped := mode == pgx.QueryExecModeExec || mode == pgx.QueryExecModeSimpleProtocol
		t.Run(mode.String(), func(t *testing.T) {
			u, l := ids.NewV7(), ids.NewULID()
			trip(t, d, "UUID", "uuid", u)
			trip(t, d, "Snowflake", "bigint", ids.NextSnowflake())
			trip(t, d, "TypeID", "uuid", typeid.New[user]())
			for what, arg := range map[string]any{"Binary[UUID]": u.Binary(), "Binary[ULID]": l.Binary(), "id[:]": u[:]} {
				_, err := pool.Exec(t.Context(), "INSERT INTO "+d.table(t, "uuid", nil)+" (n, id) VALUES (1, $1)", arg)
				if refused := err != nil && strings.Contains(err.Error(), "invalid input syntax for type uuid"); refused != untyped || err != nil && !refused {
					t.Errorf("%s for a uuid: error %v, want one: %t", what, err, untyped)
				}
			}
			// In these modes, a list must consist of strings.
			conn, ctx, list := pool, t.Context(), v7s(t)
			must.Do(t, d.exec(ctx, "DROP TABLE IF EXISTS orders"))
			must.Do(t, d.exec(ctx, "CREATE TABLE orders AS SELECT id FROM "+d.table(t, "uuid", boxed(list))))
			texts := make([]string, len(list))
			for i, id := range list {
				texts[i] = id.String()
			}
			rows, err := conn.Query(ctx, `SELECT id FROM orders WHERE id = ANY($1::uuid[]) ORDER BY id`, texts)
			must.Do(t, err)
			got, err := pgx.CollectRows(rows, pgx.RowTo[ids.UUID])
			same(t, got, list, err)
			_, err = conn.Exec(ctx, "SELECT id FROM orders WHERE id = ANY($1)", list)
			if refused := err != nil && strings.Contains(err.Error(), "cannot find encode plan"); refused != untyped || err != nil && !refused {
				t.Errorf("a list of UUIDs: error %v, want one: %t", err, untyped)
			}
		})
	}
}

// TestTypeIDs stores IDs with a prefix.
func TestTypeIDs(t *testing.T) {
	t.Parallel()
	all := mapped(v7s(t), typeid.From[user])
	null := []ids.Null[userID]{{ID: all[0], Valid: true}, {}}
	binary := func(id userID) ids.Binary[ids.UUID] { return ids.Binary[ids.UUID]{ID: id.UUID()} }
	d := pgxDatabase(connect(t, dbserver.Postgres(t), pgx.QueryExecModeCacheStatement))
	for _, column := range []string{"uuid", "text"} {
		trip(t, d, "TypeID as "+column, column, all...)
		trip(t, d, "Null of a TypeID as "+column, column, null...)
		stored, err := read[string](t, d, "SELECT id FROM "+d.table(t, column, boxed(all)))
		same(t, stored, mapped(all, func(id userID) string { return id.UUID().String() }), err)
	}
	for column, written := range map[string][]any{"text": boxed(mapped(all, userID.String)), "bytea": boxed(mapped(all, binary))} {
		got, err := read[userID](t, d, "SELECT id FROM "+d.table(t, column, written))
		same(t, got, all, err)
	}
}

// TestBytesInSQLite prints 16 bytes as digits and finds them by digits.
func TestBytesInSQLite(t *testing.T) {
	id := ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	got, err := read[ids.UUID](t, openSQL(t, "sqlite", ":memory:"), `SELECT hex(id) FROM (SELECT ? AS id) WHERE id = x'017f22e279b07cc398c4dc0c0c07398f'`, id.Binary())
	same(t, got, []ids.UUID{id}, err)
}

// TestCutText stores text in columns of 16 bytes. MariaDB and MySQL reject it, but with INSERT
// IGNORE or an empty sql_mode they cut the text. Of IDs made at one time, most are then dropped as
// the same row, and Scan rejects the others.
func TestCutText(t *testing.T) {
	t.Parallel()
	dsn := dbserver.MariaDB(t)
	strict, loose := openSQL(t, "mysql", dsn), openSQL(t, "mysql", dsn+"?sql_mode=''")
	checkCutText(t, strict, loose, ids.AppendV7(nil, 5), ids.UUID.Binary)
	checkCutText(t, strict, loose, ids.AppendULID(nil, 5), ids.ULID.Binary)
}

func checkCutText[T ids.UUID | ids.ULID, B any](t *testing.T, strict, loose *database, all []T, binary func(T) B) {
	t.Helper()
	insert := func(d *database, ignore string, values []any) (table string, err error) {
		table = d.table(t, "BINARY(16) UNIQUE", nil)
		for n, v := range values {
			err = errors.Join(err, d.exec(t.Context(), "INSERT "+ignore+" INTO "+table+" (n, id) VALUES (?, ?)", n, v))
		}
		return table, err
	}
	if _, err := insert(strict, "", boxed(all)); err == nil || !strings.Contains(err.Error(), "Data too long") {
		t.Errorf("text of a %T in BINARY(16): %v", all[0], err)
	}
	refused := func(d *database, table string) {
		t.Helper()
		if got, err := read[T](t, d, "SELECT id FROM "+table); err == nil || !strings.Contains(err.Error(), "id.Binary()") {
			t.Errorf("a %T that was cut is read as %v, %v", all[0], got, err)
		}
	}
	table, err := insert(strict, "IGNORE", boxed(all))
	must.Do(t, err)
	refused(strict, table)
	rows, err := read[int](t, strict, "SELECT count(*) FROM "+table)
	if err != nil || rows[0] == len(all) {
		t.Errorf("of %d %Ts that were cut there are %v rows, %v", len(all), all[0], rows, err)
	}
	table, err = insert(loose, "", boxed(all[:1])) // the others are rejected, as the same row
	must.Do(t, err)
	refused(loose, table)
	table, err = insert(strict, "IGNORE", boxed(mapped(all, binary)))
	must.Do(t, err)
	got, err := read[T](t, strict, "SELECT id FROM "+table+" ORDER BY n")
	same(t, got, all, err)
}

// TestNumbersInSQLite stores ULIDs that look like numbers. A column type with TEXT in its name, as
// in the schema for sqlc, keeps them as text. Other types convert them to numbers, which cannot be
// read.
func TestNumbersInSQLite(t *testing.T) {
	t.Parallel()
	d := openSQL(t, "sqlite", filepath.Join(t.TempDir(), "numbers.db"))
	all := mapped([]string{"00000000000000000000000000", "01234567890123456789012345", "0123456789012345678901E123"}, ids.MustParseULID)
	trip(t, d, "ULID as ULID_TEXT", "ULID_TEXT", all...)
	if got, err := read[ids.ULID](t, d, "SELECT id FROM "+d.table(t, "ULID", boxed(all))); err == nil {
		t.Errorf("in a column of type ULID: %v", got)
	}
}

// TestPartition gives a table a partition for the IDs of a month.
func TestPartition(t *testing.T) {
	t.Parallel()
	d := pgxDatabase(connect(t, dbserver.Postgres(t), pgx.QueryExecModeCacheStatement))
	first, next := ids.MinV7At(hour(0)), ids.MinV7At(hour(0).AddDate(0, 1, 0))
	for _, statement := range []string{
		`CREATE TABLE parted (id uuid PRIMARY KEY) PARTITION BY RANGE (id)`,
		fmt.Sprintf(`CREATE TABLE parted_2026_01 PARTITION OF parted FOR VALUES FROM ('%s') TO ('%s')`, first, next),
	} {
		must.Do(t, d.exec(t.Context(), statement))
	}
	for _, id := range append(v7s(t), first) {
		must.Do(t, d.exec(t.Context(), "INSERT INTO parted (id) VALUES ($1)", id))
	}
	if err := d.exec(t.Context(), "INSERT INTO parted (id) VALUES ($1)", next); err == nil {
		t.Errorf("the partition takes %v, of the month after", next)
	}
}

// TestFromV4ToV7 switches a PostgreSQL table whose key was gen_random_uuid() to version 7.
func TestFromV4ToV7(t *testing.T) {
	t.Parallel()
	pool := connect(t, dbserver.Postgres(t), pgx.QueryExecModeCacheStatement)
	d := pgxDatabase(pool)
	one := func(query string, args ...any) (n int64) {
		t.Helper()
		must.Do(t, pool.QueryRow(t.Context(), query, args...).Scan(&n))
		return n
	}
	exec := func(query string, args ...any) {
		t.Helper()
		must.Do(t, d.exec(t.Context(), query, args...))
	}
	exec("CREATE TABLE turned (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz DEFAULT now())")
	exec("INSERT INTO turned (made) SELECT timestamptz '2020-01-01' + n * interval '1 hour' FROM generate_series(1, 200) AS n")
	file := one("SELECT pg_relation_filenode('turned')::bigint")

	exec("ALTER TABLE turned ALTER COLUMN id DROP DEFAULT")
	from := time.Now()
	made := ids.AppendV7(nil, 10)
	for _, id := range made {
		exec("INSERT INTO turned (id) VALUES ($1)", id)
	}
	if n := one("SELECT pg_relation_filenode('turned')::bigint"); n != file {
		t.Errorf("the table was rewritten: its file is %d, was %d", n, file)
	}
	first, last := ids.MinV7At(from.Add(-time.Second)), ids.MinV7At(time.Now().Add(time.Minute))
	if n := one("SELECT count(*) FROM turned WHERE id >= $1 AND id < $2", first, last); n != 10 {
		t.Errorf("between two bounds there are %d rows, want the 10 of version 7", n)
	}
	if n := one("SELECT count(*) FROM turned WHERE id >= $1", first); n < 160 {
		t.Errorf("from the first bound on there are %d rows, want most of version 4 too", n)
	}
	got, err := read[ids.UUID](t, d, "SELECT id FROM turned ORDER BY made DESC, id DESC LIMIT 10")
	slices.Reverse(got)
	same(t, got, made, err) // a time column, and not the ID, shows the newest of both
}
