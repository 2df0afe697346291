package etcdstore_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/storetest"
)

// mustNew returns a store, after a first start if it is the first.
func mustNew(t *testing.T, client *clientv3.Client, opts *etcdstore.Options) *etcdstore.Store {
	t.Helper()
	var own etcdstore.Options
	if opts != nil {
		own = *opts
	}
	return must.Get(servers.First(func(first bool) (*etcdstore.Store, error) {
		own.Init = first
		return etcdstore.New(client, &own)
	}))(t)
}

func TestEtcd(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n)
	client := cluster.Open(t)
	defer client.Close()
	t.Run("store", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) (a, b nodelease.Store) {
			opts := &etcdstore.Options{Prefix: "/" + t.Name(), Nodes: 2, TTL: 2 * time.Second}
			return mustNew(t, client, opts), mustNew(t, client, opts)
		})
	})
	for name, test := range map[string]func(*testing.T, *clientv3.Client){
		"late": testLate, "requests": testRequests, "mass restart": testMassRestart, "wrong clock": testWrongClock,
		"missing keys": testMissingKeys,
	} {
		t.Run(name, func(t *testing.T) {
			own := cluster.Open(t)
			defer own.Close()
			test(t, own)
		})
	}
	t.Run("defaults", func(t *testing.T) { testDefaults(t, client) })
	t.Run("foreign keys", func(t *testing.T) { testForeign(t, client) })
	t.Run("late answer", func(t *testing.T) { testLateAnswer(t, n, cluster, client) })
	t.Run("minting stops first", func(t *testing.T) {
		endpoints, there, back := cluster.Proxies(t, "minter")
		far := etcdtest.Open(t, endpoints)
		defer far.Close()
		servers.StopsFirst(t, n, mustNew(t, far, &etcdstore.Options{Prefix: "/cut", Nodes: 1, TTL: 3 * time.Second}), func() (bool, error) {
			resp, err := client.Get(t.Context(), "/cut/owner/", clientv3.WithPrefix(), clientv3.WithCountOnly())
			return err == nil && resp.Count == 0, err
		}, append(there, back...)...)
	})
}
