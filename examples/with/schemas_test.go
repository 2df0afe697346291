package with

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return &jsonschema.Schema{Type: "string", Format: "uuid"}
	case reflect.TypeFor[uuid.Null]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string", Format: "uuid"}, {Type: "null"}}}
	case reflect.TypeFor[ulid.ULID](), reflect.TypeFor[snowflake.ID]():
		return &jsonschema.Schema{Type: "string"}
	}
	return nil // the library's default for other types
}

// TestSchemas generates a schema with invopop's defaults, which are wrong, and with the given
// function.
func TestSchemas(t *testing.T) {
	type fields struct {
		ID     uuid.UUID    `json:"id"`
		Event  ulid.ULID    `json:"event"`
		Number snowflake.ID `json:"number"`
		Parent uuid.Null    `json:"parent"`
	}
	const numbers = `{"items":{"type":"integer"},"type":"array","maxItems":16,"minItems":16}`
	for _, c := range []struct {
		mapper func(reflect.Type) *jsonschema.Schema
		want   []string
	}{
		{nil, []string{numbers, numbers, `{"type":"integer"}`, `{"properties":{"ID":` + numbers + `,"Valid":{"type":"boolean"}},"additionalProperties":false,"type":"object","required":["ID","Valid"]}`}},
		{schemaOf, []string{`{"type":"string","format":"uuid"}`, `{"type":"string"}`, `{"type":"string"}`, `{"oneOf":[{"type":"string","format":"uuid"},{"type":"null"}]}`}},
	} {
		text, err := json.Marshal((&jsonschema.Reflector{Mapper: c.mapper, DoNotReference: true}).Reflect(fields{}))
		must.Do(t, err)
		var all struct{ Properties map[string]json.RawMessage }
		must.Do(t, json.Unmarshal(text, &all))
		for i, name := range []string{"id", "event", "number", "parent"} {
			equal(t, string(all.Properties[name]), c.want[i])
		}
	}
}
