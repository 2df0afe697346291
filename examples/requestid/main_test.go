package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

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
	r, err := http.NewRequest(http.MethodGet, s.URL+"/path", nil)
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

// TestManyRequests sends 2,000 requests from 8 clients at a time. Their ids must be distinct,
// in order for each client, and in the log, both in what the handler logs and in what the
// middleware does.
func TestManyRequests(t *testing.T) {
	const clients, each = 8, 250
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
		case r.Msg == "request" && r.Method == http.MethodGet && r.Path == "/path" && r.Status == 200:
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
	r, _ := http.NewRequest(http.MethodGet, "http://"+listener.Addr().String(), nil)
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
