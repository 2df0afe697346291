// Package etcdstore leases Snowflake node numbers from etcd, for
// [github.com/oneclock/ids/nodelease].
//
// Configure TLS and authentication in the client's [clientv3.Config]. Also set DialKeepAliveTime
// and DialKeepAliveTimeout there. Otherwise, the client continues to use a connection that a
// firewall has silently dropped, and no IDs can be generated for minutes. Do not list learners in
// Endpoints, because learners refuse all requests from a store.
//
// If the client has a password, the servers check it once for the client, and again for the stream
// over which a Store renews all its leases. These checks take a long time if many processes start
// at the same time. Calls wait until the stream is open. The stream then stays open for later
// calls, and ends when the client is closed or the Store is no longer reachable. If a client uses a
// certificate but no user name, the servers do not check a password.
//
// IDs can repeat if the cluster loses committed data, for example because it was restored from a
// snapshot, or because it crashed while running with unsafe-no-fsync. Stop all Minters before you
// restore a snapshot. Restart them only after one window ([nodelease.Options.Window]) has elapsed
// and every clock has passed the time of the newest ID in your tables.
package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/conns"
	"github.com/oneclock/ids/nodelease/internal/etcdkeys"
	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Options configures [Init] and [New]. The zero value selects the defaults. All processes that
// share a prefix must use the same Numbers and Layout.
type Options struct {
	// Prefix is the prefix of all keys. It must begin with a slash. Empty means /nodelease. Each
	// layout needs its own prefix.
	Prefix string
	// Holder is a name for the process. Take writes it to the owner key of the leased number, to
	// help people who inspect the keys. If Holder is empty, Take writes the host name and the
	// process ID.
	Holder string
	// Numbers is the size of the store, which contains the node numbers from 0 to Numbers-1. Zero
	// means 1,024. The maximum is 1,048,576 or the number of nodes that Layout allows, whichever is
	// less.
	Numbers int64
	// TTL is how long a lease lasts if its holder does not renew it. The minimum is 1 s, and the
	// maximum is 365 days. Zero means 15 s. The TTL is rounded up to whole seconds, because etcd's
	// TTLs are in seconds. etcd grants a TTL of at least 1.5 election timeouts.
	TTL time.Duration
	// Layout is the layout of the IDs. The zero value means Twitter's layout.
	Layout ids.SnowflakeLayout
}

// Store is a [nodelease.Store] backed by etcd. It uses these keys:
//
//	<prefix>/schema         the schema version and the layout of the IDs
//	<prefix>/horizon/00017  the horizon in RFC 3339 format, attached to no lease;
//	                        Init creates it with a time in the year 1
//	<prefix>/owner/00017    the holder's name, attached to the holder's lease;
//	                        its create revision is the holder's token
//
// Only [Init] writes the schema key. Init also writes the first horizon of each number. A process
// that generates IDs needs permission to read the schema key and to read and write the other keys.
// Use [New] to create a Store. Minters that share a Store renew their leases over one stream, one
// after another.
type Store struct {
	client   *clientv3.Client
	opts     Options
	renewals *renewals
}

