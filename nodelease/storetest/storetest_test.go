package storetest_test

// Tests that Run finds flawed stores.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
	"github.com/oneclock/ids/nodelease/storekit"
	"github.com/oneclock/ids/nodelease/storetest"
)

const ttl = time.Second

var berlin, _ = time.LoadLocation("Europe/Berlin")

// TestMemstore uses a store that is slow once in each subtest. If that ends a lease, the subtest is
// run again.
func TestMemstore(t *testing.T) {
	var again atomic.Int32
	t.Run("store", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
			s := memstore.New(2, ttl)
			if strings.Contains(t.Name(), "/again") {
				again.Add(1)
				return s, s
			}
			return &slowStore{Store: s}, s
		})
	})
	if again.Load() == 0 {
		t.Error("no subtest was run again")
	}
}

type slowStore struct {
	nodelease.Store
	once sync.Once
}

func (s *slowStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	s.once.Do(func() { time.Sleep(ttl * 5 / 4) })
	return s.Store.Take(ctx, r)
}

// A flaw is a fault in a store. Each flaw has a name or a nonzero field.
type flaw struct {
	name   string
	right  bool                                     // it has no flaw
	pauses time.Duration                            // within Take, between reading the rows and writing
	lasts  time.Duration                            // length of a lease
	none   error                                    // error of Take when all numbers are held
	taken  func(g *nodelease.Grant, earlier *row)   // changes the result of Take
	raises func(old, horizon time.Time) bool        // reports whether Extend writes the horizon
	keeps  func(horizon time.Time) (kept time.Time) // returns the horizon that is written
}

var flaws = []flaw{
	{right: true}, {name: "slow", right: true, pauses: 3 * time.Millisecond},
	{name: "rounds up", right: true, keeps: func(horizon time.Time) time.Time {
		return horizon.Add(time.Millisecond - time.Microsecond).Truncate(time.Millisecond)
	}},
	{name: "looks and then takes", pauses: time.Millisecond},
	{name: "takes whatever Extend has done since its look", pauses: 3 * time.Millisecond},
	{name: "takes what is free again since its look", pauses: time.Millisecond},
	{name: "keeps the number of a Take that was cut off", pauses: time.Millisecond},
	{name: "numbers beyond the layout"}, {name: "counts numbers beyond the layout"},
	{name: "writes behind by 1 ms"}, {name: "ends with the context, a little later"},
	{name: "one number for all"}, {name: "Release keeps the horizon"}, {name: "Release leaves the lease"}, {name: "Release without a fence"},
	{name: "Extend without a fence"}, {name: "horizon without a fence"}, {name: "same horizon without a fence"}, {name: "same horizon renews nothing"},
	{name: "any order"}, {name: "any layout"}, {name: "hangs"}, {name: "a count of each process"},
	{name: "lost for want of an answer"}, {name: "writes behind"}, {name: "ends with the context"}, {name: "keeps a number for nobody"},
	{name: "a lease beside an error"},
	{name: "an error of its own", none: errors.New("all held")}, {name: "refuses a layout for now"}, {name: "no lease"},
	{name: "ends early", lasts: ttl / 2},
	{name: "never ends", lasts: time.Hour},
	{name: "counts itself free", taken: func(g *nodelease.Grant, _ *row) { g.Free++ }},
	{name: "an old horizon", taken: func(g *nodelease.Grant, r *row) { g.Horizon = r.earlier }},
	{name: "1970 is none", taken: func(g *nodelease.Grant, _ *row) {
		if g.Horizon.Equal(time.Unix(0, 0)) {
			g.Horizon = time.Time{}
		}
	}},
	{name: "horizons cached by each process", taken: func(g *nodelease.Grant, _ *row) {
		if cached := g.Lease.(*flawedLease).s.cache[g.Number]; !cached.IsZero() {
			g.Horizon = cached
		}
	}},
	{name: "lowers the horizon", raises: func(_, _ time.Time) bool { return true }},
	{name: "skips raises below a second", raises: func(old, horizon time.Time) bool { return horizon.Sub(old) >= time.Second }},
	{name: "skips raises below 2 us", raises: func(old, horizon time.Time) bool { return horizon.Sub(old) >= 2*time.Microsecond }},
	{name: "compares horizons as texts", raises: func(old, horizon time.Time) bool {
		return horizon.UTC().Format(time.RFC3339Nano) > old.UTC().Format(time.RFC3339Nano)
	}},
	{name: "coarse horizons", keeps: func(horizon time.Time) time.Time { return horizon.Truncate(time.Millisecond) }},
	{name: "seconds of 32 bits", keeps: func(horizon time.Time) time.Time {
		return time.Unix(int64(int32(horizon.Unix())), int64(horizon.Nanosecond()))
	}},
	{name: "horizons without a zone", keeps: func(horizon time.Time) time.Time {
		const plain = "2006-01-02 15:04:05.999999"
		horizon, _ = time.ParseInLocation(plain, horizon.In(berlin).Format(plain), berlin)
		return horizon
	}},
}

