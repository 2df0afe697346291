package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/uuid"
)

// A record is a line of the log.
type record struct {
	Msg, Method, Path string
	Status            int
	RequestID         string `json:"request_id"`
}

// A server is a real one on loopback, with its log.
type server struct {
	*httptest.Server
	log lockedBuffer
}

// lockedBuffer is the log: a request is logged after its answer is sent, so reading meets writing.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// newServer starts a server that trusts everybody or nobody.
func newServer(t *testing.T, trusting bool, handler func(*slog.Logger) http.Handler) *server {
	t.Helper()
	s := new(server)
	log := slog.New(logHandler{slog.NewJSONHandler(&s.log, nil)})
	s.Server = httptest.NewUnstartedServer(Middleware(handler(log), Options{
		Log:   log,
		Trust: func(*http.Request) bool { return trusting },
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// get sends a request with some values of the header and returns the answer.
func (s *server) get(t *testing.T, ids ...string) (status int, id, body string) {
	t.Helper()
	r, err := http.NewRequest("GET", s.URL+"/path", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		r.Header.Add(header, id)
	}
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get(header), string(b)
}

// records stops the server and returns its log.
func (s *server) records(t *testing.T) (records []record) {
	t.Helper()
	s.Close() // waits until all requests are logged
	for line := range strings.Lines(s.log.String()) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%.400s: %v", line, err)
		}
		records = append(records, r)
	}
	return records
}

// TestManyRequests sends 10,000 requests from 8 clients at a time. Their ids must be distinct,
// in order for each client, and in the log, both in what the handler logs and in what the
// middleware does.
func TestManyRequests(t *testing.T) {
	const clients, each = 8, 1250
	s := newServer(t, false, hello)
	s.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	var (
		wg  sync.WaitGroup
		all [clients][]string
	)
	for i := range clients {
		wg.Go(func() {
			for range each {
				answer, err := s.Client().Get(s.URL + "/path")
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				id := answer.Header.Get(header)
				if err != nil || string(body) != "hello, request "+id+"\n" {
					t.Errorf("%.200q for request %.200s, %v", body, id, err)
				}
				all[i] = append(all[i], id)
			}
		})
	}
	wg.Wait()

	type seen struct{ working, request int }
	logged := map[string]seen{}
	for _, r := range s.records(t) {
		n := logged[r.RequestID]
		switch {
		case r.Msg == "working":
			n.working++
		case r.Msg == "request" && r.Method == "GET" && r.Path == "/path" && r.Status == 200:
			n.request++
		default:
			t.Errorf("in the log: %+v", r)
		}
		logged[r.RequestID] = n
	}
	if len(logged) != clients*each {
		t.Errorf("the log has %d ids, want %d", len(logged), clients*each)
	}
	distinct := map[string]bool{}
	for _, ids := range all {
		var last uuid.UUID
		for _, text := range ids {
			id, err := uuid.Parse(text)
			if err != nil || id.Version() != 7 || id.String() != text {
				t.Fatalf("%q is not a UUID of version 7: %v", text, err)
			}
			if id.Compare(last) <= 0 {
				t.Errorf("%v came after %v", id, last)
			}
			last = id
			distinct[text] = true
			if logged[text] != (seen{1, 1}) {
				t.Errorf("%s is in the log as %+v", text, logged[text])
			}
		}
	}
	if len(distinct) != clients*each {
		t.Errorf("%d distinct ids among %d requests", len(distinct), clients*each)
	}
}

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

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		given []string
		want  string
	}{
		{[]string{"mine"}, "ids: parsing UUID: "},
		{[]string{""}, "ids: parsing UUID: "},
		{[]string{theirs[:35] + "g"}, "at byte 35"},
		{[]string{strings.Repeat("f", 5000)}, "ids: parsing UUID: "},
		{[]string{theirs, theirs}, "there are 2 of them, not one"},
		{[]string{theirs + "," + theirs}, "ids: parsing UUID: "},
		{[]string{uuid.Nil().String()}, "not of RFC 9562"},
		{[]string{uuid.Max().String()}, "not of RFC 9562"},
		{[]string{"<script>alert(1)</script>"}, "ids: parsing UUID: "},
	} {
		s := newServer(t, true, func(*slog.Logger) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Errorf("%.40q reached the handler", test.given) })
		})
		status, text, body := s.get(t, test.given...)
		if status != 400 || !strings.HasPrefix(body, "bad X-Request-Id: ") || !strings.Contains(body, test.want) || len(body) > 200 {
			t.Errorf("%.40q: status %d, %.200q", test.given, status, body)
		}
		if test.given[0] != "" && strings.Contains(body, test.given[0]) {
			t.Errorf("%.40q is repeated in %.200q", test.given, body)
		}
		id, err := uuid.Parse(text)
		if err != nil || id.Version() != 7 {
			t.Errorf("%.40q: the answer has the id %.200q: %v", test.given, text, err)
		}
		if log := s.records(t); len(log) != 1 || log[0].Status != 400 || log[0].RequestID != text {
			t.Errorf("%.40q: in the log: %.400s", test.given, fmt.Sprintf("%+v", log))
		}
		// Of one who is not trusted, the same is ignored.
		s = newServer(t, false, hello)
		if status, id, _ := s.get(t, test.given...); status != 200 || id == test.given[0] {
			t.Errorf("%.40q of one not trusted: status %d, id %.200s", test.given, status, id)
		}
	}
	// Nor is a good one taken.
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
			w.WriteHeader(404)
		}, 404},
		"twice": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(201)
			w.WriteHeader(500) // too late
		}, 201},
		"other protocol": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "other")
			w.WriteHeader(http.StatusSwitchingProtocols)
		}, 101},
		"written, then an error": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "part")
			w.WriteHeader(500) // too late
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

func TestTrustNetworks(t *testing.T) {
	trust, err := trustNetworks("10.0.0.0/8, fd00::/8,")
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]bool{
		"10.1.2.3:80": true, "[::ffff:10.1.2.3]:80": true, "[fd00::1]:80": true,
		"11.1.2.3:80": false, "[fe80::1]:80": false, "": false, "10.1.2.3": false, "@": false,
	} {
		if got := trust(&http.Request{RemoteAddr: from}); got != want {
			t.Errorf("%q is trusted: %v", from, got)
		}
	}
	for _, list := range []string{"10.0.0.0", "10.0.0.0/33", "localhost", "10.0.0.0/8;fd00::/8"} {
		if _, err := trustNetworks(list); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}

// TestServe starts the program's own server and stops it.
func TestServe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	trust, err := trustNetworks("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- serve(ctx, listener, slog.New(slog.DiscardHandler), trust) }()
	r, _ := http.NewRequest("GET", "http://"+listener.Addr().String(), nil)
	r.Header.Set(header, theirs)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got := answer.Header.Get(header); got != theirs {
		t.Errorf("id %s, want %s", got, theirs)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := serve(t.Context(), listener, slog.New(slog.DiscardHandler), trust); err == nil {
		t.Error("serving on a closed listener succeeds")
	}
}
