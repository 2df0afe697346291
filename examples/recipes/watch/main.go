// Watch mints Snowflakes, and serves gauges that tell when they will stop, have stopped, or have the time of a wrong clock:
//
//	go run ./examples/recipes/restart -first-start              # once: makes the file
//	IDS_SNOWFLAKE_NODE=7 go run ./examples/recipes/watch
//	curl http://127.0.0.1:8081/debug/vars
package main

import (
	"context"
	"errors"
	"expvar"
	"flag"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/clockfile"
	"github.com/oneclock/ids/snowflake"
)

func main() {
	log.SetFlags(0)
	path := flag.String("file", "ids.clock", "the file with the time, on a disk that stays")
	address := flag.String("listen", "127.0.0.1:8081", "address to serve the gauges at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *path, *address); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

// gauges tells how far ids are ahead of the clock, and whether they have stopped. Each look uses an id.
func gauges(node *snowflake.Node, clock *ids.Clock) *expvar.Map {
	m := new(expvar.Map)
	m.Set("ahead_seconds", expvar.Func(func() any { return max(0, time.Until(clock.Latest())).Seconds() }))
	m.Set("stopped", expvar.Func(func() any {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := node.NextContext(ctx); err != nil {
			return 1
		}
		return 0
	}))
	return m
}

var unsaved = expvar.NewInt("ids_unsaved")

func report(err error) { // the Report of clockfile.Options
	log.Println("saving the clock (nil is success):", err)
	switch {
	case errors.Is(err, clockfile.ErrLost):
		log.Fatal("no id comes until the next start")
	case err != nil:
		unsaved.Set(1)
	default:
		unsaved.Set(0)
	}
}

func run(ctx context.Context, path, address string) (err error) {
	f, err := clockfile.Open(path, &clockfile.Options{Report: report})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := snowflake.SetDefaultFromEnv(&snowflake.Options{Clock: f.Clock()}); err != nil {
		return err
	}
	node, err := snowflake.Default()
	if err != nil {
		return err
	}
	expvar.Publish("ids", gauges(node, f.Clock()))
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	log.Printf("gauges at http://%s/debug/vars", l.Addr())
	go func() { log.Println("gauges:", http.Serve(l, nil)) }() // expvar has registered itself
	for {
		if _, err := node.NextContext(ctx); err != nil {
			return err
		}
		time.Sleep(time.Millisecond) // your work
	}
}
