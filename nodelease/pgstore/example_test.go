package pgstore_test

// Examples of the store.

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/oneclock/ids/nodelease/pgstore"
)

// The URL names the host, the user and TLS. A password that changes is read for each connection.
func ExampleNew() {
	store, err := pgstore.New(context.Background(), "postgres://minter@db.example.com/orders?sslmode=verify-full"+
		"&sslrootcert=/etc/db/ca.pem&sslcert=/etc/db/client.pem&sslkey=/etc/db/client-key.pem", &pgstore.Options{
		Table: "orders.node_lease",
		BeforeConnect: func(_ context.Context, c *pgx.ConnConfig) error {
			password, err := os.ReadFile("/run/secrets/db-password")
			c.Password = strings.TrimRight(string(password), "\r\n")
			return err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	_ = store // for nodelease.NewMinter
}
