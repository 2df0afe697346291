// Package graphql declares the types that gqlgen requires for a scalar. They are declared as in
// gqlgen's own package, github.com/99designs/gqlgen/graphql. The tests use this package instead, so
// they do not depend on gqlgen.
package graphql

import "io"

// A Marshaler is a value that can write itself as JSON.
type Marshaler interface {
	MarshalGQL(w io.Writer)
}

// WriterFunc is a function that implements Marshaler.
type WriterFunc func(writer io.Writer)

// MarshalGQL calls f.
func (f WriterFunc) MarshalGQL(w io.Writer) { f(w) }
