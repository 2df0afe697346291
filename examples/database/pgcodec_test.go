package database

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oneclock/ids"
)

// testCodec checks what the comments of registerULIDs say that it is for. TestModes has what works without it.
func testCodec(t *testing.T, url string, pool *pgxpool.Pool) {
	ctx := t.Context()
	plain := connect(t, url, pgx.QueryExecModeCacheStatement)
	u, l := ids.NewV7(), ids.NewULID()

	var gotU ids.UUID
	var gotL ids.ULID
	if err := plain.QueryRow(ctx, "SELECT $1::uuid", l).Scan(&gotL); err == nil {
		t.Errorf("ULID as uuid without the codec: got %v and no error: the codec is not needed any more", gotL)
	}

	// With it the values travel in the binary format, and either type reads what the other wrote.
	if err := pool.QueryRow(ctx, "SELECT $1::uuid", l).Scan(&gotU); err != nil || gotU != l.UUID() {
		t.Errorf("ULID read as UUID: got %v, %v, want %v", gotU, err, l.UUID())
	}
	if err := pool.QueryRow(ctx, "SELECT $1::uuid", u).Scan(&gotL); err != nil || gotL != u.ULID() {
		t.Errorf("UUID read as ULID: got %v, %v, want %v", gotL, err, u.ULID())
	}
	for _, target := range []any{new(ids.UUID), new(ids.ULID)} {
		err := pool.QueryRow(ctx, "SELECT NULL::uuid").Scan(target)
		if err == nil || !strings.Contains(err.Error(), "into a Null or a pointer") {
			t.Errorf("NULL into %T: error %v, want one that names Null and a pointer", target, err)
		}
	}
	// A query in the text format, as the simple protocol makes it.
	err := pool.QueryRow(ctx, "SELECT $1::text::uuid", pgx.QueryExecModeSimpleProtocol, u.String()).Scan(&gotL)
	if err != nil || gotL != u.ULID() {
		t.Errorf("UUID text read as ULID: got %v, %v, want %v", gotL, err, u.ULID())
	}
}
