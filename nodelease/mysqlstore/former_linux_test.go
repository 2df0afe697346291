package mysqlstore_test

// Tests with holders of an older version in the same table.

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/internal/suite"
)

// testBeside runs a holder of the older version, which used a pool, together with holders of the
// current version. Its statements are unchanged. It takes the first free number.
func testBeside(t *testing.T, db *sql.DB, dsn string) {
	const written = "2006-01-02 15:04:05.000000"
	literal := func(at time.Time) string {
		if at.IsZero() {
			return "null"
		}
		return "timestamp'" + at.UTC().Format(written) + "'"
	}
	update := func(format string, args ...any) bool {
		t.Helper()
		result := must.Get(db.ExecContext(t.Context(), fmt.Sprintf("update beside set "+format, args...)))(t)
		return must.Get(result.RowsAffected())(t) == 1
	}
	kind(t, dsn).Beside(t, suite.Former{
		Take: func(token string) (int64, time.Time) {
			rows := must.Get(db.QueryContext(t.Context(), `select number, cast(horizon as char), expires <= utc_timestamp(6),
				if(number = -1, holder, null), if(number = -1, cast(utc_timestamp(6) as char), null)
				from beside where number >= -1 and number < 2 limit 2000000`))(t)
			defer rows.Close()
			for rows.Next() {
				var number int64
				var free bool
				var text, header, now sql.NullString
				must.Do(t, rows.Scan(&number, &text, &free, &header, &now))
				if number < 0 || !free {
					continue
				}
				var horizon time.Time
				if text.Valid {
					horizon = must.Get(time.Parse(written, text.String))(t)
				}
				if update(`token = '%s', holder = 'them', expires = utc_timestamp(6) + interval 60000000 microsecond
					where number = %d and expires <= utc_timestamp(6) and horizon <=> %s`, token, number, literal(horizon)) {
					return number, horizon
				}
			}
			must.Do(t, rows.Err())
			return -1, time.Time{}
		},
		Extend: func(number int64, token string, horizon time.Time) bool {
			const end = `utc_timestamp(6) + interval 60000000 microsecond`
			return update(`expires = %s + interval (expires = %s) microsecond, horizon = %s where number = %d and token = '%s' and (horizon is null or horizon <= %s)`,
				end, end, literal(horizon), number, token, literal(horizon))
		},
		Release: func(number int64, token string, horizon time.Time) bool {
			return update(`token = null, holder = null, expires = '1970-01-01 00:00:00', horizon = %s where number = %d and token = '%s'`, literal(horizon), number, token)
		},
	}, func() { mytest.Exec(t, db, `update beside set expires = '1970-01-01' where number >= 0`) })
}
