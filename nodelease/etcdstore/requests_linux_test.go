package etcdstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
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
)

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

	// Between this process's look at the free numbers and its transaction, another one takes
	// the number.
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

var errPoor = errors.New("nothing to grant")

// errAny stands for any error but ErrLost.
var errAny = errors.New("any")

// testRequests counts what a store asks of the servers, and what it leaves there when it gets no number.
func testRequests(t *testing.T, client *clientv3.Client) {
	kv := &slowKV{KV: client.KV}
	client.KV = kv
	granting := client.Lease
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
		ours := leases()
		for began := time.Now(); len(ours) != kept && time.Since(began) < 5*time.Second; ours = leases() {
			time.Sleep(time.Millisecond) // a follower answers, who may not know yet
		}
		if len(ours) != kept {
			t.Fatalf("%s: the servers keep %d leases, want %d", what, len(ours), kept)
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
func testExtends(
	t *testing.T, client *clientv3.Client, l nodelease.Lease, mark time.Time,
	expect func(what string, err, want error, transactions int64),
) {
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
		l := must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t)
		return l
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
	mustNew(t, root, nil)
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
