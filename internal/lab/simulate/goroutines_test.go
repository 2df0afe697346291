package main

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oneclock/ids"
)

// TestGoroutines mints from many goroutines at once, on real time: single ids, and runs where there are any. Each
// id is above all those whose calls had returned, in any goroutine, before its call began; and none comes twice.
func TestGoroutines(t *testing.T) {
	clock := ids.NewClock(nil)
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock})
	monotonic := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, ULIDMonotonic: true})
	node, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	for name, mint := range map[string]func(n int) []key{
		"V6":                func(int) []key { return []key{fromBytes(g.NewV6())} },
		"V7":                func(int) []key { return []key{fromBytes(g.NewV7())} },
		"runs of V7":        func(n int) []key { return appendKeys(nil, g.AppendV7(nil, n), ofBytes) },
		"ULID":              func(int) []key { return []key{fromBytes(g.NewULID())} },
		"runs of ULID":      func(n int) []key { return appendKeys(nil, g.AppendULID(nil, n), ofBytes) },
		"monotonic ULID":    func(int) []key { return []key{fromBytes(monotonic.NewULID())} },
		"runs of the same":  func(n int) []key { return appendKeys(nil, monotonic.AppendULID(nil, n), ofBytes) },
		"Snowflake":         func(int) []key { return []key{{lo: uint64(node.Next())}} },
		"runs of Snowflake": func(n int) []key { return appendKeys(nil, node.Append(nil, n), ofSnowflake) },
		"attempts at the same": func(int) []key {
			x, err := node.TryNext()
			if err != nil {
				return nil
			}
			return []key{ofSnowflake(x)}
		},
	} {
		t.Run(name, func(t *testing.T) { atOnce(t, mint) })
	}
}

// atOnce calls mint from many goroutines. They begin together, and make so many ids that each is often stopped.
func atOnce(t *testing.T, mint func(n int) []key) {
	each := 20_000
	if testing.Short() {
		each = 2000
	}
	const goroutines = 16
	begin := make(chan bool)
	var highest atomic.Pointer[key] // of the ids that were returned
	highest.Store(new(key))
	all := make([][]key, goroutines)
	var done sync.WaitGroup
	for i := range all {
		done.Go(func() {
			<-begin
			for k := 0; len(all[i]) < each; k++ {
				above := *highest.Load()
				for _, x := range mint(1 + k%5*30) {
					if !above.less(x) {
						t.Errorf("%x is not above %x, which was returned before", x, above)
						return
					}
					above = x
					all[i] = append(all[i], x)
				}
				for h := highest.Load(); h.less(above) && !highest.CompareAndSwap(h, &above); {
					h = highest.Load()
				}
			}
		})
	}
	close(begin)
	done.Wait()
	seen := set{}
	for _, xs := range all {
		for _, x := range xs {
			if !seen.add(x) {
				t.Fatalf("%x twice", x)
			}
		}
	}
}
