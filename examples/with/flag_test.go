package with

import (
	"encoding"
	"flag"
	"io"
	"testing"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/spf13/pflag"
)

// TextVar of flag and pflag takes every kind.
func TestFlags(t *testing.T) {
	std := flag.NewFlagSet("std", flag.ContinueOnError)
	std.SetOutput(io.Discard)
	posix := pflag.NewFlagSet("posix", pflag.ContinueOnError)
	for _, f := range []interface {
		TextVar(p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string)
		Parse([]string) error
	}{std, posix} {
		var u uuid.UUID
		var l ulid.ULID
		var s snowflake.ID
		f.TextVar(&u, "id", uuid.Nil(), "of the order")
		f.TextVar(&l, "event", ulid.ULID{}, "of the event")
		f.TextVar(&s, "number", snowflake.ID(7), "of the order")
		must(t, f.Parse([]string{"--id", id.String(), "--event", event.String()}))
		equal(t, u, id)
		equal(t, l, event)
		equal(t, s, 7)
		refused(t, f.Parse([]string{"--id", "1"}))
	}
}
