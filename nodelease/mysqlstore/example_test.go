package mysqlstore_test

import (
	"context"
	"database/sql"
	"log"
	"os"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids/nodelease/mysqlstore"
)

// TLS and a password are the pool's matter. A password that changes is read for each connection.
func ExampleNew() {
	ctx := context.Background()
	config, err := mysql.ParseDSN("minter@tcp(db.example.com:3306)/orders?tls=true&rejectReadOnly=true")
	if err != nil {
		log.Fatal(err)
	}
	err = config.Apply(mysql.BeforeConnect(func(_ context.Context, c *mysql.Config) error {
		password, err := os.ReadFile("/run/secrets/db-password")
		c.Passwd = string(password)
		return err
	}))
	if err != nil {
		log.Fatal(err)
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		log.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	db.SetMaxOpenConns(1) // one for each Minter

	store, err := mysqlstore.New(ctx, db, &mysqlstore.Options{Table: "orders.node_lease"})
	if err != nil {
		log.Fatal(err)
	}
	_ = store // for nodelease.NewMinter
}
