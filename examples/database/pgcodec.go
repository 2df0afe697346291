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
		return ulidEncodePlan{format}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// ulidEncodePlan encodes the types of PlanEncode. Nil pointers never come here: pgx writes NULL for them.
type ulidEncodePlan struct{ format int16 }

func (p ulidEncodePlan) Encode(value any, buf []byte) ([]byte, error) {
	var id ids.ULID
	switch v := value.(type) {
	case ids.ULID:
		id = v
	case *ids.ULID:
		id = *v
	case ids.Null[ids.ULID]:
		if !v.Valid {
			return nil, nil // NULL
		}
		id = v.ID
	}
	if p.format == pgtype.TextFormatCode {
		return id.UUID().AppendText(buf)
	}
	return append(buf, id[:]...), nil
}

func (c ulidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *ids.ULID, *ids.Null[ids.ULID]:
		return ulidScanPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// ulidScanPlan scans into the types of PlanScan, and with pgx's help into pointers to them, which a NULL makes nil.
type ulidScanPlan struct{}

func (ulidScanPlan) Scan(src []byte, target any) error {
	var id ids.Null[ids.UUID] // in the text format a ULID comes as the text of a UUID
	if src != nil {
		if err := id.Scan(src); err != nil {
			return err
		}
	}
	switch t := target.(type) {
	case *ids.ULID:
		if !id.Valid {
			return t.Scan(nil) // the error that says what takes a NULL
		}
		*t = id.ID.ULID()
	case *ids.Null[ids.ULID]:
		*t = ids.Null[ids.ULID]{ID: id.ID.ULID(), Valid: id.Valid}
	}
	return nil
}
