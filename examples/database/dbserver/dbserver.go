// Package dbserver starts real database servers for tests. Each server listens on a Unix domain
// socket, keeps all its files in a temporary directory and is stopped at the end of the test. If
// the server's programs are not installed, the test is skipped.
package dbserver
