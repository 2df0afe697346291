// Package database stores ids in PostgreSQL, MariaDB and SQLite and reads them back, in its tests. What a
// program can copy is [registerULIDs], for ULIDs in columns of type uuid.
package database

import (
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oneclock/ids"
)

// registerULIDs teaches a connection to store ids.ULID in uuid columns as its 16 bytes, and so in uuid[] too, which
// finds the codec of its elements here.
//
// Without it pgx goes through Value and Scan: a UUID works, by way of its text; a ULID does not, because its text is
// not what the type uuid accepts. Snowflakes in bigint columns need nothing. Call it in the AfterConnect of a pool.
func registerULIDs(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: ulidCodec{}})
}

// ulidCodec is pgx's own codec of uuid, which keeps its types, with ours before them.
type ulidCodec struct{ pgtype.UUIDCodec }

func (c ulidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case ids.ULID, *ids.ULID, ids.Null[ids.ULID]:
		return ulidEncodePlan{c.UUIDCodec.PlanEncode(m, oid, format, pgtype.UUID{})}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// ulidEncodePlan encodes the types of PlanEncode as pgx does its own UUID. Nil pointers never come here: pgx writes NULL for them.
type ulidEncodePlan struct{ ofUUID pgtype.EncodePlan }

func (p ulidEncodePlan) Encode(value any, buf []byte) ([]byte, error) {
	var u pgtype.UUID
	switch v := value.(type) {
	case ids.ULID:
		u = pgtype.UUID{Bytes: v, Valid: true}
	case *ids.ULID:
		u = pgtype.UUID{Bytes: *v, Valid: true}
	case ids.Null[ids.ULID]:
		u = pgtype.UUID{Bytes: v.ID, Valid: v.Valid}
	}
	return p.ofUUID.Encode(u, buf)
}

func (c ulidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *ids.ULID, *ids.Null[ids.ULID]:
		return ulidScanPlan{c.UUIDCodec.PlanScan(m, oid, format, new(pgtype.UUID))}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// ulidScanPlan scans into the types of PlanScan, and with pgx's help into pointers to them, which a NULL makes nil.
type ulidScanPlan struct{ ofUUID pgtype.ScanPlan }

func (p ulidScanPlan) Scan(src []byte, target any) error {
	var u pgtype.UUID
	if err := p.ofUUID.Scan(src, &u); err != nil {
		return err
	}
	switch t := target.(type) {
	case *ids.ULID:
		if !u.Valid {
			return t.Scan(nil) // the error that says what takes a NULL
		}
		*t = u.Bytes
	case *ids.Null[ids.ULID]:
		*t = ids.Null[ids.ULID]{ID: u.Bytes, Valid: u.Valid}
	}
	return nil
}
