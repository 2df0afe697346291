package with

import (
	"net/url"
	"reflect"
	"testing"

	"github.com/go-playground/form/v4"
	"github.com/gorilla/schema"
	"github.com/oneclock/ids/uuid"
)

type search struct {
	ID   uuid.UUID   `form:"id" schema:"id"`
	List []uuid.UUID `form:"list" schema:"list"`
}

var (
	formQuery = url.Values{"id": {id.String()}, "list": {id.String(), uuid.Max().String()}}
	wanted    = search{id, []uuid.UUID{id, uuid.Max()}}
	bad       = url.Values{"id": {"x"}, "list": {"x"}}
)

// go-playground/form reads an id, a list or not, as numbers until it has a function for the type.
func TestForm(t *testing.T) {
	refused(t, form.NewDecoder().Decode(&search{}, formQuery))

	d := form.NewDecoder()
	d.RegisterCustomTypeFunc(func(texts []string) (any, error) { return uuid.Parse(texts[0]) }, uuid.UUID{})
	var got search
	must(t, d.Decode(&got, formQuery))
	equal(t, got, wanted)
	refused(t, d.Decode(&got, bad))
}

// gorilla/schema reads an id as it is, and a list only with a converter. It writes ids only with an encoder.
func TestGorillaSchema(t *testing.T) {
	var got search
	refused(t, schema.NewDecoder().Decode(&got, formQuery))
	must(t, schema.NewDecoder().Decode(&got, url.Values{"id": formQuery["id"]}))
	equal(t, got.ID, id)

	d := schema.NewDecoder()
	d.RegisterConverter(uuid.UUID{}, func(text string) reflect.Value {
		id, err := uuid.Parse(text)
		if err != nil {
			return reflect.Value{} // an error of the decoder
		}
		return reflect.ValueOf(id)
	})
	got = search{}
	must(t, d.Decode(&got, formQuery))
	equal(t, got, wanted)
	refused(t, d.Decode(&got, bad))

	e, out := schema.NewEncoder(), url.Values{}
	refused(t, e.Encode(search{ID: id}, out))
	e.RegisterEncoder(uuid.UUID{}, func(v reflect.Value) string { return v.Interface().(uuid.UUID).String() })
	out = url.Values{}
	must(t, e.Encode(wanted, out))
	equal(t, out, formQuery)
}
