package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
	first := config.ConnConfig
	maps.DeleteFunc(first.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, "datestyle") })
	first.RuntimeParams["datestyle"] = "ISO" // the only one that pgx reads
	if first.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		first.DefaultQueryExecMode = pgx.QueryExecModeExec // a pooler may give the next run a connection with this one's prepared statements
	}
	other := func(f *pgconn.FallbackConfig) bool { return f.Host != first.Host || f.Port != first.Port }
	if first.ValidateConnect == nil && slices.ContainsFunc(first.Fallbacks, other) { // one host may be a standby, to look at
		first.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &postgres{o, pool, pgx.Identifier(strings.Split(o.table, ".")).Sanitize()}, nil
}

func (p *postgres) close() { p.pool.Close() }

func (p *postgres) init(ctx context.Context, layout ids.SnowflakeLayout) error {
	return pgstore.Init(ctx, p.url, &pgstore.Options{Table: p.table, Numbers: p.numbers, Layout: layout})
}

func (p *postgres) read(ctx context.Context) (*contents, error) {
	c := &contents{place: "the row of the number -1", now: time.Now()}
	rows, _ := p.pool.Query(ctx, `select number, case when expires > clock_timestamp() then holder else '' end,
		least(expires, clock_timestamp() + interval '10 years'), case when isfinite(horizon) then horizon end,
		coalesce(not isfinite(horizon), false), clock_timestamp() from `+p.name+` order by number`)
	var n number
	_, err := pgx.ForEachRow(rows, []any{&n.number, &n.holder, &n.expires, (*zeronull.Timestamptz)(&n.horizon), &n.missing, &c.now}, func() error {
		if n.number < 0 {
			c.header = n.holder
		} else {
			c.numbers = append(c.numbers, n)
		}
		return nil
	})
	if isError(err, undefinedColumn) {
		err = fmt.Errorf("%w: another version of package nodelease made the table, or somebody else", err)
	} else if isError(err, undefinedTable) {
		c.place, err = "the table "+p.table, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table %s: %w", p.table, err)
	}
	return c, nil
}

// settings takes for a standby what replays what it receives. Backups and pg_receivewal do not, and subscribers have
// logical slots.
func (p *postgres) settings(ctx context.Context) ([]string, error) {
	rows, _ := p.pool.Query(ctx, `
with standby as (
	select application_name as name, sync_state as state from pg_stat_replication
	where sync_state is null or replay_lsn is not null
		and not exists (select from pg_replication_slots s where s.active_pid = pid and slot_type = 'logical')
	order by name
), setting as (
	select n as names, coalesce(substring(n from '(?i)any\s*(\d+)'), '1')::int as waits, array_length(string_to_array(n, ','), 1) as listed
	from current_setting('synchronous_standby_names') n
)
select 'fsync is off: a crash can take horizons back' where current_setting('fsync', true) = 'off'
union all select 'full_page_writes is off: a crash can damage the table' where current_setting('full_page_writes', true) = 'off'
union all select 'the table is unlogged or temporary: a crash empties it' from pg_class
	where oid = to_regclass($1) and relpersistence <> 'p'
union all select 'this server is a standby: it takes no writes' where pg_is_in_recovery()
union all select 'the standby ' || name || ' is asynchronous: a failover to it can take horizons back' from standby where state = 'async'
union all select 'the standby ' || name || ' is synchronous only when another fails (' || names || '): a failover to it can take horizons back'
	from standby, setting where state = 'potential'
union all select 'commits wait for ' || waits || ' of the standbys ' || string_agg(name, ', ' order by name) || ' (' || names
	|| '): a failover to another than the most advanced can take horizons back'
	from standby, setting where state = 'quorum' group by names, waits, listed having waits < greatest(listed, count(*))
union all select distinct 'the user ' || current_user || ' may not see whether the standbys are synchronous: grant pg_monitor to '
	|| quote_ident(current_user) from standby where state is null
union all select 'default_transaction_isolation is serializable, and so Takes and renewals fail when others write: '
	|| 'give the user of the minters the default read committed' where current_setting('default_transaction_isolation') = 'serializable'
union all select 'the user ' || current_user || ' has no right to select in the table' where not has_table_privilege(to_regclass($1), 'select')
union all select 'row security is on, and hides rows or swallows updates' from pg_class where oid = to_regclass($1) and row_security_active(oid)
union all select 'the column ' || attname || ' is ' || format_type(atttypid, atttypmod)
	|| ' and not timestamp with time zone, so that horizons change, and ids repeat'
	from pg_attribute where attrelid = to_regclass($1) and attname in ('expires', 'horizon')
	and atttypid <> 0 and (atttypid <> 'timestamptz'::regtype or atttypmod not in (-1, 6))`, p.name)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return all, err
	}
	finding := swallowed(func() (token string, err error) {
		err = p.pool.QueryRow(ctx, `select token from `+p.name+` where number = -1`).Scan(&token)
		if errors.Is(err, pgx.ErrNoRows) || isError(err, undefinedTable, undefinedColumn) {
			err = errTold
		}
		return token, err
	}, func(token string) error {
		_, err := p.pool.Exec(ctx, `update `+p.name+` set token = $1 where number = -1`, token)
		if isError(err, readOnly) && all != nil { // a standby
			err = errTold
		}
		return err
	})
	if finding != "" {
		all = append(all, finding)
	}
	return all, nil
}

// SQLSTATEs.
const (
	readOnly        = "25006"
	undefinedColumn = "42703"
	undefinedTable  = "42P01"
)

// isError reports whether err is one of the server's, of one of these codes.
func isError(err error, codes ...string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, e.Code)
}
