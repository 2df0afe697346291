package etcdstore_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
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
	"github.com/oneclock/ids/nodelease/storetest"
)

// mustNew returns a store, after a first start if it is the first.
func mustNew(t *testing.T, client *clientv3.Client, opts *etcdstore.Options) *etcdstore.Store {
	t.Helper()
	own := *opts
	return must.Get(servers.First(func(first bool) (*etcdstore.Store, error) {
		own.Init = first
		return etcdstore.New(client, &own)
	}))(t)
}

func TestEtcd(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n, 1)
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
		"missing keys": testMissingKeys, "defaults": testDefaults, "foreign keys": testForeign,
	} {
		t.Run(name, func(t *testing.T) {
			own := cluster.Open(t)
			defer own.Close()
			test(t, own)
		})
	}
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
	l := must.Get(mustNew(t, client, new(etcdstore.Options)).Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
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

// slowKV lets a test come between a transaction and the servers.
type slowKV struct {
	clientv3.KV
	// commit is given the next transaction, once. Nil means to carry it out.
	commit func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error)
	count  atomic.Int64 // of transactions
}

func (k *slowKV) Txn(context.Context) clientv3.Txn {
	return &slowTxn{kv: k, txn: k.KV.Txn(context.Background())}
}

type slowTxn struct {
	kv  *slowKV
	txn clientv3.Txn
}

func (t *slowTxn) If(c ...clientv3.Cmp) clientv3.Txn  { t.txn = t.txn.If(c...); return t }
func (t *slowTxn) Then(o ...clientv3.Op) clientv3.Txn { t.txn = t.txn.Then(o...); return t }
func (t *slowTxn) Else(o ...clientv3.Op) clientv3.Txn { t.txn = t.txn.Else(o...); return t }

func (t *slowTxn) Commit() (*clientv3.TxnResponse, error) {
	t.kv.count.Add(1)
	if commit := t.kv.commit; commit != nil {
		t.kv.commit = nil
		return commit(t.txn.Commit)
	}
	return t.txn.Commit()
}

// testLate has transactions arrive late, answers get lost, and two processes want one number.
func testLate(t *testing.T, client *clientv3.Client) {
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/late", Nodes: 1, TTL: 10 * time.Second})
	now := time.Now().UTC()
	ctx := t.Context()
	mark := func(n int) time.Time { return now.Add(time.Duration(n) * time.Minute) }

	// Between this process's look at the free numbers and its transaction, another one takes the number.
	var other nodelease.Lease
	kv.commit = func(list func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		resp, err := list()
		if err != nil {
			return nil, err
		}
		other = must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t)
		return resp, nil
	}
	_, err := s.Take(ctx, nodelease.Request{Now: now})
	must.Fail(t, "Take of a number that another process holds", err, nodelease.ErrNoNode)
	must.Do(t, other.Extend(ctx, mark(1)))

	// A request that is given up arrives after its successor.
	var late func() (*clientv3.TxnResponse, error)
	kv.commit = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		late = do
		return nil, context.DeadlineExceeded
	}
	must.Fail(t, "Extend", other.Extend(ctx, mark(2)), context.DeadlineExceeded)
	must.Do(t, other.Extend(ctx, mark(3)))
	must.Get(late())(t)
	// stored checks the mark.
	stored := func(what string, want time.Time) {
		t.Helper()
		resp := must.Get(client.Get(ctx, "/late/mark/00000"))(t)
		var got time.Time
		if err := got.UnmarshalText(resp.Kvs[0].Value); err != nil || !got.Equal(want) {
			t.Errorf("%s has set the mark to %v, want %v, %v", what, got, want, err)
		}
	}
	stored("a late request", mark(3))

	// A request fails before the servers have it, and is made again.
	kv.commit = func(func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) { return nil, errPoor }
	must.Fail(t, "Extend", other.Extend(ctx, mark(4)), errPoor)
	must.Do(t, other.Extend(ctx, mark(4)))
	stored("a request made again", mark(4))

	// A request is carried out, but the answer is lost.
	kv.commit = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		_, _ = do()
		return nil, context.DeadlineExceeded
	}
	must.Fail(t, "Extend", other.Extend(ctx, mark(5)), context.DeadlineExceeded)
	must.Do(t, other.Extend(ctx, mark(5)))
	must.Do(t, other.Release(ctx, mark(0)))
}

// poorLease grants nothing.
type poorLease struct{ clientv3.Lease }

func (poorLease) Grant(context.Context, int64) (*clientv3.LeaseGrantResponse, error) {
	return nil, errPoor
}

// patientLease waits for the end of a lease as long as a slow server needs.
type patientLease struct{ clientv3.Lease }

