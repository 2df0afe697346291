// Package storekit holds what stores share: their options, the choice among free node numbers, and what they
// refuse of both.
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
)

const (
	defaultNodes = 1024 // what Twitter's layout can name
	maxNodes     = 1 << 20
	defaultTTL   = 15 * time.Second
	minTTL       = time.Second
)

// MaxTTL bounds the TTL of a store, so that no sum of times overflows.
const MaxTTL = 365 * 24 * time.Hour

// Complete puts the defaults in place of zeros and checks the rest.
func Complete(holder *string, nodes *int64, ttl *time.Duration) error {
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
	if *nodes == 0 {
		*nodes = defaultNodes
	}
	if *nodes < 0 || *nodes > maxNodes {
		return fmt.Errorf("Options.Nodes %d is not within 1 to %d", *nodes, maxNodes)
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

// schema is the version of what the stores keep, and how.
const schema = "1"

// Header returns what a store keeps beside its numbers: the version of the schema and, in words, the layout of
// the ids. The zero layout means Twitter's.
func Header(l ids.SnowflakeLayout) string {
	if l == (ids.SnowflakeLayout{}) {
		l = ids.TwitterLayout()
	}
	order := "node first"
	if l.NodeLast {
		order = "node last"
	}
	return fmt.Sprintf("schema %s: epoch %s, tick %v, %d node bits, %d sequence bits, %s",
		schema, l.Epoch.UTC().Format(time.RFC3339Nano), l.Tick, l.NodeBits, l.SequenceBits, order)
}

// CheckHeader returns an error that names both headers if that of the store, which is at a place, is not that of
// the caller.
func CheckHeader(place, stored, own string) error {
	version, _, _ := strings.Cut(stored, ":")
	switch {
	case stored == own:
		return nil
	case version != "schema "+schema:
		return fmt.Errorf("%s says %q, and this process keeps %q: another version of package nodelease made it", place, stored, own)
	}
	return fmt.Errorf("%s says %q, and this process makes ids of %q: two layouts need two stores", place, stored, own)
}

// CheckInit returns an error unless a first start is declared and something is missing, or neither. What is
// missing is named, or empty. The errors match [fs.ErrNotExist] and [fs.ErrExist].
func CheckInit(init bool, missing string) error {
	switch {
	case init && missing == "":
		return &initError{"nothing is missing, so this is not the first start, which Options.Init declares", fs.ErrExist}
	case !init && missing != "":
		return &initError{missing + "; if this is the first start, and only then, set Options.Init once", fs.ErrNotExist}
	}
	return nil
}

// An initError is of CheckInit: the texts of package fs are about files.
type initError struct {
	text  string
	match error
}

func (e *initError) Error() string { return e.text }
func (e *initError) Unwrap() error { return e.match }

// wrong is how far a clock or a mark may be from the others' before it is taken for wrong.
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

// Median returns the median of the marks that are set, the earlier one of two, or the zero time.
func Median(marks []time.Time) time.Time {
	set := slices.DeleteFunc(slices.Clone(marks), time.Time.IsZero)
	if len(set) == 0 {
		return time.Time{}
	}
	slices.SortFunc(set, time.Time.Compare)
	return set[(len(set)-1)/2]
}

// A Candidate is a free node number with its mark.
type Candidate struct {
	Node    int64
	Mark    time.Time
	Version int64 // of the mark, for stores that have one
}

// Prefer puts the numbers whose mark has passed first, in random order so that processes which
// start together seldom want the same one. After them come those whose mark is ahead, the nearest
// first: ids under such a number carry a time later than the wall clock's.
//
// Of the former, those come first whose mark is more than a day later than median, that of the marks
// of all numbers. To most holders such a mark is ahead. For a holder whose clock is years ahead it has
// passed, and it takes that number again, instead of giving one more such a mark.
func Prefer(free []Candidate, median, now time.Time) {
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	late := func(c Candidate) int {
		if !c.Mark.After(now) && !median.IsZero() && c.Mark.Sub(median) > wrong {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(free, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(late(a), late(b)), Later(a.Mark, now).Compare(Later(b.Mark, now)))
	})
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
