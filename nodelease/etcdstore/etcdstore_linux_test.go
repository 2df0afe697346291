package etcdstore_test

// Tests of the store with real etcd servers.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/suite"
	"github.com/oneclock/ids/nodelease/storetest"
)

// mustNew returns a store and initializes it if necessary.
func mustNew(t *testing.T, client *clientv3.Client, opts *etcdstore.Options) *etcdstore.Store {
	t.Helper()
	return must.Get(suite.Open(t.Context(), etcdstore.Init, etcdstore.New, client, opts))(t)
}

// kind returns the kind of store that the suite tests.
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
	member := etcdtest.Start(t)
	client := member.Open(t)
	k := kind(t, client)
	t.Run("store", k.Run)
	t.Run("made", k.Made)
	t.Run("choice", k.Choice)
	for name, test := range map[string]func(*testing.T, *clientv3.Client, *spy){
		"late": testLate, "late answer": testLateAnswer, "fence": testFence, "parts": testParts, "requests": testRequests,
		"missing keys": testMissingKeys, "defaults": testDefaults, "foreign keys": testForeign, "bad options": testBadOptions,
		"slow stream": testSlowStream, "stuck": testStuck, "patience": testPatience,
	} {
		t.Run(name, func(t *testing.T) {
			own, asked := spied(t, etcdtest.Config(member.Address))
			test(t, own, asked)
		})
	}
	t.Run("no answer", func(t *testing.T) { testNoAnswer(t, member, client) })
}

// spy counts the requests of a client, and lets a test intervene.
type spy struct {
	mu sync.Mutex
	// Number of requests and streams sent, by method, and of streams "opened" and "ended".
	count map[string]int
	keys  int // number of keys that the transactions returned
	// next maps a method to a function that is called once, with the method's next request. The
	// function may send the request, immediately or later.
	next  map[string]func(send func() error) error
	held  atomic.Pointer[chan struct{}] // answers on streams wait until this channel is closed
	stuck atomic.Bool                   // no stream accepts requests

	check   func(ctx context.Context) error // called before a stream is opened, like a password check
	streams []context.CancelFunc            // each breaks a stream
}

// breakStreams breaks all streams, like a restart of the servers.
func (s *spy) breakStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.streams {
		end()
	}
	s.streams = nil
}

// spied returns a client with a spy.
func spied(t *testing.T, config clientv3.Config) (*clientv3.Client, *spy) {
	s := &spy{count: map[string]int{}, next: map[string]func(func() error) error{}}
	config.DialOptions = []grpc.DialOption{grpc.WithChainUnaryInterceptor(s.request), grpc.WithChainStreamInterceptor(s.stream)}
	client := must.Get(clientv3.New(config))(t)
	t.Cleanup(func() { client.Close() })
	return client, s
}

func (s *spy) add(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[path.Base(method)]++
}

func (s *spy) sent(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[method]
}

func (s *spy) request(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, send grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if path.Base(method) == "LeaseRevoke" {
		ctx = context.WithoutCancel(ctx) // the servers may be slow
	}
	once := func() error {
		s.add(method)
		err := send(ctx, method, req, reply, cc, opts...)
		if txn, ok := reply.(*pb.TxnResponse); ok {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, r := range txn.Responses {
				s.keys += len(r.GetResponseRange().GetKvs())
			}
		}
		return err
	}
	if next := s.next[path.Base(method)]; next != nil {
		delete(s.next, path.Base(method))
		err := next(once)
		ctx = context.WithoutCancel(ctx) // if it is sent later
		return err
	}
	return once()
}

func (s *spy) stream(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, begin grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s.add(method)
	if s.check != nil {
		if err := s.check(ctx); err != nil {
			return nil, err
		}
	}
	s.add("opened")
	ctx, end := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { s.add("ended") })
	s.mu.Lock()
	s.streams = append(s.streams, end)
	s.mu.Unlock()
	stream, err := begin(ctx, d, cc, method, opts...)
	return &spiedStream{stream, s}, err
}

type spiedStream struct {
	grpc.ClientStream
	spy *spy
}

func (s *spiedStream) SendMsg(m any) error {
	if s.spy.stuck.Load() {
		<-s.Context().Done()
	}
	return s.ClientStream.SendMsg(m)
}

func (s *spiedStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if held := s.spy.held.Load(); held != nil && err == nil {
		select {
		case <-*held:
		case <-s.Context().Done():
			return s.Context().Err()
		}
	}
	return err
}

