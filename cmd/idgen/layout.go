package main

// This file contains the named Snowflake layouts, and the parser for custom layouts.

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// A namedLayout is a Snowflake layout with a name. For a custom layout, the name is the text that
// the user entered.
type namedLayout struct {
	ids.SnowflakeLayout
	name string
	note func(node int64) string // describes the parts of a node number; may be nil
}

// layouts lists the named layouts. The best-known layout comes first.
var layouts = []namedLayout{
	{ids.TwitterLayout(), "twitter", func(n int64) string {
		datacenter, worker := ids.TwitterDatacenterWorker(n)
		return fmt.Sprintf("datacenter %d, worker %d", datacenter, worker)
	}},
	{ids.DiscordLayout(), "discord", func(n int64) string { return fmt.Sprintf("worker %d, process %d", n>>5, n&31) }},
	{ids.InstagramLayout(), "instagram", nil},
	{ids.SonyflakeLayout(), "sonyflake", nil},
}

// layoutNames returns the names of the layouts, separated by commas.
func layoutNames() string {
	var names []string
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return strings.Join(names, ", ")
}

// parseLayout parses a custom layout. The text consists of an epoch, a tick, the number of node
// bits and the number of sequence bits, separated by commas. The word nodelast may follow as a
// fifth element. The leases command accepts the same format.
func parseLayout(text string) (l ids.SnowflakeLayout, err error) {
	words := strings.Split(text, ",")
	if l.NodeLast = len(words) == 5 && words[4] == "nodelast"; l.NodeLast {
		words = words[:4]
	}
	if len(words) != 4 {
		return l, fmt.Errorf("must be %s or EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12", layoutNames())
	}
	var errs [5]error
	if l.Epoch, errs[0] = time.Parse(time.RFC3339, words[0]); errs[0] != nil {
		l.Epoch, errs[0] = time.Parse(time.DateOnly, words[0])
	}
	l.Tick, errs[1] = time.ParseDuration(words[1])
	l.NodeBits, errs[2] = strconv.Atoi(words[2])
	l.SequenceBits, errs[3] = strconv.Atoi(words[3])
	errs[4] = l.Validate()
	if l.Tick == 0 { // the zero layout is valid, but means Twitter's layout
		errs[4] = errors.New("the tick is 0")
	}
	return l, cmp.Or(errs[:]...)
}
