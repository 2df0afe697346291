//go:build !linux

package main

import "testing"

// The tests of these names are for Linux.

func TestEtcd(t *testing.T)           { skip(t) }
func TestEtcdFaults(t *testing.T)     { skip(t) }
func TestPostgres(t *testing.T)       { skip(t) }
func TestPostgresFaults(t *testing.T) { skip(t) }

func skip(t *testing.T) {
	t.Skip("starts, stops and pauses servers and minting processes in ways that only Linux has")
}
