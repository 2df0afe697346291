// Package uuid is another with a type of this name.
package uuid

type UUID [16]byte
