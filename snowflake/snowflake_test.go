package snowflake_test

import (
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
