// Package servers starts real servers for tests, stops, pauses and kills them, and puts a network between them
// that can be cut. Packages etcdtest, pgtest and mytest know the kinds: they are apart so that the tests of each store
// need only its own driver, and the users of one store have no trace of the others' in their go.sum. It works on
// Linux only. The tests in internal/faulttest use it, and those of the stores.
package servers
