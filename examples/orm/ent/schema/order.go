// Package schema describes the entities that ent generates code for.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema/field"
	"github.com/oneclock/ids"
)

// Order has a field of each kind.
type Order struct{ ent.Schema }

// ent writes the name of a field's type into its code, and cannot write one with a type argument. So each instance of a
// generic type has a name here. The methods come with the embedded type.
type (
	// BinaryUUID is a UUID stored as 16 bytes.
	BinaryUUID struct{ ids.Binary[ids.UUID] }
	// NullUUID is a UUID that may be absent.
	NullUUID struct{ ids.Null[ids.UUID] }
	// NullSnowflake is a Snowflake that may be absent.
	NullSnowflake struct{ ids.Null[ids.Snowflake] }
)

// bytes16 is the column of 16 bytes where ent's own choice for bytes, a blob, cannot have a plain index.
var bytes16 = map[string]string{dialect.MySQL: "binary(16)"}

// Fields of the Order.
func (Order) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", ids.UUID{}).Default(ids.NewV7),
		field.String("event").GoType(ids.ULID{}).DefaultFunc(ids.NewULID),
		field.Int64("number").GoType(ids.Snowflake(0)).DefaultFunc(ids.NextSnowflake),
		field.Bytes("digest").GoType(BinaryUUID{}).SchemaType(bytes16),
		// NULL as ent has it for every type: a nil pointer.
		field.UUID("root", ids.UUID{}).Optional().Nillable(),
		field.Bytes("refund").GoType(BinaryUUID{}).Optional().Nillable().SchemaType(bytes16),
		// NULL as a value.
		field.UUID("parent", NullUUID{}).Optional(),
		field.Int64("previous").GoType(NullSnowflake{}).Optional(),
	}
}
