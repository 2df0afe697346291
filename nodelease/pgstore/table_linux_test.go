package pgstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// testTable has a table that is not there, that others have made, and that loses rows.
func testTable(t *testing.T, pool *pgxpool.Pool) {
	create := func(opts pgstore.Options) error { _, err := pgstore.New(t.Context(), pool, &opts); return err }
	first := pgstore.Options{Table: "rows", Nodes: 3, Init: true}
	later := pgstore.Options{Table: "rows", Nodes: 3}
	must.Fail(t, "no table", create(later), fs.ErrNotExist, "there is no such table", "set Options.Init once")
	must.Do(t, create(first))
	must.Fail(t, "a second first start", create(first), fs.ErrExist, "nothing is missing")
	more := pgstore.Options{Table: "rows", Nodes: 5}
	must.Fail(t, "more numbers", create(more), fs.ErrNotExist, "of 5 rows 2 are missing")
	more.Init = true
	must.Do(t, create(more))
	s := must.Get(pgstore.New(t.Context(), pool, &later))(t)
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now(), Layout: ids.SonyflakeLayout()})
	must.Fail(t, "Take for another layout", err, nil,
		"tick 1ms, 10 node bits, 12 sequence bits, node first", "tick 10ms, 16 node bits, 8 sequence bits, node last")
	other := pgstore.Options{Table: "rows", Nodes: 9, Init: true, Layout: ids.SonyflakeLayout()}
	must.Fail(t, "a first start with another layout", create(other), nil, "tick 1ms", "tick 10ms")

	a, b := mustTake(t, s, time.Now()), mustTake(t, s, time.Now())
	if a.Free() != 2 || b.Free() != 1 {
		t.Errorf("%d and %d numbers were free, want 2 and 1", a.Free(), b.Free())
	}
	mustExec(t, pool, `delete from rows where node = `+fmt.Sprint(a.Node()))
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take without a row", err, fs.ErrNotExist, "of 3 rows 1 are missing")
	must.Fail(t, "New without a row", create(later), fs.ErrNotExist, "of 3 rows 1 are missing")
	must.Fail(t, "Extend without a row", a.Extend(t.Context(), time.Now()), nodelease.ErrLost)
	must.Do(t, create(first))
	mustExec(t, pool, `delete from rows where node = -1`)
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take without the layout", err, fs.ErrNotExist, "no row of the node -1")
	mustExec(t, pool, `truncate rows`)
	must.Fail(t, "New of an empty table", create(later), fs.ErrNotExist, "of 3 rows 3 are missing")

	mustExec(t, pool, `create table old (node integer primary key, fence bigint, expires timestamptz, mark timestamptz)`)
	must.Fail(t, "an old table", create(pgstore.Options{Table: "old"}), nil, `column "token" does not exist`, "another version of package nodelease")
	must.Do(t, create(pgstore.Options{Table: "newer", Nodes: 1, Init: true}))
	mustExec(t, pool, `update newer set holder = 'schema 2: x' where node = -1`)
	s = must.Get(pgstore.New(t.Context(), pool, &pgstore.Options{Table: "newer", Nodes: 1}))(t)
	_, err = s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	must.Fail(t, "a newer schema", err, nil, `"schema 2: x"`, `"schema 1: epoch`, "another version of package nodelease")
}

