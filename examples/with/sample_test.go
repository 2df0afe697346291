package with

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"dario.cat/mergo"
	gojson "github.com/goccy/go-json"
	"github.com/jessevdk/go-flags"
	"github.com/jinzhu/copier"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
)

type userID struct{ uuid.UUID }

// A sample has IDs as a program stores them. Give the fields the tags of your library.
type sample struct {
	ID     uuid.UUID
	User   userID
	Number snowflake.ID
	Parent *uuid.UUID
	Coupon uuid.Null
	Items  []uuid.UUID
	Named  map[string]*uuid.UUID
}

// changed sends a sample through a library, and returns an error if the result differs.
func changed(through func(in, out *sample) error) error {
	in := sample{uuid.NewV7(), userID{uuid.NewV7()}, 65, nil, uuid.Null{}, uuid.AppendV7(nil, 2), map[string]*uuid.UUID{"none": nil}}
	var out sample
	if err := through(&in, &out); err != nil || !reflect.DeepEqual(in, out) {
		return fmt.Errorf("sent %+v, got %+v, error %v", in, out, err)
	}
	return nil
}

// TestIDs is the test that a program writes for its own library.
func TestIDs(t *testing.T) {
	err := changed(func(in, out *sample) error {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		return json.Unmarshal(b, out)
	})
	if err != nil {
		t.Error(err)
	}
}

func parseUser(text string) (userID, error) {
	u, err := uuid.Parse(text)
	return userID{u}, err
}

// TestChanged checks that changed detects four libraries, and detects nothing if a program does
// what the page recommends.
func TestChanged(t *testing.T) {
	type texts struct {
		ID, User, Number, Coupon string
		Parent                   *string
		Items                    []string
	}
	copied := func(option copier.Option) func(in, out *sample) error {
		return func(in, out *sample) error {
			var dto texts
			out.Named = in.Named // not copied
			return errors.Join(copier.CopyWithOption(&dto, in, option), copier.CopyWithOption(out, &dto, option))
		}
	}
	encoded := func(in, out *sample) error {
		b, err := gojson.Marshal(in)
		return errors.Join(err, gojson.Unmarshal(b, out))
	}
	args := func(in *sample) []string {
		return []string{"--id=" + in.ID.String(), "--user=" + in.User.String(), "--number=" + in.Number.String(), "--item=" + in.Items[0].String(), "--item=" + in.Items[1].String()}
	}
	for name, library := range map[string][2]func(in, out *sample) error{
		"copier": {
			copied(copier.Option{}),
			copied(copier.Option{Converters: slices.Concat(converters(uuid.Parse), converters(snowflake.Parse), converters(parseNull), converters(parseUser))}),
		},
		"goccy/go-json": {encoded, func(in, out *sample) error {
			delete(in.Named, "none") // a nil pointer in a map
			return encoded(in, out)
		}},
		"go-flags": {
			func(in, out *sample) error {
				var options struct {
					ID     uuid.UUID    `long:"id"`
					User   string       `long:"user"`
					Number snowflake.ID `long:"number"`
					Items  []uuid.UUID  `long:"item"`
				}
				_, err := flags.ParseArgs(&options, args(in))
				*out = sample{options.ID, in.User, options.Number, in.Parent, in.Coupon, options.Items, in.Named}
				return err
			},
			func(in, out *sample) error {
				var options struct {
					ID     flagID     `long:"id"`
					User   flagID     `long:"user"`
					Number flagNumber `long:"number"`
					Items  []flagID   `long:"item"`
				}
				_, err := flags.ParseArgs(&options, args(in))
				*out = sample{options.ID.UUID, userID(options.User), options.Number.ID, in.Parent, in.Coupon, nil, in.Named}
				for _, item := range options.Items {
					out.Items = append(out.Items, item.UUID)
				}
				return err
			},
		},
		"mergo": {
			func(in, out *sample) error { return mergo.Merge(out, in) },
			func(in, out *sample) error { return mergo.Merge(out, in, mergo.WithTransformers(whole{})) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, changed(library[0]))
			must.Do(t, changed(library[1]))
		})
	}
}
