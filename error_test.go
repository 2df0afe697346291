package ids_test

// Error messages and zero values.

import (
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// TestErrorMessages checks the message of each problem.
func TestErrorMessages(t *testing.T) {
	const badEscape = `: an escape in JSON other than \u00 and two hexadecimal digits at byte `
	for _, c := range []struct {
		err     error
		message string
		kind    error
	}{
		{failing(ids.ParseUUID("")), "ids: parsing UUID: length 0, want 36 (or 32, 38, 45)", ids.ErrLength},
		{failing(ids.ParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bfx")), "ids: parsing UUID: not a hexadecimal digit at byte 35", ids.ErrSyntax},
		{failing(ids.ParseUUID("f81d4fae-7dec-11d0-a7650-0a0c91e6bf6")), "ids: parsing UUID: not a hyphen at byte 23", ids.ErrSyntax},
		{failing(ids.ParseUUID("urn-uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6")), "ids: parsing UUID: prefix is not urn:uuid: at byte 3", ids.ErrSyntax},
		{failing(ids.ParseUUID("{f81d4fae-7dec-11d0-a765-00a0c91e6bf6)")), "ids: parsing UUID: not a brace at byte 37", ids.ErrSyntax},
		{failing(ids.ParseUUIDBase58("1")), "ids: parsing UUID: length 1, want 22", ids.ErrLength},
		{failing(ids.ParseUUIDBase58(strings.Repeat("0", 22))), "ids: parsing UUID: not a Base58 digit at byte 0", ids.ErrSyntax},
		{failing(ids.ParseUUIDBase58(strings.Repeat("z", 22))), "ids: parsing UUID: Base58 above 128 bits", ids.ErrRange},
		{new(ids.UUID).UnmarshalBinary(make([]byte, 17)), "ids: parsing UUID: length 17, want 16 bytes", ids.ErrLength},
		{new(ids.Binary[ids.UUID]).Scan([]byte("f81d4fae-7dec-11")), "ids: scanning UUID: a column of 16 bytes has truncated a text: write id.Binary(), or use FromBytes if its keys have such characters", ids.ErrSyntax},
		{failing(ids.ParseULID("0")), "ids: parsing ULID: length 1, want 26", ids.ErrLength},
		{failing(ids.ParseULID(strings.Repeat("0", 25) + "U")), "ids: parsing ULID: not a Crockford Base32 digit at byte 25", ids.ErrSyntax},
		{failing(ids.ParseULID(strings.Repeat("8", 26))), "ids: parsing ULID: above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ", ids.ErrRange},
		{failing(ids.ParseULIDBase58("1")), "ids: parsing ULID: length 1, want 22", ids.ErrLength},
		{failing(ids.ParseULIDBase58(strings.Repeat("I", 22))), "ids: parsing ULID: not a Base58 digit at byte 0", ids.ErrSyntax},
		{failing(ids.ParseULIDBase58(strings.Repeat("z", 22))), "ids: parsing ULID: Base58 above 128 bits", ids.ErrRange},
		{new(ids.ULID).UnmarshalBinary(make([]byte, 3)), "ids: parsing ULID: length 3, want 16 bytes", ids.ErrLength},
		{new(ids.ULID).Scan([]byte("01ARZ3NDEKTSV4RR")), "ids: scanning ULID: a column of 16 bytes has truncated a text: write id.Binary(), or use FromBytes if its keys have such characters", ids.ErrSyntax},
		{failing(ids.ParseSnowflake("")), "ids: parsing Snowflake: length 0, want 1 to 19", ids.ErrLength},
		{failing(ids.ParseSnowflake("0x1")), "ids: parsing Snowflake: not a decimal digit at byte 1", ids.ErrSyntax},
		{failing(ids.ParseSnowflake("-1")), "ids: parsing Snowflake: negative", ids.ErrRange},
		{failing(ids.ParseSnowflake("-1x")), "ids: parsing Snowflake: not a decimal digit at byte 0", ids.ErrSyntax},
		{new(ids.Snowflake).UnmarshalBinary(make([]byte, 9)), "ids: parsing Snowflake: length 9, want 8 bytes", ids.ErrLength},
		{failing(ids.ParseSnowflakeBase32("1")), "ids: parsing Snowflake: length 1, want 13", ids.ErrLength},
		{failing(ids.ParseSnowflakeBase32("000000000000U")), "ids: parsing Snowflake: not a Crockford Base32 digit at byte 12", ids.ErrSyntax},
		{failing(ids.ParseSnowflakeBase32("8000000000000")), "ids: parsing Snowflake: Base32 above 63 bits", ids.ErrRange},
		{failing(ids.ParseSnowflakeBase32("ZZZZZZZZZZZZZ")), "ids: parsing Snowflake: Base32 above 63 bits", ids.ErrRange},
		{new(ids.Null[ids.UUID]).UnmarshalJSON([]byte("12")), "ids: parsing UUID: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Null[ids.ULID]).UnmarshalJSON(nil), "ids: parsing ULID: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Null[ids.Snowflake]).UnmarshalJSON([]byte(`"12`)), "ids: parsing Snowflake: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Null[ids.Binary[ids.UUID]]).UnmarshalJSON([]byte("1")), "ids: parsing UUID: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Null[ids.Binary[ids.ULID]]).UnmarshalJSON([]byte("1")), "ids: parsing ULID: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Null[ID[Customer]]).UnmarshalJSON([]byte(`"12`)), "ids: parsing UUID: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Null[ownBinary]).UnmarshalJSON([]byte(`"1\n"`)), "ids: parsing UUID" + badEscape + "1", ids.ErrSyntax},
		{new(ids.Null[batchID]).UnmarshalJSON([]byte(`"1\n"`)), "ids: parsing ULID" + badEscape + "1", ids.ErrSyntax},
		{new(ids.Null[tweetID]).UnmarshalJSON([]byte(`"\u0031\u00e\u00"`)), "ids: parsing Snowflake" + badEscape + "1", ids.ErrSyntax},
		{new(tweetID).UnmarshalJSON([]byte(`"1\n"`)), "ids: parsing Snowflake" + badEscape + "1", ids.ErrSyntax},
		{new(ids.Null[writtenID]).UnmarshalJSON([]byte(`"1\n"`)), "ids: parsing id" + badEscape + "1", ids.ErrSyntax},
		{new(ids.Null[writtenID]).UnmarshalJSON(quoteJSON(strings.Repeat("1", 1000))), "ids: parsing id: more than 90 characters in JSON", ids.ErrLength},
		{new(ids.Null[batchID]).UnmarshalJSON(quoteJSON(strings.Repeat("1", 1000))), "ids: parsing ULID: more than 90 characters in JSON", ids.ErrLength},
		{new(ids.Null[ids.UUID]).UnmarshalJSON([]byte(`""`)), "ids: parsing UUID: length 0, want 36 (or 32, 38, 45)", ids.ErrLength},
		{new(ids.Null[struct{ ids.UUID }]).UnmarshalJSON(quoteJSON(strings.Repeat("a", 1000))), "ids: parsing UUID: more than 90 characters in JSON", ids.ErrLength},
		{new(ids.Snowflake).UnmarshalJSON([]byte(`"\u0031` + strings.Repeat("1", 60) + `"`)), "ids: parsing Snowflake: length over 45, want 1 to 19", ids.ErrLength},
		{new(ids.Snowflake).UnmarshalJSON([]byte(`"12`)), "ids: parsing Snowflake: JSON is not a string in quotes", ids.ErrSyntax},
		{new(ids.Snowflake).UnmarshalJSON([]byte(`"\u0031\n"`)), "ids: parsing Snowflake" + badEscape + "1", ids.ErrSyntax},
		{new(ids.Null[ids.UUID]).UnmarshalJSON([]byte(`"` + strings.Repeat("a", 45) + `\n"`)), "ids: parsing UUID" + badEscape + "45", ids.ErrSyntax},
		{new(ids.Null[ids.UUID]).UnmarshalJSON([]byte(`"` + strings.Repeat("a", 46) + `\n"`)), "ids: parsing UUID" + badEscape + "over 45", ids.ErrSyntax},
		{new(ids.Snowflake).UnmarshalJSON([]byte(`"1` + strings.Repeat(`\u0031`, 45) + `"`)), "ids: parsing Snowflake: length over 45, want 1 to 19", ids.ErrLength},
		{failing(ids.ParseUUID(strings.Repeat("0", 44))), "ids: parsing UUID: length 44, want 36 (or 32, 38, 45)", ids.ErrLength},
		{failing(ids.ParseUUID(strings.Repeat("0", 46))), "ids: parsing UUID: length over 45, want 36 (or 32, 38, 45)", ids.ErrLength},
		{failing(ids.ParseULID(strings.Repeat("0", 45))), "ids: parsing ULID: length 45, want 26", ids.ErrLength},
		{failing(ids.ParseSnowflake(strings.Repeat("1", 25))), "ids: parsing Snowflake: length 25, want 1 to 19", ids.ErrLength},
		{failing(ids.ParseSnowflake("9223372036854775808")), "ids: parsing Snowflake: above 9223372036854775807", ids.ErrRange},
		{new(ids.UUID).Scan("0123"), "ids: scanning UUID: length 4, want 36 (or 32, 38, 45)", ids.ErrLength},
		{new(ids.UUID).Scan(nil), "ids: scanning UUID: NULL: scan into a Null or a pointer, such as uuid.Null, uuid.NullBinary or *uuid.UUID", ids.ErrSyntax},
		{new(ids.ULID).Scan(nil), "ids: scanning ULID: NULL: scan into a Null or a pointer, such as ulid.Null, ulid.NullBinary or *ulid.ULID", ids.ErrSyntax},
		{new(ids.Snowflake).Scan(nil), "ids: scanning Snowflake: NULL: scan into a Null or a pointer, such as snowflake.Null or *snowflake.ID", ids.ErrSyntax},
		{new(ids.Snowflake).Scan(int64(-5)), "ids: scanning Snowflake: negative", ids.ErrRange},
		{new(ids.Snowflake).Scan(uint64(1 << 63)), "ids: scanning Snowflake: above 9223372036854775807", ids.ErrRange},
		{new(ids.Snowflake).Scan("12x"), "ids: scanning Snowflake: not a decimal digit at byte 2", ids.ErrSyntax},
		{panicOf(func() { ids.MustParseUUID("\n") }), `ids: parsing UUID: length 1, want 36 (or 32, 38, 45): "\n"`, ids.ErrLength},
		{panicOf(func() { ids.MustParseULID("\n") }), `ids: parsing ULID: length 1, want 26: "\n"`, ids.ErrLength},
		{panicOf(func() { ids.MustParseSnowflake("\n") }), `ids: parsing Snowflake: not a decimal digit at byte 0: "\n"`, ids.ErrSyntax},
	} {
		var pe *ids.ParseError
		if !errors.As(c.err, &pe) || c.err.Error() != c.message || !isOnly(c.err, c.kind) || !isOnly(pe, c.kind) {
			t.Errorf("error %v, want %q that matches %v", c.err, c.message, c.kind)
		}
		want, wantOK := 0, false
		if at := place.FindStringSubmatch(c.message); at != nil {
			want, _ = strconv.Atoi(at[1])
			wantOK = true
		}
		if !strings.Contains(c.message, "ing "+pe.Scheme()+": ") {
			t.Errorf("%v is of the scheme %s", c.err, pe.Scheme())
		}
		if offset, ok := pe.Offset(); offset != want || ok != wantOK {
			t.Errorf("%v: offset %d, %t, want %d, %t", c.err, offset, ok, want, wantOK)
		}
	}
	for _, kind := range []error{ids.ErrSyntax, ids.ErrLength, ids.ErrRange} {
		if !isOnly(kind, kind) {
			t.Errorf("%v matches others", kind)
		}
	}
}

// place matches the offset in a message. Without an offset, the error does not concern a single
// byte.
var place = regexp.MustCompile(`at byte (\d+)`)

// isOnly reports whether err matches kind, which is ErrSyntax, ErrLength or ErrRange, and of the
// others only those that kind itself matches: an ErrLength is an ErrSyntax, too.
func isOnly(err, kind error) bool {
	return errors.Is(err, kind) && errors.Is(err, ids.ErrSyntax) == (kind != ids.ErrRange) &&
		errors.Is(err, ids.ErrLength) == (kind == ids.ErrLength) && errors.Is(err, ids.ErrRange) == (kind == ids.ErrRange)
}

// failing returns the error of a call.
func failing[T any](_ T, err error) error { return err }

// stated matches the errors that a decoder may return. They contain only names, phrases and numbers
// of this package, and the name of a Go type.
var stated = regexp.MustCompile(`^ids: (parsing|scanning) (UUID|ULID|Snowflake): ` +
	`([a-zA-Z0-9 ,():\\-]+|a column of 16 bytes has truncated a text: write id\.Binary\(\), or use FromBytes if its keys have such characters|NULL: scan into a Null or a pointer, such as \w+\.Null(, \w+\.NullBinary)? or \*[\w.]+|a value of type [\w.*\[\]]+, want .+: invalid syntax)$`)

// TestErrors checks the messages of errors outside of parsing, and which errors match which others.
func TestErrors(t *testing.T) {
	for err, message := range map[error]string{
		ids.ErrClockBehind: "ids: the wall clock is behind the IDs: it was set back or stands still", ids.ErrExhausted: "ids: all IDs of this moment are taken: try again",
		ids.ErrWithheld: "ids: withheld by the limit of the clock", ids.ErrEnded: "ids: the clock has ended",
		ids.ErrSyntax: "invalid syntax", ids.ErrLength: "invalid syntax: wrong length", ids.ErrRange: "value out of range",
	} {
		if exhausted := err == ids.ErrExhausted || err == ids.ErrClockBehind; err.Error() != message || errors.Is(err, ids.ErrExhausted) != exhausted ||
			errors.Is(err, ids.ErrClockBehind) != (err == ids.ErrClockBehind) || errors.Is(err, ids.ErrRange) != (err == ids.ErrRange) {
			t.Errorf("%q, which is an ErrExhausted: %v, want %q, %v", err, errors.Is(err, ids.ErrExhausted), message, exhausted)
		}
	}
}

// A trap panics if its text or its value is requested.
type trap struct{}

func (trap) Value() (driver.Value, error) { panic("Value") }
func (trap) String() string               { panic("String") }
func (trap) Format(fmt.State, rune)       { panic("Format") }

// TestMessages checks the messages for numbers whose lower 32 bits alone would be valid, for values
// from which no ID can be scanned, and for a context whose cause has its own text.
func TestMessages(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(nil)
	t.Setenv("IDS_SNOWFLAKE_NODE", "4294967303")
	const wide = 1<<32 + 7
	messages := map[string]error{
		"datacenter 4294967303 is not within 0 to 31":                                          failing(ids.TwitterNumber(wide, 1)),
		"worker 4294967303 is not within 0 to 31":                                              failing(ids.TwitterNumber(1, wide)),
		`environment variable IDS_SNOWFLAKE_NODE is "4294967303", not a number from 0 to 1023`: failing(ids.DefaultSnowflakeNode()),
	}
	const scanning = "scanning %s: a value of type %s, want %s: invalid syntax"
	messages[fmt.Sprintf(scanning, "UUID", "int64", "string, []byte, [16]byte or UUID")] = new(ids.UUID).Scan(int64(1))
	messages[fmt.Sprintf(scanning, "ULID", "float64", "string, []byte, [16]byte or ULID")] = new(ids.ULID).Scan(1.5)
	type text string // other types are refused too, whatever their value
	messages[fmt.Sprintf(scanning, "UUID", "ids_test.text", "string, []byte, [16]byte or UUID")] = new(ids.UUID).Scan(text(edgeUUID))
	messages[fmt.Sprintf(scanning, "UUID", "ids_test.trap", "string, []byte, [16]byte or UUID")] = new(ids.Binary[ids.UUID]).Scan(trap{})
	messages[fmt.Sprintf(scanning, "Snowflake", "bool", "int64, uint64, string, []byte or Snowflake")] = new(ids.Snowflake).Scan(true)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the request is over"))
	messages["no Snowflake: context canceled: the request is over"] = failing(newNode(t, 1, nil).NextContext(ctx))
	ctx, cancel = context.WithCancelCause(context.Background())
	cancel(fmt.Errorf("shutdown: %w", context.Canceled)) // the message contains the cause once
	messages["no Snowflake: shutdown: context canceled"] = failing(newNode(t, 1, nil).NextContext(ctx))
	messages["time is not within 1970-01-01T00:00:00Z to 10889-08-02T05:31:50.655Z"] = failing(ids.NewV7At(time.Unix(-1, 0)))
	for want, err := range messages {
		if err == nil || err.Error() != "ids: "+want {
			t.Errorf("the error is %v, want ids: %s", err, want)
		}
	}
}

// TestZeroValues passes the zero Clock, Generator and SnowflakeNode to functions that take one,
// which panic with one clear sentence. TestZeroOfEveryType calls their methods.
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

// zeroValues contains pointers to a zero value of each exported type, by the type's name.
var zeroValues = map[string][]any{
	"Binary": {new(ids.Binary[ids.UUID]), new(ids.Binary[ids.ULID])}, "Clock": {new(ids.Clock)}, "ClockLimit": {new(ids.ClockLimit)}, "ClockOptions": {new(ids.ClockOptions)},
	"Domain": {new(ids.Domain)}, "Generator": {new(ids.Generator)}, "GeneratorOptions": {new(ids.GeneratorOptions)},
	"Null":       {new(ids.Null[ids.UUID]), new(ids.Null[ids.ULID]), new(ids.Null[ids.Snowflake])},
	"ParseError": {new(ids.ParseError)}, "Snowflake": {new(ids.Snowflake)}, "SnowflakeLayout": {new(ids.SnowflakeLayout)},
	"SnowflakeNode": {new(ids.SnowflakeNode)}, "SnowflakeOptions": {new(ids.SnowflakeOptions)}, "SnowflakeParts": {new(ids.SnowflakeParts)},
	"ULID": {new(ids.ULID)}, "UUID": {new(ids.UUID)}, "Variant": {new(ids.Variant)},
}

// TestZeroOfEveryType calls each method of the zero value of each type, with zero arguments, and of
// the numbers and bytes that are furthest from it. The only methods that panic are those that need
// a clock, and all of these do.
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

// callAll calls all methods in api of the values of a type, and returns the number of methods.
func callAll(t *testing.T, api, name string, values []any) (called int) {
	t.Helper()
	for _, v := range values {
		for i := range reflect.TypeOf(v).NumMethod() {
			method, f := reflect.TypeOf(v).Method(i), reflect.ValueOf(v).Method(i)
			if !strings.Contains(api, ")."+method.Name+"(") {
				continue // the method exists for tests
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

// needsClock reports whether a method of the zero value panics. NewV1At and NewV6At refuse the zero
// time before that.
func needsClock(name, method string) bool {
	switch name {
	case "Clock", "ClockLimit":
		return true
	case "Generator":
		return !slices.Contains([]string{"NewV4", "AppendV4", "NewV1At", "NewV6At", "NewV7At", "NewULIDAt"}, method)
	}
	return name == "SnowflakeNode" && method != "Number" && method != "Layout"
}

// A world is a clock with its limit, and all makers of IDs on that clock.
type world struct {
	fake  *fakeClock
	limit *ids.ClockLimit
	gen   *ids.Generator
	node  *ids.SnowflakeNode
	ctx   context.Context
}

// makers make IDs and return the error that the call returns or with which it panics.
var makers = map[string]func(w world) error{
	"NewV1":       func(w world) error { return panicOf(func() { w.gen.NewV1() }) },
	"NewV6":       func(w world) error { return panicOf(func() { w.gen.NewV6() }) },
	"NewV7":       func(w world) error { return panicOf(func() { w.gen.NewV7() }) },
	"NewULID":     func(w world) error { return panicOf(func() { w.gen.NewULID() }) },
	"AppendV7":    func(w world) error { return panicOf(func() { w.gen.AppendV7(nil, 3) }) },
	"AppendULID":  func(w world) error { return panicOf(func() { w.gen.AppendULID(nil, 3) }) },
	"Next":        func(w world) error { return panicOf(func() { w.node.Next() }) },
	"Append":      func(w world) error { return panicOf(func() { w.node.Append(nil, 3) }) },
	"NextContext": func(w world) error { return failing(w.node.NextContext(w.ctx)) },
	"TryNext":     func(w world) error { return failing(w.node.TryNext()) },
}

// TestRefusals brings a clock to states in which there may be no ID, and calls each constructor
// that does not wait there. The constructor fails with the documented error and the cause given for
// it, or makes an ID.
func TestRefusals(t *testing.T) {
	cause := errors.New("the disk is full")
	const limited, all = "NewV1 NewV6 Next Append NextContext TryNext", "NewV1 NewV6 NewV7 NewULID AppendV7 AppendULID Next Append NextContext TryNext"
	for what, c := range map[string]struct {
		bring   func(w world)
		refuse  string // names of the makers that fail
		with    error
		because error
		waits   string
	}{
		"before the first limit": {func(world) {}, "TryNext", ids.ErrWithheld, nil, "NewV1 NewV6 Next Append NextContext"},
		"withheld":               {func(w world) { w.limit.Set(time.Time{}, cause) }, "TryNext", ids.ErrWithheld, cause, "NewV1 NewV6 Next Append NextContext"},
		"ended":                  {func(w world) { w.limit.EndAt(unbounded, nil) }, limited, ids.ErrEnded, nil, ""},
		"ended for a cause":      {func(w world) { w.limit.EndAt(time.Time{}, cause) }, limited, ids.ErrEnded, cause, ""},
		"past the last tick of each format": {func(w world) {
			w.limit.Set(unbounded, cause)
			w.fake.t = time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)
		}, all, ids.ErrRange, nil, ""},
		"all Snowflakes taken": {func(w world) {
			w.limit.Set(unbounded, cause)
			for w.node.Next(); failing(w.node.TryNext()) == nil; {
			}
		}, "TryNext", ids.ErrExhausted, nil, "Next Append NextContext"},
		"set back": {func(w world) {
			w.limit.Set(unbounded, cause)
			w.node.Next()
			w.fake.step(-time.Hour)
		}, "TryNext", ids.ErrClockBehind, nil, ""},
		"in the last tick of Twitter's layout, which is full": {func(w world) {
			w.limit.Set(unbounded, cause)
			w.fake.t = ids.TwitterLayout().Last()
			for range 1 << 12 {
				w.node.Next()
			}
		}, "Next Append NextContext TryNext", ids.ErrRange, nil, ""},
		"in the last tick of versions 1 and 6, which is full": {func(w world) {
			w.limit.Set(unbounded, cause)
			w.fake.t = time.Date(5236, 3, 31, 21, 21, 0, 684697500, time.UTC)
			for range 4 {
				w.gen.NewV1()
				w.gen.NewV6()
			}
			// A Snowflake's clock is past its last tick.
		}, "NewV1 NewV6 Next Append NextContext TryNext", ids.ErrRange, nil, ""},
		"in the last tick of version 7 and ULID, which is full": {func(w world) {
			w.limit.Set(unbounded, cause)
			w.fake.t = time.UnixMilli(1<<48 - 1).Add(999_999)
			w.gen.NewULID()
			w.gen.SetEntropy([10]byte(bytes.Repeat([]byte{0xff}, 10)))
			for panicOf(func() { w.gen.NewV7() }) == nil { // with the largest strides
			}
		}, all, ids.ErrRange, nil, ""},
	} {
		for name, try := range makers {
			if slices.Contains(strings.Fields(c.waits), name) {
				continue
			}
			var err error
			synctest.Test(t, func(t *testing.T) { // time stands still here, so that debts remain
				f, clock, limit, _, n := newWithheldAt(t, start, time.Time{})
				w := world{f, limit, ids.NewGenerator(&ids.GeneratorOptions{Clock: clock, Random: repeated(0xff)}), n, t.Context()}
				c.bring(w)
				err = try(w)
			})
			var want error
			if slices.Contains(strings.Fields(c.refuse), name) {
				want = c.with
			}
			for _, kind := range []error{ids.ErrWithheld, ids.ErrEnded, ids.ErrExhausted, ids.ErrClockBehind, ids.ErrRange, ids.ErrSyntax} {
				is := kind == want || kind == ids.ErrExhausted && want == ids.ErrClockBehind
				if errors.Is(err, kind) != is {
					t.Errorf("%s, %s: %v, which is %v: %v", what, name, err, kind, !is)
				}
			}
			if (err == nil) != (want == nil) || errors.Is(err, cause) != (want != nil && c.because != nil) {
				t.Errorf("%s, %s: %v, want %v because of %v", what, name, err, want, c.because)
			}
			if strings.HasPrefix(what, "past ") && !strings.Contains(fmt.Sprint(err), "wall clock is past the last tick of the format: set it right") {
				t.Errorf("%s, %s: %v, want an error that blames the clock", what, name, err)
			}
		}
	}
}
