package nodelease

import (
	"errors"
	"time"

	"github.com/oneclock/ids"
)

// never is a limit that suspends a clock for as long as it is set: no layout can name an earlier time.
var never = time.Time{}.Add(1)

// maxTTL bounds what a store says, so that no sum of times overflows.
const maxTTL = 365 * 24 * time.Hour

// A tenure is the time for which a Minter holds a number. Its clock starts above the mark that earlier
// holders left and is limited to the mark that this holder has written. So the ids with times from one
// mark to the next are this holder's alone.
type tenure struct {
	lease  Lease
	number int64
	mark   time.Time // when the number was taken
	ttl    time.Duration

	layout ids.SnowflakeLayout
	wall   func() time.Time
	given  func() time.Time // MinterOptions.Now, which may be nil

	// asked is the highest mark asked of the store. A request without an answer may have been
	// carried out, so no later one asks for less. Only keep uses it.
	asked time.Time

	// What follows is guarded by Minter.mu.
	limit    time.Time // the mark that the store has confirmed
	clock    *ids.Clock
	node     *ids.SnowflakeNode
	slewing  bool          // clock is a slow one, ahead of the wall clock
	deadline time.Duration // when minting stops, on the scale of Minter.elapsed
	expiry   *time.Timer   // stops it
}

// margin is how long before the end of a lease the minting stops.
//
// The store counts the TTL from when it received the request, the Minter from before it sent it: the
// request's way is on the safe side. What is left are two clocks that do not run equally fast and the
// time that the timer and a call need. One part in ten of the TTL covers the first: kernels slew a
// clock by at most 500 parts in a million, chrony by at most 83,333. A tenth of a second is for the
// second. A pause that is longer breaks no promise: what keeps ids unique is the mark.
func margin(ttl time.Duration) time.Duration { return ttl/10 + 100*time.Millisecond }

// restart gives t a new clock that reads now and begins after the latest id of the one before. On an
// error t goes on with that one.
func (t *tenure) restart(now func() time.Time, slewing bool) error {
	after, limit := t.mark, never
	if t.clock != nil {
		t.clock.SetLimit(never) // then Latest is final
		after, limit = t.clock.Latest(), t.limit
	}
	clock := ids.NewClock(&ids.ClockOptions{Now: now, After: after})
	clock.SetLimit(limit)
	node, err := ids.NewSnowflakeNode(t.number, &ids.SnowflakeOptions{Layout: t.layout, Clock: clock})
	if err != nil {
		if t.clock != nil {
			t.clock.SetLimit(limit)
		}
		return err
	}
	t.clock, t.node, t.slewing = clock, node, slewing
	return nil
}

// slew replaces a clock behind which the wall clock has fallen by one that runs half as fast as time
// passes, from the latest id on.
func (t *tenure) slew() error {
	base, began := t.clock.Latest(), time.Now()
	return t.restart(func() time.Time { return base.Add(time.Since(began) / 2) }, true)
}

// draw is the node's TryNext. If ascend is set, it slews where that returns ErrClockBackward.
func (t *tenure) draw(ascend bool) (ids.Snowflake, error) {
	if t.slewing && !t.wall().Before(t.clock.Latest()) { // the wall clock has caught up
		if err := t.restart(t.given, false); err != nil {
			return 0, err
		}
	}
	if !t.slewing {
		id, err := t.node.TryNext()
		if !ascend || !errors.Is(err, ids.ErrClockBackward) {
			return id, err
		}
		if err := t.slew(); err != nil {
			return 0, err
		}
	}
	if !ascend {
		return 0, ids.ErrClockBackward
	}
	id, err := t.node.TryNext()
	if errors.Is(err, ids.ErrClockBackward) { // the ids are ahead of the slow clock too
		err = ids.ErrExhausted
	}
	return id, err
}

// horizon returns the mark that d asks for: see [ids.Clock.Horizon]. A slow clock is ahead of the wall
// clock, so that a hundredth of d must suffice there.
func (t *tenure) horizon(d time.Duration) time.Time {
	if t.slewing {
		return later(t.clock.Horizon(d/100), t.wall().Add(d))
	}
	return t.clock.Horizon(d)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
