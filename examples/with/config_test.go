package with

import (
	"database/sql"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"dario.cat/mergo"
	"github.com/go-viper/mapstructure/v2"
	"github.com/jessevdk/go-flags"
	kelsey "github.com/kelseyhightower/envconfig"
	"github.com/knadh/koanf/v2"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/sethvargo/go-envconfig"
	"github.com/spf13/viper"
)

// readIDs reads IDs from text, and Snowflakes also from whole numbers. It rejects everything else.
func readIDs(_, to reflect.Type, data any) (any, error) {
	p := reflect.New(to)
	id, ok := p.Interface().(interface {
		sql.Scanner
		encoding.TextUnmarshaler
	})
	if !ok || reflect.TypeOf(data) == to {
		return data, nil
	}
	var err error
	switch v := data.(type) {
	case string:
		err = id.UnmarshalText([]byte(v))
	case int:
		err = id.Scan(int64(v))
	default:
		err = id.Scan(v)
	}
	return p.Elem().Interface(), err
}

// decodeHook reads IDs with readIDs, and all other values as viper does without a hook.
var decodeHook = viper.DecodeHook(mapstructure.ComposeDecodeHookFunc(readIDs,
	mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToWeakSliceHookFunc(",")))

type settings struct {
	ID     uuid.UUID
	Event  ulid.ULID
	Number snowflake.ID
	Parent uuid.Null
	Refund *uuid.UUID
	Items  []uuid.UUID
	User   userID
	Words  []string
	Wait   time.Duration
}

func readByViper(kind, text string, options ...viper.DecoderConfigOption) (s settings, err error) {
	v := viper.New()
	v.SetConfigType(kind)
	if err := v.ReadConfig(strings.NewReader(text)); err != nil {
		return s, err
	}
	err = v.Unmarshal(&s, options...)
	return s, err
}

// Without the hook, viper makes IDs from values that are not IDs, even with mapstructure's hook for
// text.
func TestViper(t *testing.T) {
	refused(t, viperError(readByViper("json", `{"ID": "`+id.String()+`"}`)))
	for text, came := range map[string]settings{
		`{"ID": 7}`:                       {ID: uuid.UUID{7}},
		`{"ID": -5}`:                      {ID: uuid.UUID{0xfb}},
		`{"ID": true}`:                    {ID: uuid.UUID{1}},
		`{"ID": [1,2]}`:                   {ID: uuid.UUID{1, 2}},
		`{"Number": -5}`:                  {Number: -5},
		`{"Number": 1.5}`:                 {Number: 1},
		`{"Number": true}`:                {Number: 1},
		`{"Number": 1541815603606036481}`: {Number: 1541815603606036480},
	} {
		for _, options := range [][]viper.DecoderConfigOption{nil, {viper.DecodeHook(mapstructure.TextUnmarshallerHookFunc())}} {
			got, err := readByViper("json", text, options...)
			must.Do(t, err)
			equal(t, got, came)
		}
		refused(t, viperError(readByViper("json", text, decodeHook)))
	}
	for _, text := range []string{`{"ID": ""}`, `{"ID": "orders-primary-1"}`, `{"Event": 1}`, `{"Parent": 7}`, `{"Parent": {"ID": "` + id.String() + `"}}`, `{"Items": [7]}`, `{"Refund": true}`, `{"User": 7}`} {
		refused(t, viperError(readByViper("json", text, decodeHook)))
	}

	want := settings{id, event, number, parent, &id, []uuid.UUID{id, uuid.Max()}, userID{id}, []string{"a", "b"}, 3 * time.Second}
	for kind, text := range map[string]string{
		"json": `{"ID": "%s", "Event": "%s", "Number": "%d", "Parent": "%s", "Refund": "%s", "Items": ["%s", "%s"], "User": "%s", "Words": "a,b", "Wait": "3s"}`,
		"yaml": "{ID: %s, Event: %s, Number: %d, Parent: %s, Refund: %s, Items: '%s,%s', User: %s, Words: 'a,b', Wait: 3s}",
		"toml": "ID = '%s'\nEvent = '%s'\nNumber = %d\nParent = '%s'\nRefund = '%s'\nItems = ['%s', '%s']\nUser = '%s'\nWords = ['a', 'b']\nWait = '3s'",
	} {
		got, err := readByViper(kind, fmt.Sprintf(text, id, event, number, id, id, id, uuid.Max(), id), decodeHook)
		must.Do(t, err)
		equal(t, got, want)
	}
	got, err := readByViper("json", `{"Parent": "", "Refund": null}`, decodeHook)
	must.Do(t, err)
	equal(t, got, settings{})
}

