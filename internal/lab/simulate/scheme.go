package main

import (
	"time"

	"github.com/oneclock/ids"
)

// A key is an id as a number of 128 bits. A Snowflake fills lo only.
type key struct{ hi, lo uint64 }

// less reports whether a sorts before b.
func (a key) less(b key) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// A kind is one of the ways in which ids are made of time.
type kind uint8

const (
	v1 kind = iota
	v6
	v7
	ulid
	monotonic // ULIDs of which each in a tick is the one before plus 1
	snowflake
)

// A scheme says how the ids of one stream hold the time. Times are in nanoseconds since 1970.
type scheme struct {
	name   string
	kind   kind
	layout ids.SnowflakeLayout // of a Snowflake
}

// ordered reports whether ids of the scheme are promised to ascend.
func (s *scheme) ordered() bool { return s.kind != v1 }

// sequenced reports whether ids of the scheme hold a clock sequence.
func (s *scheme) sequenced() bool { return s.kind == v1 || s.kind == v6 }

// limited reports whether After and a limit bind ids of the scheme.
func (s *scheme) limited() bool { return s.sequenced() || s.kind == snowflake }

// uuidSchemes are the schemes other than Snowflake.
func uuidSchemes() []scheme {
	return []scheme{
		{name: "V1", kind: v1}, {name: "V6", kind: v6}, {name: "V7", kind: v7}, {name: "ULID", kind: ulid}, {name: "ULID monotonic", kind: monotonic},
	}
}

// gregorianEpoch is 1970 in ticks of 100 ns since 1582-10-15.
const gregorianEpoch = 122_192_928_000_000_000

// time returns the time in x: the first nanosecond of its tick.
func (s *scheme) time(x key) int64 {
	switch s.kind {
	case v1:
		return (int64(x.hi>>32|x.hi>>16&0xffff<<32|x.hi&0xfff<<48) - gregorianEpoch) * 100
	case v6:
		return (int64(x.hi>>16<<12|x.hi&0xfff) - gregorianEpoch) * 100
	case v7:
		return int64(x.hi>>16*1e6 + (x.hi&0xfff*1e6+0xfff)>>12)
	case snowflake:
		return s.layout.Epoch.UnixNano() + int64(x.lo>>(s.layout.NodeBits+s.layout.SequenceBits))*int64(s.layout.Tick)
	}
	return int64(x.hi >> 16 * 1e6)
}

// length returns the length of a tick, in ns, rounded up.
func (s *scheme) length() int64 {
	switch s.kind {
	case v1, v6:
		return 100
	case v7:
		return 245
	case snowflake:
		return int64(s.layout.Tick)
	}
	return 1e6
}

// clock returns a reading in words.
func clock(ns int64) string { return toTime(ns).Format("2006-01-02T15:04:05.000000000") }

// span returns a number of nanoseconds in words.
func span(ns int64) string { return time.Duration(ns).String() }
