package must_test

// A test of Soon.

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/oneclock/ids/nodelease/internal/must"
)

// recorder is a testing.TB that records the message of Fatalf.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Fatalf(format string, args ...any) { r.text = fmt.Sprintf(format, args...) }

// TestSoon calls Soon with a function that always fails. Soon must end the test.
func TestSoon(t *testing.T) {
	must.Bubble(t, func(t *testing.T) {
		r := &recorder{TB: t}
		must.Soon(r, func() error { return io.EOF })
		if !strings.Contains(r.text, "EOF") {
			t.Errorf("the test ends by %q", r.text)
		}
	})
}
