package pgcheck_test

// A test that the errors for a URL contain no secrets.

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/pgcheck"
)

// TestURLs checks URLs that cannot be parsed. The errors contain the reason, but no value from the
// URL.
func TestURLs(t *testing.T) {
	for url, want := range map[string]string{
		"host = h password = s3cret sslmode=bad":        "failed to configure TLS: sslmode is invalid",
		"postgres://u:s3cret@h:port/d":                  "invalid port",
		"postgres://u:s3@cret@h/d":                      "a host contains @: write %40 for an @ in the password",
		"host=h,s3@cret":                                "a host contains @: write %40 for an @ in the password",
		"postgres://h/d?s3cret":                         "failed to parse as URL: missing key/value separator = in URI query parameter",
		"postgres://h/d?x=%zz":                          "failed to parse as URL: invalid percent-encoded token",
		"password=x s3cret y=1":                         "failed to parse as keyword/value",
		"password='s3cret":                              "failed to parse as keyword/value: unterminated quoted string in connection info string",
		"postgres://h/d?connect_timeout=s3cret":         "invalid connect_timeout",
		"postgres://h/d?target_session_attrs=s3 (cret)": "failed to parse as URL",
		"host=h target_session_attrs='s3 (cret'":        "unknown target_session_attrs value",
		"host=h service=s3cret servicefile=/nowhere":    "failed to read service: failed to read service file",
		"host=h sslrootcert=/nowhere/s3cret":            "failed to configure TLS: unable to read CA file: no such file or directory",
		"host=h default_query_exec_mode=s3cret":         "invalid default_query_exec_mode",
		"host=a,b,c port=1,2":                           "could not match 2 port numbers to 3 hosts",
	} {
		config, err := pgx.ParseConfig(url)
		if err = pgcheck.CheckURL(url, config, err); err == nil || err.Error() != "the URL cannot be parsed: "+want {
			t.Errorf("%s: error %v, want %q", url, err, want)
		}
	}
	_, err := pgx.ParseConfig("host=h sslrootcert=/nowhere")
	must.Fail(t, "a missing file", pgcheck.CheckURL("host=h sslrootcert=/nowhere", nil, err), fs.ErrNotExist)
	if err := pgcheck.CheckURL("x", nil, errors.New("s3cret in x")); err.Error() != "the URL cannot be parsed" {
		t.Errorf("an error of another form: %v", err)
	}
	config, err := pgx.ParseConfig("postgres://u:s%40cret@a,b/d")
	must.Do(t, pgcheck.CheckURL("", config, err))
}
