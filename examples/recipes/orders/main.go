// Orders is a web server with a number of its own, that answers each bad id with status 400:
//
//	IDS_SNOWFLAKE_NODE=7 go run ./examples/recipes/orders
//	curl -d '{"user":"user_01h455vb4pf0cttv1ysd4n9fnt"}' http://127.0.0.1:8080/orders
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/oneclock/ids/snowflake"
	"github.com/oneclock/ids/typeid"
	"github.com/oneclock/ids/uuid"
)

func main() {
	log.SetFlags(0)
	address := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string) error {
	if _, err := snowflake.SetDefaultFromEnv(nil); err != nil {
		return err // IDS_SNOWFLAKE_NODE is missing, or not a number from 0 to 1023
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	log.Print("listening on ", listener.Addr())
	server := &http.Server{Handler: routes(), ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(grace) // an error if a request takes longer: it is cut off
}

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", getOrder)
	mux.HandleFunc("POST /orders", postOrder)
	return mux
}

// user is a kind of ids, which begin with "user_".
type user struct{}

func (user) Prefix() string { return "user" }

// Order is what a client sends, and gets back with its ID.
type Order struct {
	ID     snowflake.ID    `json:"id"`
	User   typeid.ID[user] `json:"user"`
	Parent uuid.Null       `json:"parent"`
	Items  []uuid.UUID     `json:"items"`
}

func getOrder(w http.ResponseWriter, r *http.Request) {
	id, err := snowflake.Parse(r.PathValue("id"))
	if err != nil {
		refuse(w, "the id in the path is not that of an order", err)
		return
	}
	answer(w, Order{ID: id})
}

func postOrder(w http.ResponseWriter, r *http.Request) {
	var order Order
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&order); err != nil {
		refuse(w, "the body is not an order", err)
		return
	}
	if order.User.IsZero() || slices.Contains(order.Items, uuid.Nil()) { // missing, or null
		refuse(w, "the order has no user, or an item is null", errors.New("an id is zero"))
		return
	}
	order.ID = snowflake.Next()
	answer(w, order)
}

// refuse says to the client what was expected, whatever the type of err, which is for the log.
func refuse(w http.ResponseWriter, what string, err error) {
	log.Printf("bad request: %s: %v", what, err)
	http.Error(w, what, http.StatusBadRequest)
}

func answer(w http.ResponseWriter, order Order) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(order); err != nil {
		log.Print(err)
	}
}
