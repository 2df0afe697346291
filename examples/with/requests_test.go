package with

import (
	"encoding"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-faster/jx"
	"github.com/go-playground/form/v4"
	"github.com/gorilla/schema"
	"github.com/labstack/echo/v4"
	"github.com/oapi-codegen/runtime"
	"github.com/ogen-go/ogen/conv"
	"github.com/ogen-go/ogen/gen/ir"
	"github.com/ogen-go/ogen/json"
	"github.com/ogen-go/ogen/jsonschema"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/spf13/pflag"
)

// A search is what the tests of web frameworks ask for.
type search struct {
	ID     uuid.UUID           `form:"ID,parser=encoding.TextUnmarshaler" query:"ID"`
	Event  ulid.ULID           `form:"Event,parser=encoding.TextUnmarshaler" query:"Event"`
	Number snowflake.ID        `form:"Number,parser=encoding.TextUnmarshaler" query:"Number"`
	User   typeid.ID[customer] `form:"User,parser=encoding.TextUnmarshaler" query:"User"`
	Parent uuid.Null           `form:"Parent,parser=encoding.TextUnmarshaler" query:"Parent"`
	Items  []uuid.UUID         `form:"Items,parser=encoding.TextUnmarshaler" query:"Items"`
}

// TestRequests has libraries read the query of a request, and refuse a bad one.
func TestRequests(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	forms := form.NewDecoder()
	forms.RegisterCustomTypeFunc(func(s []string) (any, error) { return uuid.Parse(s[0]) }, uuid.UUID{})
	schemas := schema.NewDecoder()
	schemas.RegisterConverter(uuid.UUID{}, func(text string) reflect.Value {
		id, err := uuid.Parse(text)
		if err != nil {
			return reflect.Value{} // an error of the decoder
		}
		return reflect.ValueOf(id)
	})
	request := func(query url.Values) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/?"+query.Encode(), nil)
	}
	want := search{id, event, number, orders[0].User, parent, []uuid.UUID{id, uuid.Max()}}
	query := orders[0].texts()
	query.Del("Refund")
	query["Items"] = []string{id.String(), uuid.Max().String()}
	onlyUUIDs := url.Values{"ID": query["ID"], "Items": query["Items"]}

	for _, library := range []struct {
		name  string
		query url.Values
		want  search
		read  func(url.Values, *search) error
	}{
		{"Echo", query, want, func(q url.Values, s *search) error { return echo.New().NewContext(request(q), nil).Bind(s) }},
		{"Gin", query, want, func(q url.Values, s *search) error { return (&gin.Context{Request: request(q)}).ShouldBindQuery(s) }},
		{"gorilla/schema", query, want, func(q url.Values, s *search) error { return schemas.Decode(s, q) }},
		{"go-playground/form", onlyUUIDs, search{ID: id, Items: want.Items}, func(q url.Values, s *search) error { return forms.Decode(s, q) }},
	} {
		t.Run(library.name, func(t *testing.T) {
			var got search
			must.Do(t, library.read(library.query, &got))
			equal(t, got, library.want)
			refused(t, library.read(url.Values{"ID": {"1"}}, &got))
			refused(t, library.read(url.Values{"Items": {"1"}}, &got))
		})
	}
	// The parts that the page names are needed.
	refused(t, form.NewDecoder().Decode(new(search), onlyUUIDs))
	refused(t, schema.NewDecoder().Decode(new(search), onlyUUIDs))
	refused(t, (&gin.Context{Request: request(query)}).ShouldBindQuery(&struct {
		ID uuid.UUID `form:"ID"`
	}{}))

	var path struct {
		ID uuid.UUID `param:"id" uri:"id,parser=encoding.TextUnmarshaler"`
	}
	c := echo.New().NewContext(request(nil), nil)
	c.SetParamNames("id")
	c.SetParamValues(id.String())
	must.Do(t, c.Bind(&path))
	equal(t, path.ID, id)
	path.ID = uuid.Nil()
	must.Do(t, (&gin.Context{Params: gin.Params{{Key: "id", Value: id.String()}}}).ShouldBindUri(&path))
	equal(t, path.ID, id)
}

