package pgcheck

// This file contains the server's error codes and a function that checks URLs. The function's
// errors contain no secrets.

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SQLSTATE codes.
const (
	InsufficientPrivilege = "42501"
	UndefinedColumn       = "42703"
	UndefinedTable        = "42P01"
)

// IsError reports whether err is a server error with one of the given codes.
func IsError(err error, codes ...string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, e.Code)
}

// CheckURL returns an error if the driver could not parse url. It also returns an error if a parsed
// host contains an @, because the @ must be part of a password that was not percent-encoded. The
// config and err parameters are the results of the driver's parser. The returned error contains the
// reason, but no part of the URL, because any part might be a password.
func CheckURL(url string, config *pgx.ConnConfig, err error) error {
	const text = "the URL cannot be parsed"
	if err == nil {
		at := strings.Contains(config.Host, "@")
		for _, f := range config.Fallbacks {
			at = at || strings.Contains(f.Host, "@")
		}
		if at {
			return errors.New(text + ": a host contains @: write %40 for an @ in the password")
		}
		return nil
	}
	reason, ok := strings.CutPrefix(err.Error(), pgconn.NewParseConfigError(url, "", nil).Error())
	if !ok {
		return errors.New(text)
	}
	reason = strings.ReplaceAll(reason, `"="`, "=")
	end := strings.IndexAny(reason+":", ":\"`") // a value may follow
	what, detail, _ := strings.Cut(reason[:end], " (")
	if whole := end == len(reason) || reason[end] == ':'; whole && detail != "" && !strings.HasPrefix(detail, "strconv.") {
		what += ": " + strings.TrimSuffix(detail, ")")
	}
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %s: %w", text, what, file.Err)
	}
	return fmt.Errorf("%s: %s", text, what)
}