func (l patientLease) Revoke(_ context.Context, id clientv3.LeaseID) (*clientv3.LeaseRevokeResponse, error) {
	return l.Lease.Revoke(context.Background(), id)
}

var errPoor = errors.New("nothing to grant")

// errAny stands for any error but ErrLost.
var errAny = errors.New("any")

// testRequests counts what a store asks of the servers, and what it leaves there when it gets no number.
func testRequests(t *testing.T, client *clientv3.Client) {
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	granting := patientLease{client.Lease}
	client.Lease = granting
	const nodes = 20
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/requests", Nodes: nodes, TTL: 10 * time.Second})
	kv.count.Store(0)
	ctx, now := t.Context(), time.Now().UTC()
	mark := func(node int64) time.Time { return now.Add(time.Duration(node) * time.Minute) }
	others := map[clientv3.LeaseStatus]bool{}
	leases := func() (ours []clientv3.LeaseStatus) {
		resp := must.Get(client.Leases(ctx))(t)
		return slices.DeleteFunc(resp.Leases, func(l clientv3.LeaseStatus) bool { return others[l] })
	}
	for _, l := range leases() {
		others[l] = true
	}
	// expect checks the error of a call, how many transactions it made, and how many leases the servers keep.
	expect := func(what string, err, want error, transactions int64, kept int) {
		t.Helper()
		client.Lease = granting
		if ok := errors.Is(err, want) || want == errAny && err != nil && !errors.Is(err, nodelease.ErrLost); !ok {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if n := kv.count.Swap(0); n != transactions {
			t.Errorf("%s: %d transactions, want %d", what, n, transactions)
		}
		if ours := leases(); len(ours) != kept {
			t.Fatalf("%s: the server keeps %d leases, want %d", what, len(ours), kept)
		}
	}
	var held []nodelease.Lease
	takeAll := func(want func(node int64) time.Time) {
		t.Helper()
		held = nil
		for i := range nodes {
			l, err := s.Take(ctx, nodelease.Request{Now: now})
			expect("Take", err, nil, 2, i+1) // a look at the numbers and one try, however many are held
			held = append(held, l)
			if !l.Mark().Equal(want(l.Node())) {
				t.Errorf("the mark of node %d is %v, want %v", l.Node(), l.Mark(), want(l.Node()))
			}
		}
	}
	releaseAll := func() {
		for i, l := range held {
			expect("Release", l.Release(ctx, mark(l.Node())), nil, 1, nodes-i-1)
		}
	}
	takeNone := func(what string, want error, transactions int64, kept int) {
		t.Helper()
		l, err := s.Take(ctx, nodelease.Request{Now: now})
		if l != nil {
			t.Errorf("%s: took node %d", what, l.Node())
		}
		expect(what, err, want, transactions, kept)
	}
	takeAll(func(int64) time.Time { return time.Time{} })
	takeNone("Take with all numbers held", nodelease.ErrNoNode, 1, nodes)
	client.Lease = poorLease{granting}
	takeNone("Take with all numbers held and nothing to grant", nodelease.ErrNoNode, 1, nodes)
	releaseAll()

	// No number is got, and no lease is left.
	kv.commit = func(list func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		kv.commit = func(func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) { return nil, errPoor }
		return list()
	}
	takeNone("Take without an answer", errPoor, 2, 0)
	kv.commit = func(list func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		resp, err := list()
		kv.count.Store(0)
		takeAll(mark)
		return resp, err
	}
	takeNone("Take of what others have taken", nodelease.ErrNoNode, 3+1, nodes) // tries, and another look
	releaseAll()
	var meddle func(func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error)
	meddle = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		kv.commit = meddle
		resp, err := do()
		for n := range int64(nodes) {
			must.Get(client.Put(ctx, fmt.Sprintf("/requests/mark/%05d", n), mark(n).Format(time.RFC3339Nano)))(t)
		}
		return resp, err
	}
	kv.commit = meddle
	takeNone("Take while somebody writes all marks again and again", nodelease.ErrNoNode, 2*(1+3), 0)
	kv.commit = nil
	client.Lease = poorLease{granting}
	takeNone("Take without a lease", errPoor, 1, 0)

	takeAll(mark)
	for i, l := range held {
		testExtends(t, client, l, mark(nodes), func(what string, err, want error, transactions int64) {
			expect(what, err, want, transactions, nodes-i)
		})
		expect("Release", l.Release(ctx, now), nil, 1, nodes-i-1)
	}
}

