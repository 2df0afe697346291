//go:build goexperiment.jsonv2

package ids_test

import (
	"testing"

	"github.com/oneclock/ids"
)

// TestJSONv2 does with encoding/json/v2 what TestEdges does with encoding/json, which the same
// experiment rebuilds: GOEXPERIMENT=jsonv2 go test . runs it, and from Go 1.27 on each run.
func TestJSONv2(t *testing.T) {
	u, l, s := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID), ids.Snowflake(1541815603606036480)
	checkJSONv2(t, u, edgeUUID)
	checkJSONv2(t, l, edgeULID)
	checkJSONv2(t, s, edgeSnowflake)
	checkJSONv2(t, ids.Null[ids.UUID]{ID: u, Valid: true}, edgeUUID)
	checkJSONv2(t, ids.Null[ids.ULID]{ID: l, Valid: true}, edgeULID)
	checkJSONv2(t, ids.Null[ids.Snowflake]{ID: s, Valid: true}, edgeSnowflake)
	checkJSONv2(t, ids.Binary[ids.UUID]{ID: u}, edgeUUID)
	checkJSONv2(t, ids.Binary[ids.ULID]{ID: l}, edgeULID)

	var bare ids.Snowflake
	if err := unmarshalV2([]byte(edgeSnowflake), &bare); bare != s || err != nil {
		t.Errorf("a bare number is read as %v, %v", bare, err)
	}
	null := ids.Null[ids.UUID]{ID: u, Valid: true}
	if err := unmarshalV2([]byte("null"), &null); null != (ids.Null[ids.UUID]{}) || err != nil {
		t.Errorf("null is read into a Null as %v, %v", null, err)
	}
	if b, err := marshalV2(null); string(b) != "null" || err != nil {
		t.Errorf("an absent id is written %s, %v", b, err)
	}
}

func checkJSONv2[T comparable](t *testing.T, id T, text string) {
	t.Helper()
	type row struct {
		ID      T       `json:"id"`
		Pointer *T      `json:"pointer"`
		Zero    T       `json:"zero,omitzero"`
		Nil     *T      `json:"nil,omitempty"`
		List    []T     `json:"list"`
		Keys    map[T]T `json:"keys"`
		Any     any     `json:"any"`
	}
	q := `"` + text + `"`
	want := `{"id":` + q + `,"pointer":` + q + `,"list":[` + q + `],"keys":{` + q + `:` + q + `},"any":` + q + `}`
	b, err := marshalV2(row{ID: id, Pointer: &id, List: []T{id}, Keys: map[T]T{id: id}, Any: id})
	if string(b) != want || err != nil {
		t.Errorf("%T is written %s, %v, want %s", id, b, err, want)
	}
	var got row
	if err := unmarshalV2([]byte(want), &got); err != nil || got.ID != id || *got.Pointer != id || got.Zero != *new(T) || got.Nil != nil ||
		got.List[0] != id || got.Keys[id] != id || got.Any != text {
		t.Errorf("%T is read as %+v, %v", id, got, err)
	}
	before := got.ID
	if err := unmarshalV2([]byte(`{"id":"`+text[:len(text)-1]+`!"}`), &got); err == nil || got.ID != before {
		t.Errorf("%T: a bad text is read as %v, %v", id, got.ID, err)
	}
}
