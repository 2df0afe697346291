package with

import (
	"bytes"
	"testing"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/parquet-go/parquet-go"
)

// The tag makes a column of type UUID; an optional id that is zero is null.
func TestParquet(t *testing.T) {
	type record struct {
		ID     uuid.UUID    `parquet:"id,uuid"`
		Event  ulid.ULID    `parquet:"event"`
		Number snowflake.ID `parquet:"number"`
		Parent uuid.UUID    `parquet:"parent,uuid,optional"`
	}
	want := []record{{id, event, number, id}, {id, event, number, uuid.Nil()}}
	var b bytes.Buffer
	must(t, parquet.Write(&b, want))
	got, err := parquet.Read[record](bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	equal(t, got, want)

	columns := parquet.SchemaOf(record{}).Fields()
	for i, want := range []string{"UUID", "FIXED_LEN_BYTE_ARRAY(16)", "INT(64,true)", "UUID"} {
		equal(t, columns[i].Type().String(), want)
	}
}
