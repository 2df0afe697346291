package with

import (
	"bytes"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

var (
	cqlUUID     = gocql.NewNativeType(4, gocql.TypeUUID, "")
	cqlTimeUUID = gocql.NewNativeType(4, gocql.TypeTimeUUID, "")
	cqlBigint   = gocql.NewNativeType(4, gocql.TypeBigInt, "")
)

// gocql takes its own type alone, to which ids convert, as do pointers for reading and for null.
func TestCassandra(t *testing.T) {
	v1 := uuid.NewV1()
	for _, c := range []struct {
		column gocql.TypeInfo
		u      uuid.UUID
	}{{cqlUUID, id}, {cqlTimeUUID, v1}} {
		b, err := gocql.Marshal(c.column, gocql.UUID(c.u))
		must(t, err)
		equal(t, b, c.u[:])
		var back uuid.UUID
		must(t, gocql.Unmarshal(c.column, b, (*gocql.UUID)(&back)))
		equal(t, back, c.u)

		_, err = gocql.Marshal(c.column, c.u)
		refused(t, err)
		refused(t, gocql.Unmarshal(c.column, b, &back))
	}

	b, err := gocql.Marshal(cqlUUID, (*gocql.UUID)(orders[1].Refund))
	must(t, err)
	equal(t, b, nil)
	absent := (*gocql.UUID)(&id)
	must(t, gocql.Unmarshal(cqlUUID, nil, &absent))
	equal(t, (*uuid.UUID)(absent), nil)

	b, err = gocql.Marshal(cqlBigint, number)
	must(t, err)
	var s snowflake.ID
	must(t, gocql.Unmarshal(cqlBigint, b, &s))
	equal(t, s, number)
}

// compareTimeUUID compares as a column of type timeuuid sorts: by time, then the other bytes as
// signed numbers.
func compareTimeUUID(u, v uuid.UUID) int {
	a, _ := u.Time()
	b, _ := v.Time()
	if c := a.Compare(b); c != 0 {
		return c
	}
	for i := 8; i < 16; i++ {
		if u[i] != v[i] {
			return int(int8(u[i])) - int(int8(v[i]))
		}
	}
	return 0
}

// The bounds of a time are the driver's, which know how Cassandra sorts the bytes after it.
func TestCassandraTimeUUIDRange(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	low, high := uuid.UUID(gocql.MinTimeUUID(at)), uuid.UUID(gocql.MaxTimeUUID(at))
	for range 10_000 { // each has other bits after its time
		u, err := uuid.NewV1At(at)
		must(t, err)
		if compareTimeUUID(low, u) > 0 || compareTimeUUID(u, high) > 0 {
			t.Fatalf("%v is not within %v to %v", u, low, high)
		}
	}
	before, err := uuid.NewV1At(at.Add(-100 * time.Nanosecond))
	must(t, err)
	equal(t, compareTimeUUID(before, low) < 0, true)
}

// A column of type uuid sorts ids of one version by their bytes, except version 1. So version 7
// has its usual bounds there, and version 6 its own.
func TestCassandraUUIDRange(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	low, high := uuid.MinV6At(at), uuid.MaxV6At(at)
	for range 10_000 {
		u, err := uuid.NewV6At(at)
		must(t, err)
		if bytes.Compare(low[:], u[:]) > 0 || bytes.Compare(u[:], high[:]) > 0 {
			t.Fatalf("%v is not within %v to %v", u, low, high)
		}
	}
	before, err := uuid.NewV6At(at.Add(-100 * time.Nanosecond))
	must(t, err)
	equal(t, before.Compare(low), -1)
}
