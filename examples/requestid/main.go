// Requestid is a web server in which each request has an id, which is in the response and in every
// line of the log:
//
//	go run ./examples/requestid
//	curl -i http://127.0.0.1:8080/
//	curl -i -H 'X-Request-Id: 017f22e2-79b0-7cc3-98c4-dc0c0c07398f' http://127.0.0.1:8080/
//	curl -i -H 'X-Request-Id: mine' http://127.0.0.1:8080/
//
// To use it in a server of your own, copy middleware.go and log.go.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	trusted := flag.String("trust", "127.0.0.0/8,::1/128", "comma-separated networks whose "+header+" is believed; empty for none")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "requestid: unexpected argument %.60q\n", flag.Arg(0))
		os.Exit(2)
	}
	trust, err := trustNetworks(*trusted)
	if err != nil {
		fmt.Fprintln(os.Stderr, "requestid: -trust:", err)
		os.Exit(2)
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		fmt.Fprintln(os.Stderr, "requestid:", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(logHandler{slog.NewJSONHandler(os.Stderr, nil)})
	log.Info("listening", "address", listener.Addr().String())
	if err := serve(ctx, listener, log, trust); err != nil {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}

// serve answers requests until ctx is done. Requests that are then under way have up to 5 s.
func serve(ctx context.Context, listener net.Listener, log *slog.Logger, trust func(*http.Request) bool) error {
	server := &http.Server{
		Handler:           Middleware(hello(log), Options{Log: log, Trust: trust}),
		ReadHeaderTimeout: 5 * time.Second,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}

// hello is the handler that does the work.
func hello(log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, _ := RequestID(r.Context())
		log.InfoContext(r.Context(), "working")
		fmt.Fprintf(w, "hello, request %s\n", id)
	})
}

// trustNetworks returns a function that reports whether a request comes from one of the networks in
// a list such as "10.0.0.0/8,fd00::/8".
func trustNetworks(list string) (func(*http.Request) bool, error) {
	var networks []netip.Prefix
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		networks = append(networks, network)
	}
	return func(r *http.Request) bool {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil {
			return false
		}
		for _, network := range networks {
			if network.Contains(from.Addr().Unmap()) {
				return true
			}
		}
		return false
	}, nil
}
