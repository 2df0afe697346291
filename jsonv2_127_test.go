//go:build goexperiment.jsonv2 && go1.27

// The package is not an experiment any more. Only a file of its own, which demands that version,
// may import it in a module of an earlier one.

package ids_test

import "encoding/json/v2"

func init() {
	jsons = append(jsons, jsonVersion{jsonV2, func(v any) ([]byte, error) { return json.Marshal(v) },
		func(data []byte, into any) error { return json.Unmarshal(data, into) }})
}
