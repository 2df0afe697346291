package faulttest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

var longFlag = flag.Bool("long", false, "run each scenario for long, and one after the other, so that what it measures is its own")

// alone has a test share the machine with others unless it is there to measure.
func alone(t *testing.T) {
	if !*longFlag {
		t.Parallel()
	}
}

// duration returns how long a part of a test lasts: with -long, by default, and with -short.
func duration(long, normal, short time.Duration) time.Duration {
	switch {
	case *longFlag:
		return long
	case testing.Short():
		return short
	}
	return normal
}

// A scenario has the minters of a fleet share the numbers of one store while one kind of fault
// happens again and again. Half of the minters live as long as the scenario and show what the
// fault does to minting. The others come and go, so that numbers change hands meanwhile.
type scenario struct {
	fault   string
	minters int // zero means 24
	length  time.Duration
	ttl     time.Duration
	store   func(i int) nodelease.Store          // of the i-th minter
	now     func(i int) func() time.Time         // the wall clock of the i-th minter; nil means the system's
	inject  func(ctx context.Context, s *faults) // makes faults until ctx ends, then mends the last one
	// scarce means that there are fewer numbers than minters, so that some wait for as long as
	// others live, and none lives as long as the scenario.
	scarce bool
	// forgets means that the store forgets: ids may repeat whose times are not after that of faults.calm.
	forgets bool
}

// faults counts the faults of a scenario.
type faults struct {
	rng *rand.Rand
	mu  sync.Mutex
	n   map[string]int
	end time.Time // of what repeats, if the store forgets
}

func (f *faults) calm(end time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end = end
}

func (f *faults) count(kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n[kind]++
}

// member is one of a fleet's minters, or rather one after another at one place.
type member struct {
	ids      []int64
	count    atomic.Int64  // of ids
	pause    time.Duration // the longest between two ids of a minter that stays; it includes the rest after a batch
	calls    int           // of TryNext, by minters that stay, after their first id
	refused  int           // of those, for want of a number
	behind   int           // of those, because the clock was behind the mark or the latest id
	tenures  map[int64]bool
	lastSeen time.Time
}

// run carries the scenario out, checks that no id occurs twice, and logs a row of a table.
func (s scenario) run(t *testing.T) {
	t.Helper()
	if s.minters == 0 {
		s.minters = 24
	}
	f := &faults{rng: rand.New(rand.NewPCG(drawSeed(t), 2)), n: map[string]int{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	fleet := make([]*member, s.minters)
	for i := range fleet {
		fleet[i] = &member{tenures: map[int64]bool{}}
		own := rand.New(rand.NewPCG(f.rng.Uint64(), 0))
		all.Go(func() {
			if err := s.mint(ctx, i, fleet[i], own); err != nil {
				t.Error(err)
			}
		})
	}
	progress := func(when string) {
		limit := time.Now().Add(time.Minute)
		seen := make([]int64, len(fleet))
		for i, m := range fleet {
			seen[i] = m.count.Load()
		}
		for i, m := range fleet {
			for ; m.count.Load() == seen[i]; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatalf("minter %d mints nothing %s", i, when)
				}
			}
		}
	}
	progress("at the start")
	if s.inject != nil {
		faulty, calm := context.WithTimeout(ctx, s.length)
		s.inject(faulty, f)
		calm()
	} else {
		sleep(ctx, s.length)
	}
	progress("after the last fault")
	stop()
	all.Wait()
	s.report(t, f, fleet)
}

// mint is what the i-th minter does: batches of ids with a rest after each.
func (s scenario) mint(ctx context.Context, i int, mine *member, rng *rand.Rand) error {
	stays := i%2 == 0 && !s.scarce
	seen := func() bool { return s.scarce || stays && !mine.lastSeen.IsZero() }
	tries := i%4 == 0 // TryNext instead of Next
	for ctx.Err() == nil {
		opts := &nodelease.Options{Window: s.ttl + time.Duration(rng.Int64N(int64(s.ttl)))}
		switch {
		case s.now != nil:
			opts.Now = s.now(i)
		case i%2 != 0:
			// Clocks that disagree: a number that changes hands then goes back in time, and only
			// the mark keeps its new holder from repeating ids.
			offset := between(rng, -time.Second, time.Second)
			opts.Now = func() time.Time { return time.Now().Add(offset) }
		}
		m, err := nodelease.NewMinter(s.store(i), opts)
		if err != nil {
			return err
		}
		life, cancel := context.WithCancel(ctx)
		if !stays {
			cancel()
			life, cancel = context.WithTimeout(ctx, between(rng, 0, s.life()))
		}
		for life.Err() == nil {
			for range rng.IntN(120) {
				var id ids.Snowflake
				var err error
				if tries {
					if id, err = m.TryNext(); seen() {
						mine.calls++
					}
				} else {
					id, err = m.Next(life)
				}
				if err == nil {
					mine.keep(id, stays)
					continue
				}
				switch {
				case errors.Is(err, ids.ErrSuspended):
					if seen() {
						mine.refused++
					}
				case errors.Is(err, ids.ErrClockBackward):
					if seen() {
						mine.behind++
					}
				case !errors.Is(err, ids.ErrExhausted) && life.Err() == nil:
					cancel()
					return err
				}
				break
			}
			sleep(life, between(rng, 5*time.Millisecond, 15*time.Millisecond))
		}
		cancel()
		_ = m.Close() // a store that is down takes nothing back: the lease ends by itself
		if s.scarce {
			sleep(ctx, between(rng, 0, s.life())) // or it would take its number again before others ask
		}
	}
	return nil
}

