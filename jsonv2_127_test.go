//go:build goexperiment.jsonv2 && go1.27

// Package encoding/json/v2, which is no longer an experiment. Only a separate file that requires
// this Go version may import it in a module of an earlier version.

package ids_test

import "encoding/json/v2"

func init() {
	jsons = append(jsons, jsonVersion{jsonV2, func(v any) ([]byte, error) { return json.Marshal(v) },
		func(data []byte, into any) error { return json.Unmarshal(data, into) }})
}
