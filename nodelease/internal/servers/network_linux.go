package servers

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
)

// Network is made of TCP proxies. Bytes that a cut holds up are delivered when it heals, as
// after a real partition, so old requests arrive late.
type Network struct {
	mu    sync.Mutex
	heard *sync.Cond
	cut   map[Link]bool
	conns map[net.Conn]Link
}

// A Link is one direction between two ends.
type Link struct{ From, To string }

// NewNetwork returns a network, whose listeners end with the test.
func NewNetwork(t *testing.T) *Network {
	n := &Network{cut: map[Link]bool{}, conns: map[net.Conn]Link{}}
	n.heard = sync.NewCond(&n.mu)
	return n
}

// Proxy listens for from and passes its connections on to the address of to. It returns its own
// address. An empty from means that sender tells it from the connection's first bytes.
func (n *Network) Proxy(t *testing.T, from, to, address string, sender func(head []byte) string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go n.serve(near, from, to, address, sender)
		}
	}()
	return listener.Addr().String()
}

func (n *Network) serve(near net.Conn, from, to, address string, sender func([]byte) string) {
	defer near.Close()
	in := bufio.NewReader(near)
	if from == "" {
		from = sender(peekHead(in))
	}
	n.wait(Link{from, to})
	far, err := net.Dial("tcp", address)
	if err != nil {
		return // the far end is down
	}
	defer far.Close()
	n.mu.Lock()
	n.conns[near], n.conns[far] = Link{from, to}, Link{from, to}
	n.mu.Unlock()
	defer n.remove(near, far)
	var both sync.WaitGroup
	pump := func(dst net.Conn, src io.Reader, l Link) {
		buf := make([]byte, 32<<10)
		for {
			k, err := src.Read(buf)
			n.wait(l)
			if _, failed := dst.Write(buf[:k]); err != nil || failed != nil {
				break
			}
		}
		near.Close()
		far.Close()
	}
	both.Go(func() { pump(far, in, Link{from, to}) })
	both.Go(func() { pump(near, far, Link{to, from}) })
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

// wait returns once the link is not cut.
func (n *Network) wait(l Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.cut[l] {
		n.heard.Wait()
	}
}

func (n *Network) remove(near, far net.Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, near)
	delete(n.conns, far)
}

// Set cuts or heals links.
func (n *Network) Set(cut bool, links ...Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range links {
		n.cut[l] = cut
	}
	n.heard.Broadcast()
}

// Reset closes the connections that were opened over the links.
func (n *Network) Reset(links ...Link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c, l := range n.conns {
		if slices.Contains(links, l) {
			c.Close()
		}
	}
}
