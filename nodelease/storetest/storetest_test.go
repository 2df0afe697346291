package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/storetest"
)

const ttl = time.Second // a shorter one could end while the machine is busy

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) nodelease.Store { return nodelease.NewMemoryStore(2, ttl) })
}

// TestFlawedStores plants a fault at a time in a store: the suite must find each.
func TestFlawedStores(t *testing.T) {
	var all sync.WaitGroup
	for name, f := range map[string]flaws{
		"none":                       {},
		"one number for all":         {oneHolder: true},
		"forgets":                    {forgets: true},
		"Release keeps the mark":     {keepsMark: true},
		"coarse marks":               {coarse: true},
		"lowers the mark":            {lowers: true},
		"Extend without a fence":     {extendsLost: true},
		"Release without a fence":    {releasesLost: true},
		"mark without a fence":       {raisesLost: true},
		"ends early":                 {endsEarly: true},
		"never ends":                 {neverEnds: true},
		"does not renew":             {doesNotRenew: true},
		"an error of its own":        {otherError: true},
		"any order":                  {anyOrder: true},
		"hangs":                      {hangs: true},
		"looks and then takes":       {races: true},
		"an old mark":                {staleMark: true},
		"lost for want of an answer": {loses: true},
	} {
		all.Go(func() {
			found := check(t, f)
			t.Logf("%s: found %q", name, found)
			if (len(found) == 0) != (f == flaws{}) {
				t.Errorf("%s: found %q", name, found)
			}
		})
	}
	all.Wait()
}

// check runs the suite and returns what the subtests that fail say first.
func check(t *testing.T, f flaws) map[string]string {
	var mu sync.Mutex
	found := map[string]string{}
	var all sync.WaitGroup
	for _, name := range storetest.Checks() {
		all.Go(func() {
			r := &recorder{TB: t}
			defer func() { // also if the subtest ends this goroutine
				mu.Lock()
				defer mu.Unlock()
				if r.first != "" {
					found[name] = r.first
				}
			}()
			storetest.Check(name, r, &flawedStore{flaws: f})
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

type flaws struct {
	oneHolder    bool // Take gives the number 0 to everybody
	forgets      bool // marks are not kept
	keepsMark    bool // Release leaves the mark as it is
	coarse       bool // marks are cut to milliseconds
	lowers       bool // Extend lowers the mark
	extendsLost  bool // Extend by a former holder succeeds, and does nothing
	releasesLost bool // Release by a former holder frees the number
	raisesLost   bool // Extend by a former holder fails, but raises the mark
	endsEarly    bool // leases end after half of their TTL
	neverEnds    bool // leases do not end
	doesNotRenew bool // Extend does not renew the lease
	otherError   bool // Take of a number when all are held has an error of its own
	anyOrder     bool // Take prefers the higher number
	hangs        bool // a call whose context has ended hangs
	races        bool // Take looks first and takes later
	staleMark    bool // Take shows the mark of the holder before the last
	loses        bool // a request without an answer loses the number
}

// flawedStore is a store in memory for the numbers 0 and 1.
type flawedStore struct {
	flaws
	mu   sync.Mutex
	rows [2]struct {
		fence         int
		expires       time.Time
		mark, earlier time.Time
	}
}

func (s *flawedStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil {
		return nil, err
	}
	best := -1
	passed := func(n int) time.Time {
		if s.rows[n].mark.Before(r.Now) {
			return r.Now
		}
		return s.rows[n].mark
	}
	for n, row := range s.rows {
		if row.expires.After(time.Now()) && !s.oneHolder {
			continue
		}
		if best < 0 || s.anyOrder || passed(n).Before(passed(best)) {
			best = n
		}
	}
	if best < 0 {
		if s.otherError {
			return nil, errors.New("all held")
		}
		return nil, nodelease.ErrNoNode
	}
	if s.oneHolder {
		best = 0
	}
	row := &s.rows[best]
	if s.races {
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
		s.mu.Lock()
	}
	if !s.oneHolder {
		row.fence++
	}
	row.expires = s.expiry()
	l := &flawedLease{s: s, node: best, fence: row.fence, mark: row.mark}
	if s.staleMark {
		l.mark = row.earlier
	}
	return l, nil
}

func (s *flawedStore) expiry() time.Time {
	switch {
	case s.endsEarly:
		return time.Now().Add(ttl / 2)
	case s.neverEnds:
		return time.Now().Add(time.Hour)
	}
	return time.Now().Add(ttl)
}

// ended is the error of a context that has ended.
func (s *flawedStore) ended(ctx context.Context) error {
	if ctx.Err() != nil && s.hangs {
		s.mu.Unlock()
		time.Sleep(4 * time.Second)
		s.mu.Lock()
	}
	return ctx.Err()
}

type flawedLease struct {
	s           *flawedStore
	node, fence int
	mark        time.Time
}

func (l *flawedLease) Node() int64        { return int64(l.node) }
func (l *flawedLease) Mark() time.Time    { return l.mark }
func (l *flawedLease) TTL() time.Duration { return ttl }
func (l *flawedLease) Free() int64        { return -1 }

func (l *flawedLease) Extend(ctx context.Context, mark time.Time) error {
	s, r := l.s, &l.s.rows[l.node]
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil {
		if s.loses {
			return nodelease.ErrLost
		}
		return err
	}
	if r.fence != l.fence {
		if s.raisesLost {
			r.mark = mark
		}
		if s.extendsLost {
			return nil
		}
		return nodelease.ErrLost
	}
	if !s.doesNotRenew {
		r.expires = s.expiry()
	}
	if mark.After(r.mark) || s.lowers {
		l.set(mark)
	}
	return nil
}

func (l *flawedLease) Release(ctx context.Context, mark time.Time) error {
	s, r := l.s, &l.s.rows[l.node]
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.fence != l.fence && !s.releasesLost {
		return nodelease.ErrLost
	}
	if !s.keepsMark {
		l.set(mark)
	}
	r.expires = time.Time{}
	r.fence++
	return nil
}

func (l *flawedLease) set(mark time.Time) {
	r := &l.s.rows[l.node]
	switch {
	case l.s.forgets:
		return
	case l.s.coarse:
		mark = mark.Truncate(time.Millisecond)
	}
	r.earlier, r.mark = r.mark, mark
}
