package ids_test

// Published UUIDs and ULIDs, and UUIDs of names.

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// TestSpecialUUIDs checks the Nil and Max UUIDs, fields that a UUID does not have, names, and the
// Go syntax that failing tests print.
func TestSpecialUUIDs(t *testing.T) {
	u, l := ids.MustParseUUID(edgeUUID), ids.MustParseULID(edgeULID)
	asUUID, asULID := `ids.MustParseUUID("`+edgeUUID+`")`, `ids.MustParseULID("`+edgeULID+`")`
	for _, c := range []struct{ got, want any }{
		{ids.NilUUID(), ids.UUID{}}, {ids.MaxUUID().String(), "ffffffff-ffff-ffff-ffff-ffffffffffff"}, {u.URN(), "urn:uuid:" + edgeUUID},
		{ids.VariantNCS.String(), "NCS"}, {ids.VariantRFC9562.String(), "RFC 9562"}, {ids.VariantMicrosoft.String(), "Microsoft"}, {ids.VariantFuture.String(), "Future"},
		{fmt.Sprintf("%#v", u), asUUID}, {fmt.Sprintf("%#v", &u), asUUID}, {fmt.Sprintf("%#v", l), asULID}, {fmt.Sprintf("%#v", ownID{u}), asUUID},
		{fmt.Sprintf("%#v", []ids.UUID{u}), "[]ids.UUID{" + asUUID + "}"},
		{ids.NilUUID().IsZero(), true}, {ids.ULID{}.IsZero(), true}, {ids.Snowflake(-1).IsZero(), false}, {ids.Snowflake(1 << 32).IsZero(), false},
	} {
		if c.got != c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	for i := range 16 {
		var u ids.UUID
		if u[i] = 1; u.IsZero() || u.ULID().IsZero() || u.ULID().UUID() != u {
			t.Errorf("%v is zero, or not the same as a ULID", u)
		}
	}
	if d, ok := ids.MaxUUID().Domain(); d != 0 || ok {
		t.Errorf("domain %v, %v", d, ok)
	}
	if id, ok := ids.MaxUUID().LocalID(); id != 0 || ok {
		t.Errorf("local id %v, %v", id, ok)
	}
}

// ownID is an ID type as users define it.
type ownID struct{ ids.UUID }

// TestULIDMonotonic mints the specification's example of the monotonic mode, and the ULIDs after an
// overflow.
func TestULIDMonotonic(t *testing.T) {
	first := ids.MustParseULID("01BX5ZZKBKACTAV9WEVGEMMVRZ")
	random := first.Entropy()
	g := ids.NewGenerator(&ids.GeneratorOptions{
		Clock:         stopped(first.Time()),
		Random:        strings.NewReader(strings.Repeat(string(random[:]), 3)),
		ULIDMonotonic: true,
	})
	for _, want := range []string{"01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0", "01BX5ZZKBKACTAV9WEVGEMMVS1"} {
		if got := g.NewULID().String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// vectorTime is the time of the test vectors in RFC 9562, appendix A.
var vectorTime = time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC)

var vectorNode = [6]byte{0x9f, 0x6b, 0xde, 0xce, 0xd8, 0x46}

// drawn returns a generator with vectorNode and the given hexadecimal random bytes, on a clock that
// stands still at t.
func drawn(t time.Time, random string) *ids.Generator {
	b, err := hex.DecodeString(random)
	if err != nil {
		panic(err)
	}
	return ids.NewGenerator(&ids.GeneratorOptions{Clock: stopped(t), NodeID: vectorNode, Random: bytes.NewReader(b)})
}

// TestRFCVectors mints the UUIDs of RFC 9562, appendices A and B, from their inputs.
func TestRFCVectors(t *testing.T) {
	// The vectors' clock sequence, 0x33c8, is the first of a tick: 12 bits, 0xcf2, then 00.
	g := drawn(vectorTime, "000000000000000000000cf200000cf2")
	dns := ids.NamespaceDNS()
	hash := sha256.Sum256([]byte(string(dns[:]) + "www.example.com"))
	// The fraction, 0xcc3 of 4096, is 797,607.4 ns.
	v7Time := vectorTime.Add(797_608)
	v7At, err := drawn(v7Time, "f8c4dc0c0c07398ff8c4dc0c0c07398f").NewV7At(v7Time)
	if err != nil {
		t.Error(err)
	}
	for want, got := range map[string]ids.UUID{
		"C232AB00-9414-11EC-B3C8-9F6BDECED846": g.NewV1(),
		"1EC9414C-232A-6B00-B3C8-9F6BDECED846": g.NewV6(),
		"5df41881-3aed-3515-88a7-2f4a814cf09e": ids.NewV3(ids.NamespaceDNS(), "www.example.com"),
		"2ed6657d-e927-568b-95e1-2665a8aea6a2": ids.NewV5(ids.NamespaceDNS(), "www.example.com"),
		"919108f7-52d1-4320-9bac-f847db4148a8": drawn(vectorTime, "919108f752d1f320dbacf847db4148a8").NewV4(),
		"017F22E2-79B0-7CC3-98C4-DC0C0C07398F": drawn(v7Time, "18c4dc0c0c07398f").NewV7(),
		// All 62 bits of rand_b, where NewV7 leaves one bit clear.
		"017F22E2-79B0-7CC3-B8C4-DC0C0C07398F": v7At,
		"2489E9AD-2EE2-8E00-8EC9-32D5F69181C0": ids.NewV8([16]byte{0x24, 0x89, 0xe9, 0xad, 0x2e, 0xe2, 0x0e, 0x00, 0x0e, 0xc9, 0x32, 0xd5, 0xf6, 0x91, 0x81, 0xc0}),
		"5c146b14-3c52-8afd-938a-375d0df1fbf6": ids.NewV8([16]byte(hash[:16])),
		// This UUID and the next are not from the RFC.
		"ffffffff-ffff-8fff-bfff-ffffffffffff": ids.NewV8(ids.MaxUUID()),
		"00000000-0000-8000-8000-000000000000": ids.NewV8([16]byte{}),
	} {
		if got.String() != strings.ToLower(want) {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// TestNamed compares versions 3 and 5 with a plain hash, for names of all lengths around the length
// that is hashed without an allocation.
func TestNamed(t *testing.T) {
	names := []string{strings.Repeat("long name ", 20_000)} // all of its bytes must count
	for n := range 300 {
		names = append(names, strings.Repeat("name of some length", 20)[:n])
	}
	for _, name := range names {
		for _, space := range []ids.UUID{ids.NamespaceDNS(), ids.NamespaceURL(), ids.NamespaceOID(), ids.NamespaceX500(), ids.NilUUID(), ids.MaxUUID()} {
			var md5Sum, sha1Sum []byte
			ids.Exempt(func() {
				m, s := md5.New(), sha1.New()
				io.WriteString(m, string(space[:])+name)
				io.WriteString(s, string(space[:])+name)
				md5Sum, sha1Sum = m.Sum(nil), s.Sum(nil)
			})
			for version, c := range map[byte]struct {
				got ids.UUID
				sum []byte
			}{3: {ids.NewV3(space, name), md5Sum}, 5: {ids.NewV5(space, name), sha1Sum}} {
				want := ids.UUID(c.sum[:16])
				want[6] = want[6]&0x0f | version<<4
				want[8] = want[8]&0x3f | 0x80
				if c.got != want {
					t.Fatalf("version %d of %v and %d bytes: %v, want %v", version, space, len(name), c.got, want)
				}
			}
		}
	}
	for want, got := range map[string]ids.UUID{
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8": ids.NamespaceDNS(),
		"6ba7b811-9dad-11d1-80b4-00c04fd430c8": ids.NamespaceURL(),
		"6ba7b812-9dad-11d1-80b4-00c04fd430c8": ids.NamespaceOID(),
		"6ba7b814-9dad-11d1-80b4-00c04fd430c8": ids.NamespaceX500(),
	} {
		if got.String() != want {
			t.Errorf("namespace %v, want %s", got, want)
		}
	}
}
