package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/storetest"
)

const ttl = time.Second // a shorter one could end while the machine is busy

var berlin = func() *time.Location {
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return l
}()

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) (a, b nodelease.Store) {
		s := nodelease.NewMemoryStore(2, ttl)
		return s, s
	})
}

// TestFlawedStores plants a fault at a time in a store: the suite must find each.
func TestFlawedStores(t *testing.T) {
	var all sync.WaitGroup
	for _, f := range []string{
		"", // none
		"one number for all", "forgets", "Release keeps the mark", "coarse marks", "lowers the mark", "Extend without a fence",
		"Release without a fence", "mark without a fence", "ends early", "never ends", "does not renew", "an error of its own",
		"any order", "hangs", "looks and then takes", "an old mark", "lost for want of an answer", "skips raises below a second",
		"skips raises below 2 us", "compares marks as texts", "a count of each process", "writes behind", "marks without a zone",
		"ends with the context", "same mark without a fence", "keeps a number for nobody", "any layout", "counts itself free",
		"Release leaves the lease", "marks rounded up", "seconds of 32 bits", "1970 is none", "one mark for all",
		"same mark renews nothing", "marks cached by each process", "a lease beside an error", "Release raises only",
	} {
		all.Go(func() {
			found := check(t, f)
			t.Logf("%s: found %q", f, found)
			if (len(found) == 0) != (f == "") {
				t.Errorf("%s: found %q", f, found)
			}
		})
	}
	all.Wait()
}

// check runs the suite and returns what the subtests that fail say first.
func check(t *testing.T, f string) map[string]string {
	var mu sync.Mutex
	found := map[string]string{}
	var all sync.WaitGroup
	for _, name := range storetest.Checks() {
		all.Go(func() {
			if name == "minters" && f != "" {
				return // it may wait for a minute
			}
			r := &recorder{TB: t}
			defer func() { // also if the subtest ends this goroutine
				mu.Lock()
				defer mu.Unlock()
				if r.first != "" {
					found[name] = r.first
				}
			}()
			d := new(database)
			storetest.Check(name, r, &flawedStore{flaw: f, database: d}, &flawedStore{flaw: f, database: d})
		})
	}
	all.Wait()
	return found
}

// recorder is a testing.TB that keeps what it is told.
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
	rows   [2]struct {
		fence         int
		expires       time.Time
		mark, earlier time.Time
	}
}

// flawedStore is a store over a database, as a process has it.
type flawedStore struct {
	flaw string
	*database
	count int          // of Takes
	cache [2]time.Time // marks
}

func (s *flawedStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil && s.flaw != "keeps a number for nobody" {
		return nil, err
	}
	if r.Layout == (ids.SnowflakeLayout{}) {
		r.Layout = ids.TwitterLayout()
	}
	if s.layout == (ids.SnowflakeLayout{}) {
		s.layout = r.Layout
	}
	if s.layout != r.Layout && s.flaw != "any layout" {
		return nil, errors.New("another layout")
	}
	best, free := -1, int64(-1)
	passed := func(n int) time.Time {
		if s.rows[n].mark.Before(r.Now) {
			return r.Now
		}
		return s.rows[n].mark
	}
	for n, row := range s.rows {
		if row.expires.After(time.Now()) && s.flaw != "one number for all" {
			continue
		}
		free++
		if best < 0 || s.flaw == "any order" || passed(n).Before(passed(best)) {
			best = n
		}
	}
	if best < 0 {
		if s.flaw == "an error of its own" {
			return nil, errors.New("all held")
		}
		if s.flaw == "a lease beside an error" {
			return &flawedLease{s: s}, nodelease.ErrNoNode
		}
		return nil, nodelease.ErrNoNode
	}
	if s.flaw == "one number for all" {
		best = 0
	}
	row := &s.rows[best]
	if s.flaw == "looks and then takes" {
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
		s.mu.Lock()
	}
	if s.flaw != "one number for all" {
		row.fence++
	}
	if s.flaw == "a count of each process" {
		s.count++
		row.fence = s.count
	}
	row.expires = s.expiry()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &flawedLease{s: s, node: best, fence: row.fence, mark: row.mark, free: free, taken: ctx}
	if s.flaw == "counts itself free" {
		l.free++
	}
	if s.flaw == "one mark for all" && s.rows[0].mark.After(row.mark) {
		l.mark = s.rows[0].mark
	}
	if s.flaw == "marks cached by each process" && !s.cache[best].IsZero() {
		l.mark = s.cache[best]
	}
	if s.flaw == "1970 is none" && l.mark.Equal(time.Unix(0, 0)) {
		l.mark = time.Time{}
	}
	if s.flaw == "an old mark" {
		l.mark = row.earlier
	}
	return l, nil
}

