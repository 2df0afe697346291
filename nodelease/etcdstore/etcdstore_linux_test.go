package etcdstore_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
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
		"late": testLate, "requests": testRequests, "wrong clock": testWrongClock,
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

func TestBadOptions(t *testing.T) {
	create := func(c *clientv3.Client, opts *etcdstore.Options) error { _, err := etcdstore.New(c, opts); return err }
	client := new(clientv3.Client)
	must.Fail(t, "Nodes", create(client, &etcdstore.Options{Nodes: -1}), nil, "nodelease: etcd: Options.Nodes -1 is not within 1 to 1048576")
	must.Fail(t, "Prefix", create(client, &etcdstore.Options{Prefix: "ids"}), nil, `Prefix "ids" does not begin with a slash`)
	must.Fail(t, "nil client", create(nil, nil), nil, "nil Client")
	must.Do(t, create(client, nil))
}

// testDefaults checks under which keys a store keeps what it knows by default, and the TTL in whole seconds.
func testDefaults(t *testing.T, client *clientv3.Client) {
	l := must.Get(mustNew(t, client, nil).Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
	defer func() { must.Do(t, l.Release(t.Context(), time.Time{})) }()
	if l.TTL() != 15*time.Second {
		t.Errorf("a TTL of %v, want 15s", l.TTL())
	}
	resp := must.Get(client.Get(t.Context(), fmt.Sprintf("/nodelease/owner/%05d", l.Node())))(t)
	host := must.Get(os.Hostname())(t)
	if len(resp.Kvs) != 1 || !strings.HasPrefix(string(resp.Kvs[0].Value), host) {
		t.Errorf("under the owner's key is %v", resp.Kvs)
	}
	for ttl, want := range map[time.Duration]time.Duration{
		10 * time.Second:   10 * time.Second,
		10*time.Second + 1: 11 * time.Second,
		11*time.Second - 1: 11 * time.Second,
	} {
		s := mustNew(t, client, &etcdstore.Options{Prefix: "/ttl/" + ttl.String(), TTL: ttl})
		l := must.Get(s.Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
		if l.TTL() != want {
			t.Errorf("of %v, the lease has a TTL of %v, want %v", ttl, l.TTL(), want)
		}
	}
}

// testForeign has somebody else write below the prefix.
func testForeign(t *testing.T, client *clientv3.Client) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/foreign", Nodes: 1})
	for _, key := range []string{"mark/-0001", "mark/00001", "mark/10000", "mark/x", "mark/0", "owner/", "owner/0", "marks"} {
		must.Get(client.Put(t.Context(), "/foreign/"+key, "x"))(t)
	}
	mark := time.Now().UTC()
	for _, want := range []time.Time{{}, mark, mark} {
		l := must.Get(s.Take(t.Context(), nodelease.Request{Now: mark}))(t)
		if !l.Mark().Equal(want) {
			t.Errorf("the mark is %v, want %v", l.Mark(), want)
		}
		must.Do(t, l.Release(t.Context(), mark))
	}
	must.Get(client.Put(t.Context(), "/foreign/mark/00000", "x"))(t)
	_, err := s.Take(t.Context(), nodelease.Request{Now: mark})
	must.Fail(t, "Take with a mark that is not a time", err, nil, "mark /foreign/mark/00000")
}

// testMissingKeys has keys that were never there, that get lost, and that somebody edits.
func testMissingKeys(t *testing.T, client *clientv3.Client) {
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Microsecond)
	opts := func(nodes int64, init bool) *etcdstore.Options {
		return &etcdstore.Options{Prefix: "/keys", Nodes: nodes, TTL: 10 * time.Second, Init: init}
	}
	drop := func(key string, more ...clientv3.OpOption) {
		t.Helper()
		if resp, err := client.Delete(ctx, key, more...); err != nil || resp.Deleted == 0 {
			t.Fatalf("delete %s: %v, %v", key, resp, err)
		}
	}
	create := func(o *etcdstore.Options) error { _, err := etcdstore.New(client, o); return err }
	take := func(nodes int64, layout ids.SnowflakeLayout, warn func(error)) (nodelease.Lease, error) {
		t.Helper()
		s := must.Get(etcdstore.New(client, opts(nodes, false)))(t)
		return s.Take(ctx, nodelease.Request{Now: now, Layout: layout, Warn: warn})
	}
	twitter := ids.TwitterLayout()
	_, err := take(2, twitter, nil)
	must.Fail(t, "Take of what nobody has made", err, fs.ErrNotExist, "no key /keys/schema", "set Options.Init once")
	must.Do(t, create(opts(2, true)))
	must.Fail(t, "a second first start", create(opts(2, true)), fs.ErrExist, "nothing is missing")
	_, err = take(100, twitter, nil)
	must.Fail(t, "Take of more numbers", err, fs.ErrNotExist, "no key /keys/mark/00002")
	must.Do(t, create(opts(200, true)))
	_, err = take(200, ids.SonyflakeLayout(), nil)
	must.Fail(t, "Take for another layout", err, nil, "/keys/schema says",
		"tick 1ms, 10 node bits, 12 sequence bits, node first", "tick 10ms, 16 node bits, 8 sequence bits, node last")
	other := opts(300, true)
	other.Layout = ids.SonyflakeLayout()
	must.Fail(t, "a first start with another layout", create(other), nil, "tick 1ms", "tick 10ms")

	// The holder of a number writes its mark again.
	var warned []error
	l := must.Get(take(1, twitter, func(err error) { warned = append(warned, err) }))(t)
	mark := func() string {
		resp, err := client.Get(ctx, "/keys/mark/00000")
		if err != nil || len(resp.Kvs) != 1 {
			t.Fatalf("%v, %v", resp, err)
		}
		return string(resp.Kvs[0].Value)
	}
	high := now.Add(time.Hour)
	extend := func(to time.Time, warnings int) {
		t.Helper()
		must.Do(t, l.Extend(ctx, to))
		if got, want := mark(), to.Format(time.RFC3339Nano); got != want {
			t.Errorf("the mark is %s, want %s", got, want)
		}
		if len(warned) != warnings {
			t.Errorf("warned of %v, want %d", warned, warnings)
		}
	}
	extend(high, 0)
	drop("/keys/mark/00000")
	must.Do(t, must.Get(take(2, twitter, nil))(t).Release(ctx, now)) // the other number
	extend(high, 1)
	must.Fail(t, "the warning", warned[0], nil, "key /keys/mark/00000 was missing")
	drop("/keys/mark/00000")
	extend(high.Add(time.Microsecond), 2)
	must.Get(client.Put(ctx, "/keys/mark/00000", "2020-01-01T00:00:00Z"))(t)
	extend(high.Add(time.Microsecond), 2)
	drop("/keys/mark/00000")
	drop("/keys/mark/00001")
	must.Fail(t, "a first start under a holder without a mark", create(opts(2, true)), nil, "a number without a mark is held")
	must.Do(t, l.Release(ctx, high))
	if got := mark(); got != high.Format(time.RFC3339Nano) {
		t.Errorf("Release without a mark has written %s", got)
	}

	_, err = take(2, twitter, nil)
	must.Fail(t, "Take without a mark", err, fs.ErrNotExist, "no key /keys/mark/00001")
	must.Do(t, create(opts(2, true)))
	l = must.Get(take(2, twitter, nil))(t)
	if l.Node() != 1 || l.Free() != 1 {
		t.Errorf("took node %d beside %d free ones, want 1 beside 1", l.Node(), l.Free())
	}
	drop("/keys/", clientv3.WithPrefix())
	must.Fail(t, "Extend without any key", l.Extend(ctx, high), nodelease.ErrLost)
	_, err = take(2, twitter, nil)
	must.Fail(t, "Take without any key", err, fs.ErrNotExist, "no key /keys/schema")
}

