package ids_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/oneclock/ids"
)

// What is given to the library may be meant to harm it: then nothing may panic unless the
// documentation says so, hang, take memory without bound, or leave a lock held.

// TestHugeArrays reads arrays of many ids from JSON: memory grows as their number does.
func TestHugeArrays(t *testing.T) {
	skipUnder(t, "-race", raceAllocs)
	skipUnder(t, "-asan", asanAllocs)
	u := quoteJSON("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	for _, n := range []int{10_000, 300_000} {
		checkHuge[ids.UUID](t, n, string(u))
		checkHuge[ids.Null[ids.UUID]](t, n, string(u))
		checkHuge[ids.Null[ids.UUID]](t, n, "null")
		checkHuge[ids.ULID](t, n, `"01ARZ3NDEKTSV4RRFFQ69G5FAV"`)
		checkHuge[ids.Snowflake](t, n, "7")
		checkHuge[ids.Null[ids.Snowflake]](t, n, `"\u0037"`)
	}
}

// checkHuge reads n times an element into a []T. Encoding/json lets a slice grow by a quarter at a
// time, so that all its arrays together are five times the last, and allocates a little for each call.
func checkHuge[T any](t *testing.T, n int, element string) {
	t.Helper()
	data := []byte("[" + strings.Repeat(element+",", n-1) + element + "]")
	var before, after runtime.MemStats
	var all []T
	runtime.ReadMemStats(&before)
	err := json.Unmarshal(data, &all)
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(n)*uint64(8*unsafe.Sizeof(*new(T))+64); err != nil || len(all) != n || took > most {
		t.Errorf("%d of %s into a %T: %d ids, %v, %d bytes, want at most %d", n, element, all, len(all), err, took, most)
	}
}

// A trap panics when anything asks it anything.
type trap struct{}

func (trap) Value() (driver.Value, error)      { panic("Value") }
func (trap) String() string                    { panic("String") }
func (trap) Error() string                     { panic("Error") }
func (trap) Format(fmt.State, rune)            { panic("Format") }
func (trap) GoString() string                  { panic("GoString") }
func (trap) MarshalText() ([]byte, error)      { panic("MarshalText") }
func (trap) AppendText([]byte) ([]byte, error) { panic("AppendText") }

// TestHostileScan scans values that no driver should give: each is refused with an error that says
// its type, whatever it holds, and the receiver keeps its value.
func TestHostileScan(t *testing.T) {
	type node struct{ next *node }
	type text string
	type blob []byte
	s, b := edgeUUID, []byte(edgeUUID)
	p, cycle := &s, &node{}
	cycle.next = cycle
	var nested any = &p
	for range 1000 {
		inner := nested
		nested = &inner
	}
	u, l, f := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID), ids.Snowflake(7)
	for _, src := range []any{
		&s, &p, (*string)(nil), &b, (*[]byte)(nil), &nested, nested, []any{nested, []any{nested}}, trap{}, &trap{}, (*trap)(nil), []trap{{}},
		text(s), blob(b), sql.RawBytes(b), json.RawMessage(b), json.Number("1"), [16]byte(u), &u, u, l, f, ids.Null[ids.UUID]{ID: u, Valid: true}, ids.Binary[ids.ULID]{},
		sql.NullString{String: s, Valid: true}, []string{s}, [][]byte{b}, []rune(s), [36]byte(b), map[string]any{"a": nested}, cycle,
		make([]int64, 10_000_000), make([]any, 1_000_000), make([]uint16, 8),
		time.Now(), &time.Time{}, time.Hour, math.NaN(), math.Inf(1), math.Inf(-1), 7.0, float32(7), 7i, true, 7, int8(7), int16(7), int32(7), uint(7), uint8(7), uint16(7), uint32(7),
		uintptr(7), unsafe.Pointer(&s), big.NewInt(7), new(big.Float), func() {}, make(chan int), errors.New(s), reflect.ValueOf(s), struct{}{}, os.Stdin,
		int64(-1), int64(math.MinInt64), uint64(math.MaxUint64), uint64(1 << 63),
		"", "\x00", "\xff\xfe", strings.Repeat("1", 10_000_000), make([]byte, 10_000_000), []byte(nil), []byte{}, bytesOfMost(20),
	} {
		for _, dst := range scanners() {
			before := reflect.ValueOf(dst).Elem().Interface()
			err := dst.Scan(src)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if !errors.Is(err, ids.ErrSyntax) && !errors.Is(err, ids.ErrRange) || !strings.HasPrefix(message, "ids: scanning ") || len(message) > 250 ||
				strings.Contains(message, edgeUUID) {
				t.Errorf("%T of a %T: %v", dst, src, message)
			}
			if after := reflect.ValueOf(dst).Elem().Interface(); after != before {
				t.Errorf("%T of a %T left %v", dst, src, after)
			}
		}
	}
}

