// Package with shows in its tests what ids need with other libraries. The page docs/with.md sums it
// up, and its blocks of declarations are taken from here.
package with
