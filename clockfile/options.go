package clockfile

// This file contains the options and the status of a File.

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
	minWindow     = 100 * time.Millisecond // 100 ticks of Twitter's Snowflake layout
	maxWindow     = 24 * time.Hour         // IDs may be this far ahead after a crash
)

// Options are the options for [Open]. [Create] uses only Owner. The zero value is the default.
type Options struct {
	// Owner is the name of the file's owner, such as "orders, node 7". A name of more than 255
	// bytes is an error. Open fails if the file belongs to another owner, for example because the
	// volume for another node number is mounted. If the file has no owner, this name is stored in
	// it. If Owner is empty, Open accepts any owner.
	Owner string

	// Window is the distance by which the horizon is set ahead of the wall clock, from 100 ms to 24
	// h. Zero means 10 s. For any other value, [Open] returns an error. A horizon is saved twice
	// per Window, and after a crash, IDs continue from the saved horizon.
	//
	// Window should be at least 100 times the longest tick in use, which means at least 1 s for
	// [ids.SonyflakeLayout]. With a shorter Window, IDs that are ahead of the wall clock wait until
	// the wall clock has caught up. Open does not check this.
	Window time.Duration

	// ClockOptions configures the clock; nil means the default options. If the time in the file is
	// later than After, it replaces After.
	//
	// Now must return quickly, because the goroutine that checks and saves the file calls it, too.
	// While this goroutine waits for Now to return, the file is not checked, but IDs up to the
	// horizon are still generated. If the file is replaced during that time, IDs can repeat. Close
	// waits for Now to return, without a time limit.
	ClockOptions *ids.ClockOptions

	// Report, if not nil, is called when saves or checks of the file begin to fail, when they have
	// succeeded again for 5 s, and when the file is lost. A save that has taken half of Window is
	// treated as failed until it returns, and so are checks that have taken 1 s. If saves or checks
	// were not already failing, the error for such a save or check matches
	// [os.ErrDeadlineExceeded]. Report is not called for the error that [File.Close] returns.
	//
	// Calls to Report do not overlap. A call that does not return prevents later reports, but does
	// not stop saving or ID generation. Report may generate IDs, but Next waits while they are
	// withheld and panics after the clock has ended. Report must not call Close, because Close
	// waits for Report for up to 5 s.
	Report func(Status)
}

// complete returns opts with the default value for each zero field. If opts is nil, it returns the
// default options. If Window is out of range, complete returns an error.
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

	// Err is nil while saves and checks of the file succeed. Otherwise, it is the reason for their
	// failure. It matches [ErrLost] if the file is lost, and [fs.ErrClosed] after [File.Close].
	Err error

	// Horizon is the saved time, or the zero time while the file cannot be checked. No Snowflake or
	// version 1 or 6 UUID has a later time.
	Horizon time.Time
}

// String returns a log line that contains the path.
func (s Status) String() string {
	horizon := s.Horizon.Format(time.RFC3339Nano)
	switch {
	case s.Err == nil:
		return fmt.Sprintf("clockfile: %s: saving works, up to %s", s.Path, horizon)
	case errors.Is(s.Err, ErrLost), errors.Is(s.Err, fs.ErrClosed): // there are no more IDs
		return s.Err.Error()
	case s.Horizon.IsZero():
		return s.Err.Error() + "; no IDs until a check succeeds"
	}
	return s.Err.Error() + "; no IDs after " + horizon + " until a save succeeds"
}
