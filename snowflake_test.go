package ids_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestSnowflakeVectors takes published ids apart, puts them together again, and mints them at
// their time.
func TestSnowflakeVectors(t *testing.T) {
	for _, c := range []struct {
		id     string
		layout ids.SnowflakeLayout
		parts  ids.SnowflakeParts
	}{
		{"1541815603606036480", ids.TwitterLayout(), ids.SnowflakeParts{
			Time: time.Date(2022, 6, 28, 16, 7, 40, 105e6, time.UTC), Node: 378, Sequence: 0}},
		{"175928847299117063", ids.DiscordLayout(), ids.SnowflakeParts{
			Time: time.Date(2016, 4, 30, 11, 18, 25, 796e6, time.UTC), Node: 1 << 5, Sequence: 7}},
	} {
		s, err := ids.ParseSnowflake(c.id)
		if err != nil || s.String() != c.id {
			t.Errorf("ParseSnowflake(%s) = %v, %v", c.id, s, err)
		}
		if got := c.layout.Split(s); got != c.parts {
			t.Errorf("Split(%s) = %v, want %v", c.id, got, c.parts)
		}
		if got, err := c.layout.Compose(c.parts); got != s || err != nil {
			t.Errorf("Compose(%v) = %v, %v, want %s", c.parts, got, err, c.id)
		}
		n := newNode(t, c.parts.Node, &ids.SnowflakeOptions{Layout: c.layout, Clock: stopped(c.parts.Time)})
		minted := n.Append(nil, int(c.parts.Sequence)+1)
		if got := minted[len(minted)-1]; got != s {
			t.Errorf("minted %v, want %s", got, c.id)
		}
	}
	s := ids.Snowflake(1541815603606036480)
	parts := partsOf(s)
	datacenter, worker := ids.TwitterDatacenterWorker(parts.Node)
	if parts != (ids.SnowflakeParts{Time: time.Date(2022, 6, 28, 16, 7, 40, 105e6, time.UTC), Node: 378}) || datacenter != 11 || worker != 26 {
		t.Errorf("%v: %v, datacenter %d, worker %d", s, parts, datacenter, worker)
	}
}

// TestNegativeSnowflake writes Snowflakes that only a conversion makes: as the integers that they
// are, in each form alike.
func TestNegativeSnowflake(t *testing.T) {
	for v, want := range map[ids.Snowflake]string{-1: "-1", -10: "-10", math.MinInt64: "-9223372036854775808"} {
		appended, err := v.AppendText([]byte("x"))
		quoted, err2 := v.MarshalJSON()
		if v.String() != want || string(appended) != "x"+want || string(quoted) != `"`+want+`"` || err != nil || err2 != nil {
			t.Errorf("String %s, AppendText %s, MarshalJSON %s, want %s", v, appended, quoted, want)
		}
	}
	// Base32, which has no sign, writes the 64 bits, and does not read them.
	if s := ids.Snowflake(-1); s.Base32() != "FZZZZZZZZZZZZ" {
		t.Errorf("Snowflake(-1): %q", s.Base32())
	}
}

// TestTwitterNumber goes through all node numbers, and past their ends, there and back.
func TestTwitterNumber(t *testing.T) {
	next := int64(0)
	for d := range int64(32) {
		for w := range int64(32) {
			if number, err := ids.TwitterNumber(d, w); number != next || err != nil {
				t.Errorf("TwitterNumber(%d, %d) = %d, %v, want %d", d, w, number, err, next)
			}
			if gotD, gotW := ids.TwitterDatacenterWorker(next); gotD != d || gotW != w {
				t.Errorf("TwitterDatacenterWorker(%d) = %d, %d, want %d, %d", next, gotD, gotW, d, w)
			}
			next++
		}
	}
	for _, c := range []struct {
		d, w    int64
		message string
	}{
		{-1, 0, "datacenter -1 is not within 0 to 31"},
		{32, 0, "datacenter 32 is not within 0 to 31"},
		{math.MinInt64, 0, "datacenter -9223372036854775808 is not within 0 to 31"},
		{0, -1, "worker -1 is not within 0 to 31"},
		{0, 32, "worker 32 is not within 0 to 31"},
		{0, math.MaxInt64, "worker 9223372036854775807 is not within 0 to 31"},
		{64, 64, "datacenter 64 is not within 0 to 31"},
	} {
		number, err := ids.TwitterNumber(c.d, c.w)
		if !errors.Is(err, ids.ErrRange) || number != 0 || err.Error() != "ids: "+c.message {
			t.Errorf("TwitterNumber(%d, %d) = %d, %v, want %q", c.d, c.w, number, err, c.message)
		}
	}
	// A number that no Snowflake of the layout has is of a datacenter that there is not.
	for _, number := range []int64{-1, -32, -1024, 1024, 1055, math.MinInt64, math.MaxInt64} {
		d, w := ids.TwitterDatacenterWorker(number)
		if d >= 0 && d <= 31 || w < 0 || w > 31 {
			t.Errorf("TwitterDatacenterWorker(%d) = %d, %d", number, d, w)
		}
	}
}
