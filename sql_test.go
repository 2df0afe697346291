package ids_test

// Databases, and Null.

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestSQLValue passes database/sql values that TestOwnTypes does not: nil pointers, slices, its own
// Null, and IDs for columns of 16 bytes.
func TestSQLValue(t *testing.T) {
	u, l := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID)
	for _, c := range []struct{ id, want any }{
		{(*ids.UUID)(nil), nil}, {(*ids.ULID)(nil), nil}, {(*ids.Snowflake)(nil), nil}, {(*ids.Binary[ids.UUID])(nil), nil},
		{sql.Null[ids.UUID]{V: u, Valid: true}, edgeUUID}, {sql.Null[ids.Snowflake]{}, nil},
		{u[:], u[:]}, {u.Binary(), u[:]}, {&ids.Binary[ids.ULID]{ID: l}, l[:]},
		{ids.Null[ids.Binary[ids.UUID]]{ID: u.Binary(), Valid: true}, u[:]},
	} {
		if got, err := driver.DefaultParameterConverter.ConvertValue(c.id); !reflect.DeepEqual(got, c.want) || err != nil {
			t.Errorf("a %T is the parameter %v, %v, want %v", c.id, got, err, c.want)
		}
	}
}

// column converts a column's value as Rows.Scan does. It uses sql.Null, which makes database/sql
// convert the value.
func column[T any](src any) (T, bool, error) {
	var n sql.Null[T]
	err := n.Scan(src)
	return n.V, n.Valid, err
}

// TestSQLOwnsBytes changes the driver's buffer after a scan, as drivers do.
func TestSQLOwnsBytes(t *testing.T) {
	var b ids.Binary[ids.UUID]
	var u ids.UUID
	buf := bytes.Repeat([]byte{7}, 16)
	if err := errors.Join(b.Scan(buf), u.Scan(buf)); err != nil {
		t.Fatal(err)
	}
	clear(buf)
	if want := ids.UUID(bytes.Repeat([]byte{7}, 16)); b.ID != want || u != want {
		t.Errorf("an id shares the buffer of the driver: %v, %v", b, u)
	}
}

// TestSQLCutText scans text that a database has truncated to the 16 bytes of a column. Read as the
// bytes of an ID, such text would be a different ID. If one of the bytes cannot occur in text, the
// bytes are an ID.
func TestSQLCutText(t *testing.T) {
	for _, u := range []ids.UUID{ids.NewV1(), ids.NewV4(), ids.NewV6(), ids.NewV7(), ids.NilUUID(), ids.MaxUUID(), ids.MustParseUUID(edgeUUID)} {
		l := u.ULID()
		for _, text := range []string{u.String(), strings.ToUpper(u.String()), u.URN(), "{" + u.String() + "}", strings.ReplaceAll(u.String(), "-", ""), u.Base58(),
			l.String(), strings.ToLower(l.String()), "AZaz09-:{zzzzzzz"} {
			cut := text[:16]
			checkCutText(t, cut, ids.UUIDFromBytes, pointer(u), &ids.Binary[ids.UUID]{ID: u}, &ids.Null[ids.UUID]{ID: u, Valid: true},
				&ids.Null[ids.Binary[ids.UUID]]{ID: u.Binary(), Valid: true}, &struct{ ids.UUID }{u})
			checkCutText(t, cut, ids.ULIDFromBytes, pointer(l), &ids.Binary[ids.ULID]{ID: l}, &ids.Null[ids.ULID]{ID: l, Valid: true},
				&ids.Null[ids.Binary[ids.ULID]]{ID: l.Binary(), Valid: true}, &struct{ ids.ULID }{l})
			if id, _ := ids.UUIDFromBytes([]byte(cut)); id.Variant() != ids.VariantNCS || id.ULID().Time().Year() < 3544 {
				t.Errorf("%q is of the variant %v and, as a ULID, of %v", cut, id.Variant(), id.ULID().Time())
			}
		}
	}
}