// bytesOfMost returns n bytes that are no text.
func bytesOfMost(n int) []byte { return []byte(strings.Repeat("\xff", n)) }

// scanners returns a receiver of each type that scans, with an id in it.
func scanners() []sql.Scanner {
	u, l, s := other[ids.UUID](), other[ids.ULID](), other[ids.Snowflake]()
	return []sql.Scanner{&u, &l, &s, &ids.Null[ids.UUID]{ID: u, Valid: true}, &ids.Null[ids.ULID]{ID: l, Valid: true},
		&ids.Null[ids.Snowflake]{ID: s, Valid: true}, &ids.Binary[ids.UUID]{ID: u}, &ids.Binary[ids.ULID]{ID: l}}
}

// TestLongestRuns asks for more ids than any slice can hold. The runtime panics, as for make, before
// anything is drawn or taken from the clock.
func TestLongestRuns(t *testing.T) {
	f, c, _, node := newFake(t)
	drawn := 0
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) {
		drawn++
		return repeated(0x11)(p)
	})})
	for name, run := range map[string]func(before, n int) int{
		"AppendV4":   func(before, n int) int { return len(g.AppendV4(make([]ids.UUID, before, before+1), n)) },
		"AppendV7":   func(before, n int) int { return len(g.AppendV7(make([]ids.UUID, before, before+1), n)) },
		"AppendULID": func(before, n int) int { return len(g.AppendULID(make([]ids.ULID, before, before+1), n)) },
		"Append":     func(before, n int) int { return len(node.Append(make([]ids.Snowflake, before, before+1), n)) },
	} {
		reads, draws := f.reads, drawn
		for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt / 2, math.MaxInt / 3} {
			for _, before := range []int{0, 3} {
				within(t, name, func() {
					defer func() {
						if err, ok := recover().(runtime.Error); !ok {
							t.Errorf("%s of %d after %d panics with %v", name, n, before, err)
						}
					}()
					run(before, n)
				})
			}
		}
		if f.reads != reads || drawn != draws {
			t.Errorf("%s read the clock %d times and the reader %d times", name, f.reads-reads, drawn-draws)
		}
		within(t, name+" afterwards", func() {
			if got := run(3, 2); got != 5 {
				t.Errorf("%s of 2 after 3 gives %d", name, got)
			}
			c.Latest()
		})
	}
}

// TestNowReenters lets Now call the clock that it serves, which its documentation forbids, but once
// and not without end: nothing is held while Now runs, so the inner call gets its id before the outer.
func TestNowReenters(t *testing.T) {
	var inner func()
	c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
		if use := inner; use != nil {
			inner = nil
			use()
		}
		return start
	}})
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		var ahead [16]byte
		inner = func() { ahead = k.mint(g, n) }
		within(t, k.name+" in a call of itself", func() {
			if id := k.mint(g, n); id == ahead || k.ordered && !less(ahead, id) {
				t.Errorf("%s: %x in Now, then %x", k.name, ahead, id)
			}
		})
	}
	for outer, use := range constructors(c, g, n) {
		for name, other := range constructors(c, g, n) {
			inner = other
			within(t, name+" in the Now of "+outer, use)
		}
	}
	within(t, "Latest", func() { c.Latest() })
}

