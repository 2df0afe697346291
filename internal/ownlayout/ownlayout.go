// Package ownlayout reads a layout of Snowflakes of one's own, as the commands idgen and leases take it.
package ownlayout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oneclock/ids"
)

// Form is what Parse reads, for messages.
const Form = "EPOCH,TICK,NODEBITS,SEQUENCEBITS, such as 2021-01-01,1ms,10,12"

var errForm = errors.New("is not " + Form)

// Parse returns a layout: its epoch is a time of RFC 3339 or a date in UTC, its tick a duration. A fifth
// word, "nodelast", sets NodeLast.
func Parse(s string) (l ids.SnowflakeLayout, err error) {
	words := strings.Split(s, ",")
	if l.NodeLast = len(words) == 5 && words[4] == "nodelast"; l.NodeLast {
		words = words[:4]
	}
	if len(words) != 4 {
		return l, errForm
	}
	if l.Epoch, err = time.Parse(time.RFC3339, words[0]); err != nil {
		l.Epoch, err = time.Parse(time.DateOnly, words[0])
	}
	if err != nil {
		return l, fmt.Errorf("%w: the epoch is neither a time, such as 2021-01-01T00:00:00Z, nor a date", errForm)
	}
	if l.Tick, err = time.ParseDuration(words[1]); err != nil {
		return l, fmt.Errorf("%w: the tick is not a duration", errForm)
	}
	for i, bits := range []*int{&l.NodeBits, &l.SequenceBits} {
		if *bits, err = strconv.Atoi(words[2+i]); err != nil {
			return l, fmt.Errorf("%w: the bits are not whole numbers", errForm)
		}
	}
	if _, err := l.Compose(ids.SnowflakeParts{Time: l.Epoch}); err != nil {
		return l, fmt.Errorf("is not a layout: %s", strings.TrimPrefix(err.Error(), "ids: "))
	}
	return l, nil
}
