package ids_test

// Layouts, compared with an oracle, and published Snowflakes.

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestLayouts checks the fields of the four layouts and the ends that the documentation states.
func TestLayouts(t *testing.T) {
	for l, c := range map[ids.SnowflakeLayout]struct {
		epoch, last    string
		tick           time.Duration
		node, sequence int
		nodeLast       bool
	}{
		ids.TwitterLayout():   {"2010-11-04T01:42:54.657Z", "2080-07-10T17:30:30.208Z", time.Millisecond, 10, 12, false},
		ids.DiscordLayout():   {"2015-01-01T00:00:00Z", "2084-09-06T15:47:35.551Z", time.Millisecond, 10, 12, false},
		ids.InstagramLayout(): {"2011-08-24T21:07:01.721Z", "2046-06-27T17:00:49.496Z", time.Millisecond, 13, 10, false},
		ids.SonyflakeLayout(): {"2014-09-01T00:00:00Z", "2188-11-16T03:28:58.87Z", 10 * time.Millisecond, 16, 8, true},
	} {
		if l.Epoch.Format(time.RFC3339Nano) != c.epoch || l.Tick != c.tick || l.NodeBits != c.node || l.SequenceBits != c.sequence || l.NodeLast != c.nodeLast {
			t.Errorf("%+v, want %+v", l, c)
		}
		if got := l.Last().Format(time.RFC3339Nano); got != c.last {
			t.Errorf("the last tick of %+v is of %s, want %s", l, got, c.last)
		}
	}
	// One bit of time, 32 bits of time, and the limit of 2^39 s from 1970.
	for l, want := range map[ids.SnowflakeLayout]string{
		{Epoch: start, Tick: time.Hour, NodeBits: 31, SequenceBits: 31}: "2026-03-14T16:09:26Z", {}: "2080-07-10T17:30:30.208Z",
		{Epoch: start, Tick: time.Second, NodeBits: 10, SequenceBits: 21}: "2162-04-20T21:37:41Z", {Epoch: time.Unix(0, 0), Tick: time.Hour}: "19391-01-25T11:00:00Z",
	} {
		if got := l.Last().Format(time.RFC3339Nano); got != want {
			t.Errorf("the last tick of %+v is of %s, want %s", l, got, want)
		}
	}
	// From the last epoch to the first time, and in the opposite case, no number of ticks wraps.
	for epoch, want := range map[int64]ids.Snowflake{farthest: 0, -farthest: 9223372036850581504} {
		l := ids.SnowflakeLayout{Epoch: time.Unix(epoch, 0), Tick: 100, NodeBits: 10, SequenceBits: 12}
		if got := l.MinAt(time.Unix(-epoch, 0)); got != want {
			t.Errorf("from the epoch %v, MinAt of %v is %d, want %d", l.Epoch, time.Unix(-epoch, 0), got, want)
		}
	}
}

// A slowLayout is a layout's oracle.
type slowLayout struct{ ids.SnowflakeLayout }

// time returns the start of a tick, or a time far away if it cannot be computed.
func (l slowLayout) time(tick int64) time.Time {
	n := new(big.Int).Mul(big.NewInt(tick), big.NewInt(int64(l.Tick)))
	if n.Add(n, nanoseconds(l.Epoch)); n.BitLen() > 90 {
		return time.Unix(1<<60, 0)
	}
	return instant(n)
}

// last returns the last tick. Of 63 bits of time, only 62 are used.
func (l slowLayout) last() *big.Int {
	bits := min(63-l.NodeBits-l.SequenceBits, 62)
	return big.NewInt(1<<bits - 1)
}

func (l slowLayout) pack(tick *big.Int, node, sequence int64) ids.Snowflake {
	upper, lower, bits := node, sequence, l.SequenceBits
	if l.NodeLast {
		upper, lower, bits = sequence, node, l.NodeBits
	}
	n := new(big.Int).Lsh(tick, uint(l.NodeBits+l.SequenceBits))
	n.Or(n, new(big.Int).Lsh(big.NewInt(upper), uint(bits)))
	return ids.Snowflake(n.Or(n, big.NewInt(lower)).Int64())
}

