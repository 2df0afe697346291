package with

import (
	"testing"

	"github.com/oneclock/ids/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A field of type bytes holds the 16 bytes, and UnmarshalBinary checks what comes back.
func TestProtobuf(t *testing.T) {
	message := &wrapperspb.BytesValue{Value: id[:]}
	b, err := proto.Marshal(message)
	must(t, err)
	var received wrapperspb.BytesValue
	must(t, proto.Unmarshal(b, &received))
	var u uuid.UUID
	must(t, u.UnmarshalBinary(received.GetValue()))
	equal(t, u, id)

	refused(t, u.UnmarshalBinary(new(wrapperspb.BytesValue).GetValue())) // a field that is not set
	equal(t, u, id)
}
