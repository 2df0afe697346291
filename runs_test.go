package ids_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"testing/cryptotest"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/internal/random"
)

// TestNegativeRuns asks for runs of negative length.
func TestNegativeRuns(t *testing.T) {
	n, err := ids.NewSnowflakeNode(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := ids.NewGenerator(nil)
	for name, f := range map[string]func(int){
		"AppendV4":             func(n int) { ids.AppendV4(nil, n) },
		"AppendV7":             func(n int) { ids.AppendV7(nil, n) },
		"AppendULID":           func(n int) { ids.AppendULID(nil, n) },
		"Generator.AppendV4":   func(n int) { g.AppendV4(nil, n) },
		"Generator.AppendV7":   func(n int) { g.AppendV7(nil, n) },
		"Generator.AppendULID": func(n int) { g.AppendULID(nil, n) },
		"SnowflakeNode.Append": func(count int) { n.Append(nil, count) },
	} {
		checkPanic(t, name+"(nil, -1)", "negative", func() { f(-1) })
		checkPanic(t, name+"(nil, least)", "negative", func() { f(-1 << 31) })
		f(0)
		f(1) // a panic must not have left the clock locked
	}
}

// TestRuns checks that a run is appended after what is there, and leaves that as it is.
func TestRuns(t *testing.T) {
	n, err := ids.NewSnowflakeNode(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkRun(t, "AppendV4", ids.AppendV4)
	checkRun(t, "AppendV7", ids.AppendV7)
	checkRun(t, "AppendULID", ids.AppendULID)
	checkRun(t, "SnowflakeNode.Append", n.Append)
}

func checkRun[T comparable](t *testing.T, name string, f func([]T, int) []T) {
	t.Helper()
	var zero T
	before := f(nil, 2)
	for _, count := range []int{0, 1, 5, 4095, 4096, 4097, 10000} {
		spare := make([]T, 2, 4098)
		copy(spare, before)
		got := f(spare, count)
		if len(got) != 2+count || got[0] != before[0] || got[1] != before[1] {
			t.Fatalf("%s of %d gives %d ids after %v", name, count, len(got), before)
		}
		if count <= 4096 && &got[0] != &spare[0] {
			t.Errorf("%s of %d does not use the room that there is", name, count)
		}
		seen := map[T]bool{zero: true}
		for _, id := range got {
			if seen[id] {
				t.Fatalf("%s of %d gives %v twice", name, count, id)
			}
			seen[id] = true
		}
	}
}

// TestAppendV4 shows that AppendV4 makes the same ids as NewV4 of the same random bytes, of which
// it takes each once, beyond the end of a block too.
func TestAppendV4(t *testing.T) {
	const seed = 19
	cryptotest.SetGlobalRandom(t, seed)
	var block random.Block
	want := make([]ids.UUID, 3*random.Size/16)
	for i := range want {
		hi, lo := block.Uint128()
		binary.BigEndian.PutUint64(want[i][:8], hi)
		binary.BigEndian.PutUint64(want[i][8:], lo)
		want[i][6] = want[i][6]&0x0f | 4<<4
		want[i][8] = want[i][8]&0x3f | 1<<7
	}
	ids.Reseed()
	cryptotest.SetGlobalRandom(t, seed)
	if got := ids.NewV4(); got != want[0] {
		t.Errorf("NewV4 makes %v, want %v", got, want[0])
	}
	ids.Reseed()
	cryptotest.SetGlobalRandom(t, seed)
	if got := ids.AppendV4(nil, len(want)); !slices.Equal(got, want) {
		t.Errorf("AppendV4 makes %v …, want %v …", got[:3], want[:3])
	}
}
