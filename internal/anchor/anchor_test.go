package anchor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids/internal/rule"
)

// TestRead reads the wall clock at the beginning and the end of an anchor's validity period, and
// later. A step of the wall clock is noticed within 1 ms, even if base is further from the present
// than rule.MaxElapsed or than the longest Duration.
func TestRead(t *testing.T) {
	for _, year := range []int{2000, 1950, 1601, 2400} {
		synctest.Test(t, func(t *testing.T) {
			var a Anchor
			a.Init(nil)
			begin := time.Now()
			base := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			a.base.Store(&base)
			for _, d := range []time.Duration{0, 1, rule.MaxAge - 1, 1, 1, 0, rule.MaxAge, 3 * rule.MaxAge, 1} {
				time.Sleep(d)
				elapsed := a.SinceBase()
				now, valid := a.Read(elapsed)
				if !valid {
					now, elapsed = a.ReadAnew(Sample{})
				}
				if !now.Time().Equal(time.Now()) || elapsed != int64(time.Since(begin)) {
					t.Errorf("%v after the start, base %d: got %v elapsed and the time %v, want the time %v",
						time.Since(begin), year, time.Duration(elapsed), now.Time(), time.Now().UTC())
				}
				if again, valid := a.Read(elapsed); !valid || again != now {
					t.Errorf("%v after the start, base %d: read again, got the time %v and %v, want the time %v",
						time.Since(begin), year, again.Time(), valid, now.Time())
				}
				if age := time.Since(begin) - time.Duration(a.at); age > time.Millisecond {
					t.Errorf("%v after the start, base %d: the anchor is %v old", time.Since(begin), year, age)
				}
			}
		})
	}
}
