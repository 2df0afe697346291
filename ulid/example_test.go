package ulid_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/oneclock/ids/ulid"
)

func Example() {
	a, b := ulid.Make(), ulid.Make()
	fmt.Println(a.Compare(b), a.String() < b.String()) // they also sort as text
	// Output: -1 true
}

func ExampleMake() {
	fmt.Println(len(ulid.Make().String()))
	// Output: 26
}

func ExampleMakeAt() {
	id, err := ulid.MakeAt(time.Date(2016, 7, 30, 23, 54, 10, 259e6, time.UTC))
	fmt.Println(id.String()[:10], err) // the rest is random
	// Output: 01ARZ3NDEK <nil>
}

// The bounds of a database query for the IDs of one day.
func ExampleMinAt() {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fmt.Println(ulid.MinAt(day))
	fmt.Println(ulid.MaxAt(day.AddDate(0, 0, 1).Add(-1)))
	// Output:
	// 01KDVDNA000000000000000000
	// 01KDY020ZZZZZZZZZZZZZZZZZZ
}

func ExampleAppend() {
	run := ulid.Append(nil, 100)
	fmt.Println(len(run), slices.IsSortedFunc(run, ulid.ULID.Compare))
	// Output: 100 true
}

func ExampleParse() {
	id, err := ulid.Parse("01arz3ndektsv4rrffq69g5fav")
	fmt.Println(id, err)
	fmt.Println(id.Time())

	_, err = ulid.Parse("01ARZ3NDEKTSV4RRFFQ69G5FAI")
	fmt.Println(err)
	// Output:
	// 01ARZ3NDEKTSV4RRFFQ69G5FAV <nil>
	// 2016-07-30 23:54:10.259 +0000 UTC
	// ids: parsing ULID: not a Crockford Base32 digit at byte 25
}

func ExampleULID_increment() {
	id := ulid.MustParse("01BX5ZZKBKACTAV9WEVGEMMVRZ")
	next, ok := id.Increment()
	fmt.Println(next, ok)
	// Output: 01BX5ZZKBKACTAV9WEVGEMMVS0 true
}

func ExampleParseBase58() {
	short := ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV").Base58()
	fmt.Println(short)
	fmt.Println(ulid.ParseBase58(short))
	// Output:
	// 1AaLyDYFxmKZxXbNo18znE
	// 01ARZ3NDEKTSV4RRFFQ69G5FAV <nil>
}

// An absent ID is NULL in a database and null in JSON.
func ExampleNull() {
	b, err := json.Marshal([]ulid.Null{{}, {ID: ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV"), Valid: true}})
	fmt.Println(string(b), err)
	// Output: [null,"01ARZ3NDEKTSV4RRFFQ69G5FAV"] <nil>
}

// A Binary is for a field whose column has the type BINARY(16).
func ExampleBinary() {
	type row struct {
		ID ulid.Binary
	}
	r := row{ulid.Binary{ID: ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")}}
	column, err := r.ID.Value()
	fmt.Printf("%x %v\n", column, err)
	// Output: 01563e3ab5d3d6764c61efb99302bd5b <nil>
}
