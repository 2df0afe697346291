// Package mycheck looks for faults in a store that uses MySQL or MariaDB. Package mysqlstore and
// the leases command use it.
package mycheck

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Asker is implemented by [sql.DB] and by a single connection.
type Asker interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// These constants are the server's error numbers.
const (
	deniedDatabase  = 1044
	UnknownDatabase = 1049
	UnknownColumn   = 1054
	deniedTable     = 1142
	deniedColumn    = 1143
	UnknownTable    = 1146
	readOnly        = 1290
	readOnlySession = 1792
	readOnlyMode    = 1836
)

// Is reports whether err is a server error with one of the given numbers.
func Is(err error, numbers ...uint16) bool {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && slices.Contains(numbers, e.Number)
}

// Denied reports whether err means that the user lacks a privilege.
func Denied(err error) bool { return Is(err, deniedDatabase, deniedTable, deniedColumn) }

const (
	all     = "ALL PRIVILEGES" // MariaDB's name for all privileges; MySQL lists each one
	process = "PROCESS"
)

// Look returns the faults that it finds in the server, in the user's privileges and in the table. A
// missing table is not a fault. If write is true, Look executes an UPDATE, because only an UPDATE
// shows whether the user may write. The UPDATE changes no row, but may appear in a binary log.
func Look(ctx context.Context, c Asker, table string, write bool) (l faults.List, err error) {
	setting := func(name string) (value string) {
		if err == nil {
			value, err = variable(ctx, c, name)
		}
		return value
	}
	for _, name := range []string{"read_only", "innodb_read_only"} {
		if v := setting(name); v != "" && v != "OFF" && v != "0" {
			l.Add(faults.Passing, "%s is %s, so nothing can be written: is the server a replica?", name, v)
		}
	}
	const flush, log = "innodb_flush_log_at_trx_commit", "log_bin"
	var hidden []string
	logs := setting(log)
	if logs == "" {
		hidden = append(hidden, log)
	}
	durable := []string{flush}
	if logs == "ON" || logs == "1" {
		durable = append(durable, "sync_binlog")
	}
	for _, name := range durable {
		switch v := setting(name); {
		case v == "":
			hidden = append(hidden, name)
		case v != "1" && (v != "3" || name != flush): // MariaDB's 3 syncs twice
			l.Add(faults.Unsafe, "%s is %s, so a crash can take horizons back, and IDs repeat", name, v)
		}
	}
	if hidden != nil && err == nil {
		l.Add(faults.Told, "the server does not show %s: make sure that a crash loses no transaction", strings.Join(hidden, " and "))
	}
	if setting("innodb_doublewrite") == "OFF" {
		l.Add(faults.Noted, "innodb_doublewrite is OFF: a crash can damage the table")
	}
	if err != nil {
		return l, fmt.Errorf("read the server's settings: %w", err)
	}
	if given, err := rights(ctx, c); err != nil {
		l.Add(faults.Told, "read the user's rights: %v: make sure that it cannot write while read_only is on", err)
	} else {
		for _, right := range []string{all, "SUPER", "READ_ONLY ADMIN", "READ ONLY ADMIN", "CONNECTION_ADMIN"} {
			if slices.Contains(given, right) {
				l.Add(faults.Told, "the user may write while read_only is on (%s), so a switchover can make IDs repeat: revoke that right", right)
				break
			}
		}
	}
	return l, lookAtTable(ctx, c, table, write, &l)
}

// lookAtTable appends the faults that it finds in a table to l. If write is true, a missing
// privilege to write to the table is such a fault.
func lookAtTable(ctx context.Context, c Asker, table string, write bool, l *faults.List) error {
	schema, name := names(table)
	where := ` where table_schema = ` + schema + ` and table_name = ` + name
	var kind, engine sql.NullString
	err := c.QueryRowContext(ctx, `select table_type, engine from information_schema.tables`+where).Scan(&kind, &engine)
	if errors.Is(err, sql.ErrNoRows) {
		// The table is missing or hidden. The caller reports this, except that Init creates a
		// missing table.
		return nil
	}
	if err != nil {
		return err
	}
	if kind.String == "VIEW" {
		l.Add(faults.Lasting, "the table is a view, which may lose committed data in a crash")
		return nil
	}
	if engine.String != "InnoDB" {
		l.Add(faults.Lasting, "the table's engine is %s, not InnoDB, so a crash can take horizons back, and IDs repeat", cmp.Or(engine.String, "unknown"))
	}
	var columns sql.NullString // in some SQL modes, an empty string is NULL
	err = c.QueryRowContext(ctx, `select group_concat(concat('the column ', column_name, ' is ', column_type) separator ', ')
		from information_schema.columns`+where+` and column_name in ('expires', 'horizon') and column_type <> 'datetime(6)'`).Scan(&columns)
	if err != nil {
		return err
	}
	if columns.Valid {
		l.Add(faults.Lasting, "%s, not datetime(6), so horizons change, and IDs repeat", columns.String)
	}
	if !write {
		return nil
	}
	quoted, err := Table(table)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, `update `+quoted+` set token = null, holder = null, expires = '1970-01-01 00:00:00', horizon = null where number = -2`)
	switch {
	case Denied(err):
		l.Add(faults.Lasting, "%v", err)
	case Is(err, readOnly, readOnlySession, readOnlyMode):
		if !slices.ContainsFunc(*l, func(f faults.Fault) bool { return f.Grade == faults.Passing }) {
			l.Add(faults.Passing, "%v", err)
		}
	case Is(err, UnknownColumn): // reported when the table is read
	default:
		return err
	}
	return nil
}

