package with

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// A query has the tags of gin and of echo.
type query struct {
	ID     uuid.UUID    `form:"id,parser=encoding.TextUnmarshaler" query:"id"`
	Event  ulid.ULID    `form:"event,parser=encoding.TextUnmarshaler" query:"event"`
	Number snowflake.ID `form:"number,parser=encoding.TextUnmarshaler" query:"number"`
	Parent uuid.Null    `form:"parent,parser=encoding.TextUnmarshaler" query:"parent"`
	Refund *uuid.UUID   `form:"refund,parser=encoding.TextUnmarshaler" query:"refund"`
	Items  []uuid.UUID  `form:"items,parser=encoding.TextUnmarshaler" query:"items"`
	User   userID       `form:"user,parser=encoding.TextUnmarshaler" query:"user"`
}

// sixteen is a list of 16 numbers.
const sixteen = "id=1&id=127&id=34&id=226&id=121&id=176&id=124&id=195&id=152&id=196&id=220&id=12&id=12&id=7&id=57&id=143"

// queries maps a client's queries to the values that a server should read. nil means an error.
var queries = map[string]*query{
	"": {}, "id=" + id.String(): {ID: id}, "id=nonsense": nil, "id=": nil, "id=1": nil,
	"event=" + event.String(): {Event: event}, "event=nonsense": nil, "event=": nil,
	"number=7": {Number: 7}, "number=-5": nil, "number=": nil, "number=x": nil, "number=0x10": nil, "number=1_000": nil,
	"parent=" + id.String(): {Parent: parent}, "parent=": {}, "parent=null": nil,
	"refund=" + id.String(): {Refund: &id}, "refund=": nil, "refund=nonsense": nil,
	"items=" + id.String() + "&items=" + id.String(): {Items: []uuid.UUID{id, id}}, "items=nonsense": nil, "items=1&items=2": nil,
	"user=" + id.String(): {User: userID{id}}, "user=nonsense": nil, "user=": nil,
}

func get(target string) *http.Request { return httptest.NewRequest(http.MethodGet, target, nil) }

// echo reads IDs with their methods.
func TestEcho(t *testing.T) {
	e := echo.New()
	for text, want := range queries {
		var got query
		if err := e.NewContext(get("/?"+text), httptest.NewRecorder()).Bind(&got); want == nil {
			refused(t, err)
		} else {
			must.Do(t, err)
			equal(t, got, *want)
		}
	}
	for text, want := range map[string]uuid.UUID{id.String(): id, "nonsense": {}} {
		c := e.NewContext(get("/"), httptest.NewRecorder())
		c.SetParamNames("id")
		c.SetParamValues(text)
		var got struct {
			ID uuid.UUID `param:"id"`
		}
		err := c.Bind(&got)
		equal(t, err == nil, !want.IsZero())
		equal(t, got.ID, want)
	}
}

// With the page's tag, gin also reads them so, in a query, a path and a header.
func TestGin(t *testing.T) {
	for text, want := range queries {
		var got query
		if err := binding.Query.Bind(get("/?"+text), &got); want == nil {
			refused(t, err)
		} else {
			must.Do(t, err)
			equal(t, got, *want)
		}
	}
	var sent query
	refused(t, binding.Query.Bind(get("/?"+sixteen), &sent))
	for text, want := range map[string]uuid.UUID{id.String(): id, "nonsense": {}} {
		var path struct {
			ID uuid.UUID `uri:"id,parser=encoding.TextUnmarshaler" binding:"required"`
		}
		err := binding.Uri.BindUri(map[string][]string{"id": {text}}, &path)
		equal(t, err == nil, !want.IsZero())
		equal(t, path.ID, want)
		var header struct {
			ID uuid.UUID `header:"X-Request-Id,parser=encoding.TextUnmarshaler"`
		}
		r := get("/")
		r.Header.Set("X-Request-Id", text)
		err = binding.Header.Bind(r, &header)
		equal(t, err == nil, !want.IsZero())
		equal(t, header.ID, want)
	}
}

// With a plain tag, gin checks the kind of a field, which is an array, a struct or an int64.
func TestGinPlain(t *testing.T) {
	type plain struct {
		ID     uuid.UUID    `form:"id"`
		Event  ulid.ULID    `form:"event"`
		Number snowflake.ID `form:"number"`
		Parent uuid.Null    `form:"parent"`
		Refund *uuid.UUID   `form:"refund"`
		Items  []uuid.UUID  `form:"items"`
		User   userID       `form:"user"`
	}
	for text, want := range queries {
		if want != nil && text != "" && want.Number == 0 { // good IDs
			refused(t, binding.Query.Bind(get("/?"+text), new(plain)))
		}
	}
	gin.SetMode(gin.TestMode)
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Params = gin.Params{{Key: "id", Value: id.String()}}
	got, err := uuid.Parse(c.Param("id"))
	must.Do(t, err)
	equal(t, got, id)
	for text, came := range map[string]plain{"number=-5": {Number: -5}, "number=": {}, sixteen: {ID: id}} {
		var got plain
		must.Do(t, binding.Query.Bind(get("/?"+text), &got))
		equal(t, got, came)
	}
}

// chi reads a path like net/http. For an optional query parameter, use a Null.
func TestChi(t *testing.T) {
	r := chi.NewRouter()
	r.Get("/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		got, err := uuid.Parse(r.PathValue("id"))
		var after uuid.Null
		if err == nil {
			err = after.UnmarshalText([]byte(r.URL.Query().Get("after")))
		}
		if err != nil {
			http.Error(w, "bad ID", http.StatusBadRequest)
			return
		}
		equal(t, got, id)
		_, _ = w.Write([]byte(after.String()))
	})
	for target, want := range map[string]string{
		id.String(): uuid.Null{}.String(), id.String() + "?after=": uuid.Null{}.String(), id.String() + "?after=" + id.String(): id.String(),
		id.String() + "?after=nonsense": "", "nonsense": "",
	} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, get("/orders/"+target))
		equal(t, w.Code == http.StatusOK, !strings.Contains(target, "nonsense"))
		if w.Code == http.StatusOK {
			equal(t, w.Body.String(), want)
		}
	}
}
