package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/oneclock/ids/uuid"
)

// header carries the id of a request: from a trusted sender, and back in every response.
const header = "X-Request-Id"

// Options are the options of [Middleware].
type Options struct {
	// Log gets one record for each request. Nil means slog.Default().
	Log *slog.Logger

	// Trust reports whether the sender of a request may choose its id, as a proxy in front does.
	// The header of any other sender is ignored, for it could repeat the id of another request.
	// Nil trusts nobody.
	Trust func(*http.Request) bool
}

// Middleware gives each request an id, and logs the request. The handler next finds the id by
// [RequestID], the client in the header X-Request-Id. The id is a UUID of version 7, unless a
// trusted sender gives one. If it gives something else, the answer has status 400.
func Middleware(next http.Handler, opts Options) http.Handler {
	log := opts.Log
	if log == nil {
		log = slog.Default()
	}
	trust := opts.Trust
	if trust == nil {
		trust = func(*http.Request) bool { return false }
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id, bad := uuid.NewV7(), error(nil)
		if given := r.Header.Values(header); len(given) > 0 && trust(r) {
			if theirs, err := parse(given); err != nil {
				bad = err // the answer has an id of ours
			} else {
				id = theirs
			}
		}
		w.Header().Set(header, id.String())
		r = r.WithContext(context.WithValue(r.Context(), key{}, id))
		answer := &recorder{ResponseWriter: w}

		// Deferred, so that a request whose handler panics is in the log too. Its status is 0 if it
		// got no answer.
		defer func() {
			log.InfoContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path, "status", answer.status, "took", time.Since(began))
		}()
		if bad != nil {
			http.Error(answer, "bad "+header+": "+bad.Error(), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(answer, r)
		if answer.status == 0 {
			answer.status = http.StatusOK // which net/http sends for a handler that sends nothing
		}
	})
}

// parse returns the id in the values of the header. The error is fit for the client: it does not
// repeat what was given, and counts characters from 1.
func parse(given []string) (uuid.UUID, error) {
	if len(given) > 1 {
		return uuid.UUID{}, fmt.Errorf("given %d times", len(given))
	}
	id, err := uuid.Parse(given[0])
	var bad *uuid.ParseError
	switch {
	case errors.Is(err, uuid.ErrLength):
		return uuid.UUID{}, fmt.Errorf("not a UUID: its length is %d, not 36", len(given[0]))
	case errors.As(err, &bad):
		return uuid.UUID{}, fmt.Errorf("not a UUID: character %d is wrong", bad.Offset()+1)
	case err == nil && id.Variant() != uuid.VariantRFC9562:
		return uuid.UUID{}, errors.New("not a UUID of RFC 9562: its 17th digit is not 8, 9, a or b")
	}
	return id, err
}

// key is the key of the id in a context.
type key struct{}

// RequestID returns the id of the request that ctx belongs to. Its second result is false if there
// is none.
func RequestID(ctx context.Context) (uuid.UUID, bool) {
	id, ok := ctx.Value(key{}).(uuid.UUID)
	return id, ok
}

// A recorder remembers the status of a response.
type recorder struct {
	http.ResponseWriter
	status int // 0: not yet sent
}

// WriteHeader implements [http.ResponseWriter].
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) { // any other below 200 only announces the answer
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] flush and set deadlines.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
