package ids_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// A replacement is a default node, and a node that SetDefaultSnowflakeNode shall put in its place.
type replacement struct {
	what    string
	old     func(t *testing.T) *ids.SnowflakeNode // it is the default node on return
	next    func(t *testing.T, old *ids.SnowflakeNode) *ids.SnowflakeNode
	refused bool
}

// TestTwinOfDefaultNode replaces the default node by others. One that would make its ids again is refused: the same
// number in a layout that packs alike, on another clock, if both numbers were given. Without that, a program that mints
// 50,000 ids by a default node which it did not know of, and as many by that of its configuration, has each of
// them twice.
func TestTwinOfDefaultNode(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	twitter, discord := ids.TwitterLayout(), ids.DiscordLayout()
	// Of layouts without a sequence, the place of the node is one and the same.
	flat := ids.SnowflakeLayout{Epoch: start.AddDate(-1, 0, 0), Tick: time.Millisecond, NodeBits: 10}
	flatLast, flatZone, wide, slow := flat, flat, flat, flat
	flatLast.NodeLast = true
	flatZone.Epoch = flat.Epoch.In(time.FixedZone("east", 3600))
	wide.SequenceBits = 1
	slow.Tick *= 2
	one := ids.NewClock(nil)

	node := func(number int64, l ids.SnowflakeLayout, c *ids.Clock) func(*testing.T) *ids.SnowflakeNode {
		return func(t *testing.T) *ids.SnowflakeNode {
			return newNode(t, number, &ids.SnowflakeOptions{Layout: l, Clock: c})
		}
	}
	given := func(number int64, l ids.SnowflakeLayout, c *ids.Clock) func(*testing.T) *ids.SnowflakeNode {
		return func(t *testing.T) *ids.SnowflakeNode {
			n := node(number, l, c)(t)
			ids.SetDefaultSnowflakeNode(n)
			return n
		}
	}
	then := func(number int64, l ids.SnowflakeLayout, c *ids.Clock) func(*testing.T, *ids.SnowflakeNode) *ids.SnowflakeNode {
		return func(t *testing.T, _ *ids.SnowflakeNode) *ids.SnowflakeNode { return node(number, l, c)(t) }
	}
	fromVariable := func(t *testing.T) *ids.SnowflakeNode {
		t.Setenv("IDS_SNOWFLAKE_NODE", "7")
		ids.NextSnowflake() // makes it, as a library that main does not know of may
		n, err := ids.DefaultSnowflakeNode()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	fromEnv := func(t *testing.T) *ids.SnowflakeNode {
		t.Setenv("IDS_SNOWFLAKE_NODE", "7")
		n, err := ids.SetDefaultSnowflakeNodeFromEnv(&ids.SnowflakeOptions{Clock: one})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	drawn := func(t *testing.T) *ids.SnowflakeNode {
		unsetNode(t)
		n, err := ids.DefaultSnowflakeNode()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, c := range []replacement{
		{"a number that was drawn, by one that is given", drawn, func(t *testing.T, old *ids.SnowflakeNode) *ids.SnowflakeNode {
			return node(old.Number(), twitter, one)(t)
		}, false},
		{"a number that is given, by one that was drawn", func(t *testing.T) *ids.SnowflakeNode {
			return given(drawn(t).Number(), twitter, one)(t)
		}, func(t *testing.T, old *ids.SnowflakeNode) *ids.SnowflakeNode {
			ids.SetDefaultSnowflakeNode(nil)
			for {
				if n := drawn(t); n.Number() == old.Number() { // in some 1,024 attempts
					ids.SetDefaultSnowflakeNode(old)
					return n
				}
				ids.SetDefaultSnowflakeNode(nil)
			}
		}, false},
		{"that of the variable, on a new clock", fromVariable, then(7, twitter, one), true},
		{"that of the variable, of the zero layout", fromVariable, then(7, ids.SnowflakeLayout{}, one), true},
		{"that of the variable, on its own clock", fromVariable, then(7, twitter, nil), false},
		{"that of the variable, of another number", fromVariable, then(8, twitter, one), false},
		{"that of SetDefaultSnowflakeNodeFromEnv, on a new clock", fromEnv, then(7, twitter, ids.NewClock(nil)), true},
		{"that of SetDefaultSnowflakeNodeFromEnv, on its own clock", fromEnv, then(7, twitter, one), false},
		{"itself", given(7, twitter, one), func(_ *testing.T, old *ids.SnowflakeNode) *ids.SnowflakeNode { return old }, false},
		{"on a new clock", given(7, twitter, one), then(7, twitter, ids.NewClock(nil)), true},
		{"on the default clock", given(7, twitter, one), then(7, twitter, nil), true},
		{"on the same clock", given(7, twitter, one), then(7, twitter, one), false},
		{"of another number", given(7, twitter, one), then(8, twitter, ids.NewClock(nil)), false},
		{"of another epoch", given(7, twitter, one), then(7, discord, ids.NewClock(nil)), false},
		{"the zone of the epoch", given(7, flat, one), then(7, flatZone, ids.NewClock(nil)), true},
		{"the place of the node beside no sequence", given(7, flat, one), then(7, flatLast, ids.NewClock(nil)), true},
		{"the width of the sequence", given(7, flat, one), then(7, wide, ids.NewClock(nil)), false},
		{"the length of the tick", given(7, flat, one), then(7, slow, ids.NewClock(nil)), false},
	} {
		t.Run(c.what, func(t *testing.T) {
			ids.SetDefaultSnowflakeNode(nil)
			old := c.old(t)
			next := c.next(t, old)
			err := panicOf(func() { ids.SetDefaultSnowflakeNode(next) })
			want := next
			if c.refused {
				want = old
				message := fmt.Sprintf("ids: node %d is the default Snowflake node already, on another clock: ids would repeat. ", next.Number())
				if err == nil || !strings.HasPrefix(err.Error(), message) || !strings.Contains(err.Error(), "SetDefaultSnowflakeNodeFromEnv in main") {
					t.Errorf("the panic value is %v, want %s…", err, message)
				}
			} else if err != nil {
				t.Error(err)
			}
			if got, err := ids.DefaultSnowflakeNode(); got != want || err != nil {
				t.Errorf("the default node is %p, %v, want %p: the old one is %p", got, err, want, old)
			}
			if s := ids.NextSnowflake(); want.Layout().Split(s).Node != want.Number() {
				t.Errorf("NextSnowflake returns %v, which is not of node %d", s, want.Number())
			}

			// Nil is for tests: it drops the guard.
			ids.SetDefaultSnowflakeNode(nil)
			ids.SetDefaultSnowflakeNode(next)
			if got, _ := ids.DefaultSnowflakeNode(); got != next {
				t.Errorf("after nil, the default node is %p, want %p", got, next)
			}
		})
	}
}
