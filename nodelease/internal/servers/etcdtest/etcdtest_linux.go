// Package etcdtest starts etcd clusters on loopback for tests. It works on Linux only.
package etcdtest

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
	"go.uber.org/zap"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// Cluster is etcd processes on loopback whose traffic among themselves goes through a network.
type Cluster struct {
	Network *servers.Network
	Members []*Member
	byID    sync.Map // a member's id in hexadecimal, as it names itself to its peers, to its name
}

type Member struct {
	*servers.Server
	Name         string
	Data         string // a directory
	Client, peer string // addresses
	peerProxy    string
}

// Index is the member's place in the cluster.
func (m *Member) Index() int { return int(m.Name[1] - '0') }

var serverFrom = regexp.MustCompile(`(?i)\r\nX-Server-From: ([0-9a-f]+)\r\n`)

// Start starts a cluster of one member or of three. One has no other leader to elect, and so refuses nothing when the
// disk is slow.
func Start(t *testing.T, n *servers.Network, members int) *Cluster {
	t.Helper()
	binary := servers.Program(t, "etcd", "etcd-server")
	c := &Cluster{Network: n}
	dir := t.TempDir()
	ports := servers.FreePorts(2 * members)
	sender := func(head []byte) string {
		if m := serverFrom.FindSubmatch(head); m != nil {
			if name, ok := c.byID.Load(string(m[1])); ok {
				return name.(string)
			}
		}
		return "unknown"
	}
	var initial []string
	for i := range members {
		m := &Member{Name: fmt.Sprintf("m%d", i), Client: ports[2*i], peer: ports[2*i+1]}
		m.Data = filepath.Join(dir, m.Name)
		m.peerProxy = n.Proxy(t, "", m.Name, m.peer, sender)
		initial = append(initial, m.Name+"=http://"+m.peerProxy)
		c.Members = append(c.Members, m)
	}
	for _, m := range c.Members {
		m.Server = servers.New(t, filepath.Join(dir, m.Name+".log"), syscall.SIGKILL, func() *exec.Cmd {
			return exec.Command(binary,
				"--name", m.Name, "--data-dir", m.Data,
				"--listen-client-urls", "http://"+m.Client, "--advertise-client-urls", "http://"+m.Client,
				"--listen-peer-urls", "http://"+m.peer, "--initial-advertise-peer-urls", "http://"+m.peerProxy,
				"--initial-cluster", strings.Join(initial, ","), "--initial-cluster-state", "new",
				"--heartbeat-interval", "50", "--election-timeout", "500",
			)
		})
	}
	client := c.Open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	list, err := client.MemberList(ctx)
	if err != nil {
		t.Fatalf("etcd does not answer: %v\n%s", err, c.Members[0].Tail())
	}
	for _, m := range list.Members {
		c.byID.Store(fmt.Sprintf("%x", m.ID), m.Name)
	}
	// What was opened before the members' ids were known cannot be told apart.
	for _, m := range c.Members {
		n.Reset(servers.Link{From: "unknown", To: m.Name})
	}
	must.Soon(t, func() error {
		if _, err := client.Put(ctx, "ready", ""); err != nil {
			return fmt.Errorf("etcd does not write: %w\n%s", err, c.Members[0].Tail())
		}
		return nil
	})
	return c
}

// Endpoints are the members' addresses.
func (c *Cluster) Endpoints() (endpoints []string) {
	for _, m := range c.Members {
		endpoints = append(endpoints, m.Client)
	}
	return endpoints
}

// Proxies returns other addresses of the members, for the use of from, and the links in both directions.
func (c *Cluster) Proxies(t *testing.T, from string) (endpoints []string, there, back []servers.Link) {
	t.Helper()
	for _, m := range c.Members {
		endpoints = append(endpoints, c.Network.Proxy(t, from, m.Name, m.Client, nil))
		there, back = append(there, servers.Link{From: from, To: m.Name}), append(back, servers.Link{From: m.Name, To: from})
	}
	return endpoints, there, back
}

// Open returns a client that reaches the members directly.
func (c *Cluster) Open(t *testing.T) *clientv3.Client {
	t.Helper()
	return Open(t, c.Endpoints())
}

// Open returns a client of the members at the endpoints, which ends with the test.
func Open(t *testing.T, endpoints []string) *clientv3.Client {
	t.Helper()
	client := must.Get(clientv3.New(Config(endpoints)))(t)
	t.Cleanup(func() { client.Close() })
	return client
}

// Password is that of all users.
const Password = "s3cret"

// Users makes users, each with its rights to keys or, with a slash at the end, to those that begin with one, and has
// the servers ask for passwords.
func (c *Cluster) Users(t *testing.T, users map[string]map[string]clientv3.PermissionType) {
	t.Helper()
	root, ctx := c.Open(t), t.Context()
	must.Get(root.UserAdd(ctx, "root", Password))(t)
	must.Get(root.UserGrantRole(ctx, "root", "root"))(t)
	for user, rights := range users {
		must.Get(root.UserAdd(ctx, user, Password))(t)
		must.Get(root.RoleAdd(ctx, user))(t)
		must.Get(root.UserGrantRole(ctx, user, user))(t)
		for key, right := range rights {
			end := ""
			if strings.HasSuffix(key, "/") {
				end = clientv3.GetPrefixRangeEnd(key)
			}
			must.Get(root.RoleGrantPermission(ctx, user, key, end, right))(t)
		}
	}
	must.Get(root.AuthEnable(ctx))(t)
}

// Rights to keys.
const (
	Read  = clientv3.PermissionType(clientv3.PermRead)
	Write = clientv3.PermissionType(clientv3.PermReadWrite) // and read
)

// Least returns the least rights with which a process mints.
func Least(prefix string) map[string]clientv3.PermissionType {
	return map[string]clientv3.PermissionType{prefix + "/schema": Read, prefix + "/horizon/": Write, prefix + "/owner/": Write}
}

// OpenAs is Open for a user.
func (c *Cluster) OpenAs(t *testing.T, user string) *clientv3.Client {
	t.Helper()
	config := Config(c.Endpoints())
	config.Username, config.Password = user, Password
	return must.Get(clientv3.New(config))(t)
}

// Leader returns the member that is the leader, or the first.
func (c *Cluster) Leader(client *clientv3.Client) *Member {
	for _, m := range c.Members {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		status, err := client.Status(ctx, m.Client)
		cancel()
		if err != nil {
			continue
		}
		name, _ := c.byID.Load(fmt.Sprintf("%x", status.Leader))
		if i := slices.IndexFunc(c.Members, func(m *Member) bool { return m.Name == name }); i >= 0 {
			return c.Members[i]
		}
	}
	return c.Members[0]
}

// Links returns both directions between a member and each of the others.
func (c *Cluster) Links(m *Member) (in, out []servers.Link) {
	for _, other := range c.Members {
		if other != m {
			in, out = append(in, servers.Link{From: other.Name, To: m.Name}), append(out, servers.Link{From: m.Name, To: other.Name})
		}
	}
	return in, out
}

// Config makes the client notice a connection that is dead without having been closed: gRPC
// pings no more often than every 10 s. The client's own log repeats the errors that it returns.
func Config(endpoints []string) clientv3.Config {
	return clientv3.Config{
		Endpoints:            endpoints,
		DialTimeout:          2 * time.Second,
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 3 * time.Second,
		Logger:               zap.NewNop(),
	}
}
