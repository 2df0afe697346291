package with

import (
	"net/http"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// Echo reads text by itself.
func TestEcho(t *testing.T) {
	var params struct {
		ID     uuid.UUID    `param:"id"`
		Event  ulid.ULID    `query:"event"`
		Number snowflake.ID `query:"number"`
		Parent uuid.Null    `query:"parent"`
		Items  []uuid.UUID  `query:"items"`
	}
	e := echo.New()
	e.GET("/orders/:id", func(c echo.Context) error { return c.Bind(&params) })
	equal(t, get(e, query), http.StatusOK)
	equal(t, params.ID, id)
	equal(t, params.Event, event)
	equal(t, params.Number, number)
	equal(t, params.Parent, uuid.Null{})
	equal(t, params.Items, []uuid.UUID{id, uuid.Max()})
	equal(t, get(e, "/orders/1"), http.StatusBadRequest)
}
