package with

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
)

func parentOf(ctx context.Context, db *sql.DB, id uuid.UUID) (parent uuid.UUID, err error) {
	row := db.QueryRowContext(ctx, `SELECT parent FROM orders WHERE id = @p1`, mssql.UniqueIdentifier(id))
	// If it may be NULL: a mssql.NullUniqueIdentifier.
	err = row.Scan((*mssql.UniqueIdentifier)(&parent))
	return parent, err
}

// SQL Server swaps the first eight bytes in groups of 4, 2 and 2, and the driver returns them in
// that order. Scan of a UUID reads them as a different ID, which it cannot detect. Writing is safe,
// because the ID goes to the server as text.
func TestSQLServer(t *testing.T) {
	stored, err := mssql.UniqueIdentifier(id).Value() // as the server stores and sends the bytes
	must.Do(t, err)
	var wrong uuid.UUID
	must.Do(t, wrong.Scan(stored))
	equal(t, wrong.String(), "e2227f01-b079-c37c-98c4-dc0c0c07398f")
	written, err := id.Value()
	must.Do(t, err)
	equal[any](t, written, id.String())

	// The driver's own type swaps them back, through conversions.
	back, err := parentOf(t.Context(), sql.OpenDB(&onerow{columns: []string{"parent"}, row: []driver.Value{stored}}), id)
	must.Do(t, err)
	equal(t, back, id)
	absent := mssql.NullUniqueIdentifier{Valid: true}
	must.Do(t, absent.Scan(nil))
	equal(t, uuid.Null{ID: uuid.UUID(absent.UUID), Valid: absent.Valid}, uuid.Null{})

	// With an option of the connection, the driver returns the bytes in the ID's order. Then both
	// together swap twice.
	config, err := msdsn.Parse("sqlserver://user:password@host?database=shop&guid+conversion=true")
	must.Do(t, err)
	equal(t, config.Encoding.GuidConversion, true)
	var own mssql.UniqueIdentifier
	must.Do(t, own.Scan(id[:]))
	equal(t, uuid.UUID(own) == id, false)
}
