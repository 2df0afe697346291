package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/oneclock/ids/uuid"
)

const theirs = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

func TestTrusted(t *testing.T) {
	for _, given := range []string{theirs, strings.ToUpper(theirs), "urn:uuid:" + theirs, "919108f7-52d1-4320-9bac-f847db4148a8"} {
		s := newServer(t, true, hello)
		want, _ := uuid.Parse(given)
		status, id, body := s.get(t, given)
		if status != 200 || id != want.String() || body != "hello, request "+want.String()+"\n" {
			t.Errorf("%s: status %d, id %s, %q", given, status, id, body)
		}
		for _, r := range s.records(t) {
			if r.RequestID != want.String() {
				t.Errorf("%s: in the log: %+v", given, r)
			}
		}
	}
}

// TestRefused checks the answer to a bad id of a trusted sender, exactly: it repeats nothing of the id.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		given []string
		want  string
	}{
		{[]string{"mine"}, "not a UUID: its length is 4, not 36"},
		{[]string{""}, "not a UUID: its length is 0, not 36"},
		{[]string{theirs[:35] + "g"}, "not a UUID: character 36 is wrong"},
		{[]string{"g" + theirs[1:]}, "not a UUID: character 1 is wrong"},
		{[]string{strings.Repeat("f", 5000)}, "not a UUID: its length is 5000, not 36"},
		{[]string{theirs, theirs}, "given 2 times"},
		{[]string{theirs + "," + theirs}, "not a UUID: its length is 73, not 36"},
		{[]string{uuid.Nil().String()}, "not a UUID of RFC 9562: its 17th digit is not 8, 9, a or b"},
		{[]string{uuid.Max().String()}, "not a UUID of RFC 9562: its 17th digit is not 8, 9, a or b"},
		{[]string{"<script>alert(1)</script>"}, "not a UUID: its length is 25, not 36"},
	} {
		s := newServer(t, true, func(*slog.Logger) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Errorf("%.40q reached the handler", test.given) })
		})
		status, text, body := s.get(t, test.given...)
		if want := "bad X-Request-Id: " + test.want + "\n"; status != 400 || body != want {
			t.Errorf("%.40q: status %d, %.200q, want %q", test.given, status, body, want)
		}
		id, err := uuid.Parse(text)
		if err != nil || id.Version() != 7 {
			t.Errorf("%.40q: the answer has the id %.200q: %v", test.given, text, err)
		}
		if log := s.records(t); len(log) != 1 || log[0].Status != 400 || log[0].RequestID != text {
			t.Errorf("%.40q: in the log: %.400s", test.given, fmt.Sprintf("%+v", log))
		}
		// From a sender who is not trusted, the same is ignored.
		s = newServer(t, false, hello)
		if status, id, _ := s.get(t, test.given...); status != 200 || id == test.given[0] {
			t.Errorf("%.40q of one not trusted: status %d, id %.200s", test.given, status, id)
		}
	}
	// A good id is ignored too.
	s := newServer(t, false, hello)
	if status, id, _ := s.get(t, theirs); status != 200 || id == theirs {
		t.Errorf("a good id of one not trusted: status %d, id %s", status, id)
	}
}

// TestStatus checks that the log has the status of the answer, whatever the handler does.
func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		handle http.HandlerFunc
		want   int
	}{
		"nothing": {func(http.ResponseWriter, *http.Request) {}, 200},
		"early hints": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusNotFound)
		}, 404},
		"twice": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusInternalServerError) // too late
		}, 201},
		"other protocol": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "other")
			w.WriteHeader(http.StatusSwitchingProtocols)
		}, 101},
		"written, then an error": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "part")
			w.WriteHeader(http.StatusInternalServerError) // too late
		}, 200},
		"flush": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "part")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}, 200},
		"panic": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0},
	} {
		s := newServer(t, false, func(*slog.Logger) http.Handler { return test.handle })
		answer, err := s.Client().Get(s.URL)
		if err == nil {
			answer.Body.Close()
		}
		if (err == nil) != (test.want != 0) {
			t.Errorf("%s: %v", name, err)
		}
		if log := s.records(t); len(log) != 1 || log[0].Status != test.want || log[0].RequestID == "" {
			t.Errorf("%s: in the log: %+v", name, log)
		}
	}
}
