package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"

	_ "modernc.org/sqlite" // driver "sqlite", SQLite in pure Go
)

// sqliteEngine is a SQLite database in a file of a folder.
type sqliteEngine struct {
	sqlEngine
	pageSize int64
	pages    int64 // pages written to the write-ahead log so far
}

// openSQLite creates a database in the folder dir.
func openSQLite(ctx context.Context, dir string) (*sqliteEngine, error) {
	query := url.Values{"_pragma": {
		"journal_mode(WAL)",
		"synchronous(NORMAL)",
		"cache_size(-65536)",    // 64 MiB
		"wal_autocheckpoint(0)", // checkpoint counts the pages
	}}
	// Slash-separated and escaped, as a file URI wants it on every system.
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(dir, "ids.db")), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	e := &sqliteEngine{sqlEngine: sqlEngine{
		db:          db,
		columnType:  sqliteColumn,
		arg:         bytesArg,
		placeholder: func(int) string { return "?" },
	}}
	e.afterBatch = e.checkpoint
	var version string
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		db.Close()
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&e.pageSize); err != nil {
		db.Close()
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	e.label = "SQLite " + version + ", modernc.org/sqlite"
	return e, nil
}

func sqliteColumn(s scheme) string {
	switch s.form {
	case formText:
		return "TEXT"
	case formInteger:
		return "INTEGER" // as a primary key this is the rowid itself: no index besides the table
	}
	return "BLOB"
}

// bytesArg writes the keys of a bytes column as 16 bytes, and the others as they are: UUID and
// ULID as text, Snowflake as an integer.
func bytesArg(s scheme, key any) any {
	if s.form == formBytes {
		return binary(key)
	}
	return key
}

// checkpoint moves the write-ahead log into the database and counts its pages. Each batch is
// one transaction, which writes a page once however often it changed: the count is that of
// pages dirtied, batch by batch.
func (e *sqliteEngine) checkpoint(ctx context.Context) error {
	var busy, pages, moved int64
	if err := e.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(RESTART)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("sqlite: checkpoint: %w", err)
	}
	if busy != 0 || moved != pages {
		return fmt.Errorf("sqlite: checkpoint: %d of %d pages moved", moved, pages)
	}
	e.pages += pages
	return nil
}

func (e *sqliteEngine) written(context.Context) (int64, error) { return e.pages * e.pageSize, nil }

func (e *sqliteEngine) size(ctx context.Context, s scheme) (table, index int64, err error) {
	// The virtual table dbstat has one row a page; an index on a primary key is named
	// sqlite_autoindex_TABLE_1.
	const query = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ?"
	if err := e.db.QueryRowContext(ctx, query, s.table()).Scan(&table); err != nil {
		return 0, 0, fmt.Errorf("size of %s: %w", s.table(), err)
	}
	if err := e.db.QueryRowContext(ctx, query, "sqlite_autoindex_"+s.table()+"_1").Scan(&index); err != nil {
		return 0, 0, fmt.Errorf("size of %s: %w", s.table(), err)
	}
	return table, index, nil
}

func (e *sqliteEngine) roundTrips() []roundTrip {
	return commonRoundTrips(&e.sqlEngine, columns{bytes: "BLOB", uuidText: "TEXT", ulidText: "TEXT", integer: "INTEGER"})
}
