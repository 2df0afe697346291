// Package with is a collection of tests that show how to use IDs with other libraries. The page
// docs/with.md summarizes these tests. The declarations in the page's code blocks are copied from
// the tests.
package with
