package with

import (
	"testing"

	jsoniter "github.com/json-iterator/go"
	"github.com/oneclock/ids/uuid"
)

// jsoniter writes and reads as encoding/json does, but refuses null for a plain id, and writes what omitzero leaves out.
func TestJsoniter(t *testing.T) {
	json := jsoniter.ConfigCompatibleWithStandardLibrary
	codec(t, json.Marshal, json.Unmarshal)

	var plain struct{ ID uuid.UUID }
	refused(t, json.Unmarshal([]byte(`{"ID":null}`), &plain))
	maybe := struct {
		ID      uuid.Null
		Pointer *uuid.UUID
	}{parent, &id}
	must(t, json.Unmarshal([]byte(`{"ID":null,"Pointer":null}`), &maybe))
	equal(t, maybe.ID, uuid.Null{})
	equal(t, maybe.Pointer, nil)

	b, err := json.Marshal(struct {
		ID uuid.Null `json:"id,omitzero"`
	}{})
	must(t, err)
	equal(t, string(b), `{"id":null}`)
}
