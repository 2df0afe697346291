// Package mycheck reads of a server of MySQL or MariaDB what makes ids repeat, for package mysqlstore and the command leases.
package mycheck

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// All is what MariaDB shows for all rights. MySQL lists them.
const All = "ALL PRIVILEGES"

// Asker is a [sql.DB], or one connection.
type Asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Read returns the rights on all tables of db's user and its roles, as SHOW GRANTS names them.
func Read(ctx context.Context, db Asker) (rights []string, err error) {
	rows, err := db.QueryContext(ctx, `show grants`)
	if err != nil {
		return nil, fmt.Errorf("read the rights of the user: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var grant string
		if err := rows.Scan(&grant); err != nil {
			return nil, err
		}
		if names, _, everywhere := strings.Cut(grant, " ON *.* TO "); everywhere {
			for name := range strings.SplitSeq(strings.TrimPrefix(names, "GRANT "), ",") {
				rights = append(rights, strings.TrimSpace(name)) // MySQL has no spaces between some
			}
		}
	}
	return rights, rows.Err()
}

// Finding says with which of the rights, as Read returns them, a user writes on a server that was made read-only, or
// nothing. There the holders of numbers would go on, while others have them from the server that was promoted.
func Finding(rights []string, err error) string {
	if err != nil {
		return fmt.Sprintf("%v: make sure that it cannot write where read_only is on", err)
	}
	for _, right := range []string{All, "SUPER", "READ_ONLY ADMIN", "READ ONLY ADMIN", "CONNECTION_ADMIN"} {
		if slices.Contains(rights, right) {
			return fmt.Sprintf("the user may write where read_only is on (%s), so that a switchover can make ids repeat: revoke that right", right)
		}
	}
	return ""
}

// Text returns a text in SQL, in a form that no setting changes.
func Text(s string) string { return fmt.Sprintf("_utf8mb4 x'%x'", s) }

// Name returns in SQL the database and the name of a table, whose name may begin with its database and a dot.
func Name(table string) (schema, name string) {
	if before, after, ok := strings.Cut(table, "."); ok {
		return Text(before), Text(after)
	}
	return "database()", Text(table)
}

// Times says which columns of a table do not keep times as they are written, or nothing.
func Times(ctx context.Context, db Asker, table string) (finding string, err error) {
	schema, name := Name(table)
	err = db.QueryRowContext(ctx, `select coalesce(group_concat(concat('the column ', column_name, ' is ', column_type) separator ', '), '')
		from information_schema.columns where table_schema = `+schema+` and table_name = `+name+`
		and column_name in ('expires', 'horizon') and column_type <> 'datetime(6)'`).Scan(&finding)
	if finding != "" {
		finding += " and not datetime(6), so that horizons change, and ids repeat"
	}
	return finding, err
}
