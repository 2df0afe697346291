package with

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/Masterminds/squirrel"
	"github.com/asaskevich/govalidator"
	"github.com/doug-martin/goqu/v9"
	"github.com/gocarina/gocsv"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jmoiron/sqlx"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
	"xorm.io/xorm"
	"xorm.io/xorm/core"
)

// goqu writes bytes into a statement's text as if they were UTF-8, and compares with NULL by =.
func TestGoqu(t *testing.T) {
	insert := goqu.Insert("orders").Rows(goqu.Record{"id": id.Binary()})
	text, args, err := insert.ToSQL()
	must.Do(t, err)
	equal(t, strings.Contains(text, "\ufffd"), true)
	equal(t, len(args), 0)
	_, args, err = insert.Prepared(true).ToSQL()
	must.Do(t, err)
	equal(t, args, []any{id[:]})

	for condition, want := range map[goqu.Expression]string{
		goqu.C("parent").Eq(uuid.Null{}): `("parent" = NULL)`, goqu.C("parent").IsNull(): `("parent" IS NULL)`,
	} {
		text, _, err := goqu.From("orders").Where(condition).ToSQL()
		must.Do(t, err)
		equal(t, strings.TrimPrefix(text, `SELECT * FROM "orders" WHERE `), want)
	}
}

// A pgrow is a row with one column as PostgreSQL sends it in binary.
type pgrow struct {
	oid  uint32
	data []byte
}

func (r pgrow) FieldDescriptions() []pgconn.FieldDescription {
	return []pgconn.FieldDescription{{Name: "id", DataTypeOID: r.oid, Format: pgtype.BinaryFormatCode}}
}
func (r pgrow) RawValues() [][]byte { return [][]byte{r.data} }
func (r pgrow) Scan(dest ...any) error {
	if scanner, ok := dest[0].(pgx.RowScanner); ok {
		return scanner.ScanRow(rowsOf{r})
	}
	return pgtype.NewMap().Scan(r.oid, pgtype.BinaryFormatCode, r.data, dest[0])
}
func (r pgrow) Values() ([]any, error) {
	kind, _ := pgtype.NewMap().TypeForOID(r.oid)
	v, err := kind.Codec.DecodeValue(pgtype.NewMap(), r.oid, pgtype.BinaryFormatCode, r.data)
	return []any{v}, err
}

type rowsOf struct{ pgrow }

func (rowsOf) Close()                        {}
func (rowsOf) Err() error                    { return nil }
func (rowsOf) CommandTag() pgconn.CommandTag { return pgconn.CommandTag{} }
func (rowsOf) Next() bool                    { return true }
func (rowsOf) Conn() *pgx.Conn               { return nil }
func (rowsOf) TypeMap() *pgtype.Map          { return pgtype.NewMap() }

// A row without a type contains the driver's values for a uuid, which are bytes. JSON writes them
// as numbers or as base64.
func TestRowsWithoutType(t *testing.T) {
	row := pgrow{pgtype.UUIDOID, id[:]}
	values, err := pgx.RowToMap(row)
	must.Do(t, err)
	b, err := json.Marshal(values)
	must.Do(t, err)
	equal(t, string(b), `{"id":[1,127,34,226,121,176,124,195,152,196,220,12,12,7,57,143]}`)
	equal(t, uuid.UUID(values["id"].([16]byte)), id)
	type order struct{ ID uuid.UUID }
	got, err := pgx.RowToStructByName[order](row)
	must.Do(t, err)
	equal(t, got.ID, id)

	// lib/pq and MySQL's driver return the text as bytes.
	db := sqlx.NewDb(sql.OpenDB(&onerow{columns: []string{"id"}, row: []driver.Value{[]byte(id.String())}}), "postgres")
	values = map[string]any{}
	must.Do(t, db.QueryRowx("SELECT id FROM orders").MapScan(values))
	b, err = json.Marshal(values)
	must.Do(t, err)
	equal(t, string(b), `{"id":"MDE3ZjIyZTItNzliMC03Y2MzLTk4YzQtZGMwYzBjMDczOThm"}`)
	must.Do(t, db.QueryRowx("SELECT id FROM orders").StructScan(&got))
	equal(t, got.ID, id)
}

