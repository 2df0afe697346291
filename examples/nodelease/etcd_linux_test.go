package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcdCluster is three etcd processes on loopback whose traffic among themselves goes through a
// network.
type etcdCluster struct {
	network *network
	members []*etcdMember
	byID    sync.Map // a member's id in hexadecimal, as it names itself to its peers, to its name
}

type etcdMember struct {
	server
	name         string
	client, peer string // addresses
	peerProxy    string
}

// index is the member's place in the cluster.
func (m *etcdMember) index() int { return int(m.name[1] - '0') }

var serverFrom = regexp.MustCompile(`(?i)\r\nX-Server-From: ([0-9a-f]+)\r\n`)

func startEtcd(t *testing.T, n *network) *etcdCluster {
	t.Helper()
	binary, err := exec.LookPath("etcd")
	if err != nil {
		t.Skip("etcd is not installed (Debian: apt-get install etcd-server): ", err)
	}
	c := &etcdCluster{network: n}
	dir := t.TempDir()
	ports := freePorts(t, 6)
	sender := func(head []byte) string {
		if m := serverFrom.FindSubmatch(head); m != nil {
			if name, ok := c.byID.Load(string(m[1])); ok {
				return name.(string)
			}
		}
		return "unknown"
	}
	var initial []string
	for i := range 3 {
		m := &etcdMember{name: fmt.Sprintf("m%d", i), client: ports[2*i], peer: ports[2*i+1]}
		m.peerProxy = n.proxy(t, "", m.name, m.peer, sender)
		initial = append(initial, m.name+"=http://"+m.peerProxy)
		c.members = append(c.members, m)
	}
	for _, m := range c.members {
		m.server = server{
			log: filepath.Join(dir, m.name+".log"),
			command: func() *exec.Cmd {
				return exec.Command(binary,
					"--name", m.name, "--data-dir", filepath.Join(dir, m.name),
					"--listen-client-urls", "http://"+m.client, "--advertise-client-urls", "http://"+m.client,
					"--listen-peer-urls", "http://"+m.peer, "--initial-advertise-peer-urls", "http://"+m.peerProxy,
					"--initial-cluster", strings.Join(initial, ","), "--initial-cluster-state", "new",
					"--heartbeat-interval", "50", "--election-timeout", "500",
				)
			},
		}
		m.start(t)
		t.Cleanup(func() { m.stop(syscall.SIGKILL) })
	}
	client := c.open(t)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	list, err := client.MemberList(ctx)
	if err != nil {
		t.Fatalf("etcd does not answer: %v\n%s", err, c.members[0].tail())
	}
	for _, m := range list.Members {
		c.byID.Store(fmt.Sprintf("%x", m.ID), m.Name)
	}
	// What was opened before the members' ids were known cannot be told apart.
	for _, m := range c.members {
		n.reset(link{"unknown", m.name})
	}
	return c
}

// open returns a client that reaches the members directly.
func (c *etcdCluster) open(t *testing.T) *clientv3.Client {
	t.Helper()
	var endpoints []string
	for _, m := range c.members {
		endpoints = append(endpoints, m.client)
	}
	client, err := clientv3.New(etcdConfig(endpoints))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// leader returns the member that is the leader, or the first.
func (c *etcdCluster) leader(client *clientv3.Client) *etcdMember {
	for _, m := range c.members {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		status, err := client.Status(ctx, m.client)
		cancel()
		if err != nil {
			continue
		}
		name, _ := c.byID.Load(fmt.Sprintf("%x", status.Leader))
		if i := slices.IndexFunc(c.members, func(m *etcdMember) bool { return m.name == name }); i >= 0 {
			return c.members[i]
		}
	}
	return c.members[0]
}

// links returns both directions between a member and each of the others.
func (c *etcdCluster) links(m *etcdMember) (in, out []link) {
	for _, other := range c.members {
		if other != m {
			in, out = append(in, link{other.name, m.name}), append(out, link{m.name, other.name})
		}
	}
	return in, out
}

func TestEtcd(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	cluster := startEtcd(t, n)
	client := cluster.open(t)
	defer client.Close()
	t.Run("store", func(t *testing.T) {
		testStore(t, &EtcdStore{Client: client, Prefix: "/store", Holder: "test", Nodes: 2, TTL: 2 * time.Second})
	})
	t.Run("late", func(t *testing.T) {
		own := cluster.open(t)
		defer own.Close()
		testLate(t, own)
	})
	t.Run("minting stops first", func(t *testing.T) {
		var endpoints []string
		var links []link
		for _, m := range cluster.members {
			endpoints = append(endpoints, n.proxy(t, "minter", m.name, m.client, nil))
			links = append(links, link{"minter", m.name}, link{m.name, "minter"})
		}
		far, err := clientv3.New(etcdConfig(endpoints))
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		testStopsFirst(t, &EtcdStore{Client: far, Prefix: "/cut", Holder: "test", Nodes: 1, TTL: 3 * time.Second}, func() bool {
			resp, err := client.Get(t.Context(), "/cut/owner/", clientv3.WithPrefix(), clientv3.WithCountOnly())
			if err != nil {
				t.Fatal(err)
			}
			return resp.Count == 0
		}, func(on bool) { n.set(on, links...) })
	})
	t.Run("all numbers", func(t *testing.T) {
		numbers := 1024
		if testing.Short() {
			numbers = 64
		}
		testAllNumbers(t, &EtcdStore{Client: client, Prefix: "/all", Holder: "test", Nodes: int64(numbers), TTL: 15 * time.Second}, numbers)
	})
	t.Run("program", func(t *testing.T) {
		testProgram(t, "-etcd", cluster.members[0].client+","+cluster.members[1].client, "-prefix", "/program")
	})
}
