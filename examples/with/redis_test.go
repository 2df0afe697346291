package with

import (
	"context"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/uuid"
	"github.com/redis/go-redis/v9"
)

// go-redis writes an ID as its bytes, which no other program expects, and a score is a float64.
func TestRedis(t *testing.T) {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
	defer client.Close()
	stored := func(value any) string {
		t.Helper()
		must.Do(t, client.Set(ctx, "key", value, 0).Err())
		return client.Get(ctx, "key").Val()
	}
	equal(t, stored(id), string(id[:]))
	equal(t, len(stored(number)), 8)
	equal(t, stored(id.String()), id.String())

	node, err := snowflake.NewNode(7, nil)
	must.Do(t, err)
	scores := map[float64]bool{}
	all := node.Append(nil, 10_000)
	for _, n := range all {
		scores[float64(n)] = true
	}
	equal(t, len(scores) < len(all)/100, true)

	a, b := uuid.NewV7(), uuid.NewV7()
	must.Do(t, client.ZAdd(ctx, "orders", redis.Z{Score: 0, Member: b.String()}, redis.Z{Score: 0, Member: a.String()}).Err())
	equal(t, client.ZRangeByLex(ctx, "orders", &redis.ZRangeBy{Min: "-", Max: "+"}).Val(), []string{a.String(), b.String()})
}
