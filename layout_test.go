package ids_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestLayouts states the four layouts in numbers, and until when they last, as the docs have it.
func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		name           string
		layout         ids.SnowflakeLayout
		epoch          string
		tick           time.Duration
		node, sequence int
		nodeLast       bool
		lastYear       int
	}{
		{"Twitter", ids.TwitterLayout(), "2010-11-04T01:42:54.657Z", time.Millisecond, 10, 12, false, 2080},
		{"Discord", ids.DiscordLayout(), "2015-01-01T00:00:00Z", time.Millisecond, 10, 12, false, 2084},
		{"Instagram", ids.InstagramLayout(), "2011-08-24T21:07:01.721Z", time.Millisecond, 13, 10, false, 2046},
		{"Sonyflake", ids.SonyflakeLayout(), "2014-09-01T00:00:00Z", 10 * time.Millisecond, 16, 8, true, 2188},
	} {
		l := c.layout
		if l.Epoch.Format(time.RFC3339Nano) != c.epoch || l.Tick != c.tick || l.NodeBits != c.node || l.SequenceBits != c.sequence || l.NodeLast != c.nodeLast {
			t.Errorf("%s: %+v", c.name, l)
		}
		if last := l.Split(l.MaxAt(time.Unix(1<<40, 0))); last.Time.Year() != c.lastYear ||
			last.Node != 1<<c.node-1 || last.Sequence != 1<<c.sequence-1 {
			t.Errorf("%s: the last id is of %v", c.name, last)
		}
	}
	// Sonyflake's own: the sequence above the machine.
	s, err := ids.SonyflakeLayout().Compose(ids.SnowflakeParts{Time: ids.SonyflakeLayout().Epoch.Add(10 * time.Millisecond), Node: 3, Sequence: 2})
	if s != 1<<24|2<<16|3 || err != nil {
		t.Errorf("Sonyflake: %#x, %v", int64(s), err)
	}
	// Instagram's own: the shard above the sequence.
	s, err = ids.InstagramLayout().Compose(ids.SnowflakeParts{Time: ids.InstagramLayout().Epoch.Add(time.Millisecond), Node: 3, Sequence: 2})
	if s != 1<<23|3<<10|2 || err != nil {
		t.Errorf("Instagram: %#x, %v", int64(s), err)
	}
}