// New returns a store that uses client. New reads the schema key and does not create any keys. The
// error matches [nodelease.ErrRefused] if the key is missing, has a different version or is for a
// different layout, or if the client's user lacks one of the permissions listed at [Store]. If opts
// is nil, New uses the defaults. The caller must close the Minters first and then the client. When
// the client is closed, calls to the store that are in progress soon fail. Later calls to the store
// fail too.
func New(ctx context.Context, client *clientv3.Client, opts *Options) (*Store, error) {
	s, err := newStore(client, opts)
	if err == nil {
		err = s.checkAccess(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("nodelease: etcd: %w", err)
	}
	return s, nil
}

// newStore returns a store without checking its keys.
func newStore(client *clientv3.Client, opts *Options) (*Store, error) {
	if client == nil {
		return nil, errors.New("nil Client")
	}
	s := &Store{client: client, renewals: newRenewals(client)}
	runtime.AddCleanup(s, (*renewals).close, s.renewals)
	if opts != nil {
		s.opts = *opts
	}
	if err := storekit.Complete(&s.opts.Holder, &s.opts.Numbers, &s.opts.TTL, s.opts.Layout); err != nil {
		return nil, err
	}
	if s.opts.Prefix == "" {
		s.opts.Prefix = "/nodelease"
	}
	return s, etcdkeys.CheckPrefix(s.opts.Prefix)
}

// checkAccess checks the schema key and the user's permissions.
func (s *Store) checkAccess(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	header, err := etcdkeys.Header(ctx, s.client, s.opts.Prefix, s.opts.Numbers)
	switch {
	case err != nil:
		return s.explain(err)
	case header == "":
		return storekit.Missing("there is no key "+s.schema(), hint)
	}
	return storekit.CheckHeader(s.schema(), header, storekit.Header(s.opts.Layout))
}

const (
	hint           = "call etcdstore.Init, or run leases init"
	requestTimeout = 10 * time.Second // for each request made by New or Init
	// batchSize is the maximum number of horizons that Init writes in one transaction. Each horizon
	// needs two comparisons, and a transaction may contain up to 128 comparisons.
	batchSize = 60
)

// Init initializes the store. Call it once, before the first process starts. It creates the missing
// keys below the prefix. To increase Numbers, call Init again with the new value. If no key is
// missing, Init returns an error that matches [io/fs.ErrExist]. If the keys have a different
// version or layout, the error matches [nodelease.ErrRefused].
//
// Do not call Init each time a process starts. Take returns an error if it finds that a key is
// missing, because a horizon may have been lost. Init would replace a lost horizon with a time in
// the year 1, and IDs could repeat. After such a loss, stop all Minters. Call Init only after one
// window has elapsed and every clock has passed the time of the newest ID in your tables.
func Init(ctx context.Context, client *clientv3.Client, opts *Options) error {
	s, err := newStore(client, opts)
	if err == nil {
		err = s.init(ctx)
	}
	if err != nil {
		return fmt.Errorf("nodelease: etcd: %w", err)
	}
	return nil
}

// init creates the missing keys.
func (s *Store) init(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, requestTimeout)
	defer cancel()
	found, err := s.read(ctx, 0, s.opts.Numbers)
	if err != nil {
		return err
	}
	header := storekit.Header(s.opts.Layout)
	if found.header != "" {
		if err := storekit.CheckHeader(s.schema(), found.header, header); err != nil {
			return err
		}
	}
	if found.missing() == "" {
		return storekit.ErrMade
	}
	var absent []clientv3.Cmp
	// Each transaction also writes the schema key. Few users have permission to write that key, so
	// the transactions of all other users fail.
	puts := []clientv3.Op{clientv3.OpPut(s.schema(), header)}
	commit := func() error {
		ctx, cancel := context.WithTimeout(parent, requestTimeout)
		defer cancel()
		resp, err := s.client.Txn(ctx).If(absent...).Then(puts...).Commit()
		if err == nil && !resp.Succeeded {
			err = errors.New("a number without a horizon is held, or another process initializes the store at the same time")
		}
		absent, puts = nil, puts[:1]
		return err
	}
	never, err := time.Time{}.MarshalText()
	if err != nil {
		return err
	}
	for _, row := range found.rows {
		if row.Version != 0 {
			continue
		}
		owner, horizon := s.key("owner", row.Number), s.key("horizon", row.Number)
		absent = append(absent, clientv3.Compare(clientv3.CreateRevision(owner), "=", 0), clientv3.Compare(clientv3.CreateRevision(horizon), "=", 0))
		puts = append(puts, clientv3.OpPut(horizon, string(never)))
		if len(puts) > batchSize {
			if err := commit(); err != nil {
				return err
			}
		}
	}
	return commit()
}

