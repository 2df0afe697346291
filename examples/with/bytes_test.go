package with

import (
	"encoding/binary"
	"math"
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

// guid converts u to Microsoft's byte order, or back.
func guid(u uuid.UUID) uuid.UUID {
	slices.Reverse(u[:4])
	slices.Reverse(u[4:6])
	slices.Reverse(u[6:8])
	return u
}

// newSortedGUID returns a version 8 UUID that a uniqueidentifier column sorts by its time, to
// 1/4096 ms, like .NET's SqlGuid.
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

// newTraceID returns an ID in a byte order for samplers: each half begins with three random bytes.
func newTraceID(u uuid.UUID) trace.TraceID {
	return trace.TraceID(slices.Concat(u[10:13], u[:5], u[13:], u[5:10]))
}

// ofTraceID returns the ID of a trace ID.
func ofTraceID(t trace.TraceID) uuid.UUID {
	return uuid.UUID(slices.Concat(t[3:8], t[11:], t[:3], t[8:11]))
}

// TestTraceIDs counts how many of 10,000 IDs samplers select at a rate of one in ten. Go's sampler
// is the SDK's. The others work like the sources of Java's and .NET's samplers, which use the
// second and the first half, and like level 2 of W3C's trace context, which uses the last seven
// bytes.
func TestTraceIDs(t *testing.T) {
	ratio := sdk.TraceIDRatioBased(0.1)
	lower := func(half []byte) bool {
		n := int64(binary.BigEndian.Uint64(half))
		return max(n, -n) < math.MaxInt64/10
	}
	samplers := map[string]func(trace.TraceID) bool{
		"Go": func(id trace.TraceID) bool {
			return ratio.ShouldSample(sdk.SamplingParameters{ParentContext: t.Context(), TraceID: id}).Decision == sdk.RecordAndSample
		},
		"Java":             func(id trace.TraceID) bool { return lower(id[8:]) },
		".NET":             func(id trace.TraceID) bool { return lower(id[:8]) },
		"last seven bytes": func(id trace.TraceID) bool { return binary.BigEndian.Uint64(id[8:])<<8 >= math.MaxUint64/10*9 },
	}
	for version, all := range map[int][]uuid.UUID{4: uuid.AppendV4(nil, 10_000), 7: uuid.AppendV7(nil, 10_000)} {
		for name, takes := range samplers {
			var plain, mended int
			for _, u := range all {
				if takes(trace.TraceID(u)) {
					plain++
				}
				if takes(newTraceID(u)) {
					mended++
				}
			}
			if mended < 700 || mended > 1300 {
				t.Errorf("%s takes %d of version %d", name, mended, version)
			}
			if name == "Go" && plain > 0 || name == ".NET" && version == 7 && plain < 10_000 {
				t.Errorf("%s takes %d of version %d as they are, and not none or all", name, plain, version)
			}
		}
	}
	equal(t, ofTraceID(newTraceID(id)), id)
	// X-Ray requires seconds in the first four bytes, and level 2 of W3C's trace context requires
	// 56 random bits in the last seven.
	equal(t, binary.BigEndian.Uint32(id[:4]) < 365*24*60*60, true) // a time in 1970
	run := uuid.AppendV7(nil, 2)
	equal(t, binary.BigEndian.Uint64(run[1][8:])-binary.BigEndian.Uint64(run[0][8:]) <= 1<<48, true)
}

// reversed returns an ID with its bits reversed, so that Spanner spreads IDs over its servers. It
// also converts such an ID back.
func reversed(n snowflake.ID) snowflake.ID { return snowflake.ID(bits.Reverse64(uint64(n)) >> 1) }

// strict accepts only the text that String returns.
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
