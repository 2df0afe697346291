package main

// This file contains the errors for text that is not an ID, but can be recognized as something
// else.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// recognize returns an error if s looks like something other than an ID, for example JSON. The
// caller must have checked that s is not an ID. The error states what s looks like and, if
// possible, suggests a way to extract the IDs. Otherwise recognize returns nil.
func recognize(s string) error {
	if err := encoded(s); err != nil {
		return err
	}
	all := func(length int, digits string) bool { return len(s) == length && strings.Trim(s, digits) == "" }
	dense := strings.ReplaceAll(s, " ", "")
	switch {
	case strings.Contains(dense, `":`), strings.HasPrefix(dense, `["`):
		return errors.New("JSON; extract the IDs first, for example with jq -r .id (jq before 1.7 rounds a Snowflake that is a number)")
	case isList(s):
		return errors.New(`a list; put each ID on its own line first, for example with tr -s '[], ' '\n'`)
	case strings.HasPrefix(s, "["): // a list of numbers; parseList's error is more specific
		return nil
	case isDecimal(s):
		return errors.New("a UUID in decimal needs -as decimal; a Snowflake has at most 19 digits")
	case isRounded(s):
		return errors.New("a rounded number, as spreadsheets write it; its last digits are lost")
	case all(24, "0123456789abcdefABCDEF"):
		return errors.New("24 hexadecimal digits may be a MongoDB ObjectID, which idgen does not read")
	case isBigInt(s):
		return errors.New("a JavaScript BigInt; remove the n")
	case all(20, "0123456789abcdefghijklmnopqrstuv"):
		return errors.New("20 digits and letters up to v may be an xid, which idgen does not read")
	case all(27, alphanumeric):
		return errors.New("27 digits and letters may be a KSUID, which idgen does not read")
	}
	for _, between := range []string{"\t", ",", ";", "|", " "} {
		cut := fmt.Sprintf("cut -d '%s' -f N", between)
		at := strings.Index(s, between)
		switch {
		case at < 0:
			continue
		case between == "\t":
			cut = "cut -f N"
		case between == " ": // several spaces may separate two columns
			cut = "awk '{print $N}'"
		}
		return fmt.Errorf("%q at byte %d; if the line has columns, extract one first, for example with %s", between, at, cut)
	}
	return nil
}

// encoded returns an error if s is in UTF-16 or contains a NUL character. Otherwise it returns nil.
// A string that contains NUL characters may consist of several strings that each end with NUL.
func encoded(s string) error {
	isUTF16 := len(s) > 1 || s == "\x00"
	for i := 0; isUTF16 && i < len(s); i++ {
		// In UTF-16, every other byte of ASCII text is NUL.
		isUTF16 = (s[i] == 0) == (s[0] == 0) != (i%2 == 1)
	}
	switch {
	case isUTF16, strings.HasPrefix(s, "\xff\xfe"), strings.HasPrefix(s, "\xfe\xff"):
		return errors.New("UTF-16; convert it to UTF-8 first, for example with iconv -f UTF-16 -t UTF-8")
	case strings.Contains(s, "\x00"):
		return errors.New("NUL in the line; if each of several texts ends with NUL, convert them to lines first, with tr '\\0' '\\n'")
	}
	return nil
}

// isList reports whether s begins with "[" and has an element that contains a digit and is too long
// to be the value of a byte in decimal.
func isList(s string) bool {
	inner, ok := strings.CutPrefix(s, "[")
	elements := strings.FieldsFunc(inner, func(r rune) bool { return strings.ContainsRune(", ]", r) })
	return ok && slices.ContainsFunc(elements, func(e string) bool { return len(e) > len("-128") && strings.ContainsAny(e, "0123456789") })
}

// isBigInt reports whether s is an integer in the form in which a JavaScript console prints a
// BigInt.
func isBigInt(s string) bool {
	digits, ok := strings.CutSuffix(s, "n")
	return ok && isDigits(digits)
}

// isDecimal reports whether s is a decimal number that fits in 128 bits and has more digits than a
// Snowflake can have.
func isDecimal(s string) bool {
	if !isDigits(s) || len(s) < 20 || len(s) > 39 {
		return false
	}
	_, err := parseDecimal(s)
	return err == nil
}

// isRounded reports whether s is a number with an exponent and a decimal point or, as in some
// countries, a decimal comma.
func isRounded(s string) bool {
	pointed := strings.Replace(s, ",", ".", 1)
	_, err := strconv.ParseFloat(pointed, 64)
	return err == nil && strings.Contains(pointed, ".") && strings.ContainsAny(pointed, "eE")
}
