// Package etcdtest starts etcd on loopback for tests. It works on Linux only.
package etcdtest

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// Member is an etcd process on loopback, and the only member of its cluster. A cluster with one
// member never has to elect a new leader, so it does not refuse requests when its disk is slow.
type Member struct {
	*servers.Server
	Address string
}

// Start starts a member, which is killed when the test ends.
func Start(t *testing.T) *Member {
	t.Helper()
	binary, dir, ports := servers.Program(t, "etcd", "etcd-server"), t.TempDir(), servers.FreePorts(2)
	client, peer := "http://"+ports[0], "http://"+ports[1]
	m := &Member{Address: ports[0]}
	m.Server = servers.New(t, filepath.Join(dir, "log"), syscall.SIGKILL, func() *exec.Cmd {
		return exec.Command(binary, "--data-dir", filepath.Join(dir, "data"),
			"--listen-client-urls", client, "--advertise-client-urls", client,
			"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer,
			"--heartbeat-interval", "50", "--election-timeout", "500",
		)
	})
	own := m.Open(t)
	must.Soon(t, func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := own.Put(ctx, "ready", "")
		return err
	})
	return m
}

// Open returns a client for m. The client is closed when the test ends.
func (m *Member) Open(t *testing.T) *clientv3.Client {
	t.Helper()
	return Open(t, Config(m.Address))
}

// Open returns a client with the given configuration. The client is closed when the test ends.
func Open(t *testing.T, config clientv3.Config) *clientv3.Client {
	t.Helper()
	client := must.Get(clientv3.New(config))(t)
	t.Cleanup(func() { client.Close() })
	return client
}

// Password is the password of all users.
const Password = "s3cret"

// Users creates users and enables authentication. For each user name, the parameter users contains
// the user's permissions by key. A permission applies to its key or, if the key ends with a slash,
// to all keys with that prefix.
func (m *Member) Users(t *testing.T, users map[string]map[string]clientv3.PermissionType) {
	t.Helper()
	root, ctx := m.Open(t), t.Context()
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

// Permissions for keys.
const (
	Read  = clientv3.PermissionType(clientv3.PermRead)
	Write = clientv3.PermissionType(clientv3.PermReadWrite) // includes reading
)

// Least returns the minimum permissions that a process needs to make IDs.
func Least(prefix string) map[string]clientv3.PermissionType {
	return map[string]clientv3.PermissionType{prefix + "/schema": Read, prefix + "/horizon/": Write, prefix + "/owner/": Write}
}

// As returns the configuration of a client for the given user.
func (m *Member) As(user string) clientv3.Config {
	config := Config(m.Address)
	config.Username, config.Password = user, Password
	return config
}

// Config returns a client configuration. With this configuration, a client detects a dead
// connection even if the connection was not closed. gRPC sends at most one ping every 10 s. The
// client does not log, because its log would only repeat the errors that it returns.
func Config(address string) clientv3.Config {
	return clientv3.Config{
		Endpoints:            []string{address},
		DialTimeout:          time.Minute, // checking a password is slow on a busy machine
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 3 * time.Second,
		Logger:               zap.NewNop(),
	}
}
