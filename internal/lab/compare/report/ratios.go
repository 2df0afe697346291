package report

import (
	"fmt"
	"strings"
)

// A Ratio is what an operation of this library costs in units of what it is measured against: a
// floor, or the same operation of another library.
type Ratio struct {
	Operation string
	Ours      Key
	Per       float64 // ids that one call of Ours makes
	Of        string
	Theirs    Key
}

// Ratios are the rows of [Results.RatioTable].
var Ratios = []Ratio{
	{"`NewV7`", at("New/V7/ids"), 1, "`time.Now()`", at("New/V7/time.Now")},
	{"`NewULID`", at("New/ULID/ids"), 1, "`time.Now()`", at("New/ULID/time.Now")},
	{"`NewV6`", at("New/V6/ids"), 1, "`time.Now()`", at("New/V6/time.Now")},
	{"`NewV1`", at("New/V1/ids"), 1, "`time.Now()`", at("New/V1/time.Now")},
	{"`NextSnowflake`, in a layout that is not full", at("New/Snowflake/ids"), 1, "`time.Now()`", at("New/Snowflake/time.Now")},
	{"`NewV7`", at("New/V7/ids"), 1, "`time.Since` in a `sync.Mutex`", at("New/V7/mutex.Since")},
	{"`NewULID`", at("New/ULID/ids"), 1, "`time.Since` in a `sync.Mutex`", at("New/ULID/mutex.Since")},
	{"`NewV6`", at("New/V6/ids"), 1, "`time.Since` in a `sync.Mutex`", at("New/V6/mutex.Since")},
	{"`NewV1`", at("New/V1/ids"), 1, "`time.Since` in a `sync.Mutex`", at("New/V1/mutex.Since")},
	{"`NextSnowflake`, in a layout that is not full", at("New/Snowflake/ids"), 1, "`time.Since` in a `sync.Mutex`", at("New/Snowflake/mutex.Since")},
	{"`NewV4`", at("New/V4/ids"), 1, "`crypto/rand.Read` of 16 bytes", at("New/V4/rand.Read16")},
	{"`AppendV7` of 1,000, per id", at("Run1000/V7/ids"), 1000, "`time.Now()`", at("Run1000/V7/time.Now")},
	{"`AppendV4` of 1,000, per id", at("Run1000/V4/ids"), 1000, "`time.Now()`", at("Run1000/V4/time.Now")},
	{"`AppendULID` of 1,000, per id", at("Run1000/ULID/ids"), 1000, "`time.Now()`", at("Run1000/ULID/time.Now")},
	{"`NewV5`", at("New/V5/ids"), 1, "`sha1.Sum` of the same bytes", at("New/V5/sha1.Sum")},
	{"`NewV3`", at("New/V3/ids"), 1, "`md5.Sum` of the same bytes", at("New/V3/md5.Sum")},
	{"`UUID.AppendText`", at("AppendText/UUID/ids"), 1, "five calls of `hex.Encode`", at("AppendText/UUID/hex.Encode5")},
	{"`ParseUUID`", at("Parse/UUID/ids"), 1, "google/uuid `Parse`", at("Parse/UUID/google")},
	{"`UUID.String`", at("String/UUID/ids"), 1, "google/uuid `String`", at("String/UUID/google")},
	{"`ULID.String`", at("String/ULID/ids"), 1, "oklog/ulid `String`", at("String/ULID/oklog")},
	{"`ParseULID`", at("Parse/ULID/ids"), 1, "oklog/ulid `ParseStrict`", at("Parse/ULID/oklog")},
	{"`ULID.AppendText`", at("AppendText/ULID/ids"), 1, "oklog/ulid `MarshalTextTo`", at("AppendText/ULID/oklog")},
	{"`Snowflake.String`", at("String/Snowflake/ids"), 1, "`strconv.AppendInt` and a string", at("String/Snowflake/AppendInt")},
	{"`Snowflake.Base58`", at("Base58/Snowflake/ids"), 1, "bwmarrin/snowflake `Base58`", at("Base58/Snowflake/bwmarrin")},
}

// at returns the key of "<Operation>/<Kind>/<Library>".
func at(name string) Key {
	parts := strings.SplitN(name, "/", 3)
	return Key{Operation: parts[0], Kind: parts[1], Library: parts[2]}
}

// RatioTable returns the ratios, in Markdown.
func (r *Results) RatioTable() string {
	var b strings.Builder
	for _, w := range Ratios {
		if !r.Has(w.Ours) || !r.Has(w.Theirs) {
			continue
		}
		ratio := r.Ratio(w.Ours, w.Per, w.Theirs, 1)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | **%.2f** | %s |\n", w.Operation, number(r.Time(w.Ours).Center/w.Per), w.Of,
			number(r.Time(w.Theirs).Center), ratio.Center, interval(ratio))
	}
	return header(b.String(), "| operation | ns | compared with | ns | ratio | 95% interval |\n| --- | ---: | --- | ---: | ---: | ---: |\n")
}
