package with

import (
	"bytes"
	"encoding/gob"
	"encoding/xml"
	"testing"

	"github.com/fxamacker/cbor/v2"
	google "github.com/google/uuid"
	"github.com/oneclock/ids/uuid"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.yaml.in/yaml/v3"
)

// TestOldNullUUID reads stored NullUUIDs into a uuid.Null, as described in docs/from/google.md and
// docs/from/gofrs.md. google's type has methods for text and bytes. In these codecs, the types of
// gofrs and satori have none, like a struct of the application's own.
func TestOldNullUUID(t *testing.T) {
	const (
		right   = "the same"
		absent  = "absent"
		nilUUID = "present, and the Nil UUID"
		refused = "an error"
	)
	type plain struct {
		UUID  google.UUID
		Valid bool
	}
	id := google.MustParse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	present := google.NullUUID{UUID: id, Valid: true}
	for name, c := range map[string]struct {
		marshal                       func(any) ([]byte, error)
		unmarshal                     func([]byte, any) error
		google, googleAbsent, another string
	}{
		"gob": {func(v any) ([]byte, error) {
			var b bytes.Buffer
			err := gob.NewEncoder(&b).Encode(v)
			return b.Bytes(), err
		}, func(b []byte, v any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }, refused, refused, nilUUID},
		"msgpack": {msgpack.Marshal, msgpack.Unmarshal, refused, absent, refused},
		"cbor":    {cbor.Marshal, cbor.Unmarshal, refused, refused, nilUUID},
		"bson":    {bson.Marshal, bson.Unmarshal, nilUUID, absent, nilUUID},
		"yaml.v3": {yaml.Marshal, yaml.Unmarshal, right, refused, nilUUID},
		"xml":     {xml.Marshal, xml.Unmarshal, right, refused, absent},
	} {
		read := func(old any) string {
			b, err := c.marshal(old)
			if err != nil {
				t.Fatal(name, err)
			}
			var out struct{ Parent uuid.Null }
			switch err := c.unmarshal(b, &out); {
			case err != nil:
				return refused
			case !out.Parent.Valid:
				return absent
			case out.Parent.ID.IsZero():
				return nilUUID
			case out.Parent.ID == uuid.UUID(id):
				return right
			}
			return out.Parent.ID.String()
		}
		type of[T any] struct{ Parent T }
		for what, got := range map[string][2]string{
			"google's":       {read(of[google.NullUUID]{present}), c.google},
			"google's, null": {read(of[google.NullUUID]{}), c.googleAbsent},
			"a plain struct": {read(of[plain]{plain(present)}), c.another},
		} {
			if got[0] != got[1] {
				t.Errorf("%s reads %s NullUUID as %q, and the pages say %q", name, what, got[0], got[1])
			}
		}

		// The pages' advice: keep the fields or, where google has written bytes, use a pointer.
		b, err := c.marshal(of[plain]{plain(present)})
		var kept struct {
			Parent struct {
				UUID  uuid.UUID
				Valid bool
			}
		}
		if err == nil {
			err = c.unmarshal(b, &kept)
		}
		if err != nil || kept.Parent.UUID != uuid.UUID(id) || !kept.Parent.Valid {
			t.Errorf("%s: the old fields are %v, %v", name, kept.Parent, err)
		}
		if b, err = c.marshal(of[google.NullUUID]{present}); err != nil {
			t.Fatal(name, err)
		}
		var pointer struct{ Parent *uuid.UUID }
		if err := c.unmarshal(b, &pointer); name != "bson" && (err != nil || *pointer.Parent != uuid.UUID(id)) {
			t.Errorf("%s: a pointer reads %v, %v", name, pointer.Parent, err)
		}
	}
}
