package docs

import (
	"bytes"
	"crypto/fips140"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/oneclock/ids"
)

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
	if !fips140.Enforced() {
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
