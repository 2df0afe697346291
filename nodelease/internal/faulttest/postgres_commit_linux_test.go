package faulttest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// TestPostgresMaintenance has minters go on while the server is restarted and its connections
// end, also in the middle of a commit.
func TestPostgresMaintenance(t *testing.T) {
	alone(t)
	server, address := pgtest.Start(t)
	const ttl = 2 * time.Second
	length := duration(30*time.Second, 3*time.Second, time.Second)
	run := func(name, fault string, inject func(ctx context.Context, f *faults)) {
		t.Run(name, func(t *testing.T) {
			pool := openPool(t, address, name, "&pool_max_conns=10")
			scenario{fault: "PostgreSQL: " + fault, ttl: ttl, length: length, store: same(postgresStore(t, pool, 26, ttl)), inject: inject}.run(t)
		})
	}
	restart := func(sig os.Signal, down, up time.Duration) func(ctx context.Context, f *faults) {
		return func(ctx context.Context, f *faults) {
			for ; ctx.Err() == nil; sleep(ctx, between(f.rng, up/3, up)) {
				server.Stop(sig)
				f.count("restarts")
				sleep(ctx, between(f.rng, 0, down))
				server.Start(t)
			}
		}
	}
	run("none", "no fault", nil)
	run("fast", "restarted, mode fast (SIGINT)", restart(syscall.SIGINT, 100*time.Millisecond, 6*time.Second))
	run("immediate", "restarted, mode immediate (SIGQUIT: a crash)", restart(syscall.SIGQUIT, 100*time.Millisecond, 6*time.Second))
	run("down", "down for up to two TTLs after a crash", restart(syscall.SIGQUIT, 2*ttl, 12*time.Second))
	run("terminated", "all connections ended by pg_terminate_backend", func(ctx context.Context, f *faults) {
		own := connect(t, address, "")
		for ; ctx.Err() == nil; sleep(ctx, between(f.rng, 20*time.Millisecond, 200*time.Millisecond)) {
			var n int
			err := own.QueryRow(ctx, `select count(pg_terminate_backend(pid)) from pg_stat_activity
				where pid <> pg_backend_pid() and backend_type = 'client backend'`).Scan(&n)
			if err == nil {
				for range n {
					f.count("connections ended")
				}
			}
		}
	})
	t.Run("lost", func(t *testing.T) {
		cutter := newCommitCutter(t, address)
		pool := openPool(t, cutter.address, "lost", "&pool_max_conns=10")
		scenario{
			fault: "PostgreSQL: committed, but the answer lost", ttl: ttl, length: length, store: same(postgresStore(t, pool, 26, ttl)),
			inject: func(ctx context.Context, f *faults) {
				cutter.count.Store(f)
				for ctx.Err() == nil {
					for _, kind := range []string{"Extend", "Release", "Extend", "Take"} {
						cutter.next.Store(&kind)
						for cutter.next.Load() != nil && ctx.Err() == nil {
							sleep(ctx, between(f.rng, 0, 50*time.Millisecond))
						}
					}
				}
				cutter.next.Store(nil)
				f.mu.Lock()
				defer f.mu.Unlock()
				if *longFlag && (f.n["Take"] == 0 || f.n["Extend"] == 0 || f.n["Release"] == 0) {
					t.Errorf("not all kinds of answers were lost: %v", f.n)
				}
			},
		}.run(t)
	})
	t.Run("taken", func(t *testing.T) {
		s := postgresStore(t, openPool(t, address, "taken", "&pool_max_conns=10"), 12, ttl)
		scenario{
			fault: "PostgreSQL: all numbers taken, 24 minters share 12", ttl: ttl, length: length,
			store: same(s), scarce: true, inject: countRefusedTakes(s),
		}.run(t)
	})
}

// A commitCutter passes connections on to a PostgreSQL server. It lets the next call of a kind
// through, waits until the server says that this is committed, keeps that answer to itself and
// closes the connection.
type commitCutter struct {
	address string
	next    atomic.Pointer[string] // the method of a lease or store; nil means that no answer is to be lost
	count   atomic.Pointer[faults]
}

func newCommitCutter(t *testing.T, server string) *commitCutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	c := &commitCutter{address: listener.Addr().String()}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(near, server)
		}
	}()
	return c
}

func (c *commitCutter) serve(near net.Conn, server string) {
	defer near.Close()
	far, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer far.Close()
	var startup [4]byte // the length of the first message, which has no type
	if _, err := io.ReadFull(near, startup[:]); err != nil {
		return
	}
	if _, err := far.Write(startup[:]); err != nil {
		return
	}
	if _, err := io.CopyN(far, near, int64(binary.BigEndian.Uint32(startup[:]))-4); err != nil {
		return
	}
	var cut atomic.Pointer[string] // the kind of call whose answer is to be lost
	var both sync.WaitGroup
	both.Go(func() {
		defer near.Close()
		defer far.Close()
		c.requests(far, near, &cut)
	})
	both.Go(func() {
		defer near.Close()
		defer far.Close()
		c.answers(near, far, &cut)
	})
	both.Wait()
}

// readMessage returns a message with its type and length in front.
func readMessage(src io.Reader) ([]byte, error) {
	message := make([]byte, 5)
	if _, err := io.ReadFull(src, message); err != nil {
		return nil, err
	}
	message = append(message, make([]byte, binary.BigEndian.Uint32(message[1:])-4)...)
	_, err := io.ReadFull(src, message[5:])
	return message, err
}

