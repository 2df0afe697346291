package ids_test

// The speed of the functions that are called most. Package internal/lab/compare measures every
// constructor and codec, together with other libraries.

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
)

func BenchmarkNewV7(b *testing.B) {
	for b.Loop() {
		ids.NewV7()
	}
}

func BenchmarkNewULID(b *testing.B) {
	for b.Loop() {
		ids.NewULID()
	}
}

// BenchmarkSnowflake uses a layout whose ticks are never full, so no call waits.
func BenchmarkSnowflake(b *testing.B) {
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: ids.SnowflakeLayout{
		Epoch: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 4, SequenceBits: 18,
	}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n.Next()
	}
}

func BenchmarkParseUUID(b *testing.B) {
	for b.Loop() {
		ids.ParseUUID(edgeUUID)
	}
}
