// Package database stores ids in PostgreSQL, MariaDB and SQLite and reads them back, in its tests. What a
// program can copy is [registerIDs], for ULIDs in columns of type uuid.
package database

import (
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oneclock/ids"
)

// registerIDs teaches a connection to store ids.UUID and ids.ULID in uuid columns as their 16
// bytes, and so in uuid[] too, which finds the codec of its elements here.
//
// Without it pgx goes through Value and Scan: a UUID works, by way of its text; a ULID does not, because its text is
// not what the type uuid accepts. Snowflakes in bigint columns need nothing. Call it in the AfterConnect of a pool.
func registerIDs(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: idCodec{}})
}

// idCodec is pgx's own codec of uuid, which keeps its types, with ours before them.
type idCodec struct{ pgtype.UUIDCodec }

func (c idCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case ids.UUID, *ids.UUID, ids.Null[ids.UUID], ids.ULID, *ids.ULID, ids.Null[ids.ULID]:
		return idEncodePlan{format}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// idEncodePlan encodes the types of PlanEncode. Nil pointers never come here: pgx writes NULL for them.
type idEncodePlan struct{ format int16 }

func (p idEncodePlan) Encode(value any, buf []byte) ([]byte, error) {
	var id ids.Null[ids.UUID]
	switch v := value.(type) {
	case ids.UUID:
		id = ids.Null[ids.UUID]{ID: v, Valid: true}
	case *ids.UUID:
		id = ids.Null[ids.UUID]{ID: *v, Valid: true}
	case ids.Null[ids.UUID]:
		id = v
	case ids.ULID:
		id = ids.Null[ids.UUID]{ID: v.UUID(), Valid: true}
	case *ids.ULID:
		id = ids.Null[ids.UUID]{ID: v.UUID(), Valid: true}
	case ids.Null[ids.ULID]:
		id = ids.Null[ids.UUID]{ID: v.ID.UUID(), Valid: v.Valid}
	}
	switch {
	case !id.Valid:
		return nil, nil // NULL
	case p.format == pgtype.TextFormatCode:
		return id.ID.AppendText(buf)
	}
	return append(buf, id.ID[:]...), nil
}

func (c idCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *ids.UUID, *ids.Null[ids.UUID], *ids.ULID, *ids.Null[ids.ULID]:
		return idScanPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// idScanPlan scans into the types of PlanScan, and with pgx's help into pointers to them, which a NULL makes nil.
type idScanPlan struct{}

func (idScanPlan) Scan(src []byte, target any) error {
	var value any // nil for NULL, otherwise the 16 bytes of the binary format or the 36 of the text format
	if src != nil {
		value = src
	}
	switch t := target.(type) {
	case *ids.UUID:
		return t.Scan(value)
	case *ids.Null[ids.UUID]:
		return t.Scan(value)
	}
	// In the text format a ULID comes as the text of a UUID too.
	var id ids.Null[ids.UUID]
	if err := id.Scan(value); err != nil {
		return err
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
