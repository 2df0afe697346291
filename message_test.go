package ids_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestMessages compares messages in full: of numbers whose lower 32 bits alone would do, and of contexts
// whose cause has words of its own.
func TestMessages(t *testing.T) {
	defer ids.SetDefaultSnowflakeNode(nil)
	ids.SetDefaultSnowflakeNode(nil)
	t.Setenv("IDS_SNOWFLAKE_NODE", "4294967303")
	_, fromEnv := ids.DefaultSnowflakeNode()

	wide := int64(1<<32 + 7)
	_, datacenter := ids.DatacenterWorker(int(wide), 1)
	_, worker := ids.DatacenterWorker(1, int(wide))

	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Clock: ids.NewClock(nil)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the request is over"))
	_, cause := n.NextContext(ctx)

	var own ids.Null[struct{ ids.UUID }]
	long := own.UnmarshalJSON([]byte(strconv.Quote(strings.Repeat("a", 1000))))

	for _, k := range []struct {
		err  error
		want string
		wide bool // for an int of 64 bits
	}{
		{fromEnv, `ids: environment variable IDS_SNOWFLAKE_NODE is "4294967303", not a number from 0 to 1023`, false},
		{datacenter, "ids: datacenter 4294967303 is not within 0 to 31", true},
		{worker, "ids: worker 4294967303 is not within 0 to 31", true},
		{cause, "ids: waiting for a Snowflake: context canceled: the request is over", false},
		{long, "ids: parsing JSON: more than 90 characters", false},
	} {
		if k.wide && strconv.IntSize < 64 {
			continue
		}
		if k.err == nil || k.err.Error() != k.want {
			t.Errorf("the error is %v, want %s", k.err, k.want)
		}
	}
}
