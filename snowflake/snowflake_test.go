package snowflake_test

import (
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
	got, want := snowflake.SetDefaultFromEnv(nil), ids.SetDefaultSnowflakeNodeFromEnv(nil)
	if got == nil || want == nil || got.Error() != want.Error() {
		t.Errorf("got %v, want %v", got, want)
	}
}
