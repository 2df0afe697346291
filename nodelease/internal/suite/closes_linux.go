package suite

import (
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// Closes closes a store, of which l is a lease, while its server is stopped and a call is under way. That and all later calls
// fail at once, also those of a Minter that is closed later.
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
		must.Fail(t, "a closed store", err, nodelease.ErrRefused, "the store is closed")
	}
	if took := time.Since(began); took > 4*time.Second { // of a Minter that would ask again
		t.Errorf("Close and the calls after it took %v", took)
	}
}
