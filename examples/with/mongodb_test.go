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

// registry makes MongoDB's driver write UUIDs as such, subtype 4, and read them.
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

// With the registry, ids are written as subtype 4, and absent ones are null.
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
	// In a condition too, which is how documents are found.
	subtype, _ := encodeBSON(t, bson.M{"_id": id}).Lookup("_id").Binary()
	equal(t, subtype, bson.TypeBinaryUUID)
}

// What was written as subtype 0 is read; the old subtype 3, whose bytes may be in another order, is
// not, and neither is anything else.
func TestMongoDBReads(t *testing.T) {
	var back struct{ ID uuid.UUID }
	for subtype, want := range map[byte]bool{bson.TypeBinaryUUID: true, bson.TypeBinaryGeneric: true, bson.TypeBinaryUUIDOld: false} {
		b, err := bson.Marshal(bson.M{"id": bson.Binary{Subtype: subtype, Data: id[:]}})
		must.Do(t, err)
		back.ID = uuid.Nil()
		equal(t, decodeBSON(b, &back) == nil, want)
		equal(t, back.ID == id, want)
	}
	b, err := bson.Marshal(bson.M{"id": id.String()})
	must.Do(t, err)
	refused(t, decodeBSON(b, &back))
}

// Without the registry a UUID is subtype 0, what others wrote as a UUID is refused, and a Null
// becomes a document.
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

	b, err = bson.Marshal(bson.M{"id": bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id[:]}})
	must.Do(t, err)
	refused(t, bson.Unmarshal(b, &back))
}
