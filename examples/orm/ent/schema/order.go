// Package schema describes the entities for which ent generates code.
package schema

import (
	"database/sql/driver"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema/field"
	"github.com/oneclock/ids"
)

// Order is an entity with a field for each kind of ID.
type Order struct{ ent.Schema }

// ent writes the name of a field's type into the code that it generates, and cannot write a name
// with a type argument. So each instance of a generic type has its own name here. It gets its
// methods from the type that it embeds.
type (
	// BinaryUUID is a UUID stored as 16 bytes.
	BinaryUUID struct{ ids.Binary[ids.UUID] }
	// NullUUID is a UUID that may be absent.
	NullUUID struct{ ids.Null[ids.UUID] }
	// NullSnowflake is a Snowflake that may be absent.
	NullSnowflake struct{ ids.Null[ids.Snowflake] }
)

// UserID is a separate type for the UUIDs of users. It is an array with methods instead of a
// struct, because ent examines the fields of a struct that is an ID, and GORM examines those of the
// structs in a list.
type UserID [16]byte

// NewUserID returns a new version 7 UserID.
func NewUserID() UserID { return UserID(ids.NewV7()) }

func (id UserID) String() string                      { return ids.UUID(id).String() }
func (id UserID) AppendText(b []byte) ([]byte, error) { return ids.UUID(id).AppendText(b) }
func (id UserID) MarshalText() ([]byte, error)        { return ids.UUID(id).MarshalText() }
func (id *UserID) UnmarshalText(b []byte) error       { return (*ids.UUID)(id).UnmarshalText(b) }
func (id UserID) Value() (driver.Value, error)        { return ids.UUID(id).Value() }
func (id *UserID) Scan(src any) error                 { return (*ids.UUID)(id).Scan(src) }
func (id UserID) IsZero() bool                        { return ids.UUID(id).IsZero() }

// A User has an ID of type UserID.
type User struct{ ent.Schema }

// Fields returns the fields of a User.
func (User) Fields() []ent.Field { return []ent.Field{field.UUID("id", UserID{}).Default(NewUserID)} }

// A Guest has an ID that is a struct.
type Guest struct{ ent.Schema }

// GuestID is a struct, so ent does not read it in all places.
type GuestID struct{ ids.UUID }

// Fields returns the fields of a Guest.
func (Guest) Fields() []ent.Field { return []ent.Field{field.UUID("id", GuestID{})} }

// bytes16 is the type of columns with 16 bytes. In MySQL, ent's default type for bytes is a blob,
// which cannot have a plain index.
var bytes16 = map[string]string{dialect.MySQL: "binary(16)"}

// Fields returns the fields of an Order.
func (Order) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", ids.UUID{}).Default(ids.NewV7),
		field.String("event").GoType(ids.ULID{}).DefaultFunc(ids.NewULID),
		field.Int64("number").GoType(ids.Snowflake(0)).DefaultFunc(ids.NextSnowflake),
		field.Bytes("digest").GoType(BinaryUUID{}).SchemaType(bytes16),
		// For every type, ent can represent NULL as a nil pointer.
		field.UUID("root", ids.UUID{}).Optional().Nillable(),
		field.Bytes("refund").GoType(BinaryUUID{}).Optional().Nillable().SchemaType(bytes16),
		// This type represents NULL as a value.
		field.UUID("parent", NullUUID{}).Optional(),
		field.Int64("previous").GoType(NullSnowflake{}).Optional(),
	}
}
