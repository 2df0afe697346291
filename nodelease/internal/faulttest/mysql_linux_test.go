package faulttest_test

import (
	"syscall"
	"testing"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/mytest"
)

// TestMySQLFaults is TestPostgresFaults over a MariaDB server that is killed.
func TestMySQLFaults(t *testing.T) {
	n := servers.NewNetwork(t)
	s, dsn := mytest.Start(t, "--skip-log-bin")
	var dsns []string
	for i := range sides {
		dsns = append(dsns, mytest.At(t, dsn, n.Proxy(t, side(i), "mysql", mytest.Address(t, dsn), nil), ""))
	}
	db := mytest.Open(t, dsn)
	(&trial{
		processes: 4, length: length(t),
		job:    func(i int) job { return job{MySQL: dsns[i%sides]} },
		faults: []fault{linkFaults(n, "mysql"), restarts(t, s, syscall.SIGKILL)},
		kinds:  7,
		held: func() (held int64, err error) {
			err = db.QueryRowContext(t.Context(), `select count(*) from faults where number >= 0 and expires > utc_timestamp(6)`).Scan(&held)
			return held, err
		},
	}).run(t)
}
