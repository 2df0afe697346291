package with

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	gojson "github.com/goccy/go-json"
	"github.com/jinzhu/copier"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

// converters makes copier write and read IDs of a type, and lists of them, as text.
func converters[T fmt.Stringer](parse func(string) (T, error)) []copier.TypeConverter {
	var id T
	return []copier.TypeConverter{
		{SrcType: id, DstType: "", Fn: func(v any) (any, error) { return v.(T).String(), nil }},
		{SrcType: "", DstType: id, Fn: func(v any) (any, error) { return parse(v.(string)) }},
		{SrcType: []T{}, DstType: []string{}, Fn: func(v any) (any, error) {
			var texts []string
			for _, id := range v.([]T) {
				texts = append(texts, id.String())
			}
			return texts, nil
		}},
		{SrcType: []string{}, DstType: []T{}, Fn: func(v any) (any, error) {
			var ids []T
			for _, text := range v.([]string) {
				id, err := parse(text)
				if err != nil {
					return nil, err
				}
				ids = append(ids, id)
			}
			return ids, nil
		}},
	}
}

func parseNull(text string) (id uuid.Null, err error) {
	err = id.UnmarshalText([]byte(text))
	return id, err
}

// TestCopier copies one field to another, without and with converters.
func TestCopier(t *testing.T) {
	type field[T any] struct{ V T }
	const text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	option := copier.Option{Converters: slices.Concat(converters(uuid.Parse), converters(snowflake.Parse), converters(parseNull))}
	for _, c := range []struct {
		from, to    any
		came, right any // nil: an error
	}{
		{field[snowflake.ID]{65}, field[string]{}, field[string]{"A"}, field[string]{"65"}},
		{field[snowflake.ID]{number}, field[string]{}, field[string]{"\ufffd"}, field[string]{number.String()}},
		{field[[]uuid.UUID]{[]uuid.UUID{id}}, field[[]string]{}, field[[]string]{[]string{""}}, field[[]string]{[]string{text}}},
		{field[[]string]{[]string{text}}, field[[]uuid.UUID]{}, field[[]uuid.UUID]{[]uuid.UUID{{}}}, field[[]uuid.UUID]{[]uuid.UUID{id}}},
		{field[[]string]{[]string{"nonsense"}}, field[[]uuid.UUID]{}, field[[]uuid.UUID]{[]uuid.UUID{{}}}, nil},
		{field[string]{"nonsense"}, field[uuid.UUID]{}, field[uuid.UUID]{}, nil},
		{field[string]{"nonsense"}, field[snowflake.ID]{}, field[snowflake.ID]{}, nil},
		{field[uuid.Null]{}, field[string]{"old"}, field[string]{"old"}, field[string]{""}},
	} {
		copied := func(option copier.Option) any {
			to := reflect.New(reflect.TypeOf(c.to))
			to.Elem().Set(reflect.ValueOf(c.to))
			if copier.CopyWithOption(to.Interface(), c.from, option) != nil {
				return nil
			}
			return to.Elem().Interface()
		}
		equal(t, copied(copier.Option{}), c.came)
		equal(t, copied(option), c.right)
	}
}

// goccy/go-json reads null into an ID as into eight bytes, and writes a nil pointer in a list or a
// map as an empty string.
func TestGoccyJSON(t *testing.T) {
	var row struct {
		ID     uuid.UUID
		Parent uuid.Null
	}
	row.ID, row.Parent = id, parent
	must.Do(t, gojson.Unmarshal([]byte(`{"ID": null, "Parent": null}`), &row))
	equal(t, row.ID.String(), "00000000-0000-0000-98c4-dc0c0c07398f")
	equal(t, row.Parent, uuid.Null{})

	b, err := gojson.Marshal([]*uuid.UUID{nil})
	must.Do(t, err)
	equal(t, string(b), `[""]`)
	refused(t, gojson.Unmarshal(b, new([]*uuid.UUID)))
	b, err = gojson.Marshal([]uuid.Null{{}, parent})
	must.Do(t, err)
	equal(t, string(b), `[null,"`+id.String()+`"]`)
	var list []uuid.Null
	must.Do(t, gojson.Unmarshal(b, &list))
	equal(t, list, []uuid.Null{{}, parent})
}
