// Watch is an HTTP server that returns Snowflakes and publishes gauges. The gauges show whether
// Snowflakes are unavailable or soon will be, and whether the times in Snowflakes come from a wrong
// clock. Use these commands:
//
//	export IDS_SNOWFLAKE_NODE=7
//	go run ./examples/recipes/watch -first-start    # once, to create the file
//	go run ./examples/recipes/watch
//	curl http://127.0.0.1:8081/id
//	curl http://127.0.0.1:8081/ready
//	curl http://127.0.0.1:8081/debug/vars
package main

import (
	"context"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

func main() {
	log.SetFlags(0)
	path := flag.String("file", "ids.clock", "file with the time, on a persistent disk")
	address := flag.String("listen", "127.0.0.1:8081", "address at which to serve IDs, the probe and the gauges")
	first := flag.Bool("first-start", false, "make the file and exit; use it once for each node number, never at each start")
	flag.Parse()
	var err error
	if *first {
		err = firstStart(*path)
	} else {
		err = run(*path, *address)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// gauges returns gauges that show how far IDs are ahead of the clock, whether saving fails, and
// whether IDs are unavailable because they are withheld or the clock has ended. Reading the gauges
// does not generate IDs.
func gauges(f *clockfile.File, tick time.Duration) *expvar.Map {
	m := new(expvar.Map)
	m.Set("ahead_seconds", expvar.Func(func() any { return f.Clock().Ahead().Seconds() }))
	m.Set("unsaved", expvar.Func(func() any { return number(f.Status().Err != nil) }))
	m.Set("withheld", expvar.Func(func() any { return number(withheld(f, tick)) }))
	return m
}

func withheld(f *clockfile.File, tick time.Duration) bool {
	select {
	case <-f.Lost():
		return true // although the saved horizon may still be in the future
	default:
	}
	now, latest := time.Now(), f.Clock().Latest()
	return f.Status().Horizon.Before(now) || f.Status().Horizon.Before(latest.Add(tick))
}

// ready returns the handler for a readiness probe. The handler returns status 200 while IDs can be
// generated, and status 503 otherwise.
func ready(f *clockfile.File, tick time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if withheld(f, tick) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func firstStart(path string) error {
	// Check the number first, so that no file is created for an invalid number.
	if _, err := snowflake.SetDefaultFromEnv(nil); err != nil {
		return err
	}
	return clockfile.Create(path, &clockfile.Options{Owner: owner()})
}

// owner returns a name that identifies the service and contains its node number. Open uses this
// name to reject a file that belongs to a different number.
func owner() string { return "orders, node " + os.Getenv("IDS_SNOWFLAKE_NODE") }

func run(path, address string) (err error) { // main exits when run returns
	f, err := clockfile.Open(path, &clockfile.Options{Owner: owner(), Report: func(s clockfile.Status) { log.Print(s) }})
	if err != nil {
		return err
	}
	// Even if the last save fails, no ID will be repeated.
	defer func() { err = errors.Join(err, f.Close()) }()
	// Install the signal handler only after Open has returned, so that a signal can end the process
	// if Open hangs.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	node, err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: f.Clock()})
	if err != nil {
		return err
	}
	tick := node.Layout().Tick
	expvar.Publish("ids", gauges(f, tick))
	http.HandleFunc("/ready", ready(f, tick))
	// Package expvar itself registers the handler for /debug/vars.
	http.HandleFunc("/id", func(w http.ResponseWriter, r *http.Request) {
		id, err := node.NextContext(r.Context())
		if err != nil {
			log.Print(err) // do not send err to the client, because it contains the file's path
			http.Error(w, "no IDs are available now", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, id)
	})
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	log.Printf("ids at http://%s/id", l.Addr())
	server := http.Server{ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err = <-served:
	case <-ctx.Done(): // SIGINT or SIGTERM
	case <-f.Lost(): // end the process, which would otherwise fail every request
		err = f.Status().Err
	}
	late, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if server.Shutdown(late) != nil { // must come before the deferred f.Close, which ends the clock
		server.Close() // ends the remaining requests; they may be waiting because saves fail
	}
	return err
}
