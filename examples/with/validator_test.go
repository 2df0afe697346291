package with

import (
	"database/sql/driver"
	"reflect"
	"testing"

	"github.com/go-playground/validator/v10"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
)

// required rejects the Nil UUID, and the tags for versions check an ID's text.
func TestValidator(t *testing.T) {
	v := validator.New()
	type request struct {
		ID uuid.UUID `validate:"required,uuid7"`
	}
	must.Do(t, v.Struct(request{id}))
	refused(t, v.Struct(request{}))
	refused(t, v.Struct(request{uuid.NewV4()}))
	refused(t, v.Var(id, "uuid4")) // IDs that move from version 4 to 7 meet this tag
	must.Do(t, v.Var(uuid.NewV4(), "uuid4"))
}

// present makes required check whether a Null is present.
func present(v reflect.Value) any {
	value, _ := v.Interface().(driver.Valuer).Value()
	return value
}

func TestValidatorNull(t *testing.T) {
	type request struct {
		Parent uuid.Null `validate:"required"`
	}
	v := validator.New()
	must.Do(t, v.Struct(request{})) // a struct, which required accepts
	v.RegisterCustomTypeFunc(present, uuid.Null{})
	refused(t, v.Struct(request{}))
	must.Do(t, v.Struct(request{parent}))
}