// checkCutText scans truncated text into receivers that contain an ID, and then replaces one byte
// with a byte that cannot occur in text.
func checkCutText[T coded, P decoding[T]](t *testing.T, cut string, fromBytes func([]byte) (T, error), held ...sql.Scanner) {
	t.Helper()
	for _, dst := range held {
		before := fmt.Sprint(dst)
		if err := dst.Scan([]byte(cut)); !isOnly(err, ids.ErrSyntax) || !strings.Contains(err.Error(), "id.Binary()") || fmt.Sprint(dst) != before {
			t.Errorf("%T from %q: %v, %v, want %v", dst, cut, dst, err, before)
		}
	}
	if _, _, err := column[T]([]byte(cut)); !isOnly(err, ids.ErrSyntax) {
		t.Errorf("database/sql scans %q: %v", cut, err)
	}
	reads := func(how string, b []byte, got T, err error) {
		t.Helper()
		if err != nil || got != toID[T](new(big.Int).SetBytes(b)) {
			t.Errorf("%s reads %q as %v, %v", how, b, got, err)
		}
	}
	scan := func(b []byte) {
		t.Helper()
		var got T
		err := P(&got).Scan(b)
		reads("Scan", b, got, err)
	}
	for i := range 16 {
		for _, c := range []byte(",./;@[`|\r\x1a\x00\x80\xad\xff") {
			near := []byte(cut)
			near[i] = c
			scan(near)
		}
	}
	b := []byte(cut)
	got, err := fromBytes(b)
	reads("FromBytes", b, got, err)
	err = P(&got).UnmarshalBinary(b)
	reads("UnmarshalBinary", b, got, err)
	got = other[T]()
	err = P(&got).Scan([16]byte(b)) // which no column returns
	reads("Scan of an array", b, got, err)
}

// TestSQLOwnTypes scans values of the types themselves, as fakes of databases return them, and the
// arrays of other packages' UUIDs. A value of another scheme is rejected.
func TestSQLOwnTypes(t *testing.T) {
	u, l, s := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID), ids.Snowflake(7)
	bu, bl := ids.Binary[ids.UUID]{ID: u}, ids.Binary[ids.ULID]{ID: l}
	for _, c := range []struct {
		dst  sql.Scanner
		src  any
		want string // empty: rejected
	}{
		{new(ids.UUID), u, edgeUUID}, {new(ids.UUID), [16]byte(u), edgeUUID}, {new(ids.UUID), l, ""}, {new(ids.UUID), s, ""},
		{new(ids.UUID), bu, ""}, {new(ids.UUID), ids.Null[ids.UUID]{ID: u, Valid: true}, ""},
		{new(ids.ULID), l, edgeULID}, {new(ids.ULID), [16]byte(l), edgeULID}, {new(ids.ULID), u, ""},
		{new(ids.Snowflake), s, "7"}, {new(ids.Snowflake), ids.Snowflake(-1), ""}, {new(ids.Snowflake), [16]byte(u), ""},
		{new(ids.Binary[ids.UUID]), u, edgeUUID}, {new(ids.Binary[ids.UUID]), [16]byte(u), edgeUUID},
		{new(ids.Binary[ids.UUID]), bu, edgeUUID}, {new(ids.Binary[ids.UUID]), bl, ""}, {new(ids.Binary[ids.UUID]), l, ""},
		{new(ids.Binary[ids.ULID]), l, edgeULID}, {new(ids.Binary[ids.ULID]), bl, edgeULID},
		{new(ids.Null[ids.UUID]), u, edgeUUID}, {new(ids.Null[ids.UUID]), [16]byte(u), edgeUUID}, {new(ids.Null[ids.UUID]), l, ""},
		{new(ids.Null[ids.UUID]), ids.Null[ids.UUID]{ID: u, Valid: true}, edgeUUID},
		{&ids.Null[ids.UUID]{ID: u, Valid: true}, ids.Null[ids.UUID]{}, "NULL"},
		{new(ids.Null[ids.ULID]), l, edgeULID}, {new(ids.Null[ids.Snowflake]), s, "7"}, {new(ids.Null[ids.Snowflake]), ids.Snowflake(-1), ""},
		{new(ids.Null[ids.Binary[ids.UUID]]), bu, edgeUUID}, {new(ids.Null[ids.Binary[ids.UUID]]), u, edgeUUID},
		{new(ids.Null[ids.Binary[ids.UUID]]), [16]byte(u), edgeUUID}, {new(ids.Null[ids.Binary[ids.ULID]]), u, ""},
	} {
		err := c.dst.Scan(c.src)
		if c.want == "" {
			if !isOnly(err, ids.ErrSyntax) && !isOnly(err, ids.ErrRange) {
				t.Errorf("%T from a %T: %v, %v", c.dst, c.src, c.dst, err)
			}
			continue
		}
		got := fmt.Sprint(c.dst)
		if c.want == "NULL" {
			c.want = ""
		}
		if got != c.want || err != nil {
			t.Errorf("%T from a %T: %v, %v, want %v", c.dst, c.src, got, err, c.want)
		}
	}
}

