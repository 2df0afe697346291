package etcdstore_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net/http/httptest"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

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
		s, err := etcdstore.New(client, opts(nodes, false))
		if err != nil {
			t.Fatal(err)
		}
		return s.Take(ctx, nodelease.Request{Now: now, Layout: layout, Warn: warn})
	}
	twitter := ids.TwitterLayout()
	_, err := take(2, twitter, nil)
	servers.Wants(t, "Take of what nobody has made", err, fs.ErrNotExist, "no key /keys/schema", "set Options.Init once")
	if err := create(opts(2, true)); err != nil {
		t.Fatal(err)
	}
	servers.Wants(t, "a second first start", create(opts(2, true)), fs.ErrExist, "nothing is missing")
	_, err = take(100, twitter, nil)
	servers.Wants(t, "Take of more numbers", err, fs.ErrNotExist, "no key /keys/mark/00002")
	if err := create(opts(200, true)); err != nil {
		t.Error(err)
	}
	_, err = take(200, ids.SonyflakeLayout(), nil)
	servers.Wants(t, "Take for another layout", err, nil, "/keys/schema says", "tick 1ms, 10 node bits, 12 sequence bits, node first", "tick 10ms, 16 node bits, 8 sequence bits, node last")
	other := opts(300, true)
	other.Layout = ids.SonyflakeLayout()
	servers.Wants(t, "a first start with another layout", create(other), nil, "tick 1ms", "tick 10ms")

	// The holder of a number writes its mark again.
	var warned []error
	l, err := take(1, twitter, func(err error) { warned = append(warned, err) })
	if err != nil {
		t.Fatal(err)
	}
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
		if err := l.Extend(ctx, to); err != nil {
			t.Fatal(err)
		}
		if got, want := mark(), to.Format(time.RFC3339Nano); got != want {
			t.Errorf("the mark is %s, want %s", got, want)
		}
		if len(warned) != warnings {
			t.Errorf("warned of %v, want %d", warned, warnings)
		}
	}
	extend(high, 0)
	drop("/keys/mark/00000")
	if l, err := take(2, twitter, nil); err != nil {
		t.Errorf("Take of the other number: %v", err)
	} else if err := l.Release(ctx, now); err != nil {
		t.Error(err)
	}
	extend(high, 1)
	servers.Wants(t, "the warning", warned[0], nil, "key /keys/mark/00000 was missing")
	drop("/keys/mark/00000")
	extend(high.Add(time.Microsecond), 2)
	if _, err := client.Put(ctx, "/keys/mark/00000", "2020-01-01T00:00:00Z"); err != nil {
		t.Fatal(err)
	}
	extend(high.Add(time.Microsecond), 2)
	drop("/keys/mark/00000")
	drop("/keys/mark/00001")
	servers.Wants(t, "a first start under a holder without a mark", create(opts(2, true)), nil, "a number without a mark is held")
	if err := l.Release(ctx, high); err != nil || mark() != high.Format(time.RFC3339Nano) {
		t.Errorf("Release without a mark: %v, the mark is %s", err, mark())
	}

	_, err = take(2, twitter, nil)
	servers.Wants(t, "Take without a mark", err, fs.ErrNotExist, "no key /keys/mark/00001")
	if err := create(opts(2, true)); err != nil {
		t.Error(err)
	}
	if l, err = take(2, twitter, nil); err != nil {
		t.Fatal(err)
	}
	if l.Node() != 1 || l.Free() != 1 {
		t.Errorf("took node %d beside %d free ones, want 1 beside 1", l.Node(), l.Free())
	}
	drop("/keys/", clientv3.WithPrefix())
	if err := l.Extend(ctx, high); !errors.Is(err, nodelease.ErrLost) {
		t.Errorf("Extend without any key: %v", err)
	}
	_, err = take(2, twitter, nil)
	servers.Wants(t, "Take without any key", err, fs.ErrNotExist, "no key /keys/schema")
}

// testLateAnswer holds up the answer to a renewal. It must not be taken for that to a later one.
func testLateAnswer(t *testing.T, n *servers.Network, cluster *etcdtest.Cluster, near *clientv3.Client) {
	endpoints, _, back := cluster.Proxies(t, "late")
	client := etcdtest.Open(t, endpoints)
	defer client.Close()
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	now := time.Now()
	l, err := mustNew(t, client, &etcdstore.Options{Prefix: "/answer", Nodes: 1, TTL: time.Minute}).Take(t.Context(), nodelease.Request{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Extend(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	n.Set(true, back...)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := l.Extend(short, now); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Extend without an answer: %v", err)
	}
	owner, err := near.Get(t.Context(), "/answer/owner/00000")
	if err != nil || len(owner.Kvs) != 1 {
		t.Fatalf("%v, %v", owner, err)
	}
	if _, err := near.Revoke(t.Context(), clientv3.LeaseID(owner.Kvs[0].Lease)); err != nil {
		t.Fatal(err)
	}
	n.Set(false, back...)
	kv.count = 0
	if err := l.Extend(t.Context(), now); !errors.Is(err, nodelease.ErrLost) || kv.count != 0 {
		t.Errorf("Extend of a lease that has gone: %v after %d transactions, want ErrLost by the answer to the renewal", err, kv.count)
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
		client, err := clientv3.New(config)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		s, err := etcdstore.New(client, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err = s.Take(ctx, nodelease.Request{Now: time.Now()})
		servers.Wants(t, "Take", err, context.DeadlineExceeded, test.want)
	}
}
