package with

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

func get(h http.Handler, target string) (status int) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w.Code
}

// query is what the tests of web frameworks ask for.
var query = "/orders/" + id.String() + "?event=" + event.String() + "&number=" + number.String() +
	"&parent=&items=" + id.String() + "&items=" + uuid.Max().String()

// The option of the tag makes Gin read text, in the path and in queries and forms.
func TestGin(t *testing.T) {
	var path struct {
		ID uuid.UUID `uri:"id,parser=encoding.TextUnmarshaler"`
	}
	var form struct {
		Event  ulid.ULID    `form:"event,parser=encoding.TextUnmarshaler"`
		Number snowflake.ID `form:"number,parser=encoding.TextUnmarshaler"`
		Parent uuid.Null    `form:"parent,parser=encoding.TextUnmarshaler"`
		Items  []uuid.UUID  `form:"items,parser=encoding.TextUnmarshaler"`
	}
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.GET("/orders/:id", func(c *gin.Context) {
		if c.ShouldBindUri(&path) != nil || c.ShouldBindQuery(&form) != nil {
			c.Status(http.StatusBadRequest)
		}
	})
	equal(t, get(r, query), http.StatusOK)
	equal(t, path.ID, id)
	equal(t, form.Event, event)
	equal(t, form.Number, number)
	equal(t, form.Parent, uuid.Null{})
	equal(t, form.Items, []uuid.UUID{id, uuid.Max()})
	equal(t, get(r, "/orders/1"), http.StatusBadRequest)
	equal(t, get(r, "/orders/"+id.String()+"?parent=1"), http.StatusBadRequest)
}

// Without it, Gin reads none of them.
func TestGinWithoutParser(t *testing.T) {
	r := gin.New()
	r.GET("/orders/:id", func(c *gin.Context) {
		var path struct {
			ID uuid.UUID `uri:"id"`
		}
		if c.ShouldBindUri(&path) != nil {
			c.Status(http.StatusBadRequest)
		}
	})
	equal(t, get(r, query), http.StatusBadRequest)
}
