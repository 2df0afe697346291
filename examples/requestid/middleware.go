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

	// Trust reports whether the sender of a request may give it an id, as a proxy in front may,
	// which has given one already. From all others the header is ignored: they could pass off
	// their requests as requests of others. Nil trusts nobody.
	Trust func(*http.Request) bool
}

// Middleware gives each request an id, which next finds by [RequestID] and the client in the
// header X-Request-Id, and logs it. The id is a UUID of version 7, or that which a trusted
// sender gives. If that is not a UUID, the request is answered with status 400.
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
				bad = err // and the answer has an id of ours
			} else {
				id = theirs
			}
		}
		w.Header().Set(header, id.String())
		r = r.WithContext(context.WithValue(r.Context(), key{}, id))
		answer := &recorder{ResponseWriter: w}

		// Deferred, so that a request whose handler panics is in the log as well: with status 0
		// if it got no answer.
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

// parse returns the id in the values of the header.
func parse(given []string) (uuid.UUID, error) {
	if len(given) > 1 {
		return uuid.UUID{}, fmt.Errorf("there are %d of them, not one", len(given))
	}
	id, err := uuid.Parse(given[0])
	if err != nil {
		return uuid.UUID{}, err // which does not repeat what was given
	}
	if id.Variant() != uuid.VariantRFC9562 {
		return uuid.UUID{}, errors.New("a UUID, but not of RFC 9562: its 17th digit is not 8, 9, a or b")
	}
	return id, nil
}

// key is the key of the id in a context.
type key struct{}

// RequestID returns the id of the request whose context ctx is or derives from, and whether
// there is one.
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
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) { // the others only announce the answer
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
