package pgstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
	"github.com/oneclock/ids/nodelease/storetest"
)

func openPool(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool := must.Get(pgtest.Connect(t.Context(), url))(t)
	t.Cleanup(pool.Close)
	return pool
}

func mustExec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// mustNew returns a store, after a first start if it is the first.
func mustNew(t *testing.T, pool *pgxpool.Pool, opts *pgstore.Options) *pgstore.Store {
	t.Helper()
	var own pgstore.Options
	if opts != nil {
		own = *opts
	}
	return must.Get(servers.First(func(first bool) (*pgstore.Store, error) {
		own.Init = first
		return pgstore.New(t.Context(), pool, &own)
	}))(t)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	_, address := pgtest.Start(t)
	url := pgtest.URL(address)
	pool := openPool(t, url)

	for _, mode := range []string{"exec", "simple_protocol"} {
		t.Run("store, "+mode, func(t *testing.T) {
			pool := openPool(t, url+"&pool_max_conns=40&default_query_exec_mode="+mode)
			storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
				opts := &pgstore.Options{Table: t.Name(), Nodes: 2, TTL: 2 * time.Second}
				return mustNew(t, pool, opts), mustNew(t, pool, opts)
			})
			t.Run("nothing", func(t *testing.T) {}) // waits for the parallel ones
		})
	}
	t.Run("defaults", func(t *testing.T) {
		mustNew(t, pool, nil)
		l := mustTake(t, mustNew(t, pool, &pgstore.Options{Holder: "me"}), time.Now())
		var rows, least, most int
		must.Do(t, pool.QueryRow(t.Context(), `select count(*), min(node), max(node) from node_lease`).Scan(&rows, &least, &most))
		if rows != 1025 || least != -1 || most != 1023 {
			t.Errorf("%d rows from %d to %d", rows, least, most)
		}
		var row string
		must.Do(t, pool.QueryRow(t.Context(), `select holder || length(token) from node_lease where node = $1`, l.Node()).Scan(&row))
		if row != "me36" {
			t.Errorf("row %q", row)
		}
	})
	t.Run("all create the table at once", func(t *testing.T) {
		mustExec(t, pool, `create schema "Own"`)
		var all sync.WaitGroup
		var made atomic.Int64
		for range 8 {
			all.Go(func() {
				_, err := pgstore.New(t.Context(), openPool(t, url), &pgstore.Options{Table: `Own.it's "one"`, Nodes: 16, Init: true})
				if err == nil {
					made.Add(1)
				} else if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		mustNew(t, pool, &pgstore.Options{Table: `Own.it's "one"`, Nodes: 32}) // and one sees more of them
		var rows int
		if err := pool.QueryRow(t.Context(), `select count(*) from "Own"."it's ""one"""`).Scan(&rows); err != nil || rows != 33 || made.Load() != 1 {
			t.Errorf("%d rows, made by %d, %v", rows, made.Load(), err)
		}
	})
	t.Run("few rights", func(t *testing.T) { testFewRights(t, url, pool) })
	t.Run("durability", func(t *testing.T) { testDurability(t, url, pool) })
	t.Run("table", func(t *testing.T) { testTable(t, pool) })
	t.Run("warnings", func(t *testing.T) { testWarnings(t, url, pool) })
	t.Run("cut off", func(t *testing.T) { testCutOff(t, pool) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, pool) })
	t.Run("bad options", func(t *testing.T) { testBadOptions(t, pool) })
	near, far := servers.Link{From: "minter", To: "postgres"}, servers.Link{From: "postgres", To: "minter"}
	distant := pgtest.Open(t, n.Proxy(t, "minter", "postgres", address, nil))
	t.Run("minting stops first", func(t *testing.T) {
		s := mustNew(t, distant, &pgstore.Options{Table: "cut", Nodes: 1, TTL: 3 * time.Second})
		servers.StopsFirst(t, n, s, func() (free bool, err error) {
			err = pool.QueryRow(t.Context(), `select expires <= clock_timestamp() from cut where node = 0`).Scan(&free)
			return free, err
		}, near, far)
	})
	t.Run("lost answers", func(t *testing.T) {
		own := openPool(t, pgtest.URL(n.Proxy(t, "minter", "postgres", address, nil))+"&default_query_exec_mode=simple_protocol") // one request a call
		testLostAnswers(t, n, pool, own, near, far)
	})
}

// testFewRights has a user who may do more and more of what New needs.
func testFewRights(t *testing.T, url string, pool *pgxpool.Pool) {
	mustExec(t, pool, `create schema closed; create role few login; grant usage on schema closed to few`)
	poor := openPool(t, strings.Replace(url, "test@", "few@", 1))
	denied := func(what string, nodes int64, init bool) {
		t.Helper()
		_, err := pgstore.New(t.Context(), poor, &pgstore.Options{Table: "closed.numbers", Nodes: nodes, Init: init})
		must.Fail(t, "a table that cannot be "+what, err, nil, "permission denied")
	}
	denied("created", 0, true)
	mustNew(t, pool, &pgstore.Options{Table: "closed.numbers"})
	denied("read", 0, false)
	mustExec(t, pool, `grant select, update on closed.numbers to few`)
	denied("filled up", 1025, true)
	s := must.Get(pgstore.New(t.Context(), poor, &pgstore.Options{Table: "closed.numbers"}))(t)
	mustTake(t, s, time.Now())
}

// testBadOptions has names and a holder that PostgreSQL cannot keep.
func testBadOptions(t *testing.T, pool *pgxpool.Pool) {
	for want, opts := range map[string]*pgstore.Options{
		"Options.Nodes -1 is not within 1 to 1048576":                                                                               {Nodes: -1},
		`Options.Holder "a\x00b" is not UTF-8 without a NUL`:                                                                        {Holder: "a\x00b"},
		`Options.Table "a\x00b" is not UTF-8 without a NUL`:                                                                         {Table: "own.a\x00b"},
		"PostgreSQL would cut the name to 63 bytes":                                                                                 {Table: "own." + strings.Repeat("ä", 32)},
		"prepare the table a.b.c: ERROR: cross-database references":                                                                 {Table: "a.b.c", Init: true},
		"prepare the table missing.table: there is no such table; if this is the first start, and only then, set Options.Init once": {Table: "missing.table"},
		"prepare the table missing.other: ERROR":                                                                                    {Table: "missing.other", Init: true},
		"prepare the table " + strings.Repeat("x.", 100) + ": ERROR":                                                                {Table: strings.Repeat("x.", 100)},
	} {
		_, err := pgstore.New(t.Context(), pool, opts)
		must.Fail(t, fmt.Sprintf("%+v", opts), err, nil, want)
	}
	_, err := pgstore.New(t.Context(), nil, nil)
	must.Fail(t, "nil pool", err, nil, "nil Pool")
}
