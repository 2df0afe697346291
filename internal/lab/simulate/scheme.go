package main

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/oneclock/ids"
)

// A key is an id as a number of 128 bits. A Snowflake fills lo only.
type key struct{ hi, lo uint64 }

// less reports whether a sorts before b.
func (a key) less(b key) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// A set holds ids that must all differ.
type set map[key]struct{}

// add adds x and reports whether it is new.
func (s set) add(x key) bool {
	n := len(s)
	s[x] = struct{}{}
	return len(s) > n
}

// A kind is one of the five ways in which ids are made of time.
type kind uint8

const (
	v1 kind = iota
	v6
	v7
	ulid
	snowflake
)

// Two readings that no int64 of nanoseconds can name, and no format either.
const (
	future = math.MaxInt64 // the year 30000
	past   = math.MinInt64 // the year 1
)

// A scheme says how the ids of one stream hold the time. Times are in nanoseconds since 1970.
type scheme struct {
	name      string
	kind      kind
	monotonic bool                // a ULID is the one before plus 1
	given     ids.SnowflakeLayout // of a Snowflake: the layout, or the zero one
	layout    ids.SnowflakeLayout // what given means
	lane      int                 // the stream of which it is one, since their layouts pack alike
	epoch     int64               // of a Snowflake
	end       int64               // the last tick
}

// ordered reports whether ids of the scheme are promised to ascend.
func (s *scheme) ordered() bool { return s.kind != v1 }

// sequenced reports whether ids of the scheme hold a clock sequence.
func (s *scheme) sequenced() bool { return s.kind == v1 || s.kind == v6 }

// limited reports whether After and a limit bind ids of the scheme.
func (s *scheme) limited() bool { return s.kind != v7 && s.kind != ulid }

// uuidSchemes are the schemes other than Snowflake.
func uuidSchemes() []scheme {
	return []scheme{
		{name: "V1", kind: v1, end: 1<<60 - 1, lane: 0},
		{name: "V6", kind: v6, end: 1<<60 - 1, lane: 1},
		{name: "V7", kind: v7, end: 1<<60 - 1, lane: 2},
		{name: "ULID", kind: ulid, end: 1<<48 - 1, lane: 3},
		{name: "ULID monotonic", kind: ulid, end: 1<<48 - 1, lane: 4, monotonic: true},
	}
}

// snowflakeScheme returns the scheme of a layout. Its ids are of stream lane.
func snowflakeScheme(name string, l ids.SnowflakeLayout, lane int) scheme {
	given := l
	if l == (ids.SnowflakeLayout{}) {
		l = ids.TwitterLayout()
	}
	return scheme{
		name: name + " Snowflake", kind: snowflake, given: given, layout: l, lane: lane,
		epoch: l.Epoch.UnixNano(), end: math.MaxInt64 >> (l.NodeBits + l.SequenceBits),
	}
}

// gregorianEpoch is 1970 in ticks of 100 ns since 1582-10-15.
const gregorianEpoch = 122_192_928_000_000_000

// start returns the first nanosecond of a tick, or future or past if an int64 cannot name it.
func (s *scheme) start(tick int64) int64 {
	unit, rest := int64(1e6), int64(0)
	switch s.kind {
	case v1, v6:
		unit, tick = 100, tick-gregorianEpoch
	case v7:
		tick, rest = tick>>12, (tick&0xfff*1e6+0xfff)>>12
	case snowflake:
		hi, span := bits.Mul64(uint64(tick), uint64(s.layout.Tick))
		if hi != 0 || span > uint64(math.MaxInt64-s.epoch) {
			return future
		}
		return s.epoch + int64(span)
	}
	switch {
	case tick > (math.MaxInt64-rest)/unit:
		return future
	case tick < math.MinInt64/unit:
		return past
	}
	return tick*unit + rest
}

// length returns the length of a tick, in ns, rounded up.
func (s *scheme) length() int64 {
	switch s.kind {
	case v1, v6:
		return 100
	case v7:
		return 245
	case ulid:
		return 1e6
	}
	return int64(s.layout.Tick)
}

// fields returns the tick of x and its node.
func (s *scheme) fields(x key) (tick int64, node uint64) {
	switch s.kind {
	case v1:
		tick = int64(x.hi>>32 | x.hi>>16&0xffff<<32 | x.hi&0xfff<<48)
	case v6, v7:
		tick = int64(x.hi>>16<<12 | x.hi&0xfff)
	case ulid:
		tick = int64(x.hi >> 16)
	case snowflake:
		l := s.layout
		node = x.lo >> l.SequenceBits & (1<<l.NodeBits - 1)
		if l.NodeLast {
			node = x.lo & (1<<l.NodeBits - 1)
		}
		return int64(x.lo >> (l.NodeBits + l.SequenceBits)), node
	}
	if s.sequenced() {
		node = x.lo & (1<<48 - 1)
	}
	return tick, node
}

// marked reports whether x has the version and variant of its scheme.
func (s *scheme) marked(x key) bool {
	switch s.kind {
	case v1:
		return x.hi>>12&0xf == 1 && x.lo>>62 == 2
	case v6:
		return x.hi>>12&0xf == 6 && x.lo>>62 == 2
	case v7:
		return x.hi>>12&0xf == 7 && x.lo>>62 == 2
	}
	return true
}

// text returns x as people write it.
func (s *scheme) text(x key) string {
	switch s.kind {
	case snowflake:
		return strconv.FormatUint(x.lo, 10)
	case ulid:
		return ids.ULID(x.bytes()).String()
	}
	return ids.UUID(x.bytes()).String()
}

// sub returns a - b, or the nearest number that an int64 can hold.
func sub(a, b int64) int64 {
	d := a - b
	if (a >= b) != (d >= 0) {
		if a >= b {
			return math.MaxInt64
		}
		return math.MinInt64
	}
	return d
}

// add returns a + b, or the nearest number that an int64 can hold.
func add(a, b int64) int64 {
	s := a + b
	if (b >= 0) != (s >= a) {
		if b >= 0 {
			return math.MaxInt64
		}
		return math.MinInt64
	}
	return s
}

// times returns n times unit, or the greatest number.
func times(n, unit int64) int64 {
	if n > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return n * unit
}

// clock returns a reading in words.
func clock(ns int64) string {
	switch ns {
	case future:
		return "the year 30000"
	case past:
		return "the year 1"
	}
	return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000")
}

// span returns a number of nanoseconds in words.
func span(ns int64) string {
	if d := time.Duration(ns); d.Abs() >= 48*time.Hour {
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	}
	return time.Duration(ns).String()
}
