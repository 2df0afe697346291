// Package good has nothing to report.
package good

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"text/template"
	"time"

	"example.com/lib"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
)

var (
	_             = ulid.MustParse("01h455vb4pex5vsknk084sn02q")
	_             = uuid.MustParse("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
	_             = snowflake.MustParse("9223372036854775807")
	_             = typeid.MustParse[user]("user_01h455vb4pex5vsknk084sn02q")
	zero      any = uuid.Nil()
	makes         = map[string]func() uuid.UUID{"nil": uuid.Nil, "new": uuid.New}
	functions     = template.FuncMap{"nil": uuid.Nil}
	env           = map[string]any{"max": uuid.Max, "print": fmt.Println}
	value         = reflect.ValueOf(uuid.Nil)
)

type user struct{}

func (user) Prefix() string { return "user" }

// provide takes functions as values: uuid.New may be meant.
func provide(...any) { provide(uuid.New, uuid.NewV7, makes) }

func panics(s string) {
	defer func() { _ = recover() }()
	uuid.MustParse("no id")
	uuid.MustParse(s)
}

func panicsWith(func()) { panicsWith(func() { ulid.MustParse("no id") }) }

// An account embeds the id, and a named id has the methods that it needs.
type (
	account struct{ uuid.UUID }
	alias   = uuid.UUID
	named   uuid.UUID // want named:"ids.UUID"
)

func (n named) String() string                { return uuid.UUID(n).String() }
func (n named) MarshalText() ([]byte, error)  { return uuid.UUID(n).MarshalText() }
func (n *named) UnmarshalText(b []byte) error { return (*uuid.UUID)(n).UnmarshalText(b) }
func (n *named) Scan(v any) error             { return (*uuid.UUID)(n).Scan(v) }

func plain(rows *sql.Rows, a account, b alias, n named, own lib.UserID) {
	rows.Scan(&a, &b, &n)
	json.Marshal(map[named]any{n: a})
	json.Unmarshal(nil, &n)
	fmt.Println(a, b, n, uuid.UUID(own))
	fmt.Printf("%x %T", own, own)
	json.Marshal(struct {
		Own lib.UserID `json:"-"`
	}{own})
}

type hex struct{ uuid.UUID }

func (hex) String() string { return "" }

func formats(id uuid.UUID, n snowflake.ID, h hex, arg string) {
	fmt.Printf("%s %v %q %d %d %x %x %x %T", id, id, id, n, n, id[:], int64(n), h, id)
	fmt.Printf(arg+"%d", id)
	fmt.Printf("%[2]s %d", id, id, n)
}

func cuts(id uuid.UUID, u ulid.ULID, n int) {
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

func remainders(id snowflake.ID, shards int64) int64 {
	by := int64(7)
	return int64(id)%by + int64(id)>>22%shards + int64(id)%4096 + snowflake.Twitter().Split(id).Time.Unix()%shards
}

func fields(n *snowflake.Node, id snowflake.ID, err error) (int64, error) {
	id, err = n.TryNext()
	at := id >> 22
	return int64(id%1024 + id&4095 + id&0xfff000 + id&5 + at%7 + at&15), err
}

func keep(f *clockfile.File, err error) (*clockfile.File, time.Time, error) {
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	func() {
		other, _ := clockfile.Open("other", nil)
		defer other.Close()
	}()
	return f, time.Now(), err
}

func mint(f *clockfile.File) (snowflake.ID, error, func() *clockfile.File) {
	defer f.Close()
	n, err := snowflake.NewNode(7, &snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return 0, err, nil
	}
	return n.Next(), f.Close(), func() *clockfile.File { return nil }
}

func next(node *snowflake.Node) error {
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

func status(err, ErrOwn error) bool {
	switch {
	case errors.Is(err, uuid.ErrSyntax):
		return err == ErrOwn
	}
	return uuid.ErrSyntax != nil && err == nil
}
