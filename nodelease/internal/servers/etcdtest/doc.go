// Package etcdtest starts etcd clusters on loopback for tests. It works on Linux only.
package etcdtest
