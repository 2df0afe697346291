package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/pgstore"
)

type postgres struct {
	*options
	pool *pgxpool.Pool
	name string // of the table, quoted
}

func openPostgres(ctx context.Context, o *options) (store, error) {
	config, err := pgxpool.ParseConfig(o.url)
	if err != nil {
		return nil, err // without the password
	}
	pgstore.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &postgres{o, pool, pgx.Identifier(strings.Split(o.table, ".")).Sanitize()}, nil
}

func (p *postgres) close() { p.pool.Close() }

func (p *postgres) init(ctx context.Context, layout ids.SnowflakeLayout) error {
	return pgstore.Init(ctx, p.pool, &pgstore.Options{Table: p.table, Numbers: p.numbers, Layout: layout})
}

func (p *postgres) read(ctx context.Context) (*contents, error) {
	c := &contents{place: "the row of the number -1", now: time.Now()}
	rows, _ := p.pool.Query(ctx, `select number, case when expires > clock_timestamp() then holder else '' end,
		least(expires, clock_timestamp() + interval '10 years'), horizon, clock_timestamp() from `+p.name+` order by number`)
	var n number
	_, err := pgx.ForEachRow(rows, []any{&n.number, &n.holder, &n.expires, (*zeronull.Timestamptz)(&n.horizon), &c.now}, func() error {
		if n.number < 0 {
			c.header = n.holder
		} else {
			c.numbers = append(c.numbers, n)
		}
		return nil
	})
	if unknown, ok := errors.AsType[*pgconn.PgError](err); ok && unknown.Code == "42703" { // a column
		err = fmt.Errorf("%w: an earlier version of package nodelease made the table, or somebody else", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the table %s: %w", p.table, err)
	}
	return c, nil
}

func (p *postgres) settings(ctx context.Context) ([]string, error) {
	rows, _ := p.pool.Query(ctx, `
select 'fsync is off: a crash can take horizons back' where current_setting('fsync', true) = 'off'
union all select 'full_page_writes is off: a crash can damage the table' where current_setting('full_page_writes', true) = 'off'
union all select 'the table is unlogged or temporary: a crash empties it' from pg_class
	where oid = to_regclass($1) and relpersistence <> 'p'
union all select 'this server is a standby: it takes no writes' where pg_is_in_recovery()
union all select 'the standby ' || application_name || ' is asynchronous: a failover to it can take horizons back'
	from pg_stat_replication where sync_state = 'async'
union all select 'the user ' || current_user || ' has no right to ' || p || ' in the table' from unnest(array['select', 'update']) p
	where not has_table_privilege(to_regclass($1), p)`, p.name)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
