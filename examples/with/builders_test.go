package with

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"

	"github.com/go-jet/jet/v2/generator/template"
	"github.com/go-jet/jet/v2/postgres"
	"github.com/oneclock/ids/uuid"
	"github.com/stephenafamo/bob"
	"github.com/stephenafamo/bob/dialect/sqlite"
	"github.com/stephenafamo/bob/dialect/sqlite/im"
	"github.com/stephenafamo/bob/dialect/sqlite/sm"
	"github.com/stephenafamo/scan"
)

// A onerow is a database of one row: a query gives what the last statement wrote.
type onerow struct {
	columns []string
	row     []driver.Value
	unread  bool
}

func (o *onerow) Connect(context.Context) (driver.Conn, error) { return o, nil }
func (o *onerow) Driver() driver.Driver                        { return nil }
func (o *onerow) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (o *onerow) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (o *onerow) Close() error                                 { return nil }
func (o *onerow) Columns() []string                            { return o.columns }

func (o *onerow) ExecContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Result, error) {
	o.row = nil
	for _, arg := range args {
		o.row = append(o.row, arg.Value)
	}
	return driver.RowsAffected(1), nil
}

func (o *onerow) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	o.unread = true
	return o, nil
}

func (o *onerow) Next(dest []driver.Value) error {
	if !o.unread {
		return io.EOF
	}
	o.unread = false
	copy(dest, o.row)
	return nil
}

// Arguments and mapped structs need nothing.
func TestBob(t *testing.T) {
	db := bob.OpenDB(&onerow{columns: []string{"id", "event", "number", "parent", "refund"}})
	for _, o := range orders {
		_, err := bob.Exec(t.Context(), db, sqlite.Insert(im.Into("orders"), im.Values(sqlite.Arg(o.ID, o.Event, o.Number, o.Parent, o.Refund))))
		must(t, err)
		found, err := bob.One(t.Context(), db, sqlite.Select(sm.From("orders")), scan.StructMapper[order]())
		must(t, err)
		equal(t, found, o)
	}
}

// Models that have ids are written and read, and the generator can be told to make such models.
func TestJet(t *testing.T) {
	id := postgres.StringColumn("id")
	columns := postgres.ColumnList{id, postgres.StringColumn("event"), postgres.IntegerColumn("number"),
		postgres.StringColumn("parent"), postgres.StringColumn("refund")}
	table := postgres.NewTable("public", "orders", "", columns...)
	db := sql.OpenDB(&onerow{columns: []string{"order.id", "order.event", "order.number", "order.parent", "order.refund"}})
	for _, o := range orders {
		_, err := table.INSERT(columns).MODEL(o).ExecContext(t.Context(), db)
		must(t, err)
		var found order
		must(t, postgres.SELECT(postgres.STAR).FROM(table).WHERE(id.EQ(postgres.UUID(o.ID))).QueryContext(t.Context(), db, &found))
		equal(t, found, o)
	}
	equal(t, template.NewType(uuid.UUID{}), template.Type{ImportPath: "github.com/oneclock/ids", Name: "ids.UUID"})
}
