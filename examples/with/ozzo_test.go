package with

import (
	"errors"
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
	id, none := uuid.NewV7(), uuid.Nil()
	for _, test := range []struct {
		what  string
		value any
		rule  validation.Rule
		fails bool
	}{
		{"Required, Nil UUID", none, validation.Required, false},
		{"notZero, Nil UUID", none, notZero, true},
		{"notZero, UUID", id, notZero, false},
		{"Required, absent Null", uuid.Null{}, validation.Required, true},
		{"Required, Null", uuid.Null{ID: id, Valid: true}, validation.Required, false},
		{"is.UUID", id.String(), is.UUID, false},
	} {
		err := validation.Validate(test.value, test.rule)
		var broken validation.Error
		if (err != nil) != test.fails || err != nil && !errors.As(err, &broken) {
			t.Errorf("%s: %v, want an error: %t", test.what, err, test.fails)
		}
	}
}
