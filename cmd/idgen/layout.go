package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/ownlayout"
)

// A namedLayout is a layout of Snowflakes. One of the user's own has the name that it was given by.
type namedLayout struct {
	ids.SnowflakeLayout
	name string
	node string // what its users call the node
	note func(node int64) string
}

// layouts are the layouts that are known, the best known first.
var layouts = []namedLayout{
	{ids.TwitterLayout(), "twitter", "node", func(n int64) string {
		datacenter, worker := ids.TwitterDatacenterWorker(n)
		return fmt.Sprintf("datacenter %d, worker %d", datacenter, worker)
	}},
	{ids.DiscordLayout(), "discord", "node", func(n int64) string { return fmt.Sprintf("worker %d, process %d", n>>5, n&31) }},
	{ids.InstagramLayout(), "instagram", "shard", nil},
	{ids.SonyflakeLayout(), "sonyflake", "machine", nil},
}

// layoutNames returns the names of the layouts.
func layoutNames() (names []string) {
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return names
}

// addLayout adds the option -layout. The layout that is given stands alone; without it, there are all that are known.
func (fs *flags) addLayout() *[]namedLayout {
	some := layouts
	fs.Func("layout", "", func(s string) error {
		for i, l := range layouts {
			if l.name == strings.ToLower(s) {
				some = layouts[i : i+1]
				return nil
			}
		}
		own, err := ownlayout.Parse(s)
		if err != nil {
			return usagef("-layout %s is not %s, and %v", quoted(s), listed(layoutNames(), "or"), err)
		}
		some = []namedLayout{{own, s, "node", nil}}
		return nil
	})
	return &some
}

// doubt returns why a Snowflake of the given time is hardly one of this layout, or "". A small number, such as one that a
// database counts, looks like a Snowflake made when its layout began.
func (l namedLayout) doubt(made, now time.Time) string {
	switch {
	case made.After(now.AddDate(0, 0, 1)):
		return "that time is in the future"
	case made.Before(l.Epoch.Add(time.Second)):
		return "that time is the first second of the layout"
	}
	return ""
}
