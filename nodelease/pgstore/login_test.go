package pgstore_test

// Tests of the time that each address of a server gets.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// A server has one address. It returns a connection to itself.
type server func(ctx context.Context) (net.Conn, error)

var errRefused = errors.New("connection refused")

// refuses is a server that is down.
func refuses(context.Context) (net.Conn, error) { return nil, errRefused }

// lost is a server behind a firewall that drops everything.
func lost(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }

// silent is a server that accepts connections and answers nothing.
func silent(context.Context) (net.Conn, error) {
	return served(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), nil
}

// tunneled is a silent server behind a tunnel whose connections have no deadlines.
func tunneled(ctx context.Context) (net.Conn, error) {
	c, err := silent(ctx)
	return timeless{c}, err
}

// late is a server that answers each request of the login after d, and every later one with an
// error.
func late(d time.Duration) server {
	return func(context.Context) (net.Conn, error) {
		return served(func(c net.Conn) {
			b := pgproto3.NewBackend(c, c)
			if _, err := b.ReceiveStartupMessage(); err != nil {
				return
			}
			time.Sleep(d)
			b.Send(&pgproto3.AuthenticationOk{})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			_ = b.Flush()
			if _, err := b.Receive(); err != nil { // show transaction_read_only
				return
			}
			time.Sleep(d)
			b.Send(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("transaction_read_only")}}})
			b.Send(&pgproto3.DataRow{Values: [][]byte{[]byte("off")}})
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SHOW")})
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			_ = b.Flush()
			if _, err := b.Receive(); err != nil {
				return
			}
			b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "58000", Message: "the login has ended"})
			_ = b.Flush()
		}), nil
	}
}

// served returns a connection whose other end is passed to serve.
func served(serve func(net.Conn)) net.Conn {
	client, other := net.Pipe()
	go func() {
		defer other.Close()
		serve(other)
	}()
	return client
}

// A network maps addresses to servers and names to addresses. It records the dials.
type network struct {
	names   map[string][]string
	servers map[string]server
	began   time.Time
	dialed  []string
}

// hook is a BeforeConnect that makes the driver use the network.
func (n *network) hook(_ context.Context, c *pgx.ConnConfig) error {
	n.began = time.Now()
	c.LookupFunc = func(ctx context.Context, host string) ([]string, error) {
		if host == "slow" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if ips, ok := n.names[host]; ok {
			return ips, nil
		}
		return nil, fmt.Errorf("no such host as %s", host)
	}
	c.DialFunc = func(ctx context.Context, _, address string) (net.Conn, error) {
		if n.servers[address] == nil { // a cancel request, sent to the address of the pipe
			return nil, errRefused
		}
		short := strings.TrimSuffix(strings.TrimPrefix(address, "10.0.0."), ":5432")
		n.dialed = append(n.dialed, fmt.Sprintf("%s after %v", short, time.Since(n.began)))
		return n.servers[address](ctx)
	}
	return nil
}

