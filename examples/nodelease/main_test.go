package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/memstore"
)

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                                   "either -etcd or -postgres",
		"-etcd a:1 -postgres postgres://h/d": "either -etcd or -postgres",
		"-etcd a:1 x":                        "unexpected argument",
		"-etcd a:1 -ttl 10ms":                "Options.TTL 10ms",
	} {
		c, err := parse(strings.Fields(args), io.Discard)
		if err == nil {
			err = run(t.Context(), c, io.Discard)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", args, err, want)
		}
	}
}

// TestPage checks that the page contains an exact copy of the program's function work.
func TestPage(t *testing.T) {
	program, err := os.ReadFile("main.go")
	must.Do(t, err)
	_, after, _ := strings.Cut(string(program), "// work generates IDs")
	text, err := os.ReadFile("../../nodelease/README.md")
	if err != nil || !strings.Contains(string(text), "```go\n// work generates IDs"+after+"```\n") {
		t.Errorf("the page does not show the function work of main.go as it is: %v", err)
	}
}

func TestMetrics(t *testing.T) {
	registry, observe := metrics()
	observe(nodelease.Event{Kind: nodelease.Began})
	observe(nodelease.Event{Kind: nodelease.Renewed, Took: time.Second})
	observe(nodelease.Event{Kind: nodelease.Renewed, Took: 2 * time.Second})
	families, err := registry.Gather()
	must.Do(t, err)
	text := strings.ReplaceAll(fmt.Sprint(families), "  ", " ")
	for _, want := range []string{"nodelease_seconds", `"began"`, "sample_count:2 sample_sum:3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: lacks %q", text, want)
		}
	}
}

// TestAlarms sets the gauges to normal values, and to values for each of which there is one alarm.
func TestAlarms(t *testing.T) {
	file, err := os.ReadFile("alarms.yml")
	must.Do(t, err)
	alarms := regexp.MustCompile(`alert: (\w+).*\n +expr: (\w+) ([<>]) (\d+)( unless nodelease_withheld > 0)?\n`).FindAllStringSubmatch(string(file), -1)
	if n := strings.Count(string(file), "expr:"); len(alarms) != n || n == 0 {
		t.Fatalf("alarms.yml has %d alarms, of which %d are read", n, len(alarms))
	}
	well := nodelease.Stats{
		Number: 17, Held: true, Deadline: 8 * time.Second, HorizonAhead: time.Minute, Free: 900, FreeKnown: true,
	}
	unknown, none, silent, far, ahead, few := well, well, well, well, well, well
	unknown.Free, unknown.FreeKnown = 0, false
	// As Stats returns it without a number.
	none = nodelease.Stats{Err: nodelease.ErrLost, Free: 900, FreeKnown: true}
	silent.Deadline = 4 * time.Second
	far.HorizonAhead = 25 * time.Hour
	ahead.LatestAhead = 2 * time.Minute
	few.Free = 20
	for _, test := range []struct {
		stats nodelease.Stats
		want  string
	}{
		{well, ""}, {unknown, ""}, {none, "NodeleaseWithoutIDs"}, {silent, "NodeleaseStoreSilent"}, {far, "NodeleaseHorizonFarAhead"},
		{ahead, "NodeleaseIdsAhead"}, {few, "NodeleaseFewFree"},
	} {
		registry, _ := metrics()
		gauges(registry, func() nodelease.Stats { return test.stats })
		families, err := registry.Gather()
		must.Do(t, err)
		values := map[string]float64{}
		for _, f := range families {
			values[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
		}
		var fired []string
		for _, a := range alarms {
			value, ok := values[a[2]]
			limit, err := strconv.ParseFloat(a[4], 64)
			if err != nil || !ok {
				t.Fatalf("%s: no gauge %s, %v", a[1], a[2], err)
			}
			delete(values, a[2])
			if (a[3] == "<" && value < limit || a[3] == ">" && value > limit) && (a[5] == "" || test.stats.Err == nil) {
				fired = append(fired, a[1])
			}
		}
		if got := strings.Join(fired, " "); got != test.want {
			t.Errorf("%+v: %q, want %q", test.stats, got, test.want)
		}
		if len(values) > 0 {
			t.Errorf("no alarm for %v", values)
		}
	}
}

// TestReady probes a program while it has a number, and afterwards.
func TestReady(t *testing.T) {
	m, err := nodelease.NewMinter(memstore.New(1, time.Minute), nil)
	must.Do(t, err)
	_, err = m.NextContext(t.Context())
	must.Do(t, err)
	for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		r := httptest.NewRecorder()
		ready(m)(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/ready", nil))
		if r.Code != want {
			t.Errorf("status %d, want %d", r.Code, want)
		}
		must.Do(t, m.Close())
	}
}
