package nodelease

// This file contains the options of a Minter.

import (
	"log/slog"
	"time"

	"github.com/oneclock/ids"
)

// Options configures a [Minter]. The zero value selects the defaults.
type Options struct {
	// Window is how far ahead of the wall clock the Minter sets the horizon. A longer window means
	// fewer writes, but after a crash, the number's horizon takes longer to pass. The window must
	// be at least 100 ticks of the layout, and at most 24 h or 100 ticks, whichever is longer. If
	// the window is less than the lease's TTL, the TTL is used instead. Zero means four times the
	// TTL, within these bounds.
	Window time.Duration

	// Layout is the layout of the IDs. The zero value means Twitter's layout, with 1,024 numbers.
	// All processes that use one store must use the same layout.
	Layout ids.SnowflakeLayout

	// Now replaces the wall clock. If Now is nil, the system clock is used. The function must be
	// safe for concurrent use, must not block, and must not call back into the Minter.
	Now func() time.Time

	// Logger receives a record when minting begins or ends, when the store fails, and when
	// something requires an operator's attention, as described at [Warned]. While the store keeps
	// failing, the failure is logged once a minute. Nil means that nothing is logged.
	//
	// A single goroutine of the Minter makes all calls to Logger and Observe, so these calls are
	// never concurrent. If a call blocks, minting continues, and reports are dropped once 1,000 are
	// queued. Close then still releases the number, but waits up to 5 s for the call to return. A
	// panic in Logger or Observe ends the program. Logger and Observe must not call Close, because
	// Close would wait 5 s for them to return.
	Logger *slog.Logger

	// Observe is called with each event, for example to update metrics. If Observe is nil, events
	// are dropped. The rules for Logger apply to Observe, too.
	Observe func(Event)
}
