package faulttest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

// TestEtcdFaults has 100 groups share 102 node numbers of a three-member etcd cluster while
// minting processes and members are killed and paused and the network between them is cut.
func TestEtcdFaults(t *testing.T) {
	t.Parallel()
	const sides = 4 // the processes reach the members over this many sets of proxies
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n)
	endpoints := make([][]string, sides)
	for side := range endpoints {
		for _, m := range cluster.Members {
			endpoints[side] = append(endpoints[side], n.Proxy(t, fmt.Sprintf("side%d", side), m.Name, m.Client, nil))
		}
	}
	tr := &trial{
		processes: 8, local: 20, want: 10_000_000, length: 60 * time.Second, nodes: 102, ttl: 2 * time.Second,
		job:    func(i int) job { return job{Etcd: endpoints[i%sides]} },
		expect: append([]string{"member killed", "member paused", "member isolated", "member unable to hear or to speak"}, linkFaultKinds...),
	}
	if testing.Short() {
		tr.want, tr.length = 500_000, 6*time.Second
	}
	client := cluster.Open(t)
	defer client.Close()
	tr.faults = append(tr.faults,
		func(ctx context.Context, rng *rand.Rand) { tr.memberFaults(ctx, t, rng, cluster, client) },
		func(ctx context.Context, rng *rand.Rand) {
			tr.linkFaults(ctx, rng, n, sides, []string{"m0", "m1", "m2"})
		},
	)
	tr.run(t)

	// All handed their numbers back; those of killed processes are free by now or after their TTL.
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		resp, err := client.Get(t.Context(), "/test/owner/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			t.Fatal(err)
		}
		if resp.Count == 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("%d numbers are still held", resp.Count)
		}
	}
}

// memberFaults kills, pauses and isolates one member after another, and now and then a second
// one with it.
func (tr *trial) memberFaults(ctx context.Context, t *testing.T, rng *rand.Rand, c *etcdtest.Cluster, client *clientv3.Client) {
	for fault := rng.IntN(4); ; fault = (fault + 1) % 4 {
		sleep(ctx, between(rng, 300*time.Millisecond, 1500*time.Millisecond))
		if ctx.Err() != nil {
			return
		}
		m := c.Members[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			m = c.Leader(client)
		}
		chosen := []*etcdtest.Member{m}
		if rng.IntN(5) == 0 {
			chosen = append(chosen, c.Members[(m.Index()+1+rng.IntN(2))%3])
		}
		length := between(rng, 500*time.Millisecond, 5*time.Second)
		var mend []func()
		for _, m := range chosen {
			in, out := c.Links(m)
			switch fault {
			case 0:
				tr.count("member killed")
				m.Stop(syscall.SIGKILL)
				mend = append(mend, func() { m.Start(t) })
			case 1:
				tr.count("member paused")
				m.Signal(syscall.SIGSTOP)
				mend = append(mend, func() { m.Signal(syscall.SIGCONT) })
			case 2:
				tr.count("member isolated")
				both := append(in, out...)
				c.Network.Set(true, both...)
				mend = append(mend, func() { c.Network.Set(false, both...) })
			case 3:
				tr.count("member unable to hear or to speak")
				one := in
				if rng.IntN(2) == 0 {
					one = out
				}
				c.Network.Set(true, one...)
				mend = append(mend, func() { c.Network.Set(false, one...) })
			}
		}
		sleep(ctx, length)
		for _, f := range mend {
			f()
		}
	}
}

var linkFaultKinds = []string{"connections reset", "requests held up", "answers held up", "link cut"}

// linkFaults cuts and resets the links between the minting processes and the servers.
func (tr *trial) linkFaults(ctx context.Context, rng *rand.Rand, n *servers.Network, sides int, names []string) {
	for fault := rng.IntN(4); ; fault = (fault + 1) % 4 {
		sleep(ctx, between(rng, 100*time.Millisecond, time.Second))
		if ctx.Err() != nil {
			return
		}
		side := fmt.Sprintf("side%d", rng.IntN(sides))
		var there, back []servers.Link
		only := rng.IntN(2 * len(names)) // half of the time all of them
		for i, s := range names {
			if i == only || only >= len(names) {
				there, back = append(there, servers.Link{From: side, To: s}), append(back, servers.Link{From: s, To: side})
			}
		}
		tr.count(linkFaultKinds[fault])
		if fault == 0 {
			n.Reset(there...)
			continue
		}
		cut := [][]servers.Link{1: there, 2: back, 3: append(there, back...)}[fault]
		n.Set(true, cut...)
		sleep(ctx, between(rng, 0, 3*tr.ttl))
		n.Set(false, cut...)
	}
}
