package clockfile

// The options of a File, and its status.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/oneclock/ids"
)

const (
	defaultWindow = 10 * time.Second
	minWindow     = 100 * time.Millisecond // 100 ticks of a Snowflake of Twitter's layout
	maxWindow     = 24 * time.Hour         // IDs may be this far ahead after a crash
)

// Options are the options of [Open]. [Create] uses Owner alone. The zero value is the default.
type Options struct {
	// Owner is the name of the file's owner, such as "orders, node 7". A name of more than 255
	// bytes is an error. If the file belongs to another owner, it is refused, for example because
	// the volume of another node number is mounted. A file without an owner gets this one. The
	// empty string accepts any owner.
	Owner string

	// Window is how far ahead of the wall clock the horizon is set: 100 ms to 24 h. For any other
	// value [Open] returns an error. Zero means 10 s. A horizon is saved every half of Window, and
	// after a crash IDs continue from it.
	//
	// Window should be at least 100 times the longest tick in use, such as 1 s for
	// [ids.SonyflakeLayout]. With a shorter Window, IDs that are ahead of the wall clock wait until
	// it has caught up. This is not checked.
	Window time.Duration

	// ClockOptions are the options of the clock; nil means the default. After becomes the time in
	// the file, if that is later.
	//
	// Now must return soon, because the goroutine that checks and saves the file calls it, too.
	// Until such a call returns, IDs continue up to the horizon without checks, and can repeat if
	// the file is replaced meanwhile. Close waits for Now without a limit.
	ClockOptions *ids.ClockOptions

	// Report, if not nil, is called when saves or checks of the file begin to fail, when they have
	// worked again for 5 s, and when the file is lost. A save that takes half of Window counts as
	// failed until it returns, and so do checks that take 1 s. Their error matches
	// [os.ErrDeadlineExceeded]. The error that [File.Close] returns is not reported.
	//
	// Calls do not overlap. A call that does not return stops later reports, but neither saves nor
	// IDs. Report may make IDs: Next then waits while they are withheld, and panics after the clock
	// has ended. Report must not call Close, which waits for it for up to 5 s.
	Report func(Status)
}

// complete returns opts with the default for each zero field. Nil options mean the default. It
// returns an error for a Window out of range.
func (opts *Options) complete() (Options, error) {
	o := *cmp.Or(opts, new(Options))
	o.Window = cmp.Or(o.Window, defaultWindow)
	if w := o.Window; w < minWindow || w > maxWindow {
		return Options{}, fmt.Errorf("Options.Window is %v, not between %v and %v", w, minWindow, maxWindow)
	}
	if o.Report == nil {
		o.Report = func(Status) {}
	}
	o.ClockOptions = cmp.Or(o.ClockOptions, new(ids.ClockOptions))
	return o, nil
}

// Status is the state of a [File].
type Status struct {
	// Path is the path of the file, as given to [Open].
	Path string

	// Err is nil while saves and checks of the file work. Otherwise it is the reason why they do
	// not. It matches [ErrLost] if the file is lost, and [fs.ErrClosed] after [File.Close].
	Err error

	// Horizon is the saved time, or the zero time while the file cannot be checked. No Snowflake
	// and no version 1 or 6 UUID has a later time.
	Horizon time.Time
}

// String returns a log line with the path.
func (s Status) String() string {
	horizon := s.Horizon.Format(time.RFC3339Nano)
	switch {
	case s.Err == nil:
		return fmt.Sprintf("clockfile: %s: saving works, up to %s", s.Path, horizon)
	case errors.Is(s.Err, ErrLost), errors.Is(s.Err, fs.ErrClosed): // IDs end
		return s.Err.Error()
	case s.Horizon.IsZero():
		return s.Err.Error() + "; no IDs until a check succeeds"
	}
	return s.Err.Error() + "; no IDs after " + horizon + " until a save succeeds"
}