// life is the longest time for which a minter lives that does not stay.
func (s scenario) life() time.Duration {
	if s.scarce {
		return s.ttl
	}
	return 3 * s.ttl
}

func (m *member) keep(id ids.Snowflake, timed bool) {
	m.ids = append(m.ids, int64(id))
	m.count.Add(1)
	m.tenures[id.Node()] = true
	if now := time.Now(); timed {
		if !m.lastSeen.IsZero() {
			m.pause = max(m.pause, now.Sub(m.lastSeen))
		}
		m.lastSeen = now
	}
}

// report checks the ids and logs a row of the table in docs/nodes.md.
func (s scenario) report(t *testing.T, f *faults, fleet []*member) {
	t.Helper()
	var lists [][]int64
	var sum member
	nodes := map[int64]bool{}
	for _, m := range fleet {
		lists = append(lists, m.ids)
		sum.pause = max(sum.pause, m.pause)
		sum.calls, sum.refused, sum.behind = sum.calls+m.calls, sum.refused+m.refused, sum.behind+m.behind
		for n := range m.tenures {
			nodes[n] = true
		}
	}
	total, twice := countTwice(t, lists)
	bad := slices.DeleteFunc(slices.Clone(twice), func(text string) bool {
		id, err := ids.ParseSnowflake(text)
		return s.forgets && err == nil && !id.Time().After(f.end)
	})
	if len(bad) > 0 {
		t.Errorf("%d ids occur twice, among them %v", len(bad), bad[:min(len(bad), 10)])
	}
	if s.inject != nil && len(f.n) == 0 {
		t.Errorf("no fault of the kind %q", s.fault)
	}
	var injected []string
	for kind, n := range f.n {
		injected = append(injected, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(injected)
	pause := "-"
	if !s.scarce {
		pause = sum.pause.Round(time.Millisecond).String()
	}
	t.Logf("ROW | %s | %s | %d minters, %d numbers, %d ids | %s | %d and %d of %d | %d |", s.fault, strings.Join(injected, ", "),
		s.minters, len(nodes), total, pause, sum.refused, sum.behind, sum.calls, len(twice))
}

// countTwice has the system's own sort and uniq look for ids that occur twice.
func countTwice(t *testing.T, lists [][]int64) (total int, twice []string) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-S", "256M", "-T", dir}
	for i, list := range lists {
		var text []byte
		for _, id := range list {
			text = append(strconv.AppendInt(text, id, 10), '\n')
		}
		total += len(list)
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	cmd := exec.Command("sh", append([]string{"-c", `sort "$@" | uniq -d`, "sh"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil || complaint.Len() > 0 {
		t.Fatalf("sort and uniq: %v %s", err, complaint.String())
	}
	return total, strings.Fields(string(out))
}

// TestCountTwice shows that the check sees one duplicate among many ids, in one list or in two.
func TestCountTwice(t *testing.T) {
	t.Parallel()
	var even, odd []int64
	for i := range int64(10_000) {
		even, odd = append(even, 1<<60+2*i), append(odd, 1<<60+2*i+1)
	}
	if total, twice := countTwice(t, [][]int64{even, odd}); total != 20_000 || len(twice) != 0 {
		t.Errorf("%d ids, twice %v, want 20000 and none", total, twice)
	}
	odd[77], odd[99] = even[5], odd[98]
	_, twice := countTwice(t, [][]int64{even, odd})
	if want := []string{fmt.Sprint(even[5]), fmt.Sprint(odd[98])}; !slices.Equal(twice, want) {
		t.Errorf("twice %v, want %v", twice, want)
	}
}

// etcdStore returns a store of numbers under a prefix of its own.
func etcdStore(t *testing.T, client *clientv3.Client, prefix string, nodes int64, ttl time.Duration) nodelease.Store {
	t.Helper()
	s, err := etcdstore.New(client, &etcdstore.Options{Prefix: prefix, Nodes: nodes, TTL: ttl})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func connect(t *testing.T, address, options string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), pgtest.URL(address)+options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// openPool connects to a schema of its own, so that its table of numbers is a new one.
func openPool(t *testing.T, address, schema, options string) *pgxpool.Pool {
	t.Helper()
	pool := connect(t, address, "&search_path="+schema+options)
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := pool.Exec(t.Context(), "create schema if not exists "+schema)
		if err == nil {
			return pool
		}
		if time.Now().After(limit) { // a server that was restarted just now needs a moment
			t.Fatal(err)
		}
	}
}

func postgresStore(t *testing.T, pool *pgxpool.Pool, nodes int64, ttl time.Duration) nodelease.Store {
	t.Helper()
	s, err := pgstore.New(t.Context(), pool, &pgstore.Options{Nodes: nodes, TTL: ttl})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same gives all minters one store.
func same(s nodelease.Store) func(int) nodelease.Store {
	return func(int) nodelease.Store { return s }
}

// countRefusedTakes asks for a number again and again. What it gets it gives back at once.
func countRefusedTakes(s nodelease.Store) func(ctx context.Context, f *faults) {
	return func(ctx context.Context, f *faults) {
		for ; ctx.Err() == nil; sleep(ctx, 20*time.Millisecond) {
			l, err := s.Take(ctx, time.Now())
			if errors.Is(err, nodelease.ErrNoNode) {
				f.count("refused Takes")
			} else if err == nil {
				_ = l.Release(context.WithoutCancel(ctx), l.Mark())
			}
		}
	}
}
