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
)

func TestBadOptions(t *testing.T) {
	const want = "nodelease: etcd: Options.Nodes -1 is not within 1 to 1048576"
	if s, err := etcdstore.New(new(clientv3.Client), &etcdstore.Options{Nodes: -1}); s != nil || err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	if s, err := etcdstore.New(new(clientv3.Client), &etcdstore.Options{Prefix: "ids"}); s != nil || err == nil || !strings.Contains(err.Error(), `Prefix "ids" does not begin with a slash`) {
		t.Errorf("a prefix without a slash: %v", err)
	}
	if _, err := etcdstore.New(new(clientv3.Client), nil); err != nil {
		t.Errorf("no options: %v", err)
	}
	if _, err := etcdstore.New(nil, nil); err == nil || !strings.Contains(err.Error(), "nil Client") {
		t.Errorf("nil client: %v", err)
	}
}

// testDefaults checks under which keys a store keeps what it knows by default, and the TTL in whole seconds.
func testDefaults(t *testing.T, client *clientv3.Client) {
	l, err := mustNew(t, client, nil).Take(t.Context(), nodelease.Request{Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Release(t.Context(), time.Time{}); err != nil {
			t.Error(err)
		}
	}()
	if l.TTL() != 15*time.Second {
		t.Errorf("a TTL of %v, want 15s", l.TTL())
	}
	resp, err := client.Get(t.Context(), fmt.Sprintf("/nodelease/owner/%05d", l.Node()))
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if len(resp.Kvs) != 1 || !strings.HasPrefix(string(resp.Kvs[0].Value), host) {
		t.Errorf("under the owner's key is %v", resp.Kvs)
	}
	for ttl, want := range map[time.Duration]time.Duration{
		10 * time.Second:   10 * time.Second,
		10*time.Second + 1: 11 * time.Second,
		11*time.Second - 1: 11 * time.Second,
	} {
		l, err := mustNew(t, client, &etcdstore.Options{Prefix: "/ttl/" + ttl.String(), TTL: ttl}).Take(t.Context(), nodelease.Request{Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		if l.TTL() != want {
			t.Errorf("of %v, the lease has a TTL of %v, want %v", ttl, l.TTL(), want)
		}
	}
}

// testForeign has somebody else write below the prefix.
func testForeign(t *testing.T, client *clientv3.Client) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/foreign", Nodes: 1})
	for _, key := range []string{"mark/-0001", "mark/00001", "mark/10000", "mark/x", "mark/0", "owner/", "owner/0", "marks"} {
		if _, err := client.Put(t.Context(), "/foreign/"+key, "x"); err != nil {
			t.Fatal(err)
		}
	}
	mark := time.Now().UTC()
	for _, want := range []time.Time{{}, mark, mark} {
		l, err := s.Take(t.Context(), nodelease.Request{Now: mark})
		if err != nil {
			t.Fatal(err)
		}
		if !l.Mark().Equal(want) {
			t.Errorf("the mark is %v, want %v", l.Mark(), want)
		}
		if err := l.Release(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
	}
	l, err := s.Take(t.Context(), nodelease.Request{Now: mark})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Put(t.Context(), "/foreign/mark/00000", "x"); err != nil {
		t.Fatal(err)
	}
	if l, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()}); err == nil || !strings.Contains(err.Error(), "mark /foreign/mark/00000") {
		t.Errorf("got %v, %v with a mark that is not a time", l, err)
	}
}