// maxTries limits how many free numbers Take tries. If all attempts fail, Take reads the list of
// free numbers once more, and tries up to maxTries of them. If many processes compete for the last
// numbers, most attempts fail. If Take tried all these numbers, it would keep the servers too busy
// to serve other processes.
const maxTries = 3

// grace is the maximum time for which Take continues after its context is done, if it has already
// found a free number. If Take stopped immediately, the work that slow servers do for its pending
// requests would be wasted, and the next Take would send these requests again. After the grace
// period, Take has another second to release the number and the lease.
const grace = time.Second

// Take implements [nodelease.Store]. If at least three numbers are held and r.Now differs by more
// than 24 h from the median of their horizons, Take returns an error. Otherwise, a machine with a
// wrong clock could move the horizons of many numbers, one after another. Take also returns an
// error if r.Layout differs from the layout of the store's IDs, or if the schema key or the horizon
// of a free number is missing.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (g nodelease.Grant, err error) {
	err = s.whileOpen(ctx, func(ctx context.Context) (err error) {
		g, err = s.takeOne(ctx, r)
		return err
	})
	return g, err
}

func (s *Store) takeOne(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if ctx.Err() != nil {
		return nodelease.Grant{}, context.Cause(ctx)
	}
	if err := s.awaitStream(ctx); err != nil {
		return nodelease.Grant{}, err
	}
	graceCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	l := &lease{store: s, warn: r.Warn}
	for range 2 {
		free, count, err := s.free(ctx, r)
		if err != nil {
			s.renewals.renewToken(ctx)
		}
		if err == nil && l.id == 0 {
			err = l.grant(graceCtx)
		}
		for i := 0; err == nil && i < min(len(free), maxTries); i++ {
			var taken bool
			if taken, err = l.take(graceCtx, free[i]); taken {
				return nodelease.Grant{
					Number: l.number, Horizon: free[i].Horizon, TTL: l.ttl, Free: count - 1, FreeKnown: true, Lease: l,
				}, nil
			}
		}
		if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		if err != nil {
			s.revoke(ctx, l.id)
			return nodelease.Grant{}, err
		}
	}
	s.revoke(ctx, l.id)
	return nodelease.Grant{}, nodelease.ErrNoNumber
}

// streamTimeout is how long Take waits for the stream. It is shorter than the 5 s that a Minter
// allows for a call to Take until two failures in a row have occurred. The Minter retries soon if
// Take returns an error, but pauses for a long time if Take does not return in time.
const streamTimeout = 4 * time.Second

// awaitStream waits for the stream, because no lease can be renewed without it. Once the stream is
// open, the client has an authentication token that the servers know.
func (s *Store) awaitStream(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, streamTimeout)
	defer cancel()
	if err := s.renewals.wait(ctx); err != nil {
		return fmt.Errorf("nodelease: etcd: no stream for renewals yet: %w", etcdkeys.Refused(s.explain(err)))
	}
	return nil
}

// grant requests a lease.
func (l *lease) grant(ctx context.Context) error {
	resp, err := l.store.client.Grant(ctx, int64((l.store.opts.TTL+time.Second-1)/time.Second))
	if err != nil {
		return fmt.Errorf("nodelease: etcd: grant a lease: %w", etcdkeys.Refused(err))
	}
	l.id, l.ttl = resp.ID, time.Duration(resp.TTL)*time.Second
	return nil
}

// take tries to take the number in c. The result taken is false if, since c was read, another
// process has taken the number or has changed its horizon.
func (l *lease) take(ctx context.Context, c storekit.Candidate) (taken bool, err error) {
	owner, horizon := l.store.key("owner", c.Number), l.store.key("horizon", c.Number)
	resp, err := l.store.client.Txn(ctx).If(
		clientv3.Compare(clientv3.CreateRevision(owner), "=", 0),
		clientv3.Compare(clientv3.ModRevision(horizon), "=", c.Version),
	).Then(
		clientv3.OpPut(owner, l.store.opts.Holder, clientv3.WithLease(l.id)),
	).Commit()
	if err != nil {
		return false, fmt.Errorf("nodelease: etcd: take number %d: %w", c.Number, etcdkeys.Refused(err))
	}
	if resp.Succeeded {
		l.number, l.horizonRevision, l.ownerRevision = c.Number, c.Version, resp.Header.Revision
		l.asked, l.raised = c.Horizon, c.Horizon
	}
	return resp.Succeeded, nil
}