func checkRangeError(t *testing.T, what string, err error, message string) {
	t.Helper()
	if !errors.Is(err, ids.ErrRange) || !strings.Contains(err.Error(), message) || !strings.HasPrefix(err.Error(), "ids: ") {
		t.Fatalf("%s: error %v, want ErrRange with %q", what, err, message)
	}
}

// badLayouts contains layouts that cannot hold an ID.
var badLayouts = []struct {
	layout  ids.SnowflakeLayout
	message string
}{
	{ids.SnowflakeLayout{NodeBits: 10, SequenceBits: 12}, "Tick 0s is not positive"},
	{ids.SnowflakeLayout{Tick: -time.Millisecond, NodeBits: 10, SequenceBits: 12}, "Tick -1ms is not positive"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 31, SequenceBits: 32}, "31 node bits and 32 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 63}, "63 node bits and 0 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, SequenceBits: 63}, "0 node bits and 63 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: -1, SequenceBits: 12}, "negative number of bits: -1 of node, 12 of sequence"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 12, SequenceBits: -1}, "negative number of bits: 12 of node, -1 of sequence"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 1<<31 - 1, SequenceBits: 1<<31 - 1}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: math.MaxInt, SequenceBits: math.MaxInt}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: math.MaxInt, SequenceBits: 62}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 62, SequenceBits: math.MaxInt}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: -1 << 31, SequenceBits: 1<<31 - 1}, "negative number of bits: -2147483648 of node, 2147483647 of sequence"},
}

// TestLayoutMessages checks the error messages for layouts that cannot hold an ID and for parts
// that do not fit.
func TestLayoutMessages(t *testing.T) {
	for _, c := range badLayouts {
		c.layout.Epoch = time.Unix(0, 0)
		what := fmt.Sprintf("%+v", c.layout)
		checkRangeError(t, "Validate of "+what, c.layout.Validate(), c.message)
		checkPanic(t, "Last of "+what, c.message, func() { c.layout.Last() })
		checkRangeError(t, "Compose of "+what, failing(c.layout.Compose(ids.SnowflakeParts{})), c.message)
	}
	checkRangeError(t, "Validate without an epoch", ids.SnowflakeLayout{Tick: time.Second}.Validate(), "SnowflakeLayout.Epoch is not set")
	checkRangeError(t, "NewSnowflakeNode", failing(ids.NewSnowflakeNode(-1<<63, nil)), "node -9223372036854775808 is not within 0 to 1023")
	first, last := ids.TwitterLayout().Epoch, ids.TwitterLayout().Last()
	for want, parts := range map[string]ids.SnowflakeParts{
		"node 1024 is not within 0 to 1023": {Time: start, Node: 1024}, "sequence -1 is not within 0 to 4095": {Time: start, Sequence: -1},
		"time 2010-11-04T01:42:54.656999999Z is before the first tick of the SnowflakeLayout, 2010-11-04T01:42:54.657Z": {Time: first.Add(-1)},
		"time 2080-07-10T17:30:30.209Z is after the last tick of the SnowflakeLayout, 2080-07-10T17:30:30.208Z":         {Time: last.Add(time.Millisecond)},
	} {
		_, err := ids.TwitterLayout().Compose(parts)
		checkRangeError(t, "Compose", err, want)
	}
}

