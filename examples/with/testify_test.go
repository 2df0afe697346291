package with

import (
	"testing"

	"github.com/oneclock/ids/uuid"
	"github.com/stretchr/testify/mock"
)

// The name of the type is ids.UUID, so AnythingOfType with another name panics. IsType needs no
// name.
func TestTestify(t *testing.T) {
	var m mock.Mock
	m.On("Delete", mock.IsType(uuid.UUID{})).Return()
	m.MethodCalled("Delete", id)

	var byName mock.Mock
	byName.On("Delete", mock.AnythingOfType("uuid.UUID")).Return()
	defer func() {
		if recover() == nil {
			t.Error("AnythingOfType matches now: say so on the page")
		}
	}()
	byName.MethodCalled("Delete", id)
}
