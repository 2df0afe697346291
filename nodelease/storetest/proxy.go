package storetest

// This file contains a proxy that can make the connections between a store and its server fall
// silent.

import (
	"errors"
	"net"
	"sync"
	"testing"
)

// A proxy forwards connections between a store and its server. It can make a connection fall
// silent, which means that the connection stays open but carries no more data. Bytes that the proxy
// reads together count as one request.
type proxy struct {
	listener net.Listener
	server   string

	mu     sync.Mutex
	wires  []*wire
	ended  bool
	left   int  // number of requests to forward before one is dropped; negative means none
	answer bool // whether the answer is dropped instead of the request
	lost   *wire
}

// A wire is a client's connection to the proxy, together with the proxy's connection to the server.
type wire struct {
	client, server net.Conn
	silent         bool          // whether the connection has fallen silent; guarded by proxy.mu
	gone           chan struct{} // closed when the client has closed its end
}

// newProxy returns a proxy in front of a server. The proxy is closed when the test ends, and keeps
// silent connections open until then.
func newProxy(t *testing.T, server string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: server, left: -1}
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.ended = true
		for _, w := range p.wires {
			w.end()
		}
		p.mu.Unlock()
		all.Wait()
	})
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(c, &all) })
		}
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// loseRequest makes the proxy forward the next n requests and then drop one request. If n is
// negative, no request is dropped. If answer is true, the proxy forwards that request, too, but
// drops the answer to it. In both cases, the proxy also drops everything that is sent later on the
// same connection. loseRequest returns the connection that has fallen silent since the last call,
// or nil.
func (p *proxy) loseRequest(n int, answer bool) *wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	lost := p.lost
	p.left, p.answer, p.lost = n, answer, nil
	return lost
}

// serve forwards the data of a connection until one end is closed.
func (p *proxy) serve(client net.Conn, all *sync.WaitGroup) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		client.Close()
		return
	}
	w := &wire{client: client, server: server, gone: make(chan struct{})}
	p.mu.Lock()
	p.wires = append(p.wires, w)
	if p.ended {
		w.end()
	}
	p.mu.Unlock()
	all.Go(func() {
		pass(server, client, func() bool { return !p.isSilent(w) }, func() bool { return !p.isSilent(w) })
	})
	pass(client, server, func() bool { return p.request(w) }, func() bool { return !p.isSilent(w) })
	close(w.gone)
}

// pass reads bytes from one connection (from) and writes them to another (to), or drops them if
// mayPass returns false. When the first connection is closed, pass also closes the second one if
// endHeard returns true.
func pass(from, to net.Conn, mayPass, endHeard func() bool) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		if n > 0 && mayPass() {
			_, _ = to.Write(b[:n]) // the goroutine for the other direction gets the error
		}
		if err != nil {
			if endHeard() {
				to.Close()
			}
			return
		}
	}
}

func (p *proxy) isSilent(w *wire) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return w.silent
}

// request records that a request has arrived on the connection w. It reports whether the proxy must
// forward that request.
func (p *proxy) request(w *wire) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.silent || p.left < 0 {
		return !w.silent
	}
	p.left--
	if p.left >= 0 {
		return true
	}
	w.silent, p.lost = true, w
	return p.answer
}

func (w *wire) end() {
	w.client.Close()
	w.server.Close()
}

// closed returns an error if the client has not yet closed the silent connection w.
func (w *wire) closed() error {
	select {
	case <-w.gone:
		return nil
	default:
		return errors.New("the connection that fell silent is still open")
	}
}
