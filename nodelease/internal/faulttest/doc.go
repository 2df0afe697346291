// Package faulttest is for tests with servers that are stopped, paused and killed, over a network that can be
// cut. Packages etcdtest and pgtest start the servers: they are apart so that the tests of each store need only
// its own driver, and the users of one store have no trace of the other's in their go.sum. It works on Linux only.
package faulttest