// TestFlawedStores plants one flaw at a time in a store. The suite must find each flaw.
func TestFlawedStores(t *testing.T) {
	for _, f := range flaws {
		found := map[string]string{} // first message of each subtest that fails
		for name, check := range storetest.Checks {
			must.Bubble(t, func(t *testing.T) {
				r, done := &recorder{TB: t}, make(chan struct{})
				go func() { // the subtest may end this goroutine
					defer close(done)
					d := new(database)
					check(r, &flawedStore{flaw: f, database: d}, &flawedStore{flaw: f, database: d})
				}()
				if <-done; r.first != "" {
					found[name] = r.first
				}
				time.Sleep(time.Minute) // until a store that hangs has returned
			})
		}
		if (len(found) == 0) != f.right {
			t.Errorf("%s: found %q", f.name, found)
		}
	}
}

// recorder is a testing.TB that keeps the messages.
type recorder struct {
	testing.TB
	mu    sync.Mutex
	first string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == "" {
		r.first = fmt.Sprintf(format, args...)
	}
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// database has the numbers 0 and 1.
type database struct {
	mu     sync.Mutex
	layout ids.SnowflakeLayout
	rows   [2]row
}

type row struct {
	fence            int
	expires          time.Time
	horizon, earlier time.Time
}

// flawedStore is one process's store over a database.
type flawedStore struct {
	flaw
	*database
	count int          // number of Takes
	cache [2]time.Time // horizons
}

func (s *flawedStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil && s.name != "keeps a number for nobody" {
		return nodelease.Grant{}, err
	}
	if r.Layout == (ids.SnowflakeLayout{}) {
		r.Layout = ids.TwitterLayout()
	}
	if s.layout == (ids.SnowflakeLayout{}) {
		s.layout = r.Layout
	}
	if s.layout != r.Layout && s.name != "any layout" {
		if s.name == "refuses a layout for now" {
			return nodelease.Grant{}, errors.New("another layout")
		}
		return nodelease.Grant{}, fmt.Errorf("%w: another layout", nodelease.ErrRefused)
	}
	best, free := -1, int64(-1)
	for n, row := range s.rows {
		beyond := n >= 1<<r.Layout.NodeBits && s.name != "numbers beyond the layout"
		if row.expires.After(time.Now()) && s.name != "one number for all" || beyond && s.name != "counts numbers beyond the layout" {
			continue
		}
		if free++; beyond {
			continue
		}
		if best < 0 || s.name == "any order" || storekit.Later(row.horizon, r.Now).Before(storekit.Later(s.rows[best].horizon, r.Now)) {
			best = n
		}
	}
	switch {
	case best >= 0:
	case s.none != nil:
		return nodelease.Grant{}, s.none
	case s.name == "a lease beside an error":
		return nodelease.Grant{Lease: &flawedLease{s: s}}, nodelease.ErrNoNumber
	default:
		return nodelease.Grant{}, nodelease.ErrNoNumber
	}
	row := &s.rows[best]
	seen := *row
	if s.pauses > 0 {
		s.mu.Unlock()
		time.Sleep(s.pauses)
		s.mu.Lock()
	}
	again := *row != seen // another process has changed the row
	switch s.name {
	case "looks and then takes":
		again = false
	case "takes whatever Extend has done since its look":
		again = row.fence != seen.fence
	case "takes what is free again since its look":
		again = row.expires.After(time.Now())
	}
	if again {
		return nodelease.Grant{}, nodelease.ErrNoNumber
	}
	s.count++
	switch s.name {
	case "one number for all":
		best, row = 0, &s.rows[0]
	case "a count of each process":
		row.fence = s.count
	default:
		row.fence++
	}
	before := *row
	row.expires = s.expiry()
	if err := ctx.Err(); err != nil {
		if s.name != "keeps the number of a Take that was cut off" && s.name != "keeps a number for nobody" {
			*row = before
		}
		return nodelease.Grant{}, err
	}
	if s.name == "ends with the context, a little later" {
		end := func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			row.expires = time.Time{}
		}
		context.AfterFunc(ctx, func() { time.AfterFunc(5*time.Millisecond, end) })
	}
	if s.name == "no lease" {
		return nodelease.Grant{}, nil
	}
	l := &flawedLease{s: s, number: best, fence: row.fence, taken: ctx}
	g := nodelease.Grant{Number: int64(best), Horizon: seen.horizon, TTL: ttl, Free: free, FreeKnown: true, Lease: l}
	if s.flaw.taken != nil {
		s.flaw.taken(&g, row)
	}
	return g, nil
}

