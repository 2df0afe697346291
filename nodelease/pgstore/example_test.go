package pgstore_test

import (
	"context"
	"log"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease/pgstore"
)

// TLS, with a certificate of the client, and a password are the pool's matter. A password that changes is
// read for each connection.
func ExampleNew() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig("postgres://minter@db.example.com/orders?sslmode=verify-full" +
		"&sslrootcert=/etc/db/ca.pem&sslcert=/etc/db/client.pem&sslkey=/etc/db/client-key.pem")
	if err != nil {
		log.Fatal(err)
	}
	pgstore.Configure(config) // so that the store hears of the server's warnings
	config.MaxConns = 2
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		password, err := os.ReadFile("/run/secrets/db-password")
		c.Password = string(password)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	store, err := pgstore.New(ctx, pool, &pgstore.Options{Table: "orders.node_lease"})
	if err != nil {
		log.Fatal(err)
	}
	_ = store // for nodelease.NewMinter
}