// contents describes the keys of consecutive numbers, all read at the same revision.
type contents struct {
	store          *Store
	header         string         // value of the schema key; empty if the key is missing
	rows           []etcdkeys.Row // sorted by Number
	horizons, held int64          // how many numbers in the store have a horizon or an owner
}

// read reads the keys of the numbers from first to first+count-1.
func (s *Store) read(ctx context.Context, first, count int64) (*contents, error) {
	found, err := etcdkeys.Read(ctx, s.client, s.opts.Prefix, first, first+count, s.opts.Numbers, clientv3.WithKeysOnly())
	if err != nil {
		return nil, fmt.Errorf("read the numbers: %w", s.explain(err))
	}
	c := &contents{store: s, header: found.Header, horizons: found.Horizons, held: found.Held}
	for n := first; n < first+count; n++ {
		row := found.Rows[n]
		row.Number = n
		c.rows = append(c.rows, row)
	}
	return c, nil
}

// missing returns a description of a missing key, or "" if no key is missing. It does not report a
// missing horizon if the number is held, because the number's holder knows the horizon and will
// write it again.
func (c *contents) missing() string {
	if c.header == "" {
		return "there is no key " + c.store.schema()
	}
	for _, row := range c.rows {
		if row.Version == 0 && row.Owner == nil {
			return "there is no key " + c.store.key("horizon", row.Number)
		}
	}
	return ""
}

// checkComplete returns an error if a key is missing or the keys have a different version or
// layout.
func (c *contents) checkComplete(l ids.SnowflakeLayout) error {
	if err := storekit.Missing(c.missing(), hint); err != nil {
		return err
	}
	return storekit.CheckHeader(c.store.schema(), c.header, storekit.Header(l))
}

// sampleSize is the size of the sample that Take reads first if the store has at least twice as
// many numbers.
const sampleSize = 128

// free returns numbers that have no owner, in the order in which to try them. It also returns how
// many of the store's numbers have no owner. It reads all numbers only if a sample of them is not
// enough. If a thousand processes started at the same time and each read all numbers, the servers
// would be busy for a minute.
func (s *Store) free(ctx context.Context, r nodelease.Request) (free []storekit.Candidate, count int64, err error) {
	found := &contents{}
	if most := s.opts.Numbers - sampleSize; most >= sampleSize {
		if found, err = s.read(ctx, rand.Int64N(most+1), sampleSize); err != nil {
			return nil, 0, fmt.Errorf("nodelease: etcd: %w", err)
		}
		if found.horizons >= s.opts.Numbers {
			free, enough, err := found.candidates(r)
			if err == nil && found.held >= s.opts.Numbers {
				err = nodelease.ErrNoNumber
			}
			if err != nil || enough {
				return free, s.opts.Numbers - found.held, err
			}
		}
	}
	if found, err = s.read(ctx, 0, s.opts.Numbers); err != nil {
		return nil, 0, fmt.Errorf("nodelease: etcd: %w", err)
	}
	free, _, err = found.candidates(r)
	if err == nil && len(free) == 0 {
		err = nodelease.ErrNoNumber
	}
	return free, int64(len(free)), err
}

