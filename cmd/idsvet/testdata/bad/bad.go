package bad

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"

	"example.com/lib"
)

var (
	series       = ids.MustParseULID("0000000000xx" + selected)              // want `oklog/ulid reads it as 0000000000XXSFZECTEDSESZES`
	big          = ulid.MustParse("80000000000000000000000000")              // want `begin with 0 to 7$`
	braces       = uuid.MustParse("(f81d4fae-7dec-11d0-a765-00a0c91e6bf6)")  // want `is no UUID`
	flake        = snowflake.MustParse("-1")                                 // want `is no Snowflake`
	prefixed     = typeid.MustParse[user]("user_01H455VB4PEX5VSKNK084SN02Q") // want `is no TypeID`
	zero     any = uuid.Nil                                                  // want `uuid.Nil is a function`
	zeros        = map[string]any{"zero": uuid.Max}                          // want `uuid.Max is a function`
)

var nilUUID = uuid.Nil

const selected = "SELECTEDSERIES"

type user struct{}

func (user) Prefix() string { return "user" }

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

type own lib.UserID // want own:"ids.UUID"

func plain(rows *sql.Rows, id own, m map[string][]row) {
	rows.Scan(&id)          // want `own cannot be scanned: it has no methods of ids.UUID`
	json.Marshal(m)         // want `UserID is a list of 16 numbers in JSON`
	json.Unmarshal(nil, &m) // want `UserID is a list`
	fmt.Println("id", id)   // want `own is written as`
	fmt.Printf("%v", &id)   // want `own is written as`
}

type key struct{ uuid.UUID }

func wrapped(t *testing.T, s string, args ...any) { t.Logf(s, args...) }

func formats(t *testing.T, id uuid.UUID, k key, u ulid.ULID, n snowflake.ID, b []ulid.Binary) {
	fmt.Printf("%5.*d%% %x", 2, 1, id)                  // want `%x writes the digits of the text of this UUID, in hexadecimal; pass the bytes`
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

func openNode(path string) (*snowflake.Node, error) {
	f, err := clockfile.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer f.Close() // want `this closes what the function returns`
	opts := &snowflake.Options{Clock: f.Clock()}
	n, err := snowflake.NewNode(7, opts)
	return n, err
}

var openServer = func(f *clockfile.File) struct{ c *ids.Clock } {
	defer f.Close() // want `this closes what the function returns`
	return struct{ c *ids.Clock }{c: f.Clock()}
}

type nodes struct{ *snowflake.Node }

func next(ctx context.Context, n nodes) {
	id, _ := n.TryNext()       // want `with an error, which is dropped here, the id of TryNext is 0`
	id, _ = n.NextContext(ctx) // want `NextContext`
	fmt.Println(id)
}

func status(text string) int {
	_, err := uuid.Parse(text)
	if err == ids.ErrSyntax || clockfile.ErrLocked != (err) { // want `not equal to ids.ErrSyntax: use errors.Is` `not equal to clockfile.ErrLocked`
		return 400
	}
	switch err {
	case nil, uuid.ErrLength: // want `not equal to uuid.ErrLength`
	}
	return 500
}
