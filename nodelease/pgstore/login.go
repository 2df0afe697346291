package pgstore

// This file contains the code that logs in to a server and divides the available time among all
// addresses.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oneclock/ids/nodelease/internal/conns"
)

const (
	// maxLoginTimeout is the maximum time for a login if connect_timeout is not set. If
	// minLoginTimeout multiplied by the number of addresses is longer than maxLoginTimeout, that
	// product is the maximum time instead. Because of this limit, a call returns even if its
	// context has no deadline and the server accepts connections but does not answer.
	maxLoginTimeout = 30 * time.Second
	// minLoginTimeout is the minimum time for each address if there are several. If the call has
	// less time left, the address gets only that time.
	minLoginTimeout = 2 * time.Second
)

// A login contains the state of one call to connect, and limits the time for each address. The
// driver tries one address after another with the same context, and calls dial for each attempt.
// The driver also calls dial, with a different context, when it cancels a statement. Such a call
// can happen while the driver is still trying an address.
type login struct {
	dialFunc       pgconn.DialFunc
	addressTimeout time.Duration // from connect_timeout; zero if all addresses share one timeout
	untried        int           // number of addresses that have not been tried yet

	// The address that the driver is trying now.
	address string
	limit   time.Duration
	ctx     context.Context // context for address, which expires after limit; nil at first
	end     context.CancelFunc
	detach  func() bool // lets the connection outlive ctx; returns false if ctx is already done

	longestExpired time.Duration // longest time limit among the addresses that timed out
}

// loginKey is the context key of a login.
type loginKey struct{}

// connect logs in to one of the servers that config specifies. If there is only one address, the
// login continues after ctx is done, so that a later call can use it. If the login fails and an
// address has timed out, the error contains that address's time limit. If several addresses have
// timed out, the error contains the longest of their limits.
func connect(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	l := &login{dialFunc: config.DialFunc, addressTimeout: config.ConnectTimeout, detach: func() bool { return true }}
	if l.addressTimeout == 0 {
		began := time.Now()
		lookup, cancel := context.WithTimeout(ctx, maxLoginTimeout)
		addresses := resolve(lookup, config)
		cancel()
		l.untried = len(addresses)
		if l.untried == 1 {
			ctx = conns.Outlive(ctx, addresses[0])
		}
		longest := max(maxLoginTimeout, time.Duration(l.untried)*minLoginTimeout)
		ctx, cancel = context.WithDeadline(ctx, began.Add(longest))
		defer cancel()
	}
	config.ConnectTimeout, config.DialFunc = 0, l.dial
	c, err := pgx.ConnectConfig(context.WithValue(ctx, loginKey{}, l), config)
	if err == nil && !l.detach() {
		c.PgConn().Conn().Close()
		c, err = nil, l.ctx.Err()
	}
	l.endAddress()
	if err != nil && l.longestExpired > 0 {
		err = fmt.Errorf("no login within %v: %w", l.longestExpired.Round(time.Millisecond), err)
	}
	return c, err
}

// resolve returns the addresses that the driver will try. Consecutive attempts to connect to the
// same address, for example with and without TLS, count as one address. resolve also changes
// config.LookupFunc to return the addresses that it found, so that the driver does not look them up
// again.
func resolve(ctx context.Context, config *pgx.ConnConfig) []string {
	type answer struct {
		ips []string
		err error
	}
	answers, lookup := map[string]answer{}, config.LookupFunc
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return answers[host].ips, answers[host].err }
	var addresses []string
	for _, f := range append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port}}, config.Fallbacks...) {
		network, address := pgconn.NetworkAddress(f.Host, f.Port)
		if network == "unix" {
			addresses = append(addresses, address)
			continue
		}
		if _, ok := answers[f.Host]; !ok {
			ips, err := lookup(ctx, f.Host)
			answers[f.Host] = answer{ips, err}
		}
		for _, ip := range answers[f.Host].ips {
			if _, _, err := net.SplitHostPort(ip); err != nil { // the lookup returned no port
				_, ip = pgconn.NetworkAddress(ip, f.Port)
			}
			addresses = append(addresses, ip)
		}
	}
	return slices.Compact(addresses)
}

// dial dials an address. When the time for that address has run out, all reads and writes on the
// connection fail.
func (l *login) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if ctx.Value(loginKey{}) != l {
		return l.dialFunc(ctx, network, address)
	}
	if l.ctx == nil || address != l.address {
		l.endAddress()
		l.address, l.limit = address, l.share(ctx)
		l.untried--
		l.ctx, l.end = context.WithTimeout(ctx, l.limit)
	}
	if l.ctx.Err() != nil { // the previous attempt, with TLS, has used up the time
		return nil, l.ctx.Err()
	}
	c, err := l.dialFunc(l.ctx, network, address)
	if err == nil {
		l.detach = context.AfterFunc(l.ctx, func() { deadline{c}.HandleCancel(ctx) })
	}
	return c, err
}

// share returns the time limit for the next address.
func (l *login) share(ctx context.Context) time.Duration {
	if l.addressTimeout > 0 {
		return l.addressTimeout
	}
	end, _ := ctx.Deadline() // set by connect
	left := time.Until(end)
	return min(left, max(left/time.Duration(max(l.untried, 1)), minLoginTimeout))
}

// endAddress cancels the context of the current address. If that context has expired, endAddress
// updates longestExpired.
func (l *login) endAddress() {
	if l.ctx == nil {
		return
	}
	if errors.Is(l.ctx.Err(), context.DeadlineExceeded) {
		l.longestExpired = max(l.longestExpired, l.limit)
	}
	l.end()
}

// deadline makes reads and writes on a connection fail when the context of a call is done. If the
// connection does not support deadlines, for example because it uses SSH, deadline closes it.
type deadline struct{ net.Conn }

func (d deadline) HandleCancel(context.Context) {
	if d.SetDeadline(time.Unix(1, 0)) != nil {
		d.Close()
	}
}

func (d deadline) HandleUnwatchAfterCancel() { _ = d.SetDeadline(time.Time{}) }
