package typeid_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

type (
	customer struct{}
	invoice  struct{}
)

func (customer) Prefix() string { return "customer" }
func (invoice) Prefix() string  { return "invoice" }

// The types by which a program knows its ids.
type (
	CustomerID = typeid.ID[customer]
	InvoiceID  = typeid.ID[invoice]
)

// Each kind is a type, and JSON with the id of another kind is refused.
func Example() {
	var bill struct {
		ID    InvoiceID
		Payer ids.Null[CustomerID]
	}
	err := json.Unmarshal([]byte(`{"ID": "invoice_01h455vb4pex5vsknk084sn02q", "Payer": null}`), &bill)
	fmt.Println(bill.ID, bill.Payer.Valid, err)

	err = json.Unmarshal([]byte(`{"Payer": "invoice_01h455vb4pex5vsknk084sn02q"}`), &bill)
	fmt.Println(err)
	// Output:
	// invoice_01h455vb4pex5vsknk084sn02q false <nil>
	// typeid: prefix is not "customer_"
}

func ExampleNew() {
	id := typeid.New[customer]()
	fmt.Println(id.String()[:len("customer_")], id.Version())
	// Output: customer_ 7
}

func ExampleFrom() {
	u := ids.MustParseUUID("01890a5d-ac96-774b-bcce-b302099a8057") // from a column, say
	fmt.Println(typeid.From[customer](u))
	// Output: customer_01h455vb4pex5vsknk084sn02q
}

func ExampleParse() {
	_, err := typeid.Parse[customer]("customer_01h455vb4pex5vsknk084sn02Q")
	fmt.Println(err, errors.Is(err, ids.ErrSyntax))

	var where interface{ Offset() (int, bool) }
	if errors.As(err, &where) {
		fmt.Println(where.Offset())
	}
	// Output:
	// typeid: not a Crockford Base32 digit in lower case at byte 34 true
	// 34 true
}

func ExampleMustParse() {
	at, ok := typeid.MustParse[customer]("customer_01h455vb4pex5vsknk084sn02q").Time()
	fmt.Println(at, ok)
	// Output: 2023-06-30 03:34:18.518 +0000 UTC true
}

// A test of a program calls Valid for each of its kinds.
func ExampleValid() {
	fmt.Println(typeid.Valid[customer](), typeid.Valid[invoice]())
	// Output: <nil> <nil>
}

// A database holds the UUID, and Scan reads that and the text with the prefix.
func ExampleID_Scan() {
	id := typeid.MustParse[customer]("customer_01h455vb4pex5vsknk084sn02q")
	column, _ := id.Value() // what db.Exec writes
	fmt.Println(column)
	var back CustomerID
	fmt.Println(back.Scan(column), back == id, back.Scan(id.String()), back == id)
	// Output:
	// 01890a5d-ac96-774b-bcce-b302099a8057
	// <nil> true <nil> true
}
