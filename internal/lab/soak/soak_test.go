package main

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/markdown"
)

// TestSoak is a short soak.
func TestSoak(t *testing.T) {
	s := &soak{span: 100 * time.Millisecond, more: time.Minute, size: 1 << 13, disk: 1 << 30, dir: t.TempDir(), log: io.Discard}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.shelves {
		if f.ids == 0 {
			t.Errorf("no ids of %v were minted", f.kind)
		}
	}
	if s.order.checked == 0 || s.order.leaps == 0 || s.near == 0 || s.runs == 0 || s.full {
		t.Errorf("a soak has not tried everything:\n%s", s.table())
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v on disk, error %v", left, err)
	}
}

// TestUntried is a soak that cannot try everything: each goroutine makes one call in a history, and
// the one that sets the clock none but that.
func TestUntried(t *testing.T) {
	s := &soak{more: 10 * time.Millisecond, size: 1, disk: 1 << 30, dir: t.TempDir(), log: io.Discard}
	if err := s.run(); err == nil || !strings.Contains(err.Error(), "not everything was tried in ") {
		t.Errorf("error %v", err)
	}
}

// TestDiskLimit ends a soak early.
func TestDiskLimit(t *testing.T) {
	s := &soak{span: time.Hour, size: 1 << 10, disk: 1000, dir: t.TempDir(), log: io.Discard}
	if err := s.run(); err != nil || !s.full {
		t.Errorf("the disk is full: %v, error %v", s.full, err)
	}
}

// TestFailingSoak writes where nothing can be written.
func TestFailingSoak(t *testing.T) {
	s := &soak{span: time.Hour, size: 1 << 10, disk: 1 << 30, dir: filepath.Join(t.TempDir(), "none"), log: io.Discard}
	if err := s.run(); err == nil {
		t.Error("no error without a directory")
	}
}

// shelve puts ids on a shelf, the ids of each history as if two goroutines had minted them.
func shelve(t *testing.T, k kind, histories [][]key) (s *shelf, equal int) {
	t.Helper()
	s, err := newShelf(t.TempDir(), k)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	for _, ids := range histories {
		h := newHistory(2, 1)
		h.parts[0].ids[k] = ids[:len(ids)/2]
		h.parts[1].ids[k] = ids[len(ids)/2:]
		n, err := s.add(h)
		if err != nil {
			t.Fatal(err)
		}
		equal += n
	}
	return s, equal
}

// TestShelf puts random ids on a shelf, in runs that are longer than a buffer, some of them twice: in
// one history, in two, and the extreme ones. All must be read again, and each that is there twice
// must be found.
func TestShelf(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	extreme := []key{{}, {0, 1}, {0, 1<<64 - 1}, {1, 0}, {1<<64 - 1, 0}, {1<<64 - 1, 1<<64 - 1}}
	for k := range kinds {
		var histories [][]key
		total := 0
		for range 6 {
			ids := make([]key, 5000)
			for i := range ids {
				ids[i] = key{rng.Uint64() >> rng.IntN(64), rng.Uint64()}
			}
			histories = append(histories, ids)
		}
		histories = append(histories, extreme, nil, []key{{7, 7}})
		for _, ids := range histories {
			total += len(ids)
		}
		for _, twice := range []struct{ of, in int }{{-1, 0}, {3, 3}, {3, 5}, {6, 2}, {8, 0}} {
			planted := slices.Clone(histories)
			count, within, across := total, 0, int64(0)
			if twice.of >= 0 {
				planted[twice.in] = slices.Concat(planted[twice.in], planted[twice.of][:1])
				count++
				across = 1
				if twice.of == twice.in {
					within = 1
				}
			}
			s, equal := shelve(t, k, planted)
			ids, duplicates, err := s.merge()
			if err != nil || equal != within || duplicates != across || ids != int64(count) || s.ids != ids {
				t.Errorf("%v, %v planted: %d of %d ids merged, %d and %d duplicates, want %d and %d, error %v",
					k, twice, ids, count, equal, duplicates, within, across, err)
			}
		}
	}
}

// TestDamagedShelf reads a file that is not what was written.
func TestDamagedShelf(t *testing.T) {
	ids := []key{{1, 5}, {2, 1 << 60}, {3, 9}}
	for what, damage := range map[string]func(*shelf){
		"cut off":   func(s *shelf) { s.ends[0]-- },
		"not there": func(s *shelf) { s.file.Close() },
		"unsorted": func(s *shelf) {
			down := ^uint64(0) // the difference of -1
			s.ends[0] += int64(must(s.append(append(binary.AppendUvarint(nil, down), 0))))
		},
	} {
		s, _ := shelve(t, v7, [][]key{ids})
		damage(s)
		if n, equal, err := s.merge(); err == nil {
			t.Errorf("%s: %d ids merged, %d duplicates", what, n, equal)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestArranged shows that no two ids become one on a shelf, by the bits that a changed bit changes.
func TestArranged(t *testing.T) {
	for k := range kinds {
		seen := map[key]bool{}
		zero := k.arranged(key{})
		for i := range 64 {
			for _, x := range []key{{1 << i, 0}, {0, 1 << i}} {
				y := k.arranged(x)
				seen[key{y.hi ^ zero.hi, y.lo ^ zero.lo}] = true
			}
		}
		var all key
		for y := range seen {
			all = key{all.hi | y.hi, all.lo | y.lo}
		}
		if len(seen) != 128 || all != (key{^uint64(0), ^uint64(0)}) {
			t.Errorf("%v: 128 bits become %d", k, len(seen))
		}
	}
}

// TestPlantedDuplicate lets a soak's check see a generator that repeats ids: each history holds
// every id once, and two histories share one.
func TestPlantedDuplicate(t *testing.T) {
	var n atomic.Uint64
	again := stream{name: "again", kind: v4, one: func() key {
		x := n.Add(1)
		if x == 9000 {
			x = 17
		}
		return key{lo: x}
	}}
	s := &soak{log: io.Discard, order: newOrder([]stream{again})}
	for k := range s.shelves {
		s.shelves[k], _ = shelve(t, kind(k), nil)
	}
	workers := newWorkers(4, []stream{again}, 0, nil)
	h := newHistory(4, 1000)
	for range 12 {
		h.record(workers, 1000)
		if err := s.check(h); err != nil {
			t.Fatal(err)
		}
	}
	if s.equal.Load() != 0 {
		t.Errorf("%d duplicates in a history", s.equal.Load())
	}
	if err := s.merge(); err == nil || !strings.Contains(err.Error(), "V4: 1 ids equal another") {
		t.Errorf("a repeated id is not found: %v", err)
	}
}

// TestPublish puts a summary into a page.
func TestPublish(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	text := "# Page\n\n<!-- soak:begin -->\n\nold\n\n<!-- soak:end -->\n\nmore\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := markdown.Put(path, "soak", "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	if got := must(os.ReadFile(path)); string(got) != strings.Replace(text, "old", "new", 1) {
		t.Errorf("the page is now %q", got)
	}
	if err := markdown.Put(path, "order", "new\n"); err == nil {
		t.Error("no error for a page without markers")
	}
}