// checkLayout splits a Snowflake, composes a time, a node and a sequence, and mints in the layout
// at that time, and compares the results with the oracle.
func checkLayout(t *testing.T, l slowLayout, id int64, at time.Time, node, sequence int64) {
	t.Helper()
	parts := ids.SnowflakeParts{Time: at, Node: node, Sequence: sequence}
	if !l.valid() {
		if (l.SnowflakeLayout != ids.SnowflakeLayout{Epoch: l.Epoch} || !l.Epoch.IsZero()) {
			refusesLayout(t, l.SnowflakeLayout, parts)
		}
		return
	}
	if got := l.Split(ids.Snowflake(id)); !l.splits(ids.Snowflake(id), got) {
		t.Fatalf("%+v: Split(%d) = %+v", l.SnowflakeLayout, id, got)
	}

	asked := l.tick(at)
	low, high := l.MinAt(at), l.MaxAt(at)
	near := l.tick(l.Split(low).Time)
	if toward := asked.Cmp(near); low != l.pack(near, 0, 0) || high != l.pack(near, 1<<l.NodeBits-1, 1<<l.SequenceBits-1) ||
		toward != 0 && !l.ends(near, toward) {
		t.Fatalf("%+v: bounds %d and %d of %v, in tick %v", l.SnowflakeLayout, low, high, at, asked)
	}
	if got := l.Last(); !l.ends(l.tick(got), 1) || got.Location() != time.UTC || !got.Equal(l.time(l.tick(got).Int64())) {
		t.Fatalf("%+v: the last tick is of %v", l.SnowflakeLayout, got)
	}

	must, may := l.holds(asked)
	fits := node >= 0 && node < 1<<l.NodeBits
	got, err := l.Compose(parts)
	wrong := ""
	switch fits := fits && sequence >= 0 && sequence < 1<<l.SequenceBits; {
	case err == nil && !fits:
		wrong = "a node or a sequence that does not fit is accepted"
	case err == nil && !may:
		wrong = "a time out of range is accepted"
	case err == nil && got != l.pack(asked, node, sequence):
		wrong = "another id"
	case err == nil && (got < low || got > high):
		wrong = "an id out of its bounds"
	case err != nil && must && fits:
		wrong = "parts that fit are refused"
	case err != nil && !errors.Is(err, ids.ErrRange):
		wrong = "the error does not match ErrRange"
	case err != nil && got != 0:
		wrong = "an id beside the error"
	}
	if wrong != "" {
		t.Fatalf("%+v: Compose(%+v) = %d, %v: %s", l.SnowflakeLayout, parts, got, err, wrong)
	}

	n, err := ids.NewSnowflakeNode(node, &ids.SnowflakeOptions{Layout: l.SnowflakeLayout, Clock: stopped(at)})
	switch {
	case err == nil && !(may && fits):
		wrong = "is accepted"
	case err != nil && must && fits:
		wrong = "is refused"
	case err != nil && !errors.Is(err, ids.ErrRange):
		wrong = "has an error that does not match ErrRange"
	case err != nil && n != nil:
		wrong = "is there beside the error"
	}
	if wrong != "" {
		t.Fatalf("%+v: node %d at %v %s: %v", l.SnowflakeLayout, node, at, wrong, err)
	}
	if err == nil {
		if got, err := n.TryNext(); got != l.pack(asked, node, 0) || err != nil {
			t.Fatalf("%+v: the first id of node %d at %v is %d, %v", l.SnowflakeLayout, node, at, got, err)
		}
	}
}

