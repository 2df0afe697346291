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

// sides is how many sets of proxies there are over which the processes of a campaign reach the servers.
const sides = 4

func side(i int) string { return fmt.Sprintf("side%d", i%sides) }

// TestEtcdFaults has 40 groups share 42 node numbers of a three-member etcd cluster while
// minting processes and members are killed and paused and the network between them is cut.
func TestEtcdFaults(t *testing.T) {
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n, 3)
	client := cluster.Open(t)
	defer client.Close()
	endpoints := make([][]string, sides)
	for i := range endpoints {
		endpoints[i], _, _ = cluster.Proxies(t, side(i))
	}
	(&trial{
		processes: 10, length: length(t),
		job:    func(i int) job { return job{Etcd: endpoints[i%sides]} },
		faults: []fault{memberFaults(t, cluster, client), linkFaults(n, "m0", "m1", "m2")},
		held: func() (int64, error) {
			resp, err := client.Get(t.Context(), "/faults/owner/", clientv3.WithPrefix(), clientv3.WithCountOnly())
			if err != nil {
				return 0, err
			}
			return resp.Count, nil
		},
	}).run(t)
}

// memberFaults kills, pauses and isolates one member after another, and now and then a second one with it.
func memberFaults(t *testing.T, c *etcdtest.Cluster, client *clientv3.Client) fault {
	return func(ctx context.Context, tr *trial, rng *rand.Rand) {
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
			var mend []func()
			for _, m := range chosen {
				mend = append(mend, tr.memberFault(t, rng, c, m, fault))
			}
			sleep(ctx, between(rng, 500*time.Millisecond, 5*time.Second))
			for _, f := range mend {
				f()
			}
		}
	}
}

// memberFault makes a fault of one of four kinds, and returns what mends it.
func (tr *trial) memberFault(t *testing.T, rng *rand.Rand, c *etcdtest.Cluster, m *etcdtest.Member, fault int) (mend func()) {
	in, out := c.Links(m)
	switch fault {
	case 0:
		tr.count("member killed")
		m.Stop(syscall.SIGKILL)
		return func() { m.Start(t) }
	case 1:
		tr.count("member paused")
		m.Signal(syscall.SIGSTOP)
		return func() { m.Signal(syscall.SIGCONT) }
	case 2:
		tr.count("member isolated")
		in = append(in, out...)
	case 3:
		tr.count("member unable to hear or to speak")
		if rng.IntN(2) == 0 {
			in = out
		}
	}
	c.Network.Set(true, in...)
	return func() { c.Network.Set(false, in...) }
}

// linkFaults cuts and resets the links between the minting processes and the servers of these names.
func linkFaults(n *servers.Network, names ...string) fault {
	return func(ctx context.Context, tr *trial, rng *rand.Rand) {
		for fault := rng.IntN(4); ; fault = (fault + 1) % 4 {
			sleep(ctx, between(rng, 100*time.Millisecond, time.Second))
			if ctx.Err() != nil {
				return
			}
			side := side(rng.IntN(sides))
			var there, back []servers.Link
			only := rng.IntN(2 * len(names)) // half of the time all of them
			for i, s := range names {
				if i == only || only >= len(names) {
					there, back = append(there, servers.Link{From: side, To: s}), append(back, servers.Link{From: s, To: side})
				}
			}
			tr.count([]string{"connections reset", "requests held up", "answers held up", "link cut"}[fault])
			if fault == 0 {
				n.Reset(there...)
				continue
			}
			cut := [][]servers.Link{1: there, 2: back, 3: append(there, back...)}[fault]
			n.Set(true, cut...)
			sleep(ctx, between(rng, 0, 3*ttl))
			n.Set(false, cut...)
		}
	}
}
