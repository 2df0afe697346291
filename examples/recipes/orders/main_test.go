//go:build unix

package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/examples/internal/program"
)

func TestMain(m *testing.M) { program.Main(m, main) }

// TestProgram starts the program without a number, with a wrong one and with a good one, and ends it by SIGTERM.
func TestProgram(t *testing.T) {
	for variable, says := range map[string]string{
		"IDS_OTHER=":              "IDS_SNOWFLAKE_NODE is not set",
		"IDS_SNOWFLAKE_NODE=1024": "not a number from 0 to 1023",
		"IDS_SNOWFLAKE_NODE=7":    "listening on 127.0.0.1:",
	} {
		p := program.Start(t, variable, "-listen", "127.0.0.1:0")
		p.Err.Scan()
		_, address, serves := strings.Cut(p.Err.Text(), "listening on ")
		if !strings.Contains(p.Err.Text(), says) {
			t.Errorf("%s: says %q, want %q", variable, p.Err.Text(), says)
		}
		if serves {
			resp, err := http.Post("http://"+address+"/orders", "", strings.NewReader(`{"user":"user_01h455vb4pf0cttv1ysd4n9fnt"}`))
			must.Do(t, err)
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"parent":null`) {
				t.Errorf("%d %s (%v)", resp.StatusCode, body, err)
			}
			p.Signal(syscall.SIGTERM)
		}
		if out, says, err := p.End(); out+says != "" || (err == nil) != serves {
			t.Errorf("%s: ends with %v, says also %q", variable, err, out+says)
		}
	}
}

// TestBadIDs checks that the answer to each bad id has status 400, and does not repeat it.
func TestBadIDs(t *testing.T) {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	const good, id = `"user_01h455vb4pf0cttv1ysd4n9fnt"`, `"017f22e2-79b0-7cc3-98c4-dc0c0c07398f"`
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/orders/1541815603606036480", "", 200},
		{"GET", "/orders/secret", "", 400},
		{"POST", "/orders", `{"user":` + good + `,"parent":` + id + `,"items":[` + id + `]}`, 200},
		{"POST", "/orders", `{"user":"invoice_01h455vb4pf0cttv1ysd4n9fnt"}`, 400}, // of another kind
		{"POST", "/orders", `{"user":"secret"}`, 400},
		{"POST", "/orders", `{"user":{}}`, 400}, // which has an error of encoding/json
		{"POST", "/orders", `{"user":null}`, 400},
		{"POST", "/orders", `{}`, 400},
		{"POST", "/orders", `{"user":` + good + `,"parent":""}`, 400},
		{"POST", "/orders", `{"user":` + good + `,"items":["secret"]}`, 400},
		{"POST", "/orders", `{"user":` + good + `,"items":[` + id + `,null]}`, 400},
		{"POST", "/orders", `{"user":`, 400},
		{"POST", "/orders", `{"user":"` + strings.Repeat("1", 1<<17) + `"}`, 400},
	} {
		w := httptest.NewRecorder()
		routes().ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
		if w.Code != test.status || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s %s %.80s: %d %q, want %d", test.method, test.path, test.body, w.Code, w.Body, test.status)
		}
	}
}
