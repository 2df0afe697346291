// Package faulttest starts etcd and PostgreSQL servers on loopback for tests, and a network between
// them and their clients that can be cut. It works on Linux only.
package faulttest