// FuzzLayout splits Snowflakes of any layout, composes any parts, and mints in the layout at any
// time. It compares the results with math/big.
func FuzzLayout(f *testing.F) {
	const id, hour = 1541815603606036480, 3600e9
	year1 := time.Time{}.Unix()
	for _, s := range []struct {
		epoch                  int64
		epochNano              uint32
		tick                   int64
		nodeBits, sequenceBits int
		nodeLast               bool
		id, sec                int64
		nano                   uint32
		node, sequence         int64
	}{
		{1288834974, 657e6, 1e6, 10, 12, false, id, 1656432460, 105e6, 378, 0},    // Twitter's layout
		{1409529600, 0, 1e7, 16, 8, true, 1 << 40, 1656432460, 105e6, 65535, 255}, // Sonyflake's
		{year1, 0, 0, 0, 0, false, id, 1656432460, 105e6, 378, 0},                 // the zero value
		// A forgotten epoch, and the times just before and after it.
		{year1, 0, 1e6, 10, 12, false, id, 1656432460, 105e6, 378, 0},
		{year1, 1, 1e6, 10, 12, false, id, year1, 105e6, 378, 0},
		{year1 - 1, 999_999_999, hour, 10, 12, false, id, 1656432460, 105e6, 378, 0},
		// An ID, a time, a node or a sequence that is the last of Twitter's layout, or too large
		// for it.
		{1288834974, 657e6, 1e6, 10, 12, false, -1, 1656432460, 105e6, 378, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, 0, 105e6, 378, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, 3487857984, 208e6, 378, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, math.MinInt64, 105e6, 378, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, math.MaxInt64, 999_999_999, 378, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, 1656432460, 105e6, -1, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, 1656432460, 105e6, 1024, 0},
		{1288834974, 657e6, 1e6, 10, 12, false, id, 1656432460, 105e6, 378, 4096},
		// Impossible layouts.
		{1288834974, 657e6, -1, 10, 12, false, id, 1656432460, 105e6, 378, 0},
		{1288834974, 657e6, 1e6, -1, 12, false, id, 1656432460, 105e6, 378, 0},
		{1288834974, 657e6, 1e6, 31, 32, false, id, 1656432460, 105e6, 378, 0},
		{1288834974, 657e6, 1e6, math.MaxInt32, math.MaxInt32, false, id, 1656432460, 105e6, 378, 0},
		{farthest + 1, 0, 1e9, 10, 12, false, id, 1656432460, 105e6, 378, 0},
		// Ticks shorter than 100 ns that divide a second. In 63 bits, the ticks of 2^39 s overflow.
		{0, 0, 50, 5, 6, false, id, 1656432460, 105e6, 31, 63}, {1000, 500, 50, 0, 0, false, id, 1656432460, 105e6, 0, 0},
		{-(1<<37 - 1), 0, 64, 0, 0, false, math.MaxInt64, 1656432460, 105e6, 0, 0},
		// Ticks of 7 ns, which do not divide a second, of 1 ns, and of 292 years.
		{1000, 999_999_999, 7, 5, 6, false, 123456789, 1001, 105e6, 31, 63},
		{0, 0, 1, 0, 0, false, math.MaxInt64, 4611686018, 427387903, 0, 0},
		{0, 0, math.MaxInt64, 0, 0, false, math.MaxInt64, 1656432460, 105e6, 0, 0},
		// 2^64 ns, which the nanoseconds alone exceed
		{0, 0, 7, 0, 0, false, id, 18_446_744_073, 800e6, 0, 0},
		{0, 0, 1 << 62, 0, 0, false, 4e9 - 1, 0, 0, 0, 0}, {0, 0, 1 << 62, 0, 0, false, 4e9, 0, 0, 0, 0},
		{0, 0, 1 << 62, 0, 0, false, 35e7, 0, 0, 0, 0},
		// All bits but one for the node, and for the sequence.
		{0, 0, hour, 62, 0, false, 1<<62 + 5, 7199, 105e6, 1<<62 - 1, 0},
		{0, 0, hour, 0, 62, false, id, 3600, 105e6, 0, 1<<62 - 1},
		// Times around the zero time, and times as far as possible from 1970 and from the epoch.
		{year1 - 1000, 0, 1e9, 10, 12, false, id, year1, 105e6, 378, 0},
		{year1 - 1000, 0, 1e9, 10, 12, false, id, year1 + 1, 105e6, 378, 0},
		{0, 0, 1e9, 10, 12, false, id, farthest, 105e6, 378, 0},
		{0, 0, 1e9, 10, 12, false, id, farthest + 1, 105e6, 378, 0},
		{farthest, 0, 1e9, 10, 12, false, id, farthest, 105e6, 378, 0},
		{-farthest, 0, hour, 10, 12, false, id, 0, 105e6, 378, 0},
		{farthest - 10, 0, 1, 0, 0, false, id, 1 << 50, 0, 0, 0},
		// Ticks since the year 1 that exceed 63 bits, and IDs whose times no calendar holds, from
		// one tick before.
		{-284_000_000_000, 0, 7, 57, 0, false, id, -284_000_000_000, 400, 1, 0},
		{0, 0, 2e9 - 3, 0, 0, false, 1 << 60 * 1_000_000_000 / 1_999_999_997, 0, 0, 0, 0}, {0, 0, 2e9 - 3, 0, 0, false, 1<<60*1_000_000_000/1_999_999_997 + 1, 0, 0, 0, 0},
		{0, 0, 2e9 - 3, 0, 0, false, math.MaxInt64, 0, 0, 0, 0},
		// Inputs found by the fuzzer: an epoch within the last second, and a last tick counted from
		// the epoch.
		{farthest, 70, 999_999_909, 34, 12, false, id, farthest, 105e6, 378, 0},
		{-farthest, 0, hour + 41, 17, 12, false, id - 58, 15, 104_999_966, 334, 0},
	} {
		f.Add(s.epoch, s.epochNano, s.tick, s.nodeBits, s.sequenceBits, s.nodeLast, s.id, s.sec, s.nano, s.node, s.sequence)
	}
	f.Fuzz(func(t *testing.T, epoch int64, epochNano uint32, tick int64, nodeBits, sequenceBits int, nodeLast bool,
		id, sec int64, nano uint32, node, sequence int64) {
		l := slowLayout{ids.SnowflakeLayout{Epoch: time.Unix(epoch, int64(epochNano%1e9)).UTC(), Tick: time.Duration(tick),
			NodeBits: nodeBits, SequenceBits: sequenceBits, NodeLast: nodeLast}}
		checkLayout(t, l, id, time.Unix(sec, int64(nano%1e9)).UTC(), node, sequence)
	})
}

