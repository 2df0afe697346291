// Package pgtest starts PostgreSQL servers on loopback for tests. It works on Linux only.
package pgtest
