package etcdstore_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
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

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/storekit"
)

// mustNew returns a store, which it makes unless somebody has made it.
func mustNew(t *testing.T, client *clientv3.Client, opts *etcdstore.Options) *etcdstore.Store {
	t.Helper()
	return must.Get(suite.Open(t.Context(), etcdstore.Init, etcdstore.New, client, opts))(t)
}

// kind is what the suite tests.
func kind(t *testing.T, client *clientv3.Client) suite.Kind {
	options := func(o suite.Options) *etcdstore.Options {
		return &etcdstore.Options{Prefix: "/" + o.Name, Holder: o.Holder, Numbers: o.Numbers, TTL: o.TTL, Layout: o.Layout}
	}
	return suite.Kind{
		Package: "etcdstore",
		Init:    func(o suite.Options) error { return etcdstore.Init(t.Context(), client, options(o)) },
		New:     func(o suite.Options) (nodelease.Store, error) { return etcdstore.New(t.Context(), client, options(o)) },
		Drop: func(name string, number int64) error {
			key := fmt.Sprintf("/%s/horizon/%05d", name, number)
			if number < 0 {
				key = "/" + name + "/schema"
			}
			_, err := client.Delete(t.Context(), key)
			return err
		},
		Mark: func(name, header string) error {
			_, err := client.Put(t.Context(), "/"+name+"/schema", header)
			return err
		},
		NoStore: "there is no key /made/schema", NoHeader: "there is no key /made/schema", NoNumber: "there is no key /made/horizon/00002",
	}
}

func TestEtcd(t *testing.T) {
	t.Parallel()
	n := servers.NewNetwork(t)
	cluster := etcdtest.Start(t, n, 1)
	client := cluster.Open(t)
	defer client.Close()
	k := kind(t, client)
	t.Run("store", k.Run)
	t.Run("made", k.Made)
	t.Run("choice", k.Choice)
	for name, test := range map[string]func(*testing.T, *clientv3.Client){
		"late": testLate, "fence": testFence, "parts": testParts, "requests": testRequests, "wrong clock": testWrongClock,
		"missing keys": testMissingKeys, "defaults": testDefaults, "foreign keys": testForeign, "bad options": testBadOptions,
	} {
		t.Run(name, func(t *testing.T) {
			own := cluster.Open(t)
			defer own.Close()
			test(t, own)
		})
	}
	t.Run("late answer", func(t *testing.T) { testLateAnswer(t, n, cluster, client) })
}

// testBadOptions has no client, and a prefix that cannot be and one that an earlier version has used.
func testBadOptions(t *testing.T, client *clientv3.Client) {
	kind(t, client).BadOptions(t, nil)
	_, err := etcdstore.New(t.Context(), client, &etcdstore.Options{Prefix: "ids"})
	must.Fail(t, "no slash", err, nil, `nodelease: etcd: Options.Prefix "ids" does not begin with a slash`)
	must.Fail(t, "no client", etcdstore.Init(t.Context(), nil, nil), nil, "nodelease: etcd: nil Client")
	must.Get(client.Put(t.Context(), "/older/mark/00001", "2026-01-01T00:00:00Z"))(t)
	for range 2 { // Init makes nothing
		err := etcdstore.Init(t.Context(), client, &etcdstore.Options{Prefix: "/older"})
		must.Fail(t, "a prefix with marks", err, nodelease.ErrRefused,
			"prefix /older is of an earlier shape of this package", "it has a key /older/mark/00001")
	}
}

// testDefaults checks under which keys a store keeps what it knows by default, and the TTL in whole seconds.
func testDefaults(t *testing.T, client *clientv3.Client) {
	g := must.Get(mustNew(t, client, nil).Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
	defer func() { must.Do(t, g.Lease.Release(t.Context(), time.Time{})) }()
	if g.TTL != 15*time.Second {
		t.Errorf("a TTL of %v, want 15s", g.TTL)
	}
	resp := must.Get(client.Get(t.Context(), fmt.Sprintf("/nodelease/owner/%05d", g.Number)))(t)
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
		g := must.Get(s.Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
		if g.TTL != want {
			t.Errorf("of %v, the lease has a TTL of %v, want %v", ttl, g.TTL, want)
		}
	}
}

// testForeign has somebody else write below the prefix.
func testForeign(t *testing.T, client *clientv3.Client) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/foreign", Numbers: 1})
	for _, key := range []string{"horizon/-0001", "horizon/00001", "horizon/10000", "horizon/x", "horizon/0", "owner/", "owner/0", "horizons"} {
		must.Get(client.Put(t.Context(), "/foreign/"+key, "x"))(t)
	}
	horizon := time.Now().UTC()
	for _, want := range []time.Time{{}, horizon, horizon} {
		g := must.Get(s.Take(t.Context(), nodelease.Request{Now: horizon}))(t)
		if !g.Horizon.Equal(want) {
			t.Errorf("the horizon is %v, want %v", g.Horizon, want)
		}
		must.Do(t, g.Lease.Release(t.Context(), horizon))
	}
	must.Get(client.Put(t.Context(), "/foreign/horizon/00000", "x"))(t)
	_, err := s.Take(t.Context(), nodelease.Request{Now: horizon})
	must.Fail(t, "Take with a horizon that is not a time", err, nil, "horizon /foreign/horizon/00000")
}

