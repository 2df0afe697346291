package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestCopies copies a process in the midst of its work, as the image of a virtual machine does,
// and mints on with the original and the copy. It says what of the two is still unique: with
// nothing done about it, with other random bits as after Reseed, and with other numbers
// besides; and with the copy restored at the same instant, or later.
func TestCopies(t *testing.T) {
	const (
		nothing = iota
		reseeded
		renumbered
	)
	for _, test := range []struct {
		name  string
		done  int
		later time.Duration // on the clock of the copy
		same  map[string]bool
	}{
		{"at once, and nothing is done", nothing, 0, map[string]bool{
			"V1": true, "V6": true, "V7": true, "ULID": true, "ULID monotonic": true, "Twitter Snowflake": true,
		}},
		{"a second later, and nothing is done", nothing, time.Second, nil},
		{"at once, reseeded", reseeded, 0, map[string]bool{
			"V1": true, "V6": true, "ULID monotonic": true, "Twitter Snowflake": true,
		}},
		{"at once, reseeded and renumbered", renumbered, 0, nil},
		{"a second later, reseeded and renumbered", renumbered, time.Second, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			now := [2]time.Time{start, start}
			var images [2]process
			var random [2]*seeded
			for i := range images {
				// A process that went the same way is a copy.
				random[i] = &seeded{PCG: rand.NewPCG(1, 2)}
				images[i] = newLibrary(boot{
					schemes: streams(), now: func() time.Time { return now[i] }, random: random[i],
					node: [6]byte{2}, number: 1,
				})
				for stream := range streams() {
					if err := images[i].open(stream); err != nil {
						t.Fatal(err)
					}
					images[i].next(stream)
				}
			}
			now[1] = now[1].Add(test.later)
			if test.done >= reseeded {
				random[0].Seed(3, 4)
				random[1].Seed(5, 6)
			}
			if test.done >= renumbered {
				images[1].renumber([6]byte{4}, 2)
			}
			for stream, s := range streams() {
				if test.done >= renumbered && s.monotonic {
					continue // renumber makes generators, which do not go on from the copied ULID
				}
				if err := images[1].open(stream); err != nil {
					t.Fatal(err)
				}
				seen := make(map[key]bool)
				for range 100 {
					seen[images[0].next(stream)] = true
				}
				same := 0
				for range 100 {
					if seen[images[1].next(stream)] {
						same++
					}
				}
				if (same > 0) != test.same[s.name] {
					t.Errorf("%d of 100 %ss are the same", same, s.name)
				}
			}
		})
	}
}

// streams are one of each scheme, and Snowflakes of Twitter's layout.
func streams() []scheme {
	return append(uuidSchemes(), snowflakeScheme("Twitter", ids.TwitterLayout(), 5))
}
