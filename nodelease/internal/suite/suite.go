// Package suite tests promises that all stores in this module make but other stores need not make.
// The tests of the promises that every store must make are in package storetest.
package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/storetest"
)

// Options contains the options that all stores have in common.
type Options struct {
	Name    string // name of the table, or the prefix without its leading slash
	Holder  string
	Numbers int64
	TTL     time.Duration
	Layout  ids.SnowflakeLayout
}

// Kind describes one kind of store. Its functions determine which server and user the tests use.
type Kind struct {
	Package string // name of the store's package
	Init    func(o Options) error
	New     func(o Options) (nodelease.Store, error)
	Drop    func(name string, number int64) error // removes a number, or the header if number is -1
	Mark    func(name, header string) error       // replaces the header

	// Each of these fields contains part of the text of an expected error. The error contains
	// NoStore if the store was never initialized, NoHeader if its header is missing, and NoNumber
	// if it should have three numbers but lacks number 2.
	NoStore, NoHeader, NoNumber string
}

// Table returns a Kind for a store that uses an SQL table. The Kind's Init and New are nil. The
// function exec executes one SQL statement.
func Table(pkg string, exec func(sql string) error) Kind {
	return Kind{
		Package: pkg,
		Drop: func(name string, number int64) error {
			return exec(fmt.Sprintf("delete from %s where number = %d", name, number))
		},
		Mark: func(name, header string) error {
			return exec(fmt.Sprintf("update %s set holder = '%s' where number = -1", name, header))
		},
		NoStore: "there is no such table", NoHeader: "no row of the number -1", NoNumber: "the table lacks 1 of 3 rows",
	}
}

// Open returns a store and initializes it if necessary.
func Open[S, C, O any](ctx context.Context, first func(context.Context, C, *O) error,
	open func(context.Context, C, *O) (S, error), conn C, opts *O) (s S, err error) {
	if err := first(ctx, conn, opts); err != nil && !errors.Is(err, fs.ErrExist) {
		return s, err
	}
	return open(ctx, conn, opts)
}

// Take takes a number, and ends the test if that fails.
func Take(t *testing.T, s nodelease.Store) nodelease.Grant {
	t.Helper()
	return must.Get(s.Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
}

func (k Kind) mustNew(t *testing.T, o Options) nodelease.Store {
	t.Helper()
	if err := k.Init(o); !errors.Is(err, fs.ErrExist) {
		must.Do(t, err)
	}
	return must.Get(k.New(o))(t)
}

// use opens a store and takes a number.
func (k Kind) use(t *testing.T, o Options) error {
	s, err := k.New(o)
	if err == nil {
		err = take(t, s, o.Layout)
	}
	return err
}

// take takes a number and releases it.
func take(t *testing.T, s nodelease.Store, l ids.SnowflakeLayout) error {
	g, err := s.Take(t.Context(), nodelease.Request{Now: time.Now(), Layout: l})
	if err == nil {
		err = g.Lease.Release(t.Context(), time.Time{})
	}
	return err
}

// Run runs the suite of package storetest.
func (k Kind) Run(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
		o := Options{Name: fmt.Sprintf("%x", ids.NewV4().ULID()), Numbers: 2, TTL: 2 * time.Second}
		return k.mustNew(t, o), k.mustNew(t, o)
	})
}

// Made tests Init, New and Take with a missing store, an existing store, a store for a different
// layout or version, and a store that has lost part of its contents.
func (k Kind) Made(t *testing.T) {
	missing := func(what string, err error, texts ...string) {
		t.Helper()
		must.Fail(t, what, err, fs.ErrNotExist, "only for a first start, call "+k.Package+".Init, or run leases init")
		must.Fail(t, what, err, nodelease.ErrRefused, texts...)
	}
	o := Options{Name: "made", Numbers: 2}
	for range 2 { // New makes nothing
		missing("nothing", k.use(t, o), k.NoStore)
	}
	must.Do(t, k.Init(o))
	must.Fail(t, "a second first start", k.Init(o), fs.ErrExist, "nothing is missing")
	o.Numbers = 3
	missing("more numbers", k.use(t, o), k.NoNumber)
	must.Do(t, k.Init(o))
	s := must.Get(k.New(o))(t)
	if g := Take(t, s); g.Free != 2 || !g.FreeKnown {
		t.Errorf("beside a number taken of 3, %d are free, known %v", g.Free, g.FreeKnown)
	} else {
		must.Do(t, g.Lease.Release(t.Context(), time.Time{}))
	}

	other, more := o, o
	other.Layout, more.Layout, more.Numbers = ids.SonyflakeLayout(), ids.SonyflakeLayout(), 9
	for _, err := range []error{take(t, s, other.Layout), k.use(t, other), k.Init(other), k.Init(more)} {
		must.Fail(t, "another layout", err, nodelease.ErrRefused,
			"tick 1ms, 10 node bits, 12 sequence bits, node first", "tick 10ms, 16 node bits, 8 sequence bits, node last")
	}

	must.Do(t, k.Drop(o.Name, 2))
	missing("Take without a number", take(t, s, o.Layout), k.NoNumber)
	missing("New without a number", k.use(t, o), k.NoNumber)
	must.Do(t, k.Init(o))
	must.Do(t, take(t, s, o.Layout))
	for _, header := range []string{"schema 1: x", "schema 3: x"} {
		must.Do(t, k.Mark(o.Name, header))
		for _, err := range []error{take(t, s, o.Layout), k.use(t, o), k.Init(o)} {
			must.Fail(t, header, err, nodelease.ErrRefused, "but this process uses schema 2: another version of package nodelease", fmt.Sprintf("contains %q", header))
		}
	}
	must.Do(t, k.Drop(o.Name, -1))
	missing("Take without a header", take(t, s, o.Layout), k.NoHeader)
	missing("New without a header", k.use(t, o), k.NoHeader)
}

