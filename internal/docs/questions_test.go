package docs

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/oneclock/ids"
)

// yearsUntilEqual says after how long processes that mint at a rate, in ids a second, can expect to have made one id twice: each two ids
// of different processes that have one tick are equal in all their bits with probability 2^-bits.
func yearsUntilEqual(processes, rate, ticks float64, bits int) string {
	const year = 365.25 * 24 * 3600
	pairs := processes * (processes - 1) / 2 * rate * rate / ticks                          // in a second
	years, _ := strconv.ParseFloat(fmt.Sprintf("%.1e", math.Ldexp(1, bits)/pairs/year), 64) // two digits that count
	name := ""
	for _, word := range []string{" thousand", " million", " billion"} {
		if years >= 1000 {
			years, name = years/1000, word
		}
	}
	return strconv.FormatFloat(years, 'f', -1, 64) + name + " years"
}

// TestOdds computes what docs/questions.md says of ids that different processes make.
func TestOdds(t *testing.T) {
	page := read(t, Root(t), "docs", "questions.md")
	const v7Ticks, v7Bits, ulidTicks, ulidBits = 4_096_000, 61, 1000, 79 // ticks in a second; bits of the first id of a tick
	var want []string
	for _, c := range []struct {
		processes, rate float64
		name            string
	}{{100, 1000, "100 processes, 1,000 ids a second each"}, {1000, 10_000, "1,000 processes, 10,000 ids a second each"}} {
		v7, ulid := yearsUntilEqual(c.processes, c.rate, v7Ticks, v7Bits), yearsUntilEqual(c.processes, c.rate, ulidTicks, ulidBits)
		want = append(want, fmt.Sprintf("| %s | once in %s | once in %s |\n", c.name, v7, ulid))
	}

	const n = 1e12 // ids of version 4
	want = append(want, fmt.Sprintf("10¹² version 4 UUIDs, two are equal with a probability of %.0f × 10⁻¹⁴", n*n/2/math.Ldexp(1, 122)*1e14))

	processes := 0
	for differ := 1.0; differ > 0.5; processes++ { // random node numbers from 0 to 1023
		differ *= float64(1024-processes) / 1024
	}
	want = append(want, fmt.Sprintf("of %d processes that take a random Snowflake number", processes))
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("docs/questions.md lacks %q", text)
		}
	}
}

// TestBubblesOfFIPS shows what docs/questions.md says of a program's tests in FIPS 140 mode. With Go 1.26 a first id in a bubble panics:
// crypto/rand takes its seed from the jitter of a clock, which stands still there. After one outside of bubbles, many goroutines may mint
// in them.
func TestBubblesOfFIPS(t *testing.T) {
	for first, want := range map[string]bool{"": false, "outside": true} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBubblesOfFIPSChild$", "-test.v", fmt.Sprintf("-test.short=%v", testing.Short()))
		cmd.Env = append(os.Environ(), "GODEBUG=fips140=only", "IDS_TEST_FIRST="+first)
		out, err := cmd.CombinedOutput()
		if why := regexp.MustCompile("FIPS 140-3 mode is .*").Find(out); why != nil {
			t.Skipf("Go says: %s", why) // such as: incompatible with ASAN
		}
		if first == "" && !strings.HasPrefix(runtime.Version(), "go1.26") {
			continue
		}
		passed := bytes.Contains(out, []byte("--- PASS: TestBubblesOfFIPSChild "))
		if passed != want || want != (err == nil) || !want && !bytes.Contains(out, []byte("entropy")) {
			t.Errorf("with a first id %q: passed: %v, want %v; %v\n%.2000s", first, passed, want, err, out)
		}
	}
}

func TestBubblesOfFIPSChild(t *testing.T) {
	if !strings.Contains(os.Getenv("GODEBUG"), "fips140=only") {
		t.Skip("it runs in a process that TestBubblesOfFIPS starts")
	}
	if os.Getenv("IDS_TEST_FIRST") == "outside" {
		ids.NewV4()
	}
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		runtime.GC() // empties the pool in which crypto/rand keeps
		runtime.GC() // generators that it has seeded
		synctest.Test(t, func(*testing.T) {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 500 {
						ids.NewV4()
						ids.NewV7()
					}
				})
			}
			wg.Wait()
		})
	}
}