// farthest is the largest distance of a time from 1970 and from the epoch, in seconds.
const farthest = 1 << 39

// valid reports whether l can hold IDs according to its documentation.
func (l slowLayout) valid() bool {
	return l.Tick > 0 && l.NodeBits >= 0 && l.SequenceBits >= 0 && l.NodeBits <= 62 && l.SequenceBits <= 62-l.NodeBits && !l.Epoch.IsZero() &&
		l.Epoch.Unix() >= -farthest && l.Epoch.Unix() <= farthest
}

// tick returns the tick of a time, which may be outside the layout.
func (l slowLayout) tick(at time.Time) *big.Int {
	return floor(new(big.Int).Sub(nanoseconds(at), nanoseconds(l.Epoch)), 1, int64(l.Tick))
}

// splits reports whether p contains the fields of s.
func (l slowLayout) splits(s ids.Snowflake, p ids.SnowflakeParts) bool {
	field := func(shift, bits int) int64 {
		n := new(big.Int).Rsh(new(big.Int).SetUint64(uint64(s)), uint(shift))
		return n.And(n, big.NewInt(1<<bits-1)).Int64()
	}
	node, sequence := field(l.SequenceBits, l.NodeBits), field(0, l.SequenceBits)
	if l.NodeLast {
		node, sequence = field(0, l.NodeBits), field(l.NodeBits, l.SequenceBits)
	}
	tick := new(big.Int)
	if s > 0 {
		tick.Rsh(big.NewInt(int64(s)), uint(l.NodeBits+l.SequenceBits))
	}
	if last := l.last(); tick.Cmp(last) > 0 {
		tick = last
	}
	since := new(big.Int).Mul(tick, big.NewInt(int64(l.Tick)))
	want := ids.SnowflakeParts{Time: instant(since.Add(since, nanoseconds(l.Epoch))), Node: node, Sequence: sequence}
	// A time 2^60 s or more after the epoch, which few calendars can hold, may be reported as
	// exactly that time.
	if sec := floor(since, 1, 1e9); sec.Cmp(big.NewInt(l.Epoch.Unix()+1<<60)) >= 0 && (p != want || time.Second%l.Tick != 0) {
		want.Time = time.Unix(l.Epoch.Unix()+1<<60, int64(l.Epoch.Nanosecond())).UTC()
	}
	return p == want
}

// holds reports whether the times in a tick must be in range, and whether they may be. They count
// as the start of their tick, and their distance from 1970 counts in whole seconds. A tick that is
// only partly in range may be either.
func (l slowLayout) holds(tick *big.Int) (must, may bool) {
	if tick.Sign() < 0 || tick.Cmp(l.last()) > 0 {
		return false, false
	}
	length := big.NewInt(int64(l.Tick))
	begin := new(big.Int).Add(nanoseconds(l.Epoch), new(big.Int).Mul(tick, length))
	if begin.Cmp(nanoseconds(time.Time{})) <= 0 {
		return false, false
	}
	far := new(big.Int).Mul(big.NewInt(farthest), big.NewInt(1e9))
	fromEpoch := new(big.Int).Add(nanoseconds(l.Epoch), far)
	end := new(big.Int).Add(begin, length)
	return end.Cmp(far) <= 0 && end.Cmp(fromEpoch) <= 0, floor(begin, 1, 1e9).Cmp(big.NewInt(farthest)) <= 0 && begin.Cmp(fromEpoch) <= 0
}

// ends reports whether a tick may be the last one in range or, if toward is -1, the first one. A
// tick that is only partly in range may be. If no tick is in range, any tick may be.
func (l slowLayout) ends(tick *big.Int, toward int) bool {
	beyond, _ := l.holds(new(big.Int).Add(tick, big.NewInt(int64(toward))))
	_, may := l.holds(tick)
	first := new(big.Int).Add(l.tick(time.Time{}), big.NewInt(1))
	if first.Sign() < 0 {
		first.SetInt64(0)
	}
	_, any := l.holds(first)
	return !beyond && (may || !any)
}

