// Nodelease mints Snowflake ids on any number of machines: each process leases its node number
// from etcd or from PostgreSQL, so that no two ever issue the same id.
//
//	go run . -etcd 127.0.0.1:2379
//	go run . -postgres postgres://user@127.0.0.1/db -count 0 -every 1ms
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// maxNodes is how many numbers the default layout's 10 bits can name.
const maxNodes = 1024

type config struct {
	etcd, postgres, prefix, holder string
	nodes, count                   int64
	ttl, window, every, status     time.Duration
	print                          bool
}

func main() {
	c, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nodelease:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "nodelease:", err)
		os.Exit(1)
	}
}

func parse(args []string, usage io.Writer) (*config, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	c := new(config)
	f := flag.NewFlagSet("nodelease", flag.ContinueOnError)
	f.SetOutput(usage)
	f.StringVar(&c.etcd, "etcd", "", "lease from etcd: its members' client addresses, separated by commas")
	f.StringVar(&c.postgres, "postgres", "", "lease from PostgreSQL: its URL")
	f.StringVar(&c.prefix, "prefix", "/nodelease", "prefix of the keys in etcd")
	f.StringVar(&c.holder, "holder", fmt.Sprintf("%s/%d", host, os.Getpid()), "name shown in the store beside the number held")
	f.Int64Var(&c.nodes, "nodes", maxNodes, "how many node numbers there are, the same in every process")
	f.DurationVar(&c.ttl, "ttl", 15*time.Second, "how long the store keeps a number for a holder that falls silent; at least 2s, whole seconds")
	f.DurationVar(&c.window, "window", 0, "how far ahead the mark is written (0: four times the TTL)")
	f.Int64Var(&c.count, "count", 1_000_000, "how many ids to mint (0: until interrupted)")
	f.DurationVar(&c.every, "every", 0, "pause between two ids")
	f.DurationVar(&c.status, "status", time.Second, "interval between two status lines on standard error (0: none)")
	f.BoolVar(&c.print, "print", false, "print the ids on standard output, one on a line")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case (c.etcd == "") == (c.postgres == ""):
		return nil, errors.New("give either -etcd or -postgres")
	case c.nodes < 1 || c.nodes > maxNodes:
		return nil, fmt.Errorf("-nodes %d: not within 1 to %d", c.nodes, maxNodes)
	case c.ttl < 2*time.Second || c.ttl%time.Second != 0:
		return nil, fmt.Errorf("-ttl %v: not a whole number of seconds from 2s", c.ttl)
	case c.window < 0 || c.count < 0 || c.every < 0 || c.status < 0:
		return nil, errors.New("-window, -count, -every and -status must not be negative")
	}
	return c, nil
}

// open connects to the store that c names. The function it returns closes the connections.
func open(ctx context.Context, c *config) (nodelease.Store, func(), error) {
	if c.postgres != "" {
		pool, err := pgxpool.New(ctx, c.postgres)
		if err != nil {
			return nil, nil, fmt.Errorf("-postgres: %w", err)
		}
		s, err := pgstore.New(ctx, pool, c.holder, c.nodes, c.ttl)
		if err != nil {
			pool.Close()
			return nil, nil, err
		}
		return s, pool.Close, nil
	}
	client, err := clientv3.New(etcdConfig(strings.Split(c.etcd, ",")))
	if err != nil {
		return nil, nil, fmt.Errorf("-etcd: %w", err)
	}
	return &etcdstore.Store{Client: client, Prefix: c.prefix, Holder: c.holder, Nodes: c.nodes, TTL: c.ttl}, func() { client.Close() }, nil
}

// etcdConfig makes the client notice a connection that is dead without having been closed: gRPC
// pings no more often than every 10 s. The client's own log repeats the errors that it returns.
func etcdConfig(endpoints []string) clientv3.Config {
	return clientv3.Config{
		Endpoints:            endpoints,
		DialTimeout:          2 * time.Second,
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 3 * time.Second,
		Logger:               zap.NewNop(),
	}
}

func run(ctx context.Context, c *config, out, status io.Writer) error {
	store, closeStore, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer closeStore()
	m, err := nodelease.NewMinter(store, &nodelease.MinterOptions{Window: c.window, Logger: slog.New(slog.NewTextHandler(status, nil))})
	if err != nil {
		return err
	}
	var minted atomic.Int64
	report, silence := context.WithCancel(ctx)
	var reporting sync.WaitGroup
	defer reporting.Wait()
	defer silence()
	if c.status > 0 {
		reporting.Go(func() {
			for sleep(report, c.status); report.Err() == nil; sleep(report, c.status) {
				if n, ok := m.Node(); ok {
					fmt.Fprintf(status, "node %4d, %d ids\n", n, minted.Load())
				} else {
					fmt.Fprintf(status, "no node  , %d ids\n", minted.Load())
				}
			}
		})
	}
	for c.count == 0 || minted.Load() < c.count {
		id, err := m.Next(ctx)
		if ctx.Err() != nil {
			break // interrupted
		}
		if err != nil {
			return errors.Join(fmt.Errorf("mint: %w", err), m.Close(context.WithoutCancel(ctx)))
		}
		minted.Add(1)
		if c.print {
			if _, err := fmt.Fprintln(out, id); err != nil {
				return errors.Join(fmt.Errorf("print: %w", err), m.Close(context.WithoutCancel(ctx)))
			}
		}
		if c.every > 0 {
			sleep(ctx, c.every)
		}
	}
	err = m.Close(context.WithoutCancel(ctx))
	fmt.Fprintf(status, "%d ids\n", minted.Load())
	return err
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