// TestNowBlocks lets Now block in one call: the others go on, and that call then gets an id of its own.
func TestNowBlocks(t *testing.T) {
	for _, late := range []time.Duration{0, time.Second, time.Hour} {
		for _, k := range kinds {
			f := &fakeClock{t: start}
			entered, leave := make(chan bool), make(chan bool)
			var blocks atomic.Bool
			c := ids.NewClock(&ids.ClockOptions{Now: func() time.Time {
				at := f.now()
				if blocks.CompareAndSwap(true, false) {
					entered <- true
					<-leave
				}
				return at
			}})
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
			n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
			if err != nil {
				t.Fatal(err)
			}
			blocked := make(chan [16]byte)
			blocks.Store(true)
			go func() { blocked <- k.mint(g, n) }()
			<-entered
			f.step(late)
			seen := map[[16]byte]bool{}
			within(t, k.name+" beside a Now that blocks", func() {
				c.Latest()
				var last [16]byte
				for range 100 {
					id := k.mint(g, n)
					if seen[id] || k.ordered && !less(last, id) {
						t.Errorf("%s: %x, then %x", k.name, last, id)
					}
					last, seen[id] = id, true
				}
			})
			leave <- true
			within(t, k.name+" after a Now that blocked", func() {
				if id := <-blocked; seen[id] {
					t.Errorf("%s: %x twice", k.name, id)
				}
			})
		}
	}
}

// TestWildTimes shows every end of time.Time to a clock, and gives it as its limit and as the time
// that it begins after: calls return, or panic with an error that matches ErrRange, and then the ids
// go on, none twice.
func TestWildTimes(t *testing.T) {
	wild := []time.Time{
		time.Unix(math.MaxInt64, 999_999_999), // in the year 292277026596
		time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0), time.Unix(math.MinInt64, 999_999_999),
		time.Unix(1<<62, 0), time.Unix(-1<<62, 0), time.Unix(1<<39+1, 0), time.Unix(-1<<39-1, 0), {}, time.Time{}.Add(-1), time.Time{}.Add(1),
	}
	for _, far := range wild {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeClock{t: start}
			c := ids.NewClock(&ids.ClockOptions{Now: f.now})
			g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c})
			n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: c})
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			mint := func(when string) {
				t.Helper()
				for _, k := range kinds {
					for range 3 {
						id := k.mint(g, n)
						if key := fmt.Sprintf("%s %x", k.name, id); seen[key] {
							t.Errorf("%s %v: %s twice", when, far, key)
						} else {
							seen[key] = true
						}
					}
				}
			}
			mint("before")
			f.t = far
			for name, use := range constructors(c, g, n) {
				mayRefuse(t, name+" at "+far.String(), use)
			}
			f.t = start
			mint("after")
			c.SetLimit(far)
			c.Horizon(math.MaxInt64)
			c.Horizon(math.MinInt64)
			if s, err := n.TryNext(); err != nil && err != ids.ErrSuspended && err != ids.ErrClockBackward && err != ids.ErrExhausted {
				t.Errorf("limit %v: TryNext gives %v, %v", far, s, err)
			}
			c.SetLimit(time.Time{})
			mint("after the limit")
			c.Latest()

			later := ids.NewClock(&ids.ClockOptions{Now: f.now, After: far})
			g = ids.NewGenerator(&ids.GeneratorOptions{Clock: later})
			if n, err = ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: later}); err != nil {
				t.Fatal(err)
			}
			for name, use := range constructors(later, g, n) {
				mayRefuse(t, name+" after "+far.String(), use)
			}
			later.Latest()
		})
	}
}

// mayRefuse calls f, which may panic with an error that matches ErrRange.
func mayRefuse(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if v := recover(); v != nil {
			if err, ok := v.(error); !ok || !errors.Is(err, ids.ErrRange) {
				t.Errorf("%s panics with %v", what, v)
			}
		}
	}()
	f()
}

