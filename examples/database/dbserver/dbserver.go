// Package dbserver starts real database servers for tests. A server is reached through a socket,
// keeps all its files in a temporary directory, and is stopped at the end of the test. Tests are
// skipped if a server's programs are not installed.
package dbserver
