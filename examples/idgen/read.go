package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneclock/ids"
)

// A reading is a way to read a text as an id.
type reading struct {
	kind, form string
	fits       func(s string) bool // by length, prefix and digits alone
	parse      func(s string) (ident, error)
}

// readings are all ways, of which the first that fits is taken.
var readings = []reading{
	{"snowflake", "text", isDecimal, parser(ids.ParseSnowflake)},
	{"snowflake", "base58", hasLength(11), parser(ids.ParseSnowflakeBase58)},
	{"snowflake", "base32", hasLength(13), parser(ids.ParseSnowflakeBase32)},
	{"snowflake", "hex", isPrefixedHex, parser(parseSnowflakeHex)},
	{"uuid", "text", hasLength(36), parser(ids.ParseUUID)},
	{"uuid", "hex", hasLength(32), parser(ids.ParseUUID)},
	{"uuid", "urn", hasLength(45), parser(ids.ParseUUID)},
	{"uuid", "braces", hasLength(38), parser(ids.ParseUUID)},
	{"uuid", "base58", hasLength(22), parser(ids.ParseUUIDBase58)},
	{"ulid", "text", hasLength(26), parser(ids.ParseULID)},
	{"ulid", "base32", hasLength(26), parser(ids.ParseULID)},
	{"ulid", "base58", hasLength(22), parser(ids.ParseULIDBase58)},
	{"ulid", "hex", hasLength(32), parser(func(s string) (ids.ULID, error) {
		u, err := ids.ParseUUID(s)
		return u.ULID(), err
	})},
	{"uuid", "base32", hasLength(26), parser(func(s string) (ids.UUID, error) {
		u, err := ids.ParseULID(s)
		return u.UUID(), err
	})},
}

// parser returns parse with an ident for its result.
func parser[T ident](parse func(string) (T, error)) func(string) (ident, error) {
	return func(s string) (ident, error) {
		id, err := parse(s)
		return id, err
	}
}

func hasLength(n int) func(string) bool { return func(s string) bool { return len(s) == n } }

// isDecimal reports whether s is a decimal number, with a minus sign or without, so that one
// out of range is refused as a Snowflake. A number as long as another kind of id, and so longer
// than that of any Snowflake, is left to that kind.
func isDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && !slices.Contains([]int{22, 26, 32}, len(s))
}

func isPrefixedHex(s string) bool { return len(s) == 18 && (s[:2] == "0x" || s[:2] == "0X") }

// parseSnowflakeHex reads 0x and 16 hexadecimal digits.
func parseSnowflakeHex(s string) (ids.Snowflake, error) {
	var v uint64
	for i := 2; i < len(s); i++ {
		digit := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if digit < 0 || s[i] < '0' {
			return 0, &refusal{i, "Snowflake: not a hexadecimal digit"}
		}
		v = v<<4 | uint64(digit)
	}
	if v>>63 != 0 {
		return 0, &refusal{2, "Snowflake: above 63 bits"}
	}
	return ids.Snowflake(v), nil
}

// readingsAs returns the readings of a kind or a form; all if as is empty.
func readingsAs(as string) ([]reading, error) {
	switch as {
	case "":
		return readings, nil
	case "json": // quotes are taken off before a text is read
		as = "text"
	}
	var some []reading
	for _, r := range readings {
		if r.kind == as || r.form == as {
			some = append(some, r)
		}
	}
	if some == nil {
		return nil, usagef("-as %s is not uuid, ulid, snowflake, %s", quoted(as), listed(formNames, "or"))
	}
	return some, nil
}

// read returns the id in a text, which may have blanks around it and quotes, by the first
// reading that fits.
func read(text string, readings []reading) (ident, reading, error) {
	s, offset := trim(text)
	for _, r := range readings {
		if !r.fits(s) {
			continue
		}
		id, err := r.parse(s)
		if err != nil {
			return nil, r, refused(err, offset)
		}
		return id, r, nil
	}
	return nil, reading{}, refused(unlike(s), offset)
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

// A refusal says what is wrong with an input, and at which of its bytes.
type refusal struct {
	at   int
	what string
}

func (r *refusal) Error() string { return r.what }

// refused returns the refusal for an error of a text that begins at the given offset of the input.
func refused(err error, offset int) error {
	switch bad := err.(type) {
	case *refusal:
		return &refusal{offset + bad.at, bad.what}
	case *ids.ParseError:
		what, _, _ := strings.Cut(strings.TrimPrefix(bad.Error(), "ids: parsing "), " at byte ")
		return &refusal{offset + bad.Offset(), what}
	}
	return err
}

// unlike returns the error for a text that looks like no id: where it has a character that no
// id has, or else where it ends.
func unlike(s string) error {
	for i := range len(s) {
		c := s[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-{}:", c) >= 0) {
			return &refusal{i, "id: not a character of an id"}
		}
	}
	return &refusal{len(s), fmt.Sprintf("id: none has a length of %d", len(s))}
}
