package with

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

type uuidSchema struct{}

func (uuidSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// Huma reads IDs without help, and its schemas have type string; the alias adds the format.
func TestHuma(t *testing.T) {
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("orders", "1"))
	api.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[uuidSchema]())
	type input struct {
		ID     uuid.UUID `path:"id"`
		Event  ulid.ULID `query:"event"`
		Parent uuid.Null `query:"parent"`
		Number int64     `query:"number"` // for a snowflake.ID, which would be rejected
		Body   struct {
			Number snowflake.ID `json:"number"`
			Parent uuid.UUID    `json:"parent"`
		}
	}
	var got input
	huma.Post(api, "/orders/{id}", func(_ context.Context, in *input) (*struct{}, error) {
		got = *in
		return nil, nil
	})
	post := func(target, body string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		mux.ServeHTTP(w, r)
		return w.Code
	}
	body := fmt.Sprintf(`{"number": "%d", "parent": "%s"}`, number, id)
	equal(t, post("/orders/"+id.String()+"?event="+event.String()+"&parent=&number="+number.String(), body), http.StatusNoContent)
	equal(t, got.ID, id)
	equal(t, got.Event, event)
	equal(t, got.Parent, uuid.Null{})
	equal(t, snowflake.ID(got.Number), number)
	equal(t, got.Body.Number, number)
	equal(t, got.Body.Parent, id)
	equal(t, post("/orders/1", body), http.StatusUnprocessableEntity)

	operation := api.OpenAPI().Paths["/orders/{id}"].Post
	equal(t, operation.Parameters[0].Schema.Format, "uuid")
	schema := api.OpenAPI().Components.Schemas.SchemaFromRef(operation.RequestBody.Content["application/json"].Schema.Ref)
	equal(t, schema.Properties["parent"].Format, "uuid")
	equal(t, schema.Properties["number"].Type, huma.TypeString)

	// In a path or a query, Huma reads a Snowflake as a number, but its schema requires a string.
	huma.Get(api, "/orders", func(context.Context, *struct {
		Number snowflake.ID `query:"number"`
	}) (*struct{}, error) {
		return nil, nil
	})
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/orders?number="+number.String(), nil))
	equal(t, w.Code, http.StatusUnprocessableEntity)
}
