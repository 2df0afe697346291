package main

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// A reading is a way to read a text as an id.
type reading struct {
	kind, form string
	fits       func(s string) bool // by length, prefix and digits alone
	parse      func(s string) (ident, error)
}

// ways are all readings. The first that fits is taken.
var ways = []reading{
	{"typeid", "text", func(s string) bool { return strings.Contains(s, "_") }, parser(parseTypeID)},
	{"snowflake", "text", isDecimal, parser(ids.ParseSnowflake)},
	{"snowflake", "base32", hasLength(13), parser(ids.ParseSnowflakeBase32)},
	{"snowflake", "hex", isPrefixedHex, parser(parseSnowflakeHex)},
	{"uuid", "text", hasLength(36), parser(ids.ParseUUID)},
	{"uuid", "hex", hasLength(32), parser(ids.ParseUUID)},
	{"uuid", "hex", isDatabaseHex, parser(parseDatabaseHex)},
	{"uuid", "urn", hasLength(45), parser(ids.ParseUUID)},
	{"uuid", "braces", hasLength(38), parser(ids.ParseUUID)},
	{"uuid", "base58", hasLength(22), parser(ids.ParseUUIDBase58)},
	{"ulid", "text", hasLength(26), parser(ids.ParseULID)},
	{"ulid", "base32", hasLength(26), parser(ids.ParseULID)},
	{"ulid", "base58", hasLength(22), parser(ids.ParseULIDBase58)},
	{"ulid", "hex", hasLength(32), parser(asULID(ids.ParseUUID))},
	{"ulid", "hex", isDatabaseHex, parser(asULID(parseDatabaseHex))},
	{"uuid", "base32", hasLength(26), parser(func(s string) (ids.UUID, error) {
		u, err := ids.ParseULID(s)
		return u.UUID(), err
	})},
	{"typeid", "text", hasLength(26), parser(parseTypeID)},
}

// parser returns parse with its result as an ident.
func parser[T ident](parse func(string) (T, error)) func(string) (ident, error) {
	return func(s string) (ident, error) {
		id, err := parse(s)
		return id, err
	}
}

// asULID returns parse with its result as a ULID.
func asULID(parse func(string) (ids.UUID, error)) func(string) (ids.ULID, error) {
	return func(s string) (ids.ULID, error) {
		u, err := parse(s)
		return u.ULID(), err
	}
}

func hasLength(n int) func(string) bool { return func(s string) bool { return len(s) == n } }

// isDecimal reports whether s is a decimal number. It may be negative or too large: the refusal
// then names a Snowflake. A number as long as another kind of id is left to that kind, as it is too
// long for a Snowflake.
func isDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && !slices.Contains([]int{22, 26, 32}, len(s))
}

func isPrefixedHex(s string) bool { return len(s) == 18 && (s[:2] == "0x" || s[:2] == "0X") }

// isDatabaseHex reports whether s is as long as 16 bytes in PostgreSQL's psql, or in SQL Server and in tools for MySQL.
func isDatabaseHex(s string) bool {
	return len(s) == 34 && (s[:2] == bytea || s[:2] == "0x" || s[:2] == "0X")
}

// bytea begins bytes in psql. No other text of an id has a backslash.
const bytea = `\x`

func parseDatabaseHex(s string) (ids.UUID, error) {
	u, err := ids.ParseUUID(s[2:])
	if err != nil {
		return u, refused(err, "a UUID", 2)
	}
	return u, nil
}

// parseSnowflakeHex reads 0x and 16 hexadecimal digits, as the last ones of a UUID.
func parseSnowflakeHex(s string) (ids.Snowflake, error) {
	const zeros, what = "0000000000000000", "a Snowflake"
	u, err := ids.ParseUUID(zeros + s[len("0x"):])
	if err != nil {
		return 0, refused(err, what, len("0x")-len(zeros))
	}
	v := binary.BigEndian.Uint64(u[8:])
	if v>>63 != 0 {
		return 0, &refusal{-1, what, "above 7fffffffffffffff"}
	}
	return ids.Snowflake(v), nil
}

// parseTypeID reads a TypeID of any prefix, or of none.
func parseTypeID(s string) (typeID, error) {
	prefix, u, err := typeid.Split(s)
	return typeID{u, prefix}, err
}

// readings are the ways in which a text may be read.
type readings struct {
	what string // "a UUID"
	ways []reading
}

// everyKind has all ways.
var everyKind = readings{"an id", ways}

// addAs adds the option -as.
func (fs *flags) addAs() *string {
	return fs.choice("as", "", slices.Concat([]string{"uuid", "ulid", "snowflake"}, formNames))
}

// readingsAs returns the readings as a kind or a form; all if as is empty.
func readingsAs(as string) readings {
	if as == "" {
		return everyKind
	}
	some := readings{what: kinds[as]}
	if some.what == "" {
		some.what = "an id of form " + as
	}
	if as == "json" { // quotes are taken off before a text is read
		as = "text"
	}
	for _, r := range ways {
		if r.kind == as || r.form == as {
			some.ways = append(some.ways, r)
		}
	}
	return some
}

// kinds are the kinds by name, as a message has them.
var kinds = map[string]string{"uuid": "a UUID", "ulid": "a ULID", "snowflake": "a Snowflake", "typeid": "a TypeID"}

// read returns the id in a text, which may have blanks around it and quotes, by the first
// reading that fits.
func (rs readings) read(text string) (ident, reading, error) {
	s, offset := trim(text)
	var bad error
	for _, r := range rs.ways {
		if !r.fits(s) {
			continue
		}
		id, err := r.parse(s)
		if err == nil {
			return id, r, nil
		}
		bad = refused(err, kinds[r.kind], offset)
		break
	}
	return nil, reading{}, rs.refuse(s, offset, bad)
}

// trim returns s without blanks and one pair of quotes around it, and where in s that begins.
func trim(s string) (trimmed string, offset int) {
	trimmed = strings.TrimLeft(s, " \t")
	offset = len(s) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t")
	if n := len(trimmed); n > 2 && trimmed[0] == '"' && trimmed[n-1] == '"' {
		return trimmed[1 : n-1], offset + 1
	}
	return trimmed, offset
}
