//go:build goexperiment.jsonv2 && !go1.27

package ids_test

// Package encoding/json/v2, as an experiment.

import "encoding/json/v2"

// Package encoding/json/v2 as an experiment.
func init() {
	jsons = append(jsons, jsonVersion{jsonV2, func(v any) ([]byte, error) { return json.Marshal(v) },
		func(data []byte, into any) error { return json.Unmarshal(data, into) }})
}
