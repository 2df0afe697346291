package ids_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// The types of your own that tests use beside those of the examples.
type (
	batchID   struct{ ids.ULID }
	tweetID   struct{ ids.Snowflake }
	taggedID  struct{ ids.UUID } // has a text of its own
	lenientID struct{ ids.UUID } // takes the empty text
)

var tag = "user" // of a taggedID

func (id taggedID) String() string                      { return tag + id.UUID.String() }
func (id taggedID) AppendText(b []byte) ([]byte, error) { return append(b, id.String()...), nil }
func (id taggedID) MarshalText() ([]byte, error)        { return id.AppendText([]byte{}) }
func (id *taggedID) UnmarshalText(text []byte) (err error) {
	digits, ok := strings.CutPrefix(string(text), tag)
	if !ok {
		return ids.ErrSyntax
	}
	return id.UUID.UnmarshalText([]byte(digits))
}

func (id *lenientID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return id.UUID.UnmarshalText(text)
}

// TestOwnTypes writes and reads types of your own in many ways: each must do as the embedded id does.
func TestOwnTypes(t *testing.T) {
	u := ids.MustParseUUID(edgeUUID)
	checkOwn(t, UserID{u}, edgeUUID, edgeUUID)
	checkOwn(t, ID[Customer]{u}, edgeUUID, edgeUUID)
	checkOwn(t, batchID{ids.MustParseULID(edgeULID)}, edgeULID, edgeULID)
	checkOwn(t, tweetID{1541815603606036480}, edgeSnowflake, int64(1541815603606036480))
	checkNull(t, taggedID{u}, taggedID{}, tag+edgeUUID, edgeUUID)
}

// checkOwn checks the encodings of a type of your own, given its text and its value for a database.
func checkOwn[Own interface {
	ids.Nullable
	written
}, P readable[Own]](t *testing.T, own Own, text string, value driver.Value) {
	t.Run(fmt.Sprintf("%T", own), func(t *testing.T) {
		checkEncodings[Own, P](t, own, text)
		checkNull(t, own, *new(Own), text, value)
		for _, v := range []any{own, &own} {
			if got, err := driver.DefaultParameterConverter.ConvertValue(v); got != value || err != nil {
				t.Errorf("a %T is the parameter %v, %v, want %v", v, got, err, value)
			}
		}
		if v, err := driver.DefaultParameterConverter.ConvertValue((*Own)(nil)); v != nil || err != nil {
			t.Errorf("a nil pointer is the parameter %v, %v", v, err)
		}
		if got, _, err := column[Own](value); got != own || err != nil {
			t.Errorf("from a column: %v, %v", got, err)
		}
		if got, _, err := column[*Own]([]byte(text)); err != nil || *got != own {
			t.Errorf("from a column that may be NULL: %v, %v", got, err)
		}
		if got, _, err := column[*Own](nil); got != nil || err != nil {
			t.Errorf("NULL into a pointer: %v, %v", got, err)
		}
		kept := own
		if err := any(&kept).(sql.Scanner).Scan(nil); !errors.Is(err, ids.ErrSyntax) || kept != own {
			t.Errorf("NULL: %v, %v", kept, err)
		}
	})
}

// TestOwnNullJSON reads JSON into a Null of types of your own, whose text has at most 90 bytes.
func TestOwnNullJSON(t *testing.T) {
	defer func(before string) { tag = before }(tag)
	u := ids.MustParseUUID(edgeUUID)
	for _, tag = range []string{"", "user", strings.Repeat("long", 13) + "er"} {
		present := ids.Null[taggedID]{ID: taggedID{u}, Valid: true}
		text := present.String()
		var escaped strings.Builder
		for _, c := range text {
			fmt.Fprintf(&escaped, `\u%04x`, c)
		}
		for how, data := range map[string]string{
			"text": text, "an escape": fmt.Sprintf(`\u%04x`, text[0]) + text[1:], "escapes": escaped.String(),
		} {
			var got ids.Null[taggedID]
			if err := got.UnmarshalJSON([]byte(`"` + data + `"`)); got != present || err != nil {
				t.Errorf("from %s of %d bytes: %v, %v", how, len(text), got, err)
			}
		}
		for how, data := range map[string]string{
			"the empty string": `""`, "text that is too long": `"` + text + `0"`, "escapes that are too many": `"` + text + `\u0030"`,
			"10 MB": `"` + strings.Repeat("x", 10_000_000) + `"`, "no quotes": "x" + text, "a quote too few": `"` + text,
			"no JSON at all": "", "an escape that is no digit": `"` + text + `\u00"`, "a number": "1541815603606036480",
		} {
			got := present
			if err := got.UnmarshalJSON([]byte(data)); !errors.Is(err, ids.ErrSyntax) || got != present {
				t.Errorf("%s: %v, %v", how, got, err)
			}
		}
	}
	var tweet ids.Null[tweetID]
	if err := json.Unmarshal([]byte(edgeSnowflake), &tweet); err != nil || tweet.ID.Snowflake != 1541815603606036480 {
		t.Errorf("a bare number: %v, %v", tweet, err)
	}
}

// TestNullOfLenient gives JSON that is no string to a Null of a type that takes the empty text.
func TestNullOfLenient(t *testing.T) {
	for _, data := range []string{"5", "{}", "[]", "true", `"`, `"\x"`} {
		var got ids.Null[lenientID]
		if err := got.UnmarshalJSON([]byte(data)); !errors.Is(err, ids.ErrSyntax) || got.Valid {
			t.Errorf("%s: %v, %v, want an error", data, got, err)
		}
	}
}
