package ids_test

import (
	"fmt"

	"github.com/oneclock/ids"
)

// ID is the ID of a thing of one kind. Kind exists only for the compiler and takes no space.
type ID[Kind any] struct{ ids.UUID }

func NewID[Kind any]() ID[Kind] { return ID[Kind]{ids.NewV7()} }

func ParseID[Kind any](s string) (ID[Kind], error) {
	u, err := ids.ParseUUID(s)
	return ID[Kind]{u}, err
}

type (
	Customer struct{ ID ID[Customer] }
	Order    struct {
		ID       ID[Order]
		Customer ID[Customer]
	}
)

func ship(order ID[Order]) { fmt.Println("shipped", order) }

// One generic type serves many kinds of things, and the compiler distinguishes their IDs.
func Example_kinds() {
	id, err := ParseID[Order]("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	if err != nil {
		panic(err)
	}
	order := Order{ID: id, Customer: NewID[Customer]()}
	ship(order.ID)
	// ship(order.Customer) does not compile, nor does order.ID == order.Customer.

	var parent ids.Null[ID[Order]] // for an ID that may be absent
	err = parent.Scan(nil)
	fmt.Println(parent.Valid, err)
	// Output:
	// shipped 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// false <nil>
}
