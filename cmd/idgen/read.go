package main

// This file contains the forms in which an ID can be read, and a parser for each form.

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/typeid"
)

// A way recognizes strings in one text form, and parses them as IDs or rejects them.
type way struct {
	as    string              // values of -as that allow this way: kinds and forms of IDs
	fits  func(s string) bool // reports whether s looks like an ID of this form
	parse func(s string) (any, error)
}

// ways lists all ways to read an ID, in the order in which they are tried. The first way that
// matches a string is used to parse it. Some ways, such as the last four, match only strings that
// an earlier way also matches. Without the -as option, such a way is never used.
var ways = []way{
	{"uuid ulid guid", func(s string) bool { _, err := parseBase64(s); return err == nil && len(s) == 22 },
		refusal("22 characters may be Base58 or Base64; use -as base58, -as base64 or == at the end")},
	{"uuid ulid base64 guid", func(s string) bool { return len(s) == 24 && s[22:] == "==" }, parser(parseBase64)},
	{"typeid text", func(s string) bool { return strings.Contains(s, "_") }, parser(parseTypeID)},
	{"uuid text", looksLikeID(36), parser(ids.ParseUUID)},
	{"uuid urn", looksLikeID(45), parser(ids.ParseUUID)},
	{"uuid braces", func(s string) bool { return len(s) == 38 && s[0] == '{' }, parser(ids.ParseUUID)},
	{"uuid ulid hex guid", isHex, parser(parseHex)},
	{"uuid", looksLikeID(22), parser(parseUUIDBase58)},
	{"ulid base58", looksLikeID(22), parser(ids.ParseUUIDBase58)},
	{"ulid uuid base32 text", looksLikeID(26), parser(ids.ParseULID)},
	{"uuid ulid guid", func(s string) bool { return strings.HasPrefix(s, "[") }, parser(parseList)},
	{"snowflake", isAmbiguous, refusal("13 digits may be a Snowflake in decimal, in hexadecimal or in Base32; use -as text or -as base32")},
	// This way also matches numbers that are not Snowflakes, such as negative numbers. For these
	// numbers, ParseSnowflake returns an error that contains the reason.
	{"snowflake text", func(s string) bool { return isDigits(strings.TrimPrefix(s, "-")) }, parser(ids.ParseSnowflake)},
	{"snowflake base32", looksLikeID(13), parser(ids.ParseSnowflakeBase32)},
	{"snowflake hex", looksLikeID(18), parser(parseSnowflakeHex)},
	{"typeid", looksLikeID(26), parser(parseTypeID)},
	{"guid", isTextForm, refusal("the bytes in this form are in order, so it needs no -as guid; " +
		"if they were swapped before it was written, as SMBIOS's may be, run: idgen convert -format guid TEXT | idgen convert")},
	{"decimal", isDigits, parser(parseDecimal)},
	{"base64", looksLikeID(22), parser(parseBase64)},
}

// parser returns a function that calls parse and returns its result as an any.
func parser[T any](parse func(string) (T, error)) func(string) (any, error) {
	return func(s string) (any, error) { return parse(s) }
}

// refusal returns a parser that rejects every string with the given error message. It is used for
// ambiguous strings, each of which could represent more than one ID.
func refusal(why string) func(string) (any, error) {
	return func(string) (any, error) { return nil, errors.New(why) }
}

// looksLikeID returns a function that reports whether a string has n bytes and contains only
// characters that occur in IDs. Other strings, such as a Snowflake in brackets, may happen to have
// n bytes. The error for such a string must not be about IDs of that length.
func looksLikeID(n int) func(string) bool {
	return func(s string) bool { return len(s) == n && strings.Trim(s, common+"{}:+/") == "" }
}

// hexWrappers lists the prefixes and suffixes that databases write around the hexadecimal digits of
// 16 bytes: psql writes \x, pg_dump writes \\x, SQL Server writes 0x, and SQLite writes X'...'. The
// list also contains the prefixes and suffixes of the two SQL literals that idgen range prints for
// a 16-byte ID.
var hexWrappers = []struct{ before, after string }{
	{"", ""}, {`\x`, ""}, {`\\x`, ""}, {"0x", ""}, {"0X", ""}, {"x'", "'"}, {"X'", "'"}, {`'\x`, "'::bytea"},
}

// hexDigits returns s if s has 32 bytes. Otherwise, hexDigits removes a prefix and its suffix, as
// listed in hexWrappers, from s. If 32 bytes remain, it returns these bytes. In all other cases, it
// returns "". It does not check that the 32 bytes are hexadecimal digits.
func hexDigits(s string) string {
	for _, a := range hexWrappers {
		digits, found := strings.CutPrefix(s, a.before)
		if !found {
			continue
		}
		if digits, found = strings.CutSuffix(digits, a.after); found && len(digits) == 32 {
			return digits
		}
	}
	return ""
}

func isHex(s string) bool { return looksLikeID(32)(hexDigits(s)) }

func parseHex(s string) (ids.UUID, error) { return ids.ParseUUID(hexDigits(s)) }

