package uuid_test

import (
	"errors"
	"testing"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/uuid"
)

// TestForwards calls each function beside the one of package ids that it stands for.
func TestForwards(t *testing.T) {
	at := time.Date(2026, 3, 14, 15, 9, 26, 535e6, time.UTC)
	const text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
	fixed := uuid.MustParse(text)
	for _, c := range []struct {
		name      string
		got, want uuid.UUID
	}{
		{"MustParse", fixed, ids.MustParseUUID(text)},
		{"Nil", uuid.Nil(), ids.NilUUID()},
		{"Max", uuid.Max(), ids.MaxUUID()},
		{"NewV3", uuid.NewV3(fixed, "a"), ids.NewV3(fixed, "a")},
		{"NewV5", uuid.NewV5(fixed, "a"), ids.NewV5(fixed, "a")},
		{"NewV8", uuid.NewV8([16]byte{1, 2, 3}), ids.NewV8([16]byte{1, 2, 3})},
		{"NamespaceDNS", uuid.NamespaceDNS(), ids.NamespaceDNS()},
		{"NamespaceURL", uuid.NamespaceURL(), ids.NamespaceURL()},
		{"NamespaceOID", uuid.NamespaceOID(), ids.NamespaceOID()},
		{"NamespaceX500", uuid.NamespaceX500(), ids.NamespaceX500()},
		{"MinV7At", uuid.MinV7At(at), ids.MinV7At(at)},
		{"MaxV7At", uuid.MaxV7At(at), ids.MaxV7At(at)},
	} {
		if c.got != c.want {
			t.Errorf("%s gives %v, in ids %v", c.name, c.got, c.want)
		}
	}
	for name, parse := range map[string]func(string) (uuid.UUID, error){"Parse": uuid.Parse, "ParseBase58": uuid.ParseBase58} {
		good := map[string]string{"Parse": text, "ParseBase58": fixed.Base58()}[name]
		if u, err := parse(good); u != fixed || err != nil {
			t.Errorf("%s(%q) = %v, %v, want %v", name, good, u, err, fixed)
		}
		if _, err := parse("x"); !errors.Is(err, uuid.ErrLength) {
			t.Errorf("%s of one character: %v", name, err)
		}
	}
	for version, minted := range map[int][]uuid.UUID{
		1: {uuid.NewV1()}, 2: {uuid.NewV2(uuid.DomainGroup, 7)}, 6: {uuid.NewV6()},
		4: uuid.AppendV4([]uuid.UUID{uuid.New(), uuid.NewV4()}, 2), 7: uuid.AppendV7([]uuid.UUID{uuid.NewV7()}, 3),
	} {
		for _, u := range minted {
			if u.Version() != version {
				t.Errorf("%v is not of version %d", u, version)
			}
		}
	}
	u := uuid.NewV2(uuid.DomainGroup, 7)
	domain, _ := u.Domain()
	if id, ok := u.LocalID(); domain != uuid.DomainGroup || id != 7 || !ok {
		t.Errorf("NewV2 holds %v, %v, %v", domain, id, ok)
	}
	for version, mint := range map[int]func(time.Time) (uuid.UUID, error){1: uuid.NewV1At, 6: uuid.NewV6At, 7: uuid.NewV7At} {
		u, err := mint(at)
		if got, ok := u.Time(); u.Version() != version || !got.Equal(at) || !ok || err != nil {
			t.Errorf("version %d of %v: %v, %v", version, at, u, err)
		}
	}
}
