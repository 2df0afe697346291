package database

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/internal/docs"
)

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs.Root(t), "docs", name))
	must.Do(t, err)
	return string(text)
}

// numbered returns the Snowflake with the given parts.
func numbered(t *testing.T, at time.Time, node, sequence int64) ids.Snowflake {
	t.Helper()
	id, err := ids.TwitterLayout().Compose(ids.SnowflakeParts{Time: at, Node: node, Sequence: sequence})
	must.Do(t, err)
	return id
}

// timeInSQL computes the time of hour 0's ID in µs, with an expression from docs/storing.md.
func timeInSQL(t *testing.T, d *database, query, expression, column string, id any) {
	t.Helper()
	if !strings.Contains(strings.ReplaceAll(page(t, "storing.md"), `\|`, "|"), "`"+expression+"`") {
		t.Errorf("the page does not have %s", expression)
	}
	got, err := read[int64](t, d, fmt.Sprintf(query, expression, column), id)
	same(t, got, []int64{hour(0).UnixMicro()}, err)
}

// nodesInSQL counts a table's IDs by node with the statement from docs/operations.md, which returns
// the most common node first.
func nodesInSQL(t *testing.T, d *database) {
	t.Helper()
	must.Do(t, d.exec(t.Context(), "CREATE TABLE orders (id bigint PRIMARY KEY)"))
	var latest ids.Snowflake
	for i, node := range []int64{7, 1023, 7} {
		latest = numbered(t, hour(0), node, int64(i))
		must.Do(t, d.exec(t.Context(), "INSERT INTO orders (id) VALUES ("+d.param(1)+")", latest))
	}
	r, end, err := d.query(t.Context(), regexp.MustCompile("(?m)^ *SELECT .* FROM orders .*$").FindString(page(t, "operations.md")))
	must.Do(t, err)
	defer end()
	var node, n int64
	var max ids.Snowflake
	if !r.Next() {
		t.Fatal("no row: ", r.Err())
	}
	if err := r.Scan(&node, &n, &max); err != nil || node != 7 || n != 2 || max != latest {
		t.Errorf("node %d, %d ids, the latest %d (%v); want 7, 2, %d", node, n, max, err, latest)
	}
}
