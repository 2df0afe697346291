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

// The code that ent generates contains the names of the fields' types. ent cannot write the name of
// a type that has a type argument. So each such type is embedded here in a type that has a plain
// name and the same methods.
type (
	// BinaryUUID is a UUID stored as 16 bytes.
	BinaryUUID struct{ ids.Binary[ids.UUID] }
	// NullUUID is a UUID that may be absent.
	NullUUID struct{ ids.Null[ids.UUID] }
	// NullSnowflake is a Snowflake that may be absent.
	NullSnowflake struct{ ids.Null[ids.Snowflake] }
)

// UserID is a separate type for user IDs, which are UUIDs. It is an array with methods rather than
// a struct, for two reasons. If an ID is a struct, ent examines its fields. If a list contains
// structs, GORM examines their fields.
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

// User is an entity whose ID has the type UserID.
type User struct{ ent.Schema }

// Fields returns the fields of a User.
func (User) Fields() []ent.Field { return []ent.Field{field.UUID("id", UserID{}).Default(NewUserID)} }

// Guest is an entity whose ID is a struct.
type Guest struct{ ent.Schema }

// GuestID is a struct, so some of ent's methods cannot read it.
type GuestID struct{ ids.UUID }

// Fields returns the fields of a Guest.
func (Guest) Fields() []ent.Field { return []ent.Field{field.UUID("id", GuestID{})} }

// bytes16 is the type of 16-byte columns in MySQL. By default, ent uses a blob for bytes, and MySQL
// cannot create a plain index on a blob.
var bytes16 = map[string]string{dialect.MySQL: "binary(16)"}

// Fields returns the fields of an Order.
func (Order) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", ids.UUID{}).Default(ids.NewV7),
		field.String("event").GoType(ids.ULID{}).DefaultFunc(ids.NewULID),
		field.Int64("number").GoType(ids.Snowflake(0)).DefaultFunc(ids.NextSnowflake),
		field.Bytes("digest").GoType(BinaryUUID{}).SchemaType(bytes16),
		// In these two fields, a nil pointer represents NULL. This works for every type.
		field.UUID("root", ids.UUID{}).Optional().Nillable(),
		field.Bytes("refund").GoType(BinaryUUID{}).Optional().Nillable().SchemaType(bytes16),
		// In these two fields, a value of the field's type represents NULL, so no pointer is
		// needed.
		field.UUID("parent", NullUUID{}).Optional(),
		field.Int64("previous").GoType(NullSnowflake{}).Optional(),
	}
}