// testLateAnswer holds up the answer to a renewal. It must not be taken for that to a later one.
func testLateAnswer(t *testing.T, n *servers.Network, cluster *etcdtest.Cluster, near *clientv3.Client) {
	endpoints, _, back := cluster.Proxies(t, "late")
	client := etcdtest.Open(t, endpoints)
	defer client.Close()
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	now := time.Now()
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/answer", Nodes: 1, TTL: time.Minute})
	l := must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t)
	must.Do(t, l.Extend(t.Context(), now))
	n.Set(true, back...)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	must.Fail(t, "Extend without an answer", l.Extend(short, now), context.DeadlineExceeded)
	owner, err := near.Get(t.Context(), "/answer/owner/00000")
	if err != nil || len(owner.Kvs) != 1 {
		t.Fatalf("%v, %v", owner, err)
	}
	must.Get(near.Revoke(t.Context(), clientv3.LeaseID(owner.Kvs[0].Lease)))(t)
	n.Set(false, back...)
	kv.count.Store(0)
	must.Fail(t, "Extend of a lease that has gone", l.Extend(t.Context(), now), nodelease.ErrLost)
	if n := kv.count.Load(); n != 0 {
		t.Errorf("ErrLost after %d transactions, want it by the answer to the renewal", n)
	}
}

// TestTLS has a client and a server of which only one speaks TLS. The error of Take says so.
func TestTLS(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(nil)
	defer plain.Close()
	secret := httptest.NewTLSServer(nil)
	defer secret.Close()
	for _, test := range []struct {
		address string
		tls     *tls.Config
		want    string
	}{
		{plain.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true}, "first record does not look like a TLS handshake"},
		{secret.Listener.Addr().String(), nil, "the client does not speak TLS"},
	} {
		config := etcdtest.Config([]string{test.address})
		config.TLS = test.tls
		client := must.Get(clientv3.New(config))(t)
		defer client.Close()
		s := must.Get(etcdstore.New(client, nil))(t)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := s.Take(ctx, nodelease.Request{Now: time.Now()})
		must.Fail(t, "Take", err, context.DeadlineExceeded, test.want)
	}
}
