// Package schema describes the entities that ent generates code for.
package schema

import (
	"database/sql/driver"

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

// UserID is a UUID of its own type: an array with methods, since ent looks into a struct that is an id, and GORM into a list of them.
type UserID [16]byte

// NewUserID makes one.
func NewUserID() UserID { return UserID(ids.NewV7()) }

func (id UserID) String() string                      { return ids.UUID(id).String() }
func (id UserID) AppendText(b []byte) ([]byte, error) { return ids.UUID(id).AppendText(b) }
func (id UserID) MarshalText() ([]byte, error)        { return ids.UUID(id).MarshalText() }
func (id *UserID) UnmarshalText(b []byte) error       { return (*ids.UUID)(id).UnmarshalText(b) }
func (id UserID) Value() (driver.Value, error)        { return ids.UUID(id).Value() }
func (id *UserID) Scan(src any) error                 { return (*ids.UUID)(id).Scan(src) }
func (id UserID) IsZero() bool                        { return ids.UUID(id).IsZero() }

// A User has an id of its own type.
type User struct{ ent.Schema }

// Fields of the User.
func (User) Fields() []ent.Field { return []ent.Field{field.UUID("id", UserID{}).Default(NewUserID)} }

// A Guest has an id that is a struct.
type Guest struct{ ent.Schema }

// GuestID is a struct, which ent does not read everywhere.
type GuestID struct{ ids.UUID }

// Fields of the Guest.
func (Guest) Fields() []ent.Field { return []ent.Field{field.UUID("id", GuestID{})} }

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