// requests passes on what the client says, and decides at each Sync, which is where the server
// commits, whether its answer is to be lost.
func (c *commitCutter) requests(far io.Writer, near io.Reader, cut *atomic.Pointer[string]) {
	statements := map[string]string{} // by name
	executes := ""
	for {
		message, err := readMessage(near)
		if err != nil {
			return
		}
		body := bytes.Split(message[5:], []byte{0})
		switch message[0] {
		case 'P': // Parse
			statements[string(body[0])] = string(body[1])
		case 'B': // Bind
			executes = statements[string(body[1])]
		case 'S': // Sync
			next := c.next.Load()
			if next != nil && *next == kindOf(executes) && c.next.CompareAndSwap(next, nil) {
				cut.Store(next)
			}
			executes = ""
		}
		if _, err := far.Write(message); err != nil {
			return
		}
	}
}

// kindOf tells which method of a lease a statement is.
func kindOf(sql string) string {
	switch {
	case !strings.Contains(sql, `update "node_lease"`):
		return ""
	case strings.Contains(sql, "skip locked"):
		return "Take"
	case strings.Contains(sql, "'epoch'"):
		return "Release"
	}
	return "Extend"
}

func (c *commitCutter) answers(near io.Writer, far io.Reader, cut *atomic.Pointer[string]) {
	committed := false
	for {
		message, err := readMessage(far)
		if err != nil {
			return
		}
		kind := cut.Load()
		if kind == nil {
			if _, err := near.Write(message); err != nil {
				return
			}
			continue
		}
		switch message[0] {
		case 'C': // CommandComplete
			committed = string(message[5:]) == "UPDATE 1\x00"
		case 'Z': // ReadyForQuery: the commit is over
			if committed {
				c.count.Load().count(*kind)
			}
			return
		}
	}
}

// TestPostgresClock has minters with clocks that run fast and slow, and then a server whose
// clock does: that ends leases early or late, and the margin of the Minter must allow for it.
func TestPostgresClock(t *testing.T) {
	alone(t)
	server, address := pgtest.Start(t)
	const ttl = 2 * time.Second
	length := duration(20*time.Second, 4*time.Second, time.Second)
	t.Run("minters", func(t *testing.T) {
		began := time.Now()
		scenario{
			fault: "clocks of the minters at 0.9 and 1.1 of the speed", ttl: ttl, length: length,
			store: same(postgresStore(t, openPool(t, address, "minters", "&pool_max_conns=10"), 26, ttl)),
			now: func(i int) func() time.Time {
				speed := []float64{0.9, 1.1}[i/2%2] // of those that stay and of those that do not, half each
				return func() time.Time { return began.Add(time.Duration(speed * float64(time.Since(began)))) }
			},
			inject: func(ctx context.Context, f *faults) {
				for range 12 {
					f.count("clocks at 0.9")
					f.count("clocks at 1.1")
				}
				sleep(ctx, length)
			},
		}.run(t)
	})
	library, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil || len(library) == 0 {
		t.Skip("libfaketime is not installed (Debian: apt-get install faketime)")
	}
	before := server.Command
	for _, speed := range []string{"0.9", "1.1"} {
		server.Stop(syscall.SIGINT)
		server.Command = func() *exec.Cmd {
			cmd := before()
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+library[0], "FAKETIME=+0 x"+speed)
			return cmd
		}
		server.Start(t)
		name := "server_" + strings.ReplaceAll(speed, ".", "_")
		t.Run(name, func(t *testing.T) {
			near := openPool(t, address, name, "&pool_max_conns=10")
			stated := clockSpeed(t, address)
			t.Logf("the server's clock runs at %.3f", stated)
			if want := map[string]float64{"0.9": 0.9, "1.1": 1.1}[speed]; stated < want-0.03 || stated > want+0.03 {
				t.Fatalf("the server's clock runs at %.3f, want %v", stated, want)
			}
			scenario{
				fault: "PostgreSQL: the server's clock at " + speed + " of the speed", ttl: ttl, length: length,
				store:  same(postgresStore(t, near, 26, ttl)),
				inject: func(ctx context.Context, f *faults) { f.count("servers"); sleep(ctx, length) },
			}.run(t)

			n := servers.NewNetwork(t)
			far := openPool(t, n.Proxy(t, "minter", "postgres", address, nil), name+"_cut", "")
			var s nodelease.Store = postgresStore(t, far, 1, 3*time.Second)
			servers.StopsFirst(t, s, func() (free bool) {
				sql := fmt.Sprintf(`select expires <= clock_timestamp() from %s_cut.node_lease`, name)
				if err := near.QueryRow(t.Context(), sql).Scan(&free); err != nil {
					t.Fatal(err)
				}
				return free
			}, func(on bool) {
				n.Set(on, servers.Link{From: "minter", To: "postgres"}, servers.Link{From: "postgres", To: "minter"})
			})
		})
	}
}

// clockSpeed compares a second of the server's with one of this process's.
func clockSpeed(t *testing.T, address string) float64 {
	t.Helper()
	pool := connect(t, address, "")
	read := func() (server, own time.Time) {
		if err := pool.QueryRow(t.Context(), `select clock_timestamp()`).Scan(&server); err != nil {
			t.Fatal(err)
		}
		return server, time.Now()
	}
	server, own := read()
	time.Sleep(time.Second)
	serverLater, later := read()
	return float64(serverLater.Sub(server)) / float64(later.Sub(own))
}
