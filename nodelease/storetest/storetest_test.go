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

		"skips raises below a second": {skips: time.Second},
		"skips raises below 2 us":     {skips: 2 * time.Microsecond},
		"compares marks as texts":     {texts: true},
		"a count of each process":     {ownCount: true},
		"writes behind":               {behind: true},
		"marks without a zone":        {zoneless: true},
		"ends with the context":       {endsWithContext: true},
		"same mark without a fence":   {sameUnfenced: true},
		"keeps a number for nobody":   {keepsForNobody: true},

		"any layout":                   {anyLayout: true},
		"counts itself free":           {countsItself: true},
		"Release leaves the lease":     {leavesLease: true},
		"marks rounded up":             {roundsUp: true},
		"seconds of 32 bits":           {short: true},
		"1970 is none":                 {epochIsNone: true},
		"one mark for all":             {oneMark: true},
		"same mark renews nothing":     {sameIdle: true},
		"marks cached by each process": {caches: true},
		"a lease beside an error":      {both: true},
		"Release raises only":          {raisesOnly: true},
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
			if name == "minters" && f != (flaws{}) {
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
			storetest.Check(name, r, &flawedStore{flaws: f, database: d}, &flawedStore{flaws: f, database: d})
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

	skips           time.Duration // Extend does not write raises of less
	texts           bool          // Extend compares the texts of marks
	ownCount        bool          // the fence is a count of each process
	behind          bool          // Extend writes 20 ms after it has returned
	zoneless        bool          // marks are kept as the time of day in Berlin
	endsWithContext bool          // the lease ends with the context of Take
	sameUnfenced    bool          // Extend with the same mark does not look whose the number is
	keepsForNobody  bool          // a Take whose context has ended takes a number

	anyLayout    bool // layouts are not compared
	countsItself bool // Free counts the number taken
	leavesLease  bool // Release leaves the number held until the lease ends
	roundsUp     bool // marks are rounded up to milliseconds
	short        bool // marks are seconds of 32 bits and microseconds
	epochIsNone  bool // the mark 1970 is read as none
	oneMark      bool // all numbers have one mark
	sameIdle     bool // Extend with the same mark does not renew the lease
	caches       bool // each process keeps the marks it has seen
	both         bool // Take returns a lease with ErrNoNode
	raisesOnly   bool // Release does not lower the mark
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
	flaws
	*database
	count int          // of Takes
	cache [2]time.Time // marks
}

func (s *flawedStore) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(ctx); err != nil && !s.keepsForNobody {
		return nil, err
	}
	if r.Layout == (ids.SnowflakeLayout{}) {
		r.Layout = ids.TwitterLayout()
	}
	if s.layout == (ids.SnowflakeLayout{}) {
		s.layout = r.Layout
	}
	if s.layout != r.Layout && !s.anyLayout {
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
		if row.expires.After(time.Now()) && !s.oneHolder {
			continue
		}
		free++
		if best < 0 || s.anyOrder || passed(n).Before(passed(best)) {
			best = n
		}
	}
	if best < 0 {
		if s.otherError {
			return nil, errors.New("all held")
		}
		if s.both {
			return &flawedLease{s: s}, nodelease.ErrNoNode
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
	if s.ownCount {
		s.count++
		row.fence = s.count
	}
	row.expires = s.expiry()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &flawedLease{s: s, node: best, fence: row.fence, mark: row.mark, free: free, taken: ctx}
	if s.countsItself {
		l.free++
	}
	if s.oneMark && s.rows[0].mark.After(row.mark) {
		l.mark = s.rows[0].mark
	}
	if s.caches && !s.cache[best].IsZero() {
		l.mark = s.cache[best]
	}
	if s.epochIsNone && l.mark.Equal(time.Unix(0, 0)) {
		l.mark = time.Time{}
	}
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
		if s.loses {
			return nodelease.ErrLost
		}
		return err
	}
	if s.sameUnfenced && mark.Equal(l.last) {
		r.expires = s.expiry()
		return nil
	}
	if r.fence != l.fence || s.endsWithContext && l.taken.Err() != nil {
		if s.raisesLost {
			r.mark = mark
		}
		if s.extendsLost {
			return nil
		}
		return nodelease.ErrLost
	}
	same := mark.Equal(l.last)
	l.last = mark
	write := func() {
		if !s.doesNotRenew && !(s.sameIdle && same) {
			r.expires = s.expiry()
		}
		higher := mark.After(r.mark)
		if s.texts {
			higher = mark.UTC().Format(time.RFC3339Nano) > r.mark.UTC().Format(time.RFC3339Nano)
		}
		if higher && mark.Sub(r.mark) >= s.skips || s.lowers {
			l.set(mark)
		}
	}
	if !s.behind {
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
	if r.fence != l.fence && !s.releasesLost {
		return nodelease.ErrLost
	}
	if !s.keepsMark && !(s.raisesOnly && mark.Before(r.mark)) {
		l.set(mark)
	}
	if !s.leavesLease {
		r.expires = time.Time{}
	}
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
	case l.s.roundsUp:
		mark = mark.Add(time.Millisecond - 1).Truncate(time.Millisecond)
	case l.s.short:
		mark = time.Unix(int64(int32(mark.Unix())), int64(mark.Nanosecond())).UTC()
	case l.s.zoneless:
		const plain = "2006-01-02 15:04:05.999999"
		mark, _ = time.ParseInLocation(plain, mark.In(berlin).Format(plain), berlin)
	}
	if l.s.oneMark {
		l.s.rows[0].mark = mark
	}
	l.s.cache[l.node] = mark
	r.earlier, r.mark = r.mark, mark
}
