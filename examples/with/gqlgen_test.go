package with

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/with/graphql"
	"github.com/oneclock/ids/uuid"
)

func MarshalUUID(u uuid.UUID) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { fmt.Fprintf(w, "%q", u) })
}

func UnmarshalUUID(v any) (uuid.UUID, error) {
	s, ok := v.(string)
	if !ok {
		return uuid.UUID{}, fmt.Errorf("a UUID is a string, not %T", v)
	}
	return uuid.Parse(s)
}

func TestGqlgen(t *testing.T) {
	var b bytes.Buffer
	MarshalUUID(id).MarshalGQL(&b)
	var text any
	must.Do(t, json.Unmarshal(b.Bytes(), &text))
	u, err := UnmarshalUUID(text)
	must.Do(t, err)
	equal(t, u, id)
	for _, bad := range []any{nil, "", int64(1), json.Number("1"), id[:]} {
		_, err := UnmarshalUUID(bad)
		refused(t, err)
	}
}
