package clockfile_test

// Random schedules of programs, files and faults.

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
)

// A trouble is a schedule of half a minute that is derived from a seed. Three programs, each of
// which is restarted whenever it ends, open the file at the same name. Meanwhile, three files
// replace each other at that name, and are removed and put back. Checks fail, hang or return late,
// and saves fail or are slow.
type trouble struct {
	*world
	rand   *rand.Rand
	files  []*inode
	runs   [3]*process               // the current run of each program
	made   map[ids.Snowflake]mintage // first program that generated each ID
	twice  int
	log    []string
	began  time.Time
	ending time.Time
}

type mintage struct {
	program int
	wall    time.Time
}

// FuzzTroubles checks that no two programs generate the same ID. An exception is an ID whose time
// is still in the future, because IDs continue from the horizon after a crash.
func FuzzTroubles(f *testing.F) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		f.Add(seed)
	}
	var ran, made atomic.Int64
	f.Cleanup(func() {
		f.Logf("%d schedules, %d ids", ran.Load(), made.Load())
		if ran.Load() >= 20 && made.Load() < 1000*ran.Load() {
			f.Error("so few ids prove little")
		}
	})
	f.Fuzz(func(t *testing.T, seed uint64) {
		bubble(t, func(t *testing.T) {
			w := newWorld()
			w.taken = true // the horizon of an older file covers no IDs
			now := time.Now()
			s := &trouble{world: w, rand: rand.New(rand.NewPCG(seed, 0)), made: map[ids.Snowflake]mintage{}, began: now, ending: now.Add(30 * time.Second)}
			for range 3 {
				w.put(t, path, w.wall.now())
				s.files = append(s.files, w.names[path])
			}
			var wg sync.WaitGroup
			for program := range s.runs {
				r := rand.New(rand.NewPCG(seed, uint64(1+program)))
				wg.Go(func() { s.program(t, program, r) })
			}
			wg.Go(s.somebody)
			wg.Wait()
			time.Sleep(time.Minute) // longer than anything can hang
			ran.Add(1)
			made.Add(int64(len(s.made)))
			if s.twice > 0 {
				t.Errorf("%d of %d ids come twice:\n%s", s.twice, len(s.made), strings.Join(s.log, "\n"))
			}
		})
	})
}

func (s *trouble) say(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%6d ms ", time.Since(s.began).Milliseconds())+fmt.Sprintf(format, args...))
}

// ms returns a random number of milliseconds from least to most.
func ms(r *rand.Rand, least, most int) time.Duration {
	return time.Duration(least+r.IntN(most-least+1)) * time.Millisecond
}

// program repeatedly opens the file, generates an ID every ms and closes the file.
func (s *trouble) program(t *testing.T, program int, r *rand.Rand) {
	for ; time.Now().Before(s.ending); time.Sleep(ms(r, 10, 400)) {
		p := &process{memory: s.memory, slow: ms(r, 0, 20)}
		if r.IntN(3) == 0 {
			p.slow *= 20
		}
		s.mu.Lock()
		s.runs[program] = p
		s.mu.Unlock()
		window := []time.Duration{200 * time.Millisecond, time.Second, 10 * time.Second}[r.IntN(3)]
		f, err := clockfile.OpenOn(p, path, &clockfile.Options{Window: window, ClockOptions: &ids.ClockOptions{Now: s.wall.now}})
		if err != nil {
			continue
		}
		n := mustNodeOf(t, f.Clock(), oneInATick)
		closes := time.AfterFunc(ms(r, 0, 9000), func() { f.Close() })
		for ; !errors.Is(err, ids.ErrEnded); time.Sleep(time.Millisecond) {
			var id ids.Snowflake
			if id, err = n.TryNext(); err == nil {
				s.note(program, id)
			}
		}
		closes.Stop()
		f.Close()
	}
}

// note records an ID.
func (s *trouble) note(program int, id ids.Snowflake) {
	const soon = 20 * time.Millisecond
	s.mu.Lock()
	defer s.mu.Unlock()
	at, now := oneInATick.Split(id).Time, s.wall.now()
	first, known := s.made[id]
	if known && first.program != program && at.Sub(first.wall) < soon && at.Sub(now) < soon {
		if s.twice++; s.twice < 4 {
			s.say("an id of programs %d and %d", first.program, program)
		}
	}
	if !known {
		s.made[id] = mintage{program, now}
	}
}

// put puts a file at the name, or removes the file there if i is nil.
func (s *trouble) put(i *inode) (before *inode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.names[path]
	s.names[path] = i
	if i == nil {
		delete(s.names, path)
	}
	s.say("file %d is put there", slices.Index(s.files, i))
	return before
}

// somebody injects a random fault every now and then.
func (s *trouble) somebody() {
	const held = 500 // in ms; for a shorter time, a file may be there between two checks
	r := s.rand
	for time.Now().Before(s.ending) {
		time.Sleep(ms(r, held, 2000))
		until := time.Now().Add(ms(r, 600, 3000))
		late := func(d time.Duration) func() {
			return func() {
				if time.Now().Before(until) {
					time.Sleep(d)
				}
			}
		}
		s.mu.Lock()
		some := s.runs[:]
		if one := r.IntN(4); one < 3 {
			some = some[one : one+1]
		}
		trouble := r.IntN(9)
		s.say("trouble %d, for %v", trouble, time.Until(until))
		for _, p := range some {
			switch {
			case p == nil:
			case trouble < 4: // checks fail or hang
				fails, often, n := r.IntN(2) == 0, 1+r.IntN(3), 0
				p.onCheck = func() error {
					s.mu.Lock()
					n++
					hit := n%often == 0 && time.Now().Before(until)
					s.mu.Unlock()
					switch {
					case hit && fails:
						return errFault
					case hit:
						time.Sleep(time.Until(until))
					}
					return nil
				}
			case trouble == 4:
				p.onAnswer = late([]time.Duration{300 * time.Millisecond, 900 * time.Millisecond, 3 * time.Second}[r.IntN(3)])
			case trouble == 5:
				bad := []outcome{fails, failsAfter}[r.IntN(2)]
				p.plan = func(int) outcome {
					if time.Now().Before(until) {
						return bad
					}
					return works
				}
			}
		}
		s.mu.Unlock()
		switch other := s.files[r.IntN(3)]; trouble {
		case 3, 4, 6: // another file is there for a while, perhaps while checks fail
			time.Sleep(ms(r, 0, 150))
			before := s.put(other)
			time.Sleep(max(held*time.Millisecond, time.Until(until)+ms(r, 0, 300)-150*time.Millisecond))
			s.put(before)
		case 7:
			s.put(other)
		case 8:
			s.put(nil)
			time.Sleep(ms(r, held, 1500))
			s.put(other)
		}
	}
}
