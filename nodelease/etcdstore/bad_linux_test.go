package etcdstore_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
)

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
