//go:build go1.27

package compare

import (
	"testing"
	"uuid"
)

var sampleStd = uuid.UUID(sampleUUID)

func init() {
	for at, run := range map[string]func(b *testing.B){
		"New/V4": func(b *testing.B) {
			for b.Loop() {
				uuid.NewV4()
			}
		},
		"New/V7": func(b *testing.B) {
			for b.Loop() {
				uuid.NewV7()
			}
		},
		"String/UUID": func(b *testing.B) {
			for b.Loop() {
				sink = sampleStd.String()
			}
		},
		"AppendText/UUID": func(b *testing.B) {
			buf := make([]byte, 0, 64)
			for b.Loop() {
				sampleStd.AppendText(buf)
			}
		},
		"Parse/UUID": func(b *testing.B) {
			for b.Loop() {
				uuid.Parse(good.uuid)
			}
		},
		"ParseBad/UUID": func(b *testing.B) {
			for b.Loop() {
				uuid.Parse(bad.uuid)
			}
		},
		"MarshalJSON/UUID":   marshal("std", sampleStd).run,
		"UnmarshalJSON/UUID": unmarshal("std", sampleStd).run,
		"Scan/UUIDText":      scan[uuid.UUID]("std", []byte(sampleUUIDText)).run,
		"Scan/UUIDBytes":     scan[uuid.UUID]("std", sampleUUID[:]).run,
	} {
		stdEntries[at] = entry{"std", run}
	}
}
