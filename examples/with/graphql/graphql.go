// Package graphql declares the types that gqlgen requires from a scalar, as in gqlgen's own package
// github.com/99designs/gqlgen/graphql. It replaces that package, so that the tests need nothing
// else from gqlgen.
package graphql

import "io"

// Marshaler is a value that writes itself as JSON.
type Marshaler interface {
	MarshalGQL(w io.Writer)
}

// WriterFunc is a function that implements Marshaler.
type WriterFunc func(writer io.Writer)

// MarshalGQL calls f.
func (f WriterFunc) MarshalGQL(w io.Writer) { f(w) }