func viperError(_ settings, err error) error { return err }

// koanf reads text, and makes IDs from values that are not IDs, as viper does.
func TestKoanf(t *testing.T) {
	hooked := koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{WeaklyTypedInput: true, DecodeHook: mapstructure.ComposeDecodeHookFunc(readIDs,
		mapstructure.StringToTimeDurationHookFunc(), mapstructure.TextUnmarshallerHookFunc())}}
	for _, c := range []struct {
		key   string
		value any
		came  settings
	}{{"ID", 7, settings{ID: uuid.UUID{7}}}, {"ID", true, settings{ID: uuid.UUID{1}}}, {"Number", -5, settings{Number: -5}}, {"Number", 1.5, settings{Number: 1}}} {
		k := koanf.New(".")
		must.Do(t, k.Set(c.key, c.value))
		var got settings
		must.Do(t, k.Unmarshal("", &got))
		equal(t, got, c.came)
		refused(t, k.UnmarshalWithConf("", &settings{}, hooked))
	}
	k := koanf.New(".")
	must.Do(t, errors.Join(k.Set("ID", id.String()), k.Set("Number", int64(number)), k.Set("Wait", "3s")))
	var got settings
	must.Do(t, k.UnmarshalWithConf("", &got, hooked))
	equal(t, got, settings{ID: id, Number: number, Wait: 3 * time.Second})
}

// A flagID is an ID that go-flags reads. For a Snowflake, write the same.
type flagID struct{ uuid.UUID }

func (f *flagID) UnmarshalFlag(text string) error { return f.UnmarshalText([]byte(text)) }

type flagNumber struct{ snowflake.ID }

func (f *flagNumber) UnmarshalFlag(text string) error { return f.UnmarshalText([]byte(text)) }

// go-flags does not use TextUnmarshaler. It reads any text as the Nil UUID, and a Snowflake as an
// int64.
func TestGoFlags(t *testing.T) {
	var plain struct {
		ID     uuid.UUID    `long:"id"`
		Number snowflake.ID `long:"number"`
	}
	for _, text := range []string{id.String(), "nonsense"} {
		_, err := flags.ParseArgs(&plain, []string{"--id=" + text, "--number=-5"})
		must.Do(t, err)
		equal(t, plain.ID, uuid.Nil())
		equal(t, plain.Number, -5)
	}
	var mended struct {
		ID     flagID     `long:"id"`
		Number flagNumber `long:"number"`
	}
	_, err := flags.ParseArgs(&mended, []string{"--id=" + id.String(), "--number=7"})
	must.Do(t, err)
	equal(t, mended.ID.UUID, id)
	equal(t, mended.Number.ID, 7)
	for _, bad := range []string{"--id=nonsense", "--id=", "--number=-5"} {
		_, err := flags.NewParser(&mended, flags.None).ParseArgs([]string{bad})
		refused(t, err)
	}
}

// sethvargo's envconfig reads a value that it cannot read as text as bytes.
func TestEnvconfig(t *testing.T) {
	process := func(target any, value string) error {
		return envconfig.ProcessWith(t.Context(), &envconfig.Config{Target: target, Lookuper: envconfig.MapLookuper(map[string]string{"V": value})})
	}
	var u struct {
		V uuid.UUID `env:"V"`
	}
	must.Do(t, process(&u, "orders-primary-1"))
	equal(t, u.V.String(), "6f726465-7273-2d70-7269-6d6172792d31")
	for text, came := range map[string]snowflake.ID{"disabled": 7235441138447705444, "-1234567": 3256439201066202679} {
		var n struct {
			V snowflake.ID `env:"V"`
		}
		must.Do(t, process(&n, text))
		equal(t, n.V, came)
	}

	var null struct {
		V uuid.Null `env:"V"`
	}
	var numberNull struct {
		V snowflake.Null `env:"V"`
	}
	refused(t, process(&null, "orders-primary-1"))
	refused(t, process(&numberNull, "disabled"))
	refused(t, process(&numberNull, "-1234567"))
	must.Do(t, process(&null, id.String()))
	equal(t, null.V, parent)
	must.Do(t, process(&numberNull, number.String()))
	equal(t, numberNull.V, snowflake.Null{ID: number, Valid: true})
	// Not set.
	must.Do(t, envconfig.ProcessWith(t.Context(), &envconfig.Config{Target: &null, Lookuper: envconfig.MapLookuper(nil)}))
}

