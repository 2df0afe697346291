package main

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress checks when the progress line is written and what it says, with the clock of a bubble.
func TestProgress(t *testing.T) {
	const last = "4,000 of 4,000, 100%, 1,000 a second, 0s left"
	const erase = -1
	farEnd := "\r2 of 9,223,372,036,854,775,807, 0%, 1 a second, 1281023h53m38s left"
	if math.MaxInt < 1<<32 {
		farEnd = "\r2 of 2,147,483,647, 0%, 1 a second, 596523h14m5s left"
	}
	type step struct {
		sleep time.Duration
		at    int
		want  string
	}
	for name, test := range map[string]struct {
		live  bool
		total int
		steps []step
	}{
		"total": {true, 4000, []step{
			{999 * time.Millisecond, 999, ""}, // nothing within the first second
			{0, erase, ""},
			{time.Millisecond, 1000, "\r1,000 of 4,000, 25%, 1,000 a second, 3s left"},
			{199 * time.Millisecond, 1199, ""}, // nothing within 200 ms
			{2801 * time.Millisecond, 4000, "\r" + last},
			{0, erase, "\r" + strings.Repeat(" ", len(last)) + "\r"},
		}},
		// The time that is left is at most 146 years, which a Duration can say.
		"far end": {true, math.MaxInt, []step{{2 * time.Second, 2, farEnd}}},
		"no total": {true, 0, []step{
			{2 * time.Second, 5_000_000, "\r5,000,000 done, 2,500,000 a second"},
			{98 * time.Second, 5_000_000, "\r5,000,000 done, 50,000 a second   "}, // over the longer line
		}},
		"nobody looks": {false, 10, []step{{time.Hour, 5, ""}, {0, erase, ""}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var screen bytes.Buffer
			p := (&tool{errs: &screen, live: test.live}).newProgress(test.total)
			for i, step := range test.steps {
				time.Sleep(step.sleep)
				if step.at == erase {
					p.clear()
				} else {
					p.at(step.at)
				}
				if screen.String() != step.want {
					t.Fatalf("%s, step %d: %q, want %q", name, i, &screen, step.want)
				}
				screen.Reset()
			}
		})
	}
}

// TestRunWithProgress checks that a run of the program as a whole writes the line and takes it
// away.
func TestRunWithProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, screen bytes.Buffer
		idgen := &tool{in: &slowReader{lines: 30}, out: bufio.NewWriter(&out), errs: &screen, live: true}
		if err := idgen.command([]string{"convert"}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(screen.String(), " done, "); got != 11 {
			t.Errorf("%d progress lines in 3 s: %q", got, &screen)
		}
		if !strings.HasSuffix(screen.String(), "  \r") {
			t.Errorf("the line stays: %q", &screen)
		}
	})
}

// A slowReader gives an id every 100 ms.
type slowReader struct{ lines int }

func (r *slowReader) Read(b []byte) (int, error) {
	if r.lines == 0 {
		return 0, io.EOF
	}
	r.lines--
	time.Sleep(100 * time.Millisecond)
	return copy(b, "01ARZ3NDEKTSV4RRFFQ69G5FAV\n"), nil
}
