package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// network is made of TCP proxies. Bytes that a cut holds up are delivered when it heals, as
// after a real partition, so old requests arrive late.
type network struct {
	mu     sync.Mutex
	heard  *sync.Cond
	cut    map[link]bool
	conns  map[net.Conn]link
	closed bool
	all    sync.WaitGroup
}

// A link is one direction between two ends.
type link struct{ from, to string }

func newNetwork(t *testing.T) *network {
	n := &network{cut: map[link]bool{}, conns: map[net.Conn]link{}}
	n.heard = sync.NewCond(&n.mu)
	t.Cleanup(n.close)
	return n
}

// proxy listens for from and passes its connections on to the address of to. It returns its own
// address. An empty from means that sender tells it from the connection's first bytes.
func (n *network) proxy(t *testing.T, from, to, address string, sender func(head []byte) string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	n.all.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			n.all.Go(func() { n.serve(near, from, to, address, sender) })
		}
	})
	return listener.Addr().String()
}

func (n *network) serve(near net.Conn, from, to, address string, sender func([]byte) string) {
	defer near.Close()
	in := bufio.NewReader(near)
	if from == "" {
		from = sender(peekHead(in))
	}
	if !n.wait(link{from, to}) {
		return
	}
	far, err := net.Dial("tcp", address)
	if err != nil {
		return // the far end is down
	}
	defer far.Close()
	if !n.add(near, far, link{from, to}) {
		return
	}
	defer n.remove(near, far)
	var both sync.WaitGroup
	pump := func(dst net.Conn, src io.Reader, l link) {
		buf := make([]byte, 32<<10)
		for {
			k, err := src.Read(buf)
			if !n.wait(l) {
				break
			}
			if k > 0 {
				if _, err := dst.Write(buf[:k]); err != nil {
					break
				}
			}
			if err != nil {
				break
			}
		}
		near.Close()
		far.Close()
	}
	both.Go(func() { pump(far, in, link{from, to}) })
	both.Go(func() { pump(near, far, link{to, from}) })
	both.Wait()
}

// peekHead returns what has come of the head of a HTTP request.
func peekHead(in *bufio.Reader) []byte {
	for size := 1; ; size++ {
		head, err := in.Peek(max(size, in.Buffered()))
		if err != nil || bytes.Contains(head, []byte("\r\n\r\n")) {
			return head
		}
		size = len(head)
	}
}

// wait returns once the link is not cut, with false if the network is closed.
func (n *network) wait(l link) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.cut[l] && !n.closed {
		n.heard.Wait()
	}
	return !n.closed
}

func (n *network) add(near, far net.Conn, l link) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[near], n.conns[far] = l, l
	return !n.closed
}

func (n *network) remove(near, far net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, near)
	delete(n.conns, far)
}

// set cuts or heals links.
func (n *network) set(cut bool, links ...link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range links {
		n.cut[l] = cut
	}
	n.heard.Broadcast()
}

// reset closes the connections that were opened over the links.
func (n *network) reset(links ...link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c, l := range n.conns {
		for _, r := range links {
			if l == r {
				c.Close()
			}
		}
	}
}

func (n *network) close() {
	n.mu.Lock()
	n.closed = true
	for c := range n.conns {
		c.Close()
	}
	n.heard.Broadcast()
	n.mu.Unlock()
}