// TestReaderReenters lets an injected reader call the library. Another generator serves it, also one
// of the same clock. Its own, which the documentation forbids, never returns: that holds no lock that
// others need.
func TestReaderReenters(t *testing.T) {
	c := stopped(start)
	beside := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: repeated(0x33)})
	var inner func()
	g := ids.NewGenerator(&ids.GeneratorOptions{Clock: c, Random: readerFunc(func(p []byte) (int, error) {
		inner()
		return repeated(0x5a)(p)
	})})
	inner = func() {
		for _, u := range randomUsers {
			u.mint(beside)
		}
		c.Latest()
	}
	for _, u := range randomUsers {
		within(t, u.name+" whose reader calls another generator", func() { u.mint(g) })
	}

	inner = func() { g.NewV4() }
	within(t, "a reader that calls its own generator, until it is seen to wait,", func() {
		startBlocked(func() { g.NewV7() }, "Generator).NewV4", "Generator).NewV7")
	})
	within(t, "another generator of the clock", func() {
		for _, u := range randomUsers {
			u.mint(beside)
		}
		c.Latest()
	})
}

// zeroValues are pointers to a zero value of each exported type, by its name.
var zeroValues = map[string][]any{
	"Binary": {new(ids.Binary[ids.UUID]), new(ids.Binary[ids.ULID])}, "Clock": {new(ids.Clock)}, "ClockOptions": {new(ids.ClockOptions)},
	"Domain": {new(ids.Domain)}, "Generator": {new(ids.Generator)}, "GeneratorOptions": {new(ids.GeneratorOptions)},
	"Null":       {new(ids.Null[ids.UUID]), new(ids.Null[ids.ULID]), new(ids.Null[ids.Snowflake])},
	"ParseError": {new(ids.ParseError)}, "Snowflake": {new(ids.Snowflake)}, "SnowflakeLayout": {new(ids.SnowflakeLayout)},
	"SnowflakeNode": {new(ids.SnowflakeNode)}, "SnowflakeOptions": {new(ids.SnowflakeOptions)}, "SnowflakeParts": {new(ids.SnowflakeParts)},
	"ULID": {new(ids.ULID)}, "UUID": {new(ids.UUID)}, "Variant": {new(ids.Variant)},
}

// TestZeroOfEveryType calls each method of the zero value of each type, with zero arguments, and of the
// numbers and bytes that are furthest from it. None panics but those of the types that say so.
func TestZeroOfEveryType(t *testing.T) {
	api, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(api)) {
		name, ok := strings.CutPrefix(line, "ids: type ")
		if !ok || strings.HasPrefix(name, "ID interface") {
			continue
		}
		name = name[:strings.IndexAny(name, " [")]
		if zeroValues[name] == nil {
			t.Errorf("%s is missing in the test", name)
		}
	}
	called := callAll(t, string(api), "", []any{new(ids.Domain(255)), new(ids.Variant(255)), new(ids.MaxUUID()), new(ids.MaxUUID().ULID()),
		new(ids.Snowflake(math.MaxInt64)), new(ids.Snowflake(math.MinInt64))})
	for name, values := range zeroValues {
		called += callAll(t, string(api), name, values)
	}
	if called < 150 {
		t.Errorf("only %d methods were called", called)
	}
}

// callAll calls all methods that api has of values of a type, and returns how many there are.
func callAll(t *testing.T, api, name string, values []any) (called int) {
	t.Helper()
	for _, v := range values {
		for i := range reflect.TypeOf(v).NumMethod() {
			method, f := reflect.TypeOf(v).Method(i), reflect.ValueOf(v).Method(i)
			if !strings.Contains(api, ")."+method.Name+"(") {
				continue // it is there for tests
			}
			var args []reflect.Value
			for in := range f.Type().Ins() {
				args = append(args, reflect.Zero(in))
			}
			called++
			within(t, fmt.Sprintf("%T.%s", v, method.Name), func() {
				defer func() {
					if p := recover(); p != nil && p != "ids: zero "+name+": use New"+name {
						t.Errorf("%T.%s panics with %v", v, method.Name, p)
					}
				}()
				f.Call(args)
			})
		}
	}
	return called
}
