package with

import (
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// A nowhere connects to no database: the tests look at the statements.
type nowhere struct{ driver.Connector }

// Bun's CREATE TABLE takes the type of a column from the tag. Without one it guesses from the Go type, and the guess is wrong.
func TestBunCreateTable(t *testing.T) {
	type guessed struct {
		bun.BaseModel `bun:"table:orders"`
		Event         ulid.ULID
		Parent        uuid.Binary
	}
	type tagged struct {
		bun.BaseModel `bun:"table:orders"`
		ID            uuid.UUID    `bun:"type:uuid,pk"`
		Event         ulid.ULID    `bun:"type:text"`
		Parent        uuid.Binary  `bun:"type:bytea"`
		Number        snowflake.ID `bun:"type:bigint"`
	}
	pg := bun.NewDB(sql.OpenDB(nowhere{}), pgdialect.New())
	guess := pg.NewCreateTable().Model((*guessed)(nil)).String()
	for _, has := range []string{`"event" BYTEA`, `"parent" JSONB`} {
		if !strings.Contains(guess, has) {
			t.Errorf("%s lacks %s: say so on the page", guess, has)
		}
	}
	equal(t, pg.NewCreateTable().Model((*tagged)(nil)).String(),
		`CREATE TABLE "orders" ("id" uuid NOT NULL, "event" text, "parent" bytea, "number" bigint, PRIMARY KEY ("id"))`)
	insert := pg.NewInsert().Model(&tagged{ID: id, Event: event, Parent: uuid.Binary{ID: id}, Number: number}).String()
	for _, has := range []string{"'" + id.String() + "'", "'" + event.String() + "'", `'\x017f22e279b07cc398c4dc0c0c07398f'`, number.String()} {
		if !strings.Contains(insert, has) {
			t.Errorf("%s lacks %s", insert, has)
		}
	}
}