// testWarnings has pools that keep the server's warnings and some that do not.
func testWarnings(t *testing.T, url string, pool *pgxpool.Pool) {
	deaf := must.Get(pgxpool.New(t.Context(), url))(t)
	defer deaf.Close()
	_, err := pgstore.New(t.Context(), deaf, nil)
	must.Fail(t, "a pool that nobody has configured", err, nil, "call pgstore.Configure with its *pgxpool.Config before pgxpool.NewWithConfig")

	config := must.Get(pgxpool.ParseConfig(url + "&client_min_messages=error&pool_max_conns=1"))(t)
	var heard []string
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { heard = append(heard, n.Severity+n.Message) }
	pgstore.Configure(config)
	first := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer first.Close()
	copied := must.Get(pgxpool.NewWithConfig(t.Context(), first.Config()))(t)
	defer copied.Close()
	s := mustNew(t, copied, &pgstore.Options{Table: "warned", Nodes: 2})
	if len(heard) == 0 || !strings.HasPrefix(heard[0], "WARNINGnodelease tries") {
		t.Errorf("the OnNotice of the configuration has heard %q", heard)
	}
	l := mustTake(t, s, time.Now())
	mark := time.Now().Truncate(time.Microsecond)
	mustExec(t, copied, `set client_min_messages = 'notice'; do $$ begin raise warning 'of another statement'; end $$; set client_min_messages = 'error'`)
	must.Do(t, l.Extend(t.Context(), mark))

	// A trigger warns at the commit, as the server does where a wait for the standby is cancelled.
	mustExec(t, pool, `create function warn() returns trigger language plpgsql as
		$$ begin if new.node >= 0 then raise notice 'harmless'; raise warning 'may not have been replicated'; end if; return null; end $$`)
	mustExec(t, pool, `create constraint trigger warn after update on warned deferrable initially deferred for each row execute function warn()`)
	calls := map[string]func() error{
		"Extend":  func() error { return l.Extend(t.Context(), mark) },
		"Release": func() error { return l.Release(t.Context(), mark) },
		"Take":    func() error { _, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()}); return err },
	}
	for _, name := range []string{"Extend", "Take", "Release"} {
		must.Fail(t, name, calls[name](), nil, "may not last: may not have been replicated")
	}
	mustExec(t, pool, `drop trigger warn on warned`)
	mustTake(t, s, time.Now()) // none is held for nobody
	mustTake(t, s, time.Now())
}

// TestPooler has six pools, each of several connections, work at once through PgBouncer, which gives each transaction
// one of two connections to the server.
func TestPooler(t *testing.T) {
	t.Parallel()
	dir, run := pgtest.Command(t, "pgbouncer")
	_, address := pgtest.Start(t)
	host, port, _ := strings.Cut(address, ":")
	own := servers.FreePorts(t, 1)[0]
	_, listen, _ := strings.Cut(own, ":")
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\npostgres = host=%s port=%s user=test\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n", host, port, listen)
	must.Do(t, os.WriteFile(config, []byte(text), 0o644))
	pooler := &servers.Server{Log: filepath.Join(dir, "log"), Command: func() *exec.Cmd { return run("pgbouncer", config) }}
	pooler.Start(t)
	t.Cleanup(func() { pooler.Stop(syscall.SIGKILL) })
	mustNew(t, pgtest.Open(t, own), &pgstore.Options{Nodes: 6})
	var all sync.WaitGroup
	var held sync.Map
	for range 6 {
		all.Go(func() {
			pool := openPool(t, pgtest.URL(own)+"&pool_max_conns=3")
			s, err := pgstore.New(t.Context(), pool, &pgstore.Options{Nodes: 6})
			if err != nil {
				t.Errorf("New: %v", err)
				return
			}
			for round := range 20 {
				l, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
				if errors.Is(err, nodelease.ErrNoNode) {
					continue // others were faster
				}
				if err != nil {
					t.Errorf("Take: %v", err)
					return
				}
				if _, twice := held.LoadOrStore(l.Node(), true); twice {
					t.Errorf("node %d is held twice", l.Node())
				}
				mark := time.Now().Truncate(time.Microsecond)
				if err := errors.Join(l.Extend(t.Context(), mark), l.Extend(t.Context(), mark.Add(time.Minute))); err != nil {
					t.Errorf("Extend in round %d: %v", round, err)
				}
				held.Delete(l.Node())
				if err := l.Release(t.Context(), mark); err != nil {
					t.Errorf("Release: %v", err)
				}
			}
		})
	}
	all.Wait()
}
