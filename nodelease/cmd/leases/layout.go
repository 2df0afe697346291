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

var layouts = map[string]ids.SnowflakeLayout{
	"twitter": ids.TwitterLayout(), "discord": ids.DiscordLayout(), "instagram": ids.InstagramLayout(), "sonyflake": ids.SonyflakeLayout(),
}

const layoutNames = "twitter, discord, instagram, sonyflake"

// parseLayout returns the layout whose name is text. If no layout has that name, parseLayout parses
// text as a custom layout.
func parseLayout(text string) (*ids.SnowflakeLayout, error) {
	if l, known := layouts[text]; known {
		return &l, nil
	}
	l, err := parseOwn(text)
	return &l, err
}

// parseOwn parses a custom layout. The text consists of an epoch, a tick, the number of node bits
// and the number of sequence bits, separated by commas. The word nodelast may follow as a fifth
// element. The idgen command accepts the same format.
func parseOwn(text string) (l ids.SnowflakeLayout, err error) {
	words := strings.Split(text, ",")
	if l.NodeLast = len(words) == 5 && words[4] == "nodelast"; l.NodeLast {
		words = words[:4]
	}
	if len(words) != 4 {
		return l, fmt.Errorf("must be %s or EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12", layoutNames)
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
