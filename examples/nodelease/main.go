// Nodelease generates Snowflakes on any number of machines. Each process leases its node number
// from etcd or PostgreSQL, so no two processes ever generate the same ID.
//
//	go run . -etcd 127.0.0.1:2379 -init    # omit -init after the first time
//	go run . -postgres postgres://user@127.0.0.1/db -count 0 -every 1ms -metrics 127.0.0.1:9100
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/pgstore"
)

type config struct {
	etcd, postgres, metrics string
	numbers, count          int64
	ttl, every              time.Duration
	print, init             bool
}

func main() {
	c, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, c, os.Stdout)
		stop()
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "nodelease:", err)
		os.Exit(1)
	}
}

func parse(args []string, usage io.Writer) (*config, error) {
	c := new(config)
	f := flag.NewFlagSet("nodelease", flag.ContinueOnError)
	f.SetOutput(usage)
	f.StringVar(&c.etcd, "etcd", "", "lease from etcd: its members' client addresses, separated by commas")
	f.StringVar(&c.postgres, "postgres", "", "lease from PostgreSQL: its URL")
	f.StringVar(&c.metrics, "metrics", "", "serve metrics for Prometheus and a readiness probe at this address, under /metrics and /ready")
	f.BoolVar(&c.init, "init", false, "initialize the store; use it once, before the first process starts")
	f.Int64Var(&c.numbers, "numbers", 1024, "number of node numbers, the same in every process")
	f.DurationVar(&c.ttl, "ttl", 15*time.Second, "time for which the store keeps the number of a process that stops renewing it")
	f.Int64Var(&c.count, "count", 1_000_000, "number of IDs to make (0: until interrupted)")
	f.DurationVar(&c.every, "every", 0, "pause between two IDs")
	f.BoolVar(&c.print, "print", false, "print the IDs, one per line")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case (c.etcd == "") == (c.postgres == ""):
		return nil, errors.New("give either -etcd or -postgres")
	}
	return c, nil
}

// open connects to the store that c selects. If c.init is set, open initializes the store first.
// The returned function closes the connections. It is never nil, even if open returns an error.
func open(ctx context.Context, c *config) (nodelease.Store, func(), error) {
	start, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if c.postgres != "" {
		opts := &pgstore.Options{Numbers: c.numbers, TTL: c.ttl}
		if c.init {
			if err := pgstore.Init(start, c.postgres, opts); err != nil {
				return nil, func() {}, err
			}
		}
		store, err := pgstore.New(start, c.postgres, opts)
		if err != nil {
			return nil, func() {}, err
		}
		return store, store.Close, nil
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            strings.Split(c.etcd, ","),
		DialTimeout:          2 * time.Second,
		DialKeepAliveTime:    10 * time.Second, // detects dead connections
		DialKeepAliveTimeout: 3 * time.Second,
		// Reconnect quickly after an outage.
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 2 * time.Second,
		})},
	})
	if err != nil {
		return nil, func() {}, err
	}
	opts := &etcdstore.Options{Numbers: c.numbers, TTL: c.ttl}
	if c.init {
		err = etcdstore.Init(start, client, opts)
	}
	var store *etcdstore.Store
	if err == nil {
		store, err = etcdstore.New(start, client, opts)
	}
	return store, func() { client.Close() }, err
}

// run generates IDs until ctx is canceled. If c.count is positive, run stops after that number of
// IDs.
func run(ctx context.Context, c *config, out io.Writer) error {
	store, closeStore, err := open(ctx, c)
	defer closeStore()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // ctx was canceled
	case err != nil:
		return err
	}
	registry, observe := metrics()
	m, err := nodelease.NewMinter(store, &nodelease.Options{Logger: slog.Default(), Observe: observe})
	if err != nil {
		return err
	}
	gauges(registry, m.Stats)
	if c.metrics != "" {
		listener, err := net.Listen("tcp", c.metrics)
		if err != nil {
			return errors.Join(err, m.Close())
		}
		mux := http.NewServeMux()
		mux.Handle("/ready", ready(m))
		mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
		// The server stays open until the call to work below has released the number. During the
		// release, /ready already reports that IDs are unavailable.
		defer server.Close()
		go func() { slog.Info("metrics", "ended", server.Serve(listener)) }()
	}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	n := int64(0)
	return work(ctx, m, func(id ids.Snowflake) (err error) {
		if n++; n == c.count {
			enough()
		}
		if c.print {
			_, err = fmt.Fprintln(out, id)
		}
		select {
		case <-ctx.Done():
		case <-time.After(c.every):
		}
		return err
	})
}

// work generates IDs and passes each of them to use, until ctx is canceled or an error occurs. It
// then releases the number. If ctx comes from signal.NotifyContext, SIGTERM cancels ctx.
func work(ctx context.Context, m *nodelease.Minter, use func(ids.Snowflake) error) (err error) {
	// Close does not use ctx, which may already be canceled. Close takes at most 5 s.
	defer func() { err = errors.Join(err, m.Close()) }()
	for {
		id, err := m.NextContext(ctx) // blocks while no number is free
		if ctx.Err() != nil {
			return nil // ctx was canceled
		}
		if err == nil {
			err = use(id)
		}
		if err != nil {
			return err
		}
	}
}
