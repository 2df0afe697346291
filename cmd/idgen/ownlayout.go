package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// layoutForm is what parseLayout reads, for messages.
const layoutForm = "EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12"

var errLayoutForm = errors.New("is not " + layoutForm)

// parseLayout returns a layout of one's own, as the command leases takes it too: its epoch is a time of
// RFC 3339 or a date in UTC, its tick a duration. A fifth word, "nodelast", sets NodeLast.
func parseLayout(s string) (l ids.SnowflakeLayout, err error) {
	words := strings.Split(s, ",")
	if l.NodeLast = len(words) == 5 && words[4] == "nodelast"; l.NodeLast {
		words = words[:4]
	}
	if len(words) != 4 {
		return l, errLayoutForm
	}
	if l.Epoch, err = time.Parse(time.RFC3339, words[0]); err != nil {
		l.Epoch, err = time.Parse(time.DateOnly, words[0])
	}
	if err != nil {
		return l, fmt.Errorf("%w: the epoch is neither a time, such as 2021-01-01T00:00:00Z, nor a date", errLayoutForm)
	}
	if l.Tick, err = time.ParseDuration(words[1]); err != nil {
		return l, fmt.Errorf("%w: the tick is not a duration", errLayoutForm)
	}
	for i, bits := range []*int{&l.NodeBits, &l.SequenceBits} {
		if *bits, err = strconv.Atoi(words[2+i]); err != nil {
			return l, fmt.Errorf("%w: the bits are not whole numbers", errLayoutForm)
		}
	}
	if l.Tick <= 0 { // a layout of zeros alone would be Twitter's
		return l, fmt.Errorf("is not a layout: SnowflakeLayout.Tick %v is not positive", l.Tick)
	}
	if err := l.Validate(); err != nil {
		return l, fmt.Errorf("is not a layout: %s", strings.TrimPrefix(err.Error(), "ids: "))
	}
	return l, nil
}