// BadOptions tests options that Init and New must refuse. Some of these options are refused by all
// kinds of stores. The options in the map named more are refused only by this kind. Each key of
// that map is part of the expected error's text.
func (k Kind) BadOptions(t *testing.T, more map[string]Options) {
	all := map[string]Options{
		"Options.Numbers -1 is not within 1 to 1048576":      {Numbers: -1},
		"Options.Numbers 65537 does not fit the layout":      {Numbers: 65537, Layout: ids.SonyflakeLayout()},
		`Options.Holder "a\x00b" is not UTF-8 without a NUL`: {Holder: "a\x00b"},
	}
	for _, options := range []map[string]Options{all, more} {
		for want, o := range options {
			_, err := k.New(o)
			for _, err := range []error{err, k.Init(o)} {
				must.Fail(t, want, err, nil, want)
			}
		}
	}
}

// FewRights grants a user the privileges that a store needs, one at a time, and tests Init and New
// after each grant. The parameter poor is a Kind whose stores connect to the database as that user.
func (k Kind) FewRights(t *testing.T, poor Kind, grant func(right string)) {
	o := Options{Name: "closed.numbers", Numbers: 3}
	denied := func(what string, err error) {
		t.Helper()
		must.Fail(t, "a table that cannot be "+what, err, nil, "denied")
	}
	denied("created", poor.Init(o))
	k.mustNew(t, o)
	denied("read", poor.use(t, o))
	grant("select")
	denied("changed", poor.use(t, o))
	grant("update")
	must.Do(t, poor.use(t, o))
	o.Numbers = 4
	denied("filled up", poor.Init(o))
}

