package ids_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oneclock/ids"
)

// TestUUIDForms reads what is accepted, and names what is not, as text for people to check.
func TestUUIDForms(t *testing.T) {
	want := ids.UUID{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}
	for _, s := range []string{
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
		"f81D4fAe-7dEc-11D0-a765-00A0c91E6bf6",
		"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		"URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
		"{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
		"f81d4fae7dec11d0a76500a0c91e6bf6",
		"F81D4FAE7DEC11D0A76500A0C91E6BF6",
	} {
		if got, err := ids.ParseUUID(s); got != want || err != nil {
			t.Errorf("ParseUUID(%q) = %v, %v", s, got, err)
		}
		if got := ids.MustParseUUID(s); got != want {
			t.Errorf("MustParseUUID(%q) = %v", s, got)
		}
	}
	if want.URN() != "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6" {
		t.Errorf("URN() = %q", want.URN())
	}
	for _, c := range []struct {
		what, s string
		at      int
	}{
		{"empty", "", 0},
		{"37 characters", "f81d4fae-7dec-11d0-a765-00a0c91e6bf66", 37},
		{"line feed at the end", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n", 37},
		{"spaces for braces", " f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ", 0},
		{"opening brace alone", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6", 37},
		{"opening brace and a space", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ", 37},
		{"braces around 32 digits", "{f81d4fae7dec11d0a76500a0c91e6bf6}", 34},
		{"urn:uuid: misspelt", "urn:uuld:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", 6},
		{"what folds to a colon, first", "urn\x1auuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", 3},
		{"uuid: alone", "uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", 41},
		{"letter g", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", 0},
		{"full-width digit", "f81d4fae-7dec-11d0-a765-00a0c91e\uff16f", 32},
		{"NUL", "f81d4fae-7dec-11d0-a765-00a0c91e6bf\x00", 35},
		{"high bit on a digit", "f81d4fae-7dec-11d0-a765-00a0c91e6bf\xb6", 35},
		{"hyphen one late", "f81d4faee-7dc-11d0-a765-00a0c91e6bf6", 8},
		{"hyphens among 32", "f81d4fae-7dec-11d0-a765-00a0c91e", 8},
		{"en dash", "f81d4fae\u20137dec-11d0-a765-00a0c91e6b", 8},
		{"64 KiB of digits", strings.Repeat("f", 64<<10), 45},
	} {
		kind := ids.ErrSyntax
		if uuidTemplates[len(c.s)] == "" {
			kind = ids.ErrLength
		}
		checkRefused(t, formUUID, c.s, kind, c.at, ids.ParseUUID, ids.MustParseUUID)
	}
}

// TestVariants prints the variants.
func TestVariants(t *testing.T) {
	for v, want := range map[ids.Variant]string{
		ids.VariantNCS: "NCS", ids.VariantRFC9562: "RFC 9562", ids.VariantMicrosoft: "Microsoft", ids.VariantFuture: "Future",
	} {
		if v.String() != want {
			t.Errorf("variant %d is %q, want %q", v, v, want)
		}
	}
}

// TestNilMax checks the two special UUIDs, and IsZero of all types.
func TestNilMax(t *testing.T) {
	if got := ids.NilUUID().String(); got != "00000000-0000-0000-0000-000000000000" {
		t.Errorf("NilUUID() = %s", got)
	}
	if got := ids.MaxUUID().String(); got != "ffffffff-ffff-ffff-ffff-ffffffffffff" {
		t.Errorf("MaxUUID() = %s", got)
	}
	for i := range 16 {
		var u ids.UUID
		u[i] = 1
		if u.IsZero() || u.ULID().IsZero() {
			t.Errorf("%v is zero", u)
		}
		if u.ULID().UUID() != u || [16]byte(u.ULID()) != [16]byte(u) {
			t.Errorf("%v is not the same as a ULID", u)
		}
	}
	if !ids.NilUUID().IsZero() || !(ids.ULID{}).IsZero() || ids.Snowflake(-1).IsZero() || ids.Snowflake(1<<32).IsZero() {
		t.Error("zero is not zero, or another is")
	}
}

// ownID is a type of ids as users make them.
type ownID struct{ ids.UUID }

// TestGoString prints ids as Go, as failing tests do.
func TestGoString(t *testing.T) {
	u, l := ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	asUUID, asULID := `ids.MustParseUUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")`, `ids.MustParseULID("01ARZ3NDEKTSV4RRFFQ69G5FAV")`
	for _, c := range []struct {
		v    any
		want string
	}{
		{u, asUUID}, {&u, asUUID}, {l, asULID}, {ownID{u}, asUUID}, {[]ids.UUID{u}, "[]ids.UUID{" + asUUID + "}"},
		{ids.Null[ids.ULID]{ID: l, Valid: true}, "ids.Null[github.com/oneclock/ids.ULID]{ID:" + asULID + ", Valid:true}"},
	} {
		if got := fmt.Sprintf("%#v", c.v); got != c.want {
			t.Errorf("%T: %s, want %s", c.v, got, c.want)
		}
	}
}
