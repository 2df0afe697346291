// Package with shows, in its tests, how to use IDs with other libraries. The page docs/with.md
// summarizes the tests, and its blocks of declarations are copied from here.
package with
