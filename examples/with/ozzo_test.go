package with

import (
	"testing"

	validation "github.com/go-ozzo/ozzo-validation/v4"
	"github.com/go-ozzo/ozzo-validation/v4/is"
	"github.com/oneclock/ids/uuid"
)

// notZero is a rule for ids that are required.
var notZero = validation.By(func(value any) error {
	if id, ok := value.(interface{ IsZero() bool }); ok && id.IsZero() {
		return validation.ErrRequired
	}
	return nil
})

// Required lets the Nil UUID pass, as an array that is not empty. On a Null it is right.
func TestOzzo(t *testing.T) {
	must(t, validation.Validate(uuid.Nil(), validation.Required))
	refused(t, validation.Validate(uuid.Nil(), notZero))
	must(t, validation.Validate(id, notZero))
	refused(t, validation.Validate(uuid.Null{}, validation.Required))
	must(t, validation.Validate(parent, validation.Required))
	must(t, validation.Validate(id.String(), is.UUID))
}
