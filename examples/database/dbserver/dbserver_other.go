//go:build !linux

package dbserver

import "testing"

// Postgres skips the test.
func Postgres(t testing.TB) string {
	t.Helper()
	t.Skip("database servers are started for tests on Linux only")
	return ""
}

// MariaDB skips the test.
func MariaDB(t testing.TB) string {
	t.Helper()
	t.Skip("database servers are started for tests on Linux only")
	return ""
}