// candidates returns the numbers in c that have no owner, in the order in which to try them. The
// result enough reports whether c contains enough numbers to choose one and to detect that r.Now is
// wrong.
func (c *contents) candidates(r nodelease.Request) (free []storekit.Candidate, enough bool, err error) {
	err = c.checkComplete(r.Layout)
	var known, held []time.Time // horizons
	for _, row := range c.rows {
		known = append(known, row.Horizon)
		if row.Owner == nil {
			free = append(free, storekit.Candidate{Number: row.Number, Horizon: row.Horizon, Version: row.Version})
		} else if row.Owner.Lease != 0 && !row.Horizon.IsZero() { // held, but not retired
			held = append(held, row.Horizon)
		}
	}
	if err == nil && len(held) >= 3 {
		err = storekit.CheckNow(r.Now, "the horizons of the other holders", storekit.Median(held))
	}
	if err != nil {
		return nil, false, fmt.Errorf("nodelease: etcd: %w", err)
	}
	storekit.Prefer(free, storekit.Median(known), r.Now)
	return free, len(free) > 0 && !free[0].Horizon.After(r.Now) && (c.held < 3 || len(held) >= 3), nil
}

// explain returns the error for a failed request. If the request timed out because the client has
// no connection, explain adds the reason to err. The client itself reports only a timeout.
func (s *Store) explain(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	ctx, cancel := context.WithTimeout(s.client.Ctx(), 200*time.Millisecond)
	defer cancel()
	_, why := etcdkeys.Status(ctx, pb.NewMaintenanceClient(s.client.ActiveConnection()))
	if why == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, why)
}

// errClosed is the error that all calls return after the client has been closed.
var errClosed = faults.Refused(errors.New("nodelease: etcd: the client is closed, or its context has ended"))

// whileOpen calls f with a context that is done when ctx is done or the client is closed. If f used
// ctx itself, a closed client would retry for seconds before it reported that it is closed.
func (s *Store) whileOpen(ctx context.Context, f func(context.Context) error) error {
	return conns.Until(ctx, s.client.Ctx(), errClosed, f)
}

func (s *Store) schema() string { return etcdkeys.Schema(s.opts.Prefix) }

func (s *Store) key(kind string, number int64) string {
	return etcdkeys.Key(s.opts.Prefix, kind, number)
}

