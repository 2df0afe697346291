// Package etcdstore leases Snowflake node numbers from etcd, for [github.com/oneclock/ids/nodelease].
//
// TLS and authentication are the client's: see [clientv3.Config]. Set its DialKeepAliveTime and
// DialKeepAliveTimeout, so that it notices a connection that is dead without having been closed.
//
// A cluster that forgets what it has committed makes ids repeat: one that is restored from a
// snapshot, or runs with unsafe-no-fsync. Stop all minters before such a step, and start them a
// window later.
package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/storekit"
)

// Options are the options of [New]. The zero value is the default. All processes that share a prefix
// must agree on Nodes.
type Options struct {
	// Prefix begins every key. Empty means /nodelease. Ids of two kinds or layouts need two prefixes.
	Prefix string
	// Holder is the value of the keys of numbers held, for people who look. Empty means the host's name
	// and the process's number.
	Holder string
	// Nodes is how many numbers there are: 0 to Nodes-1. Zero means 1,024.
	Nodes int64
	// TTL is how long a number is kept for a holder that falls silent, at least a second. Zero means
	// 15 s. etcd counts whole seconds, rounded up, and grants no less than 1.5 election timeouts.
	TTL time.Duration
}

// Store is a [nodelease.Store] in etcd. It has two keys for each node number that was ever held:
//
//	<prefix>/owner/00017  the holder's name, attached to the holder's lease; its create revision is the fencing token
//	<prefix>/mark/00017   the mark, a time as in RFC 3339, attached to no lease
//
// Make one with [New].
type Store struct {
	client *clientv3.Client
	opts   Options
}

// New returns a store over client. It does not connect. Nil options mean the default. The client stays
// the caller's, to be closed after the Minters.
func New(client *clientv3.Client, opts *Options) (*Store, error) {
	if client == nil {
		return nil, errors.New("nodelease: etcd: nil Client")
	}
	s := &Store{client: client}
	if opts != nil {
		s.opts = *opts
	}
	if err := storekit.Complete(&s.opts.Holder, &s.opts.Nodes, &s.opts.TTL); err != nil {
		return nil, fmt.Errorf("nodelease: etcd: %w", err)
	}
	if s.opts.Prefix == "" {
		s.opts.Prefix = "/nodelease"
	}
	return s, nil
}

// tries is how many numbers a Take tries before it looks anew which ones are free, and then once more. If
// many want the last numbers at once, most tries fail: a Take that tried all of them would keep the servers
// busy for everybody else.
const tries = 3

// Take implements [nodelease.Store]. It refuses a Now that is more than 24 h from the median of the marks of
// held numbers, if there are three: the clock of one machine must not push the times of number after number.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Lease, error) {
	l := &lease{store: s}
	for range 2 {
		free, err := s.free(ctx, r.Now)
		if err == nil && l.id == 0 {
			err = l.grant(ctx)
		}
		l.free = int64(len(free)) - 1
		for i := 0; err == nil && i < min(len(free), tries); i++ {
			var taken bool
			if taken, err = l.take(ctx, free[i]); taken {
				return l, nil
			}
		}
		if err != nil {
			s.revoke(ctx, l.id)
			return nil, err
		}
	}
	s.revoke(ctx, l.id)
	return nil, nodelease.ErrNoNode
}

// grant asks for a lease.
func (l *lease) grant(ctx context.Context) error {
	resp, err := l.store.client.Grant(ctx, int64((l.store.opts.TTL+time.Second-1)/time.Second))
	if err != nil {
		return fmt.Errorf("nodelease: etcd: grant a lease: %w", err)
	}
	l.id, l.ttl = resp.ID, time.Duration(resp.TTL)*time.Second
	return nil
}

// take takes c unless others were faster.
func (l *lease) take(ctx context.Context, c storekit.Candidate) (taken bool, err error) {
	owner, mark := l.store.key("owner", c.Node), l.store.key("mark", c.Node)
	resp, err := l.store.client.Txn(ctx).If(
		clientv3.Compare(clientv3.CreateRevision(owner), "=", 0),
		clientv3.Compare(clientv3.ModRevision(mark), "=", c.Version),
	).Then(
		clientv3.OpPut(owner, l.store.opts.Holder, clientv3.WithLease(l.id)),
	).Commit()
	if err != nil {
		return false, fmt.Errorf("nodelease: etcd: take node %d: %w", c.Node, err)
	}
	if resp.Succeeded {
		l.node, l.mark, l.raised, l.version, l.fence = c.Node, c.Mark, c.Mark, c.Version, resp.Header.Revision
	}
	return resp.Succeeded, nil
}

// free lists the numbers without an owner, with their marks, as of one revision, in the order in which to
// try them.
func (s *Store) free(ctx context.Context, now time.Time) ([]storekit.Candidate, error) {
	owners, marks := path.Join(s.opts.Prefix, "owner")+"/", path.Join(s.opts.Prefix, "mark")+"/"
	resp, err := s.client.Txn(ctx).Then(
		clientv3.OpGet(owners, clientv3.WithPrefix(), clientv3.WithKeysOnly()),
		clientv3.OpGet(marks, clientv3.WithPrefix()),
	).Commit()
	if err != nil {
		return nil, fmt.Errorf("nodelease: etcd: list the node numbers: %w", err)
	}
	all := make([]storekit.Candidate, s.opts.Nodes)
	var known, held []time.Time // marks
	for _, kv := range resp.Responses[1].GetResponseRange().Kvs {
		n, err := strconv.ParseInt(string(kv.Key[len(marks):]), 10, 64)
		if err != nil || n < 0 || n >= s.opts.Nodes {
			continue // a number outside this store's range
		}
		if err := all[n].Mark.UnmarshalText(kv.Value); err != nil {
			return nil, fmt.Errorf("nodelease: etcd: mark %s: %w", kv.Key, err)
		}
		all[n].Version = kv.ModRevision
		known = append(known, all[n].Mark)
	}
	owned := map[string]bool{}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		owned[string(kv.Key)] = true
	}
	var free []storekit.Candidate
	for n, c := range all {
		c.Node = int64(n)
		if !owned[s.key("owner", c.Node)] {
			free = append(free, c)
		} else if !c.Mark.IsZero() {
			held = append(held, c.Mark)
		}
	}
	if len(held) >= 3 {
		if err := storekit.CheckNow(now, "the marks of the other holders", storekit.Median(held)); err != nil {
			return nil, fmt.Errorf("nodelease: etcd: %w", err)
		}
	}
	if len(free) == 0 {
		return nil, nodelease.ErrNoNode
	}
	storekit.Prefer(free, storekit.Median(known), now)
	return free, nil
}

