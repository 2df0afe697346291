package ids_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestMessages compares messages in full, one of them of a number whose lower 32 bits alone would do.
func TestMessages(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(nil)
	t.Setenv("IDS_SNOWFLAKE_NODE", "4294967303")
	_, fromEnv := ids.DefaultSnowflakeNode()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the request is over"))
	_, cause := newNode(t, 1, &ids.SnowflakeOptions{Clock: ids.NewClock(nil)}).NextContext(ctx)
	var own ids.Null[struct{ ids.UUID }]
	long := []byte(strconv.Quote(strings.Repeat("a", 1000)))
	for want, err := range map[string]error{
		`ids: environment variable IDS_SNOWFLAKE_NODE is "4294967303", not a number from 0 to 1023`: fromEnv,
		"ids: waiting for a Snowflake: context canceled: the request is over":                       cause,
		"ids: parsing JSON: more than 90 characters":                                                own.UnmarshalJSON(long),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
