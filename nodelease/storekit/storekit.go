// Package storekit is for authors of a [nodelease.Store]. It has what all stores need beside their database: the checks of
// options, clocks and layouts, and the choice among free numbers. The stores of this module use it, and package
// [github.com/oneclock/ids/nodelease/storetest] tests one of your own.
//
// # What keeps ids unique
//
// Take judges and writes in one step. Whether a lease has ended, and the horizon of the Grant, are read in the
// transaction that takes the number. A Take that looks first and writes later writes only if the lease has still ended and
// the horizon is still the one that it has seen. Otherwise an Extend of the former holder that comes in between is
// confirmed, and the next holder starts before it: ids repeat.
//
// Each Take writes a token that never occurs again, such as a random UUID. Extend and Release compare it in the
// statement that writes, and return [nodelease.ErrLost] if it is another one. A count will not do: it occurs again after
// a backup is restored.
//
// Extend returns nil only when the horizon survives a crash of the database. It never lowers a horizon, and may be called
// again with the one that is there. Release sets the horizon, be it lower, and removes the token. The zero time means
// that there is none. Both are given whole microseconds: a store with a coarser unit rounds up.
//
// Beside the numbers a store keeps the [Header], which has the layout of the ids, and Take compares it by [CheckHeader].
// A function that people call before the first start makes all this. A store that makes what is missing by itself
// forgets the horizons that were lost.
//
// # What keeps numbers free
//
// Take returns the context's error if its context has ended, and writes nothing. A Take that fails after it may have been
// carried out, since its context has ended or its connection broke, undoes what it may have done, by the token, and
// under a context of its own with a timeout of a second or so. Otherwise a number is held for nobody until the TTL has
// passed. A lease outlives the context of its Take.
//
// A write is one statement that the database commits by itself. A transaction of several requests keeps its locks where the
// network is cut between them, and nobody else can write that number, its holder included.
//
// Leases end by the database's clock. Where it has none, a Store can remember what it saw, since it lives as long as its
// process: a lease has ended if it has stayed the same for a TTL of this process's monotonic clock. A [nodelease.Minter]
// calls Extend every TTL/4 to TTL/3, and gives its first two Takes 5 s and later ones 10 s.
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
	defaultNumbers = 1024 // what Twitter's layout can name
	maxNumbers     = 1 << 20
	defaultTTL     = 15 * time.Second
	minTTL         = time.Second
)

// MaxTTL bounds the TTL of a store. A Minter counts on no longer one.
const MaxTTL = 365 * 24 * time.Hour

// Complete puts the defaults in place of zeros, and checks the rest: for holder, the name of the host and the process; for
// numbers, which is how many there are, 1,024, of 1 to 1,048,576 and no more than ids of the layout can have, as
// [CheckNumbers] says; for ttl 15 s, of 1 s to [MaxTTL]. The error names the fields Holder, Numbers and TTL of a struct Options.
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

// CheckText returns an error if text is not UTF-8 or has a NUL, since not every database can keep that. The error calls
// it what, such as "Options.Holder".
func CheckText(what, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fmt.Errorf("%s %q is not UTF-8 without a NUL", what, text)
	}
	return nil
}

// CheckNumbers returns an error that matches [nodelease.ErrRefused] if layout l is not valid, if its last time has passed by
// this machine's clock, so that there can be no id of it, or if its ids cannot have all the numbers from 0 to numbers-1: a
// holder of one that does not fit could only give it back. It names Options.Layout or Options.Numbers.
func CheckNumbers(numbers int64, l ids.SnowflakeLayout) error {
	if err := l.Validate(); err != nil {
		return refuse("Options.Layout: %v", err)
	}
	if last := l.Last(); last.Before(time.Now()) {
		return refuse("Options.Layout: the time of its ids has ended on %s", last.UTC().Format(time.RFC3339))
	}
	if most := int64(1) << layout.Plain(l).NodeBits; numbers > most {
		return refuse("Options.Numbers %d does not fit the layout, which has %d", numbers, most)
	}
	return nil
}

