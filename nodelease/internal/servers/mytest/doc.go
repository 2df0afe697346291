// Package mytest starts MariaDB servers on loopback for tests. It works on Linux only.
package mytest
