package with

import (
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

var (
	cqlUUID     = gocql.NewNativeType(4, gocql.TypeUUID, "")
	cqlTimeUUID = gocql.NewNativeType(4, gocql.TypeTimeUUID, "")
	cqlBigint   = gocql.NewNativeType(4, gocql.TypeBigInt, "")
)

// gocql accepts only its own type. IDs convert to it, as do pointers for reading and for null.
func TestCassandra(t *testing.T) {
	v1 := uuid.NewV1()
	for _, c := range []struct {
		column gocql.TypeInfo
		u      uuid.UUID
	}{{cqlUUID, id}, {cqlTimeUUID, v1}} {
		id := c.u
		b, err := gocql.Marshal(c.column, gocql.UUID(id))
		must.Do(t, err)
		equal(t, b, id[:])
		var back uuid.UUID
		must.Do(t, gocql.Unmarshal(c.column, b, (*gocql.UUID)(&back)))
		equal(t, back, id)

		_, err = gocql.Marshal(c.column, id)
		refused(t, err)
		refused(t, gocql.Unmarshal(c.column, b, &back))
	}

	b, err := gocql.Marshal(cqlUUID, (*gocql.UUID)(orders[1].Refund))
	must.Do(t, err)
	equal(t, b, nil)
	absent := (*gocql.UUID)(&id)
	must.Do(t, gocql.Unmarshal(cqlUUID, nil, &absent))
	equal(t, (*uuid.UUID)(absent), nil)

	b, err = gocql.Marshal(cqlBigint, number)
	must.Do(t, err)
	var s snowflake.ID
	must.Do(t, gocql.Unmarshal(cqlBigint, b, &s))
	equal(t, s, number)
}

// The driver computes the bounds of a time, because it knows how Cassandra sorts the bytes after
// the time. The bounds have exactly the time of an ID made at that time.
func TestCassandraBounds(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	u, err := uuid.NewV1At(at)
	must.Do(t, err)
	for _, bound := range []gocql.UUID{gocql.MinTimeUUID(at), gocql.MaxTimeUUID(at)} {
		equal(t, bound[:8], u[:8]) // version and time
	}
}
