//go:build go1.27

package compare

// The benchmarks of Go 1.27's package uuid.

import (
	"testing"
	"testing/cryptotest"
	"uuid"
)

func init() {
	id := uuid.UUID(sampleUUID)
	std = map[string]entry{
		"New/V4":          one("std", uuid.NewV4),
		"New/V7":          one("std", uuid.NewV7),
		"String/UUID":     one("std", id.String),
		"AppendText/UUID": appended("std", func(buf []byte) []byte { buf, _ = id.AppendText(buf); return buf }),
		"Parse/UUID":      readText("std", uuid.Parse, good.uuid),
		"ParseBad/UUID":   readText("std", uuid.Parse, bad.uuid),
	}
	stdCells = map[string]func(t *testing.T) bool{
		"UUID versions": func(*testing.T) bool { return uuid.NewV4()[6]>>4 == 4 && uuid.NewV7()[6]>>4 == 7 },
		"order": func(t *testing.T) bool {
			return !ascends(t, func() (uuid.UUID, error) { return uuid.NewV7(), nil })
		},
		"bytes": func(*testing.T) bool { id := uuid.NewV4(); return len(id[:]) == 16 },
		"fixed": func(t *testing.T) bool {
			cryptotest.SetGlobalRandom(t, 1)
			one := uuid.NewV4()
			cryptotest.SetGlobalRandom(t, 1)
			return uuid.NewV4() == one
		},
	}
}