func (s *flawedStore) expiry() time.Time { return time.Now().Add(cmp.Or(s.lasts, ttl)) }

// ended returns the context's error if ctx is done.
func (s *flawedStore) ended(ctx context.Context) error {
	if ctx.Err() != nil && s.name == "hangs" {
		s.mu.Unlock()
		time.Sleep(4 * time.Second)
		s.mu.Lock()
	}
	return ctx.Err()
}

type flawedLease struct {
	s             *flawedStore
	number, fence int
	last          time.Time // horizon of the latest Extend
	taken         context.Context
}

func (l *flawedLease) Extend(ctx context.Context, horizon time.Time) error {
	s, r := l.s, &l.s.rows[l.number]
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil {
		if s.name == "lost for want of an answer" {
			return nodelease.ErrLost
		}
		return err
	}
	same := horizon.Equal(l.last)
	if s.name == "same horizon without a fence" && same {
		r.expires = s.expiry()
		return nil
	}
	if r.fence != l.fence || s.name == "ends with the context" && l.taken.Err() != nil {
		switch s.name {
		case "horizon without a fence":
			r.horizon = horizon
		case "Extend without a fence":
			return nil
		}
		return nodelease.ErrLost
	}
	l.last = horizon
	write := func() {
		if s.name != "same horizon renews nothing" || !same {
			r.expires = s.expiry()
		}
		raises := time.Time.Before
		if s.raises != nil {
			raises = s.raises
		}
		if raises(r.horizon, horizon) {
			l.set(horizon)
		}
	}
	behind := map[string]time.Duration{"writes behind": 20 * time.Millisecond, "writes behind by 1 ms": time.Millisecond}[s.name]
	if behind == 0 {
		write()
		return nil
	}
	time.AfterFunc(behind, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.fence == l.fence {
			write()
		}
	})
	return nil
}

func (l *flawedLease) Release(ctx context.Context, horizon time.Time) error {
	s, r := l.s, &l.s.rows[l.number]
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.fence != l.fence && s.name != "Release without a fence" {
		return nodelease.ErrLost
	}
	if s.name != "Release keeps the horizon" {
		l.set(horizon)
	}
	if s.name != "Release leaves the lease" {
		r.expires = time.Time{}
	}
	r.fence++
	return nil
}

func (l *flawedLease) set(horizon time.Time) {
	if l.s.keeps != nil {
		horizon = l.s.keeps(horizon)
	}
	r := &l.s.rows[l.number]
	l.s.cache[l.number] = horizon
	r.earlier, r.horizon = r.horizon, horizon
}

// A test of a store. For each of its subtests, the suite asks for a new store, with two numbers.
func ExampleRun() {
	TestStore := func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
			s := memstore.New(2, 2*time.Second)
			return s, s // other stores return two stores over one database
		})
	}
	_ = TestStore
}
