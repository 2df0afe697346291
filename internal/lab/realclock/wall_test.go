//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/realclock"
)

// phase is how long each phase of a script lasts at least.
const phase = 100 * time.Millisecond

// Times at which clocks of scripts start. All are after the epoch of each scheme.
var (
	inThePast = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	hourAgo   = time.Now().Add(-time.Hour)
)

// scripts are by what they have in common. Each visits the same wall times more than once.
var scripts = map[string][]realclock.Phase{
	"within the tolerance": {
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "a phase behind", Length: phase, Wall: realclock.Shift(-phase)}, // the same times once more
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "9 s behind", Length: phase, Wall: realclock.Shift(-9 * time.Second)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
	},
	"beyond the tolerance": {
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "11 s behind", Length: phase, Wall: realclock.Shift(-11 * time.Second)},
		{Name: "1 h behind", Length: phase, Wall: realclock.From(hourAgo)},
		{Name: "2 h ahead", Length: phase, Wall: realclock.Shift(2 * time.Hour)}, // as after a suspend
		{Name: "1 h behind again", Length: phase, Wall: realclock.From(hourAgo)},
		{Name: "30 years ahead", Length: phase, Wall: realclock.Shift(30 * 365 * 24 * time.Hour)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
	},
	"uneven": {
		// Long enough to fill all the ticks that may be ahead, and then for a wait by far too long.
		{Name: "stands still in 2020", Length: 12 * phase, Wall: realclock.Still(inThePast)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "stands still in 2020 again", Length: phase, Wall: realclock.Still(inThePast)},
		{Name: "half speed", Length: phase, Wall: realclock.Slew(-0.5)},
		{Name: "double speed", Length: phase, Wall: realclock.Slew(1)},
		{Name: "jitter of 4 ms", Length: phase, Wall: realclock.Jitter(jitter)},
		{Name: "coarse", Length: phase, Wall: realclock.Coarse(15625 * time.Microsecond)},
	},
	"without a battery": {
		{Name: "booted in 1970", Length: phase, Wall: realclock.From(time.Unix(0, 0))},
		{Name: "set right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "1970 again", Length: phase, Wall: realclock.From(time.Unix(0, 0))},
		{Name: "set right again", Length: phase, Wall: realclock.Shift(0)},
	},
}

// TestWallClock mints ids in processes whose wall clock is moved under them.
func TestWallClock(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "uneven" && testing.Short() {
				t.Skip("waits on a clock that stands still")
			}
			r, spans := trace(t, "traced", script)
			if len(spans) != len(script) {
				t.Fatalf("the process has ended in phase %d of %d", len(spans), len(script))
			}
			judge(t, r)
			for i, s := range spans {
				if r.Compared[i] == 0 {
					t.Errorf("%s: no times were compared with the wall clock", s.Name)
				}
			}
		})
	}
}

// TestChecks shows that the checks of this package fail for schemes that do each thing wrong. The clock
// is set back until all have been caught: by a little, and by so much that no phase is as long.
func TestChecks(t *testing.T) {
	t.Parallel()
	var script []realclock.Phase
	for range 30 {
		script = append(script,
			realclock.Phase{Name: "an hour ago", Length: phase, Wall: realclock.From(hourAgo)},
			realclock.Phase{Name: "an hour ago again", Length: phase, Wall: realclock.From(hourAgo)},
			realclock.Phase{Name: "right", Length: phase, Wall: realclock.Shift(0)})
	}
	r, spans := trace(t, "naive", script)
	for _, name := range uncaught(&r) {
		t.Errorf("the scheme that breaks %q passed", name)
	}
	t.Logf("caught in %d phases: %v", len(spans), r.Violations)
}

// trace runs a child with the clock of a script, and returns its report and the phases that it was
// in, after a check that it saw the clock of each.
func trace(t *testing.T, role string, script []realclock.Phase) (report, []realclock.Span) {
	t.Helper()
	r, spans := runChild(t, role, script)
	seen, wrong := make([]int, len(spans)), make([]int, len(spans))
	for _, x := range r.Samples {
		i := realclock.PhaseOf(x.Wall)
		if i >= len(spans) {
			t.Fatalf("the child's clock showed %v, which is of phase %d of %d", x.Wall, i, len(spans))
		}
		seen[i]++
		if from, to := spans[i].At(x.Mono), spans[i].At(x.After); x.Wall.Before(from.Add(-jitter)) || x.Wall.After(to.Add(jitter)) {
			wrong[i]++
		}
	}
	for i, s := range spans {
		if seen[i] == 0 && i < len(spans)-1 || wrong[i] > 0 { // the child may have ended soon after the last began
			t.Errorf("%s: %d of %d samples of the child's clock are not what it was shown", s.Name, wrong[i], seen[i])
		}
		t.Logf("%s: %v, read %d times", s.Name, s.Ended-s.Began, s.Readings)
	}
	return r, spans
}
