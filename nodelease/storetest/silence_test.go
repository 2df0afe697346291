package storetest_test

// Tests that Silence finds flawed clients.

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/memstore"
	"github.com/oneclock/ids/nodelease/storetest"
)

// TestFlawedClients plants one flaw at a time in a store that reaches its server over a network.
// Silence must find each flaw.
func TestFlawedClients(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for _, flaw := range []string{
		"", "heeds no context", "goes on over a dead connection", "leaves connections open", "keeps a number for nobody", "locks between two requests",
	} {
		found := make(chan error, 100)
		var trials sync.WaitGroup
		for _, call := range []string{"Take", "Extend", "Release"} {
			for request := range 3 {
				trials.Go(func() {
					for _, answer := range []bool{false, true} {
						try := func(failures int) error {
							s := newServer(t)
							n := storetest.Network{Server: s.address(), Open: func(t *testing.T, address string) nodelease.Store {
								return &client{server: s, address: address, flaw: flaw}
							}}
							return storetest.Trial(t, n, call, request, answer, failures)
						}
						err := try(0)
						for failures := 1; flaw == "" && errors.Is(err, storetest.ErrMaybeSlow) && failures < 4; failures++ {
							err = try(failures)
						}
						if err != nil {
							found <- err
						}
					}
				})
			}
		}
		all.Go(func() {
			trials.Wait()
			close(found)
			n := 0
			for err := range found {
				if n++; flaw == "" {
					t.Error(err)
				}
			}
			if n == 0 && flaw != "" {
				t.Errorf("not found: %s", flaw)
			}
		})
	}
	all.Wait()
}

// server has the numbers 0 and 1, for a minute each. A request selects an action by its index in
// todo, and the answer is a byte.
type server struct {
	net.Listener
	memory *memstore.Store
	row    chan bool // locked

	mu   sync.Mutex
	todo []func()
}

func newServer(t *testing.T) *server {
	s := &server{Listener: must.Get(net.Listen("tcp", "127.0.0.1:0"))(t), memory: memstore.New(2, time.Minute), row: make(chan bool, 1)}
	t.Cleanup(func() { s.Close() })
	go func() {
		for {
			c, err := s.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s
}

func (s *server) address() string { return s.Addr().String() }

func (s *server) serve(c net.Conn) {
	defer c.Close()
	for b := make([]byte, 8); ; {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		s.mu.Lock()
		do := s.todo[binary.BigEndian.Uint64(b)]
		s.mu.Unlock()
		do()
		if _, err := c.Write(b[:1]); err != nil {
			return
		}
	}
}

// client is a store that uses one connection at a time to a server.
type client struct {
	server        *server
	address, flaw string
	conn          net.Conn
}

// call makes the server do the actions one after another.
func (c *client) call(ctx context.Context, todo ...func()) error {
	for _, do := range todo {
		if err := c.request(ctx, do); err != nil {
			if c.flaw != "leaves connections open" && c.flaw != "goes on over a dead connection" && c.conn != nil {
				c.conn.Close()
			}
			if c.flaw != "goes on over a dead connection" {
				c.conn = nil
			}
			return err
		}
	}
	return nil
}

func (c *client) request(ctx context.Context, do func()) (err error) {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.address); err != nil {
			return err
		}
	}
	_ = c.conn.SetDeadline(time.Time{})
	if c.flaw != "heeds no context" {
		conn := c.conn
		defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	}
	c.server.mu.Lock()
	b := binary.BigEndian.AppendUint64(nil, uint64(len(c.server.todo)))
	c.server.todo = append(c.server.todo, do)
	c.server.mu.Unlock()
	if _, err = c.conn.Write(b); err == nil {
		_, err = io.ReadFull(c.conn, b[:1])
	}
	return err
}

func (c *client) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	var g nodelease.Grant
	var none error
	var mu sync.Mutex
	err := c.call(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		g, none = c.server.memory.Take(context.Background(), r)
	})
	if err != nil && c.flaw != "keeps a number for nobody" {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.call(last, func() {
			mu.Lock()
			defer mu.Unlock()
			if g.Lease != nil {
				_ = g.Lease.Release(context.Background(), g.Horizon)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if err != nil || none != nil {
		return nodelease.Grant{}, cmp.Or(err, none)
	}
	g.Lease = &clientLease{c, g.Lease}
	return g, nil
}

type clientLease struct {
	*client
	at nodelease.Lease // lease on the server
}

func (l *clientLease) Extend(ctx context.Context, horizon time.Time) error {
	return l.write(ctx, func() error { return l.at.Extend(context.Background(), horizon) })
}

func (l *clientLease) Release(ctx context.Context, horizon time.Time) error {
	return l.write(ctx, func() error { return l.at.Release(context.Background(), horizon) })
}

func (l *clientLease) write(ctx context.Context, do func() error) error {
	result := make(chan error, 1)
	todo := []func(){func() { result <- do() }}
	if l.flaw == "locks between two requests" {
		todo = []func(){func() { l.server.row <- true }, func() { result <- do(); <-l.server.row }}
	}
	if err := l.call(ctx, todo...); err != nil {
		return err
	}
	return <-result
}
