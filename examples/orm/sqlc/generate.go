// Package sqlc holds the code that sqlc generates for columns of ids, in the folders sqlite and
// postgres, by sqlc.yaml.
package sqlc

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate
