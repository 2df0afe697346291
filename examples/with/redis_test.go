package with

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/ulid"
	"github.com/oneclock/ids/uuid"
	"github.com/redis/go-redis/v9"
)

func redisClient(t *testing.T) *redis.Client {
	rdb := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// As text, ids are read by everything: by people, by Get and by HGetAll.
func TestRedisText(t *testing.T) {
	ctx, rdb := t.Context(), redisClient(t)
	must(t, rdb.Set(ctx, "latest", id.String(), 0).Err())
	text, err := rdb.Get(ctx, "latest").Result()
	must(t, err)
	u, err := uuid.Parse(text)
	must(t, err)
	equal(t, u, id)

	must(t, rdb.HSet(ctx, "order:1", "id", id.String(), "event", event.String(), "number", number.String(), "parent", "").Err())
	var o struct {
		ID     uuid.UUID    `redis:"id"`
		Event  ulid.ULID    `redis:"event"`
		Number snowflake.ID `redis:"number"`
		Parent uuid.Null    `redis:"parent"`
	}
	must(t, rdb.HGetAll(ctx, "order:1").Scan(&o))
	equal(t, o.ID, id)
	equal(t, o.Event, event)
	equal(t, o.Number, number)
	equal(t, o.Parent, uuid.Null{})
}

// The ids themselves are written as their bytes, which Get reads, but HGetAll does not.
func TestRedisBytes(t *testing.T) {
	ctx, rdb := t.Context(), redisClient(t)
	must(t, rdb.Set(ctx, "latest", id, 0).Err())
	equal(t, rdb.Get(ctx, "latest").Val(), string(id[:]))
	var u uuid.UUID
	must(t, rdb.Get(ctx, "latest").Scan(&u))
	equal(t, u, id)

	must(t, rdb.HSet(ctx, "order:1", "id", id).Err())
	var o struct {
		ID uuid.UUID `redis:"id"`
	}
	refused(t, rdb.HGetAll(ctx, "order:1").Scan(&o))
	refused(t, rdb.Set(ctx, "parent", uuid.Null{}, 0).Err())
}
