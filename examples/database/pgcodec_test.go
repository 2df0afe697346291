package database

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
)

// testCodec checks what the comments of registerIDs say that it is for. TestModes has what works without it.
func testCodec(t *testing.T, url string, pool *pgxpool.Pool) {
	ctx := t.Context()
	plain, err := pgx.Connect(ctx, url)
	must.Do(t, err)
	defer plain.Close(context.WithoutCancel(ctx))
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
	err = pool.QueryRow(ctx, "SELECT $1::text::uuid", pgx.QueryExecModeSimpleProtocol, u.String()).Scan(&gotL)
	if err != nil || gotL != u.ULID() {
		t.Errorf("UUID text read as ULID: got %v, %v, want %v", gotL, err, u.ULID())
	}
}

// TestCodecFormats encodes each type in both formats of the protocol and scans it back. It needs no server.
func TestCodecFormats(t *testing.T) {
	m := pgtype.NewMap()
	registerIDs(m)
	u := ids.NewV7()
	l := u.ULID()
	for _, format := range []int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode} {
		want := u[:]
		if format == pgtype.TextFormatCode {
			want = []byte(u.String())
		}
		for _, value := range []any{u, &u, ids.Null[ids.UUID]{ID: u, Valid: true}, l, &l, ids.Null[ids.ULID]{ID: l, Valid: true}} {
			got, err := m.Encode(pgtype.UUIDOID, format, value, nil)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%T in format %d: got %q, %v, want %q", value, format, got, err, want)
			}
			target := reflect.New(reflect.TypeOf(value))
			if err := m.Scan(pgtype.UUIDOID, format, want, target.Interface()); err != nil || !reflect.DeepEqual(target.Elem().Interface(), value) {
				t.Errorf("%T in format %d: scanned %v, %v, want %v", value, format, target.Elem(), err, value)
			}
		}
		for _, value := range []any{(*ids.UUID)(nil), ids.Null[ids.UUID]{}, (*ids.ULID)(nil), ids.Null[ids.ULID]{}} {
			if got, err := m.Encode(pgtype.UUIDOID, format, value, nil); got != nil || err != nil {
				t.Errorf("NULL as %T in format %d: got %q, %v", value, format, got, err)
			}
		}
		// Not a UUID: an error, and the target keeps its value.
		for _, bad := range []string{"", "123456789012345", "0123456789abcdef0123456789abcdeg"} {
			gotU, gotL := u, l
			if err := m.Scan(pgtype.UUIDOID, format, []byte(bad), &gotU); err == nil || gotU != u {
				t.Errorf("%q scanned in format %d: %v, %v", bad, format, gotU, err)
			}
			if err := m.Scan(pgtype.UUIDOID, format, []byte(bad), &gotL); err == nil || gotL != l {
				t.Errorf("%q scanned in format %d: %v, %v", bad, format, gotL, err)
			}
		}
	}
}
