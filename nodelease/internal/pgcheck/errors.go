package pgcheck

import (
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATEs.
const (
	InsufficientPrivilege = "42501"
	UndefinedColumn       = "42703"
	UndefinedTable        = "42P01"
)

// IsError reports whether err is one of the server's, of one of these codes.
func IsError(err error, codes ...string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, e.Code)
}
