package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/uuid"
)

func TestLogHandler(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(logHandler{slog.NewTextHandler(&out, nil)})
	ctx := context.WithValue(context.Background(), key{}, uuid.Max())
	log.With("a", 1).InfoContext(ctx, "in a request")
	log.WithGroup("g").InfoContext(ctx, "in a group")
	log.Info("in no request")
	for _, want := range []string{
		`msg="in a request" a=1 request_id=ffffffff-ffff-ffff-ffff-ffffffffffff` + "\n",
		`msg="in a group" g.request_id=ffffffff-ffff-ffff-ffff-ffffffffffff` + "\n",
		`msg="in no request"` + "\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &out)
		}
	}
}

// TestSharedRecord checks that a record can be handled twice, as by two handlers: the second
// must not overwrite what the first adds.
func TestSharedRecord(t *testing.T) {
	var out bytes.Buffer
	handler := logHandler{slog.NewTextHandler(&out, nil)}
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, "shared", 0)
	for i := range 8 { // more than a record holds in itself, and not what fills the room behind them
		r.AddAttrs(slog.Int("a", i))
	}
	for _, id := range []uuid.UUID{uuid.Nil(), uuid.Max()} {
		if err := handler.Handle(context.WithValue(t.Context(), key{}, id), r); err != nil {
			t.Error(err)
		}
		if line := out.String(); !strings.HasSuffix(line, "a=7 request_id="+id.String()+"\n") {
			t.Errorf("%s is logged as %s", id, line)
		}
		out.Reset()
	}
}
