package with

import (
	"bytes"
	"testing"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// stored writes a value into a ClickHouse column, as its driver does, and returns the bytes on the
// wire. It reads them back into another value.
func stored(t *testing.T, typ column.Type, value, into any) (wire string, read error) {
	t.Helper()
	context := &column.ServerContext{Revision: 54460}
	c, err := typ.Column("id", context)
	must.Do(t, err)
	must.Do(t, c.AppendRow(value))
	var b proto.Buffer
	c.Encode(&b)
	d, err := typ.Column("id", context)
	must.Do(t, err)
	must.Do(t, d.Decode(proto.NewReader(bytes.NewReader(b.Buf)), 1))
	return string(b.Buf), d.ScanRow(into, 0)
}

// TestClickHouse stores IDs with the driver's own code, without a server. The driver checks for
// BinaryMarshaler before Value, so the text of an ID must be passed as a string. FixedString(26) is
// the type of generateULID().
func TestClickHouse(t *testing.T) {
	var gotID uuid.UUID
	var gotNull uuid.Null
	_, err := stored(t, "UUID", id, &gotID)
	must.Do(t, err)
	equal(t, gotID, id)
	_, err = stored(t, "Nullable(UUID)", uuid.Null{}, &gotNull)
	must.Do(t, err)
	equal(t, gotNull, uuid.Null{})
	_, err = stored(t, "Nullable(UUID)", parent, &gotNull)
	must.Do(t, err)
	equal(t, gotNull, parent)
	_, err = stored(t, "UUID", uuid.Null{}, &gotNull) // present, and Nil
	must.Do(t, err)
	equal(t, gotNull, uuid.Null{Valid: true})

	var gotEvent ulid.ULID
	wire, err := stored(t, "FixedString(26)", event, &gotEvent)
	equal(t, wire, string(event[:])+"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	refused(t, err)
	for _, typ := range []column.Type{"FixedString(26)", "String"} {
		var text ulid.Null
		wire, err = stored(t, typ, event.String(), &text)
		must.Do(t, err)
		equal(t, wire[len(wire)-26:], event.String())
		equal(t, text, ulid.Null{ID: event, Valid: true})
		_, err = stored(t, typ, event.String(), &gotEvent)
		refused(t, err)
	}
	func() {
		defer func() { equal(t, recover() != nil, true) }()
		_, _ = stored(t, "Nullable(UUID)", (*uuid.UUID)(nil), &gotNull)
		t.Error("a nil *uuid.UUID does not panic")
	}()
}
