package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

// TestFromDiffers checks what the pages in docs/from say compiles, but differs.
func TestFromDiffers(t *testing.T) {
	check := func(what string, holds bool) {
		t.Helper()
		if !holds {
			t.Errorf("not so: %s", what)
		}
	}
	const text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
	g, o, u, l := google.MustParse(text), oklog.Make(), uuid.MustParse(text), ulid.Make()
	old := o
	check("google leaves an id at NULL and at the empty text",
		g.Scan(nil) == nil && g.Scan("") == nil && g.Scan([]byte{}) == nil && g.String() == text)
	check("oklog leaves an id at NULL", o.Scan(nil) == nil && o == old)
	check("here both are errors", u.Scan(nil) != nil && u.Scan("") != nil && u.Scan([]byte{}) != nil && l.Scan(nil) != nil)
	var gn google.NullUUID
	check("an empty text makes google's NullUUID valid", gn.Scan("") == nil && gn.Valid && gn.UUID == google.Nil)

	lv, _ := l.Value()
	bv, _ := ulid.Binary{ID: l}.Value()
	check("a ULID is written as text, a Binary as bytes", lv == l.String() && bytes.Equal(bv.([]byte), l[:]))

	refused := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		id := bwmarrin.ID(1<<60 | random.Int64N(1<<61))
		if _, err := snowflake.ParseBase32(id.Base32()); err != nil {
			refused++
		}
	}
	check(fmt.Sprintf("old Base32 is refused (%d of 1,000)", refused), refused == 1000)

	_, err := json.Marshal(map[string]any{"id": uuid.Nil})
	check("a function in an any is an error when it runs", err != nil)

	at := time.Now()
	var made []ulid.ULID
	for range 100 {
		made = append(made, must(ulid.MakeAt(at)))
	}
	check("ids of MakeAt do not ascend", !slices.IsSortedFunc(made, ulid.ULID.Compare))
	var bound oklog.ULID
	check("SetTime of oklog's zero ULID is MinAt", bound.SetTime(oklog.Timestamp(at)) == nil && ulid.ULID(bound) == ulid.MinAt(at))
	entropy := oklog.Monotonic(rand.NewChaCha8([32]byte{}), 0)
	a, _ := oklog.New(oklog.Timestamp(at), entropy)
	b, _ := oklog.New(oklog.Timestamp(at), entropy)
	check("ids of oklog's Monotonic ascend", b.Compare(a) > 0)

	layout := snowflake.Layout{Epoch: time.UnixMilli(1288834974657), Tick: time.Millisecond, NodeBits: 5, SequenceBits: 17}
	id := must(layout.Compose(snowflake.Parts{Time: at, Node: 9, Sequence: 3}))
	check("another layout finds other parts", snowflake.Twitter().Split(id).Node != 9 && layout.Split(id).Node == 9)

	check("%x", fmt.Sprintf("%x", gofrs.UUID(u)) == strings.ReplaceAll(text, "-", "") && fmt.Sprintf("%x", u) == fmt.Sprintf("%x", text) &&
		fmt.Sprintf("%x", u[:]) == strings.ReplaceAll(text, "-", ""))
	check("versions and variants print differently", fmt.Sprint(g.Version(), g.Variant()) == "VERSION_1 RFC4122" &&
		fmt.Sprint(u.Version(), u.Variant()) == "1 RFC 9562")

	_, err = google.NewRandomFromReader(bytes.NewReader(nil))
	check("a reader that fails is an error there", errors.Is(err, io.EOF))

	next := must(usualSony.NextID())
	from2025 := snowflake.Sonyflake()
	from2025.Epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	early := time.Since(snowflake.Sonyflake().Split(snowflake.ID(next)).Time)
	check("sonyflake counts from 2025", early > 10*365*24*time.Hour && time.Since(from2025.Split(snowflake.ID(next)).Time) < time.Minute)
}

// TestFromTypes checks what the pages say of names of types and of texts that oklog/ulid accepts.
func TestFromTypes(t *testing.T) {
	for _, text := range []string{"0000000000COMPACTEDHEADX0L", "0000000000I000000000000000", "0000000000U000000000000000"} {
		there := oklog.MustParse(text)
		if _, err := ulid.Parse(text); err == nil {
			t.Errorf("%s is accepted here", text)
		}
		if here := ulid.MustParse(there.String()); oklog.ULID(here) != there {
			t.Errorf("%s: what oklog prints is read as %s, want %s", text, here, there)
		}
	}
	got := fmt.Sprintln(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[google.UUID](), reflect.TypeFor[gofrs.NullUUID]().Name(), reflect.TypeFor[uuid.Null]().Name())
	if want := "ids.UUID uuid.UUID NullUUID Null[github.com/oneclock/ids.UUID]\n"; got != want {
		t.Errorf("the types are called %s, want %s", got, want)
	}
	var id any = uuid.New()
	if _, same := id.(google.UUID); same {
		t.Error("an assertion finds google's type")
	}
	if len(xid.ID{}) != 12 || len(xid.New().String()) != 20 || len(ksuid.KSUID{}) != 20 || len(ksuid.New().String()) != 27 {
		t.Error("the lengths of xid and KSUID are others")
	}
}

func readFile(path string) string { return string(must(os.ReadFile(path))) }
