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
	return nil // what the library makes of other types
}

func properties(t *testing.T, r *jsonschema.Reflector) map[string]json.RawMessage {
	r.DoNotReference = true
	b, err := r.Reflect(order{}).MarshalJSON()
	must.Do(t, err)
	var schema struct{ Properties map[string]json.RawMessage }
	must.Do(t, json.Unmarshal(b, &schema))
	return schema.Properties
}

// With the mapper, the schema says what JSON has.
func TestJSONSchema(t *testing.T) {
	p := properties(t, &jsonschema.Reflector{Mapper: schemaOf})
	equal(t, string(p["ID"]), `{"type":"string","format":"uuid"}`)
	equal(t, string(p["Refund"]), `{"type":"string","format":"uuid"}`)
	equal(t, string(p["Event"]), `{"type":"string"}`)
	equal(t, string(p["Number"]), `{"type":"string"}`)
	equal(t, string(p["Parent"]), `{"oneOf":[{"type":"string","format":"uuid"},{"type":"null"}]}`)
}

// Without it, a UUID is an array of numbers and a Snowflake a number, which is wrong.
func TestJSONSchemaAsItIs(t *testing.T) {
	p := properties(t, &jsonschema.Reflector{})
	equal(t, string(p["ID"]), `{"items":{"type":"integer"},"type":"array","maxItems":16,"minItems":16}`)
	equal(t, string(p["Number"]), `{"type":"integer"}`)
}
