package ids_test

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// Types of your own that lack something, or have a JSON of their own.
type (
	writtenID [16]byte           // can be written, and not be read
	scannedID [16]byte           // can be scanned too, and not be read from text
	brokenID  [16]byte           // fails half-way, whatever it does
	numberID  struct{ ids.UUID } // is a number in JSON
	pointerID struct{ ids.UUID } // has MarshalJSON at its pointer
	absentID  struct{ ids.UUID } // is null in JSON, whatever it holds
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

// TestNullThatCannotBeRead reads Nulls of types without the methods for it: that is an error that names both, and
// the receiver keeps its value. What is absent needs none.
func TestNullThatCannotBeRead(t *testing.T) {
	checkUnreadable[writtenID](t, "ids: a Null cannot be read: *ids_test.writtenID has no methods Scan and UnmarshalText")
	checkUnreadable[scannedID](t, "ids: a Null cannot be read: *ids_test.scannedID has no methods Scan and UnmarshalText")
}

// TestNullOfBroken reads and writes Nulls whose ids write a half and fail: nothing of it stays.
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

// TestNullUsesOwnJSON writes Nulls of types that have a MarshalJSON of their own, at the value or at the pointer, directly and
// by encoding/json. Null is what an absent id is, so it is an error if one that is present writes that.
func TestNullUsesOwnJSON(t *testing.T) {
	u := ids.MustParseUUID(edgeUUID)
	checkOwnJSON(t, numberID{u}, "42", "")
	checkOwnJSON(t, pointerID{u}, `{"v":7}`, "")
	checkOwnJSON(t, UserID{u}, `"`+edgeUUID+`"`, "")
	checkOwnJSON(t, tweetID{42}, `"42"`, "")
	checkOwnJSON(t, absentID{u}, "", "ids: an id of type ids_test.absentID that is present is null in JSON, as if it were absent")
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

// inner returns the value of the one field of a JSON object, which is A.
func inner(b []byte) []byte {
	return []byte(strings.TrimSuffix(strings.TrimPrefix(string(b), `{"A":`), "}"))
}

// TestSchemeOfJSONFaults gives JSON that holds no id to what reads one: the error names the scheme of the destination.
// Encoding/json itself refuses it for a UUID and a ULID, which have no UnmarshalJSON.
func TestSchemeOfJSONFaults(t *testing.T) {
	var (
		u   ids.Null[ids.UUID]
		l   ids.Null[ids.ULID]
		s   ids.Null[ids.Snowflake]
		bu  ids.Null[ids.Binary[ids.UUID]]
		bl  ids.Null[ids.Binary[ids.ULID]]
		own ids.Null[UserID]
		gen ids.Null[ID[Customer]]
		tag ids.Null[taggedID]
		ob  ids.Null[ownBinary]
		ol  ids.Null[batchID]
		os  ids.Null[tweetID]
		arr ids.Null[writtenID]

		plain  ids.Snowflake
		embeds tweetID
	)
	for _, c := range []struct {
		into interface{ UnmarshalJSON([]byte) error }
		want string
		long bool // texts of up to 90 bytes are its own matter
	}{
		{&u, "UUID", false}, {&l, "ULID", false}, {&s, "Snowflake", false}, {&bu, "UUID", false}, {&bl, "ULID", false},
		{&own, "UUID", true}, {&gen, "UUID", true}, {&tag, "UUID", true}, {&ob, "UUID", true}, {&ol, "ULID", true},
		{&os, "Snowflake", false}, {&arr, "id", true}, {&plain, "Snowflake", false}, {&embeds, "Snowflake", false},
	} {
		for data, want := range map[string]string{
			`"12`:               "JSON is not a string in quotes",
			``:                  "JSON is not a string in quotes",
			`"1\n"`:             `an escape in JSON other than \u00 and two hexadecimal digits at byte 1`,
			`"\u0031\u00e\u00"`: `an escape in JSON other than \u00 and two hexadecimal digits at byte 1`,
		} {
			err := c.into.UnmarshalJSON([]byte(data))
			var pe *ids.ParseError
			if !errors.As(err, &pe) || pe.Scheme() != c.want || err.Error() != "ids: parsing "+c.want+": "+want || !isOnly(err, ids.ErrSyntax) {
				t.Errorf("%s into a %T: %v, want scheme %s: %s", data, c.into, err, c.want, want)
			}
			if offset, at := pe.Offset(); at != strings.Contains(want, "at byte 1") || at && offset != 1 {
				t.Errorf("%s into a %T: offset %d, %t", data, c.into, offset, at)
			}
		}
		if !c.long {
			continue
		}
		err := c.into.UnmarshalJSON(quoteJSON(strings.Repeat("1", 1000)))
		var pe *ids.ParseError
		if !errors.As(err, &pe) || pe.Scheme() != c.want || err.Error() != "ids: parsing "+c.want+": more than 90 characters in JSON" || !isOnly(err, ids.ErrLength) {
			t.Errorf("1,000 characters into a %T: %v", c.into, err)
		}
	}
	for _, into := range []any{new(ids.UUID), new(ids.ULID), new(UserID), new(ids.Binary[ids.UUID])} {
		if err := json.Unmarshal([]byte("12"), into); err == nil || strings.HasPrefix(err.Error(), "ids: ") {
			t.Errorf("a number into a %T: %v, want an error of encoding/json", into, err)
		}
	}
	var row struct{ ID ids.Null[ids.ULID] }
	if err := json.Unmarshal([]byte(`{"ID": 12}`), &row); err == nil || fmt.Sprint(err) != "ids: parsing ULID: JSON is not a string in quotes" {
		t.Errorf("a number in a field: %v", err)
	}
}
