package nodelease

// The options of a Minter.

import (
	"log/slog"
	"time"

	"github.com/oneclock/ids"
)

// Options are the options of [NewMinter]. The zero value is the default.
type Options struct {
	// Window is how far ahead of the wall clock the horizon is written. A longer window makes fewer
	// writes, but after a crash the holder's number rests for longer. It must be at least 100 ticks
	// of the layout, and at most 24 h or 100 ticks, whichever is longer. If it is less than the
	// lease's TTL, the TTL is used instead. Zero means four times the TTL, within these bounds.
	Window time.Duration

	// Layout is the layout of the IDs. The zero value means Twitter's layout, with 1,024 numbers.
	// All holders of one store's numbers must use one layout.
	Layout ids.SnowflakeLayout

	// Now replaces the wall clock. Nil means the system's. It must be safe for concurrent use, must
	// not block, and must not call back into the Minter.
	Now func() time.Time

	// Logger logs when minting begins and ends, when the store fails, and what needs a person's
	// attention, as described at [Warned]. While the store keeps failing, that is logged once a
	// minute. Nil means no log.
	//
	// A goroutine of the Minter calls Logger and Observe, one after another. If one blocks, minting
	// and Close continue, and reports are dropped once 1,000 are queued. A panic in them ends the
	// program. They must not call Close, which would wait 5 s for them.
	Logger *slog.Logger

	// Observe is called with each event, for metrics. Nil means none. The rules for Logger apply.
	Observe func(Event)
}
