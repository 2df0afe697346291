package compare

import (
	"testing"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

// The sample ids as the other libraries have them.
var (
	sampleGoogle   = google.UUID(sampleUUID)
	sampleGofrs    = gofrs.UUID(sampleUUID)
	sampleOklog    = oklog.ULID(sampleULID)
	sampleBwmarrin = bwmarrin.ID(sampleSnowflake)
	sampleXID      = must(xid.FromString(sampleXIDText))
	sampleKSUID    = must(ksuid.Parse(sampleKSUIDText))
)

// BenchmarkString writes an id into a string of its own.
func BenchmarkString(b *testing.B) {
	runGroups(b, "String", []group{
		{"UUID", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					sink = sampleUUID.String()
				}
			}},
			{"google", func(b *testing.B) {
				for b.Loop() {
					sink = sampleGoogle.String()
				}
			}},
			{"gofrs", func(b *testing.B) {
				for b.Loop() {
					sink = sampleGofrs.String()
				}
			}},
		}},
		{"ULID", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					sink = sampleULID.String()
				}
			}},
			{"oklog", func(b *testing.B) {
				for b.Loop() {
					sink = sampleOklog.String()
				}
			}},
			{"xid", func(b *testing.B) {
				for b.Loop() {
					sink = sampleXID.String()
				}
			}},
			{"ksuid", func(b *testing.B) {
				for b.Loop() {
					sink = sampleKSUID.String()
				}
			}},
		}},
		{"Snowflake", []entry{
			appendInt,
			{"ids", func(b *testing.B) {
				for b.Loop() {
					sink = sampleSnowflake.String()
				}
			}},
			{"bwmarrin", func(b *testing.B) {
				for b.Loop() {
					sink = sampleBwmarrin.String()
				}
			}},
		}},
	})
}

// BenchmarkBase58 writes a Snowflake in Base58.
func BenchmarkBase58(b *testing.B) {
	runGroups(b, "Base58", []group{{"Snowflake", []entry{
		{"ids", func(b *testing.B) {
			for b.Loop() {
				sink = sampleSnowflake.Base58()
			}
		}},
		{"bwmarrin", func(b *testing.B) {
			for b.Loop() {
				sink = sampleBwmarrin.Base58()
			}
		}},
	}}})
}

// BenchmarkAppendText writes an id into a buffer that is there already, or as near to it as a
// library comes: google and gofrs have only MarshalText, which makes a buffer.
func BenchmarkAppendText(b *testing.B) {
	buf := make([]byte, 0, 64)
	runGroups(b, "AppendText", []group{
		{"UUID", []entry{
			hexEncode5,
			{"ids", func(b *testing.B) {
				for b.Loop() {
					sampleUUID.AppendText(buf)
				}
			}},
			{"google", func(b *testing.B) {
				for b.Loop() {
					sinkBytes, _ = sampleGoogle.MarshalText()
				}
			}},
			{"gofrs", func(b *testing.B) {
				for b.Loop() {
					sinkBytes, _ = sampleGofrs.MarshalText()
				}
			}},
		}},
		{"ULID", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					sampleULID.AppendText(buf)
				}
			}},
			{"oklog", func(b *testing.B) {
				for b.Loop() {
					sampleOklog.MarshalTextTo(buf[:oklog.EncodedSize])
				}
			}},
			{"xid", func(b *testing.B) {
				for b.Loop() {
					sampleXID.Encode(buf[:20])
				}
			}},
			{"ksuid", func(b *testing.B) {
				for b.Loop() {
					sampleKSUID.Append(buf)
				}
			}},
		}},
		{"Snowflake", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					sampleSnowflake.AppendText(buf)
				}
			}},
			{"bwmarrin", func(b *testing.B) {
				for b.Loop() {
					sinkBytes = sampleBwmarrin.Bytes()
				}
			}},
		}},
	})
}