// TestZeroLayout gives the zero layout to everything that takes one: it is Twitter's, whatever
// location its zero epoch has. A layout with one field set is not zero.
func TestZeroLayout(t *testing.T) {
	twitter := ids.TwitterLayout()
	parts := ids.SnowflakeParts{Time: vectorTime, Node: 378, Sequence: 5}
	want, err := twitter.Compose(parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []ids.SnowflakeLayout{
		{}, {Epoch: time.Time{}.In(time.FixedZone("east", 3600))}, {Epoch: time.Time{}.Local()},
	} {
		if got, err := l.Compose(parts); got != want || err != nil {
			t.Errorf("%+v: Compose = %v, %v, want %v", l, got, err, want)
		}
		if got := l.Split(want); got != parts {
			t.Errorf("%+v: Split = %v, want %v", l, got, parts)
		}
		for _, at := range []time.Time{vectorTime, {}, twitter.Epoch, time.Unix(1<<40, 0)} {
			if got, want := l.MinAt(at), twitter.MinAt(at); got != want {
				t.Errorf("%+v: MinAt(%v) = %v, want %v", l, at, got, want)
			}
			if got, want := l.MaxAt(at), twitter.MaxAt(at); got != want {
				t.Errorf("%+v: MaxAt(%v) = %v, want %v", l, at, got, want)
			}
		}
		n, err := ids.NewSnowflakeNode(378, &ids.SnowflakeOptions{Layout: l, Clock: stopped(vectorTime)})
		if err != nil {
			t.Errorf("%+v: %v", l, err)
			continue
		}
		if n.Layout() != twitter {
			t.Errorf("%+v: the node has the layout %+v", l, n.Layout())
		}
		if got, want := n.Next(), (ids.SnowflakeParts{Time: vectorTime, Node: 378}); twitter.Split(got) != want {
			t.Errorf("%+v: the node mints %v, want %v", l, twitter.Split(got), want)
		}
	}
	for _, l := range []ids.SnowflakeLayout{{Epoch: twitter.Epoch}, {NodeBits: 10}, {SequenceBits: 12}, {NodeLast: true}} {
		_, err := l.Compose(parts)
		checkRangeError(t, fmt.Sprintf("%+v", l), err, "Tick 0s is not positive")
	}
	if got, _ := (ids.SnowflakeLayout{Tick: time.Second}).Compose(parts); got == want {
		t.Error("a layout with a tick alone is Twitter's")
	}
}

// A slowLayout is the oracle of a layout.
type slowLayout struct{ ids.SnowflakeLayout }

// time returns the start of a tick, and whether it is within some 8,000 years of 1970.
func (l slowLayout) time(tick *big.Int) (start time.Time, ok bool) {
	n := new(big.Int).Mul(tick, big.NewInt(int64(l.Tick)))
	sec, nsec := n.Add(n, nanoseconds(l.Epoch)).DivMod(n, big.NewInt(1e9), new(big.Int))
	return time.Unix(sec.Int64(), nsec.Int64()).UTC(), sec.BitLen() <= 38
}

// last returns the last tick. Of 63 bits of time, 62 are used.
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

// TestLayoutOracle takes random layouts, among them all widths and ticks that divide no second,
// at times at the ends of the field and within.
func TestLayoutOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	ticks := []time.Duration{1, 7, 99, 100, 101, time.Microsecond, time.Millisecond, 10 * time.Millisecond, time.Second, time.Minute, 1<<63 - 1}
	var composed, early, late int
	for range 30_000 {
		nodeBits := r.IntN(63)
		l := slowLayout{ids.SnowflakeLayout{
			Epoch:    time.Unix(r.Int64N(8e9)-4e9, r.Int64N(1e9)).UTC(),
			Tick:     ticks[r.IntN(len(ticks))],
			NodeBits: nodeBits, SequenceBits: r.IntN(63 - nodeBits),
			NodeLast: r.IntN(2) == 0,
		}}
		switch r.IntN(3) {
		case 0:
			l.Epoch = l.Epoch.Truncate(time.Second)
		case 1:
			l.Tick = 1 + time.Duration(r.Int64N(1<<r.IntN(40)))
		}
		node, sequence := r.Int64N(1<<l.NodeBits), r.Int64N(1<<l.SequenceBits)
		for _, tick := range []*big.Int{
			big.NewInt(-1), big.NewInt(0), big.NewInt(1), big.NewInt(r.Int64N(l.last().Int64() + 1)), l.last(),
			new(big.Int).Add(l.last(), big.NewInt(1)),
		} {
			start, ok := l.time(tick)
			if !ok {
				continue
			}
			at := start.Add(time.Duration(r.Int64N(int64(l.Tick))))
			want := ids.SnowflakeParts{Time: start, Node: node, Sequence: sequence}
			id, err := l.Compose(ids.SnowflakeParts{Time: at, Node: node, Sequence: sequence})
			what := func() string {
				return fmt.Sprintf("%+v at %v, node %d, sequence %d", l.SnowflakeLayout, at, node, sequence)
			}
			nearest := tick
			switch {
			case tick.Sign() < 0:
				early++
				nearest = new(big.Int)
				checkRangeError(t, what(), err, "is before the first tick")
			case tick.Cmp(l.last()) > 0:
				late++
				nearest = l.last()
				checkRangeError(t, what(), err, "is after the last tick")
			default:
				composed++
				if wantID := l.pack(tick, node, sequence); id != wantID || err != nil {
					t.Fatalf("Compose of %s: %v, %v, want %v", what(), id, err, wantID)
				}
				if got := l.Split(id); got != want {
					t.Fatalf("Split of %s: %v, want %v", what(), got, want)
				}
				if id < l.MinAt(at) || id > l.MaxAt(at) {
					t.Fatalf("%s: %v is not within the bounds %v and %v", what(), id, l.MinAt(at), l.MaxAt(at))
				}
			}
			if err != nil && id != 0 {
				t.Fatalf("Compose of %s: %v beside the error", what(), id)
			}
			wantMin, wantMax := l.pack(nearest, 0, 0), l.pack(nearest, 1<<l.NodeBits-1, 1<<l.SequenceBits-1)
			if gotMin, gotMax := l.MinAt(at), l.MaxAt(at); gotMin != wantMin || gotMax != wantMax {
				t.Fatalf("%s: bounds %v and %v, want %v and %v", what(), gotMin, gotMax, wantMin, wantMax)
			}
		}
	}
	if composed < 30_000 || early < 5000 || late < 1000 {
		t.Errorf("only %d composed, %d early, %d late", composed, early, late)
	}
}

