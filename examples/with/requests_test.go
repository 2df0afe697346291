package with

import (
	"encoding"
	"flag"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/gorilla/schema"
	"github.com/oapi-codegen/runtime"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/spf13/pflag"
)

// A search contains the parameters of a request.
type search struct {
	ID     uuid.UUID
	Event  ulid.ULID
	Number snowflake.ID
	User   typeid.ID[customer]
	Parent uuid.Null
	Items  []uuid.UUID
}

// gorilla/schema reads one ID from its text, but not a list, and writes none.
func TestGorillaSchema(t *testing.T) {
	query := orders[0].texts()
	query.Del("Refund")
	query["Items"] = []string{id.String(), uuid.Max().String()}
	d := schema.NewDecoder()
	refused(t, d.Decode(new(search), query))
	d.RegisterConverter(uuid.UUID{}, func(text string) reflect.Value {
		id, err := uuid.Parse(text)
		if err != nil {
			return reflect.Value{} // an error in the decoder
		}
		return reflect.ValueOf(id)
	})
	var got search
	must.Do(t, d.Decode(&got, query))
	equal(t, got, search{id, event, number, orders[0].User, parent, []uuid.UUID{id, uuid.Max()}})
	refused(t, d.Decode(&got, url.Values{"ID": {"1"}}))
	refused(t, d.Decode(&got, url.Values{"Items": {"1"}}))

	type list struct{ Items []uuid.UUID }
	e, out := schema.NewEncoder(), url.Values{}
	refused(t, e.Encode(list{[]uuid.UUID{id}}, url.Values{}))
	e.RegisterEncoder(uuid.UUID{}, func(v reflect.Value) string { return v.Interface().(uuid.UUID).String() })
	must.Do(t, e.Encode(list{[]uuid.UUID{id}}, out))
	equal(t, out, url.Values{"Items": {id.String()}})
}

// TestFlags reads IDs with TextVar of flag and of pflag.
func TestFlags(t *testing.T) {
	type flags interface {
		TextVar(p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string)
		Parse([]string) error
		SetOutput(io.Writer)
	}
	for _, f := range []flags{flag.NewFlagSet("", flag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)} {
		f.SetOutput(io.Discard)
		var got, zero order
		var args []string
		for i, field := range got.fields()[:5] {
			f.TextVar(field.(encoding.TextUnmarshaler), columns[i], zero.fields()[i].(encoding.TextMarshaler), "")
			args = append(args, "--"+columns[i], orders[0].texts().Get(columns[i]))
		}
		must.Do(t, f.Parse(args))
		got.Refund = &id
		equal(t, got, orders[0])
		refused(t, f.Parse([]string{"--ID", "1"}))
	}
	// The help prints the Nil UUID as a default. For a Null it prints no default, and Valid reports
	// whether the flag was given.
	var help strings.Builder
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(&help)
	var plain uuid.UUID
	var null uuid.Null
	f.TextVar(&plain, "plain", uuid.Nil(), "")
	f.TextVar(&null, "null", uuid.Null{}, "")
	f.PrintDefaults()
	equal(t, strings.Count(help.String(), "(default "), 1)
	equal(t, strings.Contains(help.String(), "(default "+uuid.Nil().String()+")"), true)
	must.Do(t, f.Parse(nil))
	equal(t, null, uuid.Null{})
	must.Do(t, f.Parse([]string{"-null", id.String()}))
	equal(t, null, parent)
}

