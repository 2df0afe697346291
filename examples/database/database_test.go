package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/database/dbserver"
)

func testNode(t *testing.T) *ids.SnowflakeNode {
	t.Helper()
	node, err := ids.NewSnowflakeNode(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// testEngine makes every round trip of an engine and measures every scheme on it.
func testEngine(t *testing.T, e engine) {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	for _, trip := range e.roundTrips() {
		t.Run(trip.name, func(t *testing.T) {
			if err := trip.run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	// Neither the batch nor the statement divides the rows: the last of both are short.
	const rows, batch = 3_210, 1_100
	for _, s := range schemes(testNode(t)) {
		t.Run(s.name, func(t *testing.T) {
			done := 0
			r, err := measure(ctx, e, s, rows, batch, func(n int) { done += n })
			if err != nil {
				t.Fatal(err)
			}
			if done != rows {
				t.Errorf("progress of %d rows, want %d", done, rows)
			}
			if r.insert <= 0 || r.table < rows*64 || r.written < rows*64 {
				t.Errorf("insert took %v, the table has %d bytes, %d were written", r.insert, r.table, r.written)
			}
			if inTable := keyIsTable(e, s); inTable && r.index != 0 || !inTable && (r.index < rows*8 || r.index >= r.table) {
				t.Errorf("the index has %d bytes, the table %d", r.index, r.table)
			}
			if r.ranged != (s.bounds != nil) || r.ranged && (r.rangeRows < 1 || r.rangeRows > rows || r.rangeTime <= 0) {
				t.Errorf("range: %v, %d rows in %v", r.ranged, r.rangeRows, r.rangeTime)
			}
		})
	}
	t.Run("finds errors", func(t *testing.T) { testFindsErrors(t, ctx, e) })
}

// keyIsTable reports whether the engine keeps the rows in the index on the key itself.
func keyIsTable(e engine, s scheme) bool {
	switch e.(type) {
	case *mysqlEngine:
		return true
	case *sqliteEngine:
		return s.form == formInteger
	}
	return false
}

// testFindsErrors measures schemes with a fault: each must be found.
func testFindsErrors(t *testing.T, ctx context.Context, e engine) {
	good := schemes(testNode(t))[2] // v7
	wrongBound := good
	wrongBound.bounds = func(from, to time.Time) (any, any) { return ids.MaxV7At(from), ids.MaxV7At(from) }
	disorder := good
	disorder.mint = func(n int) []any {
		keys := good.mint(n)
		keys[0], keys[1] = keys[1], keys[0]
		return keys
	}
	duplicate := good
	duplicate.mint = func(n int) []any {
		keys := good.mint(n)
		keys[0] = keys[1]
		return keys
	}
	for _, test := range []struct {
		name, want string
		s          scheme
	}{
		{"wrong bound", "rows between", wrongBound},
		{"out of order", "out of the order", disorder},
		{"duplicate", "into " + good.table(), duplicate},
	} {
		_, err := measure(ctx, e, test.s, 100, 100, func(int) {})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	// A canceled run leaves no table behind: the next one can be measured.
	canceled, cancel := context.WithCancel(ctx)
	if _, err := measure(canceled, e, good, 100, 10, func(int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: error %v", err)
	}
	if _, err := e.between(ctx, good, ids.NilUUID(), ids.MaxUUID()); err == nil {
		t.Errorf("a canceled run leaves the table %s", good.table())
	}
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	e, err := openSQLite(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	testEngine(t, e)
	t.Run("program", func(t *testing.T) { testProgram(t) })
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	url := dbserver.Postgres(t)
	native, viaSQL, err := openPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer viaSQL.close() // closes what both share
	t.Run("pgx", func(t *testing.T) { testEngine(t, native) })
	t.Run("database/sql", func(t *testing.T) { testEngine(t, viaSQL) })
	t.Run("codec", func(t *testing.T) { testCodec(t, url, native) })
	t.Run("no right to CHECKPOINT", func(t *testing.T) { testWithoutCheckpoint(t, url, native) })
	t.Run("program", func(t *testing.T) { testProgram(t, "-postgres", url) })
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	dsn := dbserver.MariaDB(t)
	e, err := openMySQL(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	testEngine(t, e)
	t.Run("order of UUID", func(t *testing.T) { testOrderOfUUID(t, e) })
	t.Run("program", func(t *testing.T) { testProgram(t, "-mysql", dsn) })
}

// testOrderOfUUID checks what README says of MariaDB's type UUID: it sorts versions 6 and 7 by
// their bytes.
func testOrderOfUUID(t *testing.T, e *mysqlEngine) {
	var want []ids.UUID
	for hour := range 20 {
		id, err := ids.NewV7At(time.Date(2026, time.January, 1, hour, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	want = append(want, ids.NewV6()) // it begins with 1f in our time, and version 7 with 01
	values := boxed(want)
	slices.Reverse(values)
	err := e.inTripTable(t.Context(), "UUID", values, func(table string) error {
		got, err := queryColumn[ids.UUID](t.Context(), e.db, "SELECT id FROM "+table+" ORDER BY id")
		return same(got, want, err)
	})
	if err != nil {
		t.Error(err)
	}
}

// testProgram runs the whole program with the flags and checks its table.
func testProgram(t *testing.T, args ...string) {
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), append(args, "-rows", "700", "-batch", "300", "-runs", "2"), &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if stderr.Len() > 0 {
		t.Errorf("standard error is not a terminal and gets %q", stderr.String())
	}
	if !strings.Contains(stdout.String(), " cores") || !strings.Contains(stdout.String(), runtime.Version()+": medians of 2 runs, 700 rows") {
		t.Errorf("the machine and the runs are not named in\n%s", stdout.String())
	}
	for _, s := range schemes(testNode(t)) {
		if !strings.Contains(stdout.String(), " "+s.name+" ") {
			t.Errorf("no row for %s in\n%s", s.name, stdout.String())
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
		is   error
	}{
		{[]string{"-rows", "0"}, "-rows 0: at least 1", errUsage},
		{[]string{"-rows", "-5"}, "-rows -5: at least 1", errUsage},
		{[]string{"-rows", "many"}, `invalid value "many"`, errUsage},
		{[]string{"-batch", "0"}, "-batch 0: at least 1", errUsage},
		{[]string{"-runs", "0"}, "-runs 0: at least 1", errUsage},
		{[]string{"-colour"}, "-colour", errUsage},
		{[]string{"sqlite"}, `unexpected argument "sqlite"`, errUsage},
		{[]string{"-h"}, "ids_example_", flag.ErrHelp},
	} {
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), test.args, &stdout, &stderr)
		if !errors.Is(err, test.is) || !strings.Contains(stderr.String(), test.want) || stdout.Len() > 0 {
			t.Errorf("%q: error %v, standard error %q, want one with %q", test.args, err, stderr.String(), test.want)
		}
	}
}

// TestUnreachable gives addresses that no server has: the error says which of the databases it
// is about.
func TestUnreachable(t *testing.T) {
	for _, test := range []struct{ flag, address, want string }{
		{"-postgres", "postgres://ids@127.0.0.1:1/test", "postgres: "},
		{"-postgres", "postgres://ids@127.0.0.1:port/test", "postgres: "},
		{"-mysql", "root@tcp(127.0.0.1:1)/test", "mysql: "},
		{"-mysql", "127.0.0.1", "mysql: "},
	} {
		err := run(t.Context(), []string{test.flag, test.address}, io.Discard, io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s %s: error %v, want one that begins with %q", test.flag, test.address, err, test.want)
		}
	}
}

func TestSame(t *testing.T) {
	id, other := ids.NewV7(), errors.New("other")
	if err := same(&id, &ids.UUID{}, nil); err == nil {
		t.Error("two different ids are the same")
	}
	if err := same(id, id, nil); err != nil {
		t.Error(err)
	}
	if err := same(id, id, other); err != other {
		t.Errorf("got %v, want the error of the query", err)
	}
}

// TestMedian gives runs whose figures are outliers in turn: none of them shows.
func TestMedian(t *testing.T) {
	run := func(insert time.Duration, table, index, written int64, rangeRows int, rangeTime time.Duration) result {
		return result{insert: insert, table: table, index: index, written: written, ranged: true, rangeRows: rangeRows, rangeTime: rangeTime}
	}
	got := median([]result{run(900, 20, 31, 40, 10, 100), run(10, 900, 30, 41, 20, 220), run(11, 21, 900, 900, 30, 9000)})
	if want := run(11, 21, 31, 41, 20, 220); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := median([]result{run(1, 2, 3, 4, 5, 6)}); !reflect.DeepEqual(got, run(1, 2, 3, 4, 5, 6)) {
		t.Errorf("one run became %+v", got)
	}
}
