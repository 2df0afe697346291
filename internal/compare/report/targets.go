package report

import (
	"fmt"
	"strings"
)

// A Target is how much an operation of this library may cost at most, as a ratio to what it is
// measured against.
type Target struct {
	Operation string
	Ours      Key
	Per       float64 // ids that one call of Ours makes
	Of        string
	Theirs    Key
	AtMost    float64
}

// Targets are the ratios that the library is meant to keep.
var Targets = []Target{
	{"`NewV7`", at("New/V7/ids"), 1, "`time.Now()`", at("New/V7/time.Now"), 0.90},
	{"`NewULID`", at("New/ULID/ids"), 1, "`time.Now()`", at("New/ULID/time.Now"), 0.95},
	{"`NewV6`", at("New/V6/ids"), 1, "`time.Now()`", at("New/V6/time.Now"), 0.95},
	{"`NewV1`", at("New/V1/ids"), 1, "`time.Now()`", at("New/V1/time.Now"), 0.95},
	{"`NextSnowflake`, in a layout that is not full", at("New/Snowflake/ids"), 1, "`time.Now()`", at("New/Snowflake/time.Now"), 0.75},
	{"`NewV4`", at("New/V4/ids"), 1, "`crypto/rand.Read` of 16 bytes", at("New/V4/rand.Read16"), 0.25},
	{"`AppendV7` of 1,000, per id", at("Run1000/V7/ids"), 1000, "`time.Now()`", at("Run1000/V7/time.Now"), 0.12},
	{"`AppendV4` of 1,000, per id", at("Run1000/V4/ids"), 1000, "`time.Now()`", at("Run1000/V4/time.Now"), 0.12},
	{"`AppendULID` of 1,000, per id", at("Run1000/ULID/ids"), 1000, "`time.Now()`", at("Run1000/ULID/time.Now"), 0.12},
	{"`NewV5`", at("New/V5/ids"), 1, "`sha1.Sum` of the same bytes", at("New/V5/sha1.Sum"), 1.15},
	{"`NewV3`", at("New/V3/ids"), 1, "`md5.Sum` of the same bytes", at("New/V3/md5.Sum"), 1.15},
	{"`UUID.AppendText`", at("AppendText/UUID/ids"), 1, "five calls of `hex.Encode`", at("AppendText/UUID/hex.Encode5"), 0.40},
	{"`ParseUUID`", at("Parse/UUID/ids"), 1, "google/uuid `Parse`", at("Parse/UUID/google"), 0.50},
	{"`UUID.String`", at("String/UUID/ids"), 1, "google/uuid `String`", at("String/UUID/google"), 0.75},
	{"`ULID.String`", at("String/ULID/ids"), 1, "oklog/ulid `String`", at("String/ULID/oklog"), 0.75},
	{"`ParseULID`", at("Parse/ULID/ids"), 1, "oklog/ulid `ParseStrict`", at("Parse/ULID/oklog"), 0.60},
	{"`ULID.AppendText`", at("AppendText/ULID/ids"), 1, "oklog/ulid `MarshalTextTo`", at("AppendText/ULID/oklog"), 0.40},
	{"`Snowflake.String`", at("String/Snowflake/ids"), 1, "`strconv.AppendInt` and a string", at("String/Snowflake/AppendInt"), 0.90},
	{"`Snowflake.Base58`", at("Base58/Snowflake/ids"), 1, "bwmarrin/snowflake `Base58`", at("Base58/Snowflake/bwmarrin"), 0.90},
}

// at returns the key of "<Operation>/<Kind>/<Library>".
func at(name string) Key {
	parts := strings.SplitN(name, "/", 3)
	return Key{Operation: parts[0], Kind: parts[1], Library: parts[2]}
}

// TargetTable returns the targets with what was measured, in Markdown.
func (r *Results) TargetTable() string {
	var b strings.Builder
	b.WriteString("| operation | ns | of | ns | at most | measured | 95% interval | |\n")
	b.WriteString("| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |\n")
	rows := 0
	for _, t := range Targets {
		if !r.Has(t.Ours) || !r.Has(t.Theirs) {
			continue
		}
		rows++
		ratio := r.Ratio(t.Ours, t.Per, t.Theirs, 1)
		verdict := "met"
		if ratio.Center > t.AtMost {
			verdict = "missed"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.2f | **%.2f** | %s | %s |\n", t.Operation,
			number(r.Time(t.Ours).Center/t.Per), t.Of, number(r.Time(t.Theirs).Center), t.AtMost, ratio.Center, interval(ratio), verdict)
	}
	if rows == 0 {
		return ""
	}
	return b.String()
}
