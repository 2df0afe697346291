// Far generates IDs while the system's clock makes steps of centuries. It is compiled with a
// package time whose clock is Shift seconds ahead. See TestFarSteps.
package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/oneclock/ids"
)

// years lists the years to which the clock steps. The program starts once with each year, and then
// goes through the rest of the list cyclically. The years were chosen because of three limits.
// Windows time begins in 1601, a time.Time can have a monotonic reading only from 1885 to 2157, and
// no Duration exceeds 292 years.
var years = []int{2400, 2026, 1601, 2027, 2320, 1884, 2156, 2158, 1602}

func main() {
	for i := range years {
		mint(slices.Concat(years[i:], years[:i]))
	}
}

func mint(years []int) {
	set(years[0])
	c := ids.NewClock(nil)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	// This layout has only one ID in each tick.
	one := ids.SnowflakeLayout{Epoch: time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond}
	node, err := ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Clock: c, Layout: one})
	if err != nil {
		panic(err)
	}
	highest := 0
	for _, year := range years {
		set(year)
		highest = max(highest, year)
		for range 3 {
			for range 50 {
				if year == highest { // otherwise, Snowflakes stay ahead of the clock
					check(years[0], "Snowflake", func() time.Time { return one.Split(node.Next()).Time })
				}
			}
			check(years[0], "V1", func() time.Time { at, _ := g.NewV1().Time(); return at })
			check(years[0], "V6", func() time.Time { at, _ := g.NewV6().Time(); return at })
			if year >= 1970 {
				check(years[0], "V7", func() time.Time { at, _ := g.NewV7().Time(); return at })
			}
			sleep(20 * time.Millisecond)
		}
	}
}

// set sets the clock to a year and waits until any cached time is too old to be used.
func set(year int) {
	time.Shift += time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC).Unix() - time.Now().Unix()
	sleep(2 * time.Millisecond)
}

// longest is the duration of the longest call since sleep was last called.
var longest time.Duration

// sleep sleeps for d, which is at least 2 ms. After that, no call uses the readings of an earlier
// call.
func sleep(d time.Duration) {
	time.Sleep(d)
	longest = 0
}

// check checks that the time in an ID is the clock's time, or at most 10 ms ahead of it. The ID's
// time is rounded down to a tick. If an earlier call was paused between its readings of the wall
// clock and the monotonic clock, the ID's time may be behind by the duration of that call.
func check(start int, what string, next func() time.Time) {
	before := time.Now().Round(0)
	at := next()
	after := time.Now().Round(0)
	if at.Before(before.Add(-2*time.Millisecond-longest)) || at.After(after.Add(11*time.Millisecond)) {
		panic(fmt.Sprintf("made in %d: %s has the time %v when it is %v to %v", start, what, at, before, after))
	}
	longest = max(longest, after.Sub(before))
}