// AtOnce makes eight concurrent calls to Init for one store. Exactly one of the calls must succeed.
func (k Kind) AtOnce(t *testing.T, o Options) {
	var all sync.WaitGroup
	var made atomic.Int64
	for range 8 {
		all.Go(func() {
			if err := k.Init(o); err == nil {
				made.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("made by %d", made.Load())
	}
	o.Numbers *= 2
	k.mustNew(t, o) // this call to Init adds the missing numbers
}

// Clocks tests callers whose clocks are wrong by less than a day, and callers whose clocks are
// wrong by more than a day.
func (k Kind) Clocks(t *testing.T) {
	s := k.mustNew(t, Options{Name: "clocks", Numbers: 5})
	for _, by := range []time.Duration{-25 * time.Hour, -23 * time.Hour, 23 * time.Hour, 25 * time.Hour} {
		now := time.Now().Add(by)
		g, err := s.Take(t.Context(), nodelease.Request{Now: now})
		if by.Abs() > 24*time.Hour {
			must.Fail(t, by.String(), err, nil, "shows "+now.UTC().Format(time.RFC3339)+", the server's 2")
			continue
		}
		must.Do(t, err)
		must.Do(t, g.Lease.Release(t.Context(), time.Time{}))
	}
}

// rested makes a store with five numbers. Three of them have horizons that are about 3 days old,
// one has a horizon that is an hour old, and one has no horizon.
func (k Kind) rested(t *testing.T) nodelease.Store {
	t.Helper()
	s := k.mustNew(t, Options{Name: "choice", Numbers: 5})
	now, grants := time.Now().Truncate(time.Microsecond), map[int64]nodelease.Grant{}
	for range 5 {
		g := Take(t, s)
		grants[g.Number] = g
	}
	for n, hours := range []int{72, 73, 1, 74} {
		must.Do(t, grants[int64(n)].Lease.Release(t.Context(), now.Add(-time.Duration(hours)*time.Hour)))
	}
	must.Do(t, grants[4].Lease.Release(t.Context(), time.Time{}))
	return s
}

// taken calls Take the given number of times, and returns how often each number was taken.
func taken(t *testing.T, s nodelease.Store, takes int) map[int64]int {
	t.Helper()
	counts := map[int64]int{}
	for range takes {
		g := Take(t, s)
		counts[g.Number]++
		must.Do(t, g.Lease.Release(t.Context(), g.Horizon))
	}
	return counts
}

// Choice tests which number Take chooses in a store that has no clock. All horizons in the store
// have passed. One of them is more than a day later than the others, so Take must choose the number
// with that horizon.
func (k Kind) Choice(t *testing.T) {
	if counts := taken(t, k.rested(t), 5); counts[2] != 5 {
		t.Errorf("took the numbers %v, want 2", counts)
	}
}

// AtRest is like Choice, but tests a store that has a clock. Such a store must choose at random.
func (k Kind) AtRest(t *testing.T) {
	if counts := taken(t, k.rested(t), 40); len(counts) < 3 {
		t.Errorf("took only the numbers %v, so often", counts)
	}
}

// Former simulates a holder that uses an older version of a store. It executes that version's SQL
// statements through a connection pool. The functions in Former end the test if an error occurs.
type Former struct {
	// Take returns the number -1 if none is free.
	Take            func(token string) (number int64, horizon time.Time)
	Extend, Release func(number int64, token string, horizon time.Time) bool
}

// Beside checks that an older version of a store and the current version can share one table. This
// happens while an operator updates one process after another. No holder may get a number while
// another holder has it. Each holder must get the horizon that the number's previous holder wrote.
// The function expire ends all leases.
func (k Kind) Beside(t *testing.T, former Former, expire func()) {
	s := k.mustNew(t, Options{Name: "beside", Numbers: 2, TTL: time.Minute})
	now := time.Now().UTC().Truncate(time.Microsecond)
	for range 2 {
		g := Take(t, s)
		number, _ := former.Take("their token")
		if number != 1-g.Number {
			t.Fatalf("beside number %d the former version took %d", g.Number, number)
		}
		if other, _ := former.Take("another token"); other != -1 {
			t.Errorf("the former version took number %d, which is held", other)
		}
		_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
		must.Fail(t, "a third Take", err, nodelease.ErrNoNumber)
		must.Do(t, g.Lease.Extend(t.Context(), now.Add(time.Second)))
		if !former.Extend(number, "their token", now.Add(2*time.Second)) {
			t.Error("the former version could not extend its lease")
		}

		expire()
		after, found := Take(t, s), map[int64]time.Time{}
		found[after.Number] = after.Horizon
		next, horizon := former.Take("a third token")
		found[next] = horizon
		if !found[g.Number].Equal(now.Add(time.Second)) || !found[number].Equal(now.Add(2*time.Second)) {
			t.Errorf("found the horizons %v, want those of %d 1 s after %v, and of %d 2 s", found, g.Number, now, number)
		}
		must.Fail(t, "a former holder of today", g.Lease.Extend(t.Context(), now.Add(time.Hour)), nodelease.ErrLost)
		if former.Extend(number, "their token", now.Add(time.Hour)) {
			t.Error("a former holder extended a lease that had ended")
		}
		must.Do(t, after.Lease.Release(t.Context(), time.Time{}))
		if !former.Release(next, "a third token", time.Time{}) {
			t.Error("the former version could not release its number")
		}
	}
}

// Locked lets the context of a call to Take expire while another session has locked the row that
// Take needs. The server continues to wait for the lock and then carries out the request. Even so,
// no number may remain leased as a result of the call to Take.
func (k Kind) Locked(t *testing.T, lock func(name string) (unlock func() error)) {
	s := k.mustNew(t, Options{Name: "locked", Numbers: 1, TTL: time.Hour})
	unlock := lock("locked")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	began := time.Now()
	if g, err := s.Take(ctx, nodelease.Request{Now: time.Now()}); err == nil {
		t.Errorf("took number %d, which is locked", g.Number)
	} else if took := time.Since(began); took > time.Minute {
		t.Errorf("Take returned %v after its context had ended", took)
	}
	must.Do(t, unlock())
	must.Soon(t, func() error { return take(t, s, ids.SnowflakeLayout{}) })
}

// Advised returns a recommended SQL statement from docs/operations.md. The given string is the
// beginning of the statement. Advised removes the comment at the end of the statement's first line.
func Advised(t *testing.T, begins string) string {
	t.Helper()
	page := string(must.Get(os.ReadFile("../../docs/operations.md"))(t))
	found := regexp.MustCompile(`(?m)^ *(` + regexp.QuoteMeta(begins) + `[^\n]*?) *--[^\n]*((?:(?:\n  [^\n;]*)+;)?)`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("docs/operations.md has no statement that begins with %q", begins)
	}
	return found[1] + strings.TrimSuffix(found[2], ";")
}
