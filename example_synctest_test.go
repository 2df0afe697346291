package ids_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// age returns how long ago an id was made.
func age(id ids.UUID) time.Duration {
	at, _ := id.Time()
	return time.Since(at)
}

// testAge is a test of age, such as TestAge would be. Its ids are of a clock made in the bubble: those of the default
// clock, which NewV7 has, may be up to 10 s ahead of this bubble, if an earlier one has made some.
func testAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gen := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})
		id := gen.NewV7()
		time.Sleep(90 * time.Minute) // returns at once
		if got := age(id); got != 90*time.Minute {
			t.Errorf("the id is %v old", got)
		}
	})
}

// testSnowflake is one of a Snowflake. In a bubble it is the year 2000, before Twitter's epoch, so it sleeps first.
func testSnowflake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		node, err := ids.NewSnowflakeNode(7, &ids.SnowflakeOptions{Clock: ids.NewClock(nil)})
		if err != nil {
			t.Fatal(err)
		}
		id := node.Next()
		time.Sleep(time.Hour)
		if got := time.Since(node.Layout().Split(id).Time); got != time.Hour {
			t.Errorf("the Snowflake is %v old", got)
		}
	})
}

// In a testing/synctest bubble, ids have the time of the bubble.
func Example_synctest() {
	var t *testing.T // which go test gives to each test
	testAge(t)
	testSnowflake(t)
}