// TestGorillaSchemaWrites shows that it writes ids with an encoder only.
func TestGorillaSchemaWrites(t *testing.T) {
	type list struct{ Items []uuid.UUID }
	e, out := schema.NewEncoder(), url.Values{}
	refused(t, e.Encode(list{[]uuid.UUID{id}}, url.Values{}))
	e.RegisterEncoder(uuid.UUID{}, func(v reflect.Value) string { return v.Interface().(uuid.UUID).String() })
	must.Do(t, e.Encode(list{[]uuid.UUID{id}}, out))
	equal(t, out, url.Values{"Items": {id.String()}})
}

// TestFlags reads ids by TextVar of flag and of pflag.
func TestFlags(t *testing.T) {
	type flags interface {
		TextVar(p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string)
		Parse([]string) error
		SetOutput(io.Writer)
	}
	for _, f := range []flags{flag.NewFlagSet("", flag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)} {
		f.SetOutput(io.Discard)
		var got, zero order
		var args []string
		for i, field := range got.fields()[:5] {
			f.TextVar(field.(encoding.TextUnmarshaler), columns[i], zero.fields()[i].(encoding.TextMarshaler), "")
			args = append(args, "--"+columns[i], orders[0].texts().Get(columns[i]))
		}
		must.Do(t, f.Parse(args))
		got.Refund = &id
		equal(t, got, orders[0])
		refused(t, f.Parse([]string{"--ID", "1"}))
	}
}

// TestOapiCodegen calls what generated servers and clients call to read and write ids, in paths and queries.
func TestOapiCodegen(t *testing.T) {
	var into search
	for _, test := range []struct{ value, back any }{
		{id, &into.ID}, {event, &into.Event}, {number, &into.Number}, {orders[0].User, &into.User},
		{[]uuid.UUID{id, uuid.Max()}, &into.Items}, {[]snowflake.ID{number}, new([]snowflake.ID)},
	} {
		back := reflect.ValueOf(test.back).Elem()
		path, err := runtime.StyleParamWithOptions("simple", false, "id", test.value, runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationPath})
		must.Do(t, err)
		must.Do(t, runtime.BindStyledParameterWithOptions("simple", "id", path, test.back,
			runtime.BindStyledParameterOptions{ParamLocation: runtime.ParamLocationPath, Required: true}))
		equal(t, back.Interface(), test.value)

		query, err := runtime.StyleParamWithOptions("form", true, "id", test.value, runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationQuery})
		must.Do(t, err)
		values, err := url.ParseQuery(query)
		must.Do(t, err)
		back.SetZero()
		must.Do(t, runtime.BindQueryParameterWithOptions("form", true, true, "id", values, test.back, runtime.BindQueryParameterOptions{}))
		equal(t, back.Interface(), test.value)
	}
	// It writes all arrays of 16 bytes in a list as UUIDs.
	path, err := runtime.StyleParamWithOptions("simple", false, "ids", []ulid.ULID{event}, runtime.StyleParamOptions{})
	must.Do(t, err)
	equal(t, path, event.UUID().String())
}

// TestOgen shows that the generator sees that a UUID reads and writes text, but finds no alias. Its code then calls what
// follows.
func TestOgen(t *testing.T) {
	kind, err := ir.External(&jsonschema.Schema{Type: jsonschema.String, XOgenType: "github.com/oneclock/ids.UUID"})
	must.Do(t, err)
	equal(t, kind.External.Encode.Has(ir.ExternalText) && kind.External.Decode.Has(ir.ExternalText), true)
	_, err = ir.External(&jsonschema.Schema{Type: jsonschema.String, XOgenType: "github.com/oneclock/ids/uuid.UUID"})
	refused(t, err)

	param, err := conv.ToText[uuid.UUID](conv.TextToString(id))
	must.Do(t, err)
	equal(t, param, id)
	var body jx.Encoder
	json.EncodeStringText(&body, id)
	field, err := json.DecodeStringText[uuid.UUID](jx.DecodeBytes(body.Bytes()))
	must.Do(t, err)
	equal(t, field, id)
}
