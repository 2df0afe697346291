// Package p contains code that the analyzers report, followed by code that they do not report.
package p

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"text/template"

	"example.com/lib"
	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

var (
	zero  any = uuid.Nil                         // want `uuid.Nil is a function`
	zeros     = map[string]any{"zero": uuid.Max} // want `uuid.Max is a function`
)

var once any = uuid.Nil // want `uuid.Nil is a function`

var nilUUID = uuid.Nil

type row struct {
	Key   any
	Owner *lib.UserID
}

func nils(f func(...any)) (any, error) {
	f(1, uuid.NamespaceDNS)             // want `uuid.NamespaceDNS is a function`
	f([]any{ids.NilUUID}, any(nilUUID)) // want `ids.NilUUID is a function` `uuid.Nil is a function`
	id := uuid.Nil
	zero = id             // want `uuid.Nil is a function`
	f(row{Key: uuid.Nil}) // want `uuid.Nil is a function`
	return uuid.Nil, nil  // want `uuid.Nil is a function`
}

func keys(seen map[any]bool, queue chan any, names map[string]bool) bool {
	queue <- uuid.Nil     // want `uuid.Nil is a function`
	seen[uuid.Max] = true // want `uuid.Max is a function`
	return seen[uuid.Nil] // want `uuid.Nil is a function`
}

type own lib.UserID // want own:"ids.UUID"

func plain(id own, m map[string][]row) {
	json.Marshal(&id)       // want `own is a list of 16 numbers in JSON, because it has no methods of ids.UUID`
	json.Marshal(m)         // want `UserID is a list of 16 numbers in JSON`
	json.Unmarshal(nil, &m) // want `UserID is a list`
}

type key struct{ uuid.UUID }

func wrapped(t *testing.T, s string, args ...any) { t.Logf(s, args...) }

func formats(t *testing.T, id uuid.UUID, k key, u ulid.ULID, n snowflake.ID, b []ulid.Binary) {
	fmt.Printf("%5.*d%% %x", 2, 1, id)                  // want `%x writes the characters of the text of this UUID in hexadecimal; pass id\[:\]`
	fmt.Printf("%d %X %x", id, k, n)                    // want `%d writes a list of 16 numbers for this UUID` `%X writes .* UUID` `pass int64`
	wrapped(t, "%d %x %#x", u, b, map[int]*ulid.ULID{}) // want `%d writes .* ULID` `this Binary` `this ULID`
}

func cuts(u ulid.ULID, g *ids.Generator) {
	_ = u.String()[:8] // want `the first 8 characters of a ULID are its time`
	id := g.NewV7()
	s := id.String()
	_ = s[0:8] // want `first 8 characters of a version 7`
	old, _ := uuid.NewV7At(u.Time())
	_ = old.String()[:10]         // want `version 7`
	_ = ids.NewV6().String()[:10] // want `first 10 characters of a version 6`
}

func remainders(id snowflake.ID, shards int) int {
	copied := uint64(id)
	return int(copied)%shards + // want `the last bits of a Snowflake`
		int(snowflake.Next()%10) // want `the last bits of a Snowflake`
}

func masks(n *snowflake.Node, s string) (snowflake.ID, error) {
	id, err := n.TryNext()
	fmt.Println(id%16, id&15, err)       // want `the last bits of a Snowflake` `the last bits of a Snowflake`
	fmt.Println(int64(id)&1, id%(1<<20)) // want `the last bits of a Snowflake` `the last bits of a Snowflake`
	id, err = snowflake.Parse(s)
	return id & (1<<20 - 1), err // want `the last bits of a Snowflake`
}

// member is like the type of a sorted set's member in Redis clients.
type member struct{ Score float64 }

type score float32

func floats(id, other snowflake.ID, all []snowflake.ID) (any, score) {
	n := int64(id)
	for _, id := range all {
		_ = float64(uint64(id)) // want `a float rounds this Snowflake`
	}
	_ = member{Score: float64(n)} // want `a float rounds`
	next, _ := snowflake.Parse("1")
	_ = []float64{float64(snowflake.Next()), float64(next), float64(-id)} // want `a float rounds` `a float rounds` `a float rounds`
	const last = snowflake.ID(1<<63 - 1)
	_ = float64(last)                    // want `a float rounds`
	_ = float64(id)                      // want `a float rounds`
	return score(id), score(float64(id)) // want `a float rounds` `a float rounds`
}