// TestLayoutEqual compares layouts. The zone of an epoch and a monotonic reading make no
// difference. Neither does it matter whether Twitter's layout is written out.
func TestLayoutEqual(t *testing.T) {
	// with a monotonic reading; the default clock may be behind by the amount that the system has
	// slewed
	now := time.Now().Add(-time.Minute)
	plain := ids.SnowflakeLayout{Epoch: now.Round(0).UTC(), Tick: time.Second, NodeBits: 5, SequenceBits: 6, NodeLast: true}
	change := func(f func(*ids.SnowflakeLayout)) ids.SnowflakeLayout {
		l := plain
		f(&l)
		return l
	}
	east := time.FixedZone("east", 3600)
	for _, c := range []struct {
		what string
		a, b ids.SnowflakeLayout
		want bool
	}{
		{"itself", plain, plain, true},
		{"a zone", plain, change(func(l *ids.SnowflakeLayout) { l.Epoch = l.Epoch.In(east) }), true},
		{"a monotonic reading", plain, change(func(l *ids.SnowflakeLayout) { l.Epoch = now }), true},
		{"another epoch", plain, change(func(l *ids.SnowflakeLayout) { l.Epoch = l.Epoch.Add(1) }), false},
		{"the same hour in another zone", plain, change(func(l *ids.SnowflakeLayout) { l.Epoch = l.Epoch.In(east).Add(-time.Hour) }), false},
		{"another tick", plain, change(func(l *ids.SnowflakeLayout) { l.Tick++ }), false},
		{"another width of the node", plain, change(func(l *ids.SnowflakeLayout) { l.NodeBits++ }), false},
		{"another width of the sequence", plain, change(func(l *ids.SnowflakeLayout) { l.SequenceBits++ }), false},
		{"another place of the node", plain, change(func(l *ids.SnowflakeLayout) { l.NodeLast = false }), false},
		{"the zero value", ids.SnowflakeLayout{}, ids.TwitterLayout(), true},
		{"the zero value in a zone", ids.SnowflakeLayout{Epoch: time.Time{}.In(east)}, ids.TwitterLayout(), true},
		{"two zero values", ids.SnowflakeLayout{Epoch: time.Time{}.In(east)}, ids.SnowflakeLayout{}, true},
		{"the zero value and another", ids.SnowflakeLayout{}, ids.DiscordLayout(), false},
		{"a forgotten epoch", ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 10, SequenceBits: 12}, ids.TwitterLayout(), false},
	} {
		if a, b := c.a.Equal(c.b), c.b.Equal(c.a); a != c.want || b != c.want {
			t.Errorf("%s: %t and %t, want %t: %+v, %+v", c.what, a, b, c.want, c.a, c.b)
		}
	}
	// A node returns its layout in a form that == compares.
	for _, epoch := range []time.Time{now, now.In(east), now.UTC(), now.Local()} {
		l := change(func(l *ids.SnowflakeLayout) { l.Epoch = epoch })
		if got := newNode(t, 1, &ids.SnowflakeOptions{Layout: l}).Layout(); got != plain || got.Epoch.Location() != time.UTC {
			t.Errorf("the layout of a node is %#v, want %#v", got, plain)
		}
	}
}

// refusesLayout checks that every function that takes a layout rejects l.
func refusesLayout(t *testing.T, l ids.SnowflakeLayout, parts ids.SnowflakeParts) {
	t.Helper()
	if s, err := l.Compose(parts); s != 0 || !errors.Is(err, ids.ErrRange) {
		t.Fatalf("%+v: Compose = %v, %v", l, s, err)
	}
	if n, err := ids.NewSnowflakeNode(parts.Node, &ids.SnowflakeOptions{Layout: l, Clock: stopped(start)}); n != nil || !errors.Is(err, ids.ErrRange) {
		t.Fatalf("%+v: NewSnowflakeNode = %v, %v", l, n, err)
	}
	for what, use := range map[string]func(){
		"Split": func() { l.Split(1) }, "MinAt": func() { l.MinAt(parts.Time) }, "MaxAt": func() { l.MaxAt(parts.Time) }, "Last": func() { l.Last() },
	} {
		if err := panicOf(use); !errors.Is(err, ids.ErrRange) {
			t.Fatalf("%+v: %s panics with %v", l, what, err)
		}
	}
}

