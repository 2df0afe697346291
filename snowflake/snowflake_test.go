package snowflake_test

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/snowflake"
)

// TestLayouts compares the layouts with those of package ids that they stand for.
func TestLayouts(t *testing.T) {
	for name, c := range map[string][2]snowflake.Layout{
		"Twitter":   {snowflake.Twitter(), ids.TwitterLayout()},
		"Discord":   {snowflake.Discord(), ids.DiscordLayout()},
		"Instagram": {snowflake.Instagram(), ids.InstagramLayout()},
		"Sonyflake": {snowflake.Sonyflake(), ids.SonyflakeLayout()},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %+v, in ids %+v", name, c[0], c[1])
		}
	}
}

// TestSetDefaultFromEnv checks that it is that of package ids, which refuses a variable that is not set.
func TestSetDefaultFromEnv(t *testing.T) {
	const variable = "IDS_SNOWFLAKE_NODE"
	t.Setenv(variable, "") // and puts it back
	if err := os.Unsetenv(variable); err != nil {
		t.Fatal(err)
	}
	node, got := snowflake.SetDefaultFromEnv(nil)
	_, want := ids.SetDefaultSnowflakeNodeFromEnv(nil)
	if node != nil || got == nil || want == nil || got.Error() != want.Error() {
		t.Errorf("got %v, %v, want %v", node, got, want)
	}
	t.Setenv(variable, "42")
	snowflake.SetDefault(nil)
	defer snowflake.SetDefault(nil)
	node, err := snowflake.SetDefaultFromEnv(nil)
	if err != nil || node.Number() != 42 {
		t.Fatalf("with the variable: %v, %v", node, err)
	}
	if made, err := ids.DefaultSnowflakeNode(); made != node || err != nil {
		t.Errorf("the default node is %p, %v, want %p", made, err, node)
	}
}

// TestTwitterNumber compares the functions with those of package ids that they stand for.
func TestTwitterNumber(t *testing.T) {
	for _, c := range [][2]int64{{11, 26}, {0, 0}, {31, 31}, {32, 0}, {0, -1}} {
		got, err := snowflake.TwitterNumber(c[0], c[1])
		want, wantErr := ids.TwitterNumber(c[0], c[1])
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("TwitterNumber(%d, %d) = %d, %v, in ids %d, %v", c[0], c[1], got, err, want, wantErr)
		}
		d, w := snowflake.TwitterDatacenterWorker(want)
		if wantD, wantW := ids.TwitterDatacenterWorker(want); d != wantD || w != wantW {
			t.Errorf("TwitterDatacenterWorker(%d) = %d, %d, in ids %d, %d", want, d, w, wantD, wantW)
		}
	}
}

// OrderID is a type of one's own.
type OrderID struct{ ids.Snowflake }

// TestNullOfOwnType writes and reads a Null of it, in JSON and in a database: it does as snowflake.Null.
func TestNullOfOwnType(t *testing.T) {
	type row struct {
		ID     OrderID            `json:"id"`
		Parent ids.Null[OrderID]  `json:"parent"`
		Next   *ids.Null[OrderID] `json:"next,omitzero"`
	}
	id := OrderID{1541815603606036480}
	present := ids.Null[OrderID]{ID: id, Valid: true}
	for _, c := range []struct {
		row  row
		json string
	}{
		{row{ID: id}, `{"id":"1541815603606036480","parent":null}`},
		{row{ID: id, Parent: present, Next: &present}, `{"id":"1541815603606036480","parent":"1541815603606036480","next":"1541815603606036480"}`},
	} {
		if b, err := json.Marshal(c.row); string(b) != c.json || err != nil {
			t.Errorf("JSON is %s, %v, want %s", b, err, c.json)
		}
		var got row
		if err := json.Unmarshal([]byte(c.json), &got); err != nil || got.ID != id || got.Parent != c.row.Parent {
			t.Errorf("%s is read as %+v, %v", c.json, got, err)
		}
	}
	var bare ids.Null[OrderID]
	if err := json.Unmarshal([]byte("42"), &bare); err != nil || bare.ID.Snowflake != 42 || !bare.Valid {
		t.Errorf("a bare number is read as %+v, %v", bare, err)
	}
	for _, c := range []struct {
		null  ids.Null[OrderID]
		value driver.Value
	}{{present, int64(1541815603606036480)}, {ids.Null[OrderID]{}, nil}} {
		if got, err := driver.DefaultParameterConverter.ConvertValue(c.null); got != c.value || err != nil {
			t.Errorf("the parameter is %v, %v, want %v", got, err, c.value)
		}
		got := ids.Null[OrderID]{ID: OrderID{7}, Valid: true}
		if err := got.Scan(c.value); got != c.null || err != nil {
			t.Errorf("%v is read as %+v, %v", c.value, got, err)
		}
	}
	kept := present
	if err := kept.Scan(int64(-1)); !errors.Is(err, snowflake.ErrRange) || kept != present {
		t.Errorf("-1 is read as %+v, %v", kept, err)
	}
}