// TestLayoutCarries compares with the oracle at times where the arithmetic is at its ends: just
// below and above 2^64 ns after the epoch, and ticks of which a second holds almost a whole number.
func TestLayoutCarries(t *testing.T) {
	epoch := time.Unix(-6e9, 0).UTC()
	for _, tick := range []time.Duration{7, 111, 7 * time.Millisecond, 333_333_333, 499_999_999, 999_999_999, 7 * time.Second} {
		l := slowLayout{ids.SnowflakeLayout{Epoch: epoch, Tick: tick}}
		for _, ns := range []int64{0, 709_551_615, 709_551_616, 800_000_000, 999_999_999} {
			for _, sec := range []int64{0, 1, 1e9, 18_446_744_072, 18_446_744_073, 18_446_744_074} {
				at := time.Unix(epoch.Unix()+sec, ns).UTC()
				n := l.tick(at)
				start, _ := l.time(n)
				id, err := l.Compose(ids.SnowflakeParts{Time: at})
				if id != l.pack(n, 0, 0) || err != nil {
					t.Errorf("tick %v: %v is %v, %v, want %v", tick, at, int64(id), err, n)
				}
				if got := l.Split(id).Time; !got.Equal(start) {
					t.Errorf("tick %v: %v begins at %v, want %v", tick, int64(id), got, start)
				}
			}
		}
	}
}

// TestLastSecond bounds a query at the last second that is in range: it is the tick of that second.
func TestLastSecond(t *testing.T) {
	l := ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: time.Second, NodeBits: 1}
	at := time.Unix(1<<39, 0)
	if least, most := l.MinAt(at), l.MaxAt(at); least != 1<<40 || most != 1<<40|1 {
		t.Errorf("bounds %#x and %#x of the last second", int64(least), int64(most))
	}
	late := ids.SnowflakeLayout{Epoch: at, Tick: time.Hour} // no tick ends before times are out of range
	_, err := late.Compose(ids.SnowflakeParts{Time: at.Add(time.Hour)})
	checkRangeError(t, "a layout without a tick", err, "is after the last tick of the SnowflakeLayout, "+at.UTC().Format(time.RFC3339Nano))
	if s, err := (ids.SnowflakeLayout{Tick: -1}).Compose(ids.SnowflakeParts{Time: at}); s != 0 || err == nil {
		t.Errorf("Compose of a bad layout: %v, %v", s, err)
	}
}

// TestSplitBeyondTime splits Snowflakes of ticks so long that no time.Time prints most of them: their
// times never decrease, and are some 8,000 years off at least.
func TestSplitBeyondTime(t *testing.T) {
	for _, tick := range []time.Duration{1 << 61, 1 << 62, math.MaxInt64} {
		l := ids.SnowflakeLayout{Epoch: start, Tick: tick}
		var last time.Time
		for _, n := range []int64{1 << 10, 1 << 20, 1<<28 + 1, 1 << 29, 1 << 30, 2e9 - 1, 2e9, 2e9 + 1, 2e9 + 2, 4e9, 4e9 + 3, 8e9 + 1,
			1 << 33, 1 << 40, 1<<60 + 1, 1 << 61, 1<<62 - 2, 1<<62 - 1} {
			at := l.Split(ids.Snowflake(n)).Time
			if at.Before(last) || at.Unix() < 1<<38 {
				t.Errorf("tick %v: %d is of %d, before it %d", tick, n, at.Unix(), last.Unix())
			}
			last = at
		}
	}
}

func checkRangeError(t *testing.T, what string, err error, message string) {
	t.Helper()
	if !errors.Is(err, ids.ErrRange) || !strings.Contains(err.Error(), message) || !strings.HasPrefix(err.Error(), "ids: ") {
		t.Fatalf("%s: error %v, want ErrRange with %q", what, err, message)
	}
}

