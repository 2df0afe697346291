package with

import (
	"encoding"
	"net/url"
	"reflect"
	"testing"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

type customer struct{}

func (customer) Prefix() string { return "customer" }

// The IDs of the tests.
var (
	id     = uuid.MustParse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	event  = ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	number = snowflake.ID(1541815603606036480)
	parent = uuid.Null{ID: id, Valid: true}
)

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

// An order has an ID of every kind.
type order struct {
	ID     uuid.UUID
	Event  ulid.ULID
	Number snowflake.ID
	User   typeid.ID[customer]
	Parent uuid.Null
	Refund *uuid.UUID
}

// columns are the names of an order's fields.
var columns = []string{"ID", "Event", "Number", "User", "Parent", "Refund"}

// fields returns the addresses of the fields.
func (o *order) fields() []any {
	return []any{&o.ID, &o.Event, &o.Number, &o.User, &o.Parent, &o.Refund}
}

// texts returns the text forms of the fields that have one.
func (o *order) texts() url.Values {
	values := url.Values{}
	for i, field := range o.fields() {
		if pointer, ok := field.(**uuid.UUID); ok {
			field = *pointer
		}
		if reflect.ValueOf(field).IsNil() {
			continue
		}
		text, _ := field.(encoding.TextMarshaler).MarshalText()
		values.Set(columns[i], string(text))
	}
	return values
}

// One order has everything; the other lacks everything that may be absent.
var orders = []order{
	{id, event, number, typeid.From[customer](id), parent, &id},
	{ID: id, Event: event, Number: number, User: typeid.From[customer](id)},
}
