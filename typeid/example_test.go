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

// The program's ID types.
type (
	CustomerID = typeid.ID[customer]
	InvoiceID  = typeid.ID[invoice]
)

// Each kind is a type, and JSON with an ID of another kind is rejected.
func Example() {
	var bill struct {
		ID    InvoiceID
		Payer typeid.Null[customer]
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

// A program that stores many kinds of things in one table has the prefixes as data.
func ExampleJoin() {
	u := ids.MustParseUUID("01890a5d-ac96-774b-bcce-b302099a8057")
	for _, prefix := range []string{"customer", "line_item", "", "Customer"} {
		fmt.Println(typeid.Join(prefix, u))
	}
	// Output:
	// customer_01h455vb4pex5vsknk084sn02q <nil>
	// line_item_01h455vb4pex5vsknk084sn02q <nil>
	// 01h455vb4pex5vsknk084sn02q <nil>
	//  typeid: neither a letter a to z of a prefix nor an underscore within one at byte 0
}

func ExampleSplit() {
	fmt.Println(typeid.Split("line_item_01h455vb4pex5vsknk084sn02q"))
	fmt.Println(typeid.Split("line_item_01h455vb4pex5vsknk084sn02"))
	// Output:
	// line_item 01890a5d-ac96-774b-bcce-b302099a8057 <nil>
	//  00000000-0000-0000-0000-000000000000 typeid: length 25, want 26 after the prefix
}

// A program's tests call CheckPrefix for each kind.
func ExampleCheckPrefix() {
	fmt.Println(typeid.CheckPrefix[customer](), typeid.CheckPrefix[invoice]())
	// Output: <nil> <nil>
}

// The database contains the UUID. Scan reads the UUID and also the prefixed text.
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
