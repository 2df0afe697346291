// Package pgcheck looks for faults in a store that uses PostgreSQL. Package pgstore and the leases
// command use it.
package pgcheck

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Asker is implemented by connections, transactions and pools.
type Asker interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Rounding is an SQL condition for a query of pg_attribute. It selects a column named expires or
// horizon if the column's type or precision would change stored times.
const Rounding = `attname in ('expires', 'horizon') and atttypid <> 0
	and (atttypid <> 'timestamptz'::regtype or atttypmod not in (-1, 6))`

// look is a query that returns faults and their grades. Each grade is a value of the type
// faults.Grade. The query checks the privileges on each column, because privileges may be granted
// on individual columns.
const look = `
with relation as (select * from pg_class where oid = to_regclass($1)),
fault (grade, fault) as (
select 'unsafe', 'fsync is off, so a crash can take horizons back, and IDs repeat' where current_setting('fsync', true) = 'off'
union all select 'noted', 'full_page_writes is off: a crash can damage the table' where current_setting('full_page_writes', true) = 'off'
union all select 'passing', 'this server is a standby: it takes no writes' where pg_is_in_recovery()
union all select 'passing', 'transactions are read-only (default_transaction_read_only), so nothing can be written'
	where not pg_is_in_recovery() and current_setting('transaction_read_only', true) = 'on'
union all select 'noted', 'default_transaction_isolation is serializable, so Takes and renewals fail when other processes write: '
	|| 'give the minters'' user the default read committed' where current_setting('default_transaction_isolation') = 'serializable'
union all select 'lasting', 'the table is a ' || case relkind when 'v' then 'view' when 'm' then 'materialized view'
	when 'f' then 'foreign table' else 'relation of the kind ' || relkind::text end || ', which may lose committed data in a crash'
	from relation where relkind not in ('r', 'p')
union all select 'lasting', 'the table is unlogged or temporary, so a crash empties it, and IDs repeat'
	from relation where relpersistence <> 'p'
union all select 'lasting', 'permission denied: the user ' || current_user || ' may not ' || p || ' in the table'
	from unnest(array['select', 'update']) p where exists (select from pg_attribute where attrelid = to_regclass($1)
	and (attname in ('token', 'holder', 'expires', 'horizon') or attname = 'number' and p = 'select') and not has_column_privilege(attrelid, attnum, p))
union all select 'noted', 'row security is on, which hides rows or drops updates' from relation where row_security_active(oid)
union all select 'lasting', 'the column ' || attname || ' is ' || format_type(atttypid, atttypmod)
	|| ', not timestamp with time zone, so horizons change, and IDs repeat'
	from pg_attribute where attrelid = to_regclass($1) and ` + Rounding + `
) select * from fault`

// replication is a query that looks for faults in the replication to standbys and returns them with
// their grades. A client counts as a standby if it replays the data that it receives. Backups and
// pg_receivewal do not replay the data, and subscribers have logical slots.
const replication = `
with standby as (
	select application_name as name, sync_state as state from pg_stat_replication
	where sync_state is null or replay_lsn is not null
		and not exists (select from pg_replication_slots s where s.active_pid = pid and slot_type = 'logical')
	order by name
), setting as (
	select n as names, coalesce(substring(n from '(?i)any\s*(\d+)'), '1')::int as waits, array_length(string_to_array(n, ','), 1) as listed
	from current_setting('synchronous_standby_names') n
)
select 'noted', 'the standby ' || name || ' is asynchronous: a failover to it can take horizons back' from standby where state = 'async'
union all select 'noted', 'the standby ' || name || ' is synchronous only when another fails (' || names || '): a failover to it can take horizons back'
	from standby, setting where state = 'potential'
union all select 'noted', 'commits wait for ' || waits || ' of the standbys ' || string_agg(name, ', ' order by name) || ' (' || names
	|| '): a failover to any but the most advanced can take horizons back'
	from standby, setting where state = 'quorum' group by names, waits, listed having waits < greatest(listed, count(*))
union all select distinct 'noted', 'the user ' || current_user || ' may not see whether the standbys are synchronous: grant pg_monitor to '
	|| quote_ident(current_user) from standby where state is null`

// maxName is the length in bytes to which PostgreSQL truncates a name.
const maxName = 63

// Table returns the name of a table, quoted for SQL. The given name may begin with the name of a
// schema, followed by a dot. An empty name means node_lease. The error names Options.Table.
func Table(table string) (quoted string, err error) {
	names := strings.Split(cmp.Or(table, "node_lease"), ".")
	if len(names) > 2 {
		return "", fmt.Errorf("Options.Table %q has more than a schema and a table", table)
	}
	for _, name := range names {
		if err := storekit.CheckText("Options.Table", name); err != nil {
			return "", err
		}
		if name == "" {
			return "", fmt.Errorf("Options.Table %q has an empty name", table)
		}
		if len(name) > maxName {
			return "", fmt.Errorf("Options.Table %q: PostgreSQL would cut the name to %d bytes", name, maxName)
		}
	}
	return pgx.Identifier(names).Sanitize(), nil
}

// Look returns the faults that it finds in the server, in the user's privileges and in the table.
// The table parameter is the quoted name of the table. A missing table is not a fault.
func Look(ctx context.Context, c Asker, table string) (faults.List, error) {
	return ask(ctx, c, look, table)
}

// Replication returns a fault for each way in which a failover to a standby can set horizons back.
func Replication(ctx context.Context, c Asker) (faults.List, error) { return ask(ctx, c, replication) }

func ask(ctx context.Context, c Asker, sql string, args ...any) (faults.List, error) {
	rows, _ := c.Query(ctx, sql, args...) // rows reports the error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[faults.Fault])
}
