package etcdstore_test

// Examples of the store.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease/etcdstore"
)

// TLS, a client certificate and a password are set in the client.
func ExampleNew() {
	ca, err := os.ReadFile("/etc/etcd/ca.pem")
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		log.Fatal("no certificate in ca.pem")
	}
	own, err := tls.LoadX509KeyPair("/etc/etcd/client.pem", "/etc/etcd/client-key.pem")
	if err != nil {
		log.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            []string{"https://etcd-0:2379", "https://etcd-1:2379", "https://etcd-2:2379"},
		TLS:                  &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}},
		Username:             "minter", // a role that may read /orders/schema, and read and write /orders/horizon/ and /orders/owner/
		Password:             os.Getenv("ETCD_PASSWORD"),
		DialKeepAliveTime:    10 * time.Second, // detects a dead connection
		DialKeepAliveTimeout: 10 * time.Second, // without a password, whose check keeps the servers busy, 3 s are enough
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	store, err := etcdstore.New(ctx, client, &etcdstore.Options{Prefix: "/orders"})
	if err != nil {
		log.Fatal(err)
	}
	_ = store // for nodelease.NewMinter
}
