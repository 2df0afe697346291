package compare

// Benchmarks of text forms.

import (
	"testing"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

// The sample IDs, as each library represents them.
var (
	sampleUUID      = ids.MustParseUUID(good.uuid)
	sampleULID      = ids.MustParseULID(good.ulid)
	sampleSnowflake = ids.MustParseSnowflake(good.snowflake)
	sampleGoogle    = google.UUID(sampleUUID)
	sampleGofrs     = gofrs.UUID(sampleUUID)
	sampleOklog     = oklog.ULID(sampleULID)
	sampleBwmarrin  = bwmarrin.ID(sampleSnowflake)
	sampleXID       = must(xid.FromString(good.xid))
	sampleKSUID     = must(ksuid.Parse(good.ksuid))
)

// BenchmarkString writes an ID into a new string.
func BenchmarkString(b *testing.B) {
	runGroups(b, "String", []group{
		{"UUID", []entry{one("ids", sampleUUID.String), one("google", sampleGoogle.String), one("gofrs", sampleGofrs.String)}},
		{"ULID", []entry{
			one("ids", sampleULID.String), one("oklog", sampleOklog.String), one("xid", sampleXID.String), one("ksuid", sampleKSUID.String),
		}},
		{"Snowflake", []entry{one("ids", sampleSnowflake.String), one("bwmarrin", sampleBwmarrin.String)}},
	})
}

// BenchmarkAppendText writes an ID into an existing buffer, or does the closest thing that a
// library offers. google and gofrs have only MarshalText, which allocates a buffer.
func BenchmarkAppendText(b *testing.B) {
	runGroups(b, "AppendText", []group{
		{"UUID", []entry{
			appended("ids", func(buf []byte) []byte { buf, _ = sampleUUID.AppendText(buf); return buf }),
			either("google", sampleGoogle.MarshalText), either("gofrs", sampleGofrs.MarshalText),
		}},
		{"ULID", []entry{
			appended("ids", func(buf []byte) []byte { buf, _ = sampleULID.AppendText(buf); return buf }),
			appended("oklog", func(buf []byte) []byte {
				buf = buf[:oklog.EncodedSize]
				_ = sampleOklog.MarshalTextTo(buf)
				return buf
			}),
			appended("xid", func(buf []byte) []byte { return sampleXID.Encode(buf[:20]) }),
			appended("ksuid", func(buf []byte) []byte { return sampleKSUID.Append(buf) }),
		}},
		{"Snowflake", []entry{
			appended("ids", func(buf []byte) []byte { buf, _ = sampleSnowflake.AppendText(buf); return buf }),
			one("bwmarrin", sampleBwmarrin.Bytes),
		}},
	})
}

// texts contains the parsers' inputs, by kind of ID.
type texts struct{ uuid, ulid, snowflake, xid, ksuid string }

// good contains the sample IDs.
var good = texts{
	uuid: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", ulid: "01ARZ3NDEKTSV4RRFFQ69G5FAV", snowflake: "1541815603606036480",
	xid: "9m4e2mr0ui3e8a215n4g", ksuid: "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
}

// bad contains the same IDs with one invalid character near the end, which no parser may accept. A
// parser takes its longest way to an error there. In ksuid's text the character is near the
// beginning, because that parser rejects only numbers that are too large.
var bad = texts{
	spoil(good.uuid, 34, "g"), spoil(good.ulid, 24, "U"), spoil(good.snowflake, 17, "x"), spoil(good.xid, 18, "z"), spoil(good.ksuid, 0, "z"),
}

// spoil returns text with another character at i.
func spoil(text string, i int, with string) string { return text[:i] + with + text[i+1:] }

// readText returns the entry of a parser.
func readText[T any](library string, parse func(string) (T, error), text string) entry {
	return either(library, func() (T, error) { return parse(text) })
}

// BenchmarkUnmarshal reads an ID from valid text into a field, as JSON decoders do.
func BenchmarkUnmarshal(b *testing.B) {
	type target interface{ UnmarshalText([]byte) error }
	into := func(library string, id target, text string) entry {
		data := []byte(text)
		return one(library, func() error { return id.UnmarshalText(data) })
	}
	runGroups(b, "Unmarshal", []group{
		{"UUID", []entry{into("ids", new(ids.UUID), good.uuid), into("google", new(google.UUID), good.uuid), into("gofrs", new(gofrs.UUID), good.uuid)}},
		{"ULID", []entry{
			// Oklog checks no character.
			into("ids", new(ids.ULID), good.ulid), into("oklog", new(oklog.ULID), good.ulid),
			into("xid", new(xid.ID), good.xid), into("ksuid", new(ksuid.KSUID), good.ksuid),
		}},
	})
}

// BenchmarkParse reads an ID from valid text, and BenchmarkParseBad rejects text with one invalid
// character.
func BenchmarkParse(b *testing.B) { runGroups(b, "Parse", parsers(&good)) }

func BenchmarkParseBad(b *testing.B) { runGroups(b, "ParseBad", parsers(&bad)) }

// parsers returns the benchmarks of parsers that read from t.
func parsers(t *texts) []group {
	return []group{
		{"UUID", []entry{
			readText("ids", ids.ParseUUID, t.uuid), readText("google", google.Parse, t.uuid), readText("gofrs", gofrs.FromString, t.uuid),
		}},
		{"ULID", []entry{
			readText("ids", ids.ParseULID, t.ulid), readText("oklog", oklog.ParseStrict, t.ulid),
			readText("xid", xid.FromString, t.xid), readText("ksuid", ksuid.Parse, t.ksuid),
		}},
		{"Snowflake", []entry{
			readText("ids", ids.ParseSnowflake, t.snowflake), readText("bwmarrin", bwmarrin.ParseString, t.snowflake),
		}},
	}
}

// TestTexts checks that every parser returns the sample and rejects the invalid text. Otherwise,
// the benchmarks would not be comparable.
func TestTexts(t *testing.T) {
	samples := map[string][]any{
		"UUID": {sampleUUID, sampleGoogle, sampleGofrs}, "ULID": {sampleULID, sampleOklog, sampleXID, sampleKSUID},
		"Snowflake": {sampleSnowflake, sampleBwmarrin},
	}
	bads := parsers(&bad)
	for i, g := range parsers(&good) {
		for k, e := range g.entries {
			if got, err := e.begin(nil).once(); err != nil || got != samples[g.kind][k] {
				t.Errorf("%s of %s: got %v, %v, want %v", g.kind, e.library, got, err, samples[g.kind][k])
			}
			if got, err := bads[i].entries[k].begin(nil).once(); err == nil {
				t.Errorf("%s of %s: bad text: got %v and no error", g.kind, e.library, got)
			}
		}
	}
}
