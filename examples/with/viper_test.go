package with

import (
	"strings"
	"testing"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
	"github.com/spf13/viper"
)

type settings struct {
	Tenant uuid.UUID
	Parent uuid.Null
	Peers  []uuid.UUID
	Wait   time.Duration
}

// decodeHook makes viper read ids, and durations as it does without a hook.
var decodeHook = viper.DecodeHook(mapstructure.ComposeDecodeHookFunc(
	mapstructure.StringToTimeDurationHookFunc(), mapstructure.TextUnmarshallerHookFunc()))

// Without the hook an id is an error; with it ids, Nulls, lists of YAML and durations are read.
func TestViper(t *testing.T) {
	v := viper.New()
	v.SetConfigType("yaml")
	s := id.String()
	must.Do(t, v.ReadConfig(strings.NewReader("tenant: "+s+"\nparent: "+s+"\npeers: ["+s+"]\nwait: 3s\n")))
	var got settings
	refused(t, v.Unmarshal(&got))
	got = settings{}
	must.Do(t, v.Unmarshal(&got, decodeHook))
	equal(t, got, settings{id, parent, []uuid.UUID{id}, 3 * time.Second})

	// The hook for text alone takes the place of viper's own, which read durations.
	refused(t, v.Unmarshal(&settings{}, viper.DecodeHook(mapstructure.TextUnmarshallerHookFunc())))
}
