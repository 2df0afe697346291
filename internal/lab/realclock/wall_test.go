//go:build linux && (amd64 || arm64)

package realclock_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/oneclock/ids/internal/lab/realclock"
)

// phase is how long each phase of a script lasts at least.
const phase = 300 * time.Millisecond

// inThePast is after the epoch of each scheme.
var inThePast = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// scripts are by what they have in common. Each visits the same wall times more than once.
var scripts = map[string][]realclock.Phase{
	"within the tolerance": {
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "a phase behind", Length: phase, Wall: realclock.Shift(-phase)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "1 s behind", Length: phase, Wall: realclock.Shift(-time.Second)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "5 s behind", Length: phase, Wall: realclock.Shift(-5 * time.Second)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "9 s behind", Length: phase, Wall: realclock.Shift(-9 * time.Second)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
	},
	"beyond the tolerance": {
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "11 s behind", Length: phase, Wall: realclock.Shift(-11 * time.Second)},
		{Name: "1 h behind", Length: phase, Wall: realclock.Shift(-time.Hour)},
		{Name: "2 h ahead", Length: phase, Wall: realclock.Shift(2 * time.Hour)}, // as after a suspend
		{Name: "1 h behind again", Length: phase, Wall: realclock.Shift(-time.Hour - 2*phase)},
		{Name: "30 years ahead", Length: phase, Wall: realclock.Shift(30 * 365 * 24 * time.Hour)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
	},
	"uneven": {
		// Long enough to fill all the ticks that may be ahead, and then for a wait by far too long.
		{Name: "stands still", Length: 4 * phase, Wall: realclock.Freeze(0)},
		{Name: "half speed", Length: phase, Wall: realclock.Slew(0, -0.5)},
		{Name: "double speed", Length: phase, Wall: realclock.Slew(0, 1)},
		{Name: "jitter of 4 ms", Length: phase, Wall: realclock.Jitter(4 * time.Millisecond)},
		{Name: "coarse", Length: phase, Wall: realclock.Coarse(15625 * time.Microsecond)},
		{Name: "stands still in 2020", Length: phase, Wall: realclock.Still(inThePast)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
		{Name: "stands still in 2020 again", Length: phase, Wall: realclock.Still(inThePast)},
		{Name: "right", Length: phase, Wall: realclock.Shift(0)},
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
			judge(t, trace(t, "traced", script))
		})
	}
}

// TestChecks shows that the checks of this package fail for schemes that do each thing wrong.
func TestChecks(t *testing.T) {
	r := trace(t, "naive", []realclock.Phase{
		{Name: "right", Length: 3 * phase, Wall: realclock.Shift(0)},
		{Name: "behind", Length: 5 * phase, Wall: realclock.Shift(-3 * phase)},
	})
	for _, s := range naive() {
		if detail := r.Violations[s.name+" "+s.name]; detail == "" {
			t.Errorf("the scheme that breaks %q passed", s.name)
		} else {
			t.Logf("%s: %s", s.name, detail)
		}
	}
}

// trace runs a child with the clock of a script and returns its report, after a check that it
// saw that clock.
func trace(t *testing.T, role string, script []realclock.Phase) report {
	t.Helper()
	env, finish := startChild(t, role)
	output, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	began := time.Now()
	code, readings, err := realclock.Run([]string{executable(t)}, env, output, script)
	if errors.Is(err, realclock.ErrNotPermitted) {
		t.Skip(err)
	}
	if err != nil || code != 0 {
		text, _ := os.ReadFile(output.Name())
		t.Fatalf("child: exit code %d, error %v, output %q", code, err, text)
	}
	r := finish()
	for i, count := range readings {
		t.Logf("%s: the child read its clock %d times", script[i].Name, count)
	}
	var want []time.Duration
	for i := 1; i < len(script); i++ {
		began = began.Add(script[i-1].Length)
		end := script[i-1].Wall(began, script[i-1].Length)
		if step := script[i].Wall(began, 0).Sub(end); step.Abs() > slack {
			want = append(want, step)
		}
	}
	same := len(want) == len(r.Steps)
	for i := 0; same && i < len(want); i++ {
		same = (want[i] - r.Steps[i]).Abs() < slack
	}
	if !same {
		t.Errorf("the child saw the steps %v, want %v", r.Steps, want)
	}
	return r
}