// testParts has so many numbers that a Take reads a part of them, if that does.
func testParts(t *testing.T, client *clientv3.Client) {
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	const numbers = 256
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Microsecond)
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/parts", Numbers: numbers})
	var held []nodelease.Grant
	for i := range int64(3) {
		kv.count.Store(0)
		g := must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t)
		if n := kv.count.Load(); n != 2 || g.Free != numbers-1-i {
			t.Errorf("took number %d beside %d free ones in %d transactions", g.Number, g.Free, n)
		}
		must.Do(t, g.Lease.Extend(ctx, now.Add(time.Minute)))
		held = append(held, g)
	}
	_, err := s.Take(ctx, nodelease.Request{Now: now.AddDate(10, 0, 0)})
	must.Fail(t, "Take of a clock that is years ahead beside three holders", err, nil, "the horizons of the other holders")
	for _, g := range held {
		must.Do(t, g.Lease.Release(ctx, now))
	}
	const passed = 100
	for n := range numbers {
		if n != passed {
			must.Get(client.Put(ctx, fmt.Sprintf("/parts/horizon/%05d", n), now.Add(time.Hour).Format(time.RFC3339Nano)))(t)
		}
	}
	for range 5 {
		g := must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t)
		if g.Number != passed {
			t.Errorf("took number %d, want %d, whose horizon has passed", g.Number, passed)
		}
		must.Do(t, g.Lease.Release(ctx, now))
	}
	missing := fmt.Sprintf("/parts/horizon/%05d", passed)
	must.Get(client.Delete(ctx, missing))(t)
	for range 5 {
		_, err = s.Take(ctx, nodelease.Request{Now: now.Add(2 * time.Hour)})
		must.Fail(t, "Take without a horizon", err, nodelease.ErrRefused, "there is no key "+missing)
	}
}

// testMissingKeys has horizons get lost, or edited, under their holder.
func testMissingKeys(t *testing.T, client *clientv3.Client) {
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Microsecond)
	opts := &etcdstore.Options{Prefix: "/keys", Numbers: 2, TTL: 10 * time.Second}
	s := mustNew(t, client, opts)
	var warned []error
	g := must.Get(s.Take(ctx, nodelease.Request{Now: now, Warn: func(err error) { warned = append(warned, err) }}))(t)
	key := func(number int64) string { return fmt.Sprintf("/keys/horizon/%05d", number) }
	drop := func(number int64) {
		t.Helper()
		if resp, err := client.Delete(ctx, key(number)); err != nil || resp.Deleted == 0 {
			t.Fatalf("delete %s: %v, %v", key(number), resp, err)
		}
	}
	written := func(want time.Time) {
		t.Helper()
		resp := must.Get(client.Get(ctx, key(g.Number)))(t)
		if len(resp.Kvs) != 1 || string(resp.Kvs[0].Value) != want.Format(time.RFC3339Nano) {
			t.Errorf("under the horizon's key is %v, want %v", resp.Kvs, want)
		}
	}
	high := now.Add(time.Hour)
	extend := func(to time.Time, warnings int) {
		t.Helper()
		must.Do(t, g.Lease.Extend(ctx, to))
		if written(to); len(warned) != warnings {
			t.Errorf("warned of %v, want %d", warned, warnings)
		}
	}
	extend(high, 0)
	drop(g.Number)
	must.Do(t, suite.Take(t, s).Lease.Release(ctx, now)) // the other number
	extend(high, 1)
	must.Fail(t, "the warning", warned[0], nil, "key "+key(g.Number)+" was missing")
	drop(g.Number)
	extend(high.Add(time.Microsecond), 2)
	must.Get(client.Put(ctx, key(g.Number), "2020-01-01T00:00:00Z"))(t)
	extend(high.Add(time.Microsecond), 2)
	drop(g.Number)
	drop(1 - g.Number)
	must.Fail(t, "a first start under a holder without a horizon", etcdstore.Init(ctx, client, opts), nil, "a number without a horizon is held")
	must.Do(t, g.Lease.Release(ctx, high))
	written(high)
}