// TestSilence lets the network fall silent. The client has one connection and detects by pings that
// it is dead.
func TestSilence(t *testing.T) {
	t.Parallel()
	member := etcdtest.Start(t)
	storetest.Silence(t, storetest.Network{
		Server: member.Address,
		Again:  time.Minute,
		Open: func(t *testing.T, address string) nodelease.Store {
			own := etcdtest.Open(t, etcdtest.Config(address))
			return mustNew(t, own, &etcdstore.Options{Prefix: fmt.Sprintf("/%x", ids.NewV4().ULID()), Numbers: 2, TTL: 25 * time.Second})
		},
	})
}

// testBadOptions tests a nil client and an invalid prefix.
func testBadOptions(t *testing.T, client *clientv3.Client, _ *spy) {
	kind(t, client).BadOptions(t, nil)
	_, err := etcdstore.New(t.Context(), client, &etcdstore.Options{Prefix: "ids"})
	must.Fail(t, "no slash", err, nil, `nodelease: etcd: Options.Prefix "ids" does not begin with a slash`)
	must.Fail(t, "no client", etcdstore.Init(t.Context(), nil, nil), nil, "nodelease: etcd: nil Client")
}

// testDefaults checks the default keys of a store, and the TTL in whole seconds.
func testDefaults(t *testing.T, client *clientv3.Client, _ *spy) {
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
	} {
		s := mustNew(t, client, &etcdstore.Options{Prefix: "/ttl/" + ttl.String(), TTL: ttl})
		g := must.Get(s.Take(t.Context(), nodelease.Request{Now: time.Now()}))(t)
		if g.TTL != want {
			t.Errorf("of %v, the lease has a TTL of %v, want %v", ttl, g.TTL, want)
		}
	}
}

// testForeign lets another program write below the prefix.
func testForeign(t *testing.T, client *clientv3.Client, _ *spy) {
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

// testParts tests a small store, of which Take reads all numbers, and a large store, of which Take
// reads only a sample if that is enough. A machine whose clock is years ahead calls Take while
// there are two holders, and again while there are three.
func testParts(t *testing.T, client *clientv3.Client, asked *spy) {
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Microsecond)
	ahead := nodelease.Request{Now: now.AddDate(10, 0, 0)}
	const many = 256
	var s *etcdstore.Store
	for _, numbers := range []int64{8, many} {
		s = mustNew(t, client, &etcdstore.Options{Prefix: fmt.Sprint("/parts", numbers), Numbers: numbers})
		var held []nodelease.Grant
		for i := range int64(3) {
			must.Do(t, must.Get(s.Take(ctx, ahead))(t).Lease.Release(ctx, now))
			before, keys := asked.sent("Txn"), asked.keys
			g := must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t)
			if n := asked.sent("Txn") - before; n != 2 || g.Free != numbers-1-i {
				t.Errorf("took number %d beside %d free ones in %d transactions", g.Number, g.Free, n)
			}
			if read := asked.keys - keys; read > 140 { // 128 horizons, their owners and the schema
				t.Errorf("of %d numbers, a Take has read %d keys", numbers, read)
			}
			must.Do(t, g.Lease.Extend(ctx, now.Add(time.Minute)))
			held = append(held, g)
		}
		_, err := s.Take(ctx, ahead)
		must.Fail(t, "Take of a clock that is years ahead", err, nil,
			fmt.Sprintf("shows %s, the horizons of the other holders %s", ahead.Now.Format(time.RFC3339), now.Add(time.Minute).Format(time.RFC3339)))
		// Retired numbers have no holders, so a machine's clock may differ from their horizons.
		for _, g := range held {
			must.Do(t, g.Lease.Release(ctx, now))
			must.Get(client.Put(ctx, fmt.Sprintf("/parts%d/owner/%05d", numbers, g.Number), "retired"))(t)
		}
		must.Do(t, must.Get(s.Take(ctx, ahead))(t).Lease.Release(ctx, now))
		must.Get(client.Delete(ctx, fmt.Sprintf("/parts%d/owner/", numbers), clientv3.WithPrefix()))(t)
	}
	const passed = 100
	for n := range many {
		if n != passed {
			must.Get(client.Put(ctx, fmt.Sprintf("/parts256/horizon/%05d", n), now.Add(time.Hour).Format(time.RFC3339Nano)))(t)
		}
	}
	for range 5 {
		g := must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t)
		if g.Number != passed {
			t.Errorf("took number %d, want %d, whose horizon has passed", g.Number, passed)
		}
		must.Do(t, g.Lease.Release(ctx, now))
	}
	missing := fmt.Sprintf("/parts256/horizon/%05d", passed)
	must.Get(client.Delete(ctx, missing))(t)
	for range 5 {
		_, err := s.Take(ctx, nodelease.Request{Now: now.Add(2 * time.Hour)})
		must.Fail(t, "Take without a horizon", err, nodelease.ErrRefused, "there is no key "+missing)
	}
}

