package main

import (
	"context"
	"log/slog"
)

// logHandler adds the id of the request to each record that is logged with its context, as
// slog.InfoContext does. A search for the id then finds everything that was logged for the request.
type logHandler struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := RequestID(ctx); ok {
		r = r.Clone() // other handlers may hold r too
		r.AddAttrs(slog.String("request_id", id.String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
