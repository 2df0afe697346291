package etcdstore_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

var authenticates = regexp.MustCompile(`(?m)^grpc_server_started_total\{grpc_method="Authenticate".*\} (\d+)$`)

// TestPassword has the servers ask for a password, which costs them much processor time. Renewals make them check none.
func TestPassword(t *testing.T) { // alone: it counts the streams of the process
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	root := cluster.Open(t)
	defer root.Close()
	ctx := t.Context()
	checks := func() (n int) {
		t.Helper()
		for _, m := range cluster.Members {
			resp := must.Get(http.Get("http://" + m.Client + "/metrics"))(t)
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			found := authenticates.FindSubmatch(body)
			if err != nil || found == nil {
				t.Fatalf("no count of Authenticate: %v", err)
			}
			k, _ := strconv.Atoi(string(found[1]))
			n += k
		}
		return n
	}
	must.Get(root.UserAdd(ctx, "root", "secret"))(t)
	must.Get(root.UserGrantRole(ctx, "root", "root"))(t)
	must.Get(root.RoleAdd(ctx, "minter"))(t)
	for prefix, right := range map[string]clientv3.PermissionType{
		"/nodelease/schema": clientv3.PermissionType(clientv3.PermRead),
		"/nodelease/mark/":  clientv3.PermissionType(clientv3.PermReadWrite),
		"/nodelease/owner/": clientv3.PermissionType(clientv3.PermReadWrite),
	} {
		must.Get(root.RoleGrantPermission(ctx, "minter", prefix, clientv3.GetPrefixRangeEnd(prefix), right))(t)
	}
	must.Get(root.UserAdd(ctx, "orders", "word"))(t)
	must.Get(root.UserGrantRole(ctx, "orders", "minter"))(t)
	mustNew(t, root, nil)
	must.Get(root.AuthEnable(ctx))(t)

	config := etcdtest.Config(cluster.Endpoints())
	config.Username, config.Password = "orders", "word"
	client := must.Get(clientv3.New(config))(t)
	defer client.Close()
	_, err := etcdstore.New(client, &etcdstore.Options{Nodes: 1025, Init: true})
	must.Fail(t, "a first start with the rights of a process that mints, which may not write the schema", err, nil, "permission denied")
	s := must.Get(etcdstore.New(client, &etcdstore.Options{TTL: time.Minute}))(t)
	const minters = 10
	var leases [minters]nodelease.Lease
	for i := range leases {
		leases[i] = must.Get(s.Take(ctx, nodelease.Request{Now: time.Now(), Layout: ids.TwitterLayout()}))(t)
	}
	// renew renews all, again and again while the servers elect a leader.
	renew := func() {
		t.Helper()
		for _, l := range leases {
			err := l.Extend(ctx, l.Mark())
			for limit := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(limit); err = l.Extend(ctx, l.Mark()) {
				time.Sleep(100 * time.Millisecond)
			}
			must.Do(t, err)
		}
	}
	before := checks()
	var opened int
	for round := range 11 {
		renew()
		if round == 0 {
			opened = checks()
		}
	}
	if n := streams(); n < minters {
		t.Errorf("%d streams, want %d", n, minters)
	}
	again := checks() - opened
	t.Logf("%d streams: %d checks of the password; %d renewals: %d", minters, opened-before, 10*minters, again)
	if again > minters { // a machine that is busy can break each stream once
		t.Errorf("%d renewals made the servers check the password %d times, want 0", 10*minters, again)
	}

	// A member that starts anew has ended its streams, and knows no tokens.
	for _, m := range cluster.Members {
		m.Stop(syscall.SIGKILL)
		m.Start(t)
		renew()
	}
	for _, l := range leases {
		must.Do(t, l.Release(ctx, time.Now()))
	}
	open := streams()
	for limit := time.Now().Add(10 * time.Second); open > 0 && time.Now().Before(limit); open = streams() {
		time.Sleep(10 * time.Millisecond)
	}
	if open > 0 {
		t.Errorf("%d streams are open when all leases were given back", open)
	}
}

// streams counts the goroutines that serve an open stream of gRPC.
func streams() int {
	stacks := make([]byte, 4<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("created by google.golang.org/grpc.newClientStreamWithParams"))
}