// testExtends raises the mark of l, and tries what does not.
func testExtends(t *testing.T, client *clientv3.Client, l nodelease.Lease, mark time.Time, expect func(string, error, error, int64)) {
	ctx, never := t.Context(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	revision := func() int64 {
		resp := must.Get(client.Get(ctx, fmt.Sprintf("/requests/mark/%05d", l.Node())))(t)
		return resp.Kvs[0].ModRevision
	}
	before := revision()
	expect("Extend with the mark as it is", l.Extend(ctx, l.Mark()), nil, 1)
	expect("Extend with a lower mark", l.Extend(ctx, l.Mark().Add(-1)), errAny, 0)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	expect("Extend without time", l.Extend(ended, mark), context.Canceled, 0)
	expect("Extend to the year 10000", l.Extend(ctx, never), errAny, 0)
	expect("Release at the year 10000", l.Release(ctx, never), errAny, 0)
	if after := revision(); after != before {
		t.Errorf("the mark of node %d was written although it is as it was", l.Node())
	}
	for _, to := range []time.Time{mark, mark, mark.Add(time.Minute)} {
		expect("Extend", l.Extend(ctx, to), nil, 1)
	}
}

// testWrongClock has a machine whose clock is years ahead ask beside two holders and beside three, and looks
// for the number that it prefers.
func testWrongClock(t *testing.T, client *clientv3.Client) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/clock", Nodes: 8})
	now := time.Now().UTC().Truncate(time.Microsecond)
	ahead := now.AddDate(10, 0, 0)
	take := func(now time.Time) nodelease.Lease {
		t.Helper()
		return must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t)
	}
	for range 2 {
		must.Do(t, take(now).Extend(t.Context(), now.Add(time.Minute)))
	}
	node := int64(-1)
	for range 5 {
		l := take(ahead)
		if node >= 0 && l.Node() != node {
			t.Errorf("took node %d, want %d again", l.Node(), node)
		}
		node = l.Node()
		must.Do(t, l.Release(t.Context(), ahead))
	}
	for range 3 {
		l := take(now)
		if l.Node() == node {
			t.Errorf("took node %d, whose mark is years ahead", node)
		}
		must.Do(t, l.Extend(t.Context(), now.Add(time.Minute)))
	}
	_, err := s.Take(t.Context(), nodelease.Request{Now: ahead})
	want := fmt.Sprintf("says %s, the marks of the other holders %s", ahead.Format(time.RFC3339), now.Add(time.Minute).Format(time.RFC3339))
	must.Fail(t, "Take of a clock that is years ahead", err, nil, want)
}

var authenticates = regexp.MustCompile(`(?m)^grpc_server_started_total\{grpc_method="Authenticate".*\} (\d+)$`)

// TestPassword has the server ask for a password, which costs it much processor time. Renewals make it check none.
func TestPassword(t *testing.T) { // alone: it counts the streams of the process
	cluster := etcdtest.Start(t, servers.NewNetwork(t), 1)
	server := cluster.Members[0]
	root := cluster.Open(t)
	defer root.Close()
	ctx := t.Context()
	checks := func() int {
		t.Helper()
		resp := must.Get(http.Get("http://" + server.Client + "/metrics"))(t)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		found := authenticates.FindSubmatch(body)
		if err != nil || found == nil {
			t.Fatalf("no count of Authenticate: %v", err)
		}
		return must.Get(strconv.Atoi(string(found[1])))(t)
	}
	mustNew(t, root, new(etcdstore.Options))
	cluster.Users(t, map[string]map[string]clientv3.PermissionType{"orders": etcdtest.Least("/nodelease")})
	client := cluster.OpenAs(t, "orders")
	defer client.Close()
	_, err := etcdstore.New(client, &etcdstore.Options{Nodes: 1025, Init: true})
	must.Fail(t, "a first start with the rights of a process that mints, which may not write the schema", err, nil, "permission denied")
	s := must.Get(etcdstore.New(client, &etcdstore.Options{TTL: time.Minute}))(t)
	const minters = 10
	var leases [minters]nodelease.Lease
	for i := range leases {
		leases[i] = must.Get(s.Take(ctx, nodelease.Request{Now: time.Now(), Layout: ids.TwitterLayout()}))(t)
	}
	// renew renews all, again and again while the server starts.
	renew := func() {
		t.Helper()
		for _, l := range leases {
			must.Soon(t, func() error { return l.Extend(ctx, l.Mark()) })
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
		t.Errorf("%d renewals made the server check the password %d times, want 0", 10*minters, again)
	}

	// A server that starts anew has ended its streams, and knows no tokens.
	server.Stop(syscall.SIGKILL)
	server.Start(t)
	renew()
	for _, l := range leases {
		must.Do(t, l.Release(ctx, time.Now()))
	}
	must.Soon(t, func() error {
		if open := streams(); open > 0 {
			return fmt.Errorf("%d streams are open when all leases were given back", open)
		}
		return nil
	})
}

// streams counts the goroutines that serve an open stream of gRPC.
func streams() int {
	stacks := make([]byte, 4<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("created by google.golang.org/grpc.newClientStreamWithParams"))
}
