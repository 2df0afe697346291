package ids_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oneclock/ids"
)

// noon is the time in the examples.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ExampleNewV1() {
	u := ids.NewV1()
	_, hasTime := u.Time()
	node, _ := u.NodeID()
	fmt.Println(u.Version(), hasTime)
	fmt.Println("random node, not the network card's:", node[0]&1 == 1)
	// Output:
	// 1 true
	// random node, not the network card's: true
}

func ExampleNewV2() {
	u := ids.NewV2(ids.DomainGroup, 1000)
	domain, _ := u.Domain()
	gid, _ := u.LocalID()
	fmt.Println(u.Version(), domain, gid)
	// Output: 2 group 1000
}

func ExampleNewV3() {
	fmt.Println(ids.NewV3(ids.NamespaceDNS(), "www.example.com"))
	// Output: 5df41881-3aed-3515-88a7-2f4a814cf09e
}

func ExampleNewV4() {
	u := ids.NewV4()
	fmt.Println(u.Version(), u.Variant(), len(u.String()))
	// Output: 4 RFC 9562 36
}

func ExampleNewV5() {
	// The same name yields the same ID on every machine.
	fmt.Println(ids.NewV5(ids.NamespaceDNS(), "www.example.com"))
	// An application's own namespace is itself a UUID.
	invoices := ids.NewV5(ids.NamespaceURL(), "https://example.com/invoices")
	fmt.Println(ids.NewV5(invoices, "2026-0001"))
	// Output:
	// 2ed6657d-e927-568b-95e1-2665a8aea6a2
	// ea82a8e2-0390-59d3-85e3-f311519a38d6
}

func ExampleNewV6() {
	a, b := ids.NewV6(), ids.NewV6()
	fmt.Println(a.Version(), a.Compare(b))
	// Output: 6 -1
}

func ExampleNewV8() {
	sum := sha256.Sum256([]byte("the content of a file"))
	u := ids.NewV8([16]byte(sum[:16]))
	fmt.Println(u, u.Version())
	// Output: 54f51b67-3147-8815-b963-5a612ff24ac0 8
}

// The IDs of an hour, as the bounds of a database query.
func ExampleMinV6At() {
	fmt.Println(ids.MinV6At(noon))
	fmt.Println(ids.MaxV6At(noon.Add(time.Hour)))
	// Output:
	// 1f0e7096-5f8a-6000-8000-000000000000
	// 1f0e711c-7bd0-6800-bfff-ffffffffffff
}

func ExampleAppendV7() {
	run := ids.AppendV7(nil, 1000)
	fmt.Println(len(run), slices.IsSortedFunc(run, ids.UUID.Compare))
	// Output: 1000 true
}

func ExampleAppendV4() {
	buf := make([]ids.UUID, 0, 1000) // may be reused for the next run
	fmt.Println(len(ids.AppendV4(buf, 1000)))
	// Output: 1000
}

func ExampleParseError() {
	_, err := ids.ParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAU")
	var problem *ids.ParseError
	if errors.As(err, &problem) {
		offset, ok := problem.Offset()
		fmt.Println("bad", problem.Scheme(), "at byte", offset, ok)
	}
	fmt.Println(err, errors.Is(err, ids.ErrSyntax))

	_, err = ids.ParseULID("80000000000000000000000000")
	fmt.Println(err, errors.Is(err, ids.ErrRange))

	_, err = ids.ParseULID("01ARZ3NDEK")
	fmt.Println(err, errors.Is(err, ids.ErrLength))
	// Output:
	// bad ULID at byte 25 true
	// ids: parsing ULID: not a Crockford Base32 digit at byte 25 true
	// ids: parsing ULID: above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ true
	// ids: parsing ULID: length 10, want 26 true
}

func ExampleMustParseUUID() {
	tenant := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	fmt.Println(tenant.URN())
	// Output: urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6
}

func ExampleNilUUID() {
	fmt.Println(ids.NilUUID(), ids.NilUUID().IsZero())
	// Output: 00000000-0000-0000-0000-000000000000 true
}

func ExampleMaxUUID() {
	fmt.Println(ids.MaxUUID())
	// Output: ffffffff-ffff-ffff-ffff-ffffffffffff
}

func ExampleUUID_Time() {
	u := ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	at, ok := u.Time()
	fmt.Println(at, ok)
	// Output: 2022-02-22 19:22:22 +0000 UTC true
}

func ExampleUUID_ToV6() {
	u := ids.MustParseUUID("c232ab00-9414-11ec-b3c8-9f6bdeced846")
	fmt.Println(u.ToV6())
	// Output: 1ec9414c-232a-6b00-b3c8-9f6bdeced846 true
}

func ExampleUUID_ULID() {
	u := ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	fmt.Println(u.ULID(), u.ULID().UUID() == u)
	// Output: 01FWHE4YDGFK1SHH6W1G60EECF true
}

func ExampleUUID_AppendText() {
	line := []byte("id=")
	line, _ = ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6").AppendText(line)
	fmt.Printf("%s\n", line)
	// Output: id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6
}

func ExampleUUID_MarshalBinary() {
	b, _ := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6").MarshalBinary()
	var u ids.UUID
	err := u.UnmarshalBinary(b)
	fmt.Println(len(b), u, err)
	// Output: 16 f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
}