// TestZone runs in a zone other than UTC. Epochs are the same, and all returned times are in UTC.
func TestZone(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("UTC+5", 5*60*60)
	for want, l := range map[int64]ids.SnowflakeLayout{1288834974657: ids.TwitterLayout(), 1420070400000: ids.DiscordLayout(),
		1314220021721: ids.InstagramLayout(), 1409529600000: ids.SonyflakeLayout()} {
		if got := l.Epoch.UnixMilli(); got != want || l.Epoch.Location() != time.UTC {
			t.Errorf("an epoch is %d ms after 1970, in %v, want %d", got, l.Epoch.Location(), want)
		}
	}
	c, limit := newUnbounded(&ids.ClockOptions{Now: start.Local, After: start.Add(-time.Hour).Local()})
	limit.Set(start.Add(2*time.Hour).Local(), nil)
	n, g := newNode(t, 1, &ids.SnowflakeOptions{Clock: c}), ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	odd := ids.SnowflakeLayout{Epoch: start.Local(), Tick: 3 * time.Nanosecond, SequenceBits: 2}
	for name, got := range map[string]time.Time{
		"Latest of a new clock": c.Latest(), "NextHorizon": limit.NextHorizon(time.Hour), "UUID": timeOf(g.NewV7()), "ULID": g.NewULID().Time(),
		"Snowflake": partsOf(n.Next()).Time, "Latest": c.Latest(), "Split": n.Layout().Split(n.Next()).Time, "Split of an odd tick": odd.Split(1 << 40).Time,
	} {
		if got.Location() != time.UTC {
			t.Errorf("%s is in %v", name, got.Location())
		}
	}
	if a, b := ids.MinV7At(start.Local()), ids.MinV7At(start); a != b {
		t.Errorf("MinV7At of a time in the zone is %v, want %v", a, b)
	}
}

// TestNegativeSnowflake writes negative Snowflakes, which only a conversion makes. Each decimal
// form writes the negative integer.
func TestNegativeSnowflake(t *testing.T) {
	for v, want := range map[ids.Snowflake]string{-1: "-1", -10: "-10", math.MinInt64: "-9223372036854775808"} {
		appended, err := v.AppendText([]byte("x"))
		quoted, err2 := v.MarshalJSON()
		if v.String() != want || string(appended) != "x"+want || string(quoted) != `"`+want+`"` || err != nil || err2 != nil {
			t.Errorf("String %s, AppendText %s, MarshalJSON %s, want %s", v, appended, quoted, want)
		}
	}
	// Base32 has no sign. It writes the 64 bits, and does not read them back.
	if s := ids.Snowflake(-1); s.Base32() != "FZZZZZZZZZZZZ" {
		t.Errorf("Snowflake(-1): %q", s.Base32())
	}
}

// TestTwitterNumber tries datacenters, workers and node numbers out of range. TestFields tests
// those in range.
func TestTwitterNumber(t *testing.T) {
	for message, c := range map[string][2]int64{
		"datacenter -1 is not within 0 to 31": {-1, 0}, "datacenter 32 is not within 0 to 31": {32, 32},
		"worker -1 is not within 0 to 31": {0, -1}, "worker 9223372036854775807 is not within 0 to 31": {0, math.MaxInt64},
	} {
		number, err := ids.TwitterNumber(c[0], c[1])
		if !errors.Is(err, ids.ErrRange) || number != 0 || err.Error() != "ids: "+message {
			t.Errorf("TwitterNumber(%d, %d) = %d, %v, want %q", c[0], c[1], number, err, message)
		}
	}
	// A number outside the layout's range has a datacenter or a worker outside its range.
	for _, number := range []int64{-1, -32, -1024, 1024, 1055, math.MinInt64, math.MaxInt64} {
		d, w := ids.TwitterDatacenterWorker(number)
		if d >= 0 && d <= 31 || w < 0 || w > 31 {
			t.Errorf("TwitterDatacenterWorker(%d) = %d, %d", number, d, w)
		}
	}
}
