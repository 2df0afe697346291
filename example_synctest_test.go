package ids_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// age returns the time since an ID was made.
func age(id ids.UUID) time.Duration {
	at, _ := id.Time()
	return time.Since(at)
}

// testAge tests age, as a function TestAge would. Its IDs come from a clock made in the bubble. IDs
// of the default clock, which NewV7 uses, may be up to 10 s ahead of this bubble if an earlier
// bubble has made some.
func testAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gen := ids.NewGenerator(&ids.GeneratorOptions{Clock: ids.NewClock(nil)})
		id := gen.NewV7()
		time.Sleep(90 * time.Minute) // returns immediately
		if got := age(id); got != 90*time.Minute {
			t.Errorf("the id is %v old", got)
		}
	})
}

// testSnowflake is such a test for a Snowflake. A bubble begins in the year 2000, before Twitter's
// epoch, so the test sleeps first.
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

// In a testing/synctest bubble, the times in IDs are the bubble's.
func Example_synctest() {
	var t *testing.T // the T that go test passes to each test
	testAge(t)
	testSnowflake(t)
}
