package with

import (
	"testing"

	"github.com/hamba/avro/v2"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

// Text, a fixed of 16 bytes, a long, and null by a pointer.
func TestAvro(t *testing.T) {
	schema := avro.MustParse(`{"type": "record", "name": "order", "fields": [
		{"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
		{"name": "trace", "type": {"type": "fixed", "name": "bytes16", "size": 16}},
		{"name": "number", "type": "long"},
		{"name": "parent", "type": ["null", {"type": "string", "logicalType": "uuid"}]}
	]}`)
	type record struct {
		ID     uuid.UUID    `avro:"id"`
		Trace  uuid.UUID    `avro:"trace"`
		Number snowflake.ID `avro:"number"`
		Parent *uuid.UUID   `avro:"parent"`
	}
	for _, r := range []record{{id, id, number, &id}, {id, id, number, nil}} {
		b, err := avro.Marshal(schema, r)
		must(t, err)
		var back record
		must(t, avro.Unmarshal(schema, b, &back))
		equal(t, back, r)
	}
}
