package ids_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// age returns how long ago an id was minted.
func age(id ids.UUID) time.Duration {
	at, _ := id.Time()
	return time.Since(at)
}

// testAge is a test of age, such as TestAge would be, in a bubble whose clock moves only while
// all sleep.
func testAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id := ids.NewV7()
		time.Sleep(90 * time.Minute) // returns at once
		if got := age(id); got != 90*time.Minute {
			t.Errorf("the id is %v old", got)
		}
	})
}

// In a testing/synctest bubble, ids have the time of the bubble.
func Example_synctest() {
	var t *testing.T // which go test gives to each test
	testAge(t)
}
