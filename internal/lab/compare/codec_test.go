package compare

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"testing"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

// five is a struct with five ids, as an API may send it.
type five[T any] struct {
	ID       T `json:"id"`
	Parent   T `json:"parent"`
	Owner    T `json:"owner"`
	Account  T `json:"account"`
	Revision T `json:"revision"`
}

// BenchmarkMarshalJSON writes a struct with five ids as JSON.
func BenchmarkMarshalJSON(b *testing.B) {
	runGroups(b, "MarshalJSON", []group{
		{"UUID", []entry{marshal("ids", sampleUUID), marshal("google", sampleGoogle), marshal("gofrs", sampleGofrs)}},
		{"ULID", []entry{marshal("ids", sampleULID), marshal("oklog", sampleOklog), marshal("xid", sampleXID), marshal("ksuid", sampleKSUID)}},
		{"Snowflake", []entry{marshal("ids", sampleSnowflake), marshal("bwmarrin", sampleBwmarrin)}},
	})
}

func marshal[T any](library string, id T) entry {
	return entry{library, func(b *testing.B) {
		v := &five[T]{id, id, id, id, id}
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	}}
}

// BenchmarkUnmarshalJSON reads a struct with five ids from JSON.
func BenchmarkUnmarshalJSON(b *testing.B) {
	runGroups(b, "UnmarshalJSON", []group{
		{"UUID", []entry{unmarshal("ids", sampleUUID), unmarshal("google", sampleGoogle), unmarshal("gofrs", sampleGofrs)}},
		{"ULID", []entry{unmarshal("ids", sampleULID), unmarshal("oklog", sampleOklog), unmarshal("xid", sampleXID), unmarshal("ksuid", sampleKSUID)}},
		{"Snowflake", []entry{unmarshal("ids", sampleSnowflake), unmarshal("bwmarrin", sampleBwmarrin)}},
	})
}

func unmarshal[T comparable](library string, id T) entry {
	return entry{library, func(b *testing.B) {
		data := must(json.Marshal(&five[T]{id, id, id, id, id}))
		var v five[T]
		for b.Loop() {
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
		if v.Revision != id {
			b.Fatalf("got %v, want %v", v.Revision, id)
		}
	}}
}

// BenchmarkScan reads one id from a row of database/sql.
func BenchmarkScan(b *testing.B) {
	uuidText, ulidText := []byte(sampleUUIDText), []byte(sampleULIDText)
	runGroups(b, "Scan", []group{
		{"UUIDText", []entry{
			scan[ids.UUID]("ids", uuidText), scan[google.UUID]("google", uuidText), scan[gofrs.UUID]("gofrs", uuidText),
		}},
		{"UUIDBytes", []entry{
			scan[ids.UUID]("ids", sampleUUID[:]), scan[google.UUID]("google", sampleUUID[:]), scan[gofrs.UUID]("gofrs", sampleUUID[:]),
		}},
		{"ULIDText", []entry{
			scan[ids.ULID]("ids", ulidText), scan[oklog.ULID]("oklog", ulidText),
			scan[xid.ID]("xid", []byte(sampleXIDText)), scan[ksuid.KSUID]("ksuid", []byte(sampleKSUIDText)),
		}},
		{"Snowflake", []entry{
			scan[ids.Snowflake]("ids", int64(sampleSnowflake)), scan[bwmarrin.ID]("bwmarrin", int64(sampleSnowflake)),
		}},
	})
}

func scan[T comparable](library string, value driver.Value) entry {
	return entry{library, func(b *testing.B) {
		db := sql.OpenDB(constant{value})
		defer db.Close()
		rows, err := db.Query("")
		if err != nil {
			b.Fatal(err)
		}
		defer rows.Close()
		var id, zero T
		for b.Loop() {
			if !rows.Next() {
				b.Fatal(rows.Err())
			}
			if err := rows.Scan(&id); err != nil {
				b.Fatal(err)
			}
		}
		if id == zero {
			b.Fatal("the id is zero")
		}
	}}
}

// constant is a database whose only query gives rows without end, each of one column with the
// value.
type constant struct{ value driver.Value }

func (c constant) Connect(context.Context) (driver.Conn, error) { return c, nil }
func (c constant) Driver() driver.Driver                        { return nil }
func (c constant) Prepare(string) (driver.Stmt, error)          { return c, nil }
func (c constant) Begin() (driver.Tx, error)                    { return nil, driver.ErrSkip }
func (c constant) Close() error                                 { return nil }
func (c constant) NumInput() int                                { return 0 }
func (c constant) Exec([]driver.Value) (driver.Result, error)   { return nil, driver.ErrSkip }
func (c constant) Query([]driver.Value) (driver.Rows, error)    { return c, nil }
func (c constant) Columns() []string                            { return []string{"id"} }

// Next sets the columns of the next row.
func (c constant) Next(row []driver.Value) error {
	row[0] = c.value
	return nil
}