// TestLayoutFarTimes takes times far outside of any field.
func TestLayoutFarTimes(t *testing.T) {
	for _, l := range []ids.SnowflakeLayout{
		ids.TwitterLayout(), ids.SonyflakeLayout(),
		{Epoch: time.Unix(0, 0), Tick: 1},
		{Epoch: time.Unix(0, 0), Tick: 100},
		{Epoch: time.Unix(0, 0), Tick: time.Second},
		{Epoch: time.Unix(0, 0), Tick: time.Hour},
		{Epoch: time.Unix(-1<<38, 0), Tick: 100},
		{Epoch: time.Unix(1<<39, 0), Tick: 100},
	} {
		for _, far := range []time.Time{time.Unix(1<<39+3600, 0), time.Unix(1<<40, 0), time.Unix(1<<62, 999_999_999)} {
			_, err := l.Compose(ids.SnowflakeParts{Time: far})
			checkRangeError(t, fmt.Sprintf("%+v at %v", l, far), err, "is after the last tick")
		}
		for _, far := range []time.Time{time.Unix(-1<<39-1, 0), time.Unix(-1<<40, 0), time.Unix(-1<<62, 0)} {
			_, err := l.Compose(ids.SnowflakeParts{Time: far})
			checkRangeError(t, fmt.Sprintf("%+v at %v", l, far), err, "is before the first tick")
			if got := l.MinAt(far); got != 0 {
				t.Errorf("%+v: MinAt of %v is %v", l, far, got)
			}
		}
		if l.MaxAt(time.Unix(1<<62, 0)) < l.MaxAt(time.Unix(1<<35, 0)) {
			t.Errorf("%+v: MaxAt goes down", l)
		}
	}
}

// TestLayoutParts refuses parts that do not fit.
func TestLayoutParts(t *testing.T) {
	l := ids.TwitterLayout()
	for _, c := range []struct {
		parts   ids.SnowflakeParts
		message string
	}{
		{ids.SnowflakeParts{Node: 1024}, "node 1024 is not within 0 to 1023"},
		{ids.SnowflakeParts{Node: -1}, "node -1 is not within 0 to 1023"},
		{ids.SnowflakeParts{Sequence: 4096}, "sequence 4096 is not within 0 to 4095"},
		{ids.SnowflakeParts{Sequence: -1}, "sequence -1 is not within 0 to 4095"},
		{ids.SnowflakeParts{Time: l.Epoch.Add(-1)}, "2010-11-04T01:42:54.656999999Z is before the first tick"},
		{ids.SnowflakeParts{Time: l.Epoch.Add(1 << 41 * time.Millisecond)}, "2080-07-10T17:30:30.209Z is after the last tick"},
	} {
		if c.parts.Time.IsZero() {
			c.parts.Time = l.Epoch
		}
		id, err := l.Compose(c.parts)
		checkRangeError(t, fmt.Sprintf("Compose(%v)", c.parts), err, c.message)
		if id != 0 {
			t.Errorf("Compose(%v) = %v beside the error", c.parts, id)
		}
	}
}

// badLayouts cannot hold an id.
var badLayouts = []struct {
	layout  ids.SnowflakeLayout
	message string
}{
	{ids.SnowflakeLayout{NodeBits: 10, SequenceBits: 12}, "Tick 0s is not positive"},
	{ids.SnowflakeLayout{Tick: -time.Millisecond, NodeBits: 10, SequenceBits: 12}, "Tick -1ms is not positive"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 31, SequenceBits: 32}, "31 node bits and 32 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 63}, "63 node bits and 0 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, SequenceBits: 63}, "0 node bits and 63 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: -1, SequenceBits: 12}, "-1 node bits and 12 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 12, SequenceBits: -1}, "12 node bits and -1 sequence bits"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 1<<31 - 1, SequenceBits: 1<<31 - 1}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: math.MaxInt, SequenceBits: math.MaxInt}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: math.MaxInt, SequenceBits: 62}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: 62, SequenceBits: math.MaxInt}, "leaves no bit of 63 for the time"},
	{ids.SnowflakeLayout{Tick: time.Millisecond, NodeBits: -1 << 31, SequenceBits: 1<<31 - 1}, "leaves no bit of 63 for the time"},
}

