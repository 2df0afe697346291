package mysqlstore_test

// Examples of the store.

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids/nodelease/mysqlstore"
)

// The DSN names the server, the database, the user and TLS. A password that changes is read for each connection.
func ExampleNew() {
	store, err := mysqlstore.New(context.Background(), "minter@tcp(db.example.com:3306)/orders?tls=true", &mysqlstore.Options{
		Table: "orders.node_lease",
		BeforeConnect: func(_ context.Context, c *mysql.Config) error {
			password, err := os.ReadFile("/run/secrets/db-password")
			c.Passwd = strings.TrimRight(string(password), "\r\n")
			return err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	_ = store // for nodelease.NewMinter
}
