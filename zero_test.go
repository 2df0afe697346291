package ids_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestZeroValues gives the zero Clock, Generator and SnowflakeNode to what takes one: it panics with one clear sentence.
// TestZeroOfEveryType calls their methods.
func TestZeroValues(t *testing.T) {
	c, g, n := new(ids.Clock), new(ids.Generator), new(ids.SnowflakeNode)
	checkPanic(t, "NewGenerator", "ids: zero Clock: use NewClock", func() { ids.NewGenerator(&ids.GeneratorOptions{Clock: c}) })
	checkPanic(t, "NewSnowflakeNode", "ids: zero Clock: use NewClock", func() { ids.NewSnowflakeNode(0, &ids.SnowflakeOptions{Clock: c}) })
	checkPanic(t, "NewV1At", "ids: zero Generator: use NewGenerator", func() { g.NewV1At(start) })
	checkPanic(t, "NewV6At", "ids: zero Generator: use NewGenerator", func() { g.NewV6At(start) })
	checkPanic(t, "SetDefaultSnowflakeNode", "ids: zero SnowflakeNode: use NewSnowflakeNode", func() { ids.SetDefaultSnowflakeNode(n) })
	if u := g.NewV4(); u.Version() != 4 || len(g.AppendV4(nil, 2)) != 2 {
		t.Errorf("NewV4 of the zero Generator: %v", u)
	}
	if u, err := g.NewV7At(start); u.Version() != 7 || err != nil {
		t.Errorf("NewV7At of the zero Generator: %v, %v", u, err)
	}
	if _, err := g.NewULIDAt(start); err != nil {
		t.Errorf("NewULIDAt of the zero Generator: %v", err)
	}
}

// zeroValues are pointers to a zero value of each exported type, by its name.
var zeroValues = map[string][]any{
	"Binary": {new(ids.Binary[ids.UUID]), new(ids.Binary[ids.ULID])}, "Clock": {new(ids.Clock)}, "ClockLimit": {new(ids.ClockLimit)}, "ClockOptions": {new(ids.ClockOptions)},
	"Domain": {new(ids.Domain)}, "Generator": {new(ids.Generator)}, "GeneratorOptions": {new(ids.GeneratorOptions)},
	"Null":       {new(ids.Null[ids.UUID]), new(ids.Null[ids.ULID]), new(ids.Null[ids.Snowflake])},
	"ParseError": {new(ids.ParseError)}, "Snowflake": {new(ids.Snowflake)}, "SnowflakeLayout": {new(ids.SnowflakeLayout)},
	"SnowflakeNode": {new(ids.SnowflakeNode)}, "SnowflakeOptions": {new(ids.SnowflakeOptions)}, "SnowflakeParts": {new(ids.SnowflakeParts)},
	"ULID": {new(ids.ULID)}, "UUID": {new(ids.UUID)}, "Variant": {new(ids.Variant)},
}

// TestZeroOfEveryType calls each method of the zero value of each type, with zero arguments, and of the
// numbers and bytes that are furthest from it. None panics but those that need a clock, and all of them do.
func TestZeroOfEveryType(t *testing.T) {
	api, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(api)) {
		name, ok := strings.CutPrefix(line, "ids: type ")
		if !ok || strings.HasPrefix(name, "Nullable interface") {
			continue
		}
		name = name[:strings.IndexAny(name, " [")]
		if zeroValues[name] == nil {
			t.Errorf("%s is missing in the test", name)
		}
	}
	called := callAll(t, string(api), "", []any{pointer(ids.Domain(255)), pointer(ids.Variant(255)), pointer(ids.MaxUUID()),
		pointer(ids.MaxUUID().ULID()), pointer(ids.Snowflake(math.MaxInt64)), pointer(ids.Snowflake(math.MinInt64))})
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
			for i := range f.Type().NumIn() {
				args = append(args, reflect.Zero(f.Type().In(i)))
			}
			called++
			var want any
			if needsClock(name, method.Name) {
				want = "ids: zero " + name + ": use " + cmp.Or(map[string]string{"ClockLimit": "NewLimitedClock"}[name], "New"+name)
			}
			for range 2 { // a panic leaves no mutex locked
				within(t, fmt.Sprintf("%T.%s", v, method.Name), func() {
					defer func() {
						if got := recover(); got != want {
							t.Errorf("%T.%s panics with %v, want %v", v, method.Name, got, want)
						}
					}()
					f.Call(args)
				})
			}
		}
	}
	return called
}

// needsClock reports whether a method of the zero value panics. NewV1At and NewV6At refuse the zero time before.
func needsClock(name, method string) bool {
	switch name {
	case "Clock", "ClockLimit":
		return true
	case "Generator":
		return !slices.Contains([]string{"NewV4", "AppendV4", "NewV1At", "NewV6At", "NewV7At", "NewULIDAt"}, method)
	}
	return name == "SnowflakeNode" && method != "Number" && method != "Layout"
}
