package with

import (
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

func clickhouseColumn(t *testing.T, kind column.Type) column.Interface {
	c, err := kind.Column("c", &column.ServerContext{Timezone: time.UTC})
	must(t, err)
	return c
}

// Row by row, as Append of a batch and Scan of rows do, ids and Null need nothing.
func TestClickHouse(t *testing.T) {
	c := clickhouseColumn(t, "Nullable(UUID)")
	must(t, c.AppendRow(id))
	must(t, c.AppendRow(event.UUID())) // a ULID
	must(t, c.AppendRow(parent))
	must(t, c.AppendRow(uuid.Null{}))
	var u uuid.UUID
	must(t, c.ScanRow(&u, 0))
	equal(t, u, id)
	must(t, c.ScanRow(&u, 1))
	equal(t, u.ULID(), event)
	var n uuid.Null
	must(t, c.ScanRow(&n, 2))
	equal(t, n, parent)
	must(t, c.ScanRow(&n, 3))
	equal(t, n, uuid.Null{})

	c = clickhouseColumn(t, "Int64")
	must(t, c.AppendRow(number))
	var s snowflake.ID
	must(t, c.ScanRow(&s, 0))
	equal(t, s, number)
}

// A whole column at once is refused, a ULID as itself too, and a nil pointer panics in the driver.
func TestClickHouseRefuses(t *testing.T) {
	c := clickhouseColumn(t, "UUID")
	_, err := c.Append([]uuid.UUID{id})
	refused(t, err)
	refused(t, c.AppendRow(event))
	defer func() {
		if recover() == nil {
			t.Error("a nil *uuid.UUID no longer panics")
		}
	}()
	_ = clickhouseColumn(t, "Nullable(UUID)").AppendRow((*uuid.UUID)(nil))
}
