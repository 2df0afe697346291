package compare

// The effects of clock faults on other libraries.

import (
	"bytes"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	"github.com/sony/sonyflake/v2"

	"github.com/oneclock/ids"
)

// rivals are the rows of the table in docs/compare.md, with checks of other libraries' behavior.
var rivals = []struct {
	library, what string
	shows         func(t *testing.T) bool
}{
	{"google/uuid v1.6.0", "version 1 can repeat IDs after the clock is set back by an hour", func(t *testing.T) bool {
		return repeated(setBack(t, time.Hour, google.NewUUID))
	}},
	{"google/uuid v1.6.0", "the time in a version 6 UUID is wrong by centuries", func(t *testing.T) bool {
		at, ok := ids.UUID(atOnce(t, 1, google.NewV6)[0]).Time()
		return ok && time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Sub(at).Abs() > 200*365*24*time.Hour
	}},
	{"gofrs/uuid/v5 v5.5.1", "version 1 with a fixed node ID can repeat IDs after the clock is set back by an hour", func(t *testing.T) bool {
		return repeated(setBack(t, time.Hour, gofrsNode().NewV1))
	}},
	{"gofrs/uuid/v5 v5.5.1", "version 6 UUIDs made at the same clock reading do not ascend", func(t *testing.T) bool {
		return !slices.IsSortedFunc(atOnce(t, 100, gofrsNode().NewV6), func(a, b gofrs.UUID) int { return bytes.Compare(a[:], b[:]) })
	}},
	{"bwmarrin/snowflake v0.3.0", "two nodes with the same number in one process generate the same IDs in the same millisecond", func(t *testing.T) bool {
		return repeated(atOnce(t, 2, func() (bwmarrin.ID, error) { return must(bwmarrin.NewNode(1)).Generate(), nil }))
	}},
	{"sony/sonyflake/v2 v2.2.0", "after the clock is set back by an hour, a call to `NextID` blocks for an hour", func(t *testing.T) bool {
		node := must(sonyflake.New(sonyflake.Settings{StartTime: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), MachineID: machine}))
		after(t, 2*time.Hour, func() { must(node.NextID()) })
		var wait time.Duration
		after(t, time.Hour, func() {
			began := time.Now()
			for range 256 {
				must(node.NextID())
			}
			wait = time.Since(began)
		})
		return wait > 59*time.Minute
	}},
}

// TestRivals checks the claims about other libraries in docs/compare.md, and that the page makes no
// others.
func TestRivals(t *testing.T) {
	mod := readFile("../go.mod")
	_, table, _ := strings.Cut(readFile("../../../docs/compare.md"), "| library | what happens |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	want := ""
	for _, r := range rivals {
		want += "| " + r.library + " | " + r.what + " |\n"
		if !strings.Contains(mod, "\tgithub.com/"+r.library+"\n") {
			t.Errorf("the laboratory has another version than %s", r.library)
		}
		t.Run(strings.NewReplacer("/", "_", "`", "").Replace(r.library+" "+r.what), func(t *testing.T) {
			if !r.shows(t) {
				t.Error("not so")
			}
		})
	}
	if table+"\n" != want {
		t.Errorf("docs/compare.md has the rows\n%s\nwant\n%s", table, want)
	}
}

// after runs f in a bubble whose clock begins later than other bubbles' by d. Code that runs in a
// second bubble can thus meet a clock that was set back.
func after(t *testing.T, d time.Duration, f func()) {
	synctest.Test(t, func(*testing.T) {
		time.Sleep(d)
		f()
	})
}

// atOnce returns n IDs made at one reading of the clock.
func atOnce[T any](t *testing.T, n int, mint func() (T, error)) (all []T) {
	after(t, 0, func() {
		for range n {
			all = append(all, must(mint()))
		}
	})
	return all
}

// setBack returns IDs that are made before and after the clock is set back, and when it has caught
// up, two for each 10 µs.
func setBack[T any](t *testing.T, back time.Duration, mint func() (T, error)) (all []T) {
	const start, readings, pause = 2 * time.Hour, 8192, 10 * time.Microsecond
	load := func() {
		for range readings {
			all = append(all, must(mint()), must(mint()))
			time.Sleep(pause)
		}
	}
	after(t, start, load)
	after(t, start+readings*pause-back, func() {
		load()
		if left := back - 2*readings*pause; left > 0 {
			time.Sleep(left)
			load()
		}
	})
	return all
}

// repeated reports whether an ID occurs twice.
func repeated[T comparable](all []T) bool {
	seen := map[T]bool{}
	for _, id := range all {
		seen[id] = true
	}
	return len(seen) < len(all)
}

// gofrsNode returns a generator of gofrs/uuid with a fixed node.
func gofrsNode() *gofrs.Gen {
	return gofrs.NewGenWithHWAF(func() (net.HardwareAddr, error) { return net.HardwareAddr{2, 0, 0, 0, 0, 1}, nil })
}
