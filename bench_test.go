package ids_test

import (
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// What is called most. Package internal/lab/compare measures every constructor and codec, beside other libraries.

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

// BenchmarkSnowflake has a layout of which no tick is ever full, so that no call waits.
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
