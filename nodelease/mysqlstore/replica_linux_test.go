package mysqlstore_test

// Tests with a semi-synchronous replica.

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/mysqlstore"
)

// TestReplica lets a semi-synchronous replica execute the writes of the store, in each format of
// the binary log and with autocommit off on either server. The tables are equal. Then the test
// kills the primary under four holders, which keep running, and promotes the replica, which grants
// their numbers to others. No ID occurs twice.
func TestReplica(t *testing.T) {
	t.Parallel()
	primary, dsn := mytest.StartPrimary(t)
	_, other := mytest.StartReplica(t, dsn, 2, "--rpl-semi-sync-slave-enabled=1", "--read-only=1")
	db, replica := mytest.Open(t, dsn, "autocommit=1"), mytest.Open(t, other, "autocommit=1")
	mytest.WaitForReplicas(t, db, "1")
	now := time.Now().UTC().Truncate(time.Microsecond)
	var last *mysqlstore.Store
	for _, format := range []string{"ROW", "MIXED", "STATEMENT"} {
		for _, auto := range [][2]string{{"1", "1"}, {"0", "1"}, {"1", "0"}} { // on the primary, and on the replica
			mytest.Exec(t, db, `set global autocommit = `+auto[0])
			mytest.Exec(t, replica, `stop slave; set global autocommit = `+auto[1]+`; start slave`)
			opts := &mysqlstore.Options{Table: fmt.Sprint("test.", format, auto[0], auto[1]), Numbers: 4, TTL: 3 * time.Second}
			s := mustNew(t, mytest.With(dsn, "binlog_format="+format), opts)
			last = s
			g := suite.Take(t, s)
			must.Do(t, suite.Take(t, s).Lease.Extend(t.Context(), now))
			must.Do(t, g.Lease.Extend(t.Context(), now.Add(time.Hour)))
			must.Do(t, g.Lease.Release(t.Context(), now.Add(-time.Hour)))
			scan(t, replica, `select master_gtid_wait('`+scan(t, db, `select @@gtid_binlog_pos`)+`', 30)`)
			rows := `select group_concat(concat_ws(' ', number, token, holder, expires, horizon) order by number) from ` + opts.Table
			if got, want := scan(t, replica, rows), scan(t, db, rows); got != want {
				t.Errorf("%s, autocommit %s on the primary and %s on the replica: it has\n%s, want\n%s", format, auto[0], auto[1], got, want)
			}
		}
	}

	var seen sync.Map
	var twice atomic.Int64
	var minters sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	defer minters.Wait()
	defer end()
	mint := func(s nodelease.Store) { // until ctx is done, even while the server of s is down
		var counts [4]atomic.Int64
		for i := range counts {
			m := must.Get(nodelease.NewMinter(s, nil))(t)
			minters.Go(func() {
				for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
					if id, err := m.NextContext(ctx); err == nil {
						counts[i].Add(1)
						if _, was := seen.LoadOrStore(id, true); was {
							twice.Add(1)
						}
					}
				}
				_ = m.Close() // fails if its server was killed
			})
		}
		for i := range counts {
			must.Soon(t, func() error {
				if n := counts[i].Load(); n < 500 {
					return fmt.Errorf("a minter has %d ids", n)
				}
				return nil
			})
		}
	}
	mint(last) // statements, and the replica's autocommit is off
	primary.Stop(syscall.SIGKILL)
	mytest.Exec(t, replica, `stop slave io_thread`)
	must.Soon(t, func() error { // the replica may not yet have executed all that it has acknowledged
		state := scan(t, replica, `select coalesce(max(state), '') from information_schema.processlist where command = 'Slave_SQL'`)
		if !strings.HasPrefix(state, "Slave has read all relay log") {
			return fmt.Errorf("the replica executes: %s", state)
		}
		return nil
	})
	mytest.Exec(t, replica, `stop slave; reset slave all; set global read_only = 0`)
	promoted := &mysqlstore.Options{Table: "test.STATEMENT10", Numbers: 4, TTL: 3 * time.Second}
	mint(must.Get(mysqlstore.New(t.Context(), other, promoted))(t))
	end()
	minters.Wait()
	if n := twice.Load(); n > 0 {
		t.Errorf("%d ids occur twice", n)
	}
}
