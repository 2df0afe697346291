package nodelease

// The options of a Minter.

import (
	"log/slog"
	"time"

	"github.com/oneclock/ids"
)

// Options are the options of [NewMinter]. The zero value is the default.
type Options struct {
	// Window is how far ahead of the wall clock the horizon is written: a longer one makes fewer writes, and the
	// number of a holder that crashed rests for longer. It must be at least 100 ticks of the layout, and at most 24 h, unless
	// 100 ticks are more. If it is less than the lease's TTL, the TTL counts. Zero means four times the TTL, within these bounds.
	Window time.Duration

	// Layout is the layout of the ids. The zero value means Twitter's, with 1,024 numbers. All holders
	// of one store's numbers must use one layout.
	Layout ids.SnowflakeLayout

	// Now replaces the wall clock. Nil means the system's. It must be safe for concurrent use, must
	// not block, and must not call back into the Minter.
	Now func() time.Time

	// Logger is told when ids begin and end, when the store fails, and what a person should look at, as [Warned]
	// says. While the store goes on failing, it is told once a minute. Nil means none.
	//
	// A goroutine of the Minter calls Logger and Observe, one after another. If one blocks, ids and Close go on, and
	// what happens after 1,000 more reports is not reported. A panic in them ends the program. They must not call Close,
	// which would wait 5 s for them.
	Logger *slog.Logger

	// Observe is called with what happens, for metrics. Nil means none. The rules for Logger apply.
	Observe func(Event)
}
