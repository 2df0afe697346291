package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/faulttest"
	"github.com/oneclock/ids/nodelease/pgstore"
	"github.com/oneclock/ids/nodelease/storetest"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	n := faulttest.NewNetwork(t)
	_, address := faulttest.StartPostgres(t)
	// Each test has the table in a schema of its own.
	open := func(t *testing.T, address, schema, options string, nodes int64, ttl time.Duration) (*pgstore.Store, error) {
		pool, err := pgxpool.New(t.Context(), faulttest.PostgresURL(address)+"&search_path="+schema+options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		if _, err := pool.Exec(t.Context(), "create schema if not exists "+schema); err != nil {
			t.Fatal(err)
		}
		return pgstore.New(t.Context(), pool, "test", nodes, ttl)
	}
	mustOpen := func(t *testing.T, address, schema, options string, nodes int64, ttl time.Duration) *pgstore.Store {
		t.Helper()
		s, err := open(t, address, schema, options, nodes, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("asynchronous commit", func(t *testing.T) {
		if _, err := open(t, address, "asynchronous", "&synchronous_commit=off", 2, 2*time.Second); err == nil {
			t.Error("no error although a crash could take a mark back")
		}
	})
	t.Run("store", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) nodelease.Store { return mustOpen(t, address, "store", "", 2, 2*time.Second) })
	})
	t.Run("minting stops first", func(t *testing.T) {
		near, err := pgxpool.New(t.Context(), faulttest.PostgresURL(address))
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		far := mustOpen(t, n.Proxy(t, "minter", "postgres", address, nil), "cut", "", 1, 3*time.Second)
		faulttest.StopsFirst(t, far, func() (free bool) {
			if err := near.QueryRow(t.Context(), `select expires <= clock_timestamp() from cut.node_lease`).Scan(&free); err != nil {
				t.Fatal(err)
			}
			return free
		}, func(on bool) {
			n.Set(on, faulttest.Link{From: "minter", To: "postgres"}, faulttest.Link{From: "postgres", To: "minter"})
		})
	})
	t.Run("all numbers", func(t *testing.T) {
		numbers := 1024
		if testing.Short() {
			numbers = 64
		}
		faulttest.AllNumbers(t, mustOpen(t, address, "all_numbers", "&pool_max_conns=20", int64(numbers), 15*time.Second), numbers)
	})
}
