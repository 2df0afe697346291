package ids_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneclock/ids"
)

// The 16 bytes in other encodings. ParseUUID reads the first of the two.
func ExampleUUID_shortText() {
	u := ids.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	fmt.Println(hex.EncodeToString(u[:]))
	fmt.Println(base64.RawURLEncoding.EncodeToString(u[:]))

	b, err := base64.RawURLEncoding.DecodeString("AX8i4nmwfMOYxNwMDAc5jw")
	var back ids.UUID
	if err == nil {
		back, err = ids.UUIDFromBytes(b) // checks the length
	}
	fmt.Println(back == u, err)
	// Output:
	// 017f22e279b07cc398c4dc0c0c07398f
	// AX8i4nmwfMOYxNwMDAc5jw
	// true <nil>
}

// The version has a meaning only in the variant of RFC 9562, so check both.
func ExampleUUID_Version() {
	for _, s := range []string{
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
		"017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", // a GUID of Microsoft's old variant
		"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
	} {
		u := ids.MustParseUUID(s)
		fmt.Println(u.Version(), u.Variant(), u.Version() == 7 && u.Variant() == ids.VariantRFC9562)
	}
	// Output:
	// 7 RFC 9562 true
	// 7 Microsoft false
	// 1 RFC 9562 false
}

// A UUID that sorts like version 7 and contains a node number in its last 16 bits, which replace
// random bits. MariaDB's type UUID rejects some of these UUIDs. Two that a process makes within
// 1/4096 ms are equal about once in 2^32.
func ExampleNewV8_node() {
	const node = 378
	newID := func() ids.UUID {
		u := ids.NewV7()
		u[14], u[15] = node>>8, node&0xff
		return ids.NewV8(u)
	}
	a, b := newID(), newID()
	fmt.Println(a.Version(), a.Compare(b), int(a[14])<<8|int(a[15]))
	// Output: 8 -1 378
}

// The same ID for the same e-mail address. The address is normalized first, because version 5 of
// the address as a client has written it is a different ID. The key prevents anyone who can guess
// the address from computing the ID.
func ExampleNewV8_email() {
	normalized := func(address string) string { return strings.ToLower(strings.TrimSpace(address)) }
	key := []byte("the key of this example is not secret")
	newID := func(address string) ids.UUID {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(normalized(address)))
		return ids.NewV8([16]byte(mac.Sum(nil)))
	}
	// A version 4 UUID that was made once.
	namespace := ids.MustParseUUID("5b1e5f9e-6f7c-4c53-9f4c-0d6a4a1f0a11")
	fmt.Println(ids.NewV5(namespace, "Ann@Example.com") == ids.NewV5(namespace, "ann@example.com"))
	fmt.Println(newID("Ann@Example.com ") == newID("ann@example.com"), newID("ann@example.com").Version())
	// Output:
	// false
	// true 8
}

// At a low rate, the sequence is 0 in nearly every ID, and the bits above it are the node's, which
// are the same in all IDs. So id % 16 always selects one shard. The upper bits of a product depend
// on all bits.
func ExampleSnowflake_shards() {
	shard := func(id ids.Snowflake) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 >> (64 - 4) } // of 2^4
	var byRemainder, byProduct [16]int
	for i := range 1600 { // IDs of one node, 1.1 ms apart
		id, err := ids.TwitterLayout().Compose(ids.SnowflakeParts{Time: noon.Add(time.Duration(i) * 1100 * time.Microsecond), Node: 7})
		if err != nil {
			panic(err)
		}
		byRemainder[id%16]++
		byProduct[shard(id)]++
	}
	fmt.Println(slices.Max(byRemainder[:]), slices.Min(byRemainder[:]))
	fmt.Println(slices.Max(byProduct[:]), slices.Min(byProduct[:]))
	// Output:
	// 1600 0
	// 102 97
}

// Numbers that JavaScript, whose integers are exact up to 2^53, can represent for 87 years.
func ExampleSnowflakeLayout_javaScript() {
	layout := ids.SnowflakeLayout{
		Epoch:        time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Tick:         10 * time.Millisecond,
		NodeBits:     8, // 256 nodes
		SequenceBits: 7, // 128 IDs in 10 ms
	}
	fmt.Println(layout.MaxAt(layout.Epoch.AddDate(87, 0, 0)) < 1<<53)
	fmt.Println(layout.MaxAt(layout.Epoch.AddDate(88, 0, 0)) < 1<<53)
	// Output:
	// true
	// false
}

// With a clock that is a week slow, the times in IDs are a week earlier.
func ExampleClockOptions_shifted() {
	clock := ids.NewClock(&ids.ClockOptions{Now: func() time.Time { return time.Now().Add(-7 * 24 * time.Hour) }})
	u := ids.NewGenerator(&ids.GeneratorOptions{Clock: clock}).NewV7()
	at, _ := u.Time()
	fmt.Println(time.Since(at).Round(time.Hour))
	// Output: 168h0m0s
}

// Package log/slog writes IDs as text, also in lists.
func ExampleUUID_slog() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{} // the output of an example is the same every day
		}
		return a
	}}))
	order := ids.MustParseUUID("019b796d-d600-7000-9987-7ece6d368aac")
	log.Info("made", "order", order, "parent", ids.Null[ids.UUID]{}, "all", []ids.UUID{order})
	// Output: level=INFO msg=made order=019b796d-d600-7000-9987-7ece6d368aac parent="" all=[019b796d-d600-7000-9987-7ece6d368aac]
}

// The first 8 digits of a version 7 UUID are part of its time and stay the same for 65 s, so they
// are not a usable short name. The last 8 digits are random.
func ExampleUUID_shortName() {
	first, last := map[string]int{}, map[string]int{}
	for i := range 1000 {
		id, err := ids.NewV7At(noon.Add(time.Duration(i) * time.Millisecond))
		if err != nil {
			panic(err)
		}
		first[id.String()[:8]]++
		last[id.String()[24:]]++
	}
	fmt.Println(len(first))
	fmt.Println(len(last))
	// Output:
	// 1
	// 1000
}

// TestSynctestExamples runs the tests in Example_synctest after a bubble that has moved the default
// clock.
func TestSynctestExamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(5 * time.Second)
		ids.NewV7()
	})
	t.Run("age", testAge)
	t.Run("snowflake", testSnowflake)
}

// A version 7 UUID that is the same at each import of a record. Its time is the record's, and its
// random bits are a hash of the record's key, so anyone who knows both can compute it.
func ExampleGenerator_NewV7At_record() {
	recordID := func(key string, created time.Time) (ids.UUID, error) {
		sum := sha256.Sum256([]byte(key))
		return ids.NewGenerator(&ids.GeneratorOptions{Random: bytes.NewReader(sum[:])}).NewV7At(created)
	}
	for _, key := range []string{"orders/17", "orders/18", "orders/17"} {
		fmt.Println(recordID(key, noon))
	}
	// Output:
	// 019b796d-d600-7000-8d21-62c13cf8cad7 <nil>
	// 019b796d-d600-7000-ad5f-8f967aa6af69 <nil>
	// 019b796d-d600-7000-8d21-62c13cf8cad7 <nil>
}
