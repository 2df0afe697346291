package with

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oapi-codegen/runtime/types"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestConversions converts IDs from and to the ID types of libraries.
func TestConversions(t *testing.T) {
	p := pgtype.UUID{Bytes: id, Valid: true}
	equal(t, p.String(), id.String())
	equal(t, uuid.UUID(p.Bytes), id)
	equal(t, uuid.Null{ID: p.Bytes, Valid: p.Valid}, parent)
	equal(t, pgtype.UUID{Bytes: parent.ID, Valid: parent.Valid}, p)
	refused(t, new(pgtype.UUID).Scan(id))
	refused(t, new(uuid.UUID).Scan(p))

	equal(t, uuid.UUID(types.UUID(id)), id)

}

// A message keeps the slice that it gets, and a slice of an ID shares the ID's memory.
func TestProtobuf(t *testing.T) {
	sent := id
	id := sent
	kept, m := &wrapperspb.BytesValue{Value: id[:]}, &wrapperspb.BytesValue{Value: bytes.Clone(id[:])}
	id = uuid.Max()
	equal(t, kept.GetValue(), id[:])
	equal(t, m.GetValue(), sent[:])

	b, err := proto.Marshal(m)
	must.Do(t, err)
	m = new(wrapperspb.BytesValue)
	_, err = uuid.FromBytes(m.GetValue()) // a field that is not set
	equal(t, errors.Is(err, uuid.ErrLength), true)
	must.Do(t, proto.Unmarshal(b, m))
	id, err = uuid.FromBytes(m.GetValue())
	must.Do(t, err)
	equal(t, id, sent)

	// In protobuf's JSON, bytes are base64 and a string is the text.
	for text, m := range map[string]proto.Message{
		base64.StdEncoding.EncodeToString(id[:]): wrapperspb.Bytes(id[:]),
		id.String():                              wrapperspb.String(id.String()),
	} {
		b, err := protojson.Marshal(m)
		must.Do(t, err)
		equal(t, string(b), `"`+text+`"`)
	}
	back, err := uuid.Parse(wrapperspb.String(id.String()).GetValue())
	must.Do(t, err)
	equal(t, back, id)
}
