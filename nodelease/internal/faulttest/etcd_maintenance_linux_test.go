package faulttest_test

import (
	"context"
	"errors"
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

// TestEtcdMaintenance has minters go on while somebody does to the cluster what its operators do.
func TestEtcdMaintenance(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	client := cluster.Open(t)
	defer client.Close()
	length := duration(15*time.Second, 2*time.Second, time.Second)
	run := func(name, what string, least, most time.Duration, kind string, do func(ctx context.Context, rng *rand.Rand) bool) {
		share(t, "etcd: "+what, job{Etcd: cluster.Endpoints(), Name: name, Nodes: 26, TTL: ttl}, length, func(ctx context.Context, tr *trial, rng *rand.Rand) {
			for ; ctx.Err() == nil; sleep(ctx, between(rng, least, most)) {
				if do(ctx, rng) {
					tr.count(kind)
				}
			}
		})
	}
	const ms = time.Millisecond
	share(t, "etcd: no fault", job{Etcd: cluster.Endpoints(), Name: "none", Nodes: 26, TTL: ttl}, length)
	share(t, "etcd: all numbers taken, 24 minters share 12", job{Etcd: cluster.Endpoints(), Name: "taken", Nodes: 12, TTL: ttl}, length)
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
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	for _, m := range cluster.Members {
		m.Change(t, syscall.SIGTERM, func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--quota-backend-bytes", "4194304") })
		awaitMember(t, m)
	}
	client := cluster.Open(t)
	defer client.Close()
	share(t, "etcd: disk quota reached, no writes", job{Etcd: cluster.Endpoints(), Name: "quota", Nodes: 26, TTL: ttl},
		duration(30*time.Second, 3*time.Second, time.Second),
		func(ctx context.Context, tr *trial, rng *rand.Rand) {
			for ; ctx.Err() == nil; sleep(ctx, between(rng, 500*time.Millisecond, 2*time.Second)) {
				fillQuota(t, client)
				tr.count("alarms")
				sleep(ctx, between(rng, 0, 3*ttl))
				makeRoom(t, cluster, client)
			}
		})
}

// awaitMember waits until a member takes part in the cluster.
func awaitMember(t *testing.T, m *etcdtest.Member) {
	t.Helper()
	own := must.Get(clientv3.New(etcdtest.Config([]string{m.Client})))(t)
	defer own.Close()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		_, err := own.Get(ctx, "/")
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("member %s does not answer: %v\n%s", m.Name, err, m.Tail())
		}
	}
}

func fillQuota(t *testing.T, client *clientv3.Client) {
	value := string(make([]byte, 200<<10))
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_, err := client.Put(ctx, "/filler", value)
		cancel()
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return
		}
	}
	t.Error("the quota is not reached")
}

func makeRoom(t *testing.T, c *etcdtest.Cluster, client *clientv3.Client) {
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err := func() error {
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
		}()
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Errorf("the alarm does not end: %v", err)
			return
		}
	}
}
