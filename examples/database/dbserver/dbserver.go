// Package dbserver starts real database servers for tests: reached by a socket, with all their files in a temporary
// folder, and stopped when the test has ended. Tests are skipped where a server's programs are not installed.
package dbserver
