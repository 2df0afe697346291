package etcdstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
)

// slowKV lets a test come between a transaction and the servers.
type slowKV struct {
	clientv3.KV
	// commit is given the next transaction, once. Nil means to carry it out.
	commit func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error)
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
		if other, err = s.Take(ctx, now); err != nil {
			t.Fatal(err)
		}
		return resp, nil
	}
	if l, err := s.Take(ctx, now); !errors.Is(err, nodelease.ErrNoNode) {
		t.Fatalf("got %v, %v for a number that another process holds", l, err)
	}
	if err := other.Extend(ctx, mark(1)); err != nil {
		t.Fatal(err)
	}

	// A request that is given up arrives after its successor.
	var late func() (*clientv3.TxnResponse, error)
	kv.commit = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		late = do
		return nil, context.DeadlineExceeded
	}
	if err := other.Extend(ctx, mark(2)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if err := other.Extend(ctx, mark(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := late(); err != nil {
		t.Fatal(err)
	}
	resp, err := client.Get(ctx, "/late/mark/00000")
	if err != nil {
		t.Fatal(err)
	}
	var got time.Time
	if err := got.UnmarshalText(resp.Kvs[0].Value); err != nil {
		t.Fatal(err)
	}
	if !got.Equal(mark(3)) {
		t.Errorf("a late request has set the mark to %v, want %v", got, mark(3))
	}

	// A request is carried out, but the answer is lost.
	kv.commit = func(do func() (*clientv3.TxnResponse, error)) (*clientv3.TxnResponse, error) {
		_, _ = do()
		return nil, context.DeadlineExceeded
	}
	if err := other.Extend(ctx, mark(4)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if err := other.Extend(ctx, mark(4)); err != nil {
		t.Errorf("after an answer that was lost: %v", err)
	}
	if err := other.Release(ctx, mark(0)); err != nil {
		t.Error(err)
	}
}
