package with

import (
	"bytes"
	"context"
	"database/sql"
	"slices"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/oneclock/ids/uuid"
)

// raw returns the 16 bytes of a uniqueidentifier as SQL Server stores and sends them.
func raw(t *testing.T, u uuid.UUID) []byte {
	b, err := mssql.UniqueIdentifier(u).Value()
	must(t, err)
	return b.([]byte)
}

// SQL Server swaps the first eight bytes in groups of 4, 2 and 2, and the driver hands them over
// like that. Scan of a UUID takes them for the bytes of another id, and cannot know better. Writing
// is safe: the id goes to the server as text.
func TestSQLServerSwapsBytes(t *testing.T) {
	s := sqlServer{stored: raw(t, id)}
	var wrong uuid.UUID
	query1(t, s.open(t, ""), id, &wrong)
	equal(t, wrong.String(), "e2227f01-b079-c37c-98c4-dc0c0c07398f")
	equal(t, s.sent(utf16LE(id.String())), true)
}

// With an option of the connection, the driver puts the bytes in order, and ids and Null need
// nothing more.
func TestSQLServerGUIDConversion(t *testing.T) {
	s := sqlServer{stored: raw(t, id)}
	db := s.open(t, "&guid+conversion=true")
	var back uuid.UUID
	query1(t, db, id, &back)
	equal(t, back, id)
	equal(t, s.sent(utf16LE(id.String())), true)
	var n uuid.Null
	query1(t, db, id, &n)
	equal(t, n, parent)

	var null sqlServer
	query1(t, null.open(t, "&guid+conversion=true"), uuid.Null{}, &n)
	equal(t, n, uuid.Null{})
}

func parentOf(ctx context.Context, db *sql.DB, id uuid.UUID) (parent uuid.UUID, err error) {
	row := db.QueryRowContext(ctx, `SELECT parent FROM orders WHERE id = @p1`, mssql.UniqueIdentifier(id))
	err = row.Scan((*mssql.UniqueIdentifier)(&parent)) // if it may be NULL: a mssql.NullUniqueIdentifier
	return parent, err
}

// Without the option, the driver's own type swaps them, through conversions.
func TestSQLServerUniqueIdentifier(t *testing.T) {
	s := sqlServer{stored: raw(t, id)}
	db := s.open(t, "")
	back, err := parentOf(t.Context(), db, id)
	must(t, err)
	equal(t, back, id)
	equal(t, s.sent(raw(t, id)), true)

	var null sqlServer
	var absent mssql.NullUniqueIdentifier
	query1(t, null.open(t, ""), mssql.NullUniqueIdentifier{}, &absent)
	equal(t, uuid.Null{ID: uuid.UUID(absent.UUID), Valid: absent.Valid}, uuid.Null{})
}

// The two together swap twice, and the server stores another id.
func TestSQLServerTwice(t *testing.T) {
	s := sqlServer{stored: raw(t, id)}
	var wrong mssql.UniqueIdentifier
	query1(t, s.open(t, "&guid+conversion=true"), mssql.UniqueIdentifier(id), &wrong)
	equal(t, s.sent(raw(t, id)), false)
	equal(t, s.sent(id[:]), true)
	equal(t, uuid.UUID(wrong) == id, false)
}

// In a column of type binary(16), Binary needs nothing: the bytes stay as they are.
func TestSQLServerBinary(t *testing.T) {
	s := sqlServer{stored: id[:]}
	var back uuid.Binary
	query1(t, s.open(t, ""), id.Binary(), &back)
	equal(t, back.ID, id)
	equal(t, s.sent(id[:]), true)
}

// significance is the order in which SQL Server compares the bytes that it stores.
var significance = [16]int{10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3}

// compareSQLServer compares two uniqueidentifiers as ORDER BY does.
func compareSQLServer(t *testing.T, u, v uuid.UUID) int {
	a, b := raw(t, u), raw(t, v)
	for _, i := range significance {
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return 0
}

// In a uniqueidentifier, version 7 does not sort by time: the random bytes at the end count first.
func TestSQLServerOrder(t *testing.T) {
	compare := func(u, v uuid.UUID) int { return compareSQLServer(t, u, v) }
	// A known sequence: later groups count more, and within the last two the bytes to the left.
	known := []uuid.UUID{
		uuid.MustParse("01000000-0000-0000-0000-000000000000"),
		uuid.MustParse("00000000-0001-0000-0000-000000000000"),
		uuid.MustParse("00000000-0000-0001-0000-000000000000"),
		uuid.MustParse("00000000-0000-0000-0001-000000000000"),
		uuid.MustParse("00000000-0000-0000-0100-000000000000"),
		uuid.MustParse("00000000-0000-0000-0000-000000000001"),
		uuid.MustParse("00000000-0000-0000-0000-010000000000"),
	}
	if !slices.IsSortedFunc(known, compare) {
		t.Errorf("the order of SQL Server is wrong: %v", known)
	}
	made := uuid.AppendV7(nil, 100)
	if slices.IsSortedFunc(made, compare) {
		t.Error("version 7 sorts in a uniqueidentifier")
	}

	// As binary(16), which compares bytes from the left, it does.
	if !slices.IsSortedFunc(made, func(u, v uuid.UUID) int {
		a, _ := u.Binary().Value()
		b, _ := v.Binary().Value()
		return bytes.Compare(a.([]byte), b.([]byte))
	}) {
		t.Error("version 7 does not sort in a binary(16)")
	}
}
