package with

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/invopop/jsonschema"
	swaggest "github.com/swaggest/jsonschema-go"

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

func kinSchema(_ string, t reflect.Type, _ reflect.StructTag, schema *openapi3.Schema) error {
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		*schema = *openapi3.NewUUIDSchema()
	case reflect.TypeFor[uuid.Null]():
		*schema = *openapi3.NewUUIDSchema().WithNullable()
	case reflect.TypeFor[ulid.ULID](), reflect.TypeFor[snowflake.ID]():
		*schema = *openapi3.NewStringSchema()
	}
	return nil
}

func swaggestSchema(p swaggest.InterceptSchemaParams) (stop bool, err error) {
	if !p.Processed {
		return false, nil
	}
	switch p.Value.Type() {
	case reflect.TypeFor[uuid.UUID]():
		p.Schema.WithFormat("uuid")
	case reflect.TypeFor[uuid.Null]():
		p.Schema.WithFormat("uuid").AddType(swaggest.Null)
	case reflect.TypeFor[snowflake.ID]():
		p.Schema.WithType(swaggest.String.Type())
	}
	return false, nil
}

// TestSchemas generates a schema as each library does by itself, which is wrong, and with the function that it is given.
func TestSchemas(t *testing.T) {
	type fields struct {
		ID     uuid.UUID    `json:"id"`
		Event  ulid.ULID    `json:"event"`
		Number snowflake.ID `json:"number"`
		Parent uuid.Null    `json:"parent"`
	}
	kin := func(options ...openapi3gen.Option) (any, error) {
		return openapi3gen.NewSchemaRefForValue(&fields{}, nil, options...)
	}
	invopop := func(mapper func(reflect.Type) *jsonschema.Schema) (any, error) {
		return (&jsonschema.Reflector{Mapper: mapper, DoNotReference: true}).Reflect(fields{}), nil
	}
	swag := func(options ...func(*swaggest.ReflectContext)) (any, error) {
		return new(swaggest.Reflector).Reflect(fields{}, append(options, swaggest.InlineRefs)...)
	}
	const bytes = `{"items":{"type":"integer"},"type":"array","maxItems":16,"minItems":16}`
	for want, schema := range map[string]func() (any, error){
		bytes + " " + bytes + ` {"type":"integer"} {"properties":{"ID":` + bytes + `,"Valid":{"type":"boolean"}},"additionalProperties":false,"type":"object","required":["ID","Valid"]}`: func() (any, error) {
			return invopop(nil)
		},
		`{"type":"string","format":"uuid"} {"type":"string"} {"type":"string"} {"oneOf":[{"type":"string","format":"uuid"},{"type":"null"}]}`: func() (any, error) {
			return invopop(schemaOf)
		},
		`{} {} {"format":"int64","type":"integer"} {}`: func() (any, error) { return kin() },
		`{"format":"uuid","type":"string"} {"type":"string"} {"type":"string"} {"format":"uuid","nullable":true,"type":"string"}`: func() (any, error) {
			return kin(openapi3gen.SchemaCustomizer(kinSchema))
		},
		`{"type":"string"} {"type":"string"} {"type":"integer"} {"type":"string"}`: func() (any, error) { return swag() },
		`{"type":"string","format":"uuid"} {"type":"string"} {"type":"string"} {"type":["string","null"],"format":"uuid"}`: func() (any, error) {
			return swag(swaggest.InterceptSchema(swaggestSchema))
		},
	} {
		got, err := schema()
		must.Do(t, err)
		text, err := json.Marshal(got)
		must.Do(t, err)
		var all struct{ Properties map[string]json.RawMessage }
		must.Do(t, json.Unmarshal(text, &all))
		p := all.Properties
		equal(t, string(p["id"])+" "+string(p["event"])+" "+string(p["number"])+" "+string(p["parent"]), want)
	}
}