func rounded(row map[string]any, score float64, text string) []snowflake.ID {
	id, _ := row["id"].(float64)
	number := int64(id)
	parsed, _ := strconv.ParseFloat(text, 64)
	return []snowflake.ID{
		snowflake.ID(row["id"].(float64)), // want `a float may have rounded this Snowflake`
		snowflake.ID(number),              // want `a float may have rounded`
		ids.Snowflake(uint64(score)),      // want `a float may have rounded`
		snowflake.ID(parsed),              // want `a float may have rounded`
	}
}

type nodes struct{ *snowflake.Node }

func next(ctx context.Context, n nodes) {
	id, _ := n.TryNext()       // want `with an error, which is dropped here, TryNext returns the ID 0`
	id, _ = n.NextContext(ctx) // want `NextContext`
	fmt.Println(id)
}

func status(text string) int {
	_, err := uuid.Parse(text)
	if err == ids.ErrSyntax || clockfile.ErrLocked != (err) { // want `not equal to ids.ErrSyntax; use errors.Is` `not equal to clockfile.ErrLocked`
		return 400
	}
	switch err {
	case nil, uuid.ErrLength: // want `not equal to uuid.ErrLength`
	}
	if err := json.Unmarshal(nil, &text); ulid.ErrRange == err { // want `not equal to ulid.ErrRange`
		return 400
	}
	return 500
}

const short = "f81d4fae-7dec"

var (
	_ = uuid.MustParse(short)                                            // want `this panics, because "f81d4fae-7dec" is not a UUID`
	_ = ids.MustParseUUID("(f81d4fae-7dec-11d0-a765-00a0c91e6bf6)")      // want `is not a UUID`
	_ = ulid.MustParse("81ARZ3NDEKTSV4RRFFQ69G5FAV")                     // want `is not a ULID`
	_ = snowflake.MustParse("9223372036854775808")                       // want `is not a Snowflake`
	_ = typeid.MustParse[user]("user_81h2xcejqtf2nbrexx3vqjhp41")        // want `is not a TypeID`
	_ = func(s string) uuid.UUID { return uuid.MustParse("not-a-uuid") } // want `is not a UUID`
)

type user struct{}

func (user) Prefix() string { return "user" }

// The analyzers must not report anything below this line.

var (
	right     any = uuid.Nil()
	makes         = map[string]func() uuid.UUID{"nil": uuid.Nil, "new": uuid.New}
	functions     = template.FuncMap{"nil": uuid.Nil}
	env           = map[string]any{"max": uuid.Max, "print": fmt.Println}
	value         = reflect.ValueOf(uuid.Nil)
)

// provide takes functions as values, so uuid.New may be intended.
func provide(...any) { provide(uuid.New, uuid.NewV7, makes) }

// An account embeds an ID. A named ID has the methods that encoding/json uses.
type (
	account struct{ uuid.UUID }
	named   uuid.UUID // want named:"ids.UUID"
)

func (n named) MarshalText() ([]byte, error)  { return uuid.UUID(n).MarshalText() }
func (n *named) UnmarshalText(b []byte) error { return (*uuid.UUID)(n).UnmarshalText(b) }

func plainRight(a account, n named, own lib.UserID) {
	json.Marshal(map[named]any{n: a})
	json.Unmarshal(nil, &n)
	json.Marshal(struct {
		Own lib.UserID `json:"-"`
	}{own})
}

type hex struct{ uuid.UUID }

func (hex) String() string { return "" }

func formatsRight(id uuid.UUID, n snowflake.ID, h hex, arg string) {
	fmt.Printf("%s %v %q %d %d %x %x %x %T", id, id, id, n, n, id[:], int64(n), h, id)
	fmt.Printf(arg+"%d", id)
	fmt.Printf("%[2]s %d", id, id, n)
}

