package ids_test

import (
	"fmt"
	"testing"

	"github.com/oneclock/ids"
)

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