// Replication returns a fault for each way in which a failover to a replica can set horizons back.
func Replication(ctx context.Context, c Asker) (l faults.List, err error) {
	note := func(format string, args ...any) { l.Add(faults.Noted, format, args...) }
	if log, err := variable(ctx, c, "log_bin"); err != nil || log != "ON" {
		return nil, err
	}
	if given, err := rights(ctx, c); err != nil || !slices.Contains(given, process) && !slices.Contains(given, all) {
		note("the user may not see whether there are replicas: grant process on *.* to it")
	}
	setting, err := values(ctx, c, `show variables like 'rpl_semi_sync%'`)
	if err != nil {
		return l, err
	}
	status, err := values(ctx, c, `show global status like 'rpl_semi_sync%'`)
	if err != nil {
		return l, err
	}
	var readers int
	err = c.QueryRowContext(ctx, `select count(*) from information_schema.processlist where command like 'Binlog Dump%'`).Scan(&readers)
	if err != nil {
		return l, err
	}
	for _, name := range [][2]string{{"rpl_semi_sync_master", "slave"}, {"rpl_semi_sync_source", "replica"}} {
		primary, replica := name[0], name[1]
		if setting[primary+"_enabled"] != "ON" {
			continue
		}
		if wait, _ := time.ParseDuration(setting[primary+"_timeout"] + "ms"); wait < 24*time.Hour {
			note("%s_timeout is %v: after that, commits continue without a replica, and a failover can take horizons back", primary, wait)
		}
		if no := primary + "_wait_no_" + replica; setting[no] == "OFF" {
			note("%s is OFF: commits continue while there is no replica, and a failover can take horizons back", no)
		}
		if status[primary+"_status"] == "OFF" {
			note("the status %s_status is OFF: commits wait for no replica now, and a failover can take horizons back", primary)
		}
		clients, _ := strconv.Atoi(status[primary+"_clients"])
		if clients < readers {
			note("of %d connections that read the binary log, %d acknowledge: a failover to another replica can take horizons back", readers, clients)
		}
		waits, _ := strconv.Atoi(cmp.Or(setting[primary+"_wait_for_"+replica+"_count"], "1"))
		if waits < clients {
			note("commits wait for %d of %d replicas: a failover to any but the most advanced can take horizons back", waits, clients)
		}
		return l, nil
	}
	if readers > 0 {
		note("%d connections read the binary log, and commits wait for none: a failover to a replica can take horizons back", readers)
	}
	return l, nil
}

// variable returns the value of a setting, or "" if the server does not list the setting. It reads
// one setting per query, because sql_select_limit could hide some rows of a longer result.
func variable(ctx context.Context, c Asker, name string) (value string, err error) {
	err = c.QueryRowContext(ctx, `show variables like '`+name+`'`).Scan(new(string), &value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// values executes a query whose rows consist of a name and a value, and returns a map from names to
// values. The names are in lowercase.
func values(ctx context.Context, c Asker, query string) (map[string]string, error) {
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := map[string]string{}
	for rows.Next() {
		var name, v string
		if err := rows.Scan(&name, &v); err != nil {
			return nil, err
		}
		values[strings.ToLower(name)] = v
	}
	return values, rows.Err()
}

// rights returns the global privileges of the user and its roles, named as in the output of SHOW
// GRANTS.
func rights(ctx context.Context, c Asker) (given []string, err error) {
	rows, err := c.QueryContext(ctx, `show grants`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var grant string
		if err := rows.Scan(&grant); err != nil {
			return nil, err
		}
		if names, _, everywhere := strings.Cut(grant, " ON *.* TO "); everywhere {
			for name := range strings.SplitSeq(strings.TrimPrefix(names, "GRANT "), ",") {
				given = append(given, strings.TrimSpace(name)) // MySQL omits some of the spaces
			}
		}
	}
	return given, rows.Err()
}

// Text returns s as an SQL string literal whose value does not depend on the server's settings.
func Text(s string) string { return fmt.Sprintf("_utf8mb4 x'%x'", s) }

// maxName is the maximum length of the name of a table or a database, in characters.
const maxName = 64

// Table returns the name of a table, quoted for SQL. The given name may begin with the name of a
// database, followed by a dot. An empty name means node_lease. The error names Options.Table.
func Table(table string) (quoted string, err error) {
	names := strings.Split(cmp.Or(table, "node_lease"), ".")
	if len(names) > 2 {
		return "", fmt.Errorf("Options.Table %q has more than a database and a table", table)
	}
	for i, name := range names {
		if err := storekit.CheckText("Options.Table", name); err != nil {
			return "", err
		}
		if name == "" || utf8.RuneCountInString(name) > maxName || strings.HasSuffix(name, " ") || strings.ContainsFunc(name, func(r rune) bool { return r > 0xffff }) {
			return "", fmt.Errorf("Options.Table %q: MySQL names have 1 to %d characters up to U+FFFF and do not end with a space", name, maxName)
		}
		names[i] = "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return strings.Join(names, "."), nil
}

// names returns an SQL expression for the name of the table's database, and one for the name of the
// table.
func names(table string) (schema, name string) {
	if before, after, ok := strings.Cut(table, "."); ok {
		return Text(before), Text(after)
	}
	return "database()", Text(table)
}