func (s *flawedStore) expiry() time.Time {
	switch {
	case s.flaw == "ends early":
		return time.Now().Add(ttl / 2)
	case s.flaw == "never ends":
		return time.Now().Add(time.Hour)
	}
	return time.Now().Add(ttl)
}

// ended is the error of a context that has ended.
func (s *flawedStore) ended(ctx context.Context) error {
	if ctx.Err() != nil && s.flaw == "hangs" {
		s.mu.Unlock()
		time.Sleep(4 * time.Second)
		s.mu.Lock()
	}
	return ctx.Err()
}

type flawedLease struct {
	s           *flawedStore
	node, fence int
	mark, last  time.Time
	free        int64
	taken       context.Context
}

func (l *flawedLease) Node() int64        { return int64(l.node) }
func (l *flawedLease) Mark() time.Time    { return l.mark }
func (l *flawedLease) TTL() time.Duration { return ttl }
func (l *flawedLease) Free() int64        { return l.free }

func (l *flawedLease) Extend(ctx context.Context, mark time.Time) error {
	s, r := l.s, &l.s.rows[l.node]
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil {
		if s.flaw == "lost for want of an answer" {
			return nodelease.ErrLost
		}
		return err
	}
	if s.flaw == "same mark without a fence" && mark.Equal(l.last) {
		r.expires = s.expiry()
		return nil
	}
	if r.fence != l.fence || s.flaw == "ends with the context" && l.taken.Err() != nil {
		if s.flaw == "mark without a fence" {
			r.mark = mark
		}
		if s.flaw == "Extend without a fence" {
			return nil
		}
		return nodelease.ErrLost
	}
	same := mark.Equal(l.last)
	l.last = mark
	write := func() {
		if s.flaw != "does not renew" && !(s.flaw == "same mark renews nothing" && same) {
			r.expires = s.expiry()
		}
		skips := map[string]time.Duration{"skips raises below a second": time.Second, "skips raises below 2 us": 2 * time.Microsecond}[s.flaw]
		higher := mark.After(r.mark)
		if s.flaw == "compares marks as texts" {
			higher = mark.UTC().Format(time.RFC3339Nano) > r.mark.UTC().Format(time.RFC3339Nano)
		}
		if higher && mark.Sub(r.mark) >= skips || s.flaw == "lowers the mark" {
			l.set(mark)
		}
	}
	if s.flaw != "writes behind" {
		write()
		return nil
	}
	time.AfterFunc(20*time.Millisecond, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.fence == l.fence {
			write()
		}
	})
	return nil
}

func (l *flawedLease) Release(ctx context.Context, mark time.Time) error {
	s, r := l.s, &l.s.rows[l.node]
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.fence != l.fence && s.flaw != "Release without a fence" {
		return nodelease.ErrLost
	}
	if s.flaw != "Release keeps the mark" && !(s.flaw == "Release raises only" && mark.Before(r.mark)) {
		l.set(mark)
	}
	if s.flaw != "Release leaves the lease" {
		r.expires = time.Time{}
	}
	r.fence++
	return nil
}

func (l *flawedLease) set(mark time.Time) {
	r := &l.s.rows[l.node]
	switch {
	case l.s.flaw == "forgets":
		return
	case l.s.flaw == "coarse marks":
		mark = mark.Truncate(time.Millisecond)
	case l.s.flaw == "marks rounded up":
		mark = mark.Add(time.Millisecond - 1).Truncate(time.Millisecond)
	case l.s.flaw == "seconds of 32 bits":
		mark = time.Unix(int64(int32(mark.Unix())), int64(mark.Nanosecond())).UTC()
	case l.s.flaw == "marks without a zone":
		const plain = "2006-01-02 15:04:05.999999"
		mark, _ = time.ParseInLocation(plain, mark.In(berlin).Format(plain), berlin)
	}
	if l.s.flaw == "one mark for all" {
		l.s.rows[0].mark = mark
	}
	l.s.cache[l.node] = mark
	r.earlier, r.mark = r.mark, mark
}
