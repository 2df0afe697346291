package etcdstore

// This file contains the stream over which a store renews all its leases.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// renewals renews all leases of a store, one after another, over one stream. The store cannot use
// the client's KeepAlive method, because the responses from that method do not show when their
// requests were sent.
//
// For each new stream, the servers check the client's password. Such a check is slow, and the
// servers finish it even if the client is gone. If many processes connect at the same time, a check
// takes longer than the time limit of a call. So a stream that is being opened outlives the calls
// that wait for it. Each process then waits for a single check, however long that check takes.
type renewals struct {
	client *clientv3.Client
	stream chan *stream // contains the stream or nil; empty while a call uses it

	// The fields below are guarded by stream. Only the goroutine that has received from this
	// channel may use them. The goroutine that opens a stream may also use openTimeout until it
	// closes s.opened, because no other stream is opened before then.

	openTimeout    time.Duration
	reopenInterval time.Duration
	gaveUpAt       time.Time // when a stream was last abandoned because of slow servers
}

const (
	// openTimeout is how long the first stream may take to open. If opening takes longer, the
	// stream may have reached a member that hangs, so the next stream tries a different member. But
	// the delay may also be caused by password checks, so the next stream may take twice as long to
	// open.
	openTimeout = 30 * time.Second
	// reopenInterval is the minimum interval between abandoning one unresponsive stream and
	// abandoning the next. It applies only if the servers check a password for each stream, because
	// these checks may delay the responses.
	reopenInterval = 2 * time.Minute
)

// A stream is a keepalive stream that is open or being opened.
type stream struct {
	opened chan struct{} // closed when err is set
	err    error         // error from opening the stream
	end    context.CancelFunc

	rpc     pb.Lease_LeaseKeepAliveClient
	answers chan *pb.LeaseKeepAliveResponse // in the order of the requests; closed when failure is set
	failure error
	pending int // number of outstanding answers; between calls, all are answers to abandoned requests
}

func newRenewals(client *clientv3.Client) *renewals {
	r := &renewals{client: client, stream: make(chan *stream, 1), openTimeout: openTimeout, reopenInterval: reopenInterval}
	r.stream <- nil
	return r
}

// open starts opening a stream but does not wait until the stream is open. The caller must have
// received from r.stream.
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

// read receives answers until the stream ends.
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

// ask renews a lease. If the answer arrives after ctx is done, later calls to ask do not mistake it
// for the answer to their own requests.
func (s *stream) ask(ctx context.Context, id clientv3.LeaseID) (ttl int64, err error) {
	stop := context.AfterFunc(ctx, s.end) // Send blocks if the servers do not accept requests
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

// wait waits until a stream is open.
func (r *renewals) wait(ctx context.Context) error {
	return r.use(ctx, func(*stream) error { return nil })
}

// renew renews a lease and returns its TTL in seconds, or 0 if the lease has expired.
func (r *renewals) renew(ctx context.Context, id clientv3.LeaseID) (ttl int64, err error) {
	err = r.use(ctx, func(s *stream) (err error) {
		ttl, err = s.ask(ctx, id)
		return err
	})
	return ttl, err
}

// use passes the stream to the function ask, once the stream is open. If a stream that an earlier
// call opened has failed, for example because the servers were restarted, use tries again with a
// new stream.
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

// giveUp reports whether the caller should abandon a stream because the servers do not answer in
// time.
func (r *renewals) giveUp() bool {
	if r.client.Username != "" && time.Since(r.gaveUpAt) < r.reopenInterval {
		return false
	}
	r.gaveUpAt = time.Now()
	return true
}

// If the call to which ctx belongs received no response in time, renewToken opens a new stream,
// which requests a new token. That call may have waited for a password check because a server had
// forgotten the client's token. The password check for the new stream outlives the calls that wait
// for it.
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
	default: // another call is using the stream
	}
}

// close ends the stream.
func (r *renewals) close() {
	if s := <-r.stream; s != nil {
		s.end()
	}
}