// testMissingKeys deletes and edits horizons under their holder.
func testMissingKeys(t *testing.T, client *clientv3.Client, _ *spy) {
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Microsecond)
	opts := &etcdstore.Options{Prefix: "/keys", Numbers: 2, TTL: 10 * time.Second}
	s := mustNew(t, client, opts)
	var warned []error
	g := must.Get(s.Take(ctx, nodelease.Request{Now: now, Warn: func(err error) { warned = append(warned, err) }}))(t)
	key := func(number int64) string { return fmt.Sprintf("/keys/horizon/%05d", number) }
	drop := func(number int64) { must.Get(client.Delete(ctx, key(number)))(t) }
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

// testLateAnswer delays the answers to two renewals. Neither answer may be mistaken for the answer
// to a later renewal.
func testLateAnswer(t *testing.T, client *clientv3.Client, asked *spy) {
	now := time.Now()
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/answer", Numbers: 1, TTL: time.Minute})
	for range 2 {
		l := must.Get(s.Take(t.Context(), nodelease.Request{Now: now}))(t).Lease
		must.Do(t, l.Extend(t.Context(), now))
		answer := make(chan struct{})
		asked.held.Store(&answer)
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		must.Fail(t, "Extend without an answer", l.Extend(short, now), context.DeadlineExceeded)
		owner, err := client.Get(t.Context(), "/answer/owner/00000")
		if err != nil || len(owner.Kvs) != 1 {
			t.Fatalf("%v, %v", owner, err)
		}
		must.Get(client.Revoke(t.Context(), clientv3.LeaseID(owner.Kvs[0].Lease)))(t)
		asked.held.Store(nil)
		close(answer)
		before := asked.sent("Txn")
		must.Fail(t, "Extend of a lease that has gone", l.Extend(t.Context(), now), nodelease.ErrLost)
		if n := asked.sent("Txn") - before; n != 0 {
			t.Errorf("ErrLost after %d transactions, want it by the answer to the renewal", n)
		}
	}
}

// testNoAnswer uses servers that do not answer a client. The errors that Take and New return
// contain the reason if it is known in time.
func testNoAnswer(t *testing.T, member *etcdtest.Member, client *clientv3.Client) {
	says := func(text string, call func(ctx context.Context) error) {
		t.Helper()
		must.Soon(t, func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := call(ctx); err == nil || !strings.Contains(err.Error(), text) {
				return fmt.Errorf("%w, want one that says %q", err, text)
			}
			return nil
		})
	}
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/gone"})
	member.Stop(syscall.SIGKILL)
	says("connection refused", func(ctx context.Context) error {
		_, err := s.Take(ctx, nodelease.Request{Now: time.Now()})
		return err
	})
	secret := httptest.NewTLSServer(nil)
	defer secret.Close()
	plain := etcdtest.Open(t, etcdtest.Config(secret.Listener.Addr().String()))
	says("the client does not speak TLS", func(ctx context.Context) error {
		_, err := etcdstore.New(ctx, plain, nil)
		return err
	})
}

// testLate makes transactions fail or arrive late, and drops their answers.
func testLate(t *testing.T, client *clientv3.Client, asked *spy) {
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/late", Numbers: 1, TTL: 10 * time.Second})
	now := time.Now().UTC()
	ctx := t.Context()
	horizon := func(n int) time.Time { return now.Add(time.Duration(n) * time.Minute) }

	l := must.Get(s.Take(ctx, nodelease.Request{Now: now}))(t).Lease
	stored := func(want time.Time) {
		t.Helper()
		resp := must.Get(client.Get(ctx, "/late/horizon/00000"))(t)
		var got time.Time
		if err := got.UnmarshalText(resp.Kvs[0].Value); err != nil || !got.Equal(want) {
			t.Errorf("the horizon is %v, want %v, %v", got, want, err)
		}
	}
	late := func() error { return nil }
	for i, fail := range []func(send func() error) error{
		poor, // the request is not sent
		func(send func() error) error { return cmp.Or(send(), errPoor) }, // the answer is lost
		// The request arrives after later ones.
		func(send func() error) error { late = send; return errPoor },
	} {
		asked.next["Txn"] = fail
		must.Fail(t, "Extend", l.Extend(ctx, horizon(2*i+1)), errPoor)
		must.Fail(t, "Extend with a lower horizon", l.Extend(ctx, horizon(2*i)), nil, "cannot be lowered")
		must.Do(t, l.Extend(ctx, horizon(2*i+1)))
		stored(horizon(2*i + 1))
		must.Do(t, l.Extend(ctx, horizon(2*i+2)))
		must.Do(t, late())
		stored(horizon(2*i + 2))
	}
	must.Do(t, l.Release(ctx, horizon(0)))

	// The context is canceled while the servers grant a lease. Take continues.
	short, cancel := context.WithCancel(ctx)
	asked.next["LeaseGrant"] = func(send func() error) error {
		cancel()
		return send()
	}
	must.Get(s.Take(short, nodelease.Request{Now: now}))(t)

	// Another client writes a horizon after Init has read the keys and before Init's transaction.
	asked.next["Txn"] = func(look func() error) error {
		err := look()
		must.Get(client.Put(ctx, "/late/horizon/00001", "2026-01-01T00:00:00Z"))(t)
		return err
	}
	err := etcdstore.Init(ctx, client, &etcdstore.Options{Prefix: "/late", Numbers: 2})
	must.Fail(t, "Init", err, nil, "another process initializes the store at the same time")
}