// testLateAnswer holds up the answer to a renewal. It must not be taken for that to a later one.
func testLateAnswer(t *testing.T, n *servers.Network, cluster *etcdtest.Cluster, near *clientv3.Client) {
	endpoints, _, back := cluster.Proxies(t, "late")
	client := etcdtest.Open(t, endpoints)
	defer client.Close()
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	now := time.Now()
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/answer", Numbers: 1, TTL: time.Minute})
	l := must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t).Lease
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

// TestTLS has a client and a server of which only one speaks TLS. The errors of New and Take say so.
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
		short := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			t.Cleanup(cancel)
			return ctx
		}
		_, err := etcdstore.New(short(), client, nil)
		must.Fail(t, "New", err, context.DeadlineExceeded, test.want)
		client.KV = knownKV{client.KV}
		s := must.Get(etcdstore.New(t.Context(), client, nil))(t)
		_, err = s.Take(short(), nodelease.Request{Now: time.Now()})
		must.Fail(t, "Take", err, context.DeadlineExceeded, test.want)
	}
}

// knownKV has the schema without a server.
type knownKV struct{ clientv3.KV }

func (knownKV) Get(context.Context, string, ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	header := storekit.Header(ids.TwitterLayout())
	return &clientv3.GetResponse{Kvs: []*mvccpb.KeyValue{{Value: []byte(header)}}}, nil
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
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/late", Numbers: 1, TTL: 10 * time.Second})
	now := time.Now().UTC()
	ctx := t.Context()
	horizon := func(n int) time.Time { return now.Add(time.Duration(n) * time.Minute) }

	// Between this process's look at the free numbers and its transaction, another one takes the number.
	var other nodelease.Lease
	kv.commit = func(list func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		resp, err := list()
		if err != nil {
			return nil, err
		}
		other = must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t).Lease
		return resp, nil
	}
	_, err := s.Take(ctx, nodelease.Request{Now: now})
	must.Fail(t, "Take of a number that another process holds", err, nodelease.ErrNoNumber)
	must.Do(t, other.Extend(ctx, horizon(1)))

	// A request that is given up arrives after its successor.
	var late func() (*clientv3.TxnResponse, error)
	kv.commit = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		late = do
		return nil, context.DeadlineExceeded
	}
	must.Fail(t, "Extend", other.Extend(ctx, horizon(2)), context.DeadlineExceeded)
	must.Do(t, other.Extend(ctx, horizon(3)))
	must.Get(late())(t)
	// stored checks the horizon.
	stored := func(what string, want time.Time) {
		t.Helper()
		resp := must.Get(client.Get(ctx, "/late/horizon/00000"))(t)
		var got time.Time
		if err := got.UnmarshalText(resp.Kvs[0].Value); err != nil || !got.Equal(want) {
			t.Errorf("%s has set the horizon to %v, want %v, %v", what, got, want, err)
		}
	}
	stored("a late request", horizon(3))

	// A request fails before the servers have it, and is made again.
	kv.commit = func(func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) { return nil, errPoor }
	must.Fail(t, "Extend", other.Extend(ctx, horizon(4)), errPoor)
	must.Do(t, other.Extend(ctx, horizon(4)))
	stored("a request made again", horizon(4))

	// A request is carried out, but the answer is lost.
	kv.commit = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		_, _ = do()
		return nil, context.DeadlineExceeded
	}
	must.Fail(t, "Extend", other.Extend(ctx, horizon(5)), context.DeadlineExceeded)
	must.Fail(t, "Extend with a lower horizon", other.Extend(ctx, horizon(4)), nil, "cannot be lowered")
	must.Do(t, other.Extend(ctx, horizon(5)))
	must.Do(t, other.Release(ctx, horizon(0)))

	// The context ends while the servers grant a lease: the Take goes on.
	short, cancel := context.WithCancel(ctx)
	granting := client.Lease
	client.Lease = lateLease{granting, cancel}
	must.Get(s.Take(short, nodelease.Request{Now: now}))(t)
	client.Lease = granting

	// Between Init's look at the keys and its transaction, a horizon appears.
	kv.commit = func(list func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		resp, err := list()
		must.Get(client.Put(ctx, "/late/horizon/00001", "2026-01-01T00:00:00Z"))(t)
		return resp, err
	}
	err = etcdstore.Init(ctx, client, &etcdstore.Options{Prefix: "/late", Numbers: 2})
	must.Fail(t, "Init", err, nil, "somebody else makes the store at the same time")
}

