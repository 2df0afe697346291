package uuid_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oneclock/ids/uuid"
)

func Example() {
	type user struct {
		ID   uuid.UUID
		Name string
	}
	ada := user{ID: uuid.NewV7(), Name: "Ada"}

	back, err := uuid.Parse(ada.ID.String())
	fmt.Println(back == ada.ID, err)

	_, timed := back.Time()
	fmt.Println(back.Version(), timed)
	// Output:
	// true <nil>
	// 7 true
}

func ExampleNew() {
	fmt.Println(uuid.New().Version())
	// Output: 4
}

func ExampleNewV7() {
	first, second := uuid.NewV7(), uuid.NewV7()
	fmt.Println(first.Compare(second)) // they ascend
	// Output: -1
}

func ExampleNewV1At() {
	birthday := time.Date(2015, 12, 10, 8, 30, 0, 0, time.UTC)
	id, err := uuid.NewV1At(birthday)
	at, _ := id.Time()
	fmt.Println(id.Version(), at, err)
	// Output: 1 2015-12-10 08:30:00 +0000 UTC <nil>
}

func ExampleNewV6At() {
	birthday := time.Date(2015, 12, 10, 8, 30, 0, 0, time.UTC)
	id, err := uuid.NewV6At(birthday)
	at, _ := id.Time()
	fmt.Println(id.Version(), at, err)
	// Output: 6 2015-12-10 08:30:00 +0000 UTC <nil>
}

func ExampleNewV7At() {
	birthday := time.Date(2015, 12, 10, 8, 30, 0, 0, time.UTC)
	id, err := uuid.NewV7At(birthday)
	at, _ := id.Time()
	fmt.Println(at, err)
	// Output: 2015-12-10 08:30:00 +0000 UTC <nil>
}

// The bounds of a database query for the IDs of one day.
func ExampleMinV7At() {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	from, to := uuid.MinV7At(day), uuid.MaxV7At(day.AddDate(0, 0, 1).Add(-1))
	fmt.Println("SELECT * FROM orders WHERE id BETWEEN $1 AND $2")
	fmt.Println(from)
	fmt.Println(to)
	// Output:
	// SELECT * FROM orders WHERE id BETWEEN $1 AND $2
	// 019b76da-a800-7000-8000-000000000000
	// 019b7c01-03ff-7fff-bfff-ffffffffffff
}

func ExampleNewV5() {
	fmt.Println(uuid.NewV5(uuid.NamespaceURL(), "https://example.com/"))
	// Output: dd2c1780-811a-5296-81c5-178a0ef488bc
}

func ExampleParse() {
	id, err := uuid.Parse("urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6")
	fmt.Println(id, err)

	_, err = uuid.Parse("f81d4fae-7dec-11d0-a765")
	fmt.Println(err)
	fmt.Println(errors.Is(err, uuid.ErrSyntax))
	// Output:
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// ids: parsing UUID: length 23, want 36 (or 32, 38, 45)
	// true
}

func ExampleParseBase58() {
	id := uuid.MustParse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	short := id.Base58()
	fmt.Println(short)
	fmt.Println(uuid.ParseBase58(short))
	// Output:
	// Xe22UfxT3rxcKJEAfL5373
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
}

// An absent ID is NULL in a database and null in JSON.
func ExampleNull() {
	type comment struct {
		ReplyTo uuid.Null `json:"reply_to"`
	}
	var c comment
	err := json.Unmarshal([]byte(`{"reply_to": null}`), &c)
	fmt.Println(c.ReplyTo.Valid, err)

	c.ReplyTo = uuid.Null{ID: uuid.MustParse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), Valid: true}
	b, err := json.Marshal(c)
	fmt.Println(string(b), err)
	// Output:
	// false <nil>
	// {"reply_to":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"} <nil>
}

// A Binary is for a field whose column has the type BINARY(16).
func ExampleBinary() {
	type row struct {
		ID uuid.Binary
	}
	r := row{uuid.Binary{ID: uuid.Max()}}
	column, err := r.ID.Value()
	fmt.Println(len(column.([]byte)), err)
	fmt.Println(r.ID.Scan(column), r.ID)
	// Output:
	// 16 <nil>
	// <nil> ffffffff-ffff-ffff-ffff-ffffffffffff
}
