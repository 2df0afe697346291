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

// noon is the time of the examples.
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
	// The same name gives the same id on every machine.
	fmt.Println(ids.NewV5(ids.NamespaceDNS(), "www.example.com"))
	// A namespace of one's own is itself a UUID.
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

func ExampleNewV7() {
	a, b := ids.NewV7(), ids.NewV7()
	fmt.Println(a.Version(), a.Compare(b))
	// Output: 7 -1
}

// Version 1 UUIDs for records of the past. UUIDs of one tick differ in the clock sequence.
func ExampleNewV1At() {
	a, err := ids.NewV1At(noon)
	if err != nil {
		panic(err)
	}
	b, err := ids.NewV1At(noon)
	if err != nil {
		panic(err)
	}
	at, _ := a.Time()
	fmt.Println(at, a != b)

	_, err = ids.NewV1At(time.Date(1492, 10, 12, 0, 0, 0, 0, time.UTC))
	fmt.Println(err, errors.Is(err, ids.ErrRange))
	// Output:
	// 2026-01-01 12:00:00 +0000 UTC true
	// ids: time is not within 1582-10-15T00:00:00Z to 5236-03-31T21:21:00.6846975Z true
}

func ExampleNewV6At() {
	earlier, err := ids.NewV6At(noon)
	if err != nil {
		panic(err)
	}
	later, err := ids.NewV6At(noon.Add(time.Microsecond))
	if err != nil {
		panic(err)
	}
	fmt.Println(earlier.Compare(later))
	// Output: -1
}

func ExampleNewV7At() {
	// An id for a record of the past.
	u, err := ids.NewV7At(noon)
	if err != nil {
		panic(err)
	}
	at, _ := u.Time()
	fmt.Println(at)

	_, err = ids.NewV7At(time.Date(1969, 7, 20, 0, 0, 0, 0, time.UTC))
	fmt.Println(err, errors.Is(err, ids.ErrRange))
	// Output:
	// 2026-01-01 12:00:00 +0000 UTC
	// ids: time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z true
}

func ExampleNewV8() {
	sum := sha256.Sum256([]byte("the content of a file"))
	u := ids.NewV8([16]byte(sum[:16]))
	fmt.Println(u, u.Version())
	// Output: 54f51b67-3147-8815-b963-5a612ff24ac0 8
}

func ExampleMinV7At() {
	// SELECT … WHERE id BETWEEN $1 AND $2
	fmt.Println(ids.MinV7At(noon))
	fmt.Println(ids.MaxV7At(noon.Add(time.Hour)))
	// Output:
	// 019b796d-d600-7000-8000-000000000000
	// 019b79a4-c480-7fff-bfff-ffffffffffff
}

// The ids of an hour, as the bounds of a database query.
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
	buf := make([]ids.UUID, 0, 1000) // may be used again for the next run
	fmt.Println(len(ids.AppendV4(buf, 1000)))
	// Output: 1000
}

func ExampleParseUUID() {
	for _, s := range []string{
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		"{F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6}",
		"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		"f81d4fae7dec11d0a76500a0c91e6bf6",
		"f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
	} {
		fmt.Println(ids.ParseUUID(s))
	}
	// Output:
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
	// 00000000-0000-0000-0000-000000000000 ids: parsing UUID: not a hexadecimal digit at byte 35
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

func ExampleUUID_Base58() {
	s := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6").Base58()
	fmt.Println(s)
	fmt.Println(ids.ParseUUIDBase58(s))
	// Output:
	// Xe22UfxT3rxcKJEAfL5373
	// f81d4fae-7dec-11d0-a765-00a0c91e6bf6 <nil>
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

func ExampleNewULID() {
	a, b := ids.NewULID(), ids.NewULID()
	fmt.Println(len(a.String()), a.Compare(b))
	// Output: 26 -1
}

func ExampleNewULIDAt() {
	u, err := ids.NewULIDAt(noon)
	fmt.Println(u.String()[:10], u.Time(), err)
	// Output: 01KDWPVNG0 2026-01-01 12:00:00 +0000 UTC <nil>
}

func ExampleMinULIDAt() {
	fmt.Println(ids.MinULIDAt(noon))
	fmt.Println(ids.MaxULIDAt(noon))
	// Output:
	// 01KDWPVNG00000000000000000
	// 01KDWPVNG0ZZZZZZZZZZZZZZZZ
}

func ExampleAppendULID() {
	run := ids.AppendULID(nil, 1000)
	fmt.Println(len(run), slices.IsSortedFunc(run, ids.ULID.Compare))
	// Output: 1000 true
}

func ExampleParseULID() {
	u, err := ids.ParseULID("01arz3ndektsv4rrffq69g5fav")
	fmt.Println(u, u.Time(), err)
	// Output: 01ARZ3NDEKTSV4RRFFQ69G5FAV 2016-07-30 23:54:10.259 +0000 UTC <nil>
}

func ExampleMustParseULID() {
	fmt.Printf("%x\n", ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV").Entropy())
	// Output: d6764c61efb99302bd5b
}

func ExampleParseULIDBase58() {
	s := ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV").Base58()
	fmt.Println(s)
	fmt.Println(ids.ParseULIDBase58(s))
	// Output:
	// 1AaLyDYFxmKZxXbNo18znE
	// 01ARZ3NDEKTSV4RRFFQ69G5FAV <nil>
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

func ExampleULID_Increment() {
	u := ids.MustParseULID("01BX5ZZKBKACTAV9WEVGEMMVRZ")
	fmt.Println(u.Increment())
	// Output: 01BX5ZZKBKACTAV9WEVGEMMVS0 true
}

// An API shows ids as text. JavaScript, which keeps integers only up to 2^53, gets a Snowflake
// as a string.
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
	// This is what rows.Scan(&o.ID, &o.Parent, &o.Coupon) does for a row with two NULLs.
	var o order
	err := errors.Join(o.ID.Scan("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), o.Parent.Scan(nil), o.Coupon.Scan(nil))
	fmt.Println(o.Parent.Valid, o.Coupon.Valid, err)

	b, err := json.Marshal(o)
	fmt.Println(string(b), err)

	o.Parent = ids.Null[ids.UUID]{ID: ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), Valid: true}
	column, err := o.Parent.Value() // what db.Exec writes
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

// A failing test prints what makes the id.
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
