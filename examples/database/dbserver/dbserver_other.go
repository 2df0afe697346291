//go:build !linux

package dbserver

import "testing"

// On systems other than Linux, Postgres and MariaDB skip the test.
var Postgres, MariaDB = skip, skip

func skip(t testing.TB) string {
	t.Helper()
	t.Skip("database servers are started for tests on Linux only")
	return ""
}
