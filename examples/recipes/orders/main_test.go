//go:build unix

package main

import (
	"bufio"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// asProgram is an environment variable that makes the program of the tests be the one that they test.
const asProgram = "RECIPE_ORDERS"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	m.Run()
}

// TestProgram starts the program without a number, with a wrong one and with a good one, and ends it by SIGTERM.
func TestProgram(t *testing.T) {
	for variable, says := range map[string]string{
		"IDS_OTHER=":              "IDS_SNOWFLAKE_NODE is not set",
		"IDS_SNOWFLAKE_NODE=1024": "not a number from 0 to 1023",
		"IDS_SNOWFLAKE_NODE=7":    "listening on 127.0.0.1:",
	} {
		cmd := exec.Command(os.Args[0], "-listen", "127.0.0.1:0")
		cmd.Env = []string{asProgram + "=1", variable}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		lines.Scan()
		_, address, serves := strings.Cut(lines.Text(), "listening on ")
		if !strings.Contains(lines.Text(), says) {
			t.Errorf("%s: says %q, want %q", variable, lines.Text(), says)
		}
		if serves {
			resp, err := http.Post("http://"+address+"/orders", "", strings.NewReader(`{"user":"user_01h455vb4pf0cttv1ysd4n9fnt"}`))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"parent":null`) {
				t.Errorf("%d %s (%v)", resp.StatusCode, body, err)
			}
			cmd.Process.Signal(syscall.SIGTERM)
		}
		for lines.Scan() {
			t.Errorf("%s: says also %q", variable, lines.Text())
		}
		if err := cmd.Wait(); (err == nil) != serves {
			t.Errorf("%s: %v", variable, err)
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
		{"GET", "/orders/99999999999999999999", "", 400},
		{"POST", "/orders", `{"user":` + good + `,"parent":` + id + `,"items":[` + id + `]}`, 200},
		{"POST", "/orders", `{"user":` + id + `}`, 400},
		{"POST", "/orders", `{"user":"invoice_01h455vb4pf0cttv1ysd4n9fnt"}`, 400}, // of another kind
		{"POST", "/orders", `{"user":"secret"}`, 400},
		{"POST", "/orders", `{"user":17}`, 400}, // these two have errors of encoding/json
		{"POST", "/orders", `{"user":{}}`, 400},
		{"POST", "/orders", `{"user":null}`, 400},
		{"POST", "/orders", `{}`, 400},
		{"POST", "/orders", `{"user":` + good + `,"parent":7}`, 400},
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