// schema is the version of what the stores keep, and how.
const schema = "2"

// Header returns what a store keeps beside its numbers: the version of the schema and, in words, the layout of
// the ids. The zero layout means Twitter's, and has the same text.
func Header(l ids.SnowflakeLayout) string {
	l = layout.Plain(l)
	order := "node first"
	if l.NodeLast {
		order = "node last"
	}
	return fmt.Sprintf("schema %s: epoch %s, tick %v, %d node bits, %d sequence bits, %s",
		schema, l.Epoch.UTC().Format(time.RFC3339Nano), l.Tick, l.NodeBits, l.SequenceBits, order)
}

// CheckVersion returns an error that matches [nodelease.ErrRefused] if a header, which is at a place in the store, is of
// another version of the schema.
func CheckVersion(place, stored string) error {
	if version, _, _ := strings.Cut(stored, ":"); version == "schema "+schema {
		return nil
	}
	return refuse("%s says %q, and this process keeps schema %s: another version of package nodelease made it", place, stored, schema)
}

// CheckHeader returns an error that matches [nodelease.ErrRefused] if the header of the store, which is at a place, is of
// another version, or is not the caller's own. The error names both.
func CheckHeader(place, stored, own string) error {
	if err := CheckVersion(place, stored); err != nil || stored == own {
		return err
	}
	return refuse("%s says %q, and this process makes ids of %q: two layouts need two stores", place, stored, own)
}

// Missing returns the error for what is missing, or nil if what is empty. It matches [nodelease.ErrRefused] and
// [fs.ErrNotExist]. mend says how to make it, such as "call pgstore.Init".
func Missing(what, hint string) error {
	if what == "" {
		return nil
	}
	return &refusal{fmt.Sprintf("%s; if this is the first start, and only then, %s", what, hint),
		[]error{nodelease.ErrRefused, fs.ErrNotExist}}
}

// ErrMade is what an Init returns that finds nothing missing. It matches [fs.ErrExist].
var ErrMade error = &refusal{"nothing is missing: this is not the first start", []error{fs.ErrExist}}

// A refusal has a text of its own: those of package fs are about files.
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

// maxSkew is how far a clock or a horizon may be from the others' before it is taken for wrong.
const maxSkew = 24 * time.Hour

// CheckNow returns an error that names both times if now, the caller's wall clock, is more than 24 h from the other
// time, that of what, such as "the server's". Take calls it: the clock of one machine must not push the
// horizons of number after number.
func CheckNow(now time.Time, what string, other time.Time) error {
	if d := now.Sub(other); d < -maxSkew || d > maxSkew {
		return fmt.Errorf("this machine's clock says %s, %s %s: more than %v apart, so one of them is wrong",
			now.UTC().Format(time.RFC3339), what, other.UTC().Format(time.RFC3339), maxSkew)
	}
	return nil
}

// Median returns the median of the horizons that are not zero: of an even number the earlier of the middle two, of none
// the zero time.
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
	// Number is the number.
	Number int64
	// Horizon is its horizon. The zero time means none.
	Horizon time.Time
	// Version is the store's own, to tell whether the horizon is still the one that was seen. Prefer ignores it.
	Version int64
}

// Prefer sorts free numbers into the order in which Take tries them, for a caller whose wall clock is now. Those whose
// horizon has passed come first, in random order so that processes which start together seldom want the same one. After
// them come those whose horizon is ahead, the nearest first: ids under such a number carry a time later than the wall clock's.
//
// Of the former, those come first whose horizon is more than 24 h later than median, that of the horizons
// of all numbers. To most holders such a horizon is ahead. For a holder whose clock is years ahead it has
// passed, and it takes that number again, instead of giving one more such a horizon. A store whose Take compares the
// caller's clock with the database's passes the zero time for median: then none comes before others.
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
