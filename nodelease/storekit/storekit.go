// Package storekit is for programmers who write their own [nodelease.Store]. It contains the code
// that every store needs in addition to its database code. This code checks options, clocks and
// layouts, and chooses among free numbers. The stores of this module use it, and package
// [github.com/oneclock/ids/nodelease/storetest] can test your own store.
//
// # What keeps IDs unique
//
// Take checks and writes in one step. In the transaction that takes the number, it also reads the
// horizon for the Grant, and the time at which the lease ends. If Take first reads and later
// writes, it must write only if the lease is still expired and the horizon has not changed since
// the read. Otherwise, the store may confirm an Extend from the former holder between the read and
// the write. The next holder then starts below the former holder's horizon, and IDs can repeat.
//
// Each Take writes a token that is never reused, such as a random UUID. Extend and Release compare
// this token with the stored one in the same statement that writes the new values. If the two
// tokens differ, the method returns [nodelease.ErrLost]. A counter is not enough, because its
// values are reused after a backup is restored.
//
// Extend returns nil only when the horizon would survive a crash of the database. It never lowers a
// horizon, and may be called again with the current one. Release writes the given horizon, even if
// it is lower than the stored one, and removes the token. The zero time means that there is no
// horizon. The horizons passed to Extend and Release are multiples of a microsecond. A store with a
// coarser unit rounds them up.
//
// In addition to the numbers, a store keeps the header that [Header] returns, which describes the
// layout of the IDs. Take compares the stored header with the caller's header by calling
// [CheckHeader]. The numbers and the header are initialized by a function that an operator calls
// before the first start. If parts are missing later, a store must not initialize them by itself,
// because the new parts would lack the horizons that the missing parts may have contained.
//
// # What keeps numbers available
//
// If its context is done when it is called, Take returns the context's error and writes nothing. If
// Take fails because its context expired or was canceled, or because its connection broke, the
// database may have taken the number anyway. Take then uses the token to undo what it may have
// done, with a new context that has a timeout of about a second. Without this step, the number
// would stay leased for one TTL, although no process uses the number. A lease outlives the context
// that was passed to Take.
//
// Each write must be a single statement, which the database commits by itself. If a transaction
// consists of several requests and the network fails after one of them, the transaction keeps its
// locks until the database ends the session. Until then, no process, not even the holder, can
// update that number.
//
// The database's clock determines when leases expire. If the database has no clock, a Store can
// remember when it last saw each lease change, because a Store lives as long as its process. In
// this case, a lease has expired if it has not changed for one TTL, measured by the process's
// monotonic clock. A [nodelease.Minter] calls Extend every TTL/4 to TTL/3. A Minter allows 5 s for
// a call to Take or, after two failures in a row, 10 s. The loss of a number counts as a failure.
package storekit

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/layout"
)

const (
	defaultNumbers = 1024 // the maximum for Twitter's layout
	maxNumbers     = 1 << 20
	defaultTTL     = 15 * time.Second
	minTTL         = time.Second
)

// MaxTTL is the maximum TTL of a store. If the TTL in a Grant is longer, a Minter uses MaxTTL
// instead.
const MaxTTL = 365 * 24 * time.Hour

// Complete replaces zero values with the defaults and checks the other values:
//
//   - The holder's name must pass [CheckText]. The default is the host's name and the process ID.
//   - There must be from 1 to 1,048,576 node numbers, and all of them must fit the layout, which
//     [CheckNumbers] checks. The default is 1,024 node numbers.
//   - The TTL must be at least 1 s and at most [MaxTTL]. The default is 15 s.
//
// The error messages refer to these values as Options.Holder, Options.Numbers and Options.TTL.
func Complete(holder *string, numbers *int64, ttl *time.Duration, layout ids.SnowflakeLayout) error {
	if *holder == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		*holder = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	if err := CheckText("Options.Holder", *holder); err != nil {
		return err
	}
	if *numbers == 0 {
		*numbers = defaultNumbers
	}
	if *numbers < 0 || *numbers > maxNumbers {
		return fmt.Errorf("Options.Numbers %d is not within 1 to %d", *numbers, maxNumbers)
	}
	if *ttl == 0 {
		*ttl = defaultTTL
	}
	if *ttl < minTTL || *ttl > MaxTTL {
		return fmt.Errorf("Options.TTL %v is not within %v to %v", *ttl, minTTL, MaxTTL)
	}
	return CheckNumbers(*numbers, layout)
}

// CheckText returns an error if text is not valid UTF-8 or contains a NUL, because not every
// database can store such a string. The what parameter is the name of the string, such as
// "Options.Holder". The error begins with that name.
func CheckText(what, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fmt.Errorf("%s %q is not UTF-8 without a NUL", what, text)
	}
	return nil
}

// CheckNumbers returns an error that matches [nodelease.ErrRefused] in three cases:
//
//   - The layout l is invalid.
//   - This machine's clock has passed the last time that l can represent, so no more IDs can be
//     made.
//   - The layout cannot hold all the numbers from 0 to numbers-1. If a number does not fit the
//     layout, its holder can only release it.
//
// The error names Options.Layout or Options.Numbers.
func CheckNumbers(numbers int64, l ids.SnowflakeLayout) error {
	if err := l.Validate(); err != nil {
		return refuse("Options.Layout: %v", err)
	}
	if last := l.Last(); last.Before(time.Now()) {
		return refuse("Options.Layout: the time of its IDs ended on %s", last.UTC().Format(time.RFC3339))
	}
	if most := int64(1) << layout.Plain(l).NodeBits; numbers > most {
		return refuse("Options.Numbers %d does not fit the layout, which has %d", numbers, most)
	}
	return nil
}

