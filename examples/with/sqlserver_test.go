package with

import (
	"context"
	"database/sql"
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
