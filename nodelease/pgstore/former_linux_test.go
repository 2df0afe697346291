package pgstore_test

// Tests with holders of an older version in the same table.

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/storekit"
)

// testBeside runs a holder of the older version, which used a pool, together with holders of the
// current version. Its statements are unchanged, except that they do not make commits durable.
func testBeside(t *testing.T, url string, pool *pgxpool.Pool) {
	const take = `
with free as (
	select number from beside
	where number >= 0 and number < $1 and expires <= clock_timestamp()
		and $2::timestamptz between clock_timestamp() - interval '24 hours' and clock_timestamp() + interval '24 hours'
		and exists (select from beside where number = -1 and holder = $6)
		and (select count(*) from beside where number >= 0 and number < $1) = $1
	order by case when horizon <= $2::timestamptz and horizon > interval '24 hours' + (
			select percentile_disc(0.5) within group (order by horizon) from beside where number >= 0 and number < $1
		) then 0 else 1 end, greatest(horizon, $2::timestamptz), random()
	limit 1
	for update skip locked
)
update beside l
set token = $5, holder = $3, expires = clock_timestamp() + $4::interval
from free where l.number = free.number
returning l.number, l.horizon`
	const extend = `
update beside set expires = clock_timestamp() + $4::interval, horizon = $3::timestamptz
where number = $1 and token = $2 and (horizon is null or horizon <= $3::timestamptz)`
	const release = `
update beside set expires = 'epoch', horizon = $3::timestamptz, token = '', holder = ''
where number = $1 and token = $2`

	update := func(sql string, args ...any) bool {
		t.Helper()
		return must.Get(pool.Exec(t.Context(), sql, args...))(t).RowsAffected() == 1
	}
	kind(t, url).Beside(t, suite.Former{
		Take: func(token string) (number int64, horizon time.Time) {
			var read zeronull.Timestamptz
			err := pool.QueryRow(t.Context(), take, 2, time.Now(), "them", time.Minute, token, storekit.Header(ids.SnowflakeLayout{})).Scan(&number, &read)
			if errors.Is(err, pgx.ErrNoRows) {
				return -1, horizon
			}
			must.Do(t, err)
			return number, time.Time(read)
		},
		Extend: func(number int64, token string, horizon time.Time) bool {
			return update(extend, number, token, horizon, time.Minute)
		},
		Release: func(number int64, token string, horizon time.Time) bool {
			return update(release, number, token, zeronull.Timestamptz(horizon))
		},
	}, func() { pgtest.Exec(t, pool, `update beside set expires = 'epoch' where number >= 0`) })
}