// ownBinary is an ID type for columns of 16 bytes.
type ownBinary struct{ ids.Binary[ids.UUID] }

// TestNullBinary writes IDs that may be absent to columns of 16 bytes and reads them back, also
// with a type that embeds an ID. In the column they are bytes, everywhere else text.
func TestNullBinary(t *testing.T) {
	u := ids.MustParseUUID(edgeUUID)
	checkNull(t, ids.Binary[ids.UUID]{ID: u}, ids.Binary[ids.UUID]{}, edgeUUID, u[:])
	checkNull(t, ids.Binary[ids.ULID]{ID: u.ULID()}, ids.Binary[ids.ULID]{}, u.ULID().String(), u[:])
	checkNull(t, ownBinary{ids.Binary[ids.UUID]{ID: u}}, ownBinary{}, edgeUUID, u[:])
	var zero ids.Null[ids.Binary[ids.ULID]]
	if got := fmt.Sprintf("%v|%s|%q", zero, zero, zero.String()); got != `||""` {
		t.Errorf("absent: %s", got)
	}
}

// ID types that lack something, or have their own JSON.
type (
	writtenID [16]byte           // can be written but not read
	scannedID [16]byte           // can also be scanned, but not be read from text
	brokenID  [16]byte           // always fails half-way
	numberID  struct{ ids.UUID } // is a number in JSON
	pointerID struct{ ids.UUID } // has MarshalJSON with a pointer receiver
	absentID  struct{ ids.UUID } // is always null in JSON
	failingID struct{ ids.UUID } // cannot be written as JSON
)

func (id writtenID) Value() (driver.Value, error)        { return ids.UUID(id).Value() }
func (id writtenID) AppendText(b []byte) ([]byte, error) { return ids.UUID(id).AppendText(b) }
func (id scannedID) Value() (driver.Value, error)        { return ids.UUID(id).Value() }
func (id scannedID) AppendText(b []byte) ([]byte, error) { return ids.UUID(id).AppendText(b) }
func (id *scannedID) Scan(src any) error                 { return (*ids.UUID)(id).Scan(src) }

func (id brokenID) Value() (driver.Value, error)        { return nil, errLost }
func (id brokenID) AppendText(b []byte) ([]byte, error) { return append(b, "half"...), errLost }
func (id *brokenID) Scan(any) error                     { id[0]++; return errLost }
func (id *brokenID) UnmarshalText([]byte) error         { id[0]++; return errLost }
func (id *brokenID) UnmarshalJSON([]byte) error         { id[0]++; return errLost }

func (numberID) MarshalJSON() ([]byte, error)   { return []byte("42"), nil }
func (*pointerID) MarshalJSON() ([]byte, error) { return []byte(`{"v":7}`), nil }
func (absentID) MarshalJSON() ([]byte, error)   { return []byte(" null\n"), nil }
func (failingID) MarshalJSON() ([]byte, error)  { return nil, errLost }

// TestNullThatCannotBeRead reads Nulls of types that lack the methods for it. The error names both
// methods, and the receiver keeps its value. An absent value needs no such methods.
func TestNullThatCannotBeRead(t *testing.T) {
	checkUnreadable[writtenID](t, "ids: a Null cannot be read: *ids_test.writtenID has no methods Scan and UnmarshalText")
	checkUnreadable[scannedID](t, "ids: a Null cannot be read: *ids_test.scannedID has no methods Scan and UnmarshalText")
}

// TestNullOfBroken reads and writes Nulls whose IDs fail half-way. Nothing of the half remains.
func TestNullOfBroken(t *testing.T) {
	for _, before := range []ids.Null[brokenID]{{}, {ID: brokenID{1}, Valid: true}} {
		n := before
		for i, err := range []error{n.Scan("x"), n.UnmarshalText([]byte("x")), n.UnmarshalJSON([]byte(`"x"`))} {
			if err != errLost || n != before {
				t.Errorf("decoder %d: %v, %v", i, n, err)
			}
		}
		n.Valid = true
		if got := n.String(); got != "" {
			t.Errorf("String returns %q", got)
		}
	}
}

