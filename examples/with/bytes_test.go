package with

import (
	"encoding/binary"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/uuid"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// guid returns u in Microsoft's order of bytes, or the UUID of bytes in that order.
func guid(u uuid.UUID) uuid.UUID {
	slices.Reverse(u[:4])
	slices.Reverse(u[4:6])
	slices.Reverse(u[6:8])
	return u
}

// newSortedGUID returns a version 8 that a uniqueidentifier sorts by its time, to 1/4096 ms, as SqlGuid of .NET does.
func newSortedGUID() uuid.UUID {
	v7, u := uuid.NewV7(), [16]byte{}
	copy(u[10:], v7[:6])           // the milliseconds, which are compared first
	u[8], u[9] = v7[6]&0x0f, v7[7] // their fraction
	copy(u[6:], v7[8:10])
	copy(u[:6], v7[10:])
	return uuid.NewV8(u)
}

func TestGUID(t *testing.T) {
	stored, err := mssql.UniqueIdentifier(id).Value()
	must.Do(t, err)
	equal(t, uuid.UUID(stored.([]byte)), guid(id)) // go-mssqldb agrees
	equal(t, guid(guid(id)), id)
	var keys []string // in the order of comparison
	for range 10_000 {
		u := newSortedGUID()
		keys = append(keys, string(u[10:])+string(u[8:10]))
	}
	equal(t, slices.IsSorted(keys), true)
}

// newTraceID returns an id with its random bytes where samplers look: u[8], which is in part the variant, comes last.
func newTraceID(u uuid.UUID) trace.TraceID {
	return trace.TraceID(slices.Concat(u[:8], u[9:], u[8:9]))
}

// TestTraceIDs counts what the SDK samples of 10,000 ids, by one in ten: none as they are.
func TestTraceIDs(t *testing.T) {
	sampler := sdk.TraceIDRatioBased(0.1)
	for _, newID := range []func() uuid.UUID{uuid.NewV4, uuid.NewV7} {
		var n [2]int
		for range 10_000 {
			u := newID()
			for i, traceID := range []trace.TraceID{trace.TraceID(u), newTraceID(u)} {
				n[i] += int(sampler.ShouldSample(sdk.SamplingParameters{ParentContext: t.Context(), TraceID: traceID}).Decision) / int(sdk.RecordAndSample)
			}
		}
		equal(t, n[0] == 0 && n[1] > 700 && n[1] < 1300, true)
	}
	// X-Ray wants seconds in the first four bytes, and level 2 of W3C's trace context 56 random bits in the last seven.
	equal(t, binary.BigEndian.Uint32(id[:4]) < 365*24*60*60, true) // of 1970
	run := uuid.AppendV7(nil, 2)
	equal(t, binary.BigEndian.Uint64(run[1][8:])-binary.BigEndian.Uint64(run[0][8:]) <= 1<<48, true)
}

// reversed returns an id with its bits in the other order, so that Spanner spreads ids over its servers, or the id of it.
func reversed(n snowflake.ID) snowflake.ID { return snowflake.ID(bits.Reverse64(uint64(n)) >> 1) }

// strict reads no text but that which is written.
func strict(s string) bool {
	u, err := uuid.Parse(s)
	return err == nil && u.String() == s
}

// TestTexts checks patterns for OpenAPI, strict text, and names for Kubernetes.
func TestTexts(t *testing.T) {
	const ofULID, ofTypeID, name = `^[0-7][0-9A-HJKMNP-TV-Z]{25}$`, `^customer_[0-7][0-9a-hjkmnp-tv-z]{25}$`, `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	for text, fits := range map[string]string{event.String(): ofULID, typeid.From[customer](id).String(): ofTypeID, id.String(): name, strings.ToLower(event.String()): name} {
		for _, pattern := range []string{ofULID, ofTypeID, name} {
			equal(t, regexp.MustCompile(pattern).MatchString(text), fits == pattern)
		}
	}
	equal(t, strict(id.String()) && !strict(id.URN()) && !strict(strings.ToUpper(id.String())), true)
	equal(t, reversed(reversed(number)) == number && reversed(1) == 1<<62, true)
}