func (s *Store) key(kind string, node int64) string {
	return path.Join(s.opts.Prefix, kind, fmt.Sprintf("%05d", node))
}

// revoke ends a lease that is of no more use, and with it an owner key that a transaction of
// unknown outcome may have written. Should it fail, the lease ends by itself after its TTL.
func (s *Store) revoke(ctx context.Context, id clientv3.LeaseID) {
	if id == clientv3.NoLease {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = s.client.Revoke(ctx, id)
}

type lease struct {
	store   *Store
	id      clientv3.LeaseID
	ttl     time.Duration
	node    int64
	mark    time.Time // as it was when the number was taken
	raised  time.Time // as this holder knows it to be now
	fence   int64     // create revision of the owner key
	version int64     // mod revision of the mark
	free    int64     // numbers, when this one was taken
}

func (l *lease) Node() int64        { return l.node }
func (l *lease) Mark() time.Time    { return l.mark }
func (l *lease) TTL() time.Duration { return l.ttl }
func (l *lease) Free() int64        { return l.free }

// Extend renews the lease, then raises the mark in a transaction. A deposed leader may go on
// answering keep-alives for a while; the transaction, to which a majority of the members must
// agree, fails once the owner key has gone. With an unchanged mark the transaction only reads,
// which costs no disk write.
//
// The client's KeepAlive channel would be no help: it does not tell when the request behind an
// answer was sent.
func (l *lease) Extend(ctx context.Context, mark time.Time) error {
	if _, err := l.store.client.KeepAliveOnce(ctx, l.id); errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return nodelease.ErrLost
	} else if err != nil {
		return fmt.Errorf("nodelease: etcd: keep node %d alive: %w", l.node, err)
	}
	switch {
	case mark.Equal(l.raised):
		return l.commit(ctx)
	case mark.Before(l.raised):
		return fmt.Errorf("nodelease: etcd: the mark %v of node %d cannot be lowered to %v", l.raised, l.node, mark)
	}
	put, err := l.put(mark)
	if err != nil {
		return err
	}
	if err := l.commit(ctx, put); err != nil {
		return err
	}
	l.raised = mark
	return nil
}

// Release writes the mark and deletes the owner key in one transaction; the lease is then of no
// more use.
func (l *lease) Release(ctx context.Context, mark time.Time) error {
	put, err := l.put(mark)
	if err != nil {
		return err
	}
	if err := l.commit(ctx, put, clientv3.OpDelete(l.store.key("owner", l.node))); err != nil {
		return err
	}
	l.store.revoke(ctx, l.id)
	return nil
}

// put writes the mark.
func (l *lease) put(mark time.Time) (clientv3.Op, error) {
	text, err := mark.MarshalText()
	if err != nil {
		return clientv3.Op{}, fmt.Errorf("nodelease: mark of node %d: %w", l.node, err)
	}
	return clientv3.OpPut(l.store.key("mark", l.node), string(text)), nil
}

// commit carries out ops if the owner key is still the one that this lease wrote and the mark
// is the one that this lease last saw.
//
// The owner's create revision shuts out a holder that has lost its number. After etcd was put back
// to a backup, revisions occur again: then the lease does it, whose number does not. The mark's mod
// revision shuts out a delayed request of this holder, which would lower the mark again below
// ids that a later request has allowed.
func (l *lease) commit(ctx context.Context, ops ...clientv3.Op) error {
	owner, mark := l.store.key("owner", l.node), l.store.key("mark", l.node)
	for range 2 {
		resp, err := l.store.client.Txn(ctx).If(
			clientv3.Compare(clientv3.CreateRevision(owner), "=", l.fence),
			clientv3.Compare(clientv3.LeaseValue(owner), "=", l.id),
			clientv3.Compare(clientv3.ModRevision(mark), "=", l.version),
		).Then(ops...).Else(
			clientv3.OpGet(owner, clientv3.WithKeysOnly()),
			clientv3.OpGet(mark, clientv3.WithKeysOnly()),
		).Commit()
		if err != nil {
			return fmt.Errorf("nodelease: etcd: update node %d: %w", l.node, err)
		}
		if resp.Succeeded {
			if len(ops) > 0 {
				l.version = resp.Header.Revision
			}
			return nil
		}
		held := resp.Responses[0].GetResponseRange().Kvs
		if len(held) == 0 || held[0].CreateRevision != l.fence || held[0].Lease != int64(l.id) {
			return nodelease.ErrLost
		}
		// Only the owner writes the mark: an earlier call whose answer was lost did reach the
		// store.
		if seen := resp.Responses[1].GetResponseRange().Kvs; len(seen) > 0 {
			l.version = seen[0].ModRevision
		}
	}
	return fmt.Errorf("nodelease: etcd: the mark of node %d keeps changing", l.node)
}