var errPoor = errors.New("the servers are poor")

// poor sends nothing.
func poor(func() error) error { return errPoor }

// testFence attaches a holder's owner key to another lease, or deletes the key and creates it again
// with the same lease.
func testFence(t *testing.T, client *clientv3.Client, _ *spy) {
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

// testRequests counts the requests of a store, and the leases that it keeps on the servers.
func testRequests(t *testing.T, client *clientv3.Client, asked *spy) {
	const numbers = 5
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/requests", Numbers: numbers, TTL: 10 * time.Second})
	ctx, now, never := t.Context(), time.Now().UTC(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	left := map[int64]time.Time{} // horizons
	var held []nodelease.Grant
	take := func() error {
		g, err := s.Take(ctx, nodelease.Request{Now: now})
		if err != nil {
			return err
		}
		held = append(held, g)
		if !g.Horizon.Equal(left[g.Number]) {
			t.Errorf("the horizon of number %d is %v, want %v", g.Number, g.Horizon, left[g.Number])
		}
		return nil
	}
	extend := func(ctx context.Context, horizon time.Time) func() error {
		return func() error { return held[0].Lease.Extend(ctx, horizon) }
	}
	release := func() error {
		g := held[0]
		held, left[g.Number] = held[1:], now.Add(time.Duration(g.Number)*time.Minute)
		return g.Lease.Release(ctx, left[g.Number])
	}
	// expect checks the result of a call, the number of its transactions, and the number of leases
	// that exist after it.
	expect := func(what string, call func() error, want error, transactions, kept int) {
		t.Helper()
		before := asked.sent("Txn")
		if err := call(); !errors.Is(err, want) && (want != errAny || err == nil || errors.Is(err, nodelease.ErrLost)) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if n := asked.sent("Txn") - before; n != transactions {
			t.Errorf("%s: %d transactions, want %d", what, n, transactions)
		}
		if n := asked.sent("LeaseGrant") - asked.sent("LeaseRevoke"); n != kept {
			t.Errorf("%s: %d leases are kept, want %d", what, n, kept)
		}
		clear(asked.next)
	}
	all := func(call func() error, transactions, kept, more int) {
		t.Helper()
		for range numbers {
			kept += more
			expect("each", call, nil, transactions, kept)
		}
	}
	// One transaction reads the numbers and one takes a number, however many numbers are held.
	all(take, 2, 0, 1)
	asked.next["LeaseGrant"] = poor
	expect("Take with all numbers held", take, nodelease.ErrNoNumber, 1, numbers)
	all(release, 1, numbers, -1)

	// No number is taken, and no lease is left.
	asked.next["Txn"] = func(look func() error) error {
		asked.next["Txn"] = poor
		return look()
	}
	expect("Take without an answer", take, errPoor, 1, 0)
	var meddle func(func() error) error
	meddle = func(send func() error) error {
		asked.next["Txn"] = meddle
		err := send()
		for n := range int64(numbers) {
			must.Get(client.Put(ctx, fmt.Sprintf("/requests/horizon/%05d", n), left[n].Format(time.RFC3339Nano)))(t)
		}
		return err
	}
	asked.next["Txn"] = meddle
	expect("Take while somebody writes all horizons again and again", take, nodelease.ErrNoNumber, 2*(1+3), 0)
	asked.next["LeaseGrant"] = poor
	expect("Take without a lease", take, errPoor, 1, 0)
	asked.next["Txn"] = func(look func() error) error {
		err := look()
		all(take, 2, 0, 1)
		return err
	}
	// Take makes three attempts, and then reads the numbers again.
	expect("Take of what others have taken", take, nodelease.ErrNoNumber, 1+2*numbers+3+1, numbers)

	// The server's revision would also count writes by other tests.
	written := func() (horizons int64) {
		for _, kv := range must.Get(client.Get(ctx, "/requests/horizon/", clientv3.WithPrefix()))(t).Kvs {
			horizons += kv.Version
		}
		return horizons
	}
	before := written()
	expect("Extend with the horizon as it is", extend(ctx, held[0].Horizon), nil, 1, numbers)
	expect("Extend with a lower horizon", extend(ctx, held[0].Horizon.Add(-1)), errAny, 0, numbers)
	expect("Extend without time", extend(ended, now.Add(time.Hour)), context.Canceled, 0, numbers)
	expect("Extend to the year 10000", extend(ctx, never), errAny, 0, numbers)
	expect("Release at the year 10000", func() error { return held[0].Lease.Release(ctx, never) }, errAny, 0, numbers)
	if written() != before {
		t.Error("a horizon was written although it is as it was")
	}
	for _, minutes := range []time.Duration{60, 60, 61} {
		expect("Extend", extend(ctx, now.Add(minutes*time.Minute)), nil, 1, numbers)
	}
	if n := written() - before; n != 2 {
		t.Errorf("%d horizons were written for three renewals with two, want 2", n)
	}
	all(release, 1, numbers, -1)
}

// errAny stands for any error but ErrLost.
var errAny = errors.New("any")

// TestPassword uses a server that requires a password, whose check takes much processor time.
// Renewals must not cause checks.
func TestPassword(t *testing.T) {
	t.Parallel()
	member := etcdtest.Start(t)
	mustNew(t, member.Open(t), &etcdstore.Options{Numbers: 1000})
	mustNew(t, member.Open(t), &etcdstore.Options{Prefix: "/answer", Numbers: 1})
	rights := etcdtest.Least("/nodelease")
	maps.Copy(rights, etcdtest.Least("/answer"))
	member.Users(t, map[string]map[string]clientv3.PermissionType{"orders": rights})
	client, asked := spied(t, member.As("orders"))
	ctx := t.Context()
	err := etcdstore.Init(ctx, client, nil)
	must.Fail(t, "a first start with the rights of a process that mints, which may not write the schema", err, nil, "nodelease: etcd: etcdserver: permission denied")
	s := must.Get(etcdstore.New(ctx, client, &etcdstore.Options{Numbers: 1000, TTL: time.Minute}))(t)
	var grants [10]nodelease.Grant
	for i := range grants {
		grants[i] = must.Get(s.Take(ctx, nodelease.Request{Now: time.Now(), Layout: ids.TwitterLayout()}))(t)
	}
	checked := asked.sent("Authenticate")
	if checked < 2 {
		t.Errorf("the server checked the password %d times for a client and a stream", checked)
	}
	for range 10 {
		for _, g := range grants {
			one, cancel := context.WithCancel(ctx) // the stream outlives this context
			must.Do(t, g.Lease.Extend(one, g.Horizon))
			cancel()
		}
	}
	// On a busy machine, the stream can break.
	if again := asked.sent("Authenticate") - checked; again > 1 {
		t.Errorf("100 renewals of 10 numbers made the server check the password %d times, want 0", again)
	}

	// A call that was not answered in time may have waited for a token. The store requests a new
	// token, but not again soon afterward.
	late := func(call func(context.Context) error) {
		t.Helper()
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		asked.next["Txn"] = func(func() error) error { <-short.Done(); return short.Err() }
		must.Fail(t, "a call without an answer", call(short), context.DeadlineExceeded)
		for _, g := range grants {
			must.Do(t, g.Lease.Extend(ctx, g.Horizon))
		}
	}
	extend := func(ctx context.Context) error { return grants[0].Lease.Extend(ctx, grants[0].Horizon) }
	take := func(ctx context.Context) error { _, err := s.Take(ctx, nodelease.Request{Now: time.Now()}); return err }
	streams := asked.sent("opened")
	opened := func(more int) {
		t.Helper()
		if n := asked.sent("opened"); n != streams+more {
			t.Errorf("after calls without an answer, %d streams were opened, want %d", n-streams, more)
		}
	}
	late(extend)
	opened(1)
	late(extend)
	late(take)
	opened(1)
	s.SetReopenInterval(0)
	late(take)
	opened(2)
	testLateAnswer(t, client, asked)
	for i, g := range grants {
		must.Do(t, g.Lease.Release(ctx, time.Now()))
		grants[i].Lease = nil
	}
	must.Soon(t, func() error {
		runtime.GC()
		if opened, ended := asked.sent("opened"), asked.sent("ended"); ended < opened {
			return fmt.Errorf("of %d streams %d have ended with their store", opened, ended)
		}
		return nil
	})
}

// TestRights uses users that lack a permission from the start, or lose it later.
func TestRights(t *testing.T) {
	t.Parallel()
	member := etcdtest.Start(t)
	mustNew(t, member.Open(t), &etcdstore.Options{Prefix: "/r"})
	member.Users(t, map[string]map[string]clientv3.PermissionType{
		"least":    etcdtest.Least("/r"),
		"none":     {},
		"others":   etcdtest.Least("/other"),
		"schema":   {"/r/schema": etcdtest.Read},
		"keys":     {"/r/horizon/": etcdtest.Write, "/r/owner/": etcdtest.Write},
		"reads":    {"/r/schema": etcdtest.Read, "/r/horizon/": etcdtest.Read, "/r/owner/": etcdtest.Read},
		"horizons": {"/r/schema": etcdtest.Read, "/r/horizon/": etcdtest.Write, "/r/owner/": etcdtest.Read},
		"owners":   {"/r/schema": etcdtest.Read, "/r/horizon/": etcdtest.Read, "/r/owner/": etcdtest.Write},
		"few":      {"/r/schema": etcdtest.Read, "/r/horizon/00000": etcdtest.Write, "/r/owner/00000": etcdtest.Write},
	})
	ctx := t.Context()
	for _, user := range []string{"none", "others", "schema", "keys", "reads", "horizons", "owners", "few"} {
		_, err := etcdstore.New(ctx, etcdtest.Open(t, member.As(user)), &etcdstore.Options{Prefix: "/r"})
		must.Fail(t, user, err, nodelease.ErrRefused, "nodelease: etcd: the user "+user+
			" needs the rights to read /r/schema, and to read and write all keys below /r/horizon/ and /r/owner/: etcdserver: permission denied")
	}
	_, err := etcdstore.New(ctx, member.Open(t), &etcdstore.Options{Prefix: "/r"})
	must.Fail(t, "nobody", err, nodelease.ErrRefused, "user name is empty")

	// The user loses the permission to write, and then its password.
	client, asked := spied(t, member.As("least"))
	s := must.Get(etcdstore.New(ctx, client, &etcdstore.Options{Prefix: "/r", TTL: time.Minute}))(t)
	l := suite.Take(t, s).Lease
	now := time.Now().UTC().Truncate(time.Microsecond)
	must.Do(t, l.Extend(ctx, now))
	root := etcdtest.Open(t, member.As("root"))
	must.Get(root.RoleRevokePermission(ctx, "least", "/r/owner/", clientv3.GetPrefixRangeEnd("/r/owner/")))(t)
	must.Get(root.RoleGrantPermission(ctx, "least", "/r/owner/", clientv3.GetPrefixRangeEnd("/r/owner/"), etcdtest.Read))(t)
	must.Do(t, l.Extend(ctx, now.Add(time.Second))) // writes the horizon
	_, err = s.Take(ctx, nodelease.Request{Now: now})
	must.Fail(t, "Take without a right", err, nodelease.ErrRefused, "nodelease: etcd: take number ", ": etcdserver: permission denied")
	must.Fail(t, "Release without a right", l.Release(ctx, now), nodelease.ErrRefused, "permission denied")
	m := must.Get(nodelease.NewMinter(s, nil))(t)
	must.Fail(t, "Wait without a right", m.Wait(ctx), nodelease.ErrRefused, "permission denied")
	must.Do(t, m.Close())
	must.Get(root.RoleRevokePermission(ctx, "least", "/r/horizon/", clientv3.GetPrefixRangeEnd("/r/horizon/")))(t)
	must.Fail(t, "Extend without a right", l.Extend(ctx, now.Add(time.Hour)), nodelease.ErrRefused, "permission denied")
	_, err = s.Take(ctx, nodelease.Request{Now: now})
	must.Fail(t, "Take without a right to read", err, nodelease.ErrRefused, "read the numbers: etcdserver: permission denied")
	must.Get(root.UserChangePassword(ctx, "least", "another"))(t)
	asked.breakStreams()
	must.Fail(t, "Extend with the former password", l.Extend(ctx, now.Add(time.Hour)), nodelease.ErrRefused, "authentication failed")
	_, err = s.Take(ctx, nodelease.Request{Now: now})
	must.Fail(t, "Take with the former password", err, nodelease.ErrRefused, "no stream for renewals yet: ", "authentication failed")
}

// TestRefusals runs the list of package storetest.
func TestRefusals(t *testing.T) {
	t.Parallel()
	member := etcdtest.Start(t)
	member.Users(t, map[string]map[string]clientv3.PermissionType{"least": etcdtest.Least("/r")})
	root, least, ctx := etcdtest.Open(t, member.As("root")), etcdtest.Open(t, member.As("least")), t.Context()
	options := func(l ids.SnowflakeLayout) *etcdstore.Options {
		return &etcdstore.Options{Prefix: "/r", Numbers: 3, TTL: time.Minute, Layout: l}
	}
	// put sets the value of a key, or deletes the key, until undo is called.
	put := func(key, value string) (undo func() error, err error) {
		was, err := root.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		if value == "" {
			_, err = root.Delete(ctx, key)
		} else {
			_, err = root.Put(ctx, key, value)
		}
		return func() error { _, err := root.Put(ctx, key, string(was.Kvs[0].Value)); return err }, err
	}
	// grant changes the user's permission for all horizons and owners until undo is called.
	grant := func(right clientv3.PermissionType) (undo func() error, err error) {
		set := func(right clientv3.PermissionType) (err error) {
			for _, key := range []string{"/r/horizon/", "/r/owner/"} {
				_, failed := root.RoleGrantPermission(ctx, "least", key, clientv3.GetPrefixRangeEnd(key), right)
				err = cmp.Or(err, failed)
			}
			return err
		}
		return func() error { return set(etcdtest.Write) }, set(right)
	}
	harms := map[storetest.Harm]func(int64) (func() error, error){
		storetest.NoHeader:     func(int64) (func() error, error) { return put("/r/schema", "") },
		storetest.OtherVersion: func(int64) (func() error, error) { return put("/r/schema", "schema 1: x") },
		storetest.NoNumber: func(held int64) (func() error, error) {
			return put(fmt.Sprintf("/r/horizon/%05d", (held+1)%3), "")
		},
		storetest.NoRead: func(int64) (func() error, error) {
			return grant(clientv3.PermissionType(clientv3.PermWrite))
		},
		storetest.NoWrite: func(int64) (func() error, error) { return grant(etcdtest.Read) },
		storetest.NoWrites: func(int64) (func() error, error) {
			alarm := &pb.AlarmRequest{Action: pb.AlarmRequest_ACTIVATE, Alarm: pb.AlarmType_NOSPACE}
			_, err := pb.NewMaintenanceClient(root.ActiveConnection()).Alarm(ctx, alarm)
			return func() error { _, err := root.AlarmDisarm(ctx, &clientv3.AlarmMember{}); return err }, err
		},
	}
	storetest.Refusals(t, storetest.Place{
		Init: func(l ids.SnowflakeLayout) error { return etcdstore.Init(ctx, root, options(l)) },
		New:  func(l ids.SnowflakeLayout) (nodelease.Store, error) { return etcdstore.New(ctx, least, options(l)) },
		Harm: harms,
	})
}

// TestRestart restarts the server. Once it answers, each call of a store succeeds.
func TestRestart(t *testing.T) {
	t.Parallel()
	member := etcdtest.Start(t)
	client := member.Open(t)
	s := mustNew(t, client, &etcdstore.Options{TTL: time.Minute})
	var held [3]nodelease.Grant
	for i := range held {
		held[i] = suite.Take(t, s)
	}
	for _, call := range []func(){
		func() {
			for _, g := range held {
				must.Do(t, g.Lease.Extend(t.Context(), time.Now().Truncate(time.Microsecond)))
			}
		},
		func() { suite.Take(t, s) },
	} {
		member.Stop(syscall.SIGKILL)
		member.Start(t)
		must.Soon(t, func() error { _, err := client.Get(t.Context(), "ready"); return err })
		call()
	}
}

// TestClosed closes the client before the store's Minter.
func TestClosed(t *testing.T) {
	t.Parallel()
	member := etcdtest.Start(t)
	client := member.Open(t)
	s := mustNew(t, client, &etcdstore.Options{TTL: time.Minute})
	suite.Closes(t, closer{s, client}, suite.Take(t, s).Lease, member.Server)
}

// A closer is a store that closes its client.
type closer struct {
	*etcdstore.Store
	client *clientv3.Client
}

func (c closer) Close() { c.client.Close() }

// testSlowStream uses streams that take longer to open than calls may take.
func testSlowStream(t *testing.T, client *clientv3.Client, asked *spy) {
	ctx, now := t.Context(), time.Now().UTC().Truncate(time.Microsecond)
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/slow", Numbers: 9, TTL: time.Minute})
	var open chan struct{}
	asked.check = func(ctx context.Context) error {
		select {
		case <-open:
			return nil
		case <-ctx.Done():
			t.Error("a check of the password went in vain")
			return ctx.Err()
		}
	}
	// slowly makes calls at the same time, repeatedly while no stream can be opened, and then once
	// more.
	slowly := func(opened int, calls ...func(context.Context) error) {
		t.Helper()
		open = make(chan struct{})
		for range 3 {
			short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			var all sync.WaitGroup
			for _, call := range calls {
				all.Go(func() {
					if err := call(short); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nodelease.ErrLost) {
						t.Errorf("while the stream is being opened: %v", err)
					}
				})
			}
			all.Wait()
			cancel()
		}
		close(open)
		var all sync.WaitGroup
		for _, call := range calls {
			all.Go(func() {
				if err := call(ctx); err != nil {
					t.Errorf("when the stream is open: %v", err)
				}
			})
		}
		all.Wait()
		if n := asked.sent("LeaseKeepAlive"); n != opened {
			t.Errorf("%d streams were opened, want %d", n, opened)
		}
	}
	grants := make(chan nodelease.Grant, 9)
	take := func(ctx context.Context) error {
		g, err := s.Take(ctx, nodelease.Request{Now: now})
		if err == nil {
			grants <- g
		}
		return err
	}
	slowly(1, take, take, take)
	var renewals []func(context.Context) error
	for range 3 {
		g := <-grants
		renewals = append(renewals, func(ctx context.Context) error { return g.Lease.Extend(ctx, now.Add(time.Minute)) })
	}
	asked.breakStreams()
	slowly(2, renewals...)

	// Meanwhile, a number is lost.
	must.Get(client.Delete(ctx, "/slow/owner/", clientv3.WithPrefix()))(t)
	asked.breakStreams()
	slowly(3, func(ctx context.Context) error {
		err := renewals[0](ctx)
		if errors.Is(err, nodelease.ErrLost) {
			err = take(ctx)
		}
		return err
	})
}

// testStuck uses servers that do not even accept requests.
func testStuck(t *testing.T, client *clientv3.Client, asked *spy) {
	l := suite.Take(t, mustNew(t, client, &etcdstore.Options{Prefix: "/stuck", Numbers: 1})).Lease
	for _, stuck := range []bool{true, false} {
		asked.stuck.Store(stuck)
		ctx, cancel := t.Context(), func() {}
		if stuck {
			ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
		}
		if err := l.Extend(ctx, time.Now().Truncate(time.Microsecond)); errors.Is(err, context.DeadlineExceeded) != stuck || err != nil && !stuck {
			t.Errorf("Extend while the servers take no request, %v: %v", stuck, err)
		}
		cancel()
	}
}

// testPatience uses streams that cannot be opened. The store abandons each of them, and waits twice
// as long for the next one.
func testPatience(t *testing.T, client *clientv3.Client, asked *spy) {
	const patience = 100 * time.Millisecond
	s := mustNew(t, client, &etcdstore.Options{Prefix: "/patience", Numbers: 1})
	s.SetOpenTimeout(patience)
	asked.check = func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for i := range 3 {
		began := time.Now()
		_, err := s.Take(t.Context(), nodelease.Request{Now: time.Now()})
		must.Fail(t, "Take without a stream", err, nil, fmt.Sprintf("no stream for renewals yet: not open after %v", patience<<i))
		if took := time.Since(began); took < patience<<i {
			t.Errorf("a stream was given up after %v, want %v", took, patience<<i)
		}
	}
	asked.check = nil
	suite.Take(t, s)
}

// TestQueue makes each stream wait in a queue for a password check, as if many Minters connected at
// the same time. Waiting in the queue takes longer than a TTL, and longer than Take may wait.
func TestQueue(t *testing.T) {
	t.Parallel()
	const minters, each, ttl = 50, 100 * time.Millisecond, 3 * time.Second
	client, asked := spied(t, etcdtest.Config(etcdtest.Start(t).Address))
	queue, begin := make(chan chan struct{}, 10*minters), make(chan struct{})
	go func() {
		<-begin
		for {
			select {
			case checked := <-queue:
				time.Sleep(each)
				close(checked)
			case <-t.Context().Done():
				return
			}
		}
	}()
	var vain atomic.Int64
	asked.check = func(ctx context.Context) error {
		checked := make(chan struct{})
		queue <- checked // the check is made even if ctx is done first
		select {
		case <-checked:
			return nil
		case <-ctx.Done():
			vain.Add(1)
			return ctx.Err()
		}
	}
	var stores [minters]*etcdstore.Store
	for i := range stores {
		stores[i] = mustNew(t, client, &etcdstore.Options{Prefix: "/queue", Numbers: 2 * minters, TTL: ttl})
	}
	var all []*nodelease.Minter
	for _, s := range stores {
		m := must.Get(nodelease.NewMinter(s, nil))(t)
		defer func() { // on a busy machine, releasing the number can take too long
			err := m.Close()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "has not answered within") {
				t.Error(err)
			}
		}()
		all = append(all, m)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	// A Minter pauses for a long time after a Take that lasts 5 s. This Take must return earlier.
	_, err := stores[0].Take(ctx, nodelease.Request{Now: time.Now()})
	must.Fail(t, "Take while nothing is checked", err, context.DeadlineExceeded, "nodelease: etcd: no stream for renewals yet: ")
	close(begin)
	for i, what := range []string{"at the start", "after all streams broke"} {
		for asked.sent("opened") < (i+1)*minters && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		for _, m := range all {
			if _, err := m.NextContext(ctx); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n := vain.Load(); n > 0 {
			t.Errorf("%s, %d checks of passwords went in vain", what, n)
		}
		asked.breakStreams()
	}
}
