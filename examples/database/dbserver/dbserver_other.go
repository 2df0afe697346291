//go:build !linux

package dbserver

import "testing"

// Postgres and MariaDB skip the test on all systems except Linux.
var Postgres, MariaDB = skip, skip

func skip(t testing.TB) string {
	t.Helper()
	t.Skip("database servers are started for tests on Linux only")
	return ""
}
