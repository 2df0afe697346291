package with

import (
	"slices"
	"testing"

	"github.com/doug-martin/goqu/v9"
	"github.com/oneclock/ids/uuid"
)

// With Prepared, goqu hands arguments to the driver. Without it, it writes them into the text of the statement itself: a
// Binary as text in which bytes are lost, and the condition of an absent Null as "= NULL", which finds nothing.
func TestGoqu(t *testing.T) {
	id := uuid.MustParse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	lossy := string([]rune(string(id[:]))) // each byte that is no UTF-8 is U+FFFD
	absent, bin := goqu.Ex{"parent": uuid.Null{}}, goqu.Ex{"id": uuid.Binary{ID: id}}
	for _, test := range []struct {
		where    goqu.Ex
		prepared bool
		sql      string
		args     []any
	}{
		{goqu.Ex{"id": id}, true, `SELECT * FROM "orders" WHERE ("id" = ?)`, []any{id.String()}},
		{goqu.Ex{"id": id}, false, `SELECT * FROM "orders" WHERE ("id" = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f')`, nil},
		{goqu.Ex{"parent": nil}, true, `SELECT * FROM "orders" WHERE ("parent" IS NULL)`, nil},
		{bin, true, `SELECT * FROM "orders" WHERE ("id" = ?)`, []any{string(id[:])}},
		{bin, false, `SELECT * FROM "orders" WHERE ("id" = '` + lossy + `')`, nil},
		{absent, false, `SELECT * FROM "orders" WHERE ("parent" = NULL)`, nil},
	} {
		sql, args, err := goqu.From("orders").Prepared(test.prepared).Where(test.where).ToSQL()
		for i, arg := range args {
			if b, ok := arg.([]byte); ok {
				args[i] = string(b)
			}
		}
		if err != nil || sql != test.sql || !slices.Equal(args, test.args) {
			t.Errorf("prepared %t: %q %v, %v, want %q %v", test.prepared, sql, args, err, test.sql, test.args)
		}
	}
}