// parseUUIDBase58 parses a UUID in Base58. It accepts only versions 1 to 8, the Nil UUID and the
// Max UUID, because text in a different alphabet usually decodes to a UUID of an unknown version.
func parseUUIDBase58(s string) (ids.UUID, error) {
	u, err := ids.ParseUUIDBase58(s)
	known := u.Variant() == ids.VariantRFC9562 && u.Version() >= 1 && u.Version() <= 8 || u == ids.NilUUID() || u == ids.MaxUUID()
	if err == nil && !known {
		err = errors.New("not a UUID of version 1 to 8 in Base58")
	}
	if err != nil {
		err = fmt.Errorf("%w; idgen reads Bitcoin's alphabet, not those of shortuuid, short-uuid and Base62 (for a ULID in Base58, use -as ulid, and for other bits, -as base58)", err)
	}
	return u, err
}

// isTextForm reports whether s is a text form of a UUID or a ULID. In such a form, the bytes are in
// the usual order, so -as guid does not apply.
func isTextForm(s string) bool {
	for _, parse := range []func(string) (any, error){parser(ids.ParseUUID), parser(ids.ParseULID), parser(ids.ParseUUIDBase58)} {
		if _, err := parse(s); err == nil {
			return true
		}
	}
	return false
}

// parseBase64 parses 16 bytes in Base64, in the standard or the URL alphabet, and with or without
// == at the end.
func parseBase64(s string) (u ids.UUID, err error) {
	digits, alphabet := strings.TrimSuffix(s, "=="), base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		alphabet = base64.RawURLEncoding
	}
	if len(digits) != 22 || strings.ContainsAny(digits, "\r\n") { // Decode ignores line ends
		return u, errors.New("not 128 bits in Base64")
	}
	_, err = alphabet.Strict().Decode(u[:], []byte(digits))
	return u, err
}

// parseList parses a list of the decimal values of 16 bytes. Logs may contain such lists. The
// values are separated by white space or commas.
func parseList(s string) (u ids.UUID, err error) {
	inner, closed := strings.CutSuffix(s[1:], "]") // without the ], the last number may be cut off
	numbers := strings.Fields(strings.ReplaceAll(inner, ",", " "))
	ok := closed && len(numbers) == len(u)
	for i := 0; ok && i < len(u); i++ {
		n, err := strconv.ParseUint(numbers[i], 10, 8)
		u[i], ok = byte(n), err == nil
	}
	if !ok {
		return u, errors.New("not a list of 16 numbers from 0 to 255, such as [1 127 ... 143]; an argument needs quotes")
	}
	return u, nil
}

// isAmbiguous reports whether s has the length of a Snowflake in Base32, but may also be a
// Snowflake in decimal or hexadecimal.
func isAmbiguous(s string) bool {
	return len(s) == 13 && strings.Trim(strings.TrimPrefix(strings.ToLower(s), "0x"), "0123456789abcdef") == ""
}

func parseSnowflakeHex(s string) (ids.Snowflake, error) {
	n, err := strconv.ParseUint(s[2:], 16, 63)
	if err != nil || s[:2] != "0x" && s[:2] != "0X" {
		return 0, errors.New("not a Snowflake in hexadecimal, which is 0x and 16 digits up to 7fffffffffffffff")
	}
	return ids.Snowflake(n), nil
}

// parseTypeID parses a TypeID with any prefix or without a prefix.
func parseTypeID(s string) (ident, error) {
	prefix, u, err := typeid.Split(s)
	return ident{kind: "typeid", bits: u, prefix: prefix}, err
}

// addAs adds the option -as, which selects a kind or a form of IDs. It returns a function that
// parses an ID of the selected kind or in the selected form.
func (fs *flags) addAs() func(text string) (ident, error) {
	as := fs.addChoice("as", "", append([]string{"uuid", "ulid", "snowflake"}, formNames()...)...)
	return func(text string) (ident, error) { return read(text, *as) }
}

// read parses text as an ID. It uses the first way that matches the text. It ignores spaces, tabs
// and a pair of quotes around the ID. The second argument is the kind or form that the ID must
// have. It may be empty.
func read(text, as string) (ident, error) {
	s := strings.Trim(text, " \t")
	if n := len(s); n > 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		s = s[1 : n-1]
	}
	for _, w := range ways {
		if as != "" && !slices.Contains(strings.Fields(w.as), as) || !w.fits(s) {
			continue
		}
		got, err := w.parse(s)
		if err != nil {
			return ident{}, cmp.Or(recognize(s), err)
		}
		id := identOf(got)
		switch as {
		case "uuid", "ulid":
			id.kind = as
		case "guid":
			id.bits = ids.UUID(swapped(id.bits))
		}
		return id, nil
	}
	return ident{}, cmp.Or(recognize(s), unreadable(s, as))
}

// unreadable returns the error for a string that is in no supported form or, with the -as option,
// in no form that the option allows.
func unreadable(s, as string) error {
	wrong := fmt.Sprintf("length %d", len(s))
	odd := strings.TrimLeft(s, common)
	if odd != "" {
		wrong += fmt.Sprintf(", with %.1q at byte %d", odd, len(s)-len(odd))
	}
	switch {
	case as != "":
		return fmt.Errorf("not a form of %s: %s", as, wrong)
	case odd != "":
		return errors.New("not an ID: " + wrong)
	}
	return fmt.Errorf("not an ID: %s; a UUID has 36, a ULID 26 and a Snowflake 1 to 19 (for other forms, run: idgen help inspect)", wrong)
}
