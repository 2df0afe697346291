package ids_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/oneclock/ids"
)

// TestSQLValue gives ids to database/sql as parameters: each comes out as a type that every
// driver knows.
func TestSQLValue(t *testing.T) {
	u := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	l := ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	s := ids.Snowflake(1541815603606036480)
	raw := func(b [16]byte) []byte { return b[:] }
	for _, c := range []struct {
		id   any
		want driver.Value
	}{
		{u, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
		{&u, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
		{(*ids.UUID)(nil), nil},
		{u[:], raw(u)},
		{l, "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{&l, "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{(*ids.ULID)(nil), nil},
		{s, int64(1541815603606036480)},
		{&s, int64(1541815603606036480)},
		{(*ids.Snowflake)(nil), nil},
		{ids.Null[ids.UUID]{}, nil},
		{ids.Null[ids.UUID]{ID: u, Valid: true}, u.String()},
		{&ids.Null[ids.ULID]{ID: l, Valid: true}, l.String()},
		{ids.Null[ids.Snowflake]{ID: s, Valid: true}, int64(s)},
		{sql.Null[ids.UUID]{V: u, Valid: true}, u.String()},
		{sql.Null[ids.Snowflake]{}, nil},
		{ids.Binary[ids.UUID]{ID: u}, raw(u)},
		{&ids.Binary[ids.ULID]{ID: l}, raw(l)},
		{(*ids.Binary[ids.UUID])(nil), nil},
		{u.Binary(), raw(u)},
		{l.Binary(), raw(l)},
		{ids.Null[ids.Binary[ids.UUID]]{ID: u.Binary(), Valid: true}, raw(u)},
	} {
		got, err := driver.DefaultParameterConverter.ConvertValue(c.id)
		if gotBytes, ok := got.([]byte); ok {
			want, _ := c.want.([]byte)
			if !bytes.Equal(gotBytes, want) || err != nil {
				t.Errorf("%T %v: %x, %v, want %v", c.id, c.id, got, err, c.want)
			}
		} else if got != c.want || err != nil {
			t.Errorf("%T %v: %v, %v, want %v", c.id, c.id, got, err, c.want)
		}
	}
}

// column converts a column's value as Rows.Scan does: by sql.Null, which asks database/sql to.
func column[T any](src any) (T, bool, error) {
	var n sql.Null[T]
	err := n.Scan(src)
	return n.V, n.Valid, err
}

// TestSQLScan reads columns as database/sql does, into ids, pointers, Null and Binary.
func TestSQLScan(t *testing.T) {
	u := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	for _, src := range []any{u.String(), []byte(u.String()), u[:], strings.ToUpper(u.String()), u.URN(), strings.ReplaceAll(u.String(), "-", "")} {
		if got, ok, err := column[ids.UUID](src); got != u || !ok || err != nil {
			t.Errorf("UUID from %v: %v, %v", src, got, err)
		}
		if got, ok, err := column[*ids.UUID](src); err != nil || !ok || *got != u {
			t.Errorf("*UUID from %v: %v, %v", src, got, err)
		}
		if got, ok, err := column[ids.Null[ids.UUID]](src); got.ID != u || !got.Valid || !ok || err != nil {
			t.Errorf("Null from %v: %v, %v", src, got, err)
		}
		if got, ok, err := column[ids.Binary[ids.UUID]](src); got.ID != u || !ok || err != nil {
			t.Errorf("Binary from %v: %v, %v", src, got, err)
		}
	}
	for _, src := range []any{"42", []byte("42"), int64(42), uint64(42), "00000042", []byte("00000042")} {
		if got, ok, err := column[ids.Snowflake](src); got != 42 || !ok || err != nil {
			t.Errorf("Snowflake from %v: %v, %v", src, got, err)
		}
		if got, ok, err := column[ids.Null[ids.Snowflake]](src); got.ID != 42 || !got.Valid || !ok || err != nil {
			t.Errorf("Null from %v: %v, %v", src, got, err)
		}
	}
	// NULL leaves sql.Null, a pointer and our Null without a value.
	if got, ok, err := column[ids.UUID](nil); !got.IsZero() || ok || err != nil {
		t.Errorf("sql.Null of NULL: %v, %v, %v", got, ok, err)
	}
	n := ids.Null[ids.UUID]{ID: u, Valid: true}
	if err := n.Scan(nil); n != (ids.Null[ids.UUID]{}) || err != nil {
		t.Errorf("Null of NULL: %v, %v", n, err)
	}
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

// TestSQLRefused scans what no id is.
func TestSQLRefused(t *testing.T) {
	var (
		u ids.UUID
		l ids.ULID
		s ids.Snowflake
		b ids.Binary[ids.UUID]
		n ids.Null[ids.Snowflake]
	)
	for _, c := range []struct {
		dst     sql.Scanner
		src     any
		message string
		kind    error
	}{
		{&b, nil, "NULL", ids.ErrSyntax},
		{&u, int64(1), "scanning UUID: a value of type int64, want string, []byte, [16]byte or UUID", ids.ErrSyntax},
		{&l, 1.5, "scanning ULID: a value of type float64", ids.ErrSyntax},
		{&s, 1.5, "scanning Snowflake: a value of type float64, want int64, uint64, string, []byte or Snowflake", ids.ErrSyntax},
		{&s, true, "scanning Snowflake: a value of type bool", ids.ErrSyntax},
		{&u, []byte{}, "scanning UUID: length 0, want 36", ids.ErrLength},
		{&u, make([]byte, 15), "length 15, want 36", ids.ErrLength},
		{&u, make([]byte, 17), "length 17, want 36", ids.ErrLength},
		{&u, string(make([]byte, 16)), "length 16, want 36", ids.ErrLength}, // bytes come as bytes
		{&l, make([]byte, 17), "length 17, want 26", ids.ErrLength},
		{&l, "80000000000000000000000000", "above 7ZZZ", ids.ErrRange},
		{&s, bytes.Repeat([]byte{0xff}, 8), "not a decimal digit at byte 0", ids.ErrSyntax},
		{&s, make([]byte, 7), "not a decimal digit", ids.ErrSyntax},
		{&s, []byte{}, "length 0, want 1 to 19", ids.ErrLength},
		{&n, int64(-1), "negative", ids.ErrRange},
		{&n, uint64(1<<64 - 1), "above 9223372036854775807", ids.ErrRange},
		{&b, make([]byte, 15), "length 15, want 36", ids.ErrLength},
	} {
		err := c.dst.Scan(c.src)
		if !isOnly(err, c.kind) || strings.Count(err.Error(), "ids: ") != 1 || !strings.Contains(err.Error(), c.message) || !strings.HasPrefix(err.Error(), "ids: scanning ") {
			t.Errorf("%T from %v: %v, want %q", c.dst, c.src, err, c.message)
		}
	}
	if !u.IsZero() || !l.IsZero() || s != 0 || !b.IsZero() || n.Valid {
		t.Errorf("an error left its receiver at %v, %v, %v, %v, %v", u, l, s, b, n)
	}
}

// TestSQLOwnTypes scans values of the types themselves, as fakes of databases hand them over, and what
// other packages' UUIDs are. A value of another scheme is refused.
func TestSQLOwnTypes(t *testing.T) {
	u, l, s := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID), ids.Snowflake(7)
	bu, bl := ids.Binary[ids.UUID]{ID: u}, ids.Binary[ids.ULID]{ID: l}
	for _, c := range []struct {
		dst  sql.Scanner
		src  any
		want string // empty: refused
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

// ownBinary is a type of ids for columns of 16 bytes.
type ownBinary struct{ ids.Binary[ids.UUID] }

// TestNullBinary writes ids that may be absent, of a type of your own too, to columns of 16 bytes, and reads
// them back: in the column as bytes, in all else as text.
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

// A trap panics when anything asks it anything.
type trap struct{}

func (trap) Value() (driver.Value, error)      { panic("Value") }
func (trap) String() string                    { panic("String") }
func (trap) Error() string                     { panic("Error") }
func (trap) Format(fmt.State, rune)            { panic("Format") }
func (trap) GoString() string                  { panic("GoString") }
func (trap) MarshalText() ([]byte, error)      { panic("MarshalText") }
func (trap) AppendText([]byte) ([]byte, error) { panic("AppendText") }

// TestHostileScan scans values that no driver should give: each is refused with an error that says
// its type, whatever it holds, and the receiver keeps its value.
func TestHostileScan(t *testing.T) {
	type node struct{ next *node }
	type text string
	type blob []byte
	s, b := edgeUUID, []byte(edgeUUID)
	p, cycle := &s, &node{}
	cycle.next = cycle
	var nested any = &p
	for range 1000 {
		inner := nested
		nested = &inner
	}
	u := ids.MustParseUUID(edgeUUID)
	for _, src := range []any{
		&s, &p, (*string)(nil), &b, (*[]byte)(nil), &nested, nested, []any{nested, []any{nested}}, trap{}, &trap{}, (*trap)(nil), []trap{{}},
		text(s), blob(b), sql.RawBytes(b), json.RawMessage(b), json.Number("1"), [15]byte(b), [17]byte(b), &u,
		sql.NullString{String: s, Valid: true}, []string{s}, [][]byte{b}, []rune(s), [36]byte(b), map[string]any{"a": nested}, cycle,
		make([]int64, 10_000_000), make([]any, 1_000_000), make([]uint16, 8),
		time.Now(), &time.Time{}, time.Hour, math.NaN(), math.Inf(1), math.Inf(-1), 7.0, float32(7), 7i, true, 7, int8(7), int16(7), int32(7), uint(7), uint8(7), uint16(7), uint32(7),
		uintptr(7), unsafe.Pointer(&s), big.NewInt(7), new(big.Float), func() {}, make(chan int), errors.New(s), reflect.ValueOf(s), struct{}{}, os.Stdin,
		int64(-1), int64(math.MinInt64), uint64(math.MaxUint64), uint64(1 << 63),
		"", "\x00", "\xff\xfe", strings.Repeat("1", 10_000_000), make([]byte, 10_000_000), []byte(nil), []byte{}, bytes.Repeat([]byte{0xff}, 20),
	} {
		for _, dst := range scanners() {
			before := reflect.ValueOf(dst).Elem().Interface()
			err := dst.Scan(src)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if !errors.Is(err, ids.ErrSyntax) && !errors.Is(err, ids.ErrRange) || !strings.HasPrefix(message, "ids: scanning ") || len(message) > 250 ||
				strings.Contains(message, edgeUUID) {
				t.Errorf("%T of a %T: %v", dst, src, message)
			}
			if after := reflect.ValueOf(dst).Elem().Interface(); after != before {
				t.Errorf("%T of a %T left %v", dst, src, after)
			}
		}
	}
}

// scanners returns a receiver of each type that scans, with an id in it.
func scanners() []sql.Scanner {
	u, l, s := other[ids.UUID](), other[ids.ULID](), other[ids.Snowflake]()
	return []sql.Scanner{&u, &l, &s, &ids.Null[ids.UUID]{ID: u, Valid: true}, &ids.Null[ids.ULID]{ID: l, Valid: true},
		&ids.Null[ids.Snowflake]{ID: s, Valid: true}, &ids.Binary[ids.UUID]{ID: u}, &ids.Binary[ids.ULID]{ID: l}}
}
