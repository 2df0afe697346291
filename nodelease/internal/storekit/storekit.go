// Package storekit holds what stores share: their options, the choice among free numbers, and what they refuse.
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
)

const (
	defaultNumbers = 1024 // what Twitter's layout can name
	maxNumbers     = 1 << 20
	defaultTTL     = 15 * time.Second
	minTTL         = time.Second
)

// MaxTTL bounds the TTL of a store. A Minter counts on no longer one.
const MaxTTL = 365 * 24 * time.Hour

// Complete puts the defaults in place of zeros and checks the rest.
func Complete(holder *string, numbers *int64, ttl *time.Duration) error {
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
	return nil
}

// CheckText returns an error if text, which is named what, is not one that every store can keep.
func CheckText(what, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fmt.Errorf("%s %q is not UTF-8 without a NUL", what, text)
	}
	return nil
}

// schema is the version of what the stores keep, and how. Until version 2 horizons were called marks.
const schema = "2"

// Header returns what a store keeps beside its numbers: the version of the schema and, in words, the layout of
// the ids. The zero layout means Twitter's.
func Header(l ids.SnowflakeLayout) string {
	if zero := (ids.SnowflakeLayout{Epoch: l.Epoch}); l == zero && l.Epoch.IsZero() { // in any zone
		l = ids.TwitterLayout()
	}
	order := "node first"
	if l.NodeLast {
		order = "node last"
	}
	return fmt.Sprintf("schema %s: epoch %s, tick %v, %d node bits, %d sequence bits, %s",
		schema, l.Epoch.UTC().Format(time.RFC3339Nano), l.Tick, l.NodeBits, l.SequenceBits, order)
}

// CheckVersion returns an error if a header, which is at a place in the store, is of another version of the schema.
func CheckVersion(place, stored string) error {
	switch version, _, _ := strings.Cut(stored, ":"); version {
	case "schema " + schema:
		return nil
	case "schema 1":
		return Earlier(place, fmt.Sprintf("it says %q", stored))
	}
	return refuse("%s says %q, and this process keeps schema %s: another version of package nodelease made it", place, stored, schema)
}

// CheckHeader returns an error if the header of the store is of another version, or one that names both headers if it
// is not that of the caller.
func CheckHeader(place, stored, own string) error {
	if err := CheckVersion(place, stored); err != nil || stored == own {
		return err
	}
	return refuse("%s says %q, and this process makes ids of %q: two layouts need two stores", place, stored, own)
}

// Earlier is the error where a place in the store is of an earlier shape, as is seen by what it has.
func Earlier(place, seen string) error {
	return refuse("%s is of an earlier shape of this package (%s): "+
		"close its minters, and make another store, under another name, a window later", place, seen)
}

// Missing is the error where something is missing, or nil if what is empty. It matches [fs.ErrNotExist] too. pkg is
// the package whose Init makes it.
func Missing(what, pkg string) error {
	if what == "" {
		return nil
	}
	return &refusal{fmt.Sprintf("%s; if this is the first start, and only then, call %s.Init, or run leases init", what, pkg),
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

// wrong is how far a clock or a horizon may be from the others' before it is taken for wrong.
const wrong = 24 * time.Hour

// CheckNow returns an error that names both times if now, the caller's wall clock, is too far from the time
// that what says.
func CheckNow(now time.Time, what string, other time.Time) error {
	if d := now.Sub(other); d < -wrong || d > wrong {
		return fmt.Errorf("this machine's clock says %s, %s %s: more than %v apart, so one of them is wrong",
			now.UTC().Format(time.RFC3339), what, other.UTC().Format(time.RFC3339), wrong)
	}
	return nil
}

// Median returns the median of the horizons that are set, the earlier one of two, or the zero time.
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
	Number  int64
	Horizon time.Time
	Version int64 // of the horizon, for stores that have one
}

// Prefer puts the numbers whose horizon has passed first, in random order so that processes which
// start together seldom want the same one. After them come those whose horizon is ahead, the nearest
// first: ids under such a number carry a time later than the wall clock's.
//
// Of the former, those come first whose horizon is more than a day later than median, that of the horizons
// of all numbers. To most holders such a horizon is ahead. For a holder whose clock is years ahead it has
// passed, and it takes that number again, instead of giving one more such a horizon.
func Prefer(free []Candidate, median, now time.Time) {
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	late := func(c Candidate) int {
		if !c.Horizon.After(now) && !median.IsZero() && c.Horizon.Sub(median) > wrong {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(free, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), Later(a.Horizon, now).Compare(Later(b.Horizon, now)))
	})
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