// TestKong reads IDs with kong. Its help prints an ID's type, unless a tag contains the text to
// print.
func TestKong(t *testing.T) {
	var got struct {
		ID     uuid.UUID
		Number snowflake.ID
		Parent uuid.Null `placeholder:"ID"`
		Refund uuid.Null
		Items  []uuid.UUID
		User   typeid.ID[customer]
	}
	var help strings.Builder
	k, err := kong.New(&got, kong.Writers(&help, &help), kong.Exit(func(int) {}))
	must.Do(t, err)
	_, err = k.Parse([]string{"--id", id.String(), "--number", "7", "--parent", id.String(), "--items", id.String() + "," + uuid.Max().String(), "--user", orders[0].User.String()})
	must.Do(t, err)
	equal(t, got.ID, id)
	equal(t, got.Number, 7)
	equal(t, got.Parent, parent)
	equal(t, got.Refund, uuid.Null{})
	equal(t, got.Items, []uuid.UUID{id, uuid.Max()})
	equal(t, got.User, orders[0].User)
	for _, bad := range []string{"--id=nonsense", "--id=", "--number=-5", "--parent=nonsense", "--user=" + id.String(), "--items=nonsense"} {
		_, err := k.Parse([]string{bad})
		refused(t, err)
	}
	// Prints the help and returns an error, because the program does not exit.
	_, _ = k.Parse([]string{"--help"})
	equal(t, strings.Contains(help.String(), "--parent=ID\n"), true)
	equal(t, strings.Contains(help.String(), "--refund=NULL-[-GITHUB-"), true)
}

// TestOapiCodegen makes the calls of generated servers and clients that read and write IDs in paths
// and queries.
func TestOapiCodegen(t *testing.T) {
	var into search
	for _, test := range []struct{ value, back any }{
		{id, &into.ID}, {event, &into.Event}, {number, &into.Number}, {orders[0].User, &into.User},
		{[]uuid.UUID{id, uuid.Max()}, &into.Items}, {[]snowflake.ID{number}, new([]snowflake.ID)},
	} {
		back := reflect.ValueOf(test.back).Elem()
		path, err := runtime.StyleParamWithOptions("simple", false, "id", test.value, runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationPath})
		must.Do(t, err)
		must.Do(t, runtime.BindStyledParameterWithOptions("simple", "id", path, test.back,
			runtime.BindStyledParameterOptions{ParamLocation: runtime.ParamLocationPath, Required: true}))
		equal(t, back.Interface(), test.value)

		query, err := runtime.StyleParamWithOptions("form", true, "id", test.value, runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationQuery})
		must.Do(t, err)
		values, err := url.ParseQuery(query)
		must.Do(t, err)
		back.SetZero()
		must.Do(t, runtime.BindQueryParameterWithOptions("form", true, true, "id", values, test.back, runtime.BindQueryParameterOptions{}))
		equal(t, back.Interface(), test.value)
	}
	testOapiStructs(t)
	// It writes all arrays of 16 bytes in a list as UUIDs.
	path, err := runtime.StyleParamWithOptions("simple", false, "ids", []ulid.ULID{event}, runtime.StyleParamOptions{})
	must.Do(t, err)
	equal(t, path, event.UUID().String())
}

type UserID struct{ uuid.UUID }

// testOapiStructs reads structs from an optional query parameter, as a generated server does.
// Unless the parameter has explode: false, each field would be a separate parameter, and the text
// of the ID would be ignored, whether it is valid or not.
func testOapiStructs(t *testing.T) {
	t.Helper()
	bind := func(explode bool, text string, into any) error {
		return runtime.BindQueryParameterWithOptions("form", explode, false, "user", url.Values{"user": {text}}, into, runtime.BindQueryParameterOptions{})
	}
	for _, text := range []string{id.String(), "nonsense"} {
		var user *UserID
		var null *uuid.Null
		var plain *uuid.UUID
		must.Do(t, bind(true, text, &user))
		must.Do(t, bind(true, text, &null))
		equal(t, user, nil)
		equal(t, null, nil)
		good := text != "nonsense"
		for _, err := range []error{bind(true, text, &plain), bind(false, text, &user), bind(false, text, &null)} {
			equal(t, err == nil, good)
		}
		if good {
			equal(t, plain, &id)
			equal(t, user, &UserID{id})
			equal(t, null, &parent)
		}
	}
	// It checks the kind of a Snowflake, and the methods of a struct that embeds one.
	var negative *snowflake.ID
	must.Do(t, bind(true, "-5", &negative))
	equal(t, *negative, -5)
	must.Do(t, bind(false, "-5", &negative))
	type Number struct{ ids.Snowflake }
	var number *Number
	refused(t, bind(false, "-5", &number))
	must.Do(t, bind(false, "7", &number))
	equal(t, number.Snowflake, 7)
}
