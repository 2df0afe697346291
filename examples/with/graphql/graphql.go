// Package graphql is what gqlgen demands of a scalar, in the words of its package
// github.com/99designs/gqlgen/graphql. It stands in for that one, so that the tests need nothing else of gqlgen.
package graphql

import "io"

// Marshaler is a value that writes itself as JSON.
type Marshaler interface {
	MarshalGQL(w io.Writer)
}

// WriterFunc is a function that is a Marshaler.
type WriterFunc func(writer io.Writer)

// MarshalGQL calls f.
func (f WriterFunc) MarshalGQL(w io.Writer) { f(w) }
