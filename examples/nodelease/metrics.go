package main

import (
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
