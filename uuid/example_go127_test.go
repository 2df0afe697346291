//go:build go1.27

package uuid_test

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	std "uuid"

	"github.com/oneclock/ids/uuid"
)

// Order keeps the type of Go's own package uuid, which tools know.
type Order struct {
	ID std.UUID `json:"id"`
}

func NewOrder() Order { return Order{ID: std.UUID(uuid.NewV7())} }

// Ordered returns when an order was made.
func (o Order) Ordered() (time.Time, bool) { return uuid.UUID(o.ID).Time() }

// OrdersOf returns bounds for the IDs made on the day that begins at midnight. These IDs match the
// condition id >= from AND id < to.
func OrdersOf(midnight time.Time) (from, to std.UUID) {
	return std.UUID(uuid.MinV7At(midnight)), std.UUID(uuid.MinV7At(midnight.AddDate(0, 0, 1)))
}

// A program keeps the type of Go's package uuid, and generates IDs with this package.
func Example_goUUID() {
	order := Order{ID: std.MustParse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")}
	at, ok := order.Ordered()
	fmt.Println(at, ok)

	from, to := OrdersOf(time.Date(2022, 2, 22, 0, 0, 0, 0, time.UTC))
	fmt.Println(from.Compare(order.ID), order.ID.Compare(to))

	a, b := NewOrder(), NewOrder()
	fmt.Println(a.ID.Compare(b.ID))
	// Output:
	// 2022-02-22 19:22:22 +0000 UTC true
	// -1 -1
	// -1
}

// TestGoUUIDKeepsForms checks that both types have the same form in JSON and in a database, so that
// a program can replace one with the other at any time.
func TestGoUUIDKeepsForms(t *testing.T) {
	theirs := NewOrder().ID
	ours := uuid.UUID(theirs)
	a, _ := json.Marshal(theirs)
	b, _ := json.Marshal(ours)
	if string(a) != string(b) {
		t.Errorf("JSON: Go's %s, ours %s", a, b)
	}
	c, err := driver.DefaultParameterConverter.ConvertValue(theirs)
	d, _ := ours.Value()
	var back std.UUID
	if c != d || err != nil || (*uuid.UUID)(&back).Scan(d) != nil || back != theirs { // as rows.Scan reads it
		t.Errorf("database: Go's %v, ours %v (%v), read as %v", c, d, err, back)
	}
}