type xormID struct{ uuid.UUID }

func (id *xormID) FromDB(b []byte) error { return id.Scan(b) }
func (id xormID) ToDB() ([]byte, error)  { return id.MarshalText() }

// xorm stores a UUID as JSON, which it cannot read back. Get adds a condition for the zero ID of
// the struct that it fills. The last three cases show what to write.
func TestXorm(t *testing.T) {
	type row[T any] struct {
		ID T `xorm:"'id'"`
	}
	const text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	for _, c := range []struct {
		in, out       any
		stored        string
		read, byZeros bool
	}{
		{&row[uuid.UUID]{id}, new(row[uuid.UUID]), `"` + text + `"`, false, false},
		{&row[uuid.Binary]{id.Binary()}, new(row[uuid.Binary]), string(id[:]), true, true},
		{&row[xormID]{xormID{id}}, new(row[xormID]), text, true, false},
		{&row[uuid.Null]{parent}, new(row[uuid.Null]), text, true, false},
		{&row[snowflake.ID]{number}, new(row[snowflake.ID]), number.String(), true, false},
	} {
		db := &onerow{columns: []string{"id"}}
		engine, err := xorm.NewEngineWithDB("sqlite3", ":memory:", core.FromDB(sql.OpenDB(db)))
		must.Do(t, err)
		orders := func() *xorm.Session { return engine.Table("orders") }
		_, err = orders().Insert(c.in)
		must.Do(t, err)
		var stored sql.NullString
		must.Do(t, stored.Scan(db.row[0]))
		equal(t, stored.String, c.stored)
		_, err = orders().Get(c.out)
		equal(t, err == nil && reflect.DeepEqual(c.out, c.in), c.read)
		// A database finds no row with the zero ID.
		equal(t, strings.Contains(db.asked, "WHERE"), c.byZeros)
	}
}

// In conditions, squirrel calls a method on a nil pointer to an ID. gocsv cannot read one back.
func TestNilPointers(t *testing.T) {
	absent := (*uuid.UUID)(nil)
	for _, condition := range []squirrel.Sqlizer{squirrel.Eq{"parent": absent}, squirrel.NotEq{"parent": absent}, squirrel.Lt{"parent": absent}} {
		func() {
			defer func() { equal(t, recover() != nil, true) }()
			_, _, _ = condition.ToSql()
		}()
	}
	_, args, err := squirrel.Insert("orders").Columns("parent").Values(absent).ToSql()
	must.Do(t, err)
	equal(t, args, []any{absent})
	text, _, err := squirrel.Eq{"parent": uuid.Null{}}.ToSql()
	must.Do(t, err)
	equal(t, text, "parent IS NULL")

	type pointer struct {
		Name   string
		Parent *uuid.UUID
	}
	cell, err := gocsv.MarshalString([]pointer{{"a", nil}})
	must.Do(t, err)
	refused(t, gocsv.UnmarshalString(cell, new([]pointer)))
	type null struct {
		Name   string
		Parent uuid.Null
	}
	want := []null{{"a", uuid.Null{}}, {"b", parent}}
	cells, err := gocsv.MarshalString(want)
	must.Do(t, err)
	var got []null
	must.Do(t, gocsv.UnmarshalString(cells, &got))
	equal(t, got, want)
}

// govalidator treats an array as empty if one of its bytes is zero.
func TestGovalidator(t *testing.T) {
	type plain struct {
		ID uuid.UUID `valid:"required"`
	}
	type own struct{ uuid.UUID }
	type wrapped struct {
		ID own `valid:"required"`
	}
	// The last byte is zero, as in one ID of 256.
	zero := uuid.MustParse("017f22e2-79b0-7cc3-98c4-dc0c0c073900")
	valid := func(v any) bool {
		ok, _ := govalidator.ValidateStruct(v)
		return ok
	}
	equal(t, valid(plain{id}), true)
	equal(t, valid(plain{zero}), false)
	equal(t, valid(wrapped{own{id}}), true)
	equal(t, valid(wrapped{own{zero}}), true)
	equal(t, valid(wrapped{}), false)
}
