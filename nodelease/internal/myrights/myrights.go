// Package myrights reads what a user of MySQL or MariaDB may do everywhere, for package mysqlstore and the command leases.
package myrights

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// All is what MariaDB shows for all rights. MySQL lists them.
const All = "ALL PRIVILEGES"

// Read returns the rights on all tables of db's user and its roles, as SHOW GRANTS names them.
func Read(ctx context.Context, db *sql.DB) (rights []string, err error) {
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
