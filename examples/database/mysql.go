package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/oneclock/ids"
)

// mysqlEngine is a MariaDB or MySQL server.
type mysqlEngine struct {
	sqlEngine
	mariaDB bool
}

// openMySQL connects to the server of a DSN like "user:password@tcp(127.0.0.1:3306)/database".
func openMySQL(ctx context.Context, dsn string) (*mysqlEngine, error) {
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("mysql: %w", err)
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("mysql: %w", err)
	}
	db := sql.OpenDB(connector)
	var version string
	if err := db.QueryRowContext(ctx, "SELECT version()").Scan(&version); err != nil {
		db.Close()
		return nil, fmt.Errorf("mysql: %w", err)
	}
	product, mariaDB := "MySQL ", strings.Contains(version, "MariaDB")
	if mariaDB {
		product = "MariaDB "
	}
	number, _, _ := strings.Cut(version, "-")
	return &mysqlEngine{mariaDB: mariaDB, sqlEngine: sqlEngine{
		db:          db,
		label:       product + number + ", go-sql-driver/mysql",
		columnType:  mysqlColumn,
		arg:         bytesArg,
		placeholder: func(int) string { return "?" },
		tableSuffix: " ENGINE=InnoDB",
	}}, nil
}

// mysqlColumn stores text in ASCII, one byte a character, with a collation that compares bytes:
// the order of the ids.
func mysqlColumn(s scheme) string {
	switch s.form {
	case formText:
		return fmt.Sprintf("CHAR(%d) CHARACTER SET ascii COLLATE ascii_bin", s.length)
	case formInteger:
		return "BIGINT"
	}
	return "BINARY(16)"
}

func (e *mysqlEngine) written(ctx context.Context) (int64, error) {
	var name string
	var n int64
	if err := e.db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'").Scan(&name, &n); err != nil {
		return 0, fmt.Errorf("mysql: bytes of the redo log: %w", err)
	}
	return n, nil
}

// size asks for fresh statistics first. InnoDB keeps the rows in the index on the primary key,
// so there is no other.
func (e *mysqlEngine) size(ctx context.Context, s scheme) (table, index int64, err error) {
	var name, op, kind, text string
	if err := e.db.QueryRowContext(ctx, "ANALYZE TABLE "+s.table()).Scan(&name, &op, &kind, &text); err != nil {
		return 0, 0, fmt.Errorf("size of %s: %w", s.table(), err)
	}
	const query = "SELECT data_length, index_length FROM information_schema.tables WHERE table_schema = database() AND table_name = ?"
	if err := e.db.QueryRowContext(ctx, query, s.table()).Scan(&table, &index); err != nil {
		return 0, 0, fmt.Errorf("size of %s: %w", s.table(), err)
	}
	return table, index, nil
}

func (e *mysqlEngine) roundTrips() []roundTrip {
	all := commonRoundTrips(&e.sqlEngine, columns{
		bytes:    "BINARY(16)",
		uuidText: "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
		ulidText: "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin",
		integer:  "BIGINT",
	})
	if e.mariaDB { // 10.7 and later have a type for UUIDs, which takes and gives text
		all = append(all, trip(&e.sqlEngine, "UUID as MariaDB's type UUID", "UUID", ids.NewV7(), ids.NilUUID(), ids.MaxUUID()))
	}
	return all
}
