//go:build go1.27

package compare

import "uuid"

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
}