func ExampleUUIDFromBytes() {
	b := []byte{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}
	fmt.Println(ids.UUIDFromBytes(b))
	_, err := ids.UUIDFromBytes([]byte("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")) // text, not bytes
	fmt.Println(err)
	// Output:
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// ids: parsing UUID: length 36, want 16 bytes
}

func ExampleMustParseULID() {
	fmt.Printf("%x\n", ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV").Entropy())
	// Output: d6764c61efb99302bd5b
}

func ExampleULIDFromBytes() {
	b := []byte{0x01, 0x56, 0x3e, 0x3a, 0xb5, 0xd3, 0xd6, 0x76, 0x4c, 0x61, 0xef, 0xb9, 0x93, 0x02, 0xbd, 0x5b}
	fmt.Println(ids.ULIDFromBytes(b))
	_, err := ids.ULIDFromBytes(b[:10])
	fmt.Println(err)
	// Output:
	// 01ARZ3NDEKTSV4RRFFQ69G5FAV <nil>
	// ids: parsing ULID: length 10, want 16 bytes
}

// An API represents IDs as text. JavaScript, which represents integers exactly only up to 2^53,
// gets a Snowflake as a string.
func Example_json() {
	type order struct {
		ID     ids.UUID             `json:"id"`
		Batch  ids.Snowflake        `json:"batch"`
		Parent ids.Null[ids.UUID]   `json:"parent"`
		Coupon ids.Null[ids.ULID]   `json:"coupon,omitzero"`
		Prices map[ids.ULID]float64 `json:"prices"`
	}
	b, err := json.Marshal(order{
		ID:     ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"),
		Batch:  1541815603606036480,
		Prices: map[ids.ULID]float64{ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV"): 9.5},
	})
	fmt.Println(string(b), err)

	var o order
	err = json.Unmarshal([]byte(`{"id": "not an id"}`), &o)
	fmt.Println(err)
	// Output:
	// {"id":"017f22e2-79b0-7cc3-98c4-dc0c0c07398f","batch":"1541815603606036480","parent":null,"prices":{"01ARZ3NDEKTSV4RRFFQ69G5FAV":9.5}} <nil>
	// ids: parsing UUID: length 9, want 36 (or 32, 38, 45)
}

func ExampleNull() {
	type order struct {
		ID     ids.UUID           `json:"id"`
		Parent ids.Null[ids.UUID] `json:"parent"`
		Coupon ids.Null[ids.ULID] `json:"coupon,omitzero"` // left out if absent
	}
	// This is the effect of rows.Scan(&o.ID, &o.Parent, &o.Coupon) for a row with two NULLs.
	var o order
	err := errors.Join(o.ID.Scan("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), o.Parent.Scan(nil), o.Coupon.Scan(nil))
	fmt.Println(o.Parent.Valid, o.Coupon.Valid, err)

	b, err := json.Marshal(o)
	fmt.Println(string(b), err)

	o.Parent = ids.Null[ids.UUID]{ID: ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), Valid: true}
	column, err := o.Parent.Value() // the value that db.Exec writes
	fmt.Println(column, err)
	// Output:
	// false false <nil>
	// {"id":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","parent":null} <nil>
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f <nil>
}

func ExampleBinary() {
	// For a column of type BINARY(16), BLOB or bytea: db.Exec(`INSERT …`, id), rows.Scan(&id).
	id := ids.Binary[ids.UUID]{ID: ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")}
	column, err := id.Value()
	fmt.Printf("%x %v\n", column, err)

	var back ids.Null[ids.Binary[ids.UUID]] // if the column may be NULL: uuid.NullBinary
	err = back.Scan(column)
	fmt.Println(back, err)
	// Output:
	// f81d4fae7dec11d0a76500a0c91e6bf6 <nil>
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
}

// A condition on a column of 16 bytes: db.Query("SELECT … WHERE id = ?", id.Binary()).
func ExampleUUID_Binary() {
	id := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	column, err := id.Binary().Value()
	fmt.Printf("%x %v\n", column, err)
	// Output: f81d4fae7dec11d0a76500a0c91e6bf6 <nil>
}

// A failing test prints Go code that makes the ID.
func ExampleUUID_GoString() {
	id := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	fmt.Printf("%#v\n", []ids.UUID{id})
	// Output: []ids.UUID{ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")}
}

func ExampleUUID_Scan() {
	var u ids.UUID
	id := ids.MustParseUUID("0190b2f4-5d6e-7c3a-9b1f-2e4d6c8a0f13")
	for _, column := range []any{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", id[:], nil} {
		err := u.Scan(column)
		fmt.Println(u, err)
	}
	value, _ := u.Value()
	fmt.Printf("%T %[1]v\n", value)
	// Output:
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// 0190b2f4-5d6e-7c3a-9b1f-2e4d6c8a0f13 <nil>
	// 0190b2f4-5d6e-7c3a-9b1f-2e4d6c8a0f13 ids: scanning UUID: NULL: scan into a Null or a pointer, such as uuid.Null, uuid.NullBinary or *uuid.UUID
	// string 0190b2f4-5d6e-7c3a-9b1f-2e4d6c8a0f13
}
