package main

import (
	"fmt"
	"math"
	"time"

	"github.com/oneclock/ids"
)

// A namedLayout is a layout of Snowflakes that is in use.
type namedLayout struct {
	ids.SnowflakeLayout
	name string
	node string // what its users call the node
	note func(node int64) string
}

// layouts are the layouts that are known, the best known first.
var layouts = []namedLayout{
	{ids.TwitterLayout(), "twitter", "node", func(n int64) string { return fmt.Sprintf("datacenter %d, worker %d", n>>5, n&31) }},
	{ids.DiscordLayout(), "discord", "node", func(n int64) string { return fmt.Sprintf("worker %d, process %d", n>>5, n&31) }},
	{ids.InstagramLayout(), "instagram", "shard", nil},
	{ids.SonyflakeLayout(), "sonyflake", "machine", nil},
}

// layoutNamed returns the layout of the given name.
func layoutNamed(name string) (namedLayout, error) {
	var names []string
	for _, l := range layouts {
		if l.name == name {
			return l, nil
		}
		names = append(names, l.name)
	}
	return namedLayout{}, usagef("-layout %s is not %s", quoted(name), listed(names, "or"))
}

// lastTime returns the last time that the layout has.
func (l namedLayout) lastTime() time.Time { return l.Split(math.MaxInt64).Time.Add(l.Tick - 1) }

// plausible reports whether s, in this layout, has a time that is at most a day after now. No time
// is before the epoch.
func (l namedLayout) plausible(s ids.Snowflake, now time.Time) bool {
	return !l.Split(s).Time.After(now.AddDate(0, 0, 1))
}