// revoke ends a lease that is no longer needed. When the lease ends, etcd also deletes its owner
// key, even if the transaction that wrote the key returned an error. If revoke fails, the lease
// expires after its TTL.
func (s *Store) revoke(ctx context.Context, id clientv3.LeaseID) {
	if id == clientv3.NoLease {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = s.client.Revoke(ctx, id)
}

type lease struct {
	store           *Store
	warn            func(error)
	id              clientv3.LeaseID
	ttl             time.Duration
	number          int64
	asked           time.Time // highest horizon passed to Extend
	raised          time.Time // highest horizon that Extend is known to have written
	ownerRevision   int64     // create revision of the owner key
	horizonRevision int64     // mod revision of the horizon
}

// Extend renews the lease, then raises the horizon in a transaction. Renewing alone is not enough,
// because a deposed leader may continue to answer keepalives for a while. The transaction needs the
// agreement of a majority of the members, and fails once the owner key is gone. If the horizon is
// unchanged, the transaction is read-only and causes no disk write.
func (l *lease) Extend(ctx context.Context, horizon time.Time) error {
	return l.store.whileOpen(ctx, func(ctx context.Context) error { return l.extend(ctx, horizon) })
}

func (l *lease) extend(ctx context.Context, horizon time.Time) error {
	put, err := l.put(horizon)
	if err != nil {
		return err
	}
	if horizon.Before(l.asked) {
		return fmt.Errorf("nodelease: etcd: the horizon %v of number %d cannot be lowered to %v", l.asked, l.number, horizon)
	}
	l.asked = horizon
	switch ttl, err := l.store.renewals.renew(ctx, l.id); {
	case err != nil:
		return fmt.Errorf("nodelease: etcd: keep number %d alive: %w", l.number, etcdkeys.Refused(err))
	case ttl <= 0:
		return nodelease.ErrLost
	}
	var ops []clientv3.Op
	if !horizon.Equal(l.raised) {
		ops = append(ops, put)
	}
	if err := l.commit(ctx, put, ops...); err != nil {
		l.store.renewals.renewToken(ctx)
		return err
	}
	l.raised = horizon
	return nil
}

// Release writes the horizon and deletes the owner key in one transaction. Then it revokes the
// lease, which is no longer needed.
func (l *lease) Release(ctx context.Context, horizon time.Time) error {
	return l.store.whileOpen(ctx, func(ctx context.Context) error { return l.release(ctx, horizon) })
}

func (l *lease) release(ctx context.Context, horizon time.Time) error {
	put, err := l.put(horizon)
	if err != nil {
		return err
	}
	if err := l.commit(ctx, put, put, clientv3.OpDelete(l.store.key("owner", l.number))); err != nil {
		return err
	}
	l.store.revoke(ctx, l.id)
	return nil
}

// put returns an operation that writes horizon to the horizon key.
func (l *lease) put(horizon time.Time) (clientv3.Op, error) {
	text, err := horizon.MarshalText()
	if err != nil {
		return clientv3.Op{}, fmt.Errorf("nodelease: etcd: horizon of number %d: %w", l.number, err)
	}
	return clientv3.OpPut(l.store.key("horizon", l.number), string(text)), nil
}

// commit executes ops on two conditions: this lease wrote the current owner key, and the horizon
// key has not changed since this lease last saw it. If only the horizon key has changed, commit
// tries once more with that key's current revision. If ops is empty, this second transaction
// executes put instead. The comparisons prevent two kinds of writes:
//
//   - Comparing the owner key's create revision prevents writes by a holder that has lost its
//     number. After etcd is restored from a backup, it reuses revisions. Even then, comparing the
//     lease ID prevents these writes, because lease IDs are not reused.
//   - Comparing the horizon key's mod revision prevents a delayed request from this holder from
//     writing. Such a write would lower a horizon that a later request has already raised, and the
//     holder may have generated IDs up to the higher horizon.
func (l *lease) commit(ctx context.Context, put clientv3.Op, ops ...clientv3.Op) error {
	owner, horizon := l.store.key("owner", l.number), l.store.key("horizon", l.number)
	missing := false
	for range 2 {
		resp, err := l.store.client.Txn(ctx).If(
			clientv3.Compare(clientv3.CreateRevision(owner), "=", l.ownerRevision),
			clientv3.Compare(clientv3.LeaseValue(owner), "=", l.id),
			clientv3.Compare(clientv3.ModRevision(horizon), "=", l.horizonRevision),
		).Then(ops...).Else(
			clientv3.OpGet(owner, clientv3.WithKeysOnly()),
			clientv3.OpGet(horizon, clientv3.WithKeysOnly()),
		).Commit()
		if err != nil {
			return fmt.Errorf("nodelease: etcd: update number %d: %w", l.number, etcdkeys.Refused(err))
		}
		if resp.Succeeded {
			if len(ops) > 0 {
				l.horizonRevision = resp.Header.Revision
			}
			if missing && l.warn != nil {
				l.warn(fmt.Errorf("nodelease: etcd: the key %s was missing: its holder has written it again, others may be missing too", horizon))
			}
			return nil
		}
		held := resp.Responses[0].GetResponseRange().Kvs
		if len(held) == 0 || held[0].CreateRevision != l.ownerRevision || held[0].Lease != int64(l.id) {
			return nodelease.ErrLost
		}
		// Only the owner may write the horizon. So either the response to an earlier request was
		// lost although etcd had carried out the request, or a person or program has edited or
		// deleted the horizon. In both cases, the owner knows the correct value.
		l.horizonRevision, missing = 0, true
		if seen := resp.Responses[1].GetResponseRange().Kvs; len(seen) > 0 {
			l.horizonRevision, missing = seen[0].ModRevision, false
		}
		if len(ops) == 0 {
			ops = []clientv3.Op{put}
		}
	}
	return fmt.Errorf("nodelease: etcd: the horizon of number %d keeps changing", l.number)
}
