package with

import (
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oapi-codegen/runtime/types"
	"github.com/ogen-go/ogen/conv"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestConversions converts ids from and to the types of libraries that have their own.
func TestConversions(t *testing.T) {
	p := pgtype.UUID{Bytes: id, Valid: true}
	equal(t, p.String(), id.String())
	equal(t, uuid.UUID(p.Bytes), id)
	equal(t, uuid.Null{ID: p.Bytes, Valid: p.Valid}, parent)
	equal(t, pgtype.UUID{Bytes: parent.ID, Valid: parent.Valid}, p)
	refused(t, new(pgtype.UUID).Scan(id))
	refused(t, new(uuid.UUID).Scan(p))

	equal(t, uuid.UUID(types.UUID(id)), id)
	google, err := conv.ToUUID(id.String())
	must.Do(t, err)
	equal(t, uuid.UUID(google), id)

	// A field of type bytes holds the 16 bytes, and UnmarshalBinary checks what comes back.
	b, err := proto.Marshal(&wrapperspb.BytesValue{Value: id[:]})
	must.Do(t, err)
	var received wrapperspb.BytesValue
	must.Do(t, proto.Unmarshal(b, &received))
	var u uuid.UUID
	must.Do(t, u.UnmarshalBinary(received.GetValue()))
	equal(t, u, id)
	refused(t, u.UnmarshalBinary(new(wrapperspb.BytesValue).GetValue())) // a field that is not set
	equal(t, u, id)
}
