package etcdstore_test

import (
	"context"
	"crypto/tls"
	"io/fs"
	"net/http/httptest"
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
