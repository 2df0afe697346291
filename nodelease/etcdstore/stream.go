package etcdstore

// The stream over which a store renews all its leases.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// renewals has the stream over which a store renews all its leases, one after another. The client's KeepAlive channel
// would be no help: it does not tell when the request behind an answer was sent.
//
// For each new stream the client has the servers check its password, which costs them much time, and they go on with a
// check whose asker has gone. If many processes ask at once, a check takes longer than a call may. So a stream that is being
// opened outlives the calls that wait for it: each process waits for one check, however long that takes.
type renewals struct {
	client *clientv3.Client
	stream chan *stream // has the stream while no call uses it; nil if there is none

	// What follows is for who has emptied the channel.

	openTimeout    time.Duration
	reopenInterval time.Duration
	gaveUpAt       time.Time // a stream since the servers were late
}

const (
	// openTimeout is how long the first stream may take to open. What takes longer may be a member that hangs, and the next
	// stream asks another one. But it may be the checks: so the next stream may take twice as long.
	openTimeout = 30 * time.Second
	// reopenInterval is how long no other stream is given up since the servers are late, if they check a password for each: the checks
	// themselves may be why.
	reopenInterval = 2 * time.Minute
)

// A stream is open, or comes about.
type stream struct {
	opened chan struct{} // closed when err is set
	err    error         // why it could not be opened
	end    context.CancelFunc

	rpc     pb.Lease_LeaseKeepAliveClient
	answers chan *pb.LeaseKeepAliveResponse // to the requests, in their order; closed when failure is set
	failure error
	pending int // how many answers are to come for which nobody waits any more
}

func newRenewals(client *clientv3.Client) *renewals {
	r := &renewals{client: client, stream: make(chan *stream, 1), openTimeout: openTimeout, reopenInterval: reopenInterval}
	r.stream <- nil
	return r
}

// open begins to open a stream. Its caller has the channel's content.
func (r *renewals) open() *stream {
	ctx, end := context.WithCancel(r.client.Ctx())
	s := &stream{opened: make(chan struct{}), end: end, answers: make(chan *pb.LeaseKeepAliveResponse)}
	timeout := time.AfterFunc(r.openTimeout, end)
	go func() {
		s.rpc, s.err = pb.NewLeaseClient(r.client.ActiveConnection()).LeaseKeepAlive(ctx)
		if !timeout.Stop() && s.err != nil {
			s.err = fmt.Errorf("not open after %v: %w", r.openTimeout, s.err)
			r.openTimeout *= 2
		}
		close(s.opened)
		if s.err == nil {
			s.failure = s.read(ctx)
			close(s.answers)
		}
	}()
	return s
}

// read reads answers until the stream ends.
func (s *stream) read(ctx context.Context) error {
	for {
		resp, err := s.rpc.Recv()
		if err != nil {
			return err
		}
		select {
		case s.answers <- resp:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ask asks for a lease to be renewed. An answer that comes after ctx has ended is not taken for that to a later request.
func (s *stream) ask(ctx context.Context, id clientv3.LeaseID) (ttl int64, err error) {
	stop := context.AfterFunc(ctx, s.end) // should the servers not even take requests
	err = s.rpc.Send(&pb.LeaseKeepAliveRequest{ID: int64(id)})
	stop()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	s.pending++
	for {
		select {
		case resp, ok := <-s.answers:
			if !ok {
				return 0, s.failure
			}
			if s.pending--; s.pending == 0 {
				return resp.TTL, nil
			}
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// wait waits until there is a stream.
func (r *renewals) wait(ctx context.Context) error {
	return r.use(ctx, func(*stream) error { return nil })
}

// renew renews a lease, and returns its TTL in seconds, which is 0 if it has ended.
func (r *renewals) renew(ctx context.Context, id clientv3.LeaseID) (ttl int64, err error) {
	err = r.use(ctx, func(s *stream) (err error) {
		ttl, err = s.ask(ctx, id)
		return err
	})
	return ttl, err
}

// use calls ask with the stream. If that comes from an earlier call, and has failed, as after a restart of the servers, use
// tries a new one.
func (r *renewals) use(ctx context.Context, ask func(*stream) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var s *stream
	select {
	case s = <-r.stream:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { r.stream <- s }()
	for {
		fresh := s == nil
		if fresh {
			s = r.open()
		}
		select {
		case <-s.opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		err := s.err
		if err == nil {
			err = ask(s)
		}
		if err == nil {
			return nil
		}
		timedOut := ctx.Err() != nil
		if timedOut {
			err = context.Cause(ctx)
		}
		if timedOut && s.err == nil && !r.giveUp() {
			return err
		}
		s.end()
		s = nil
		if timedOut || fresh {
			return err
		}
	}
}

// giveUp reports whether to give up a stream since the servers are late.
func (r *renewals) giveUp() bool {
	if r.client.Username != "" && time.Since(r.gaveUpAt) < r.reopenInterval {
		return false
	}
	r.gaveUpAt = time.Now()
	return true
}

// renewToken has a new stream opened, and with it a token asked for, if ctx is that of a call that had no answer in time.
// Perhaps this waited for a check of the password, since a server had forgotten the client's token: the next check
// outlives the calls.
func (r *renewals) renewToken(ctx context.Context) {
	if r.client.Username == "" || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	select {
	case s := <-r.stream:
		if s != nil {
			select {
			case <-s.opened:
				if r.giveUp() {
					s.end()
					s = r.open()
				}
			default:
			}
		}
		r.stream <- s
	default: // somebody waits for it
	}
}

// close ends the stream.
func (r *renewals) close() {
	if s := <-r.stream; s != nil {
		s.end()
	}
}