// schema is the version of the format in which the stores keep their data.
const schema = "2"

// Header returns the header that a store keeps in addition to its numbers. It contains the schema
// version and a description of the IDs' layout. For the zero layout, which means Twitter's layout,
// Header returns the header of Twitter's layout.
func Header(l ids.SnowflakeLayout) string {
	l = layout.Plain(l)
	order := "node first"
	if l.NodeLast {
		order = "node last"
	}
	return fmt.Sprintf("schema %s: epoch %s, tick %v, %d node bits, %d sequence bits, %s",
		schema, l.Epoch.UTC().Format(time.RFC3339Nano), l.Tick, l.NodeBits, l.SequenceBits, order)
}

// CheckVersion returns an error that matches [nodelease.ErrRefused] if the stored header has a
// different schema version. The place parameter describes where the store keeps the header.
func CheckVersion(place, stored string) error {
	if version, _, _ := strings.Cut(stored, ":"); version == "schema "+schema {
		return nil
	}
	return refuse("%s contains %q, but this process uses schema %s: another version of package nodelease made it", place, stored, schema)
}

// CheckHeader returns an error that matches [nodelease.ErrRefused] if the stored header has a
// different schema version or differs from own, the caller's header. The place parameter describes
// where the store keeps the header. The error contains the stored header and the caller's version
// or, if only the layouts differ, both headers.
func CheckHeader(place, stored, own string) error {
	if err := CheckVersion(place, stored); err != nil || stored == own {
		return err
	}
	return refuse("%s contains %q, but this process makes IDs of %q: two layouts need two stores", place, stored, own)
}

// Missing returns an error that reports a missing part of a store. The what parameter is a
// description of that part, such as "there is no such table". The hint parameter is an instruction
// to create that part, such as "call pgstore.Init". If the description of the missing part is
// empty, Missing returns nil. The error matches [nodelease.ErrRefused] and [fs.ErrNotExist].
func Missing(what, hint string) error {
	if what == "" {
		return nil
	}
	return &refusal{fmt.Sprintf("%s; only for a first start, %s", what, hint),
		[]error{nodelease.ErrRefused, fs.ErrNotExist}}
}

// ErrMade is the error that Init returns if the store is already complete. It matches
// [fs.ErrExist].
var ErrMade error = &refusal{"nothing is missing: this is not the first start", []error{fs.ErrExist}}

// A refusal is an error with its own message, because the messages of the fs errors that it can
// match are about files.
type refusal struct {
	text  string
	match []error
}

func (e *refusal) Error() string   { return e.text }
func (e *refusal) Unwrap() []error { return e.match }

// refuse returns an error that matches [nodelease.ErrRefused].
func refuse(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), []error{nodelease.ErrRefused}}
}

// maxSkew is the maximum plausible difference between two clocks, and between a horizon and the
// median horizon. A clock or a horizon that differs by more is assumed to be wrong.
const maxSkew = 24 * time.Hour

// CheckNow returns an error if now, the time on the caller's wall clock, differs from other, the
// time on another clock, by more than 24 h. The error contains both times. The what parameter is a
// description of the other clock for the error, such as "the server's". Take calls CheckNow so that
// one machine's wrong clock cannot move the horizons of many numbers, one after another.
func CheckNow(now time.Time, what string, other time.Time) error {
	if d := now.Sub(other); d < -maxSkew || d > maxSkew {
		return fmt.Errorf("this machine's clock shows %s, %s %s: they are more than %v apart, so one is wrong",
			now.UTC().Format(time.RFC3339), what, other.UTC().Format(time.RFC3339), maxSkew)
	}
	return nil
}

// Median returns the median of the horizons that are not zero. For an even number of horizons, it
// returns the earlier of the middle two. If there are no such horizons, it returns the zero time.
func Median(horizons []time.Time) time.Time {
	set := slices.DeleteFunc(slices.Clone(horizons), time.Time.IsZero)
	if len(set) == 0 {
		return time.Time{}
	}
	slices.SortFunc(set, time.Time.Compare)
	return set[(len(set)-1)/2]
}

// A Candidate is a free number with its horizon.
type Candidate struct {
	// Number is the node number.
	Number int64
	// Horizon is the number's horizon. The zero time means that the number has no horizon.
	Horizon time.Time
	// A store can use Version to check that the horizon has not changed since the store read it.
	// Prefer ignores it.
	Version int64
}

// Prefer sorts free numbers into the order in which Take tries them. The now parameter is the time
// on the caller's wall clock. Numbers whose horizon has passed come first, in random order, so that
// processes that start at the same time rarely try the same number. Numbers whose horizon is later
// than now come last, in ascending order of their horizons, because IDs with such a number have
// timestamps later than the wall clock.
//
// The median parameter is the median of all numbers' horizons. If a number's horizon has passed but
// is more than 24 h later than this median, the number comes before all others. According to most
// holders' clocks, such a horizon has not passed yet. If a holder's clock is years ahead, the
// horizon has passed according to that clock. The holder therefore takes the same number again, so
// it does not write such a horizon to a second number. A store whose Take compares the caller's
// clock with the database's clock passes the zero time as the median. In that case, this preference
// does not apply.
func Prefer(free []Candidate, median, now time.Time) {
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	rank := func(c Candidate) int {
		if !c.Horizon.After(now) && !median.IsZero() && c.Horizon.Sub(median) > maxSkew {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(free, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), Later(a.Horizon, now).Compare(Later(b.Horizon, now)))
	})
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
