package with

import (
	"testing"

	"github.com/go-faster/jx"
	"github.com/ogen-go/ogen/conv"
	"github.com/ogen-go/ogen/gen/ir"
	"github.com/ogen-go/ogen/json"
	"github.com/ogen-go/ogen/jsonschema"
	"github.com/oneclock/ids/uuid"
)

// The generator sees that a UUID reads and writes text, and its code then calls the functions below. It finds no aliases.
func TestOgen(t *testing.T) {
	kind, err := ir.External(&jsonschema.Schema{Type: jsonschema.String, XOgenType: "github.com/oneclock/ids.UUID"})
	must(t, err)
	equal(t, kind.External.Encode.Has(ir.ExternalText) && kind.External.Decode.Has(ir.ExternalText), true)
	_, err = ir.External(&jsonschema.Schema{Type: jsonschema.String, XOgenType: "github.com/oneclock/ids/uuid.UUID"})
	refused(t, err)

	param, err := conv.ToText[uuid.UUID](conv.TextToString(id))
	must(t, err)
	equal(t, param, id)
	var body jx.Encoder
	json.EncodeStringText(&body, id)
	field, err := json.DecodeStringText[uuid.UUID](jx.DecodeBytes(body.Bytes()))
	must(t, err)
	equal(t, field, id)

	google, err := conv.ToUUID(id.String()) // the type that is generated if nothing else is said
	must(t, err)
	equal(t, uuid.UUID(google), id)
}
