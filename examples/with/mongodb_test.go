package with

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// registry makes MongoDB's driver write UUIDs as subtype 4, MongoDB's type for UUIDs, and read
// them.
func registry() *bson.Registry {
	r := bson.NewRegistry()
	r.RegisterTypeEncoder(reflect.TypeFor[uuid.UUID](), bson.ValueEncoderFunc(encodeUUID))
	r.RegisterTypeDecoder(reflect.TypeFor[uuid.UUID](), bson.ValueDecoderFunc(decodeUUID))
	return r
}

func encodeUUID(_ bson.EncodeContext, w bson.ValueWriter, v reflect.Value) error {
	u := v.Interface().(uuid.UUID)
	return w.WriteBinaryWithSubtype(u[:], bson.TypeBinaryUUID)
}

func decodeUUID(_ bson.DecodeContext, r bson.ValueReader, v reflect.Value) error {
	data, subtype, err := r.ReadBinary()
	if err != nil {
		return err
	}
	if subtype != bson.TypeBinaryUUID && subtype != bson.TypeBinaryGeneric {
		return fmt.Errorf("binary of subtype %d is not a UUID", subtype)
	}
	return v.Addr().Interface().(*uuid.UUID).UnmarshalBinary(data)
}

func encodeBSON(t *testing.T, v any) bson.Raw {
	var b bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&b))
	enc.SetRegistry(registry())
	must.Do(t, enc.Encode(v))
	return bson.Raw(b.Bytes())
}

func decodeBSON(b []byte, v any) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(b)))
	dec.SetRegistry(registry())
	return dec.Decode(v)
}

// With the registry, IDs are written as subtype 4, and absent IDs as null.
func TestMongoDB(t *testing.T) {
	type doc struct {
		ID     uuid.UUID `bson:"_id"`
		Parent *uuid.UUID
		Items  []uuid.UUID
	}
	for _, d := range []doc{{id, &id, []uuid.UUID{id, uuid.Max()}}, {ID: id}} {
		b := encodeBSON(t, d)
		subtype, data := b.Lookup("_id").Binary()
		equal(t, subtype, bson.TypeBinaryUUID)
		equal(t, data, id[:])
		equal(t, b.Lookup("parent").Type == bson.TypeNull, d.Parent == nil)
		var back doc
		must.Do(t, decodeBSON(b, &back))
		equal(t, back, d)
	}
	b := encodeBSON(t, bson.M{"event": event, "parent": parent})
	ulidType, data := b.Lookup("event").Binary()
	equal(t, ulidType, bson.TypeBinaryGeneric)
	equal(t, data, event[:])
	equal(t, b.Lookup("parent").Type, bson.TypeEmbeddedDocument)
	// The same applies to conditions, which find documents.
	subtype, _ := encodeBSON(t, bson.M{"_id": id}).Lookup("_id").Binary()
	equal(t, subtype, bson.TypeBinaryUUID)
}

// With the registry, subtype 0 is read, too. The old subtype 3, whose bytes may be in another
// order, and text are rejected. Without the registry, UUIDs that others wrote are rejected.
func TestMongoDBReads(t *testing.T) {
	for value, want := range map[any][2]bool{
		bson.TypeBinaryUUID: {true, false}, bson.TypeBinaryGeneric: {true, true}, bson.TypeBinaryUUIDOld: {false, false}, id.String(): {false, false},
	} {
		if subtype, ok := value.(byte); ok {
			value = bson.Binary{Subtype: subtype, Data: id[:]}
		}
		b, err := bson.Marshal(bson.M{"id": value})
		must.Do(t, err)
		var back [2]struct{ ID uuid.UUID }
		got := [2]bool{decodeBSON(b, &back[0]) == nil, bson.Unmarshal(b, &back[1]) == nil}
		equal(t, got, want)
		equal(t, [2]bool{back[0].ID == id, back[1].ID == id}, want)
	}
}

// Without the registry, a UUID is written as subtype 0, and a Null as a document.
func TestMongoDBAsItIs(t *testing.T) {
	b, err := bson.Marshal(orders[0])
	must.Do(t, err)
	subtype, _ := bson.Raw(b).Lookup("id").Binary()
	equal(t, subtype, bson.TypeBinaryGeneric)
	equal(t, bson.Raw(b).Lookup("parent").Type, bson.TypeEmbeddedDocument)
	equal(t, bson.Raw(b).Lookup("number").Int64(), int64(number))
	var back order
	must.Do(t, bson.Unmarshal(b, &back))
	equal(t, back, orders[0])
}