// TestBadLayouts gives layouts that cannot hold an id to everything that takes one.
func TestBadLayouts(t *testing.T) {
	for _, c := range badLayouts {
		what := fmt.Sprintf("%+v", c.layout)
		c.layout.Epoch = time.Unix(0, 0)
		n, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Layout: c.layout})
		checkRangeError(t, what, err, c.message)
		if n != nil {
			t.Errorf("%s: a node beside the error", what)
		}
		_, err = c.layout.Compose(ids.SnowflakeParts{Time: time.Now()})
		checkRangeError(t, what, err, c.message)
		checkPanic(t, "Split of "+what, c.message, func() { c.layout.Split(0) })
		checkPanic(t, "MinAt of "+what, c.message, func() { c.layout.MinAt(time.Now()) })
		checkPanic(t, "MaxAt of "+what, c.message, func() { c.layout.MaxAt(time.Now()) })
	}
}

// TestSplitNegative takes a negative Snowflake, which no layout makes, apart: its time is the
// epoch.
func TestSplitNegative(t *testing.T) {
	for _, l := range []ids.SnowflakeLayout{ids.TwitterLayout(), ids.SonyflakeLayout()} {
		if got := l.Split(-1); !got.Time.Equal(l.Epoch) {
			t.Errorf("Split(-1) = %v", got)
		}
	}
}

// TestTicksBeyondTheRange takes layouts whose ticks reach beyond the year 19391, more than 2^39 s
// from 1970: Split tells their times, Compose refuses them, and MinAt and MaxAt of any later time
// bound all of their ids.
func TestTicksBeyondTheRange(t *testing.T) {
	epoch := time.Unix(0, 0).UTC()
	for _, l := range []ids.SnowflakeLayout{
		{Epoch: epoch, Tick: time.Second, NodeBits: 10, SequenceBits: 12}, // until 71708
		{Epoch: epoch, Tick: 7 * time.Second, NodeBits: 10, SequenceBits: 12, NodeLast: true},
		{Epoch: epoch, Tick: time.Hour, NodeBits: 10, SequenceBits: 12},
		{Epoch: start, Tick: 10 * time.Millisecond, NodeBits: 5, SequenceBits: 6},
		{Epoch: epoch, Tick: 250, NodeBits: 0, SequenceBits: 0},
	} {
		slow := slowLayout{l}
		last := slow.last()
		for _, tick := range []*big.Int{last, new(big.Int).Rsh(last, 1), new(big.Int).Sub(last, big.NewInt(12345))} {
			want, _ := slow.time(tick)
			id := slow.pack(tick, 0, 0)
			got := l.Split(id)
			if want.Unix() < 1<<39 {
				continue
			}
			if got.Time != want || got.Node != 0 || got.Sequence != 0 {
				t.Errorf("%+v: Split(%v) = %v, want %v", l, id, got.Time, want)
			}
			_, err := l.Compose(got)
			checkRangeError(t, fmt.Sprintf("Compose of %+v at %v", l, got.Time), err, "is after the last tick")
			for _, at := range []time.Time{want, time.Unix(1<<39+10_000, 0), time.Unix(1<<62, 0)} {
				if low, high := l.MinAt(epoch), l.MaxAt(at); id < low || id > high {
					t.Errorf("%+v: %v is not within MinAt of the epoch, %v, and MaxAt(%v), %v", l, id, low, at, high)
				}
			}
		}
		if got := l.MaxAt(time.Unix(1<<62, 0)); got != slow.pack(last, 1<<l.NodeBits-1, 1<<l.SequenceBits-1) {
			t.Errorf("%+v: MaxAt of a far time is %v", l, got)
		}
	}
}

// TestSplitFar takes apart a time that no time.Duration and hardly a calendar can hold: it is
// far in the future.
func TestSplitFar(t *testing.T) {
	l := ids.SnowflakeLayout{Epoch: time.Unix(0, 0), Tick: 1<<63 - 1}
	if got := l.Split(1<<63 - 1).Time; got.Before(time.Date(15_000, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("time %v", got)
	}
}

// TestFarEpoch has epochs so long before the year 1 that the ticks until then exceed 63 bits.
func TestFarEpoch(t *testing.T) {
	l := ids.SnowflakeLayout{Epoch: time.Unix(-284_000_000_000, 0), Tick: 7, NodeBits: 57}
	if id, err := l.Compose(ids.SnowflakeParts{Time: l.Epoch.Add(400)}); !errors.Is(err, ids.ErrRange) {
		t.Errorf("a time some 7,000 years before the year 1: %v, %v", id, err)
	}
	if _, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: l}); !errors.Is(err, ids.ErrRange) {
		t.Errorf("NewSnowflakeNode: %v", err)
	}
}