func cutsRight(id uuid.UUID, u ulid.ULID, n int) {
	v4, v7, set, taken, ranged := uuid.NewV4(), uuid.NewV7(), uuid.NewV7(), uuid.NewV7(), uuid.NewV7()
	_ = id.String()[:8] + v4.String()[:8] + v4.ULID().String()[:8] + v7.String()[24:] + v7.String()[:13] + u.String()[:10] + u.String()[:n] + u.String()[n:8]
	set, *(&taken) = id, id
	for _, ranged = range []uuid.UUID{id} {
		_ = set.String()[:8] + taken.String()[:8] + ranged.String()[:8]
	}
	scanned := uuid.NewV7()
	_ = scanned.Scan(nil)
	_ = scanned.String()[:8]
}

func remaindersRight(id snowflake.ID, shards int64) int64 {
	by := int64(7)
	return int64(id)%by + int64(id)>>22%shards + int64(id)%4096 + snowflake.Twitter().Split(id).Time.Unix()%shards
}

func fields(n *snowflake.Node, id snowflake.ID, err error) (int64, error) {
	id, err = n.TryNext()
	at := id >> 22
	return int64(id%1024 + id&4095 + id&0xfff000 + id&5 + at%7 + at&15), err
}

func roundedRight(row map[string]any, share float64, n int64) []snowflake.ID {
	exact, _ := row["id"].(json.Number).Int64()
	const typed float64 = 1e15
	return []snowflake.ID{
		snowflake.ID(exact), snowflake.ID(1e15), snowflake.ID(typed), snowflake.ID(share * 1024), snowflake.ID(int64(share*1024) << 22), snowflake.ID(n),
		snowflake.ID(len(row)),
	}
}

// keysRight stores functions where functions are expected, and uses a number as an index.
func keysRight(makes map[any]func() uuid.UUID, queue chan func() uuid.UUID, all []any, id uuid.UUID) any {
	queue <- uuid.Nil
	makes[id], makes[uuid.Max()] = uuid.Nil, uuid.Max
	return all[len(makes)]
}

func floatsRight(id, other snowflake.ID, all []snowflake.ID) []float64 {
	d := int64(id) - int64(other)
	const small snowflake.ID = 5
	rounded := float32(len(all))
	return []float64{
		float64(id - other), float64(id >> 22), float64(int64(id)>>22) / 2, float64(id & 0xfff), float64(d), float64(len(all)), float64(small),
		float64(snowflake.ID(7)), float64(snowflake.Twitter().Split(id).Time.UnixMilli()), float64(rounded), float64(id.Compare(other)),
	}
}

func nextRight(node *snowflake.Node) error {
	_, _ = node.TryNext()
	id, err := node.TryNext()
	looked, _ := node.TryNext()
	if looked == 0 {
		return nil
	}
	zero, _ := node.TryNext()
	if zero.IsZero() {
		return nil
	}
	after, _ := ulid.ULID{}.Increment()
	fmt.Println(id, after)
	return err
}

type refusal struct{ error }

func (refusal) Is(target error) bool { return target == uuid.ErrSyntax }

func statusRight(err, ErrOwn error) bool {
	switch {
	case errors.Is(err, uuid.ErrSyntax):
		return err == ErrOwn
	}
	return uuid.ErrSyntax != nil && err == nil
}

// bare compares errors that a clock returns unwrapped, errors from a table, and errors that a
// function of the program may return unwrapped.
func bare(n *snowflake.Node, c *ids.ClockLimit, err error) bool {
	_, err = n.TryNext()
	_, withheld := n.TryNext()
	for _, known := range []error{ids.ErrLength, ids.ErrSyntax} {
		if known == ids.ErrLength {
			return true
		}
	}
	row := struct{ want error }{ids.ErrLength}
	_, mixed := uuid.Parse("")
	mixed = known()
	result := func() (err error) {
		_, err = uuid.Parse("")
		defer func() { _ = err == ids.ErrSyntax }()
		return ids.ErrSyntax
	}
	switch known() {
	case ids.ErrSyntax, result():
		return true
	}
	return withheld == ids.ErrWithheld || err == ids.ErrEnded || row.want == ids.ErrLength || mixed == ids.ErrRange || known() == ids.ErrRange
}

func known() error { return ids.ErrRange }

var (
	_ = uuid.MustParse("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	_ = ulid.MustParse("01arz3ndektsv4rrffq69g5fav")
	_ = snowflake.MustParse("9223372036854775807")
	_ = typeid.MustParse[user]("user_01h2xcejqtf2nbrexx3vqjhp41")
)