// kelseyhightower's envconfig calls a method on a nil pointer. It reads an ID and a Null.
func TestKelseyEnvconfig(t *testing.T) {
	t.Setenv("V", id.String())
	panics := func(target any) (r any) {
		defer func() { r = recover() }()
		return kelsey.Process("", target)
	}
	var pointer struct{ V *uuid.UUID }
	_, is := panics(&pointer).(runtime.Error)
	equal(t, is, true)
	var plain struct{ V uuid.UUID }
	must.Do(t, kelsey.Process("", &plain))
	equal(t, plain.V, id)
	var null struct{ V uuid.Null }
	must.Do(t, kelsey.Process("", &null))
	equal(t, null.V, parent)
	t.Setenv("V", "")
	must.Do(t, kelsey.Process("", &null))
	equal(t, null.V, uuid.Null{})
	refused(t, kelsey.Process("", &plain))
	t.Setenv("V", "nonsense")
	refused(t, kelsey.Process("", &null))
}

// whole makes mergo merge a value as a whole if the value has an IsZero method.
type whole struct{ override bool }

func (w whole) Transformer(t reflect.Type) func(dst, src reflect.Value) error {
	type zeroer interface{ IsZero() bool }
	if !t.Implements(reflect.TypeFor[zeroer]()) {
		return nil
	}
	return func(dst, src reflect.Value) error {
		// A nil pointer has no methods.
		zero := func(v reflect.Value) bool { return v.IsZero() || v.Interface().(zeroer).IsZero() }
		if dst.CanSet() && !zero(src) && (w.override || zero(dst)) {
			dst.Set(src)
		}
		return nil
	}
}

// To mergo, an array is never empty, and a Null is a struct whose fields are merged separately.
func TestMergo(t *testing.T) {
	type config struct {
		ID     uuid.UUID
		Parent uuid.Null
		Number snowflake.ID
		Wait   time.Time
		Owner  *uuid.UUID
		hidden uuid.UUID
	}
	all := config{ID: id, Parent: parent, Number: number, Owner: &id, hidden: id}
	other := uuid.Null{ID: uuid.Max(), Valid: true}

	var c config
	must.Do(t, mergo.Merge(&c, all))
	equal(t, c, config{Parent: uuid.Null{Valid: true}, Number: number, Owner: &id})
	c = all
	must.Do(t, mergo.Merge(&c, config{Number: 7}, mergo.WithOverride))
	equal(t, c.ID, uuid.Nil())

	c = config{}
	must.Do(t, mergo.Merge(&c, all, mergo.WithTransformers(whole{})))
	equal(t, c, config{ID: id, Parent: parent, Number: number, Owner: &id})
	must.Do(t, mergo.Merge(&c, config{ID: uuid.Max(), Parent: other}, mergo.WithTransformers(whole{})))
	equal(t, c, config{ID: id, Parent: parent, Number: number, Owner: &id}) // existing values stay
	override := []func(*mergo.Config){mergo.WithOverride, mergo.WithTransformers(whole{override: true})}
	must.Do(t, mergo.Merge(&c, config{Number: 7}, override...))
	// Absent values replace nothing.
	equal(t, c, config{ID: id, Parent: parent, Number: 7, Owner: &id})
	must.Do(t, mergo.Merge(&c, config{ID: uuid.Max(), Parent: other}, override...))
	equal(t, c, config{ID: uuid.Max(), Parent: other, Number: 7, Owner: &id})
}
