package faulttest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

// sides is how many sets of proxies there are over which the processes of a campaign reach the servers.
const sides = 4

func side(i int) string { return fmt.Sprintf("side%d", i%sides) }

// TestEtcdFaults has 100 groups share 102 node numbers of a three-member etcd cluster while
// minting processes and members are killed and paused and the network between them is cut.
func TestEtcdFaults(t *testing.T) {
	alone(t)
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n, 3)
	client := cluster.Open(t)
	defer client.Close()
	endpoints := make([][]string, sides)
	for i := range endpoints {
		endpoints[i], _, _ = cluster.Proxies(t, side(i))
	}
	(&trial{
		fault: "etcd, three members", processes: 8, local: 20, numbers: 102, ttl: ttl,
		length: duration(60*time.Second, 12*time.Second, 6*time.Second),
		job:    func(i int) job { return job{Etcd: endpoints[i%sides], Name: "faults"} },
		faults: []fault{memberFaults(t, cluster, client), linkFaults(n, "m0", "m1", "m2")},
		expect: append([]string{
			"minting process killed", "minting process paused",
			"member killed", "member paused", "member isolated", "member unable to hear or to speak",
		}, linkFaultKinds...),
	}).run(t)
	allFree(t, func() (held int64, err error) {
		resp, err := client.Get(t.Context(), "/faults/owner/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err == nil {
			held = resp.Count
		}
		return held, err
	})
}

// allFree waits until all numbers are free: those of processes that were killed are after their TTL.
func allFree(t *testing.T, count func() (int64, error)) {
	t.Helper()
	must.Soon(t, func() error {
		held, err := count()
		if err == nil && held > 0 {
			err = fmt.Errorf("%d numbers are still held", held)
		}
		return err
	})
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

var linkFaultKinds = []string{"connections reset", "requests held up", "answers held up", "link cut"}

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
}

// TestEtcdMaintenance has minters go on while somebody does to the cluster what its operators do.
func TestEtcdMaintenance(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t), 3)
	client := cluster.Open(t)
	defer client.Close()
	length := duration(15*time.Second, 2*time.Second, time.Second)
	run := func(name, what string, least, most time.Duration, kind string, do func(ctx context.Context, rng *rand.Rand) bool) {
		j := job{Etcd: cluster.Endpoints(), Name: name, Numbers: 26, TTL: ttl}
		share(t, "etcd: "+what, j, length, every(least, most, kind, do))
	}
	const ms = time.Millisecond
	share(t, "etcd: no fault", job{Etcd: cluster.Endpoints(), Name: "none", Numbers: 26, TTL: ttl}, length)
	share(t, "etcd: all numbers taken, 24 minters share 12", job{Etcd: cluster.Endpoints(), Name: "taken", Numbers: 12, TTL: ttl}, length)
	run("leader", "leader moved by hand", 200*ms, 1000*ms, "moves", func(ctx context.Context, _ *rand.Rand) bool {
		return moveLeader(ctx, t, cluster, client)
	})
	run("compaction", "history compacted, up to the present", 50*ms, 300*ms, "compactions", func(ctx context.Context, _ *rand.Rand) bool {
		return compact(ctx, client) == nil
	})
	run("defragmentation", "a member defragmented, which stops it meanwhile", 100*ms, 400*ms, "defragmentations",
		func(ctx context.Context, rng *rand.Rand) bool {
			_, err := client.Defragment(ctx, cluster.Members[rng.IntN(3)].Client)
			return err == nil
		})
}

// moveLeader has the leader hand over to the next member, and reports whether it did.
func moveLeader(ctx context.Context, t *testing.T, c *etcdtest.Cluster, client *clientv3.Client) bool {
	leader := c.Leader(client)
	next := c.Members[(leader.Index()+1)%3]
	own, err := clientv3.New(etcdtest.Config([]string{leader.Client})) // only the leader does it
	if err != nil {
		t.Error(err)
		return false
	}
	defer own.Close()
	call, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	status, err := client.Status(call, next.Client)
	if err != nil {
		return false
	}
	if _, err := own.MoveLeader(call, status.Header.MemberId); err != nil {
		return false
	}
	status, err = client.Status(call, next.Client)
	return err == nil && status.Leader == status.Header.MemberId
}

// compact drops the history before the present revision.
func compact(ctx context.Context, client *clientv3.Client) error {
	resp, err := client.Get(ctx, "/")
	if err != nil {
		return err
	}
	_, err = client.Compact(ctx, resp.Header.Revision, clientv3.WithCompactPhysical())
	return err
}

// TestEtcdQuota has the database reach its quota: etcd then raises an alarm and refuses all
// writes, until somebody makes room.
func TestEtcdQuota(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t), 3)
	for _, m := range cluster.Members {
		m.Change(t, syscall.SIGTERM, func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--quota-backend-bytes", "4194304") })
		awaitMember(t, m)
	}
	client := cluster.Open(t)
	defer client.Close()
	share(t, "etcd: disk quota reached, no writes", job{Etcd: cluster.Endpoints(), Name: "quota", Numbers: 26, TTL: ttl},
		duration(30*time.Second, 3*time.Second, time.Second),
		every(500*time.Millisecond, 2*time.Second, "alarms", func(ctx context.Context, rng *rand.Rand) bool {
			fillQuota(t, client)
			sleep(ctx, between(rng, 0, 3*ttl))
			makeRoom(t, cluster, client)
			return true
		}))
}

// awaitMember waits until a member takes part in the cluster.
func awaitMember(t *testing.T, m *etcdtest.Member) {
	t.Helper()
	own := must.Get(clientv3.New(etcdtest.Config([]string{m.Client})))(t)
	defer own.Close()
	soon(t, func(ctx context.Context) error { _, err := own.Get(ctx, "/"); return err })
}

// soon is must.Soon with a context for each call.
func soon(t *testing.T, f func(context.Context) error) {
	t.Helper()
	must.Soon(t, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return f(ctx)
	})
}

func fillQuota(t *testing.T, client *clientv3.Client) {
	value := string(make([]byte, 200<<10))
	soon(t, func(ctx context.Context) (err error) {
		for err == nil {
			_, err = client.Put(ctx, "/filler", value)
		}
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return nil
		}
		return err
	})
}

func makeRoom(t *testing.T, c *etcdtest.Cluster, client *clientv3.Client) {
	soon(t, func(ctx context.Context) error {
		if err := compact(ctx, client); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
			return err
		}
		for _, m := range c.Members {
			if _, err := client.Defragment(ctx, m.Client); err != nil {
				return err
			}
		}
		if _, err := client.AlarmDisarm(ctx, new(clientv3.AlarmMember)); err != nil {
			return err
		}
		_, err := client.Put(ctx, "/filler", "")
		return err
	})
}
