package with

import (
	"net/url"
	"testing"

	"github.com/oapi-codegen/runtime"
	"github.com/oapi-codegen/runtime/types"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// What the generated servers and clients call reads and writes ids, in paths and queries.
func TestOapiCodegen(t *testing.T) {
	roundTrip(t, id)
	roundTrip(t, event)
	roundTrip(t, number)
	roundTrip(t, []uuid.UUID{id, uuid.Max()})
	roundTrip(t, []snowflake.ID{number})
	equal(t, uuid.UUID(types.UUID(id)), id) // the type that is generated if nothing else is said
}

// The runtime writes all arrays of 16 bytes in a list as UUIDs, so a list of ULIDs is not read back.
func TestOapiCodegenListOfULIDs(t *testing.T) {
	path, err := runtime.StyleParamWithOptions("simple", false, "ids", []ulid.ULID{event}, runtime.StyleParamOptions{})
	must(t, err)
	equal(t, path, event.UUID().String())
}

func roundTrip[T any](t *testing.T, v T) {
	path, err := runtime.StyleParamWithOptions("simple", false, "id", v, runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationPath})
	must(t, err)
	var back T
	must(t, runtime.BindStyledParameterWithOptions("simple", "id", path, &back,
		runtime.BindStyledParameterOptions{ParamLocation: runtime.ParamLocationPath, Required: true}))
	equal(t, back, v)

	query, err := runtime.StyleParamWithOptions("form", true, "id", v, runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationQuery})
	must(t, err)
	values, err := url.ParseQuery(query)
	must(t, err)
	back = *new(T)
	must(t, runtime.BindQueryParameterWithOptions("form", true, true, "id", values, &back, runtime.BindQueryParameterOptions{}))
	equal(t, back, v)
}