// testFence has somebody put a holder's owner key under another lease, and make it anew under the same one.
func testFence(t *testing.T, client *clientv3.Client) {
	ctx, now := t.Context(), time.Now()
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/fence", Numbers: 1, TTL: 10 * time.Second})
	const owner = "/fence/owner/00000"
	other := must.Get(client.Grant(ctx, 60))(t).ID
	for _, anew := range []bool{false, true} {
		for name, call := range map[string]func(nodelease.Lease) error{
			"Extend":  func(l nodelease.Lease) error { return l.Extend(ctx, now) },
			"Release": func(l nodelease.Lease) error { return l.Release(ctx, now) },
		} {
			l := must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t).Lease
			must.Do(t, l.Extend(ctx, now))
			lease := other
			if anew {
				lease = clientv3.LeaseID(must.Get(client.Get(ctx, owner))(t).Kvs[0].Lease)
				must.Get(client.Delete(ctx, owner))(t)
			}
			must.Get(client.Put(ctx, owner, "somebody", clientv3.WithLease(lease)))(t)
			must.Fail(t, fmt.Sprintf("%s, the key made anew %v", name, anew), call(l), nodelease.ErrLost)
			must.Get(client.Delete(ctx, owner))(t)
		}
	}
}

// poorLease grants nothing.
type poorLease struct{ clientv3.Lease }

func (poorLease) Grant(context.Context, int64) (*clientv3.LeaseGrantResponse, error) {
	return nil, errPoor
}

// lateLease grants after the caller has given up.
type lateLease struct {
	clientv3.Lease
	giveUp func()
}

func (l lateLease) Grant(ctx context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	l.giveUp()
	return l.Lease.Grant(ctx, ttl)
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
	const numbers = 20
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/requests", Numbers: numbers, TTL: 10 * time.Second})
	kv.count.Store(0)
	ctx, now := t.Context(), time.Now().UTC()
	horizon := func(number int64) time.Time { return now.Add(time.Duration(number) * time.Minute) }
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
	var held []nodelease.Grant
	takeAll := func(want func(number int64) time.Time) {
		t.Helper()
		held = nil
		for i := range numbers {
			g, err := s.Take(ctx, nodelease.Request{Now: now})
			expect("Take", err, nil, 2, i+1) // a look at the numbers and one try, however many are held
			held = append(held, g)
			if !g.Horizon.Equal(want(g.Number)) {
				t.Errorf("the horizon of number %d is %v, want %v", g.Number, g.Horizon, want(g.Number))
			}
		}
	}
	releaseAll := func() {
		for i, g := range held {
			expect("Release", g.Lease.Release(ctx, horizon(g.Number)), nil, 1, numbers-i-1)
		}
	}
	takeNone := func(what string, want error, transactions int64, kept int) {
		t.Helper()
		g, err := s.Take(ctx, nodelease.Request{Now: now})
		if g.Lease != nil {
			t.Errorf("%s: took number %d", what, g.Number)
		}
		expect(what, err, want, transactions, kept)
	}
	takeAll(func(int64) time.Time { return time.Time{} })
	takeNone("Take with all numbers held", nodelease.ErrNoNumber, 1, numbers)
	client.Lease = poorLease{granting}
	takeNone("Take with all numbers held and nothing to grant", nodelease.ErrNoNumber, 1, numbers)
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
		takeAll(horizon)
		return resp, err
	}
	takeNone("Take of what others have taken", nodelease.ErrNoNumber, 3+1, numbers) // tries, and another look
	releaseAll()
	var meddle func(func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error)
	meddle = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		kv.commit = meddle
		resp, err := do()
		for n := range int64(numbers) {
			must.Get(client.Put(ctx, fmt.Sprintf("/requests/horizon/%05d", n), horizon(n).Format(time.RFC3339Nano)))(t)
		}
		return resp, err
	}
	kv.commit = meddle
	takeNone("Take while somebody writes all horizons again and again", nodelease.ErrNoNumber, 2*(1+3), 0)
	kv.commit = nil
	client.Lease = poorLease{granting}
	takeNone("Take without a lease", errPoor, 1, 0)

	takeAll(horizon)
	for i, g := range held {
		testExtends(t, client, g, horizon(numbers), func(what string, err, want error, transactions int64) {
			expect(what, err, want, transactions, numbers-i)
		})
		expect("Release", g.Lease.Release(ctx, now), nil, 1, numbers-i-1)
	}
}