func checkUnreadable[T interface {
	comparable
	ids.Nullable
	~[16]byte
}](t *testing.T, message string) {
	t.Helper()
	u := ids.MustParseUUID(edgeUUID)
	present := ids.Null[T]{ID: T(u), Valid: true}
	for _, before := range []ids.Null[T]{{}, present} {
		for what, read := range map[string]func(*ids.Null[T]) error{
			"Scan of text":             func(n *ids.Null[T]) error { return n.Scan(edgeUUID) },
			"Scan of bytes":            func(n *ids.Null[T]) error { return n.Scan(u[:]) },
			"UnmarshalText":            func(n *ids.Null[T]) error { return n.UnmarshalText([]byte(edgeUUID)) },
			"UnmarshalJSON":            func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"` + edgeUUID + `"`)) },
			"UnmarshalJSON of escapes": func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte(`"\u0031"`)) },
			"encoding/json":            func(n *ids.Null[T]) error { return json.Unmarshal([]byte(`"`+edgeUUID+`"`), n) },
		} {
			n := before
			if err := read(&n); err == nil || err.Error() != message || n != before {
				t.Errorf("%s: %v, %v, want %s", what, n, err, message)
			}
		}
		for what, read := range map[string]func(*ids.Null[T]) error{
			"Scan of NULL": func(n *ids.Null[T]) error { return n.Scan(nil) }, "UnmarshalText of nothing": func(n *ids.Null[T]) error { return n.UnmarshalText(nil) },
			"UnmarshalJSON of null": func(n *ids.Null[T]) error { return n.UnmarshalJSON([]byte("null")) },
		} {
			n := before
			if err := read(&n); err != nil || n != (ids.Null[T]{}) {
				t.Errorf("%s: %v, %v", what, n, err)
			}
		}
		n := before
		if err := n.Scan(present); err != nil || n != present {
			t.Errorf("Scan of a Null: %v, %v", n, err)
		}
	}
	if b, err := json.Marshal(present); string(b) != `"`+edgeUUID+`"` || err != nil {
		t.Errorf("written as %s, %v", b, err)
	}
}

// TestNullUsesOwnJSON writes Nulls of types with their own MarshalJSON, with a value or a pointer
// receiver, directly and through encoding/json. null means an absent ID, so it is an error if a
// present ID is written as null.
func TestNullUsesOwnJSON(t *testing.T) {
	u := ids.MustParseUUID(edgeUUID)
	checkOwnJSON(t, numberID{u}, "42", "")
	checkOwnJSON(t, pointerID{u}, `{"v":7}`, "")
	checkOwnJSON(t, UserID{u}, `"`+edgeUUID+`"`, "")
	checkOwnJSON(t, tweetID{42}, `"42"`, "")
	checkOwnJSON(t, absentID{u}, "", "ids: an ID of type ids_test.absentID is present but null in JSON")
	checkOwnJSON(t, failingID{u}, "", errLost.Error())
}

func checkOwnJSON[T interface {
	comparable
	ids.Nullable
}](t *testing.T, id T, want, message string) {
	t.Helper()
	n := ids.Null[T]{ID: id, Valid: true}
	type row struct{ A ids.Null[T] }
	for what, marshal := range map[string]func() ([]byte, error){
		"MarshalJSON":                 n.MarshalJSON,
		"encoding/json":               func() ([]byte, error) { return json.Marshal(n) },
		"encoding/json, a pointer":    func() ([]byte, error) { return json.Marshal(&n) },
		"encoding/json, of a field":   func() ([]byte, error) { b, err := json.Marshal(row{n}); return inner(b), err },
		"encoding/json, of a pointer": func() ([]byte, error) { b, err := json.Marshal(&row{n}); return inner(b), err },
	} {
		b, err := marshal()
		switch {
		case message == "" && (err != nil || string(b) != want):
			t.Errorf("%T by %s: %s, %v, want %s", n, what, b, err, want)
		case message != "" && (err == nil || !strings.HasSuffix(err.Error(), message)):
			t.Errorf("%T by %s: %s, %v, want the error %s", n, what, b, err, message)
		}
	}
	if n.ID != id {
		t.Errorf("%T was changed to %v", n, n.ID)
	}
	absent := ids.Null[T]{ID: id}
	if b, err := json.Marshal(absent); string(b) != "null" || err != nil {
		t.Errorf("an absent %T: %s, %v", n, b, err)
	}
}

// inner returns the value of the only field, A, of a JSON object.
func inner(b []byte) []byte {
	return []byte(strings.TrimSuffix(strings.TrimPrefix(string(b), `{"A":`), "}"))
}
