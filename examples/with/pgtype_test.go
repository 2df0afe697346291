package with

import (
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oneclock/ids/uuid"
)

// Code that sqlc generated for pgx without overrides has fields of type pgtype.UUID: two conversions, and no Scan.
func TestPgtype(t *testing.T) {
	p := pgtype.UUID{Bytes: id, Valid: true}
	equal(t, p.String(), id.String())
	equal(t, uuid.UUID(p.Bytes), id)
	equal(t, uuid.Null{ID: p.Bytes, Valid: p.Valid}, parent)
	equal(t, pgtype.UUID{Bytes: parent.ID, Valid: parent.Valid}, p)

	refused(t, new(pgtype.UUID).Scan(id))
	refused(t, new(uuid.UUID).Scan(p))
}