// testExtends raises the horizon of g, and tries what does not.
func testExtends(t *testing.T, client *clientv3.Client, g nodelease.Grant, horizon time.Time, expect func(string, error, error, int64)) {
	ctx, never := t.Context(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	revision := func() int64 {
		resp := must.Get(client.Get(ctx, fmt.Sprintf("/requests/horizon/%05d", g.Number)))(t)
		return resp.Kvs[0].ModRevision
	}
	before := revision()
	expect("Extend with the horizon as it is", g.Lease.Extend(ctx, g.Horizon), nil, 1)
	expect("Extend with a lower horizon", g.Lease.Extend(ctx, g.Horizon.Add(-1)), errAny, 0)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	expect("Extend without time", g.Lease.Extend(ended, horizon), context.Canceled, 0)
	expect("Extend to the year 10000", g.Lease.Extend(ctx, never), errAny, 0)
	expect("Release at the year 10000", g.Lease.Release(ctx, never), errAny, 0)
	if after := revision(); after != before {
		t.Errorf("the horizon of number %d was written although it is as it was", g.Number)
	}
	for _, to := range []time.Time{horizon, horizon, horizon.Add(time.Minute)} {
		expect("Extend", g.Lease.Extend(ctx, to), nil, 1)
	}
}

// testWrongClock has a machine whose clock is years ahead ask beside two holders and beside three.
func testWrongClock(t *testing.T, client *clientv3.Client) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/clock", Numbers: 8})
	now := time.Now().UTC().Truncate(time.Microsecond)
	ahead := now.AddDate(10, 0, 0)
	take := func(now time.Time) nodelease.Grant {
		t.Helper()
		return must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t)
	}
	for range 2 {
		must.Do(t, take(now).Lease.Extend(t.Context(), now.Add(time.Minute)))
	}
	number := int64(-1)
	for range 5 {
		g := take(ahead)
		if number >= 0 && g.Number != number {
			t.Errorf("took number %d, want %d again", g.Number, number)
		}
		number = g.Number
		must.Do(t, g.Lease.Release(t.Context(), ahead))
	}
	g := take(now)
	if g.Number == number {
		t.Errorf("took number %d, whose horizon is years ahead", number)
	}
	must.Do(t, g.Lease.Extend(t.Context(), now.Add(time.Minute)))
	_, err := s.Take(t.Context(), nodelease.Request{Now: ahead})
	want := fmt.Sprintf("says %s, the horizons of the other holders %s", ahead.Format(time.RFC3339), now.Add(time.Minute).Format(time.RFC3339))
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
	mustNew(t, root, &etcdstore.Options{Numbers: 1000})
	rights := etcdtest.Least("/nodelease")
	rights["/nodelease/mark/"] = etcdtest.Read // where Init looks for keys of an earlier version
	cluster.Users(t, map[string]map[string]clientv3.PermissionType{"orders": rights})
	client := cluster.OpenAs(t, "orders")
	defer client.Close()
	err := etcdstore.Init(ctx, client, nil)
	must.Fail(t, "a first start with the rights of a process that mints, which may not write the schema", err, nil, "nodelease: etcd: etcdserver: permission denied")
	s := must.Get(etcdstore.New(ctx, client, &etcdstore.Options{Numbers: 1000, TTL: time.Minute}))(t)
	const minters = 10
	var grants [minters]nodelease.Grant
	for i := range grants {
		grants[i] = must.Get(s.Take(ctx, nodelease.Request{Now: time.Now(), Layout: ids.TwitterLayout()}))(t)
	}
	// renew renews all, again and again while the server starts.
	renew := func() {
		t.Helper()
		for _, g := range grants {
			must.Soon(t, func() error {
				one, cancel := context.WithCancel(ctx) // the stream outlives it
				defer cancel()
				return g.Lease.Extend(one, g.Horizon)
			})
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
	for _, g := range grants {
		must.Do(t, g.Lease.Release(ctx, time.Now()))
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
