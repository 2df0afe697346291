package compare

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

// texts are what the parsers read, by kind of id.
type texts struct{ uuid, ulid, snowflake, base58, base58Bwmarrin, xid, ksuid string }

// good are the sample ids.
var good = texts{
	uuid:      sampleUUIDText,
	ulid:      sampleULIDText,
	snowflake: sampleSnowflakeText,
	base58:    sampleSnowflake.Base58(),
	// The alphabet of this library has the small letters before the capitals.
	base58Bwmarrin: sampleBwmarrin.Base58(),
	xid:            sampleXIDText,
	ksuid:          sampleKSUIDText,
}

// bad are the same but for one character near the end, which no parser may accept: the longest
// way to an error. In ksuid's it is near the beginning, since that parser refuses nothing but
// numbers that are too large.
var bad = texts{
	uuid:           spoil(good.uuid, 34, "g"),
	ulid:           spoil(good.ulid, 24, "U"),
	snowflake:      spoil(good.snowflake, 17, "x"),
	base58:         spoil(good.base58, 9, "0"),
	base58Bwmarrin: spoil(good.base58Bwmarrin, 9, "0"),
	xid:            spoil(good.xid, 18, "z"),
	ksuid:          spoil(good.ksuid, 0, "z"),
}

// spoil returns text with another character at i.
func spoil(text string, i int, with string) string { return text[:i] + with + text[i+1:] }

// BenchmarkParse reads an id from good text.
func BenchmarkParse(b *testing.B) { runGroups(b, "Parse", parseGroups(&good)) }

// BenchmarkParseBad refuses text with one bad character. oklog's Parse does not refuse it and
// is not among the entries.
func BenchmarkParseBad(b *testing.B) { runGroups(b, "ParseBad", parseGroups(&bad)) }

// parseGroups returns the benchmarks of parsers that read from t.
func parseGroups(t *texts) []group {
	groups := []group{
		{"UUID", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					ids.ParseUUID(t.uuid)
				}
			}},
			{"google", func(b *testing.B) {
				for b.Loop() {
					google.Parse(t.uuid)
				}
			}},
			{"gofrs", func(b *testing.B) {
				for b.Loop() {
					gofrs.FromString(t.uuid)
				}
			}},
		}},
		{"ULID", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					ids.ParseULID(t.ulid)
				}
			}},
			{"oklog", func(b *testing.B) {
				for b.Loop() {
					oklog.ParseStrict(t.ulid)
				}
			}},
			{"xid", func(b *testing.B) {
				for b.Loop() {
					xid.FromString(t.xid)
				}
			}},
			{"ksuid", func(b *testing.B) {
				for b.Loop() {
					ksuid.Parse(t.ksuid)
				}
			}},
		}},
		{"Snowflake", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					ids.ParseSnowflake(t.snowflake)
				}
			}},
			{"bwmarrin", func(b *testing.B) {
				for b.Loop() {
					bwmarrin.ParseString(t.snowflake)
				}
			}},
		}},
		{"SnowflakeBase58", []entry{
			{"ids", func(b *testing.B) {
				for b.Loop() {
					ids.ParseSnowflakeBase58(t.base58)
				}
			}},
			{"bwmarrin", func(b *testing.B) {
				text := []byte(t.base58Bwmarrin)
				for b.Loop() {
					bwmarrin.ParseBase58(text)
				}
			}},
		}},
	}
	if t == &good {
		groups[1].entries = append(groups[1].entries, entry{"oklog_lax", func(b *testing.B) {
			for b.Loop() {
				oklog.Parse(t.ulid)
			}
		}})
	}
	return groups
}

// TestTexts checks that every parser takes the good texts to the same id and refuses the bad
// ones: else the benchmarks would not compare like with like.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		parser string
		parse  func(*texts) (any, error)
		want   any
	}{
		{"ids UUID", func(t *texts) (any, error) { return ids.ParseUUID(t.uuid) }, sampleUUID},
		{"google", func(t *texts) (any, error) { return google.Parse(t.uuid) }, sampleGoogle},
		{"gofrs", func(t *texts) (any, error) { return gofrs.FromString(t.uuid) }, sampleGofrs},
		{"ids ULID", func(t *texts) (any, error) { return ids.ParseULID(t.ulid) }, sampleULID},
		{"oklog", func(t *texts) (any, error) { return oklog.ParseStrict(t.ulid) }, sampleOklog},
		{"ids Snowflake", func(t *texts) (any, error) { return ids.ParseSnowflake(t.snowflake) }, sampleSnowflake},
		{"ids Base58", func(t *texts) (any, error) { return ids.ParseSnowflakeBase58(t.base58) }, sampleSnowflake},
		{"bwmarrin", func(t *texts) (any, error) { return bwmarrin.ParseString(t.snowflake) }, sampleBwmarrin},
		{"bwmarrin Base58", func(t *texts) (any, error) { return bwmarrin.ParseBase58([]byte(t.base58Bwmarrin)) }, sampleBwmarrin},
		{"xid", func(t *texts) (any, error) { return xid.FromString(t.xid) }, sampleXID},
		{"ksuid", func(t *texts) (any, error) { return ksuid.Parse(t.ksuid) }, sampleKSUID},
	} {
		if got, err := c.parse(&good); err != nil || got != c.want {
			t.Errorf("%s: good text: got %v, %v, want %v", c.parser, got, err, c.want)
		}
		if got, err := c.parse(&bad); err == nil {
			t.Errorf("%s: bad text: got %v and no error", c.parser, got)
		}
	}
}
