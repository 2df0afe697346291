package etcdstore_test

import (
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease/etcdstore"
)

func TestBadOptions(t *testing.T) {
	for want, opts := range map[string]*etcdstore.Options{
		"Options.Nodes -1 is not within 1 to 1048576":            {Nodes: -1},
		"Options.Nodes 1048577":                                  {Nodes: 1<<20 + 1},
		"Options.TTL 999.999999ms is not within 1s to 8760h0m0s": {TTL: time.Second - 1},
		"Options.TTL -1s":                                        {TTL: -time.Second},
	} {
		if s, err := etcdstore.New(new(clientv3.Client), opts); s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", opts, err, want)
		}
	}
	if _, err := etcdstore.New(nil, nil); err == nil || !strings.Contains(err.Error(), "nil Client") {
		t.Errorf("nil client: %v", err)
	}
}

// testForeign has somebody else write below the prefix.
func testForeign(t *testing.T, client *clientv3.Client) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/foreign", Nodes: 1})
	for _, key := range []string{"/foreign/mark/00001", "/foreign/mark/x", "/foreign/owner/", "/foreign/marks"} {
		if _, err := client.Put(t.Context(), key, "x"); err != nil {
			t.Fatal(err)
		}
	}
	l, err := s.Take(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Put(t.Context(), "/foreign/mark/00000", "x"); err != nil {
		t.Fatal(err)
	}
	if l, err := s.Take(t.Context(), time.Now()); err == nil || !strings.Contains(err.Error(), "mark /foreign/mark/00000") {
		t.Errorf("got %v, %v with a mark that is not a time", l, err)
	}
}
