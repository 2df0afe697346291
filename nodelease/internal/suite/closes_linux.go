package suite

// This file contains tests that stop and restart servers. They run on Linux only.

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// Restarts stops a server with sig and starts it again while the store has a lease. It does so
// twice. It makes a call during the first stop, but not during the second. The first call after
// each start must succeed without a retry. Restarts returns the lease.
func Restarts(t *testing.T, s nodelease.Store, server *servers.Server, sig os.Signal, ping func(context.Context) error) nodelease.Lease {
	t.Helper()
	l := Take(t, s).Lease
	extend := func() error { return l.Extend(t.Context(), time.Now().Truncate(time.Microsecond)) }
	server.Stop(sig)
	if err := extend(); err == nil {
		t.Error("Extend without a server has no error")
	}
	server.Start(t)
	must.Soon(t, func() error { return ping(t.Context()) })
	must.Do(t, extend())
	server.Stop(sig)
	server.Start(t)
	must.Soon(t, func() error { return ping(t.Context()) })
	must.Do(t, extend())
	return l
}

// Closes tests that a store can be closed while its server is stopped and a call is in progress.
// The lease l is from that store. The call and all later calls must fail immediately. This includes
// the calls that a Minter makes when that Minter is closed after the store.
func Closes(t *testing.T, s interface {
	nodelease.Store
	Close()
}, l nodelease.Lease, server *servers.Server) {
	t.Helper()
	m := must.Get(nodelease.NewMinter(s, nil))(t)
	must.Do(t, m.Wait(t.Context()))
	server.Signal(syscall.SIGSTOP)
	defer server.Signal(syscall.SIGCONT)
	now := time.Now().Truncate(time.Microsecond)
	began := time.Now()
	underWay := make(chan error, 1)
	go func() { underWay <- l.Extend(t.Context(), now) }()
	time.Sleep(10 * time.Millisecond)
	s.Close()
	s.Close()
	_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
	for _, err := range []error{<-underWay, err, l.Extend(t.Context(), now), l.Release(t.Context(), now), m.Close()} {
		must.Fail(t, "a closed store", err, nodelease.ErrRefused, " is closed")
	}
	if took := time.Since(began); took > 4*time.Second { // a Minter that retries takes longer
		t.Errorf("Close and the calls after it took %v", took)
	}
}
