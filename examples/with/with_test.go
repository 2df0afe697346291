package with

import (
	"reflect"
	"testing"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// The ids of the tests.
var (
	id     = uuid.MustParse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	event  = ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	number = snowflake.ID(1541815603606036480)
	parent = uuid.Null{ID: id, Valid: true}
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Error("there is no error")
	}
}

// An order has an id of every kind, with the tags of the libraries that need none.
type order struct {
	ID     uuid.UUID
	Event  ulid.ULID
	Number snowflake.ID
	Parent uuid.Null
	Refund *uuid.UUID
}

// Orders are one with everything and one with nothing that may be absent.
var orders = []order{{id, event, number, parent, &id}, {ID: id, Event: event, Number: number}}

// codec checks that orders come back from an encoding.
func codec(t *testing.T, marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) {
	t.Helper()
	for _, o := range orders {
		b, err := marshal(o)
		must(t, err)
		var back order
		must(t, unmarshal(b, &back))
		equal(t, back, o)
	}
}
