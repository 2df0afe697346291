package main

import (
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/oneclock/ids/nodelease"
)

// metrics returns a registry for Prometheus and what fills it. Numbers held are
// nodelease_seconds_count{kind="began"} - nodelease_seconds_count{kind="ended"}.
func metrics() (*prometheus.Registry, func(nodelease.Event)) {
	registry := prometheus.NewRegistry()
	seconds := promauto.With(registry).NewSummaryVec(prometheus.SummaryOpts{
		Name: "nodelease_seconds", Help: "Events of the minter, and how long what they report took.",
	}, []string{"kind"})
	return registry, func(e nodelease.Event) { seconds.WithLabelValues(e.Kind.String()).Observe(e.Took.Seconds()) }
}

// gauges adds to a registry what a Minter tells of itself. The alarms for each are in alarms.yml.
func gauges(registry *prometheus.Registry, stats func() nodelease.Stats) {
	add := func(name, help string, value func(nodelease.Stats) float64) {
		promauto.With(registry).NewGaugeFunc(prometheus.GaugeOpts{Name: "nodelease_" + name, Help: help}, func() float64 { return value(stats()) })
	}
	seconds := func(name, help string, value func(nodelease.Stats) time.Duration) {
		add(name+"_seconds", help, func(s nodelease.Stats) float64 { return value(s).Seconds() })
	}
	add("node", "The node number under which ids can be minted, or -1.", func(s nodelease.Stats) float64 { return float64(s.Node) })
	seconds("deadline", "How long minting goes on without the store.", func(s nodelease.Stats) time.Duration { return s.Deadline })
	seconds("mark_ahead", "How far the mark is ahead of the clock.", func(s nodelease.Stats) time.Duration { return s.MarkAhead })
	seconds("latest_ahead", "How far the latest id is ahead of the clock.", func(s nodelease.Stats) time.Duration { return s.LatestAhead })
	add("free", "How many numbers were free when this process took its own.", func(s nodelease.Stats) float64 {
		if s.Free < 0 {
			return math.NaN() // not known
		}
		return float64(s.Free)
	})
}

// ready answers a readiness probe: 200 while ids can be minted, and 503 otherwise.
func ready(m *nodelease.Minter) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := m.Node(); !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
}