// TestLogin tests how long a login waits for late or silent servers, at one address or at several.
func TestLogin(t *testing.T) {
	t.Parallel()
	const (
		second   = time.Second
		timeout  = "timeout: "
		loggedIn = "the login has ended"
		down     = "connection refused"
	)
	many, each := make([]string, 20), ""
	for i := range many {
		many[i] = "10.0.0.1" // the driver treats consecutive equal addresses as one
		if i%2 == 1 {
			many[i] = "10.0.0.2"
		}
		each += fmt.Sprintf(", %d after %ds", i%2+1, 2*i)
	}
	names := map[string][]string{"a": {"10.0.0.1"}, "b": {"10.0.0.2"}, "both": {"10.0.0.1", "10.0.0.2"}, "v6": {"[fd00::1]:6432"}, "many": many}
	for _, test := range []struct {
		url      string
		call     time.Duration // timeout of New; zero means no deadline
		one, two server
		dialed   string
		took     time.Duration
		within   string // time limit in the error; empty means none
		text     string
	}{
		// A single address gets all the time of the call.
		{"a", 0, silent, nil, "1 after 0s", 30 * second, "30s", timeout},
		{"a", time.Hour, silent, nil, "1 after 0s", 30 * second, "30s", timeout},
		{"a", 8 * second, silent, nil, "1 after 0s", 8 * second, "8s", timeout},
		{"a", 8 * second, lost, nil, "1 after 0s", 8 * second, "8s", timeout},
		{"a", 0, tunneled, nil, "1 after 0s", 30 * second, "30s", ""},
		{"a", 8 * second, late(3900 * time.Millisecond), nil, "1 after 0s", 7800 * time.Millisecond, "", loggedIn},
		{"a", 8 * second, late(4100 * time.Millisecond), nil, "1 after 0s", 8 * second, "8s", timeout},
		{"a", 0, late(14900 * time.Millisecond), nil, "1 after 0s", 29800 * time.Millisecond, "", loggedIn},
		{"a", 8 * second, refuses, nil, "1 after 0s", 0, "", down},
		{"slow", 0, nil, nil, "", 30 * second, "", context.DeadlineExceeded.Error()},

		// Several addresses share that time.
		{"a,b", 8 * second, silent, silent, "1 after 0s, 2 after 4s", 8 * second, "4s", "10.0.0.1:5432 (a)"},
		{"both", 8 * second, silent, silent, "1 after 0s, 2 after 4s", 8 * second, "4s", timeout},
		{"both", 8 * second, lost, silent, "1 after 0s, 2 after 4s", 8 * second, "4s", timeout},
		{"both", 8 * second, tunneled, silent, "1 after 0s, 2 after 4s", 8 * second, "4s", timeout},
		{"both", 8 * second, silent, late(1900 * time.Millisecond), "1 after 0s, 2 after 4s", 7800 * time.Millisecond, "", loggedIn},
		{"both", 8 * second, late(2100 * time.Millisecond), silent, "1 after 0s, 2 after 4s", 8 * second, "4s", timeout},
		{"both", 8 * second, silent, refuses, "1 after 0s, 2 after 4s", 4 * second, "4s", down},
		{"both", 8 * second, refuses, silent, "1 after 0s, 2 after 0s", 8 * second, "8s", down},
		{"both", 8 * second, refuses, refuses, "1 after 0s, 2 after 0s", 0, "", down},
		{"both", 3 * second, silent, silent, "1 after 0s, 2 after 2s", 3 * second, "2s", timeout},
		{"both", second, silent, silent, "1 after 0s", second, "1s", timeout},
		{"both", 0, silent, silent, "1 after 0s, 2 after 15s", 30 * second, "15s", timeout},
		{"many", 0, silent, silent, each[2:], 40 * second, "2s", timeout},
		{"c,a", 8 * second, silent, nil, "1 after 0s", 8 * second, "8s", "no such host as c"},
		{"a:1,a:2", 8 * second, nil, nil, "1:1 after 0s, 1:2 after 4s", 8 * second, "4s", timeout},
		{"v6:1,v6:2", 8 * second, nil, nil, "[fd00::1]:6432 after 0s", 8 * second, "8s", timeout},
		{"v6", 8 * second, nil, nil, "[fd00::1]:6432 after 0s", 8 * second, "8s", timeout},

		// Attempts with and without TLS use one address.
		{"a?sslmode=prefer", 8 * second, silent, nil, "1 after 0s", 8 * second, "8s", timeout},
		{"a,b?sslmode=prefer", 8 * second, silent, silent, "1 after 0s, 2 after 4s", 8 * second, "4s", timeout},

		// The URL's connect_timeout applies to each address.
		{"a?connect_timeout=1", 8 * second, silent, nil, "1 after 0s", second, "1s", ""},
		{"a?connect_timeout=40", 0, silent, nil, "1 after 0s", 40 * second, "40s", ""},
		{"a?connect_timeout=0", 0, silent, nil, "1 after 0s", 30 * second, "30s", timeout},
		{"both?connect_timeout=3", 0, silent, silent, "1 after 0s, 2 after 3s", 6 * second, "3s", ""},
		{"both?connect_timeout=3", 0, silent, late(second), "1 after 0s, 2 after 3s", 5 * second, "", loggedIn},
	} {
		t.Run("", func(t *testing.T) {
			must.Bubble(t, func(t *testing.T) {
				n := &network{names: names, servers: map[string]server{
					"10.0.0.1:5432": test.one, "10.0.0.2:5432": test.two, "10.0.0.1:1": silent, "10.0.0.1:2": silent, "[fd00::1]:6432": silent,
				}}
				ctx := context.Background()
				if test.call > 0 {
					limited, cancel := context.WithTimeout(ctx, test.call)
					defer cancel()
					ctx = limited
				}
				hosts, query, _ := strings.Cut(test.url, "?")
				if !strings.HasPrefix(query, "sslmode") {
					query = strings.TrimSuffix("sslmode=disable&"+query, "&")
				}
				_, err := pgstore.New(ctx, "postgres://u:s3cret@"+hosts+"/ids?"+query, &pgstore.Options{BeforeConnect: n.hook})
				took := time.Since(n.began)
				if got := strings.Join(n.dialed, ", "); got != test.dialed || took != test.took {
					t.Errorf("%s: dialed %s, and returned after %v, want %s and %v", test.url, got, took, test.dialed, test.took)
				}
				must.Fail(t, test.url, err, nil, test.text)
				if _, limit, named := strings.Cut(fmt.Sprint(err), "no login within "); named != (test.within != "") || !strings.HasPrefix(limit, test.within) {
					t.Errorf("%s: error %v, want one that names the limit %q", test.url, err, test.within)
				}
				time.Sleep(time.Minute) // for servers that are late
			})
		})
	}
}
