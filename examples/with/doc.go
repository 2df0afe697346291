// Package with contains tests that show how to use IDs with other libraries. The page docs/with.md
// summarizes these tests, and its blocks of declarations are copied from them.
package with
