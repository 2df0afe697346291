package with

import (
	"context"
	"log/slog"
	"testing"

	"github.com/oneclock/ids/snowflake"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/log/embedded"
)

// A logged contains logged values by name.
type logged map[string]string

type provider struct {
	embedded.LoggerProvider
	logged
}

type logger struct {
	embedded.Logger
	logged
}

func (p provider) Logger(string, ...log.LoggerOption) log.Logger { return logger{logged: p.logged} }

func (logger) Enabled(context.Context, log.EnabledParameters) bool { return true }

func (l logger) Emit(_ context.Context, r log.Record) {
	r.WalkAttributes(func(a attribute.KeyValue) bool {
		l.logged[string(a.Key)] = a.Value.String()
		return true
	})
}

// OpenTelemetry's bridge checks the kind of a value before its text.
func TestOtelslog(t *testing.T) {
	got := logged{}
	l := otelslog.NewLogger("shop", otelslog.WithLoggerProvider(provider{logged: got}))
	l.Info("made", "value", id, "number", snowflake.ID(7), slog.String("id", id.String()))
	equal(t, got, logged{
		"value":  "[1,127,34,226,121,176,124,195,152,196,220,12,12,7,57,143]",
		"number": "unhandled: (ids.Snowflake) 7",
		"id":     id.String(),
	})
}
